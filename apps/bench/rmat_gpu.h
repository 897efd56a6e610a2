/* Edges in the memory of a GPU: bench_rmat --backend gpu. */
#ifndef APPS_BENCH_RMAT_GPU_H
#define APPS_BENCH_RMAT_GPU_H

#include "apps/bench/rmat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As bench_rmat_memory(). */
int bench_rmat_gpu(const bench_options *o, FILE *json);

/* Its second half: what the model's options cost. */
int bench_rmat_gpu_options(const bench_options *o, FILE *json);

/*
 * Kernels for comparison; started in the default stream, they return a cudaError_t.
 * levels: edges as RAFT makes them, one uniform float per level against the level's probabilities
 * (here from the same Philox, a word each), 4 floats a, a + b, a + b + c, 1 per level in device
 * memory; write: the same bytes, the same way, with nothing in them; blocks: one Philox block per
 * edge, and nothing stored.
 */
int bench_rmat_levels(int scale, const float *thresholds, uint64_t seed, uint64_t first,
                      uint64_t count, uint64_t *src, uint64_t *dst);
int bench_rmat_write(uint64_t first, uint64_t count, uint64_t *src, uint64_t *dst);
int bench_rmat_intervals(uint64_t seed, uint64_t first, uint64_t count, uint32_t *sum);

#ifdef __cplusplus
}
#endif

#endif
