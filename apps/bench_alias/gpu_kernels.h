/* Kernels that only the benchmark needs: weights, checks, and what the machine can do at most.
 * Pointers are into device memory; sums must be zero before.  All return after the launch. */
#ifndef APPS_BENCH_ALIAS_GPU_KERNELS_H
#define APPS_BENCH_ALIAS_GPU_KERNELS_H

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

/* What memory allows: write, read (into *sum), copy 16-byte words; and read 8-byte rows at random
 * places with next to no arithmetic. */
cudaError_t bench_gpu_write(void *out, uint64_t bytes, uint64_t value, cudaStream_t stream);
cudaError_t bench_gpu_read(const void *in, uint64_t bytes, uint64_t *sum, cudaStream_t stream);
cudaError_t bench_gpu_copy(void *out, const void *in, uint64_t bytes, cudaStream_t stream);
cudaError_t bench_gpu_gather(const void *rows, uint64_t n, uint64_t count, uint64_t seed,
                             uint64_t *sum, cudaStream_t stream);

/* Philox4x32-10 blocks with nothing behind them: 16 random bytes each. */
cudaError_t bench_gpu_philox(uint64_t blocks, uint64_t seed, uint64_t *sum, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
