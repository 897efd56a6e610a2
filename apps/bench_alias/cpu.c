/*
 * The CPU's cases of bench_alias, on all processors that the process may use, and the values of
 * Ridley and Forget's formulas.  A build includes the allocation of the table, as a user sees it.
 * Draws write to memory that has been touched.
 */
#include "apps/bench_alias/bench_alias.h"
#include "apps/bench_alias/rejection.h"
#include "apps/bench_alias/space_efficient.h"
#include "apps/common/system.h"

#include <stdlib.h>
#include <unistd.h>

/* Draws in a timed run. */
#define DRAWS ((uint64_t)1 << 26)

static int open_cpu(bench *b)
{
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    char model[256];

    /* Weights, a table and the scratch memory of its builder take less than half of the memory. */
    b->rows = bench_least(b->limit, memory / 64);
    b->draws = bench_least(b->limit, DRAWS);
    cpu_model(model, sizeof(model));
    printf("%s, %d processors\n", model, cpu_usable());
    return 0;
}

static void close_cpu(bench *b)
{
    free(b->weights);
    free(b->out);
}

/* Makes these the current weights, with room for draws. */
static int use_weights(bench *b, bench_family family, uint64_t n)
{
    if (b->n != n) {
        free(b->weights);
        b->weights = malloc(n * sizeof(*b->weights));
    }
    if (b->out == NULL) {
        b->out = malloc(b->draws * sizeof(uint32_t));
    }
    b->n = b->weights != NULL ? n : 0;
    if (b->weights == NULL || b->out == NULL) {
        return bench_failed(b, "memory", ALIAS_ERR_NOMEM);
    }
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < n; i++) {
        b->weights[i] = bench_weight(family, i, n);
    }
    b->family = family;
    return 0;
}

static int create_table(const bench *b, alias_builder builder, alias_table **made)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.builder = builder;
    return bench_failed(b, "build", alias_create(made, &config, b->weights, b->n, NULL));
}

static int run_build(bench *b, void *arg, int r)
{
    alias_table *made = NULL;
    const int failed = create_table(b, *(const alias_builder *)arg, &made);

    (void)r;
    alias_destroy(made);
    return failed;
}

static int measure_builds(bench *b)
{
    static const alias_builder builders[] = {ALIAS_BUILDER_SWEEP, ALIAS_BUILDER_PSA,
                                             ALIAS_BUILDER_PSA_PLUS};
    uint64_t n;

    for (int i = 0; i < BENCH_SIZES - 1 && (n = bench_size(b, i)) != 0; i++) {
        for (bench_family f = UNIFORM; f < FAMILIES; f++) {
            if (use_weights(b, f, n)) {
                return 1;
            }
            for (unsigned k = 0; k < sizeof(builders) / sizeof(builders[0]); k++) {
                alias_builder builder = builders[k];
                bench_stats ms;

                bench_row(b, "%s %s %llu", alias_builder_name(builder), bench_family_names[f],
                          (unsigned long long)n);
                if (bench_time(b, bench_wall_clock, run_build, &builder, &ms)) {
                    return 1;
                }
                bench_print(b, "%10.4f %10.4f %10.4f %8.4f", ms.median, ms.min, ms.max,
                            1e-6 * (double)n / ms.median);
            }
        }
    }
    return 0;
}

typedef int (*draw_function)(const alias_table *table, uint64_t seed, uint64_t first,
                             uint64_t count, uint32_t *out);

typedef struct {
    const alias_table *table;
    draw_function draw;
} draw_job;

static int run_draws(bench *b, void *arg, int r)
{
    const draw_job *job = arg;

    return bench_failed(b, "draws", job->draw(job->table, (uint64_t)r + 1, 0, b->draws, b->out));
}

static int measure_sampler(bench *b, const alias_table *made, const char *name, draw_function draw)
{
    draw_job job = {made, draw};
    bench_stats ms;

    bench_row(b, "%s %s %llu", name, bench_family_names[b->family], (unsigned long long)b->n);
    if (bench_time(b, bench_wall_clock, run_draws, &job, &ms)) {
        return 1;
    }
    bench_print(b, "%10llu %10.4f %10.4f %10.4f %8.4f", (unsigned long long)b->draws, ms.median,
                ms.min, ms.max, 1e-6 * (double)b->draws / ms.median);
    return 0;
}

static int measure_samplers(bench *b)
{
    uint64_t n;

    for (int i = 0; i < BENCH_SIZES && (n = bench_size(b, i)) != 0; i++) {
        for (bench_family f = UNIFORM; f <= POWER1; f++) {
            alias_table *made = NULL;
            const int failed = use_weights(b, f, n) || create_table(b, ALIAS_BUILDER_AUTO, &made) ||
                               measure_sampler(b, made, "sequence", alias_sample32) ||
                               measure_sampler(b, made, "sections", alias_sample_sections32);

            alias_destroy(made);
            if (failed) {
                return 1;
            }
        }
    }
    return 0;
}

static int run_space_build(bench *b, void *arg, int r)
{
    alias_space_efficient **made = arg;

    (void)r;
    alias_space_efficient_destroy(*made);
    return bench_failed(b, "build", alias_space_efficient_create(made, 0, b->weights, b->n, NULL));
}

static int run_space_draws(bench *b, void *arg, int r)
{
    alias_space_efficient **made = arg;

    return bench_failed(
        b, "draws", alias_space_efficient_sample32(*made, (uint64_t)r + 1, 0, b->draws, b->out));
}

static int measure_spaces(bench *b)
{
    return bench_spaces(b, use_weights, run_space_build, bench_wall_clock, run_space_draws,
                        bench_wall_clock);
}

/* --- Rejection in lockstep --- */

enum { WARP = 32, GROUPS = 6, POINTS = 199 };

static int print_distribution(bench *b)
{
    static const double rho[] = {0.5, 0.1, 0.05, 0.01};

    (void)b;
    for (uint64_t n = 1; n <= 24; n++) {
        printf("%2d", (int)n);
        for (int i = 0; i < 4; i++) {
            printf(" %.8f", rejection_probability(rho[i], WARP, n));
        }
        putchar('\n');
    }
    return 0;
}

/* For t = 1, 2, 4, ... 32: the mean number of iterations of t threads, also by Eq. 17, and samples
 * per iteration of a warp in groups of t threads; then the best group. */
static int print_curves(bench *b)
{
    double mean = 0, rate = 0, speedup = 0;
    uint32_t best = 0;
    int failed = 0;

    for (int i = 1; i <= POINTS && !failed; i++) {
        const double rho = i / (POINTS + 1.0);

        printf("%.3f", rho);
        for (uint32_t t = 1; t <= WARP; t *= 2) {
            failed = failed || bench_failed(b, "mean", alias_rejection_mean(rho, t, &mean)) ||
                     bench_failed(b, "rate", alias_rejection_rate(rho, WARP, t, &rate));
            printf(" %.6g %.6g %.6g", mean, rejection_mean_approximate(rho, t), rate);
        }
        failed = failed ||
                 bench_failed(b, "best", alias_rejection_best_group(rho, WARP, &best, &speedup));
        printf(" %u %.6g\n", best, speedup);
    }
    return failed;
}

static int print_best_groups(bench *b)
{
    rejection_line lines[GROUPS];

    (void)b;
    rejection_table(WARP, lines);
    for (int i = 0; i < GROUPS; i++) {
        printf("%2u %6.2f %.3f\n", lines[i].group, 100 * lines[i].max_rho,
               lines[i].average_speedup);
    }
    return 0;
}

static const bench_case cases[] = {
    {"build", "construction (Lehmann et al., Table 2)",
     "builder weights rows ms ms_min ms_max Grows/s", measure_builds},
    {"sample", "draws, written as uint32 (Table 3)",
     "sampler weights rows draws ms ms_min ms_max Gdraws/s", measure_samplers},
    {"space", "Bringmann and Larsen's tables (thesis, 5.3.2)",
     "weights rows build_ms bytes/item Gdraws/s", measure_spaces},
    {"rejection-distribution", "iterations of 32 threads (Ridley and Forget, Figure 2)",
     "iterations rho0.5 rho0.1 rho0.05 rho0.01", print_distribution},
    {"rejection-curves", "iterations and samples per iteration of 1 to 32 threads (Figures 5 to 8)",
     "rho mean1 eq17_1 rate1 mean2 eq17_2 rate2 mean4 eq17_4 rate4 mean8 eq17_8 rate8 "
     "mean16 eq17_16 rate16 mean32 eq17_32 rate32 best speedup",
     print_curves},
    {"rejection-table", "the best number of threads per sample (Table 1)",
     "threads max_rho_percent average_speedup", print_best_groups},
};

const bench_backend bench_cpu = {open_cpu, close_cpu, cases, sizeof(cases) / sizeof(cases[0])};
