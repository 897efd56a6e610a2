/*
 * alias/core/rejection.h - the number of iterations of rejection sampling in SIMT lockstep, and the
 * best number of threads per sample: the group size of alias/gpu/rejection.cuh.
 *
 * The threads of a warp that each want a sample iterate together until the last one has it.  If a
 * proposal is rejected with the probability rho, t threads take at most n iterations with the
 * probability (1 - rho^n)^t. Groups of g threads instead make t / g samples, each rejected with the
 * probability rho^g.
 *
 * The mean is the sum over n >= 0 of P(more than n iterations).  It is summed term by term if rho^n
 * becomes negligible within about ten thousand terms.  Closer to rho = 1, with h = -log(rho), the
 * terms are values g(h n) of the smooth function g(x) = 1 - (1 - exp(-x))^t, so that by the
 * Euler-Maclaurin formula
 *
 *     mean = (1 / h) integral of g + g(0) / 2 - h g'(0) / 12 + h^3 g'''(0) / 720 - ...
 *
 * where the integral is the harmonic number H_t, g(0) = 1, g'(0) = 0 for t >= 2 and |g'''(0)| <= 6.
 *
 * Source: G. Ridley, B. Forget, "A simple method for rejection sampling efficiency improvement on
 * SIMT architectures", Statistics and Computing 31, 2021; equation numbers below are the paper's.
 * These functions correct three misprints: (14) lacks the exponent t in its first two lines; the
 * sum in (15) must end at N - 1; and section 5 must divide t by the size of the groups, not by
 * their number.
 *
 * All functions are thread-safe and return 0, or ALIAS_ERR_ARG unless 0 <= rho < 1,
 * 1 <= threads <= ALIAS_REJECTION_MAX_THREADS and the result pointer is not NULL.  The relative
 * error of the results is about 1e-13 at most.
 */
#ifndef ALIAS_CORE_REJECTION_H
#define ALIAS_CORE_REJECTION_H

#include "alias/alias.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALIAS_REJECTION_MAX_THREADS = 65536 };

/* Below this h, h^3 / 120 is less than 2^-53 of the mean. */
#define ALIAS_REJECTION_SMOOTH 1e-3

static inline bool alias_rejection_is_valid(double rho, uint32_t threads)
{
    return rho >= 0 && rho < 1 && threads >= 1 && threads <= ALIAS_REJECTION_MAX_THREADS;
}

/* The mean for rho = exp(-h). */
static inline double alias_rejection_iterations(double h, double threads)
{
    double sum = 0, term = 1, n;

    if (threads == 1) {
        return -1 / expm1(-h);
    }
    if (h < ALIAS_REJECTION_SMOOTH) {
        for (n = threads; n > 0; n--) { /* the harmonic number */
            sum += 1 / n;
        }
        return sum / h + 0.5;
    }
    for (n = 1; term > 0x1p-60; n++) {
        sum += term;
        term = -expm1(threads * log1p(-exp(-h * n)));
    }
    return sum;
}

/* The expected number of iterations until all threads have a sample (Eq. 14). */
static inline int alias_rejection_mean(double rho, uint32_t threads, double *mean)
{
    if (!alias_rejection_is_valid(rho, threads) || mean == NULL) {
        return ALIAS_ERR_ARG;
    }
    *mean = alias_rejection_iterations(-log(rho), threads);
    return ALIAS_OK;
}

/* alias_rejection_rate() for arguments that have been checked. */
static inline double alias_rejection_group_rate(double rho, uint32_t warp, uint32_t group)
{
    return warp / group / alias_rejection_iterations(-log(rho) * group, warp / group);
}

/* The number of samples per iteration of a warp of `warp` threads in which groups of `group`
 * threads work on one sample each (Fig. 7).  group must divide warp. */
static inline int alias_rejection_rate(double rho, uint32_t warp, uint32_t group, double *out)
{
    if (!alias_rejection_is_valid(rho, warp) || group == 0 || warp % group != 0 || out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = alias_rejection_group_rate(rho, warp, group);
    return ALIAS_OK;
}

/* The power of two that is the best group size, and its rate divided by that of one thread per
 * sample (Fig. 8); speedup may be NULL.  warp must be a power of two. */
static inline int alias_rejection_best_group(double rho, uint32_t warp, uint32_t *group,
                                             double *speedup)
{
    double best, base;
    uint32_t g;

    if (!alias_rejection_is_valid(rho, warp) || (warp & (warp - 1)) != 0 || group == NULL) {
        return ALIAS_ERR_ARG;
    }
    base = alias_rejection_group_rate(rho, warp, 1);
    best = base;
    *group = 1;
    for (g = 2; g <= warp; g *= 2) {
        double r = alias_rejection_group_rate(rho, warp, g);

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

#endif
