/*
 * alias/cpu/rejection.c - the number of iterations of rejection sampling in lockstep.
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
#include "alias/core/rejection.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Below this h, h^3 / 120 is less than 2^-53 of the mean. */
#define SMOOTH 1e-3

static bool is_valid_case(double rho, uint32_t threads)
{
    return rho >= 0 && rho < 1 && threads >= 1 && threads <= ALIAS_REJECTION_MAX_THREADS;
}

static bool power_of_two(uint32_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
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
