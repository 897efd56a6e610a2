/*
 * Edges per second in memory.
 *
 *   stored  one call fills two arrays far larger than the caches, by 1, 2, ... threads
 *   block   one thread makes the same edges block by block in one buffer that stays in the cache:
 *           what a caller sees who uses up the edges at once, as the pipeline does
 *
 * The kinds of one (instruction set, scale, id width) take turns, so that a machine that slows down
 * meanwhile slows all of them down; the speed-up is the median over the turns.
 */
#include "apps/bench/rmat.h"
#include "apps/bench/util.h"
#include "apps/common/message.h"
#include "apps/engine/pipeline/cpu.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    const bench_options *options;
    FILE *json;
    void *src, *dst;
    rmat_gen *gens[BENCH_LIST + 1]; /* one per thread count, then the one for blocks */
    double *seconds;                /* [kind][run] */
    double *scratch;                /* [run] */
    size_t rows;
    uint64_t sum; /* kept, so that the hashing is */
} memory_bench;

static int generate(const rmat_gen *gen, uint64_t first, uint64_t count, void *src, void *dst,
                    int id_bytes)
{
    return id_bytes == 4 ? rmat_generate32(gen, first, count, src, dst)
                         : rmat_generate(gen, first, count, src, dst);
}

/* Edges 0, 1, ... at most `block` at a time, all to the start of the arrays. */
static int measure(const memory_bench *b, const rmat_gen *gen, uint64_t block, int id_bytes,
                   double *seconds)
{
    uint64_t edges = b->options->edges;
    double start = bench_now();
    int status = RMAT_OK;

    for (uint64_t at = 0; at < edges && status == RMAT_OK; at += block) {
        uint64_t n = edges - at < block ? edges - at : block;

        status = generate(gen, at, n, b->src, b->dst, id_bytes);
    }
    *seconds = bench_now() - start;
    return status;
}

/* Of one kind; or, with one_thread, how many times faster it is. */
static bench_stats summary(const memory_bench *b, size_t kind, const double *one_thread)
{
    uint64_t runs = b->options->runs;

    for (uint64_t run = 0; run < runs; run++) {
        double seconds = b->seconds[kind * runs + run];

        b->scratch[run] = one_thread != NULL ? one_thread[run] / seconds : seconds;
    }
    return bench_summary(b->scratch, runs);
}

static void print_row(memory_bench *b, rmat_isa isa, int scale, int id_bytes, size_t kind,
                      const double *one_thread)
{
    const bench_options *o = b->options;
    bool blocks = kind == o->n_threads;
    uint64_t threads = blocks ? 1 : o->threads[kind];
    double edges = (double)o->edges;
    bench_stats s = summary(b, kind, NULL);
    char speedup[32] = "null";

    if (one_thread != NULL) {
        snprintf(speedup, sizeof speedup, "%.3f", summary(b, kind, one_thread).median);
    }
    fprintf(stderr, "%-8s %5d %4d  %-6s %7" PRIu64 " %9.1f %9.1f %9.1f %8s\n", rmat_isa_name(isa),
            scale, 8 * id_bytes, blocks ? "block" : "stored", threads, 1e-6 * edges / s.median,
            1e-6 * edges / s.min, 1e-6 * edges / s.max, one_thread != NULL ? speedup : "");
    fprintf(b->json,
            "%s{\"isa\": \"%s\", \"scale\": %d, \"id_bits\": %d, \"mode\": \"%s\", "
            "\"threads\": %" PRIu64 ", \"seconds_min\": %.9f, \"seconds_median\": %.9f, "
            "\"seconds_max\": %.9f, \"edges_per_second\": %.0f, \"speedup\": %s}",
            b->rows++ > 0 ? ",\n  " : "", rmat_isa_name(isa), scale, 8 * id_bytes,
            blocks ? "block" : "stored", threads, s.min, s.median, s.max, edges / s.median,
            speedup);
}

/* All kinds of one instruction set, scale and id width. */
static int bench_group(memory_bench *b, rmat_isa isa, int scale, int id_bytes)
{
    const bench_options *o = b->options;
    size_t kinds = o->n_threads + 1;
    rmat_config config;
    double *one_thread = NULL;
    int status = RMAT_OK;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.backend = RMAT_BACKEND_CPU;
    config.isa = isa;
    for (size_t k = 0; k < kinds && status == RMAT_OK; k++) {
        config.threads = k < o->n_threads ? (int)o->threads[k] : 1;
        status = rmat_create(&b->gens[k], &config);
    }
    for (uint64_t turn = 0; turn <= o->runs && status == RMAT_OK; turn++) {
        for (size_t k = 0; k < kinds && status == RMAT_OK; k++) {
            uint64_t block = k < o->n_threads ? o->edges : PIPELINE_BLOCK;
            double seconds;

            status = measure(b, b->gens[k], block, id_bytes, &seconds);
            if (turn > 0) { /* the first one warms up */
                b->seconds[k * o->runs + turn - 1] = seconds;
            }
        }
    }
    for (size_t k = 0; k < o->n_threads; k++) {
        if (o->threads[k] == 1) {
            one_thread = b->seconds + k * o->runs;
        }
    }
    for (size_t k = 0; k < kinds && status == RMAT_OK; k++) {
        print_row(b, isa, scale, id_bytes, k, k < o->n_threads ? one_thread : NULL);
    }
    for (size_t k = 0; k < kinds; k++) {
        rmat_destroy(b->gens[k]);
        b->gens[k] = NULL;
    }
    return status;
}

/* One thread over a block that stays in the cache. */
static void bench_fingerprint(memory_bench *b, int id_bytes)
{
    const bench_options *o = b->options;
    uint64_t block = o->edges < PIPELINE_BLOCK ? o->edges : PIPELINE_BLOCK;
    uint64_t blocks = o->edges / block;
    double edges = (double)(blocks * block);
    bench_stats s;

    for (uint64_t turn = 0; turn <= o->runs; turn++) {
        double start = bench_now();

        for (uint64_t i = 0; i < blocks; i++) {
            b->sum += rmat_fingerprint(b->src, b->dst, block, id_bytes);
        }
        if (turn > 0) {
            b->scratch[turn - 1] = bench_now() - start;
        }
    }
    s = bench_summary(b->scratch, o->runs);
    fprintf(stderr, "fingerprint    %4d  block        1 %9.1f %9.1f %9.1f\n", 8 * id_bytes,
            1e-6 * edges / s.median, 1e-6 * edges / s.min, 1e-6 * edges / s.max);
    fprintf(b->json,
            "%s{\"id_bits\": %d, \"seconds_min\": %.9f, \"seconds_median\": %.9f, "
            "\"seconds_max\": %.9f, \"edges_per_second\": %.0f}",
            id_bytes == 4 ? "" : ", ", 8 * id_bytes, s.min, s.median, s.max, edges / s.median);
}

int bench_rmat_memory(const bench_options *o, FILE *json)
{
    memory_bench b = {.options = o, .json = json};
    int status = RMAT_OK;

    b.src = malloc(o->edges * sizeof(uint64_t));
    b.dst = malloc(o->edges * sizeof(uint64_t));
    b.seconds = calloc((o->n_threads + 1) * o->runs, sizeof *b.seconds);
    b.scratch = calloc(o->runs, sizeof *b.scratch);
    if (b.src == NULL || b.dst == NULL || b.seconds == NULL || b.scratch == NULL) {
        status = RMAT_ERR_NOMEM;
        goto done;
    }
    fprintf(stderr,
            "In memory, %" PRIu64 " edges at a time, median of %" PRIu64 ", M edges/s\n"
            "isa      scale bits  mode   threads    median      best     worst  speedup\n",
            o->edges, o->runs);
    fprintf(json, ",\n\"edges\": %" PRIu64 ", \"block_edges\": %d, \"memory\": [\n  ", o->edges,
            PIPELINE_BLOCK);
    for (size_t i = 0; i < o->n_isas; i++) {
        for (size_t s = 0; s < o->n_scales; s++) {
            int scale = (int)o->scales[s];

            if (scale <= 32 && status == RMAT_OK) {
                status = bench_group(&b, o->isas[i], scale, 4);
            }
            if (status == RMAT_OK) {
                status = bench_group(&b, o->isas[i], scale, 8);
            }
        }
    }
    fprintf(json, "],\n\"fingerprint\": [");
    bench_fingerprint(&b, 4);
    bench_fingerprint(&b, 8);
    fprintf(json, "]");
done:
    free(b.src);
    free(b.dst);
    free(b.seconds);
    free(b.scratch);
    if (status != RMAT_OK) {
        fprintf(stderr, "bench_rmat: %s\n", rmat_strerror(status));
    }
    return status == RMAT_OK ? EXIT_OK : EXIT_RUNTIME;
}
