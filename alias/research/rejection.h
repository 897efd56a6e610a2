/*
 * alias/research/rejection.h - how many iterations rejection sampling takes in SIMT lockstep, and
 * how many threads should work on one sample.
 *
 * The threads of a warp that each want a sample iterate together until the last one has it.  If a
 * proposal is rejected with the probability rho, t threads take n iterations with the probability
 * (1 - rho^n)^t - (1 - rho^(n-1))^t, the exponentiated geometric distribution.  If groups of g
 * threads work on one sample each instead, there are t / g samples, rejected with the probability
 * rho^g.  alias/gpu/rejection.cuh is the loop itself.
 *
 * Source: G. Ridley, B. Forget, "A simple method for rejection sampling efficiency improvement on
 * SIMT architectures", Statistics and Computing 31, 2021; equation numbers below are the paper's.
 * These functions follow its meaning where its print is wrong: (13) is said to be the mode of (11),
 * which has no factor 2 in the logarithm, but with that factor the value is closer to the mean;
 * (14) lacks the exponent t in its first two lines; the sum in (15) must end at N - 1; and t must
 * be divided by the size of the groups, not by their number as in section 5.
 *
 * All functions are thread-safe and return 0, or ALIAS_ERR_ARG unless 0 <= rho < 1,
 * 1 <= threads <= ALIAS_REJECTION_MAX_THREADS and the result pointer is not NULL.  The relative
 * error of the results is about 1e-13 at most.
 */
#ifndef ALIAS_RESEARCH_REJECTION_H
#define ALIAS_RESEARCH_REJECTION_H

#include "alias/alias.h"
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { ALIAS_REJECTION_MAX_THREADS = 65536 };

/* The probability that all threads have a sample after exactly n iterations (Eq. 9), and after at
 * most n. */
int alias_rejection_probability(double rho, uint32_t threads, uint64_t n, double *probability);
int alias_rejection_cdf(double rho, uint32_t threads, uint64_t n, double *probability);

/* The expected number of iterations: the exact value (Eq. 14), and the approximation in closed form
 * of Eq. 17.  For 32 threads, the latter is within 0.03 % up to rho = 2^(1/32) - 1 = 0.022, 14 %
 * too high just beyond, within 5.5 % from 0.065 on and within 2.8 % from 0.5 on. */
int alias_rejection_mean(double rho, uint32_t threads, double *mean);
int alias_rejection_mean_approximate(double rho, uint32_t threads, double *mean);

/* The number of samples per iteration of a warp of `warp` threads in which groups of `group`
 * threads work on one sample each (Fig. 7).  group must divide warp. */
int alias_rejection_rate(double rho, uint32_t warp, uint32_t group, double *rate);

/* The power of two that is the best group size, and its rate divided by that of one thread per
 * sample (Fig. 8); speedup may be NULL.  warp must be a power of two. */
int alias_rejection_best_group(double rho, uint32_t warp, uint32_t *group, double *speedup);

/* A line of Table 1: the group size is the best one for rho from the previous line's max_rho (0 for
 * the first line) to max_rho, and its rate, averaged over these rho, is average_speedup times that
 * of one thread per sample. */
typedef struct {
    uint32_t group;
    double max_rho;
    double average_speedup;
} alias_rejection_line;

/* Writes Table 1 for a warp of 2^b threads to lines[0..b], by root finding and by integration over
 * rho. */
int alias_rejection_table(uint32_t warp, alias_rejection_line *lines);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
