/*
 * Sampling (the papers' Tables 3 and Figures 4 and 5; the parameter of sections for Table 4.1), and
 * Bringmann and Larsen's space-efficient rejection sampling beside it (the thesis, 5.3.2).
 *
 * sample      every sampler, 1e9 draws, added up in registers or written, over table sizes
 * count       Figure 4: over the number of draws
 * map         Figure 5: over table size and number of draws
 * parameters  section sizes
 * space       the time that a caller waits for a space-efficient table, and draws written as uint32
 *
 * Every case is checked: the draws are counted, exactly; what was written adds up to the same as
 * what was reduced; none lies beyond the table; the mean lies within 6 standard deviations of what
 * the weights say; and the baseline's are compared with alias_draw8() one by one.
 */
#include "alias/research/space_efficient.h"
#include "apps/bench_alias/gpu.h"

#include <math.h>

#define DRAWS ((uint64_t)1000000000)

int gpu_run_draws(gpu_bench *b, void *arg, int r)
{
    const gpu_draws_job *job = arg;
    const uint64_t seed = (uint64_t)r + 1;
    int st;

    switch (job->to) {
    case GPU_REDUCED:
        st = bench_gpu_reduce(b->table, job->sampler, seed, job->count, b->sums, b->stream);
        break;
    case GPU_WRITTEN:
        st = alias_sample32_device(b->table, job->sampler, seed, 0, job->count, b->out, b->stream);
        break;
    default:
        st = alias_sample64_device(b->table, job->sampler, seed, 0, job->count, b->out, b->stream);
    }
    return gpu_alias_failed(b, "draws", st);
}

/* Add the draws of `bytes` bytes each in b->out to b->sums[0], and to b->sums[1] how many of them
 * lie beyond the table; they are the run's of seed 1, over memory that held something else. */
static int add_written(gpu_bench *b, gpu_run run, void *arg, uint64_t count, int bytes)
{
    return gpu_failed(b, "check",
                      cudaMemsetAsync(b->out, 0xff, count * (uint64_t)bytes, b->stream)) ||
           run(b, arg, 0) || gpu_sums_clear(b) ||
           gpu_failed(b, "check",
                      bench_gpu_draw_sum(b->out, bytes, count, b->n, b->sums, b->stream));
}

/* Is what was written right, and does it add up to this sum? */
static int check_written(gpu_bench *b, gpu_draws_job *job, uint64_t sum, bool *right)
{
    const int bytes = job->to == GPU_WRITTEN64 ? 8 : 4;
    uint64_t sums[GPU_SUMS];
    alias_view view;

    if (add_written(b, gpu_run_draws, job, job->count, bytes) ||
        gpu_alias_failed(b, "check", alias_get_view(b->table, &view)) ||
        (job->sampler == ALIAS_SAMPLER_BASELINE && bytes == 4 &&
         gpu_failed(
             b, "check",
             bench_gpu_baseline_errors(&view, 1, 0, job->count, b->out, b->sums + 2, b->stream))) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    *right = sums[0] == sum && sums[1] == 0 && sums[2] == 0;
    return 0;
}

/* Make the draws of seed 1 once more: sums[0] becomes their sum, sums[1] their number; reduced,
 * sums[2] the sum modulo 2^32 in the way that was measured. */
static int repeat_draws(gpu_bench *b, gpu_draws_job *job, uint64_t sums[GPU_SUMS])
{
    return gpu_sums_clear(b) ||
           gpu_alias_failed(
               b, "check",
               bench_gpu_count(b->table, job->sampler, 1, job->count, b->sums, b->stream)) ||
           (job->to == GPU_REDUCED &&
            gpu_alias_failed(
                b, "check",
                bench_gpu_reduce(b->table, job->sampler, 1, job->count, b->sums + 2, b->stream))) ||
           gpu_sums_read(b, sums);
}

static int check_draws(gpu_bench *b, void *arg)
{
    gpu_draws_job *job = arg;
    uint64_t sums[GPU_SUMS];
    bool right = true;

    json_string(&b->row, "auto", alias_sampler_name(alias_best_sampler(b->table, job->count)));
    if (repeat_draws(b, job, sums)) {
        return 1;
    }
    if (job->to == GPU_REDUCED) {
        right = (uint32_t)sums[2] == (uint32_t)sums[0];
    } else if (check_written(b, job, sums[0], &right)) {
        return 1;
    }
    right = right && sums[1] == job->count;
    right = fabs(gpu_row_z(b, sums[0], job->count)) < 6 && right;
    gpu_row_check(b, "as many as asked for, the same sum twice, mean as weighted", right);
    return 0;
}

static int measure_draws(gpu_bench *b, gpu_draws_job *job)
{
    const gpu_case c = {.run = gpu_run_draws,
                        .arg = job,
                        .n = b->n,
                        .count = job->count,
                        .items = (double)job->count,
                        .check = check_draws};

    return gpu_measure(b, &c);
}

static int measure_samplers(gpu_bench *b, gpu_family family, uint64_t n)
{
    static const char *const targets[] = {"reduced", "written", "written64"};
    char text[24];

    for (gpu_target to = GPU_REDUCED; to <= GPU_WRITTEN64; to++) {
        for (alias_sampler s = ALIAS_SAMPLER_AUTO; s <= ALIAS_SAMPLER_SHARED; s++) {
            gpu_draws_job job = {.sampler = s, .to = to, .count = gpu_draws(b, DRAWS)};

            if ((to == GPU_WRITTEN64 && s != ALIAS_SAMPLER_AUTO) ||
                (b->json != NULL && job.count * (to == GPU_WRITTEN64 ? 8 : 4) > b->out_bytes)) {
                continue;
            }
            if (gpu_wanted(b, "sample/%s/%s/%s/%s", targets[to], alias_sampler_name(s),
                           gpu_family_names[family], gpu_number(text, n)) &&
                (gpu_table(b, family, n) || measure_draws(b, &job))) {
                return 1;
            }
        }
    }
    return 0;
}

/* A digit 1 or 3 and zeros. */
static uint64_t half_decade(int i)
{
    uint64_t n = i % 2 != 0 ? 3 : 1;

    for (; i > 1; i -= 2) {
        n *= 10;
    }
    return n;
}

/* 1e4 draws to half_decade(most). */
static int measure_counts(gpu_bench *b, const char *part, uint64_t n, int most)
{
    char size[24], text[24];

    for (int c = 8; c <= most && gpu_fits(b, n); c++) {
        for (alias_sampler s = ALIAS_SAMPLER_BASELINE; s <= ALIAS_SAMPLER_SHARED; s++) {
            gpu_draws_job job = {.sampler = s, .count = half_decade(c)};

            if (gpu_draws(b, job.count) == job.count &&
                gpu_wanted(b, "%s/%s/%s/%s", part, alias_sampler_name(s), gpu_number(size, n),
                           gpu_number(text, job.count)) &&
                (gpu_table(b, GPU_UNIFORM, n) || measure_draws(b, &job))) {
                return 1;
            }
        }
    }
    return 0;
}

/* Tables with other sections: instead of b->table for as long as it takes. */
static int measure_sections(gpu_bench *b, uint64_t n, uint64_t rows)
{
    gpu_draws_job job = {.sampler = ALIAS_SAMPLER_SHARED, .count = gpu_draws(b, DRAWS)};
    alias_config config = gpu_config(b);
    alias_table *usual;
    int failed;

    if (gpu_table(b, GPU_UNIFORM, n)) {
        return 1;
    }
    usual = b->table;
    config.section_rows = rows;
    failed = gpu_build(b, &config, &b->table) || measure_draws(b, &job);
    alias_destroy(b->table);
    b->table = usual;
    return failed;
}

static int measure_section_sizes(gpu_bench *b)
{
    static const uint64_t sizes[] = {10000000, 1000000000};
    static const uint64_t kib[] = {0, 16, 32, 48, 64, 72, 100, 112, 160, 224};
    char text[24];

    for (int s = 0; s < 2 && gpu_fits(b, sizes[s]); s++) {
        for (unsigned i = 0; i < sizeof(kib) / sizeof(kib[0]); i++) {
            if (gpu_wanted(b, "parameters/sections/%s/%lluKiB", gpu_number(text, sizes[s]),
                           (unsigned long long)kib[i]) &&
                measure_sections(b, sizes[s], kib[i] * 1024 / (uint64_t)b->o->row_bytes)) {
                return 1;
            }
        }
    }
    return 0;
}

/* --- Space-efficient tables --- */

static int create_space(gpu_bench *b, alias_space_efficient **table)
{
    const alias_config config = gpu_config(b);

    return gpu_alias_failed(
        b, "build",
        alias_space_efficient_create_device(table, &config, b->weights, b->n, b->stream, NULL));
}

static int run_space_build(gpu_bench *b, void *arg, int r)
{
    alias_space_efficient *table = NULL;
    int failed = create_space(b, &table);

    (void)arg, (void)r;
    alias_space_efficient_destroy(table);
    return failed;
}

static int run_space_draws(gpu_bench *b, void *arg, int r)
{
    return gpu_alias_failed(b, "draws",
                            alias_space_efficient_sample32_device(
                                arg, (uint64_t)r + 1, 0, gpu_draws(b, DRAWS), b->out, b->stream));
}

static int check_space(gpu_bench *b, void *arg)
{
    uint64_t sums[GPU_SUMS], count = gpu_draws(b, DRAWS);

    json_u64(&b->row, "slots", alias_space_efficient_slots(arg));
    json_u64(&b->row, "bytes", alias_space_efficient_bytes(arg));
    if (add_written(b, run_space_draws, arg, count, 4) || gpu_sums_read(b, sums)) {
        return 1;
    }
    gpu_row_check(b, "all written, mean as weighted",
                  fabs(gpu_row_z(b, sums[0], count)) < 6 && sums[1] == 0);
    return 0;
}

/* The build, or draws. */
static int measure_space(gpu_bench *b, gpu_family family, uint64_t n, bool draws)
{
    const uint64_t count = gpu_draws(b, DRAWS);
    alias_space_efficient *table = NULL;
    gpu_case c = {.clock = draws ? GPU_WARM : GPU_HOST,
                  .run = draws ? run_space_draws : run_space_build,
                  .n = n,
                  .count = draws ? count : 0,
                  .items = (double)(draws ? count : n),
                  .check = check_space};
    int failed = gpu_weights(b, family, n) || create_space(b, &table);

    c.arg = table;
    failed = failed || gpu_measure(b, &c);
    alias_space_efficient_destroy(table);
    return failed;
}

static int measure_spaces(gpu_bench *b)
{
    char text[24];

    for (int s = 0; s < GPU_SIZES && gpu_fits(b, gpu_sizes[s]); s++) {
        for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
            for (int draws = 0; draws < 2; draws++) {
                if ((b->json == NULL || 4 * gpu_draws(b, DRAWS) <= b->out_bytes) &&
                    gpu_wanted(b, "space/%s/%s/%s", draws ? "written" : "build",
                               gpu_family_names[f], gpu_number(text, gpu_sizes[s])) &&
                    measure_space(b, f, gpu_sizes[s], draws)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

int gpu_part_sample(gpu_bench *b)
{
    const uint64_t *n = b->o->sizes != 0 ? b->o->n : gpu_sizes;
    int sizes = b->o->sizes != 0 ? b->o->sizes : GPU_SIZES;

    for (int i = 0; i < sizes; i++) {
        if (gpu_fits(b, n[i]) &&
            (measure_samplers(b, GPU_POWER1, n[i]) || measure_samplers(b, GPU_UNIFORM, n[i]))) {
            return 1;
        }
    }
    for (int i = 12; i <= 14; i += 2) {
        if (measure_counts(b, "count", half_decade(i), 20)) {
            return 1;
        }
    }
    for (int i = 6; i <= 18; i++) {
        if (measure_counts(b, "map", half_decade(i), 19)) {
            return 1;
        }
    }
    return measure_section_sizes(b) || measure_spaces(b);
}
