/*
 * The split step of PSA alone (the paper's Figure 2): time to find all splits by binary and by
 * partial p-ary search, over the number of splits.  Both must find the same splits.
 */
#include "alias/gpu/bench_split.h"
#include "apps/bench_alias/gpu.h"

#include <string.h>

typedef struct {
    alias_gpu_partition part;
    alias_split_method method;
    uint64_t parts, size;
    uint64_t *lights;
} job;

static int run_split(gpu_bench *b, void *arg, int r)
{
    const job *j = arg;

    (void)r;
    return gpu_alias_failed(
        b, "split",
        alias_gpu_split(&j->part, j->method, 0, j->parts, j->size, j->lights, b->stream));
}

/* Light and heavy items of the weights in hand, with their sums, and room for the splits. */
static int lay_out(gpu_bench *b, job *j, uint64_t most_parts, alias_arena arena)
{
    j->lights = alias_arena_take(&arena, most_parts + 1, sizeof(*j->lights));
    if (gpu_alias_failed(b, "partition",
                         alias_gpu_split_prepare(&j->part, b->weights, b->n, &arena, b->stream))) {
        return 1;
    }
    if (arena.base == NULL) {
        return gpu_scratch(b, arena.used) ||
               lay_out(b, j, most_parts, (alias_arena){b->scratch, 0});
    }
    return 0;
}

/* In a scratch memory that another part may have used since. */
static int prepare(gpu_bench *b, job *j, gpu_family family, uint64_t n, uint64_t most_parts)
{
    if (b->n == n && b->family == family && j->lights != NULL) {
        return 0;
    }
    return gpu_weights(b, family, n) || lay_out(b, j, most_parts, (alias_arena){NULL, 0});
}

/* Of what a method finds, in memory that held something else (filler) before. */
static int hash_splits(gpu_bench *b, const job *j, alias_split_method method, int filler,
                       uint64_t *hash)
{
    job other = *j;
    uint64_t sums[GPU_SUMS];

    other.method = method;
    if (gpu_failed(
            b, "check",
            cudaMemsetAsync(j->lights, filler, (j->parts + 1) * sizeof(*j->lights), b->stream)) ||
        run_split(b, &other, 0) || gpu_sums_clear(b) ||
        gpu_failed(b, "hash", bench_gpu_mass_sum(j->lights, j->parts + 1, b->sums, b->stream)) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    *hash = sums[0];
    return 0;
}

/* About so many splits, at equal distances. */
static int one_case(gpu_bench *b, job *j, gpu_family family, uint64_t splits)
{
    bench_stats warm, cold;
    uint64_t binary, pary;

    j->size = (b->n + splits - 1) / splits;
    j->parts = (b->n + j->size - 1) / j->size;
    if (gpu_time(b, GPU_WARM, run_split, j, &warm) || gpu_time(b, GPU_COLD, run_split, j, &cold) ||
        hash_splits(b, j, ALIAS_SPLIT_BINARY, 0x55, &binary) ||
        hash_splits(b, j, ALIAS_SPLIT_PARY, 0xaa, &pary)) {
        return 1;
    }
    gpu_row_begin(b);
    json_string(&b->row, "weights", gpu_families[family].name);
    json_u64(&b->row, "n", b->n);
    json_u64(&b->row, "splits", j->parts);
    gpu_row_stats(b, "cold_ms", cold);
    gpu_row_time(b, warm, (double)j->parts, false);
    gpu_row_check(b, "binary and p-ary search find the same splits", binary == pary);
    gpu_row_end(b);
    snprintf(b->name + strlen(b->name), sizeof(b->name) - strlen(b->name), "/cold");
    gpu_remember(b, cold.median);
    return 0;
}

int gpu_part_split(gpu_bench *b)
{
    static const uint64_t splits[] = {100,   300,   1000,   2000,   3000,   5000,
                                      10000, 30000, 100000, 300000, 1000000};
    static const char *const names[] = {"binary", "pary"};
    const uint64_t n = 10000000;
    char text[24];

    for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
        job j = {.lights = NULL};

        for (unsigned s = 0; s < sizeof(splits) / sizeof(splits[0]); s++) {
            for (int m = 0; m < 2; m++) {
                if (!gpu_fits(b, n) ||
                    !gpu_wanted(b, "split/%s/%s/%s", names[m], gpu_families[f].name,
                                gpu_number(text, splits[s]))) {
                    continue;
                }
                j.method = m == 0 ? ALIAS_SPLIT_BINARY : ALIAS_SPLIT_PARY;
                if (prepare(b, &j, f, n, 1000000) || one_case(b, &j, f, splits[s])) {
                    return 1;
                }
            }
        }
    }
    return 0;
}
