/*
 * Edges in memory, and CSR.  Edges: by instruction set and number of threads or by a GPU, compared
 * with plain writes to the same memory; from a GPU to the host, compared with plain copies; by
 * model, compared with the plain graph; and by the ranks of a job.
 *
 *   stored  arrays far larger than the caches are filled, over and over again; a GPU has several
 *           calls queued before the host waits
 *   block   one thread makes block after block into a buffer that stays in its cache, as the
 *           pipeline does; the time is that of its processor, so that other processes do not count
 *
 * CSR counts the edges of the stream per second of all the work:
 *
 *   intervals  of the library's own stream: it is generated into an interval, sorted, freed of
 *              copies with --unique, and written as pointers and indices into allocated memory
 *   rows       of the stream `rows`, which needs no sort: each rank makes its share of the rows by
 *              rmat_csr_rank(), allocations included
 */
#include "apps/bench/bench.h"
#include "apps/common/system.h"
#include "apps/engine/pipeline/pipeline.h"
#include "mpi/dist.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef RMAT_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#define GPU_EDGES  ((uint64_t)1 << 29) /* of the arrays, and of a call */
#define HOST_EDGES ((uint64_t)1 << 24) /* of the arrays, at least; and of a call to the host */
#define CPU_EDGES  ((uint64_t)1 << 20) /* per thread in one call */
#define ALIGNMENT  64                  /* of the arrays: a vector of AVX-512 */

enum { WRITES, COPIES, STORED, BLOCK, TO_HOST };
enum { GPU_CALLS = 4 }; /* before the host waits */

#define SECONDS_ALONE    0.1 /* of a measurement */
#define SECONDS_OF_RANKS 0.5 /* longer: ranks leave the barrier at slightly different times */

/* --- Memory of the processors or, for a group of a GPU, its own: functions return an rmat_status
 * --- */

/* Returns the status of a CUDA call from the calling function, for a group of a GPU. */
#ifdef RMAT_HAVE_CUDA
#define ON_GPU(g, call)                                                                            \
    do {                                                                                           \
        if ((g)->gpu) {                                                                            \
            const cudaError_t error = (call);                                                      \
            return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);                   \
        }                                                                                          \
    } while (0)
#else
#define ON_GPU(g, call) ((void)(g))
#endif

static int use_device(const bench_group *g)
{
    ON_GPU(g, cudaSetDevice(g->device));
    return RMAT_OK;
}

static int allocate(const bench_group *g, void **place, size_t bytes)
{
    ON_GPU(g, cudaMalloc(place, bytes));
    *place = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return *place != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static int release(const bench_group *g, void *place)
{
    ON_GPU(g, cudaFree(place));
    free(place);
    return RMAT_OK;
}

/* Host memory that the GPU writes to directly. */
static int pin(const bench_group *g, void **place, size_t bytes)
{
    (void)place, (void)bytes;
    ON_GPU(g, cudaMallocHost(place, bytes));
    return RMAT_OK;
}

static int unpin(const bench_group *g, void *place)
{
    (void)place;
    ON_GPU(g, cudaFreeHost(place));
    return RMAT_OK;
}

static int copy_to_host(const bench_group *g, void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    ON_GPU(g, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, NULL));
    return RMAT_OK;
}

static int set(const bench_group *g, void *place, size_t bytes, int threads)
{
    ON_GPU(g, cudaMemsetAsync(place, 1, bytes, NULL));
#pragma omp parallel num_threads(threads)
    {
        const size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        const size_t from = bytes / n * i, to = i + 1 < n ? from + bytes / n : bytes;

        memset((char *)place + from, 1, to - from);
    }
    return RMAT_OK;
}

static int finish(const bench_group *g)
{
    ON_GPU(g, cudaDeviceSynchronize());
    return RMAT_OK;
}

static double seconds_now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- Models --- */

/* The plain model, one for each of the model's options, and the official streams. */
static const struct {
    const char *name;
    rmat_stream stream;
    double noise;
    int permute, no_self_loops, symmetrize;
    rmat_weights weights;
    int vertices; /* 0: 2^scale; 1: 7/8 of that; 2: just above its half */
} models[] = {
    {.name = "plain"},
    {.name = "noise", .noise = 0.1},
    {.name = "permuted", .permute = 1},
    {.name = "no loops", .no_self_loops = 1},
    {.name = "both directions", .symmetrize = 1},
    {.name = "uniform weights", .weights = RMAT_WEIGHTS_UNIFORM},
    {.name = "int weights", .weights = RMAT_WEIGHTS_INT},
    {.name = "7/8 of the vertices", .vertices = 1},
    {.name = "1/2 of them and 1", .vertices = 2},
    {.name = "the same, permuted", .vertices = 2, .permute = 1},
    {.name = "graph500's stream", .stream = RMAT_STREAM_GRAPH500},
};
enum { MODELS = sizeof models / sizeof *models };

void bench_config(const bench_group *g, const bench_case *c, rmat_config *config)
{
    const uint64_t half = UINT64_C(1) << (g->scale - 1);
    const int m = c->model;

    rmat_config_default(config);
    config->stream = g->o->rows ? RMAT_STREAM_ROWS : models[m].stream;
    config->edges = config->stream == RMAT_STREAM_ROWS ? BENCH_EDGE_FACTOR * 2 * half : 0;
    config->rows_scale = config->cols_scale = g->scale;
    config->noise = models[m].noise;
    config->permute = models[m].permute;
    config->no_self_loops = models[m].no_self_loops;
    config->symmetrize = models[m].symmetrize;
    config->weights = models[m].weights;
    config->weight_min = 1;
    config->weight_max = 255;
    config->rows = config->cols = models[m].vertices == 0   ? 0
                                  : models[m].vertices == 1 ? 2 * half - half / 4
                                                            : half + 1;
    config->backend = g->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config->isa = c->isa;
    config->threads = c->threads;
    config->device = g->device;
}

/* --- Edges --- */

/* Starts making n edges, or moving as many bytes. */
static int start(bench_group *g, const bench_case *c, uint64_t n)
{
    const uint64_t first = g->next, at = c->kind == BLOCK || g->at + n > g->capacity ? 0 : g->at;
    const uint64_t bytes = n * (uint64_t)g->id_bytes, offset = at * (uint64_t)g->id_bytes;
    rmat_arrays to = {(char *)g->src + offset, (char *)g->dst + offset, NULL, g->id_bytes};

    g->at = at + n;
    g->next = first + n;
    switch (c->kind) {
    case WRITES:
        RMAT_OR_RETURN(set(g, to.src, bytes, c->threads));
        return set(g, to.dst, bytes, c->threads);
    case COPIES:
        RMAT_OR_RETURN(copy_to_host(g, g->host_src, g->src, bytes));
        return copy_to_host(g, g->host_dst, g->dst, bytes);
    case TO_HOST:
        to.src = g->host_src;
        to.dst = g->host_dst;
        return rmat_generate_arrays(c->gen, first, n, &to);
    default:
        to.weight = models[c->model].weights != RMAT_NO_WEIGHTS ? g->weight : NULL;
        return g->gpu ? rmat_generate_arrays_device(c->gen, first, n, &to, NULL)
                      : rmat_generate_arrays(c->gen, first, n, &to);
    }
}

static int measure_edges(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const double slice = g->part == PART_RANKS ? SECONDS_OF_RANKS : SECONDS_ALONE;
    const clockid_t clock = c->kind == BLOCK ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    const uint64_t n = c->kind == BLOCK                          ? PIPELINE_BLOCK
                       : c->kind == TO_HOST || c->kind == COPIES ? HOST_EDGES
                       : g->gpu || c->kind == WRITES             ? g->capacity
                                                                 : CPU_EDGES * (uint64_t)c->threads;
    int status = RMAT_OK;

    do {
        const double begun = seconds_now(clock);

        for (int i = 0; i < (g->gpu ? GPU_CALLS : 1) && status == RMAT_OK; i++) {
            status = start(g, c, n);
            *work += (double)n;
        }
        status = status == RMAT_OK ? finish(g) : status;
        *seconds += seconds_now(clock) - begun;
    } while (status == RMAT_OK && *seconds < slice && interrupt_signal() == 0);
    return bench_failed(status);
}

/* Returns the new case. */
static bench_case *add(bench_group *g, const char *name, int kind, int threads, int limit)
{
    bench_case *c = bench_add(g, name, threads, measure_edges);

    c->kind = kind;
    c->limit = limit;
    return c;
}

static void add_cases(bench_group *g)
{
    const int counts = g->threads > 1 ? 2 : 1, threads[] = {1, g->threads};

    if (g->part == PART_RANKS) {
        add(g, "one rank, times all", STORED, g->gpu ? 0 : g->threads, -1)->alone = true;
        add(g, "all ranks", STORED, g->gpu ? 0 : g->threads, 0);
    } else if (g->part == PART_MODELS) {
        for (int m = 0; m < MODELS; m++) {
            add(g, models[m].name, g->gpu ? STORED : BLOCK, !g->gpu, m > 0 ? 0 : -1)->model = m;
        }
    } else if (g->gpu) {
        add(g, "plain writes", WRITES, 0, -1);
        add(g, "plain copies to the host", COPIES, 0, -1);
        add(g, "memory", STORED, 0, 0);
        add(g, "to host", TO_HOST, 0, 1);
    } else {
        for (int k = 0; k < counts; k++) {
            add(g, "plain writes", WRITES, threads[k], -1);
        }
        for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
            for (int k = 0; k < counts && rmat_cpu_has_isa(isa); k++) {
                add(g, rmat_isa_name(isa), STORED, threads[k], k)->isa = isa;
            }
        }
    }
}

/* Far more than the caches hold, but at most a quarter of the free memory, which the ranks of a
 * host may share. */
static uint64_t choose_capacity(const bench_group *g)
{
    const uint64_t call = g->gpu ? HOST_EDGES : CPU_EDGES * (uint64_t)g->threads;
    const uint64_t edge = 2 * (uint64_t)g->id_bytes + sizeof(float);
    uint64_t room = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t n = g->gpu ? GPU_EDGES : 4 * call > HOST_EDGES ? 4 * call : HOST_EDGES;
    char why[DEVICES_TEXT];
    device_gpu gpu;

    if (g->gpu && devices_gpu(g->device, &gpu, why)) {
        room = gpu.free;
    }
    while (n > call && edge * n > room / 4 / (uint64_t)dist_local_size()) {
        n /= 2;
    }
    return n > call ? n : call;
}

static int open_memory(bench_group *g)
{
    const size_t id_bytes = (size_t)g->id_bytes;

    add_cases(g);
    RMAT_OR_RETURN(use_device(g));
    g->capacity = choose_capacity(g);
    RMAT_OR_RETURN(allocate(g, &g->src, g->capacity * id_bytes));
    RMAT_OR_RETURN(allocate(g, &g->dst, g->capacity * id_bytes));
    RMAT_OR_RETURN(set(g, g->src, g->capacity * id_bytes, g->threads));
    RMAT_OR_RETURN(set(g, g->dst, g->capacity * id_bytes, g->threads));
    if (g->part == PART_MODELS) {
        RMAT_OR_RETURN(allocate(g, &g->weight, g->capacity * sizeof(float)));
    }
    if (g->part == PART_MEMORY) {
        RMAT_OR_RETURN(pin(g, &g->host_src, HOST_EDGES * id_bytes));
        RMAT_OR_RETURN(pin(g, &g->host_dst, HOST_EDGES * id_bytes));
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

int bench_open_memory(bench_group *g)
{
    return bench_failed(open_memory(g));
}

/* --- CSR --- */

static uint64_t stream_edges(const bench_group *g)
{
    return (uint64_t)BENCH_EDGE_FACTOR << g->scale;
}

/* *add: the number of edges in earlier intervals. */
static int write_interval(const bench_group *g, uint64_t first_row, uint64_t rows, uint64_t *add)
{
    const rmat_arrays to = {.dst = g->dst, .id_bytes = g->id_bytes};
    const uint64_t edges = rmat_interval_edges(g->interval);
    uint64_t *pointers = (uint64_t *)g->src + first_row;

    RMAT_OR_RETURN(
        (g->gpu ? rmat_interval_pointers_device(g->interval, first_row, rows, *add, pointers, NULL)
                : rmat_interval_pointers(g->interval, first_row, rows, *add, pointers)));
    *add += edges;
    return g->gpu ? rmat_interval_read_device(g->interval, 0, edges, &to, NULL)
                  : rmat_interval_read(g->interval, 0, edges, &to);
}

static int make_sorted(bench_group *g)
{
    uint64_t add = 0;

    for (uint64_t i = 0; i < g->parts.n; i++) {
        RMAT_OR_RETURN(
            rmat_interval_make_part(g->interval, &g->parts, i, stream_edges(g), g->o->unique));

        const rmat_cell first = g->parts.cells[i], end = g->parts.cells[i + 1];

        RMAT_OR_RETURN(write_interval(g, first.src, end.src + (end.dst > 0) + 1 - first.src, &add));
    }
    return RMAT_OK;
}

/* Rank 0 counts the edges of the whole stream, because the ranks together make it once. */
static int measure_csr(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const rmat_csr_spec spec = {
        .edges = stream_edges(g), .unique = g->o->unique, .id_bytes = g->id_bytes};
    const double begun = seconds_now(CLOCK_MONOTONIC);
    rmat_csr csr = {.pointers = NULL};
    int status = g->interval != NULL ? make_sorted(g)
                 : g->gpu ? rmat_csr_rank_device(c->gen, dist_rank(), dist_size(), &spec, &csr)
                          : rmat_csr_rank(c->gen, dist_rank(), dist_size(), &spec, &csr);

    status = status == RMAT_OK ? finish(g) : status;
    *seconds = seconds_now(CLOCK_MONOTONIC) - begun;
    *work = dist_rank() == 0 ? (double)spec.edges : 0;
    if (g->gpu) {
        rmat_csr_free_device(c->gen, &csr);
    } else {
        rmat_csr_free(&csr);
    }
    return status == RMAT_ERR_STOPPED ? EXIT_OK /* the turns report the signal */
                                      : bench_failed(status);
}

static int stop_at_signal(void *state)
{
    (void)state;
    return interrupt_signal();
}

/* Allocates an interval and its column numbers for a part of the graph.  Parts differ in size. */
static int allocate_interval(bench_group *g, const rmat_gen *gen)
{
    uint64_t edges = stream_edges(g), bytes;
    int status;

    edges = g->parts.n == 1 ? edges : edges / g->parts.n / 8 * 9;
    edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
    RMAT_OR_RETURN(rmat_interval_bytes(gen, edges, &bytes));
    RMAT_OR_RETURN(allocate(g, &g->dst, edges * (uint64_t)g->id_bytes));
    status = rmat_interval_create(&g->interval, gen, bytes);
    if (status != RMAT_OK) {
        (void)release(g, g->dst);
        g->dst = NULL;
    }
    return status;
}

static int open_csr(bench_group *g)
{
    const bool rows = g->o->rows != 0;
    bench_case *c = bench_add(g, rows ? "rows" : "intervals", g->gpu ? 0 : g->threads, measure_csr);
    rmat_sample *sample;
    rmat_config config;
    int status;

    bench_config(g, c, &config);
    config.stop = stop_at_signal;
    RMAT_OR_RETURN(use_device(g));
    RMAT_OR_RETURN(rmat_create(&c->gen, &config));
    if (rows) {
        return RMAT_OK;
    }
    RMAT_OR_RETURN(allocate(g, &g->src, ((UINT64_C(1) << g->scale) + 1) * sizeof(uint64_t)));
    do {
        g->parts.n++;
        status = allocate_interval(g, c->gen);
    } while (status == RMAT_ERR_NOMEM && g->parts.n < 64);
    RMAT_OR_RETURN(status);
    g->parts.cells = malloc((g->parts.n + 1) * sizeof *g->parts.cells);
    RMAT_OR_RETURN(g->parts.cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_OR_RETURN(rmat_sample_create_from(&sample, c->gen, 0));
    status = rmat_sample_cut(sample, (double)stream_edges(g), 0, g->parts.n, g->parts.cells);
    rmat_sample_destroy(sample);
    return status;
}

int bench_open_csr(bench_group *g)
{
    return bench_failed(open_csr(g));
}

void bench_release(bench_group *g)
{
    void *const arrays[] = {g->src, g->dst, g->weight};

    for (int i = 0; i < 3; i++) {
        (void)release(g, arrays[i]);
    }
    (void)unpin(g, g->host_src);
    (void)unpin(g, g->host_dst);
    rmat_interval_destroy(g->interval);
    free(g->parts.cells);
    free(g->data);
    for (int i = 0; i < g->n_cases; i++) {
        rmat_destroy(g->cases[i].gen);
    }
}
