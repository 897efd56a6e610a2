/*
 * Edges into host memory: by instruction set and number of threads, beside plain writes by as many
 * threads; and by model, beside the plain graph.
 *
 *   stored       pieces of two arrays far larger than the caches, one behind another
 *   block        one thread makes block after block into a buffer that stays in its cache, as the
 *                pipeline does; the time is that of its processor, so that neighbours do not count
 *   fingerprint  of such a block, in the same way
 */
#include "apps/bench/models.h"
#include "apps/bench/table.h"
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

enum { LIMIT, STORED, BLOCK, FINGERPRINT };

typedef struct {
    bench_table table;
    char *src, *dst;
    float *weight;         /* of a block */
    uint64_t capacity, at; /* of the arrays, in edges with wide ids; the next to be written */
    uint64_t next;         /* edge of the stream */
    uint64_t sum;          /* of fingerprints: kept, so that they are computed */
} memory_bench;

static bool in_cache(const table_row *row)
{
    return row->kind == BLOCK || row->kind == FINGERPRINT;
}

/* The place of the next n edges in the arrays, which are filled over and over again. */
static uint64_t advance(memory_bench *b, uint64_t n)
{
    uint64_t at = b->at + n <= b->capacity ? b->at : 0;

    b->at = at + n;
    return at;
}

static int make(memory_bench *b, const table_row *row, uint64_t n)
{
    const uint64_t id_bytes = (uint64_t)b->table.id_bytes;
    uint64_t at, first = b->next;
    rmat_arrays to;

    if (row->kind == FINGERPRINT) {
        b->sum += rmat_fingerprint(b->src, b->dst, n, b->table.id_bytes);
        return RMAT_OK;
    }
    at = row->kind == BLOCK ? 0 : advance(b, n) * id_bytes;
    to = (rmat_arrays){.src = b->src + at, .dst = b->dst + at, .id_bytes = b->table.id_bytes};
    if (bench_model_has_weights(row->model)) {
        to.weight = b->weight;
    }
    b->next += n;
    return rmat_generate_arrays(row->gen, first, n, &to);
}

/* Every thread sets its own part of both arrays, again and again; the edges that would be. */
static double measure_limit(const memory_bench *b, int threads)
{
    const bench_table *t = &b->table;
    size_t bytes = (size_t)b->capacity * sizeof(uint64_t), written = 0;
    double start = clock_seconds(), seconds = 0;

#pragma omp parallel num_threads(threads) reduction(+ : written) reduction(max : seconds)
    {
        size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        size_t from = bytes * i / n, to = bytes * (i + 1) / n, at = from;

        do {
            size_t part = to - at < LIMIT_PART ? to - at : LIMIT_PART;

            memset(b->src + at, 1, part);
            memset(b->dst + at, 2, part);
            written += 2 * part;
            at = at + part < to ? at + part : from;
            seconds = clock_seconds() - start;
        } while (table_goes_on(t, n * written / (2 * (size_t)t->id_bytes), seconds));
    }
    return (double)written / seconds / (2 * t->id_bytes);
}

static double now(bool of_thread)
{
    struct timespec t;

    clock_gettime(of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(bench_table *t, const table_row *row, double *rate)
{
    memory_bench *b = t->state;
    const uint64_t threads = (uint64_t)row->threads;
    const uint64_t most = in_cache(row) ? PIPELINE_BLOCK : PIECE * threads;
    uint64_t edges = 0;
    double start, seconds = 0;
    int status;

    if (row->kind == LIMIT) {
        *rate = measure_limit(b, row->threads);
        return EXIT_OK;
    }
    status = make(b, row, WAKE * threads);
    start = now(in_cache(row));
    while (status == RMAT_OK && table_goes_on(t, edges, seconds)) {
        uint64_t n = table_piece(t, edges, most);

        status = make(b, row, n);
        edges += n;
        seconds = now(in_cache(row)) - start;
    }
    *rate = (double)edges / seconds;
    return bench_failed(status);
}

static void add_isa(bench_table *t, rmat_isa isa, int thread_counts)
{
    const char *const blocks[] = {"", "generic block", "avx2 block", "avx512 block", "neon block"};
    int one_thread = t->n_rows;

    for (int k = 0; k < thread_counts; k++) {
        table_row *row = table_add(t, rmat_isa_name(isa), STORED);

        row->generates = true;
        row->isa = isa;
        row->threads = t->rows[k].threads;
        row->limit = k;
        row->one_thread = one_thread;
    }
    if (t->job->o->detail) {
        table_row *row = table_add(t, blocks[isa], BLOCK);

        row->generates = true;
        row->isa = isa;
        row->threads = 1;
    }
}

static void add_limit(bench_table *t, int threads)
{
    table_row *row = table_add(t, "memory written by as many threads", LIMIT);

    row->threads = threads;
    row->hidden = true;
}

static void add_memory(bench_table *t)
{
    const bench_job *job = t->job;
    const int thread_counts = job->threads > 1 ? 2 : 1;

    add_limit(t, 1);
    if (thread_counts == 2) {
        add_limit(t, job->threads);
    }
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa) && (job->isa == RMAT_ISA_AUTO || job->isa == isa)) {
            add_isa(t, isa, thread_counts);
        }
    }
    if (job->o->detail) {
        table_add(t, "fingerprint", FINGERPRINT)->threads = 1;
    }
}

static void add_models(bench_table *t)
{
    for (int m = 0; m < BENCH_MODELS; m++) {
        table_row *row = table_add(t, bench_model_name(m), BLOCK);

        row->generates = true;
        row->model = m;
        row->isa = t->job->isa;
        row->threads = 1;
        row->limit = 0;
    }
}

/* Pages come into being when they are first written. */
static void touch(char *memory, size_t bytes, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (size_t at = 0; at < bytes; at += LIMIT_PART) {
        memset(memory + at, 0, bytes - at < LIMIT_PART ? bytes - at : LIMIT_PART);
    }
}

static int allocate(memory_bench *b)
{
    const int threads = b->table.job->threads;
    uint64_t piece = PIECE * (uint64_t)threads, available;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    /* Far beyond the caches of as many cores, but within a quarter of the memory. */
    b->capacity = 4 * piece > LEAST ? 4 * piece : LEAST / piece * piece;
    available = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    while (b->capacity > piece && 2 * sizeof(uint64_t) * b->capacity > available / 4) {
        b->capacity = (b->capacity / 2 + piece - 1) / piece * piece;
    }
    b->src = aligned_alloc(ALIGNMENT, b->capacity * sizeof(uint64_t));
    b->dst = aligned_alloc(ALIGNMENT, b->capacity * sizeof(uint64_t));
    b->weight = aligned_alloc(ALIGNMENT, PIPELINE_BLOCK * sizeof(float));
    if (b->src == NULL || b->dst == NULL || b->weight == NULL) {
        return RMAT_ERR_NOMEM;
    }
    touch(b->src, b->capacity * sizeof(uint64_t), threads);
    touch(b->dst, b->capacity * sizeof(uint64_t), threads);
    return RMAT_OK;
}

int bench_cpu(const bench_job *job, bool models, double seconds)
{
    memory_bench *b = calloc(1, sizeof *b);
    bench_table *t = &b->table;
    int status;

    if (b == NULL) {
        return bench_failed(RMAT_ERR_NOMEM);
    }
    *t = (bench_table){.job = job,
                       .title = models ? "Edges/s by model, one thread" : "Edges/s into memory",
                       .key = models ? "models" : "memory",
                       .prefix = !models,
                       .measure = measure,
                       .state = b};
    if (models) {
        add_models(t);
    } else {
        add_memory(t);
    }
    status = bench_failed(allocate(b));
    if (status == EXIT_OK) {
        status = table_run(t, seconds);
    }
    free(b->src);
    free(b->dst);
    free(b->weight);
    free(b);
    return status;
}
