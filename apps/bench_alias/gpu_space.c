/*
 * Bringmann and Larsen's space-efficient rejection sampling beside alias tables (the thesis,
 * 5.3.2): the time that a caller waits for a table, with its allocation, and draws written as
 * uint32.  Checked as in apps/bench_alias/gpu_sample.c: all below n, the mean as the weights say.
 */
#include "alias/research/space_efficient.h"
#include "apps/bench_alias/gpu.h"

#include <math.h>

#define DRAWS ((uint64_t)1000000000)

static int create(gpu_bench *b, alias_space_efficient **table)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    config.device = b->o->device;
    return gpu_alias_failed(
        b, "build",
        alias_space_efficient_create_device(table, &config, b->weights, b->n, b->stream, NULL));
}

static int run_build(gpu_bench *b, void *arg, int r)
{
    alias_space_efficient *table = NULL;
    int failed = create(b, &table);

    (void)arg, (void)r;
    alias_space_efficient_destroy(table);
    return failed;
}

static int run_draws(gpu_bench *b, void *arg, int r)
{
    return gpu_alias_failed(b, "draws",
                            alias_space_efficient_sample32_device(
                                arg, (uint64_t)r + 1, 0, gpu_draws(b, DRAWS), b->out, b->stream));
}

static int check(gpu_bench *b, alias_space_efficient *table)
{
    uint64_t sums[GPU_SUMS], count = gpu_draws(b, DRAWS);
    double z;

    if (gpu_failed(b, "check", cudaMemsetAsync(b->out, 0xff, 4 * count, b->stream)) ||
        run_draws(b, table, 0) || gpu_sums_clear(b) ||
        gpu_failed(b, "check", bench_gpu_draw_sum(b->out, 4, count, b->n, b->sums, b->stream)) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    z = ((double)sums[0] / (double)count - b->mean) / sqrt(b->variance / (double)count);
    json_f64(&b->row, "z", z);
    gpu_row_check(b, "all written, mean as weighted", sums[1] == 0 && fabs(z) < 6);
    return 0;
}

/* The build, or draws. */
static int one_case(gpu_bench *b, gpu_family family, uint64_t n, bool draws)
{
    alias_space_efficient *table = NULL;
    bench_stats ms;
    int failed;

    failed = gpu_weights(b, family, n) || create(b, &table) ||
             gpu_time(b, draws ? GPU_WARM : GPU_HOST, draws ? run_draws : run_build, table, &ms);
    if (!failed) {
        gpu_row_begin(b);
        json_string(&b->row, "weights", gpu_families[family].name);
        json_u64(&b->row, "n", n);
        json_u64(&b->row, "slots", alias_space_efficient_slots(table));
        json_u64(&b->row, "bytes", alias_space_efficient_bytes(table));
        gpu_row_time(b, ms, (double)(draws ? gpu_draws(b, DRAWS) : n), draws);
        failed = draws && check(b, table);
        gpu_row_end(b);
    }
    alias_space_efficient_destroy(table);
    return failed;
}

int gpu_part_space(gpu_bench *b)
{
    static const uint64_t sizes[] = {1000000, 10000000, 100000000, 1000000000};
    char text[24];

    for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
            for (int draws = 0; draws < 2; draws++) {
                if (gpu_fits(b, sizes[s]) &&
                    (b->json == NULL || 4 * gpu_draws(b, DRAWS) <= b->out_bytes) &&
                    gpu_wanted(b, "space/%s/%s/%s", draws ? "written" : "build",
                               gpu_families[f].name, gpu_number(text, sizes[s])) &&
                    one_case(b, f, sizes[s], draws)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}
