/* Ridley and Forget's formulas of rejection in lockstep; Table 1 by bisection and by Simpson's
 * rule.
 */
#include "apps/bench_alias/rejection.h"

#include <math.h>

enum { INTERVALS = 64 }; /* of Simpson's rule */

/* log P(at most n iterations), n >= 1. */
static double log_cdf(double rho, double threads, double n)
{
    return threads * log1p(-pow(rho, n));
}

/* Computed as P(at most n) (1 - P(at most n - 1) / P(at most n)), which avoids cancellation. */
double rejection_probability(double rho, uint32_t threads, uint64_t n)
{
    double before, ratio;

    if (n <= 1) {
        return n == 0 ? 0 : exp(log_cdf(rho, threads, 1));
    }
    before = pow(rho, (double)(n - 1));
    ratio = threads * log1p(-before * (1 - rho) / (1 - before * rho));
    return -exp(log_cdf(rho, threads, (double)n)) * expm1(ratio);
}

double rejection_mean_approximate(double rho, uint32_t threads)
{
    const double t = threads;

    return rho < exp2(1 / t) - 1 ? 3 - pow(1 - rho, t) - pow(1 - rho * rho, t)
                                 : log(2 * (rho - 1) * t / log(rho)) / -log(rho) + 1;
}

static double group_rate(double rho, uint32_t warp, uint32_t group)
{
    double rate = NAN;

    (void)alias_rejection_rate(rho, warp, group, &rate);
    return rate;
}

/* The rho at which groups of 2 g threads become as fast as groups of g, by bisection to the last
 * bit. */
static double crossing(uint32_t warp, uint32_t g)
{
    double low = 0, high = 1 - 1e-4 / g, middle = 0.5 * high;

    while (low < middle && middle < high) {
        if (group_rate(middle, warp, g) > group_rate(middle, warp, 2 * g)) {
            low = middle;
        } else {
            high = middle;
        }
        middle = 0.5 * (low + high);
    }
    return high;
}

/* The integral of the rate over rho, by Simpson's rule. */
static double integrate_rate(double from, double to, uint32_t warp, uint32_t group)
{
    double sum = 0;
    int i;

    for (i = 0; i <= INTERVALS; i++) {
        double rho = from + (to - from) * i / INTERVALS;
        int factor = i == 0 || i == INTERVALS ? 1 : i % 2 == 1 ? 4 : 2;

        sum += rho < 1 ? factor * group_rate(rho, warp, group) : 0;
    }
    return sum * (to - from) / (3 * INTERVALS);
}

void rejection_table(uint32_t warp, rejection_line *lines)
{
    double from = 0;

    for (uint32_t g = 1; g <= warp; g *= 2) {
        lines->group = g;
        lines->max_rho = g < warp ? crossing(warp, g) : 1;
        lines->average_speedup = integrate_rate(from, lines->max_rho, warp, g) /
                                 integrate_rate(from, lines->max_rho, warp, 1);
        from = lines->max_rho;
        lines++;
    }
}
