/*
 * alias/research/rejection.c - the number of iterations of rejection sampling in lockstep.
 *
 * The mean is the sum over n >= 0 of P(more than n iterations).  It is summed term by term if rho^n
 * becomes negligible within about ten thousand terms.  Closer to rho = 1, with h = -log(rho), the
 * terms are values g(h n) of the smooth function g(x) = 1 - (1 - exp(-x))^t, so that by the
 * Euler-Maclaurin formula
 *
 *     mean = (1 / h) integral of g + g(0) / 2 - h g'(0) / 12 + h^3 g'''(0) / 720 - ...
 *
 * where the integral is the harmonic number H_t, g(0) = 1, g'(0) = 0 for t >= 2 and |g'''(0)| <= 6.
 */
#include "alias/research/rejection.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Below this h, h^3 / 120 is less than 2^-53 of the mean. */
#define SMOOTH 1e-3

enum { INTERVALS = 64 }; /* of Simpson's rule */

static bool is_valid_case(double rho, uint32_t threads)
{
    return rho >= 0 && rho < 1 && threads >= 1 && threads <= ALIAS_REJECTION_MAX_THREADS;
}

static bool power_of_two(uint32_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

/* log P(at most n iterations), n >= 1. */
static double log_cdf(double rho, double threads, double n)
{
    return threads * log1p(-pow(rho, n));
}

int alias_rejection_cdf(double rho, uint32_t threads, uint64_t n, double *probability)
{
    if (!is_valid_case(rho, threads) || probability == NULL) {
        return ALIAS_ERR_ARG;
    }
    *probability = n == 0 ? 0 : exp(log_cdf(rho, threads, (double)n));
    return ALIAS_OK;
}

/* Computed as P(at most n) (1 - P(at most n - 1) / P(at most n)), which avoids cancellation. */
int alias_rejection_probability(double rho, uint32_t threads, uint64_t n, double *probability)
{
    double before, ratio;

    if (!is_valid_case(rho, threads) || probability == NULL) {
        return ALIAS_ERR_ARG;
    }
    if (n <= 1) {
        *probability = n == 0 ? 0 : exp(log_cdf(rho, threads, 1));
        return ALIAS_OK;
    }
    before = pow(rho, (double)(n - 1));
    ratio = threads * log1p(-before * (1 - rho) / (1 - before * rho));
    *probability = -exp(log_cdf(rho, threads, (double)n)) * expm1(ratio);
    return ALIAS_OK;
}

static double harmonic(uint32_t t)
{
    double sum = 0;

    for (; t > 0; t--) {
        sum += 1.0 / t;
    }
    return sum;
}

/* The mean for rho = exp(-h). */
static double mean_iterations(double h, double threads)
{
    double sum = 0, term = 1, n;

    if (threads == 1) {
        return -1 / expm1(-h);
    }
    if (h < SMOOTH) {
        return harmonic((uint32_t)threads) / h + 0.5;
    }
    for (n = 1; term > 0x1p-60; n++) {
        sum += term;
        term = -expm1(threads * log1p(-exp(-h * n)));
    }
    return sum;
}

int alias_rejection_mean(double rho, uint32_t threads, double *mean)
{
    if (!is_valid_case(rho, threads) || mean == NULL) {
        return ALIAS_ERR_ARG;
    }
    *mean = mean_iterations(-log(rho), threads);
    return ALIAS_OK;
}

int alias_rejection_mean_approximate(double rho, uint32_t threads, double *mean)
{
    const double t = threads;

    if (!is_valid_case(rho, threads) || mean == NULL) {
        return ALIAS_ERR_ARG;
    }
    *mean = rho < exp2(1 / t) - 1 ? 3 - pow(1 - rho, t) - pow(1 - rho * rho, t)
                                  : log(2 * (rho - 1) * t / log(rho)) / -log(rho) + 1;
    return ALIAS_OK;
}

/* alias_rejection_rate() for arguments that have been checked. */
static double group_rate(double rho, uint32_t warp, uint32_t group)
{
    return warp / group / mean_iterations(-log(rho) * group, warp / group);
}

int alias_rejection_rate(double rho, uint32_t warp, uint32_t group, double *out)
{
    if (!is_valid_case(rho, warp) || group == 0 || warp % group != 0 || out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = group_rate(rho, warp, group);
    return ALIAS_OK;
}

int alias_rejection_best_group(double rho, uint32_t warp, uint32_t *group, double *speedup)
{
    double best, base;
    uint32_t g;

    if (!is_valid_case(rho, warp) || !power_of_two(warp) || group == NULL) {
        return ALIAS_ERR_ARG;
    }
    base = group_rate(rho, warp, 1);
    best = base;
    *group = 1;
    for (g = 2; g <= warp; g *= 2) {
        double r = group_rate(rho, warp, g);

        if (r > best) {
            best = r;
            *group = g;
        }
    }
    if (speedup != NULL) {
        *speedup = best / base;
    }
    return ALIAS_OK;
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

int alias_rejection_table(uint32_t warp, alias_rejection_line *lines)
{
    double from = 0;
    uint32_t g;

    if (!is_valid_case(0, warp) || !power_of_two(warp) || lines == NULL) {
        return ALIAS_ERR_ARG;
    }
    for (g = 1; g <= warp; g *= 2) {
        lines->group = g;
        lines->max_rho = g < warp ? crossing(warp, g) : 1;
        lines->average_speedup = integrate_rate(from, lines->max_rho, warp, g) /
                                 integrate_rate(from, lines->max_rho, warp, 1);
        from = lines->max_rho;
        lines++;
    }
    return ALIAS_OK;
}
