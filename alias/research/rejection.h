/*
 * rejection.h - how many iterations rejection sampling takes in SIMT lockstep, and how many threads
 * should work on one sample.
 *
 * Threads of a warp that each want a sample iterate together until the last one has it.  If a
 * proposal is rejected with probability rho, t threads take n iterations with the probability
 * (1 - rho^n)^t - (1 - rho^(n-1))^t, the exponentiated geometric distribution.  If instead groups
 * of g threads work on one sample each, there are t / g samples, rejected with probability rho^g.
 * alias/research/rejection.cuh is the loop itself.
 *
 * Source: G. Ridley, B. Forget, "A simple method for rejection sampling efficiency improvement on
 * SIMT architectures", Statistics and Computing 31, 2021 (equation numbers are its own).  Where it
 * is followed in meaning but not in print: (13) is said to be the mode of (11), which has no factor
 * 2 in the logarithm; with it the value lies closer to the mean.  (14) lacks the exponent t in its
 * first two lines; the sum in (15) must end at N - 1.  t is not divided by the number of groups, as
 * section 5 has it, but by their size.
 *
 * All functions: 0 <= rho < 1, 1 <= threads <= ALIAS_REJECTION_MAX_THREADS, else ALIAS_ERR_ARG;
 * results are relative to within about 1e-13.  Thread-safe.
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

/* Probability that all threads have a sample after exactly n (Eq. 9), and after at most n,
 * iterations. */
int alias_rejection_probability(double rho, uint32_t threads, uint64_t n, double *probability);
int alias_rejection_cdf(double rho, uint32_t threads, uint64_t n, double *probability);

/* Expected iterations: the exact value (Eq. 14), and the closed approximation of Eq. 17.  For 32
 * threads the latter is within 0.03 % up to rho = 2^(1/32) - 1 = 0.022, 14 % too high just beyond,
 * and within 5.5 % from 0.065, 2.8 % from 0.5 on. */
int alias_rejection_mean(double rho, uint32_t threads, double *mean);
int alias_rejection_mean_approximate(double rho, uint32_t threads, double *mean);

/* Samples per iteration of a warp whose groups of group threads work on one sample each (Fig. 7).
 * group divides warp. */
int alias_rejection_rate(double rho, uint32_t warp, uint32_t group, double *rate);

/* The group size, a power of two, of the highest rate, and how much higher it is than with one
 * thread per sample (Fig. 8; may be NULL).  warp: a power of two. */
int alias_rejection_best_group(double rho, uint32_t warp, uint32_t *group, double *speedup);

/* A line of Table 1: this group size is the best one for rho from where the line before ends up to
 * max_rho; its rate averaged over these rho is average_speedup times that of one thread per
 * sample. */
typedef struct {
    uint32_t group;
    double max_rho;
    double average_speedup;
} alias_rejection_line;

/* Table 1 for a warp size 2^b: b + 1 lines, by root finding and by integration over rho. */
int alias_rejection_table(uint32_t warp, alias_rejection_line *lines);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
