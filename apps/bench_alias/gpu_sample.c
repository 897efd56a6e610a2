/*
 * Sampling (the papers' Tables 3 and Figures 4 and 5; the parameter of sections for Table 4.1).
 *
 * sample      every sampler, 1e9 draws, added up in registers or written, over table sizes
 * xorwow      the papers' samplers and generator, added up in registers
 * count       Figure 4: over the number of draws
 * map         Figure 5: over table size and number of draws
 * parameters  section sizes
 *
 * Every case is checked: the draws are counted, exactly; what was written adds up to the same as
 * what was reduced; none lies beyond the table; the mean lies within 6 standard deviations of what
 * the weights say; and the baseline's are compared with alias_draw8() one by one.
 */
#include "apps/bench_alias/gpu_sample.h"

#include <math.h>
#include <stdlib.h>

#define DRAWS ((uint64_t)1000000000)

static int run_xorwow(gpu_bench *b, const gpu_draws_job *job, int r)
{
    alias_view view;

    return gpu_alias_failed(b, "view", alias_get_view(b->table, &view)) ||
           gpu_failed(b, "draws",
                      bench_gpu_xorwow(b->xorwow, &view, job->sampler, (uint64_t)r + 1, job->count,
                                       b->sums, b->stream));
}

int gpu_run_draws(gpu_bench *b, void *arg, int r)
{
    const gpu_draws_job *job = arg;
    uint64_t seed = (uint64_t)r + 1;

    if (job->xorwow) {
        return run_xorwow(b, job, r);
    }
    switch (job->to) {
    case GPU_REDUCED:
        return gpu_alias_failed(
            b, "draws",
            bench_gpu_reduce(b->table, job->sampler, seed, job->count, b->sums, b->stream));
    case GPU_WRITTEN:
        return gpu_alias_failed(
            b, "draws",
            alias_sample32_device(b->table, job->sampler, seed, 0, job->count, b->out, b->stream));
    default:
        return gpu_alias_failed(
            b, "draws",
            alias_sample64_device(b->table, job->sampler, seed, 0, job->count, b->out, b->stream));
    }
}

/* The generators' states. */
static int begin_xorwow(gpu_bench *b)
{
    if (b->xorwow != NULL) {
        return 0;
    }
    b->xorwow = calloc(1, sizeof(*b->xorwow));
    if (gpu_alias_failed(b, "states", b->xorwow != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM)) {
        return 1;
    }
    b->xorwow->multiprocessors = b->multiprocessors;
    return gpu_failed(b, "states", bench_gpu_xorwow_begin(b->xorwow, 1, b->stream));
}

static int run_xorwow_begin(gpu_bench *b, void *arg, int r)
{
    (void)arg;
    return gpu_failed(b, "states", bench_gpu_xorwow_begin(b->xorwow, (uint64_t)r, b->stream));
}

/* Draws of seed 1 whose sums are now in sums[0] (and of XORWOW, sums[1] of them), written if any
 * are: how far is their mean from what the weights say, in standard deviations? */
static int check_written(gpu_bench *b, gpu_draws_job *job, uint64_t *sum, bool *right)
{
    int bytes = job->to == GPU_WRITTEN64 ? 8 : 4;
    uint64_t sums[GPU_SUMS];
    alias_view view;

    if (gpu_failed(b, "check",
                   cudaMemsetAsync(b->out, 0xff, job->count * (uint64_t)bytes, b->stream)) ||
        gpu_run_draws(b, job, 0) || gpu_sums_clear(b) ||
        gpu_failed(b, "check",
                   bench_gpu_draw_sum(b->out, bytes, job->count, b->n, b->sums, b->stream)) ||
        gpu_alias_failed(b, "check", alias_get_view(b->table, &view)) ||
        (job->sampler == ALIAS_SAMPLER_BASELINE && bytes == 4 &&
         gpu_failed(
             b, "check",
             bench_gpu_baseline_errors(&view, 1, 0, job->count, b->out, b->sums + 2, b->stream))) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    *sum = sums[0];
    *right = sums[1] == 0 && sums[2] == 0;
    return 0;
}

static int check(gpu_bench *b, gpu_draws_job *job)
{
    uint64_t sums[GPU_SUMS], written;
    bool right = true;
    double z;

    if (gpu_sums_clear(b)) {
        return 1;
    }
    if (job->xorwow) {
        if (gpu_run_draws(b, job, 0) || gpu_sums_read(b, sums)) {
            return 1;
        }
    } else {
        if (gpu_alias_failed(
                b, "check",
                bench_gpu_count(b->table, job->sampler, 1, job->count, b->sums, b->stream)) ||
            (job->to == GPU_REDUCED &&
             gpu_alias_failed(b, "check",
                              bench_gpu_reduce(b->table, job->sampler, 1, job->count, b->sums + 2,
                                               b->stream))) ||
            gpu_sums_read(b, sums)) {
            return 1;
        }
        if (job->to == GPU_REDUCED) {
            right = (uint32_t)sums[2] == (uint32_t)sums[0];
        } else if (check_written(b, job, &written, &right)) {
            return 1;
        } else {
            right = right && written == sums[0];
        }
    }
    z = ((double)sums[0] / (double)job->count - b->mean) / sqrt(b->variance / (double)job->count);
    json_f64(&b->row, "z", z);
    gpu_row_check(b, "as many as asked for, the same sum twice, mean as weighted",
                  right && sums[1] == job->count && fabs(z) < 6);
    return 0;
}

/* Draws from the table in hand. */
static int one_case(gpu_bench *b, gpu_draws_job *job, gpu_family family)
{
    static const char *const targets[] = {"reduced", "uint32", "uint64"};
    bench_stats ms;
    int failed;

    if ((job->xorwow && begin_xorwow(b)) || gpu_time(b, GPU_WARM, gpu_run_draws, job, &ms)) {
        return 1;
    }
    gpu_row_begin(b);
    json_string(&b->row, "sampler", alias_sampler_name(job->sampler));
    json_string(&b->row, "auto", alias_sampler_name(alias_best_sampler(b->table, job->count)));
    json_string(&b->row, "rng", job->xorwow ? "xorwow" : "philox");
    json_string(&b->row, "to", targets[job->to]);
    json_string(&b->row, "weights", gpu_families[family].name);
    json_u64(&b->row, "n", b->n);
    json_u64(&b->row, "count", job->count);
    gpu_row_time(b, ms, (double)job->count, true);
    failed = check(b, job);
    gpu_row_end(b);
    return failed;
}

static int samplers(gpu_bench *b, gpu_family family, uint64_t n)
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
                           gpu_families[family].name, gpu_number(text, n)) &&
                (gpu_table(b, family, n) || one_case(b, &job, family))) {
                return 1;
            }
        }
    }
    return 0;
}

static int xorwow(gpu_bench *b, uint64_t n)
{
    char text[24];

    for (alias_sampler s = ALIAS_SAMPLER_BASELINE; s <= ALIAS_SAMPLER_SHARED; s++) {
        gpu_draws_job job = {.sampler = s, .xorwow = true, .count = gpu_draws(b, DRAWS)};

        if (gpu_wanted(b, "xorwow/%s/power1/%s", alias_sampler_name(s), gpu_number(text, n)) &&
            (gpu_table(b, GPU_POWER1, n) || one_case(b, &job, GPU_POWER1))) {
            return 1;
        }
    }
    return 0;
}

/* What the papers' code does at the start of every run. */
static int xorwow_states(gpu_bench *b)
{
    bench_stats ms;

    if (!gpu_wanted(b, "xorwow/states")) {
        return 0;
    }
    if (begin_xorwow(b) || gpu_time(b, GPU_WARM, run_xorwow_begin, NULL, &ms)) {
        return 1;
    }
    gpu_row_begin(b);
    gpu_row_time(b, ms, 1, false);
    gpu_row_end(b);
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
static int counts(gpu_bench *b, const char *part, uint64_t n, int most)
{
    char size[24], text[24];

    for (int c = 8; c <= most; c++) {
        for (alias_sampler s = ALIAS_SAMPLER_BASELINE; s <= ALIAS_SAMPLER_SHARED; s++) {
            gpu_draws_job job = {.sampler = s, .xorwow = b->o->xorwow, .count = half_decade(c)};

            if (gpu_draws(b, job.count) == job.count &&
                gpu_wanted(b, "%s/%s/%s/%s", part, alias_sampler_name(s), gpu_number(size, n),
                           gpu_number(text, job.count)) &&
                (gpu_table(b, GPU_UNIFORM, n) || one_case(b, &job, GPU_UNIFORM))) {
                return 1;
            }
        }
    }
    return 0;
}

/* Tables with other sections: instead of b->table for as long as it takes. */
static int sections(gpu_bench *b, uint64_t n, uint64_t rows)
{
    gpu_draws_job job = {.sampler = ALIAS_SAMPLER_SHARED, .count = gpu_draws(b, DRAWS)};
    alias_table *usual;
    alias_config config;
    int failed;

    if (gpu_table(b, GPU_UNIFORM, n)) {
        return 1;
    }
    usual = b->table;
    b->table = NULL;
    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    config.device = b->o->device;
    config.row_bytes = b->o->row_bytes;
    config.section_rows = rows;
    failed = gpu_alias_failed(b, "table", alias_prepare(&b->table, &config, n)) ||
             gpu_scratch(b, alias_build_bytes(b->table)) || gpu_run_build(b, b->table, 0) ||
             gpu_alias_failed(b, "table", alias_build_wait(b->table, NULL)) ||
             one_case(b, &job, GPU_UNIFORM);
    alias_destroy(b->table);
    b->table = usual;
    return failed;
}

static int parameters(gpu_bench *b)
{
    static const uint64_t sizes[] = {10000000, 1000000000};
    static const uint64_t kib[] = {0, 16, 32, 48, 64, 72, 100, 112, 160, 224};
    char text[24];

    for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (unsigned i = 0; i < sizeof(kib) / sizeof(kib[0]); i++) {
            if (gpu_fits(b, sizes[s]) &&
                gpu_wanted(b, "parameters/sections/%s/%lluKiB", gpu_number(text, sizes[s]),
                           (unsigned long long)kib[i]) &&
                sections(b, sizes[s], kib[i] * 1024 / (uint64_t)b->o->row_bytes)) {
                return 1;
            }
        }
    }
    return 0;
}

int gpu_part_sample(gpu_bench *b)
{
    static const uint64_t usual[] = {1000000, 10000000, 100000000, 1000000000};
    const uint64_t *n = b->o->sizes != 0 ? b->o->n : usual;
    int sizes = b->o->sizes != 0 ? b->o->sizes : 4;

    if (xorwow_states(b)) {
        return 1;
    }
    for (int i = 0; i < sizes; i++) {
        if (gpu_fits(b, n[i]) &&
            (samplers(b, GPU_POWER1, n[i]) || xorwow(b, n[i]) || samplers(b, GPU_UNIFORM, n[i]))) {
            return 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (gpu_fits(b, usual[i]) && counts(b, "count", usual[i], 20)) {
            return 1;
        }
    }
    for (int i = 6; i <= 18; i++) {
        if (gpu_fits(b, half_decade(i)) && counts(b, "map", half_decade(i), 19)) {
            return 1;
        }
    }
    return parameters(b);
}
