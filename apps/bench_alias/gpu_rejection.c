/*
 * Rejection in lockstep (Ridley and Forget): the curves of their Figures 3, 5, 7 and 8 and their
 * Table 1 from the exact formulas, all recomputed, and the figures measured.
 *
 * Every measured mean is checked against the exact one, within 6 standard deviations.
 */
#include "alias/research/rejection.h"
#include "apps/bench_alias/gpu.h"
#include "apps/bench_alias/rejection.h"

#include <math.h>

enum { WARP = 32, GROUPS = 6, POINTS = 199, MEASURED = 39 };

/* Samples for a measured point. */
#define SAMPLES ((uint64_t)1 << 22)

static double rho_of(int i)
{
    return (i + 1) / (POINTS + 1.0);
}

/* The key of an array: with a number of threads behind it, unless 0. */
static void array_key(gpu_bench *b, const char *key, uint32_t threads)
{
    char name[32];

    snprintf(name, sizeof(name), "%s%.0u", key, threads);
    json_key(&b->row, name);
}

/* One array over all rho of the formulas; f gets rho and the number of threads. */
static int curve(gpu_bench *b, const char *key, uint32_t threads,
                 int (*f)(double rho, uint32_t threads, double *value))
{
    array_key(b, key, threads);
    for (int i = 0; i < POINTS; i++) {
        double value = 0;

        if (gpu_alias_failed(b, key, f(rho_of(i), threads, &value))) {
            return 1;
        }
        fprintf(b->json, "%s%.6g", i == 0 ? "[" : ", ", value);
    }
    fputc(']', b->json);
    return 0;
}

static int identity(double rho, uint32_t threads, double *value)
{
    (void)threads;
    *value = rho;
    return ALIAS_OK;
}

static int rate(double rho, uint32_t group, double *value)
{
    return alias_rejection_rate(rho, WARP, group, value);
}

static int speedup(double rho, uint32_t threads, double *value)
{
    uint32_t group;

    (void)threads;
    return alias_rejection_best_group(rho, WARP, &group, value);
}

static int curves(gpu_bench *b)
{
    int failed;

    gpu_row_begin(b);
    failed = curve(b, "rho", 0, identity);
    for (uint32_t t = 1; t <= WARP && !failed; t *= 2) {
        failed = curve(b, "mean", t, alias_rejection_mean) ||
                 curve(b, "approximate", t, alias_rejection_mean_approximate) ||
                 curve(b, "rate", t, rate);
    }
    failed = failed || curve(b, "speedup", 0, speedup);
    gpu_row_end(b);
    return failed;
}

/* Beside the printed one. */
static int table(gpu_bench *b)
{
    static const double printed[GROUPS][2] = {{0.1288, 1},    {0.4271, 1.01}, {0.7170, 1.14},
                                              {0.8837, 1.39}, {0.9576, 1.84}, {1, 2.65}};
    alias_rejection_line lines[GROUPS];

    if (gpu_alias_failed(b, "table", alias_rejection_table(WARP, lines))) {
        return 1;
    }
    gpu_row_begin(b);
    json_key(&b->row, "lines");
    for (int i = 0; i < GROUPS; i++) {
        fprintf(b->json,
                "%s{\"group\": %u, \"max_rho\": %.6g, \"average_speedup\": %.6g, "
                "\"printed_max_rho\": %.4f, \"printed_average_speedup\": %.2f}",
                i == 0 ? "[" : ", ", lines[i].group, lines[i].max_rho, lines[i].average_speedup,
                printed[i][0], printed[i][1]);
        fprintf(stderr, "%-52s %2u threads up to rho %6.4f (printed %6.4f), %.3f times (%.2f)\n",
                b->name, lines[i].group, lines[i].max_rho, printed[i][0], lines[i].average_speedup,
                printed[i][1]);
    }
    fputc(']', b->json);
    gpu_row_end(b);
    return 0;
}

/* The same of measured values. */
static void array(gpu_bench *b, const char *key, int threads, const double *values)
{
    array_key(b, key, (uint32_t)threads);
    for (int i = 0; i < MEASURED; i++) {
        fprintf(b->json, "%s%.6g", i == 0 ? "[" : ", ", values[i]);
    }
    fputc(']', b->json);
}

/* One point per rho; *worst: the largest distance from the exact mean, in standard deviations. */
static int measure(gpu_bench *b, const double *rho, int lanes, int group,
                   bench_rejection_point *points, double *worst)
{
    double rounds = (double)SAMPLES * group / lanes;
    int repeats = b->o->repeats < 3 ? b->o->repeats : 3;

    if (gpu_failed(
            b, "rejection",
            (cudaError_t)bench_rejection(rho, MEASURED, lanes, group, SAMPLES, repeats, points))) {
        return 1;
    }
    for (int i = 0; i < MEASURED; i++) {
        double mean = points[i].iterations;
        double variance = points[i].iterations_squared - mean * mean;
        double exact, z;

        if (gpu_alias_failed(
                b, "mean",
                alias_rejection_mean(pow(rho[i], group), (uint32_t)(lanes / group), &exact))) {
            return 1;
        }
        /* Where hardly any round takes a second iteration, the variance is that probability. */
        z = fabs(mean - exact) / sqrt(fmax(variance, exact - 1) / rounds);
        *worst = z > *worst ? z : *worst;
    }
    return 0;
}

/* Figures 3 and 5: each thread wants a sample, all wait for the last. */
static int measured_means(gpu_bench *b, const double *rho)
{
    bench_rejection_point points[MEASURED];
    double values[MEASURED], worst = 0;

    gpu_row_begin(b);
    array(b, "rho", 0, rho);
    for (int lanes = 1; lanes <= WARP; lanes *= 2) {
        if (measure(b, rho, lanes, 1, points, &worst)) {
            return 1;
        }
        for (int i = 0; i < MEASURED; i++) {
            values[i] = points[i].iterations;
        }
        array(b, "mean", lanes, values);
    }
    json_f64(&b->row, "z", worst);
    gpu_row_check(b, "means as the formula has them", worst < 6);
    gpu_row_end(b);
    fprintf(stderr, "%-52s means at most %.1f standard deviations from the formula\n", b->name,
            worst);
    return 0;
}

/* Figures 7 and 8: groups of threads work on a sample. */
static int measured_groups(gpu_bench *b, const double *rho)
{
    bench_rejection_point points[MEASURED];
    double rate[MEASURED], speed[MEASURED], alone_rate[MEASURED], alone_speed[MEASURED];
    double best_rate[MEASURED] = {0}, best_speed[MEASURED] = {0}, worst = 0;

    gpu_row_begin(b);
    array(b, "rho", 0, rho);
    for (int group = 1; group <= WARP; group *= 2) {
        if (measure(b, rho, WARP, group, points, &worst)) {
            return 1;
        }
        for (int i = 0; i < MEASURED; i++) {
            rate[i] = points[i].samples_per_iteration;
            speed[i] = points[i].samples_per_second;
            alone_rate[i] = group == 1 ? rate[i] : alone_rate[i];
            alone_speed[i] = group == 1 ? speed[i] : alone_speed[i];
            best_rate[i] = fmax(best_rate[i], rate[i] / alone_rate[i]);
            best_speed[i] = fmax(best_speed[i], speed[i] / alone_speed[i]);
        }
        array(b, "rate", group, rate);
        array(b, "per_second", group, speed);
    }
    array(b, "speedup", 0, best_rate);
    array(b, "time_speedup", 0, best_speed);
    json_f64(&b->row, "z", worst);
    gpu_row_check(b, "means as the formula has them", worst < 6);
    gpu_row_end(b);
    fprintf(stderr,
            "%-52s at rho %.3f the best group makes %.2f times the samples per iteration, "
            "%.2f per second\n",
            b->name, rho[MEASURED - 1], best_rate[MEASURED - 1], best_speed[MEASURED - 1]);
    return 0;
}

int gpu_part_rejection(gpu_bench *b)
{
    double rho[MEASURED];

    for (int i = 0; i < MEASURED; i++) {
        rho[i] = (i + 1) / (MEASURED + 1.0);
    }
    return (gpu_wanted(b, "rejection/curves") && curves(b)) ||
           (gpu_wanted(b, "rejection/table") && table(b)) ||
           (gpu_wanted(b, "rejection/measured") && measured_means(b, rho)) ||
           (gpu_wanted(b, "rejection/groups") && measured_groups(b, rho));
}
