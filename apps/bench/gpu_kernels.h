/* Kernels that the generator is compared with on a GPU, and the check of its sorted intervals. */
#ifndef APPS_BENCH_GPU_KERNELS_H
#define APPS_BENCH_GPU_KERNELS_H

#include "rmat/rmat_interval.h"
#include <stdbool.h>

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

/*
 * Compares a sorted interval with another pass over the first `stream` edges: keys rise, and each
 * edge of the interval is there, as often as it should be.  *right tells.  Returns an rmat_status.
 */
int csr_verify(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *first,
               const rmat_cell *end, uint64_t stream, bool unique, bool *right);

#ifdef __cplusplus
}
#endif

#endif
