/*
 * Cases of host memory: edges by instruction set and number of threads, beside plain writes by as
 * many threads; by model, beside the plain graph; and by all threads of a rank.
 *
 *   stored  pieces of two arrays far larger than the caches, one after the other
 *   block   one thread makes block after block into a buffer that stays in its cache, as the
 *           pipeline does; the time is that of its processor, so that other processes do not count
 */
#include "apps/bench/bench.h"
#include "apps/common/clock.h"
#include "apps/engine/pipeline/cpu.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE      ((uint64_t)1 << 20) /* edges per thread in one call */
#define WAKE       ((uint64_t)1 << 14) /* and in the one that wakes the threads */
#define LIMIT_PART ((size_t)4 << 20)   /* bytes set in one go */
#define LEAST      ((uint64_t)1 << 24) /* edges of the arrays */
#define ALIGNMENT  64                  /* of the arrays: a vector of AVX-512 */

enum { LIMIT, STORED, BLOCK };

typedef struct {
    char *src, *dst;
    float *weight;         /* of a block */
    uint64_t capacity, at; /* of the arrays, in edges with wide ids; the next to be written */
    uint64_t next;         /* edge of the stream */
} cpu_state;

/* The place of the next n edges in the arrays, which are filled over and over again. */
static uint64_t next_place(cpu_state *s, uint64_t n)
{
    uint64_t at = s->at + n <= s->capacity ? s->at : 0;

    s->at = at + n;
    return at;
}

static int make_cpu_edges(const bench_table *t, const bench_case *c, uint64_t n)
{
    const uint64_t id_bytes = (uint64_t)t->id_bytes;
    cpu_state *s = t->state;
    const uint64_t at = c->kind == BLOCK ? 0 : next_place(s, n) * id_bytes, first = s->next;
    rmat_arrays to = {.src = s->src + at, .dst = s->dst + at, .id_bytes = t->id_bytes};

    if (bench_model_has_weights(c->model)) {
        to.weight = s->weight;
    }
    s->next += n;
    return rmat_generate_arrays(c->gen, first, n, &to);
}

/* Every thread sets its own part of both arrays, again and again: the bytes of so many edges. */
static int measure_memory_writes(bench_table *t, const bench_case *c, bench_sample *sample)
{
    const cpu_state *s = t->state;
    size_t bytes = (size_t)s->capacity * sizeof(uint64_t), written = 0;
    double start = clock_seconds(), seconds = 0;

#pragma omp parallel num_threads(c->threads) reduction(+ : written) reduction(max : seconds)
    {
        size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        size_t from = bytes * i / n, to = bytes * (i + 1) / n, at = from;

        do {
            size_t part = to - at < LIMIT_PART ? to - at : LIMIT_PART;

            memset(s->src + at, 1, part);
            memset(s->dst + at, 2, part);
            written += 2 * part;
            at = at + part < to ? at + part : from;
            seconds = clock_seconds() - start;
        } while (table_goes_on(t, n * written / (2 * (size_t)t->id_bytes), seconds));
    }
    *sample = (bench_sample){(double)written / (2 * t->id_bytes), seconds};
    return RMAT_OK;
}

static double cpu_clock_seconds(bool of_thread)
{
    struct timespec t;

    clock_gettime(of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure_cpu_edges(bench_table *t, const bench_case *c, bench_sample *sample)
{
    const bool block = c->kind == BLOCK;
    const uint64_t threads = (uint64_t)c->threads;
    const uint64_t most = block ? PIPELINE_BLOCK : PIECE * threads;
    uint64_t edges = 0;
    double seconds = 0;
    int status = make_cpu_edges(t, c, WAKE * threads);
    const double start = cpu_clock_seconds(block);

    while (status == RMAT_OK && table_goes_on(t, edges, seconds)) {
        uint64_t n = table_piece(t, edges, most);

        status = make_cpu_edges(t, c, n);
        edges += n;
        seconds = cpu_clock_seconds(block) - start;
    }
    *sample = (bench_sample){(double)edges, seconds};
    return status;
}

static bench_case *add_edges_case(bench_table *t, const char *name, int kind, rmat_isa isa,
                                  int threads)
{
    bench_case *c = table_add(t, name, kind);

    c->run = measure_cpu_edges;
    c->generates = true;
    c->isa = isa;
    c->threads = threads;
    return c;
}

static void add_writes_case(bench_table *t, int threads)
{
    bench_case *c = table_add(t, "memory written by as many threads", LIMIT);

    c->run = measure_memory_writes;
    c->threads = threads;
    c->hidden = true;
}

static void add_isa_cases(bench_table *t, rmat_isa isa, int thread_counts)
{
    const int one_thread = t->n_cases;

    for (int k = 0; k < thread_counts; k++) {
        bench_case *c = add_edges_case(t, rmat_isa_name(isa), STORED, isa, t->cases[k].threads);

        c->limit = k;
        c->one_thread = one_thread;
    }
}

static void add_memory_cases(bench_table *t)
{
    const int threads = t->job->threads, thread_counts = threads > 1 ? 2 : 1;
    const rmat_isa asked = (rmat_isa)t->job->o->isa;

    add_writes_case(t, 1);
    if (thread_counts == 2) {
        add_writes_case(t, threads);
    }
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa) && (asked == RMAT_ISA_AUTO || asked == isa)) {
            add_isa_cases(t, isa, thread_counts);
        }
    }
}

static void add_cpu_cases(bench_table *t)
{
    const rmat_isa isa = (rmat_isa)t->job->o->isa;

    if (t->part == PART_RANKS) {
        add_edges_case(t, "memory", STORED, isa, t->job->threads);
    } else if (t->part == PART_MEMORY) {
        add_memory_cases(t);
    }
    for (int m = 0; m < BENCH_MODELS && t->part == PART_MODELS; m++) {
        bench_case *c = add_edges_case(t, bench_model_name(m), BLOCK, isa, 1);

        c->model = m;
        c->limit = 0;
    }
}

/* Pages come into being when they are first written. */
static void touch_pages(char *memory, size_t bytes, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (size_t at = 0; at < bytes; at += LIMIT_PART) {
        memset(memory + at, 0, bytes - at < LIMIT_PART ? bytes - at : LIMIT_PART);
    }
}

static int open_cpu(bench_table *t)
{
    const int threads = t->job->threads;
    uint64_t piece = PIECE * (uint64_t)threads, available;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    cpu_state *s = t->state = calloc(1, sizeof *s);

    if (s == NULL) {
        return RMAT_ERR_NOMEM;
    }
    add_cpu_cases(t);
    /* Far beyond the caches of as many cores, but within a quarter of the memory. */
    s->capacity = 4 * piece > LEAST ? 4 * piece : LEAST / piece * piece;
    available = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    while (s->capacity > piece && 2 * sizeof(uint64_t) * s->capacity > available / 4) {
        s->capacity = (s->capacity / 2 + piece - 1) / piece * piece;
    }
    s->src = aligned_alloc(ALIGNMENT, s->capacity * sizeof(uint64_t));
    s->dst = aligned_alloc(ALIGNMENT, s->capacity * sizeof(uint64_t));
    s->weight = aligned_alloc(ALIGNMENT, PIPELINE_BLOCK * sizeof(float));
    if (s->src == NULL || s->dst == NULL || s->weight == NULL) {
        return RMAT_ERR_NOMEM;
    }
    touch_pages(s->src, s->capacity * sizeof(uint64_t), threads);
    touch_pages(s->dst, s->capacity * sizeof(uint64_t), threads);
    return RMAT_OK;
}

static void close_cpu(bench_table *t)
{
    cpu_state *s = t->state;

    if (s != NULL) {
        free(s->src);
        free(s->dst);
        free(s->weight);
    }
    free(s);
}

static int allocate_on_host(void **place, size_t bytes)
{
    *place = malloc(bytes);
    return *place != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static int wait_for_nothing(void)
{
    return RMAT_OK;
}

const bench_backend bench_cpu_backend = {allocate_on_host, free, wait_for_nothing, open_cpu,
                                         close_cpu};
