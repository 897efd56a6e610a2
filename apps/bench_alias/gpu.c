/*
 * The GPU's part of bench_alias: it opens the device, keeps weights and tables, measures times, and
 * has the table of cases of gpu_build.c and gpu_sample.c.
 *
 * Times on the device are between two events.  A short kernel that spins precedes them, so that all
 * launches are queued when it ends.  So the time is the device's work with the gaps between
 * kernels, without this process's launches.
 */
#include "apps/bench_alias/gpu.h"
#include "apps/common/message.h"
#include "apps/common/system.h"

#include <stdlib.h>

/* Nanoseconds in which all launches of one run must be done. */
#define SPIN 300000

/* Bytes that replace the contents of the L2 cache. */
#define MORE_THAN_L2 ((size_t)1 << 28)

int gpu_failed(const bench *b, const char *what, cudaError_t error)
{
    if (error != cudaSuccess) {
        runtime_error("", "%s: %s: %s", b->row, what, cudaGetErrorString(error));
    }
    return error != cudaSuccess;
}

/* --- Weights and tables --- */

int gpu_scratch(bench *b, size_t bytes)
{
    gpu_state *g = b->gpu;

    if (bytes <= g->scratch_bytes) {
        return 0;
    }
    (void)cudaFree(g->scratch);
    g->scratch = NULL;
    g->scratch_bytes = 0;
    if (gpu_failed(b, "memory", cudaMalloc(&g->scratch, bytes))) {
        return 1;
    }
    g->scratch_bytes = bytes;
    return 0;
}

int gpu_weights(bench *b, bench_family family, uint64_t n)
{
    if (b->n == n && b->family == family) {
        return 0;
    }
    alias_destroy(b->gpu->table);
    (void)cudaFree(b->weights);
    b->gpu->table = NULL;
    b->weights = NULL;
    b->n = 0;
    if (gpu_failed(b, "memory", cudaMalloc((void **)&b->weights, n * sizeof(*b->weights))) ||
        gpu_failed(b, "weights", bench_gpu_weights(family, b->weights, n, b->gpu->stream)) ||
        gpu_failed(b, "weights", cudaStreamSynchronize(b->gpu->stream))) {
        return 1;
    }
    b->family = family;
    b->n = n;
    return 0;
}

int gpu_run_build(bench *b, void *table, int r)
{
    (void)r;
    return bench_failed(b, "build",
                        alias_build_async(table, b->weights, b->gpu->scratch, b->gpu->stream));
}

alias_config gpu_config(const bench *b)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    config.device = b->device;
    return config;
}

int gpu_build(bench *b, const alias_config *config, alias_table **table)
{
    *table = NULL;
    return bench_failed(b, "prepare", alias_prepare(table, config, b->n)) ||
           gpu_scratch(b, alias_build_bytes(*table)) || gpu_run_build(b, *table, 0) ||
           bench_failed(b, "build", alias_build_wait(*table, NULL));
}

int gpu_table(bench *b, bench_family family, uint64_t n)
{
    alias_config config = gpu_config(b);

    if (gpu_weights(b, family, n)) {
        return 1;
    }
    return b->gpu->table == NULL && gpu_build(b, &config, &b->gpu->table);
}

/* --- Clocks --- */

int gpu_warm_clock(bench *b, bench_run run, void *arg, int r, double *ms)
{
    gpu_state *g = b->gpu;
    float elapsed = 0;

    if (gpu_failed(b, "spinning", bench_gpu_spin(SPIN, g->stream)) ||
        gpu_failed(b, "event", cudaEventRecord(g->begin, g->stream)) || run(b, arg, r) ||
        gpu_failed(b, "event", cudaEventRecord(g->end, g->stream)) ||
        gpu_failed(b, "running", cudaEventSynchronize(g->end)) ||
        gpu_failed(b, "event", cudaEventElapsedTime(&elapsed, g->begin, g->end))) {
        return 1;
    }
    *ms = elapsed;
    return 0;
}

int gpu_cold_clock(bench *b, bench_run run, void *arg, int r, double *ms)
{
    return gpu_failed(b, "emptying the cache",
                      cudaMemsetAsync(b->out, r, MORE_THAN_L2, b->gpu->stream)) ||
           gpu_warm_clock(b, run, arg, r, ms);
}

/* --- The device --- */

/* Prints the device; *available: its free memory. */
static int describe(const bench *b, uint64_t *available)
{
    char why[DEVICES_TEXT];
    device_gpu gpu;

    if (!devices_gpu(b->device, &gpu, why)) {
        runtime_error("", "the device: %s", why);
        return 1;
    }
    *available = gpu.free;
    printf("%s, CUDA %d.%d\n", gpu.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return 0;
}

static int open_gpu(bench *b)
{
    gpu_state *g = calloc(1, sizeof(*g));
    uint64_t available = 0;

    b->gpu = g;
    bench_row(b, "opening the device");
    if (bench_failed(b, "memory", g != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM) ||
        describe(b, &available)) {
        return 1;
    }
    /* Half of the memory that weights, rows and draws leave is enough for every builder. */
    b->rows = bench_least(b->limit, available / 2 / 32);
    b->draws = bench_least(bench_least(b->limit, 1000000000), available / 16);
    g->out_bytes = bench_least(8 * b->draws, available / 4);
    g->out_bytes = g->out_bytes > MORE_THAN_L2 ? g->out_bytes : MORE_THAN_L2;
    return gpu_failed(b, "device", cudaSetDevice(b->device)) ||
           gpu_failed(b, "stream", cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking)) ||
           gpu_failed(b, "event", cudaEventCreate(&g->begin)) ||
           gpu_failed(b, "event", cudaEventCreate(&g->end)) ||
           gpu_failed(b, "memory", cudaMalloc((void **)&g->sums, GPU_SUMS * sizeof(*g->sums))) ||
           gpu_failed(b, "memory for draws", cudaMalloc(&b->out, g->out_bytes));
}

static void close_gpu(bench *b)
{
    gpu_state *g = b->gpu;

    if (g == NULL) {
        return;
    }
    alias_destroy(g->table);
    (void)cudaFree(b->weights);
    (void)cudaFree(b->out);
    (void)cudaFree(g->scratch);
    (void)cudaFree(g->sums);
    if (g->end != NULL) { /* created last */
        (void)cudaEventDestroy(g->begin);
        (void)cudaEventDestroy(g->end);
        (void)cudaStreamDestroy(g->stream);
    }
    free(g);
}

static const bench_case cases[] = {
    {"build", "construction in device memory (Lehmann et al., Table 2 and Figure 3)",
     "builder weights rows ms ms_min ms_max Grows/s", gpu_measure_builds},
    {"split", "time per split, with rows in the L2 cache and elsewhere (Figure 2)",
     "search weights rows splits warm_ns cold_ns", gpu_measure_splits},
    {"sample", "draws, added up in registers or written (Table 3)",
     "draws sampler weights rows ms ms_min ms_max Gdraws/s", gpu_measure_samplers},
    {"map", "draws, added up in registers, uniform weights (Figures 4 and 5)",
     "sampler rows draws ms ms_min ms_max Gdraws/s", gpu_measure_map},
    {"sections", "draws by sections of so many KiB, uniform weights (thesis, Table 4.1)",
     "rows KiB ms ms_min ms_max Gdraws/s", gpu_measure_sections},
    {"space", "Bringmann and Larsen's tables; draws written as uint32 (thesis, 5.3.2)",
     "weights rows build_ms bytes/item Gdraws/s", gpu_measure_spaces},
    {"rejection-measured", "1 to 32 threads, as by the CPU's rejection-curves (Figures 3 and 7)",
     "rho mean1 rate1 G/s1 mean2 rate2 G/s2 mean4 rate4 G/s4 mean8 rate8 G/s8 mean16 rate16 G/s16 "
     "mean32 rate32 G/s32",
     gpu_measure_rejection},
};

const bench_backend bench_gpu = {open_gpu, close_gpu, cases, sizeof(cases) / sizeof(cases[0])};
