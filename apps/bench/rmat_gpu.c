/*
 * Edges per second in the memory of a GPU, chunk by chunk into the same arrays, by the GPU's clock:
 *
 *   arrays, pairs  the generator's layouts
 *   levels         matrices that differ by level: a table per group
 *   raft           one uniform float per level, as RAFT does it
 *   write, philox  what memory, and what the random bits alone allow
 */
#include "apps/bench/rmat_gpu.h"
#include "apps/bench/util.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "rmat/rmat_gpu.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#define CHUNK ((uint64_t)1 << 29) /* 8 GiB of 64-bit edges */

typedef enum { ARRAYS, PAIRS, RAFT, WRITE, PHILOX } work;

typedef struct {
    const bench_options *options;
    FILE *json;
    uint64_t chunk;
    uint64_t *edges; /* sources, then destinations: of a chunk, 64-bit */
    float *thresholds;
    cudaEvent_t begin, end;
    double *seconds; /* [run] */
    size_t rows;
} gpu_bench;

static int failed(int st)
{
    fprintf(stderr, "bench_rmat: %s%s%s\n", rmat_strerror(st), *rmat_gpu_error() ? ": " : "",
            rmat_gpu_error());
    return EXIT_RUNTIME;
}

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static int start(const gpu_bench *b, work w, const rmat_gen *gen, int scale, int id_bytes,
                 uint64_t first, uint64_t n)
{
    uint64_t *src = b->edges, *dst = b->edges + b->chunk;
    uint32_t *src32 = (uint32_t *)src, *dst32 = (uint32_t *)dst;

    switch (w) {
    case ARRAYS:
        return id_bytes == 4 ? rmat_generate32_device(gen, first, n, src32, dst32, NULL)
                             : rmat_generate_device(gen, first, n, src, dst, NULL);
    case PAIRS:
        return id_bytes == 4 ? rmat_generate_pairs32_device(gen, first, n, src32, NULL)
                             : rmat_generate_pairs_device(gen, first, n, src, NULL);
    case RAFT:
        return cuda((cudaError_t)bench_rmat_levels(scale, b->thresholds, 1, first, n, src, dst));
    case WRITE:
        return cuda((cudaError_t)bench_rmat_write(first, n, src, dst));
    default:
        return cuda((cudaError_t)bench_rmat_intervals(1, first, n, src32));
    }
}

static int measure(gpu_bench *b, const char *name, work w, const rmat_gen *gen, int scale,
                   int id_bytes)
{
    const bench_options *o = b->options;
    double edges = (double)o->edges;
    bench_stats s;

    for (uint64_t turn = 0; turn <= o->runs; turn++) {
        float ms;
        int st = cuda(cudaEventRecord(b->begin, NULL));

        for (uint64_t at = 0; !st && at < o->edges; at += b->chunk) {
            uint64_t n = o->edges - at < b->chunk ? o->edges - at : b->chunk;

            st = start(b, w, gen, scale, id_bytes, at, n);
        }
        st = st ? st : cuda(cudaEventRecord(b->end, NULL));
        st = st ? st : cuda(cudaEventSynchronize(b->end));
        st = st ? st : cuda(cudaEventElapsedTime(&ms, b->begin, b->end));
        if (st) {
            return failed(st);
        }
        if (turn > 0) { /* the first one warms up */
            b->seconds[turn - 1] = 1e-3 * (double)ms;
        }
    }
    s = bench_summary(b->seconds, o->runs);
    fprintf(stderr, "%-8s %5d %4d %9.1f %9.1f %9.1f\n", name, scale, 8 * id_bytes,
            1e-9 * edges / s.median, 1e-9 * edges / s.min, 1e-9 * edges / s.max);
    fprintf(b->json,
            "%s{\"work\": \"%s\", \"scale\": %d, \"id_bits\": %d, \"seconds_min\": %.9f, "
            "\"seconds_median\": %.9f, \"seconds_max\": %.9f, \"edges_per_second\": %.0f}",
            b->rows++ > 0 ? ",\n  " : "", name, scale, 8 * id_bytes, s.min, s.median, s.max,
            edges / s.median);
    return EXIT_OK;
}

static int bench_scale(gpu_bench *b, int scale)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config config;
    rmat_gen *gen, *varied;
    int code = EXIT_OK, st;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.backend = RMAT_BACKEND_GPU;
    st = rmat_create(&gen, &config);
    if (st) {
        return failed(st);
    }
    for (int l = 0; l < scale; l++) { /* no two alike */
        levels[l] = (rmat_matrix){0.57 - 0.001 * l, 0.19 + 0.001 * l, 0.19, 0.05};
    }
    config.levels = levels;
    st = rmat_create(&varied, &config);
    if (st) {
        rmat_destroy(gen);
        return failed(st);
    }
    for (int id_bytes = scale <= 32 ? 4 : 8; code == EXIT_OK && id_bytes <= 8; id_bytes += 4) {
        code = measure(b, "arrays", ARRAYS, gen, scale, id_bytes);
        code = code ? code : measure(b, "pairs", PAIRS, gen, scale, id_bytes);
        code = code ? code : measure(b, "levels", ARRAYS, varied, scale, id_bytes);
    }
    code = code ? code : measure(b, "raft", RAFT, gen, scale, 8);
    rmat_destroy(gen);
    rmat_destroy(varied);
    return code;
}

static int prepare(gpu_bench *b)
{
    float thresholds[4 * RMAT_MAX_SCALE];
    int st;

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        thresholds[4 * l] = 0.57f;
        thresholds[4 * l + 1] = 0.76f;
        thresholds[4 * l + 2] = 0.95f;
        thresholds[4 * l + 3] = 1;
    }
    b->seconds = calloc(b->options->runs, sizeof(*b->seconds));
    st = b->seconds == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    st = st ? st : cuda(cudaMalloc((void **)&b->edges, 16 * b->chunk));
    st = st ? st : cuda(cudaMalloc((void **)&b->thresholds, sizeof(thresholds)));
    st = st ? st
            : cuda(cudaMemcpy(b->thresholds, thresholds, sizeof(thresholds),
                              cudaMemcpyHostToDevice));
    st = st ? st : cuda(cudaEventCreate(&b->begin));
    return st ? st : cuda(cudaEventCreate(&b->end));
}

int bench_rmat_gpu(const bench_options *o, FILE *json)
{
    gpu_bench b = {.options = o, .json = json, .chunk = o->edges < CHUNK ? o->edges + 1 : CHUNK};
    struct cudaDeviceProp device;
    int code = EXIT_OK, st;

    if (rmat_gpu_count() == 0) {
        fprintf(stderr, "bench_rmat: --backend: 'gpu' given, but there is no GPU\n");
        return EXIT_RUNTIME;
    }
    b.chunk += b.chunk % 2; /* so that destinations are aligned */
    st = cuda(cudaGetDeviceProperties(&device, 0));
    st = st ? st : prepare(&b);
    if (st) {
        code = failed(st);
        goto done;
    }
    fprintf(stderr,
            "%s, %" PRIu64 " edges, median of %" PRIu64 ", G edges/s\n"
            "work     scale bits    median      best     worst\n",
            device.name, o->edges, o->runs);
    json_string(&(json_object){json, true}, "gpu", device.name);
    fprintf(json, ", \"edges\": %" PRIu64 ", \"device_memory\": [\n  ", o->edges);
    code = measure(&b, "write", WRITE, NULL, 0, 8);
    code = code ? code : measure(&b, "philox", PHILOX, NULL, 0, 8);
    for (size_t s = 0; code == EXIT_OK && s < o->n_scales; s++) {
        code = bench_scale(&b, (int)o->scales[s]);
    }
    fprintf(json, "]");
done:
    if (b.begin != NULL) {
        (void)cudaEventDestroy(b.begin);
    }
    if (b.end != NULL) {
        (void)cudaEventDestroy(b.end);
    }
    (void)cudaFree(b.edges);
    (void)cudaFree(b.thresholds);
    free(b.seconds);
    return code ? code : bench_rmat_gpu_options(o, json);
}
