/*
 * Edges in memory by instruction set, threads, scale and width of ids, beside plain writes.
 *
 * A measurement fills pieces of two arrays far larger than the caches, one behind another and round
 * again, for a slice of time.  All kinds of one scale and width take turns with the limit: as many
 * threads that set the same memory.
 */
#include "apps/bench/bench.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE      ((uint64_t)1 << 20) /* edges per thread in one call */
#define WAKE       ((uint64_t)1 << 14) /* and in the one that wakes the threads */
#define LIMIT_PART ((size_t)4 << 20)   /* bytes set in one go */
#define LEAST      ((uint64_t)1 << 24) /* edges of the arrays */

enum { MAX_ROWS = 2 * RMAT_ISA_AVX512 };

typedef struct {
    const bench_job *job;
    double slice;
    int turns;
    char *src, *dst;
    uint64_t capacity, at; /* edges with ids of 8 bytes */
    int n_threads, threads[2];
    bench_row rows[MAX_ROWS];
    int n_rows;
    double limits[2][BENCH_SCALES][BENCH_MAX_TURNS];
} memory_bench;

/* The next piece of the arrays, and the number of its first edge. */
static uint64_t advance(memory_bench *b, uint64_t n)
{
    uint64_t at = b->at + n <= b->capacity ? b->at : 0;

    b->at = at + n;
    return at;
}

static int generate(memory_bench *b, const rmat_gen *gen, uint64_t n, int id_bytes)
{
    uint64_t at = advance(b, n);
    char *src = b->src + at * (uint64_t)id_bytes, *dst = b->dst + at * (uint64_t)id_bytes;

    return id_bytes == 4 ? rmat_generate32(gen, at, n, (uint32_t *)src, (uint32_t *)dst)
                         : rmat_generate(gen, at, n, (uint64_t *)src, (uint64_t *)dst);
}

/* Edges per second. */
static int measure(memory_bench *b, const rmat_gen *gen, int threads, int id_bytes, double *rate)
{
    uint64_t piece = PIECE * (uint64_t)threads, edges = 0;
    int status = generate(b, gen, WAKE * (uint64_t)threads, id_bytes);
    double start = clock_seconds(), seconds = 0;

    while (status == RMAT_OK && interrupt_signal() == 0 && (edges == 0 || seconds < b->slice)) {
        status = generate(b, gen, piece, id_bytes);
        edges += piece;
        seconds = clock_seconds() - start;
    }
    *rate = (double)edges / seconds;
    return status;
}

/* Every thread sets its own part of both arrays, again and again; the edges that would be. */
static double measure_limit(memory_bench *b, int threads, int id_bytes)
{
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
        } while (seconds < b->slice && interrupt_signal() == 0);
    }
    return (double)written / seconds / (2 * id_bytes);
}

/* All kinds at one scale. */
static int measure_scale(memory_bench *b, int s, int id_bytes)
{
    rmat_gen *gens[MAX_ROWS] = {NULL};
    rmat_config config;
    int status = RMAT_OK;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = bench_scales[s];
    config.backend = RMAT_BACKEND_CPU;
    for (int r = 0; r < b->n_rows && status == RMAT_OK; r++) {
        config.isa = (rmat_isa)(RMAT_ISA_GENERIC + r / b->n_threads);
        config.threads = b->rows[r].threads;
        status = rmat_create(&gens[r], &config);
    }
    for (int turn = 0; turn < b->turns; turn++) {
        for (int k = 0; k < b->n_threads && status == RMAT_OK; k++) {
            b->limits[k][s][turn] = measure_limit(b, b->threads[k], id_bytes);
        }
        for (int r = 0; r < b->n_rows && status == RMAT_OK; r++) {
            status = measure(b, gens[r], b->rows[r].threads, id_bytes, &b->rows[r].rates[s][turn]);
            b->rows[r].limits[s][turn] = b->limits[r % b->n_threads][s][turn];
        }
    }
    for (int r = 0; r < b->n_rows; r++) {
        rmat_destroy(gens[r]);
    }
    return status;
}

static void make_rows(memory_bench *b)
{
    int all = b->job->threads;

    b->threads[b->n_threads++] = 1;
    if (all > 1) {
        b->threads[b->n_threads++] = all;
    }
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_AVX512; isa++) {
        for (int k = 0; k < b->n_threads && rmat_cpu_has_isa(isa); k++) {
            b->rows[b->n_rows++] = (bench_row){.backend = "cpu",
                                               .variant = rmat_isa_name(isa),
                                               .threads = b->threads[k],
                                               .limit_name = "memory written by as many threads"};
        }
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
    uint64_t piece = PIECE * (uint64_t)b->job->threads, available;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    /* Far beyond the caches of as many cores, but within a quarter of the memory. */
    b->capacity = 4 * piece > LEAST ? 4 * piece : LEAST / piece * piece;
    available = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    while (b->capacity > piece && 2 * sizeof(uint64_t) * b->capacity > available / 4) {
        b->capacity = (b->capacity / 2 + piece - 1) / piece * piece;
    }
    b->src = malloc(b->capacity * sizeof(uint64_t));
    b->dst = malloc(b->capacity * sizeof(uint64_t));
    if (b->src == NULL || b->dst == NULL) {
        return RMAT_ERR_NOMEM;
    }
    touch(b->src, b->capacity * sizeof(uint64_t), b->job->threads);
    touch(b->dst, b->capacity * sizeof(uint64_t), b->job->threads);
    return RMAT_OK;
}

int bench_memory(const bench_job *job, double seconds)
{
    memory_bench b = {.job = job};
    int status, kinds;
    json_object rows;

    make_rows(&b);
    kinds = (b.n_rows + b.n_threads) * (bench_row_scales(4) + bench_row_scales(8));
    b.slice = bench_slice(seconds, kinds, &b.turns);
    status = allocate(&b);
    fprintf(job->table, "Edges/s into memory, median of %d\n", b.turns);
    json_u64(job->json, "turns", (uint64_t)b.turns);
    bench_rows_begin(job, "memory", &rows);
    for (int id_bytes = 4; id_bytes <= 8 && status == RMAT_OK; id_bytes += 4) {
        for (int s = 0; s < bench_row_scales(id_bytes) && status == RMAT_OK; s++) {
            status = measure_scale(&b, s, id_bytes);
        }
        for (int r = 0; r < b.n_rows && status == RMAT_OK && interrupt_signal() == 0; r++) {
            b.rows[r].id_bytes = id_bytes;
            bench_row_print(job, &b.rows[r], b.turns, &rows);
        }
    }
    bench_rows_end(job, &rows);
    free(b.src);
    free(b.dst);
    if (interrupt_signal() != 0) {
        return bench_stopped();
    }
    return status == RMAT_OK ? EXIT_OK : runtime_error("bench", "%s", rmat_strerror(status));
}
