/* Kernels that the generator is compared with on a GPU. */
#ifndef APPS_BENCH_GPU_KERNELS_H
#define APPS_BENCH_GPU_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Started in the default stream; they return a cudaError_t.
 * levels: edges as RAFT makes them, one uniform float per level against the level's probabilities
 * (here from the same Philox, a word each), 4 floats a, a + b, a + b + c, 1 per level in device
 * memory.  write: the same bytes, the same way, with nothing in them.  philox: one Philox block per
 * edge, and nothing stored.
 */
int bench_levels(int scale, const float *thresholds, uint64_t seed, uint64_t first, uint64_t count,
                 uint64_t *src, uint64_t *dst);
int bench_write(uint64_t first, uint64_t count, uint64_t *src, uint64_t *dst);
int bench_philox(uint64_t seed, uint64_t first, uint64_t count, uint32_t *sum);

#ifdef __cplusplus
}
#endif

#endif
