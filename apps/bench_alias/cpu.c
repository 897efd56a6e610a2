/*
 * The CPU's cases of bench_alias, on all processors that the process may use, and Ridley
 * and Forget's Table 1.  A build includes the allocation of the table, as a user sees it.
 * Draws write to memory that has been touched.
 */
#include "alias/core/rejection.h"
#include "apps/bench_alias/bench_alias.h"
#include "apps/common/system.h"

#include <math.h>
#include <omp.h>
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
    printf("%s, %d processors\n", model, omp_get_num_procs());
    b->out = malloc(b->draws * sizeof(uint32_t));
    return bench_failed(b, "memory", b->out != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM);
}

static void close_cpu(bench *b)
{
    free(b->weights);
    free(b->out);
}

static int make_weights(bench *b)
{
    free(b->weights);
    b->weights = malloc(b->n * sizeof(*b->weights));
    if (b->weights == NULL) {
        return bench_failed(b, "memory", ALIAS_ERR_NOMEM);
    }
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i++) {
        b->weights[i] = bench_weight(b->family, i, b->n);
    }
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

    for (unsigned k = 0; k < sizeof(builders) / sizeof(builders[0]); k++) {
        alias_builder builder = builders[k];

        bench_row(b, "%s %s %llu", alias_builder_name(builder), bench_family_names[b->family],
                  (unsigned long long)b->n);
        if (bench_rate(b, bench_wall_clock, run_build, &builder, b->n)) {
            return 1;
        }
    }
    return 0;
}

typedef struct {
    const char *name;
    int (*draw)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                uint32_t *out);
    const alias_table *table;
} draw_job;

static int run_draws(bench *b, void *arg, int r)
{
    const draw_job *job = arg;

    return bench_failed(b, "draws", job->draw(job->table, (uint64_t)r + 1, 0, b->draws, b->out));
}

static int measure_samplers(bench *b)
{
    draw_job jobs[] = {{"sequence", alias_sample32, NULL},
                       {"sections", alias_sample_sections32, NULL}};
    alias_table *made = NULL;
    int failed = create_table(b, ALIAS_BUILDER_AUTO, &made);

    for (int k = 0; k < 2 && !failed; k++) {
        jobs[k].table = made;
        bench_row(b, "%s %s %llu %llu", jobs[k].name, bench_family_names[b->family],
                  (unsigned long long)b->n, (unsigned long long)b->draws);
        failed = bench_rate(b, bench_wall_clock, run_draws, &jobs[k], b->draws);
    }
    alias_destroy(made);
    return failed;
}

/* --- Rejection in lockstep: Table 1 of Ridley and Forget, from alias/core/rejection.h --- */

enum { WARP = 32, STEPS = 4096 };

static double group_rate(double rho, uint32_t group)
{
    double rate = NAN;

    (void)alias_rejection_rate(rho, WARP, group, &rate);
    return rate;
}

/* The rho at which groups of 2 g threads become as fast as groups of g, by bisection to the last
 * bit. */
static double crossing(uint32_t g)
{
    double low = 0, high = 1 - 1e-4 / g, middle = 0.5 * high;

    while (low < middle && middle < high) {
        if (group_rate(middle, g) > group_rate(middle, 2 * g)) {
            low = middle;
        } else {
            high = middle;
        }
        middle = 0.5 * (low + high);
    }
    return high;
}

/* The sum of the rates in the middles of equal steps of rho. */
static double sum_rates(double from, double to, uint32_t group)
{
    double sum = 0;

    for (int i = 0; i < STEPS; i++) {
        sum += group_rate(from + (to - from) * (i + 0.5) / STEPS, group);
    }
    return sum;
}

/* A line for groups of 1, 2, ... 32 threads.  Such groups are best for rho from the previous line's
 * to this line's max_rho.  Their rate, averaged over these rho, is average_speedup times that of
 * one thread per sample. */
static int print_best_groups(bench *b)
{
    double from = 0;

    (void)b;
    for (uint32_t g = 1; g <= WARP; g *= 2) {
        const double to = g < WARP ? crossing(g) : 1;

        printf("%2u %6.2f %.3f\n", g, 100 * to, sum_rates(from, to, g) / sum_rates(from, to, 1));
        from = to;
    }
    return 0;
}

static const bench_case cases[] = {
    {"build", "construction (Lehmann et al., Table 2)",
     "builder weights rows ms ms_min ms_max Grows/s", measure_builds, 1000000, 100000000, SORTED},
    {"sample", "draws, written as uint32 (Table 3)",
     "sampler weights rows draws ms ms_min ms_max Gdraws/s", measure_samplers, 1000000, 1000000000,
     POWER1},
    {"rejection-table", "the best number of threads per sample (Table 1)",
     "threads max_rho_percent average_speedup", print_best_groups, 0, 0, 0},
};

const bench_backend bench_cpu = {open_cpu, close_cpu, make_weights, cases,
                                 sizeof(cases) / sizeof(cases[0])};
