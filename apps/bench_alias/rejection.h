/*
 * Formulas of Ridley and Forget on rejection in lockstep that alias/core/rejection.h does not have:
 * the distribution of the number of iterations, an approximation of its mean, and Table 1.  All for
 * 0 <= rho < 1 and 1 to ALIAS_REJECTION_MAX_THREADS threads.
 *
 * One misprint is corrected.  (13) is said to be the mode of (11), which has no factor 2 in the
 * logarithm.  With that factor the value is closer to the mean.
 */
#ifndef APPS_BENCH_ALIAS_REJECTION_H
#define APPS_BENCH_ALIAS_REJECTION_H

#include "alias/core/rejection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The probability that all threads have a sample after exactly n iterations (Eq. 9):
 * (1 - rho^n)^t - (1 - rho^(n-1))^t, the exponentiated geometric distribution. */
double rejection_probability(double rho, uint32_t threads, uint64_t n);

/* The approximation of alias_rejection_mean() in closed form (Eq. 17).  For 32 threads, it is
 * within 0.03 % up to rho = 2^(1/32) - 1 = 0.022, 14 % too high just beyond, within 5.5 % from
 * 0.065 on and within 2.8 % from 0.5 on. */
double rejection_mean_approximate(double rho, uint32_t threads);

/* A line of Table 1.  The group size is the best one for rho from the previous line's max_rho (0
 * for the first line) to max_rho.  Its rate, averaged over these rho, is average_speedup times that
 * of one thread per sample. */
typedef struct {
    uint32_t group;
    double max_rho;
    double average_speedup;
} rejection_line;

/* Writes Table 1 for a warp of 2^b threads to lines[0..b], by root finding and by integration over
 * rho. */
void rejection_table(uint32_t warp, rejection_line *lines);

#ifdef __cplusplus
}
#endif

#endif
