/*
 * The GPU's cases of sampling: every sampler with 1e9 draws, added up in registers or written;
 * table sizes and numbers of draws; other section sizes; Bringmann and Larsen's tables; and
 * rejection in lockstep.
 */
#include "alias/core/rejection.h"
#include "apps/bench_alias/gpu.h"
#include "apps/bench_alias/space_efficient.h"
#include "apps/common/message.h"

#include <math.h>

typedef enum {
    REDUCED,  /* added up in registers, as in the papers' benchmark */
    WRITTEN,  /* into memory as uint32 */
    WRITTEN64 /* as uint64 */
} target;

typedef struct {
    alias_sampler sampler; /* AUTO: the table's choice */
    target to;
    uint64_t count;
} draws_job;

/* Makes job->count draws from b->gpu->table with seed r + 1.  In the reduced case their sum modulo
 * 2^32 is added to sums[0]. */
static int run_draws(bench *b, void *arg, int r)
{
    const draws_job *job = arg;
    const uint64_t seed = (uint64_t)r + 1;
    gpu_state *g = b->gpu;
    int st;

    switch (job->to) {
    case REDUCED:
        st = bench_gpu_reduce(g->table, job->sampler, seed, job->count, g->sums, g->stream);
        break;
    case WRITTEN:
        st = alias_sample32_device(g->table, job->sampler, seed, 0, job->count, b->out, g->stream);
        break;
    default:
        st = alias_sample64_device(g->table, job->sampler, seed, 0, job->count, b->out, g->stream);
    }
    return bench_failed(b, "draws", st);
}

static int measure_draws(bench *b, draws_job *job)
{
    bench_stats ms;

    if (bench_time(b, gpu_warm_clock, run_draws, job, &ms)) {
        return 1;
    }
    bench_print(b, "%10.4f %10.4f %10.4f %8.3f", ms.median, ms.min, ms.max,
                1e-6 * (double)job->count / ms.median);
    return 0;
}

int gpu_measure_samplers(bench *b)
{
    static const char *const targets[] = {"reduced", "uint32", "uint64"};
    uint64_t n;

    for (int i = 0; i < 2 * BENCH_SIZES && (n = bench_size(b, i / 2)) != 0; i++) {
        const bench_family f = i % 2 == 0 ? UNIFORM : POWER1;

        if (gpu_table(b, f, n)) {
            return 1;
        }
        for (target to = REDUCED; to <= WRITTEN64; to++) {
            for (alias_sampler s = ALIAS_SAMPLER_AUTO; s <= ALIAS_SAMPLER_SHARED; s++) {
                draws_job job = {.sampler = s, .to = to, .count = b->draws};

                if (to == WRITTEN64 &&
                    (s != ALIAS_SAMPLER_AUTO || 8 * job.count > b->gpu->out_bytes)) {
                    continue;
                }
                bench_row(b, "%s %s %s %llu", targets[to], alias_sampler_name(s),
                          bench_family_names[f], (unsigned long long)n);
                if (measure_draws(b, &job)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* The i-th number, from 1 on, of the form 1 or 3 followed by zeros. */
static uint64_t half_decade(int i)
{
    uint64_t n = i % 2 != 0 ? 3 : 1;

    for (; i > 1; i -= 2) {
        n *= 10;
    }
    return n;
}

/* Tables of 1e3 to 1e9 rows, 1e4 to 3e9 draws. */
int gpu_measure_map(bench *b)
{
    for (int i = 6; i <= 18 && half_decade(i) <= b->rows; i++) {
        if (gpu_table(b, UNIFORM, half_decade(i))) {
            return 1;
        }
        for (int c = 8; c <= 19 && half_decade(c) <= b->limit; c++) {
            for (alias_sampler s = ALIAS_SAMPLER_BASELINE; s <= ALIAS_SAMPLER_SHARED; s++) {
                draws_job job = {.sampler = s, .count = half_decade(c)};

                bench_row(b, "%s %llu %llu", alias_sampler_name(s), (unsigned long long)b->n,
                          (unsigned long long)job.count);
                if (measure_draws(b, &job)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* Measures a table with other sections, which replaces b->gpu->table for the time. */
static int measure_section(bench *b, uint64_t rows)
{
    draws_job job = {.sampler = ALIAS_SAMPLER_SHARED, .count = b->draws};
    alias_config config = gpu_config(b);
    alias_table *usual = b->gpu->table;
    int failed;

    config.section_rows = rows;
    failed = gpu_build(b, &config, &b->gpu->table) || measure_draws(b, &job);
    alias_destroy(b->gpu->table);
    b->gpu->table = usual;
    return failed;
}

int gpu_measure_sections(bench *b)
{
    static const uint64_t kib[10] = {0, 16, 32, 48, 64, 72, 100, 112, 160, 224};
    const uint64_t sizes[] = {bench_least(10000000, b->rows), bench_size(b, 3)};
    int shared = 0; /* bytes that a block can have */

    (void)cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, b->device);
    for (int i = 0; i < 2 && sizes[i] != 0; i++) {
        if (gpu_weights(b, UNIFORM, sizes[i])) {
            return 1;
        }
        for (int k = 0; k < 10 && kib[k] * 1024 < (uint64_t)shared; k++) {
            bench_row(b, "%llu %llu", (unsigned long long)b->n, (unsigned long long)kib[k]);
            if (measure_section(b, kib[k] * 1024 / 8)) {
                return 1;
            }
        }
    }
    return 0;
}

/* --- Bringmann and Larsen's tables --- */

static int run_space_build(bench *b, void *arg, int r)
{
    alias_space_efficient **made = arg;

    (void)r;
    alias_space_efficient_destroy(*made);
    return bench_failed(b, "build",
                        alias_space_efficient_create_device(made, b->device, b->weights, b->n,
                                                            b->gpu->stream, NULL));
}

static int run_space_draws(bench *b, void *arg, int r)
{
    alias_space_efficient **made = arg;

    return bench_failed(b, "draws",
                        alias_space_efficient_sample32_device(*made, ALIAS_SPACE_AUTO,
                                                              (uint64_t)r + 1, 0, b->draws, b->out,
                                                              b->gpu->stream));
}

int gpu_measure_spaces(bench *b)
{
    return bench_spaces(b, gpu_weights, run_space_build, bench_wall_clock, run_space_draws,
                        gpu_warm_clock);
}

/* --- Rejection in lockstep --- */

enum { WARP = 32, POINTS = 39 };

/* Samples for a measured point. */
#define SAMPLES ((uint64_t)1 << 22)

typedef struct {
    double rho;
    int lanes, group;
    uint64_t rounds;
} rejection_job;

static int run_rejection(bench *b, void *arg, int r)
{
    const rejection_job *j = arg;

    (void)r;
    return gpu_failed(
        b, "rejection",
        bench_gpu_rejection(j->rho, j->lanes, j->group, j->rounds, b->gpu->sums, b->gpu->stream));
}

/* Measures the mean number of iterations of a round, and the rate in G samples/s. */
static int measure_rejection(bench *b, rejection_job *j, double *mean, double *rate)
{
    const int samples = j->lanes / j->group; /* of a round */
    const size_t bytes = GPU_SUMS * sizeof(uint64_t);
    uint64_t sums[GPU_SUMS];
    double variance, exact = 0;
    bench_stats ms;

    bench_row(b, "rho %.3f, %d threads in groups of %d", j->rho, j->lanes, j->group);
    j->rounds = SAMPLES / (uint64_t)samples + 1;
    if (bench_time(b, gpu_warm_clock, run_rejection, j, &ms) ||
        gpu_failed(b, "sums", cudaMemsetAsync(b->gpu->sums, 0, bytes, b->gpu->stream)) ||
        run_rejection(b, j, 0) || gpu_failed(b, "waiting", cudaStreamSynchronize(b->gpu->stream)) ||
        gpu_failed(b, "sums", cudaMemcpy(sums, b->gpu->sums, bytes, cudaMemcpyDeviceToHost)) ||
        bench_failed(b, "mean",
                     alias_rejection_mean(pow(j->rho, j->group), (uint32_t)samples, &exact))) {
        return 1;
    }
    *mean = (double)sums[0] / (double)j->rounds;
    *rate = 1e-6 * (double)j->rounds * samples / ms.median;
    /* If almost no round takes a second iteration, the variance is the probability of one. */
    variance = (double)sums[1] / (double)j->rounds - *mean * *mean;
    if (fabs(*mean - exact) > 6 * sqrt(fmax(variance, exact - 1) / (double)j->rounds)) {
        runtime_error("", "%s: %g iterations on average, not %g", b->row, *mean, exact);
        return 1;
    }
    return 0;
}

/* For t = 1, 2, 4, ... 32: t threads make a sample each, and all wait for the last (Figure 3); a
 * warp works on samples in groups of t threads (Figure 7). */
int gpu_measure_rejection(bench *b)
{
    double mean = 0, warp = 0, rate = 0;

    for (int i = 1; i <= POINTS; i++) {
        printf("%.3f", i / (POINTS + 1.0));
        for (int t = 1; t <= WARP; t *= 2) {
            rejection_job alone = {.rho = i / (POINTS + 1.0), .lanes = t, .group = 1};
            rejection_job groups = {.rho = i / (POINTS + 1.0), .lanes = WARP, .group = t};

            if (measure_rejection(b, &alone, &mean, &rate) ||
                measure_rejection(b, &groups, &warp, &rate)) {
                return 1;
            }
            printf(" %.6g %.6g %.4g", mean, WARP / t / warp, rate);
        }
        putchar('\n');
    }
    return 0;
}
