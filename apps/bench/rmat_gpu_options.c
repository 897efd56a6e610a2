/*
 * What the model's options cost in the memory of a GPU, by its clock: each beside the plain graph
 * of the same scale, in turns, as a rate and as a ratio within a turn.  Rates are of edges as they
 * are stored, two for each drawn one where reverse edges are made as well.
 */
#include "apps/bench/rmat_gpu.h"
#include "apps/bench/rmat_models.h"
#include "apps/bench/util.h"
#include "apps/common/message.h"
#include "rmat/rmat_gpu.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((uint64_t)1 << 28)

typedef struct {
    const bench_options *options;
    uint64_t chunk;
    char *memory; /* sources, destinations, weights */
    cudaEvent_t begin, end;
    double *seconds; /* [model][run]; then plain ones, in order, and ratios: [run] each */
} options_bench;

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static int measure(const options_bench *b, const rmat_gen *gen, int weights, int id_bytes,
                   double *seconds)
{
    const uint64_t edges = b->options->edges, column = b->chunk * (uint64_t)id_bytes;
    const rmat_arrays to = {b->memory, b->memory + column, weights ? b->memory + 2 * column : NULL,
                            id_bytes};
    float ms = 0;
    int st = cuda(cudaEventRecord(b->begin, NULL));

    for (uint64_t at = 0; !st && at < edges; at += b->chunk) {
        st = rmat_generate_arrays_device(gen, at, edges - at < b->chunk ? edges - at : b->chunk,
                                         &to, NULL);
    }
    st = st ? st : cuda(cudaEventRecord(b->end, NULL));
    st = st ? st : cuda(cudaEventSynchronize(b->end));
    st = st ? st : cuda(cudaEventElapsedTime(&ms, b->begin, b->end));
    *seconds = 1e-3 * (double)ms;
    return st;
}

static int bench_width(const options_bench *b, FILE *json, rmat_gen **gen, int scale, int id_bytes,
                       size_t *rows)
{
    const char *names[BENCH_MODELS];
    rmat_config c[BENCH_MODELS];
    const uint64_t runs = b->options->runs;
    double *plain = b->seconds + BENCH_MODELS * runs, *ratio = plain + runs;

    for (int m = 0; m < BENCH_MODELS; m++) {
        names[m] = bench_model(m, scale, &c[m]);
    }
    for (uint64_t turn = 0; turn <= runs; turn++) {
        for (int m = 0; m < BENCH_MODELS; m++) {
            double seconds;
            int st = measure(b, gen[m], c[m].weights != RMAT_NO_WEIGHTS, id_bytes, &seconds);

            if (st) {
                return st;
            }
            if (turn > 0) { /* the first one warms up */
                b->seconds[(uint64_t)m * runs + turn - 1] = seconds;
            }
        }
    }
    memcpy(plain, b->seconds, runs * sizeof *plain);
    for (int m = 0; m < BENCH_MODELS; m++) {
        const double edges = (double)b->options->edges;
        double *seconds = b->seconds + (uint64_t)m * runs;
        bench_stats r, s;

        for (uint64_t i = 0; i < runs; i++) {
            ratio[i] = seconds[i] / plain[i];
        }
        r = bench_summary(ratio, runs);
        s = bench_summary(seconds, runs);
        fprintf(stderr, "%-20s %5d %4d %9.1f %9.3f %9.3f %9.3f\n", names[m], scale, 8 * id_bytes,
                1e-9 * edges / s.median, r.median, r.min, r.max);
        fprintf(json,
                "%s{\"model\": \"%s\", \"scale\": %d, \"id_bits\": %d, \"edges_per_second\": %.0f, "
                "\"time_over_plain\": %.4f, \"least\": %.4f, \"most\": %.4f}",
                (*rows)++ > 0 ? ",\n  " : "", names[m], scale, 8 * id_bytes, edges / s.median,
                r.median, r.min, r.max);
    }
    return RMAT_OK;
}

static int bench_scale(const options_bench *b, FILE *json, int scale, size_t *rows)
{
    rmat_gen *gen[BENCH_MODELS] = {NULL};
    rmat_config c;
    int st = RMAT_OK;

    for (int m = 0; !st && m < BENCH_MODELS; m++) {
        (void)bench_model(m, scale, &c);
        c.backend = RMAT_BACKEND_GPU;
        st = rmat_create(&gen[m], &c);
    }
    for (int id_bytes = scale <= 32 ? 4 : 8; !st && id_bytes <= 8; id_bytes += 4) {
        st = bench_width(b, json, gen, scale, id_bytes, rows);
    }
    for (int m = 0; m < BENCH_MODELS; m++) {
        rmat_destroy(gen[m]);
    }
    return st;
}

int bench_rmat_gpu_options(const bench_options *o, FILE *json)
{
    options_bench b = {.options = o, .chunk = o->edges < CHUNK ? (o->edges + 3) / 4 * 4 : CHUNK};
    size_t rows = 0;
    int st;

    b.seconds = calloc((BENCH_MODELS + 2) * o->runs, sizeof *b.seconds);
    st = b.seconds == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    st = st ? st : cuda(cudaMalloc((void **)&b.memory, 20 * b.chunk));
    st = st ? st : cuda(cudaEventCreate(&b.begin));
    st = st ? st : cuda(cudaEventCreate(&b.end));
    fprintf(stderr, "model                scale bits G edges/s  time over plain, least and most\n");
    fprintf(json, ",\n\"options\": [\n  ");
    for (size_t i = 0; !st && i < o->n_scales; i++) {
        st = o->scales[i] < 4 ? RMAT_OK : bench_scale(&b, json, (int)o->scales[i], &rows);
    }
    fprintf(json, "]");
    if (st) {
        fprintf(stderr, "bench_rmat: %s%s%s\n", rmat_strerror(st), *rmat_gpu_error() ? ": " : "",
                rmat_gpu_error());
    }
    if (b.begin != NULL) {
        (void)cudaEventDestroy(b.begin);
    }
    if (b.end != NULL) {
        (void)cudaEventDestroy(b.end);
    }
    (void)cudaFree(b.memory);
    free(b.seconds);
    return st ? EXIT_RUNTIME : EXIT_OK;
}
