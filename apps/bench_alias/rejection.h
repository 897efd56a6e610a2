/* The rejection loop of alias/gpu/rejection.cuh, measured: a process that accepts with a given
 * probability and does nothing else, as in Ridley and Forget's appendix. */
#ifndef APPS_BENCH_ALIAS_REJECTION_H
#define APPS_BENCH_ALIAS_REJECTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double iterations;         /* mean over the rounds of a warp, to compare with Eq. 9's mean */
    double iterations_squared; /* mean of the squares */
    double samples_per_iteration;
    double samples_per_second; /* median of the repetitions, whole GPU */
} bench_rejection_point;

/*
 * One point for each of rho[0..count): warps of lanes (1 to 32) active threads, in groups of group
 * (a power of two that divides lanes), make about so many samples.  Runs on the current GPU.
 * Returns 0 or a cudaError_t.
 */
int bench_rejection(const double *rho, int count, int lanes, int group, uint64_t samples,
                    int repeats, bench_rejection_point *points);

#ifdef __cplusplus
}
#endif

#endif
