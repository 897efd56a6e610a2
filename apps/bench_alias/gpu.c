/*
 * The GPU's cases of bench_alias: construction, with weights, tables and scratch memory allocated
 * before; PSA's split step alone; and every sampler with 1e9 draws, added up in registers or
 * written.
 *
 * Times on the device are between two events.  A short kernel that spins precedes them, so that all
 * launches are queued when it ends.  So the time is the device's work with the gaps between
 * kernels, without this process's launches.
 */
#include "alias/gpu/state.h"
#include "apps/bench_alias/bench_alias.h"
#include "apps/common/message.h"
#include "apps/common/system.h"

#include <stdlib.h>

/* Nanoseconds in which all launches of one run must be done. */
#define SPIN 300000

/* Bytes that replace the contents of the L2 cache. */
#define MORE_THAN_L2 ((size_t)1 << 28)

static struct {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *scratch; /* of builds */
    uint64_t *sum; /* on the device */
} gpu;

/* Returns 0 for cudaSuccess. */
static int gpu_failed(const bench *b, const char *what, cudaError_t error)
{
    return bench_failed(b, what, alias_gpu_status(error));
}

/* --- Weights and tables --- */

/* Makes room for a build. */
static int gpu_scratch(const bench *b, size_t bytes)
{
    (void)cudaFree(gpu.scratch);
    gpu.scratch = NULL;
    return gpu_failed(b, "memory", cudaMalloc(&gpu.scratch, bytes));
}

static int gpu_weights(bench *b)
{
    (void)cudaFree(b->weights);
    b->weights = NULL;
    return gpu_failed(b, "memory", cudaMalloc((void **)&b->weights, b->n * sizeof(*b->weights))) ||
           bench_failed(b, "weights", bench_gpu_weights(b->family, b->weights, b->n, gpu.stream)) ||
           gpu_failed(b, "weights", cudaStreamSynchronize(gpu.stream));
}

/* A bench_run: starts a build of the current weights; arg: the table. */
static int gpu_run_build(bench *b, void *table, int r)
{
    (void)r;
    return bench_failed(b, "build", alias_build_async(table, b->weights, gpu.scratch, gpu.stream));
}

/* Returns 8-byte rows on the GPU, and defaults for the rest. */
static alias_config gpu_config(void)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    return config;
}

/* Prepares a table for the current weights, and builds it.  The caller always destroys *table. */
static int gpu_build(bench *b, const alias_config *config, alias_table **table)
{
    *table = NULL;
    return bench_failed(b, "prepare", alias_prepare(table, config, b->n)) ||
           gpu_scratch(b, alias_build_bytes(*table)) || gpu_run_build(b, *table, 0) ||
           bench_failed(b, "build", alias_build_wait(*table, NULL));
}

/* --- Clocks: the device's time between two events, with the caches of the previous run, or with
 * the L2 cache full of other data.  The run starts its work on the stream. --- */

static int gpu_warm_clock(bench *b, bench_run run, void *arg, int r, double *ms)
{
    float elapsed = 0;

    if (bench_failed(b, "spinning", bench_gpu_spin(SPIN, gpu.stream)) ||
        gpu_failed(b, "event", cudaEventRecord(gpu.begin, gpu.stream)) || run(b, arg, r) ||
        gpu_failed(b, "event", cudaEventRecord(gpu.end, gpu.stream)) ||
        gpu_failed(b, "running", cudaEventSynchronize(gpu.end)) ||
        gpu_failed(b, "event", cudaEventElapsedTime(&elapsed, gpu.begin, gpu.end))) {
        return 1;
    }
    *ms = elapsed;
    return 0;
}

static int gpu_cold_clock(bench *b, bench_run run, void *arg, int r, double *ms)
{
    return gpu_failed(b, "emptying the cache",
                      cudaMemsetAsync(b->out, r, MORE_THAN_L2, gpu.stream)) ||
           gpu_warm_clock(b, run, arg, r, ms);
}

typedef struct {
    const char *name;
    alias_builder builder;
    alias_split_method split;
    alias_pack_method pack;
} variant;

static const variant variants[] = {
    {"psa-binary-baseline", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_BASELINE},
    {"psa-pary-baseline", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_BASELINE},
    {"psa-binary-shared", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_SHARED},
    {"psa-pary-shared", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_SHARED},
    {"psa+", ALIAS_BUILDER_PSA_PLUS, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO},
};
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static int measure_builds(bench *b)
{
    int failed = 0;

    for (int v = 0; v < VARIANTS && !failed; v++) {
        alias_config config = gpu_config();
        alias_table *table = NULL;

        config.builder = variants[v].builder;
        config.split = variants[v].split;
        config.pack = variants[v].pack;
        bench_row(b, "%s %s %llu", variants[v].name, bench_family_names[b->family],
                  (unsigned long long)b->n);
        failed = gpu_build(b, &config, &table) ||
                 bench_rate(b, gpu_warm_clock, gpu_run_build, table, b->n) ||
                 bench_failed(b, "build", alias_build_wait(table, NULL));
        alias_destroy(table);
    }
    return failed;
}

/* --- The split step --- */

enum { MOST_SPLITS = 1000000 };

typedef struct {
    alias_gpu_partition part;
    alias_split_method method;
    uint64_t parts, size;
    uint64_t *lights;
} split_job;

static int run_split(bench *b, void *arg, int r)
{
    const split_job *j = arg;

    (void)r;
    return bench_failed(
        b, "split", alias_gpu_split(&j->part, j->method, j->parts, j->size, j->lights, gpu.stream));
}

/* Partitions the current weights into light and heavy items, as a build of 8-byte rows does, makes
 * room for splits, and waits.  The first pass only adds up the scratch memory. */
static int lay_out_items(bench *b, split_job *j)
{
    const cudaStream_t stream = gpu.stream;
    alias_arena arena = {NULL, 0};
    alias_gpu_scalars scalars, *device = NULL;

    for (int pass = 0; pass < 2; pass++) {
        alias_gpu_plan plan = {.weights = b->weights, .n = b->n, .k = 32};

        j->lights = alias_arena_take(&arena, MOST_SPLITS + 1, sizeof(*j->lights));
        device = alias_arena_take(&arena, 1, sizeof(*device));
        plan.scalars = device;
        if ((pass == 1 && /* no unusable weight so far */
             gpu_failed(b, "partition", cudaMemsetAsync(device, 0xff, sizeof(*device), stream))) ||
            bench_failed(b, "partition", alias_gpu_plan_weights(&plan, &arena, stream)) ||
            bench_failed(b, "partition",
                         alias_gpu_partition_items(&j->part, &plan, &arena, stream)) ||
            (pass == 0 && gpu_scratch(b, arena.used))) {
            return 1;
        }
        arena = (alias_arena){gpu.scratch, 0};
    }
    return gpu_failed(b, "partition", cudaStreamSynchronize(stream)) ||
           gpu_failed(b, "partition",
                      cudaMemcpy(&scalars, device, sizeof(scalars), cudaMemcpyDeviceToHost)) ||
           bench_failed(b, "partition", scalars.status);
}

/* Measures about this many splits, at equal distances. */
static int measure_split(bench *b, split_job *j, uint64_t splits)
{
    bench_stats warm, cold;

    j->size = (b->n + splits - 1) / splits;
    j->parts = (b->n + j->size - 1) / j->size;
    if (bench_time(b, gpu_warm_clock, run_split, j, &warm) ||
        bench_time(b, gpu_cold_clock, run_split, j, &cold)) {
        return 1;
    }
    bench_print(b, "%10.3f %10.3f", 1e6 * warm.median / (double)j->parts,
                1e6 * cold.median / (double)j->parts);
    return 0;
}

static int measure_splits(bench *b)
{
    static const uint64_t splits[] = {100,   300,   1000,   2000,   3000,       5000,
                                      10000, 30000, 100000, 300000, MOST_SPLITS};
    split_job j = {0};

    if (lay_out_items(b, &j)) {
        return 1;
    }
    for (unsigned s = 0; s < sizeof(splits) / sizeof(splits[0]) && splits[s] <= b->n; s++) {
        for (int m = 0; m < 2; m++) {
            j.method = m == 0 ? ALIAS_SPLIT_BINARY : ALIAS_SPLIT_PARY;
            bench_row(b, "%s %s %llu %llu", m == 0 ? "binary" : "p-ary",
                      bench_family_names[b->family], (unsigned long long)b->n,
                      (unsigned long long)splits[s]);
            if (measure_split(b, &j, splits[s])) {
                return 1;
            }
        }
    }
    return 0;
}

/* --- Draws --- */

typedef struct {
    const alias_table *table;
    alias_sampler sampler; /* AUTO: the table's choice */
    int written;           /* as uint32; else added up in registers, as in the papers' benchmark */
} draws_job;

/* Makes b->draws draws with seed r + 1.  Those in registers are added to *sum, modulo 2^32. */
static int run_draws(bench *b, void *arg, int r)
{
    const draws_job *j = arg;
    const uint64_t seed = (uint64_t)r + 1;
    const cudaStream_t stream = gpu.stream;

    return bench_failed(
        b, "draws",
        j->written ? alias_sample32_device(j->table, j->sampler, seed, 0, b->draws, b->out, stream)
                   : bench_gpu_reduce(j->table, j->sampler, seed, b->draws, gpu.sum, stream));
}

static int measure_samplers(bench *b)
{
    const alias_config config = gpu_config();
    alias_table *table = NULL;
    int failed = gpu_build(b, &config, &table);

    for (int written = 0; written < 2; written++) {
        for (alias_sampler s = ALIAS_SAMPLER_AUTO; s <= ALIAS_SAMPLER_SHARED && !failed; s++) {
            draws_job job = {table, s, written};

            bench_row(b, "%s %s %s %llu", written ? "uint32" : "reduced", alias_sampler_name(s),
                      bench_family_names[b->family], (unsigned long long)b->n);
            failed = bench_rate(b, gpu_warm_clock, run_draws, &job, b->draws);
        }
    }
    alias_destroy(table);
    return failed;
}

/* --- The device --- */

static int open_gpu(bench *b)
{
    char why[DEVICES_TEXT];
    uint64_t out_bytes;
    device_gpu device;

    bench_row(b, "opening the device");
    if (!devices_gpu(0, &device, why)) {
        runtime_error("", "the device: %s", why);
        return 1;
    }
    printf("%s, CUDA %d.%d\n", device.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    /* Half of the memory that weights, rows and draws leave is enough for every builder. */
    b->rows = bench_least(b->limit, device.free / 2 / 32);
    b->draws = bench_least(bench_least(b->limit, 1000000000), device.free / 16);
    out_bytes = 4 * b->draws > MORE_THAN_L2 ? 4 * b->draws : MORE_THAN_L2;
    return gpu_failed(b, "stream", cudaStreamCreateWithFlags(&gpu.stream, cudaStreamNonBlocking)) ||
           gpu_failed(b, "event", cudaEventCreate(&gpu.begin)) ||
           gpu_failed(b, "event", cudaEventCreate(&gpu.end)) ||
           gpu_failed(b, "memory", cudaMalloc((void **)&gpu.sum, sizeof(*gpu.sum))) ||
           gpu_failed(b, "memory for draws", cudaMalloc(&b->out, out_bytes));
}

static void close_gpu(bench *b)
{
    (void)cudaFree(b->weights);
    (void)cudaFree(b->out);
    (void)cudaFree(gpu.scratch);
    (void)cudaFree(gpu.sum);
    if (gpu.end != NULL) { /* created last */
        (void)cudaEventDestroy(gpu.begin);
        (void)cudaEventDestroy(gpu.end);
        (void)cudaStreamDestroy(gpu.stream);
    }
}

static const bench_case cases[] = {
    {"build", "construction in device memory (Lehmann et al., Table 2 and Figure 3)",
     "builder weights rows ms ms_min ms_max Grows/s", measure_builds, 1000000, 100000000, SORTED},
    {"split", "time per split, with rows in the L2 cache and elsewhere (Figure 2)",
     "search weights rows splits warm_ns cold_ns", measure_splits, 10000000, 10000000, POWER1},
    {"sample", "draws, added up in registers or written (Table 3)",
     "draws sampler weights rows ms ms_min ms_max Gdraws/s", measure_samplers, 1000000, 1000000000,
     POWER1},
};

const bench_backend bench_gpu = {open_gpu, close_gpu, gpu_weights, cases,
                                 sizeof(cases) / sizeof(cases[0])};
