/*
 * Edges in memory: by instruction set and number of threads or by a GPU, compared with plain writes
 * to the same memory; from a GPU to the host, compared with plain copies; by model, compared with
 * the plain graph; and by the ranks of a job.
 *
 *   stored  arrays far larger than the caches are filled, over and over again; a GPU has several
 *           calls queued before the host waits
 *   block   one thread makes block after block into a buffer that stays in its cache, as the
 *           pipeline does; the time is that of its processor, so that other processes do not count
 */
#include "apps/bench/bench.h"
#include "apps/common/system.h"
#include "apps/engine/pipeline/pipeline.h"
#include "mpi/dist.h"
#include "rmat/try.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GPU_EDGES  ((uint64_t)1 << 29) /* of the arrays, and of a call */
#define HOST_EDGES ((uint64_t)1 << 24) /* of the arrays, at least; and of a call to the host */
#define CPU_EDGES  ((uint64_t)1 << 20) /* per thread in one call */
#define ALIGNMENT  64                  /* of the arrays: a vector of AVX-512 */

enum { WRITES, COPIES, STORED, BLOCK, TO_HOST };
enum { GPU_CALLS = 4 }; /* before the host waits */

#define SECONDS_ALONE    0.1 /* of a measurement */
#define SECONDS_OF_RANKS 0.5 /* longer: ranks leave the barrier at slightly different times */

typedef struct {
    void *src, *dst, *weight;
    void *host_src, *host_dst; /* pinned, for HOST_EDGES */
    uint64_t capacity, at;     /* of the arrays, in edges; the next place */
    uint64_t next;             /* edge of the stream */
} memory_state;

/* --- The backend of processors --- */

static int use_cpu(int device)
{
    (void)device;
    return RMAT_OK;
}

static int allocate_on_cpu(void **place, size_t bytes)
{
    *place = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return *place != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static int set_on_cpu(void *place, size_t bytes, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        const size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        const size_t from = bytes / n * i, to = i + 1 < n ? from + bytes / n : bytes;

        memset((char *)place + from, 1, to - from);
    }
    return RMAT_OK;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int begin_on_cpu(bench_timer *t)
{
    t->start = seconds_of(t->clock);
    return RMAT_OK;
}

static int end_on_cpu(bench_timer *t, int status, double *seconds)
{
    *seconds += seconds_of(t->clock) - t->start;
    return status;
}

const bench_backend bench_cpu = {.use = use_cpu,
                                 .allocate = allocate_on_cpu,
                                 .release = free,
                                 .set = set_on_cpu,
                                 .make = rmat_generate_arrays,
                                 .begin = begin_on_cpu,
                                 .end = end_on_cpu};

/* --- Measurements --- */

/* Starts making n edges, or moving as many bytes. */
static int start(bench_group *g, const bench_case *c, uint64_t n)
{
    const bench_backend *b = bench_backend_of(g);
    memory_state *s = g->state;
    const uint64_t first = s->next, at = c->kind == BLOCK || s->at + n > s->capacity ? 0 : s->at;
    const uint64_t bytes = n * (uint64_t)g->id_bytes, offset = at * (uint64_t)g->id_bytes;
    rmat_arrays to = {(char *)s->src + offset, (char *)s->dst + offset, NULL, g->id_bytes};

    s->at = at + n;
    s->next = first + n;
    switch (c->kind) {
    case WRITES:
        RMAT_OR_RETURN(b->set(to.src, bytes, c->threads));
        return b->set(to.dst, bytes, c->threads);
    case COPIES:
        RMAT_OR_RETURN(b->copy(s->host_src, s->src, bytes));
        return b->copy(s->host_dst, s->dst, bytes);
    case TO_HOST:
        to.src = s->host_src;
        to.dst = s->host_dst;
        return rmat_generate_arrays(c->gen, first, n, &to);
    default:
        to.weight = c->weights ? s->weight : NULL;
        return b->make(c->gen, first, n, &to);
    }
}

static int measure_memory(bench_group *g, const bench_case *c, bench_sample *sample)
{
    const bench_backend *b = bench_backend_of(g);
    const memory_state *s = g->state;
    const double slice = g->part == PART_RANKS ? SECONDS_OF_RANKS : SECONDS_ALONE;
    const bool host = c->kind == TO_HOST || c->kind == COPIES;
    const uint64_t n = c->kind == BLOCK              ? PIPELINE_BLOCK
                       : host                        ? HOST_EDGES
                       : g->gpu || c->kind == WRITES ? s->capacity
                                                     : CPU_EDGES * (uint64_t)c->threads;
    int status;

    do {
        bench_timer t = {.clock = c->kind == BLOCK ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC};

        status = b->begin(&t);
        for (int i = 0; i < (g->gpu ? GPU_CALLS : 1) && status == RMAT_OK; i++) {
            status = start(g, c, n);
            sample->work += (double)n;
        }
        status = b->end(&t, status, &sample->seconds);
    } while (status == RMAT_OK && sample->seconds < slice && interrupt_signal() == 0);
    return bench_failed(status);
}

/* --- Beginning and end --- */

static void add_memory_cases(bench_group *g)
{
    const int counts = g->job->threads > 1 ? 2 : 1, threads[] = {1, g->job->threads};

    if (g->gpu) {
        bench_add(g, "plain writes", WRITES, 0);
        bench_add(g, "plain copies to the host", COPIES, 0);
        bench_add(g, "memory", STORED, 0)->limit = 0;
        bench_add(g, "to host", TO_HOST, 0)->limit = 1;
        return;
    }
    for (int k = 0; k < counts; k++) {
        bench_add(g, "plain writes", WRITES, threads[k]);
    }
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        for (int k = 0; k < counts && rmat_cpu_has_isa(isa); k++) {
            bench_case *c = bench_add(g, rmat_isa_name(isa), STORED, threads[k]);

            c->isa = isa;
            c->limit = k;
        }
    }
}

static void add_cases(bench_group *g)
{
    const int threads = g->gpu ? 0 : g->job->threads;

    if (g->part == PART_MEMORY) {
        add_memory_cases(g);
    } else if (g->part == PART_MODELS) {
        bench_add_models(g, g->gpu ? STORED : BLOCK, g->gpu ? 0 : 1);
    } else {
        bench_add(g, "ranks one by one", STORED, threads)->alone = true;
        bench_add(g, "all ranks", STORED, threads)->limit = 0;
    }
}

/* Far more than the caches hold, but at most a quarter of the free memory, which the ranks of a
 * host may share. */
static uint64_t choose_capacity(const bench_group *g)
{
    const uint64_t least = CPU_EDGES * (uint64_t)g->job->threads;
    const uint64_t edge = 2 * (uint64_t)g->id_bytes + sizeof(float);
    uint64_t room = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t n = g->gpu ? GPU_EDGES : 4 * least > HOST_EDGES ? 4 * least : HOST_EDGES;
    char why[DEVICES_TEXT];
    device_gpu gpu;

    if (g->gpu && devices_gpu(g->job->device, &gpu, why)) {
        room = gpu.free;
    }
    while (n > (g->gpu ? HOST_EDGES : least) && edge * n > room / 4 / (uint64_t)dist_local_size()) {
        n /= 2;
    }
    return n;
}

static int allocate(bench_group *g)
{
    const bench_backend *b = bench_backend_of(g);
    memory_state *s = g->state;
    const size_t id_bytes = (size_t)g->id_bytes;
    const int threads = g->job->threads;

    RMAT_OR_RETURN(b->use(g->job->device));
    s->capacity = choose_capacity(g);
    RMAT_OR_RETURN(b->allocate(&s->src, s->capacity * id_bytes));
    RMAT_OR_RETURN(b->allocate(&s->dst, s->capacity * id_bytes));
    RMAT_OR_RETURN(b->set(s->src, s->capacity * id_bytes, threads));
    RMAT_OR_RETURN(b->set(s->dst, s->capacity * id_bytes, threads));
    if (g->part == PART_MODELS) {
        RMAT_OR_RETURN(b->allocate(&s->weight, s->capacity * sizeof(float)));
    }
    if (g->gpu && g->part == PART_MEMORY) {
        RMAT_OR_RETURN(b->pin(&s->host_src, HOST_EDGES * id_bytes));
        RMAT_OR_RETURN(b->pin(&s->host_dst, HOST_EDGES * id_bytes));
    }
    for (int i = 0; i < g->n_cases; i++) {
        bench_case *c = &g->cases[i];

        if (c->kind != WRITES && c->kind != COPIES) {
            rmat_config config;

            bench_config(g, c, &config);
            RMAT_OR_RETURN(rmat_create(&c->gen, &config));
        }
    }
    return RMAT_OK;
}

static int open_memory(bench_group *g)
{
    g->state = calloc(1, sizeof(memory_state));
    add_cases(g);
    return bench_failed(g->state != NULL ? allocate(g) : RMAT_ERR_NOMEM);
}

static void close_memory(bench_group *g)
{
    const bench_backend *b = bench_backend_of(g);
    memory_state *s = g->state;

    if (s != NULL) {
        b->release(s->src);
        b->release(s->dst);
        b->release(s->weight);
    }
    if (s != NULL && g->gpu) {
        b->unpin(s->host_src);
        b->unpin(s->host_dst);
    }
    free(s);
}

const bench_room bench_memory = {"edges/s", false, open_memory, measure_memory, close_memory};
