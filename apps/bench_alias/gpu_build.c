/*
 * The GPU's cases of construction, with weights, tables and scratch memory allocated before: every
 * builder over weights and sizes, and PSA's split step alone.
 */
#include "alias/gpu/state.h"
#include "apps/bench_alias/gpu.h"

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
    {"psa+", ALIAS_BUILDER_PSA_PLUS, 0, 0},
};
_Static_assert(ALIAS_SPLIT_AUTO == 0 && ALIAS_PACK_AUTO == 0,
               "what the table of variants leaves out");
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static int measure_build(bench *b, const variant *v)
{
    alias_config config = gpu_config(b);
    alias_table *table = NULL;
    bench_stats ms;
    int failed;

    config.builder = v->builder;
    config.split = v->split;
    config.pack = v->pack;
    failed = gpu_build(b, &config, &table) ||
             bench_time(b, gpu_warm_clock, gpu_run_build, table, &ms) ||
             bench_failed(b, "build", alias_build_wait(table, NULL));
    if (!failed) {
        bench_print(b, "%10.4f %10.4f %10.4f %8.3f", ms.median, ms.min, ms.max,
                    1e-6 * (double)b->n / ms.median);
    }
    alias_destroy(table);
    return failed;
}

int gpu_measure_builds(bench *b)
{
    uint64_t n;

    for (int i = 0; i < BENCH_SIZES - 1 && (n = bench_size(b, i)) != 0; i++) {
        for (bench_family f = UNIFORM; f < FAMILIES; f++) {
            if (gpu_weights(b, f, n)) {
                return 1;
            }
            for (int v = 0; v < VARIANTS; v++) {
                bench_row(b, "%s %s %llu", variants[v].name, bench_family_names[f],
                          (unsigned long long)n);
                if (measure_build(b, &variants[v])) {
                    return 1;
                }
            }
        }
    }
    return 0;
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
        b, "split",
        alias_gpu_split(&j->part, j->method, j->parts, j->size, j->lights, b->gpu->stream));
}

/* Partitions the current weights into light and heavy items, as a build of 8-byte rows does, makes
 * room for splits, and waits.  The first pass only adds up the scratch memory. */
static int lay_out_items(bench *b, split_job *j)
{
    const cudaStream_t stream = b->gpu->stream;
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
        arena = (alias_arena){b->gpu->scratch, 0};
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

int gpu_measure_splits(bench *b)
{
    static const uint64_t splits[] = {100,   300,   1000,   2000,   3000,       5000,
                                      10000, 30000, 100000, 300000, MOST_SPLITS};
    const uint64_t n = bench_least(10000000, b->rows);
    split_job j = {0};

    for (bench_family f = UNIFORM; f <= POWER1; f++) {
        if (gpu_weights(b, f, n) || lay_out_items(b, &j)) {
            return 1;
        }
        for (unsigned s = 0; s < sizeof(splits) / sizeof(splits[0]) && splits[s] <= n; s++) {
            for (int m = 0; m < 2; m++) {
                j.method = m == 0 ? ALIAS_SPLIT_BINARY : ALIAS_SPLIT_PARY;
                bench_row(b, "%s %s %llu %llu", m == 0 ? "binary" : "p-ary", bench_family_names[f],
                          (unsigned long long)n, (unsigned long long)splits[s]);
                if (measure_split(b, &j, splits[s])) {
                    return 1;
                }
            }
        }
    }
    return 0;
}
