/* Kernels that only the benchmark needs.  Pointers are into device memory.  All return after the
 * launch. */
#ifndef APPS_BENCH_ALIAS_KERNELS_H
#define APPS_BENCH_ALIAS_KERNELS_H

#include "alias/alias_gpu.h"
#include "apps/bench_alias/weights.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the stream busy for this time, so that the work queued after it runs without gaps. */
cudaError_t bench_gpu_spin(uint64_t nanoseconds, cudaStream_t stream);

/* w[i] = bench_weight(family, i, n). */
cudaError_t bench_gpu_weights(bench_family family, double *w, uint64_t n, cudaStream_t stream);

/* The library's draws, added up modulo 2^32 into the low half of *sum; returns an alias_status. */
int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
