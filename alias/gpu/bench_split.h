/*
 * alias/gpu/bench_split.h - the split step of PSA by itself, for the benchmark of the papers'
 * Figure 2 (apps/bench_alias/gpu_split.c), which measures alias_gpu_split() of
 * alias/gpu/partition.h.
 *
 * Only that benchmark includes this header and, through it, the private headers of alias/gpu/.
 */
#ifndef ALIAS_GPU_BENCH_SPLIT_H
#define ALIAS_GPU_BENCH_SPLIT_H

#include "alias/gpu/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Partitions n weights in device memory into light and heavy items, as a build of 8-byte rows does,
 * in memory from the arena, and waits.  Returns the status of the weights or of CUDA.  If the arena
 * only measures, nothing is launched.
 */
int alias_gpu_split_prepare(alias_gpu_partition *part, const double *weights, uint64_t n,
                            alias_arena *arena, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
