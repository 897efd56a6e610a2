/*
 * alias/gpu/partition.h - light and heavy items in device memory with their prefix sums, and the
 * states of the sweep: the first steps of PSA and of merge.  Private to alias/gpu/ and to the
 * benchmark of the split step, apps/bench_alias/gpu_build.c.
 */
#ifndef ALIAS_GPU_PARTITION_H
#define ALIAS_GPU_PARTITION_H

#include "alias/gpu/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Up to this many items, item numbers are stored in 32 bits. */
#define ALIAS_GPU_NARROW ((uint64_t)1 << 32)

/* The numbers of light and heavy items, in device memory. */
typedef struct {
    uint64_t lights, heavies;
} alias_gpu_counts;

/* The lists of `partition` (alias/cpu/builders.c), except that heavy items run backwards from the
 * end, so that the number of light items need not be known in advance.  alias/gpu/partition.cuh
 * reads them. */
typedef struct {
    void *items;    /* n + 3 of 32 bits if n <= ALIAS_GPU_NARROW, else of 64 bits */
    uint64_t *sums; /* n + 3: D and E with sentinels */
    uint64_t n;
    uint64_t capacity;
    alias_gpu_counts *counts;
    const alias_gpu_scalars *scalars;
} alias_gpu_partition;

/* Takes the lists from the arena and starts to fill them, unless the arena only measures. */
int alias_gpu_partition_items(alias_gpu_partition *part, const alias_gpu_plan *plan,
                              alias_arena *arena, cudaStream_t stream);

/* Starts to compute lights[p], for p = 0 ... parts: the number of light items among the first
 * min(p * size, n) steps of the sweep.  lanes: the threads for each of them in the p-ary split, a
 * power of two up to 32; 0: automatic. */
int alias_gpu_split(const alias_gpu_partition *part, alias_split_method method, int lanes,
                    uint64_t parts, uint64_t size, uint64_t *lights, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
