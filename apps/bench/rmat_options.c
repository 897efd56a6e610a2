/*
 * What the model's options cost on the CPU: each beside the plain graph of the same scale, in
 * turns, as a rate and as a ratio within a turn.  One thread fills a block that stays in its cache,
 * with the last of the instruction sets.  Rates are of edges as they are stored, two for each drawn
 * one where reverse edges are made as well.  Seconds are those of the processor that the thread
 * had, so that neighbours do not count.
 */
#include "apps/bench/rmat.h"
#include "apps/bench/rmat_models.h"
#include "apps/bench/util.h"
#include "apps/common/message.h"
#include "apps/engine/pipeline/cpu.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const bench_options *options;
    FILE *json;
    void *src, *dst, *weight; /* of a block */
    double *seconds;          /* [model][run]; then plain ones, in order, and ratios: [run] each */
    size_t rows;
} options_bench;

static double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(const options_bench *b, const rmat_gen *gen, bool weights, int id_bytes,
                   double *seconds)
{
    const rmat_arrays to = {b->src, b->dst, weights ? b->weight : NULL, id_bytes};
    const uint64_t edges = b->options->edges;
    double start = processor_time();
    int status = RMAT_OK;

    for (uint64_t at = 0; at < edges && status == RMAT_OK; at += PIPELINE_BLOCK) {
        uint64_t n = edges - at < PIPELINE_BLOCK ? edges - at : PIPELINE_BLOCK;

        status = rmat_generate_arrays(gen, at, n, &to);
    }
    *seconds = processor_time() - start;
    return status;
}

static void print_row(options_bench *b, const char *name, rmat_isa isa, int scale, int id_bytes,
                      double *seconds)
{
    const uint64_t runs = b->options->runs;
    double *plain = b->seconds + BENCH_MODELS * runs, *ratio = plain + runs;
    double edges = (double)b->options->edges;
    bench_stats r, s;

    for (uint64_t i = 0; i < runs; i++) {
        ratio[i] = seconds[i] / plain[i];
    }
    r = bench_summary(ratio, runs);
    s = bench_summary(seconds, runs);
    fprintf(stderr, "%-20s %5d %4d %9.1f %9.1f %9.3f %9.3f %9.3f\n", name, scale, 8 * id_bytes,
            1e-6 * edges / s.median, 1e-6 * edges / s.min, r.median, r.min, r.max);
    fprintf(b->json,
            "%s{\"model\": \"%s\", \"isa\": \"%s\", \"scale\": %d, \"id_bits\": %d, "
            "\"edges_per_second\": %.0f, \"time_over_plain\": %.4f, \"least\": %.4f, "
            "\"most\": %.4f}",
            b->rows++ > 0 ? ",\n  " : "", name, rmat_isa_name(isa), scale, 8 * id_bytes,
            edges / s.median, r.median, r.min, r.max);
}

static int bench_width(options_bench *b, rmat_isa isa, int scale, int id_bytes)
{
    const uint64_t runs = b->options->runs;
    rmat_gen *gen[BENCH_MODELS] = {NULL};
    const char *names[BENCH_MODELS];
    rmat_config c[BENCH_MODELS];
    int status = RMAT_OK;

    for (int m = 0; m < BENCH_MODELS && status == RMAT_OK; m++) {
        names[m] = bench_model(m, scale, &c[m]);
        c[m].isa = isa;
        c[m].threads = 1;
        status = rmat_create(&gen[m], &c[m]);
    }
    for (uint64_t turn = 0; turn <= runs && status == RMAT_OK; turn++) {
        for (int m = 0; m < BENCH_MODELS && status == RMAT_OK; m++) {
            double seconds;

            status = measure(b, gen[m], c[m].weights != RMAT_NO_WEIGHTS, id_bytes, &seconds);
            if (turn > 0) { /* the first one warms up */
                b->seconds[(uint64_t)m * runs + turn - 1] = seconds;
            }
        }
    }
    if (status == RMAT_OK) {
        memcpy(b->seconds + BENCH_MODELS * runs, b->seconds, runs * sizeof *b->seconds);
        for (int m = 0; m < BENCH_MODELS; m++) {
            print_row(b, names[m], isa, scale, id_bytes, b->seconds + (uint64_t)m * runs);
        }
    }
    for (int m = 0; m < BENCH_MODELS; m++) {
        rmat_destroy(gen[m]);
    }
    return status;
}

int bench_rmat_options(const bench_options *o, FILE *json)
{
    options_bench b = {.options = o, .json = json};
    const rmat_isa isa = o->isas[o->n_isas - 1];
    int status = RMAT_OK;

    b.src = aligned_alloc(64, PIPELINE_BLOCK * sizeof(uint64_t));
    b.dst = aligned_alloc(64, PIPELINE_BLOCK * sizeof(uint64_t));
    b.weight = aligned_alloc(64, PIPELINE_BLOCK * sizeof(float));
    b.seconds = calloc((BENCH_MODELS + 2) * o->runs, sizeof *b.seconds);
    if (b.src == NULL || b.dst == NULL || b.weight == NULL || b.seconds == NULL) {
        status = RMAT_ERR_NOMEM;
    }
    fprintf(stderr,
            "Options, %s, one thread, median of %" PRIu64 ", M edges/s\n"
            "model                scale bits    median      best  time over plain, least, most\n",
            rmat_isa_name(isa), o->runs);
    fprintf(json, ",\n\"options\": [\n  ");
    for (size_t s = 0; s < o->n_scales && status == RMAT_OK; s++) {
        int scale = (int)o->scales[s];

        for (int bytes = scale <= 32 ? 4 : 8; bytes <= 8 && scale >= 4; bytes += 4) {
            status = status == RMAT_OK ? bench_width(&b, isa, scale, bytes) : status;
        }
    }
    fprintf(json, "]");
    free(b.src);
    free(b.dst);
    free(b.weight);
    free(b.seconds);
    if (status != RMAT_OK) {
        fprintf(stderr, "bench_rmat: %s\n", rmat_strerror(status));
    }
    return status == RMAT_OK ? EXIT_OK : EXIT_RUNTIME;
}
