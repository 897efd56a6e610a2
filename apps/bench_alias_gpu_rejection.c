/*
 * Rejection in lockstep (Ridley and Forget): the curves of their Figures 5, 7 and 8 and their
 * Table 1 from the exact formulas, all recomputed.
 */
#include "alias/rejection.h"
#include "apps/bench_alias_gpu.h"

enum { WARP = 32, GROUPS = 6, POINTS = 199 };

static double rho_of(int i)
{
    return (i + 1) / (POINTS + 1.0);
}

/* One array over all rho; f gets rho and a number of threads. */
static int curve(gpu_bench *b, const char *key, uint32_t threads,
                 int (*f)(double rho, uint32_t threads, double *value))
{
    char name[32];

    snprintf(name, sizeof(name), "%s%u", key, threads);
    json_key(&b->row, name);
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

static int speedup(double rho, uint32_t warp, double *value)
{
    uint32_t group;

    return alias_rejection_best_group(rho, warp, &group, value);
}

static int curves(gpu_bench *b)
{
    int failed;

    gpu_row_begin(b);
    failed = curve(b, "rho", 1, identity);
    for (uint32_t t = 1; t <= WARP && !failed; t *= 2) {
        failed = curve(b, "mean", t, alias_rejection_mean) ||
                 curve(b, "approximate", t, alias_rejection_mean_approximate) ||
                 curve(b, "rate", t, rate);
    }
    failed = failed || curve(b, "speedup", WARP, speedup);
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

int gpu_part_rejection(gpu_bench *b)
{
    return (gpu_wanted(b, "rejection/curves") && curves(b)) ||
           (gpu_wanted(b, "rejection/table") && table(b));
}
