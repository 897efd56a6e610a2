/* Kernels that only the benchmark needs: weights, checks, and what the machine can do at most.
 * Pointers are into device memory; sums must be zero before.  All return after the launch. */
#ifndef APPS_BENCH_ALIAS_KERNELS_H
#define APPS_BENCH_ALIAS_KERNELS_H

#include "alias/alias_gpu.h"
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the stream busy for so many nanoseconds, so that what is queued behind runs in one go. */
cudaError_t bench_gpu_spin(uint64_t nanoseconds, cudaStream_t stream);

/* Uniform in (0, 1) where exponent is 0; else the power law (rank + 1)^-exponent, with the ranks in
 * pseudo-random order if shuffled. */
cudaError_t bench_gpu_weights(double *w, uint64_t n, double exponent, int shuffled,
                              cudaStream_t stream);

/* sums[0..3) += the sums of w[i], i w[i] and i^2 w[i]. */
cudaError_t bench_gpu_moments(const double *w, uint64_t n, double *sums, cudaStream_t stream);

/* *sum += a hash of every row and its place, the same for both layouts. */
cudaError_t bench_gpu_row_sum(const alias_view *view, uint64_t *sum, cudaStream_t stream);

/* mass[i] += what the rows give to item i; then *sum += a hash of every mass and its place. */
cudaError_t bench_gpu_masses(const alias_view *view, uint64_t *mass, cudaStream_t stream);
cudaError_t bench_gpu_mass_sum(const uint64_t *mass, uint64_t n, uint64_t *sum,
                               cudaStream_t stream);

/* sums[0] += the sum of the draws (4 or 8 bytes each), sums[1] += how many of them are not below n.
 */
cudaError_t bench_gpu_draw_sum(const void *draws, int bytes, uint64_t count, uint64_t n,
                               uint64_t *sums, cudaStream_t stream);

/* *wrong += the draws that differ from alias_draw8/16() for (seed, first + t); array of structs. */
cudaError_t bench_gpu_baseline_errors(const alias_view *view, uint64_t seed, uint64_t first,
                                      uint64_t count, const uint32_t *draws, uint64_t *wrong,
                                      cudaStream_t stream);

/* Reads 8-byte rows at random places with next to no arithmetic. */
cudaError_t bench_gpu_gather(const void *rows, uint64_t n, uint64_t count, uint64_t seed,
                             uint64_t *sum, cudaStream_t stream);

/* Philox4x32-10 blocks with nothing behind them: 16 random bytes each. */
cudaError_t bench_gpu_philox(uint64_t blocks, uint64_t seed, uint64_t *sum, cudaStream_t stream);

/* The library's draws, added up modulo 2^32 into the low half of *sum; returns an alias_status. */
int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, cudaStream_t stream);

/* The same draws again: sums[0] += their sum in 64 bits, sums[1] += how many there were. */
int bench_gpu_count(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                    uint64_t *sums, cudaStream_t stream);

/*
 * The rejection loop of alias/gpu/rejection.cuh around a process that accepts with the probability
 * 1 - rho and does nothing else, as in Ridley and Forget's appendix: `rounds` rounds of warps of
 * lanes (1 to 32) active threads, in groups of group (a power of two that divides lanes) that work
 * on one sample.  sums[0] += the iterations of all rounds, sums[1] += their squares.
 */
cudaError_t bench_gpu_rejection(double rho, int lanes, int group, uint64_t rounds, uint64_t *sums,
                                cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
