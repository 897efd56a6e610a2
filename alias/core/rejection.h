/*
 * alias/core/rejection.h - the number of iterations of rejection sampling in SIMT lockstep, and the
 * best number of threads per sample: the group size of alias/gpu/rejection.cuh.
 *
 * The threads of a warp that each want a sample iterate together until the last one has it.  If a
 * proposal is rejected with the probability rho, t threads take at most n iterations with the
 * probability (1 - rho^n)^t. Groups of g threads instead make t / g samples, each rejected with the
 * probability rho^g.
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
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { ALIAS_REJECTION_MAX_THREADS = 65536 };

/* The expected number of iterations until all threads have a sample (Eq. 14). */
int alias_rejection_mean(double rho, uint32_t threads, double *mean);

/* The number of samples per iteration of a warp of `warp` threads in which groups of `group`
 * threads work on one sample each (Fig. 7).  group must divide warp. */
int alias_rejection_rate(double rho, uint32_t warp, uint32_t group, double *rate);

/* The power of two that is the best group size, and its rate divided by that of one thread per
 * sample (Fig. 8); speedup may be NULL.  warp must be a power of two. */
int alias_rejection_best_group(double rho, uint32_t warp, uint32_t *group, double *speedup);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
