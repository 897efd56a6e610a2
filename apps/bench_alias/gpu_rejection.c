/*
 * Rejection in lockstep (Ridley and Forget): the curves of their Figures 3, 5, 7 and 8 and their
 * Table 1 from the exact formulas, all recomputed, and the figures measured.
 *
 * Every measured mean is checked against the exact one, within 6 standard deviations.
 */
#include "alias/research/rejection.h"
#include "apps/bench_alias/gpu.h"

#include <math.h>

enum { WARP = 32, GROUPS = 6, POINTS = 199, MEASURED = 39 };

/* Samples for a measured point. */
#define SAMPLES ((uint64_t)1 << 22)

/* An array of the row: its key has a number of threads behind it, unless 0. */
static void add_array(gpu_bench *b, const char *key, int threads, int count, const double *values)
{
    char name[32];

    snprintf(name, sizeof(name), "%s%.0d", key, threads);
    json_key(&b->row, name);
    for (int i = 0; i < count; i++) {
        fprintf(b->json, "%s%.6g", i == 0 ? "[" : ", ", values[i]);
    }
    fputc(']', b->json);
}

static int warp_rate(double rho, uint32_t group, double *value)
{
    return alias_rejection_rate(rho, WARP, group, value);
}

static int best_speedup(double rho, uint32_t threads, double *value)
{
    uint32_t group;

    (void)threads;
    return alias_rejection_best_group(rho, WARP, &group, value);
}

/* An array over all rho of a formula. */
static int add_curve(gpu_bench *b, const char *key, uint32_t threads,
                     int (*formula)(double rho, uint32_t threads, double *value))
{
    double values[POINTS];

    for (int i = 0; i < POINTS; i++) {
        if (gpu_alias_failed(b, key, formula((i + 1) / (POINTS + 1.0), threads, &values[i]))) {
            return 1;
        }
    }
    add_array(b, key, (int)threads, POINTS, values);
    return 0;
}

static int add_curves(gpu_bench *b)
{
    double rho[POINTS];
    int failed = 0;

    for (int i = 0; i < POINTS; i++) {
        rho[i] = (i + 1) / (POINTS + 1.0);
    }
    gpu_row_begin(b);
    add_array(b, "rho", 0, POINTS, rho);
    for (uint32_t t = 1; t <= WARP && !failed; t *= 2) {
        failed = add_curve(b, "mean", t, alias_rejection_mean) ||
                 add_curve(b, "approximate", t, alias_rejection_mean_approximate) ||
                 add_curve(b, "rate", t, warp_rate);
    }
    failed = failed || add_curve(b, "speedup", 0, best_speedup);
    gpu_row_end(b);
    return failed;
}

static int add_table(gpu_bench *b)
{
    alias_rejection_line lines[GROUPS];
    double max_rho[GROUPS], speedup[GROUPS];

    if (gpu_alias_failed(b, "table", alias_rejection_table(WARP, lines))) {
        return 1;
    }
    for (int i = 0; i < GROUPS; i++) {
        max_rho[i] = lines[i].max_rho;
        speedup[i] = lines[i].average_speedup;
        fprintf(stderr, "%-52s %2u threads up to rho %6.4f, %.3f times\n", b->name, lines[i].group,
                max_rho[i], speedup[i]);
    }
    gpu_row_begin(b);
    add_array(b, "max_rho", 0, GROUPS, max_rho);
    add_array(b, "average_speedup", 0, GROUPS, speedup);
    gpu_row_end(b);
    return 0;
}

typedef struct {
    double rho;
    int lanes, group;
    uint64_t rounds;
} rejection_job;

static int run_rejection(gpu_bench *b, void *arg, int r)
{
    const rejection_job *j = arg;

    (void)r;
    return gpu_failed(
        b, "rejection",
        bench_gpu_rejection(j->rho, j->lanes, j->group, j->rounds, b->sums, b->stream));
}

/* For each rho the mean number of iterations of a round, and samples per second; *worst: the
 * largest distance from the exact mean, in standard deviations. */
static int measure_means(gpu_bench *b, const double *rho, int lanes, int group, double *means,
                         double *per_second, double *worst)
{
    const int samples = lanes / group; /* of a round */
    rejection_job j = {.lanes = lanes, .group = group, .rounds = SAMPLES / (uint64_t)samples + 1};
    const double rounds = (double)j.rounds;

    for (int i = 0; i < MEASURED; i++) {
        uint64_t sums[GPU_SUMS];
        double variance, exact, z;
        bench_stats ms;

        j.rho = rho[i];
        if (gpu_time(b, GPU_WARM, run_rejection, &j, &ms) || gpu_sums_clear(b) ||
            run_rejection(b, &j, 0) || gpu_sums_read(b, sums) ||
            gpu_alias_failed(b, "mean",
                             alias_rejection_mean(pow(rho[i], group), (uint32_t)samples, &exact))) {
            return 1;
        }
        means[i] = (double)sums[0] / rounds;
        per_second[i] = rounds * samples / (1e-3 * ms.median);
        /* Where hardly any round takes a second iteration, the variance is that probability. */
        variance = (double)sums[1] / rounds - means[i] * means[i];
        z = fabs(means[i] - exact) / sqrt(fmax(variance, exact - 1) / rounds);
        *worst = z > *worst ? z : *worst;
    }
    return 0;
}

static void end_measured(gpu_bench *b, double worst)
{
    json_f64(&b->row, "z", worst);
    gpu_row_check(b, "means as the formula has them", worst < 6);
    gpu_row_end(b);
    fprintf(stderr, "%-52s means at most %.1f standard deviations from the formula\n", b->name,
            worst);
}

/* Figures 3 and 5: each thread wants a sample, all wait for the last. */
static int add_measured_means(gpu_bench *b, const double *rho)
{
    double means[MEASURED], per_second[MEASURED], worst = 0;

    gpu_row_begin(b);
    add_array(b, "rho", 0, MEASURED, rho);
    for (int lanes = 1; lanes <= WARP; lanes *= 2) {
        if (measure_means(b, rho, lanes, 1, means, per_second, &worst)) {
            return 1;
        }
        add_array(b, "mean", lanes, MEASURED, means);
    }
    end_measured(b, worst);
    return 0;
}

/* Figures 7 and 8: groups of threads work on a sample. */
static int add_measured_groups(gpu_bench *b, const double *rho)
{
    double means[MEASURED], per_second[MEASURED], rates[MEASURED], worst = 0;

    gpu_row_begin(b);
    add_array(b, "rho", 0, MEASURED, rho);
    for (int group = 1; group <= WARP; group *= 2) {
        if (measure_means(b, rho, WARP, group, means, per_second, &worst)) {
            return 1;
        }
        for (int i = 0; i < MEASURED; i++) {
            rates[i] = WARP / group / means[i];
        }
        add_array(b, "rate", group, MEASURED, rates);
        add_array(b, "per_second", group, MEASURED, per_second);
    }
    end_measured(b, worst);
    return 0;
}

int gpu_part_rejection(gpu_bench *b)
{
    double rho[MEASURED];

    for (int i = 0; i < MEASURED; i++) {
        rho[i] = (i + 1) / (MEASURED + 1.0);
    }
    return (gpu_wanted(b, "rejection/curves") && add_curves(b)) ||
           (gpu_wanted(b, "rejection/table") && add_table(b)) ||
           (gpu_wanted(b, "rejection/measured") && add_measured_means(b, rho)) ||
           (gpu_wanted(b, "rejection/groups") && add_measured_groups(b, rho));
}
