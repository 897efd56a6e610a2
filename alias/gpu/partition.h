/* Light and heavy items in device memory with their prefix sums, and states of the sweep: what PSA
 * and merge begin with.  For the GPU builders, and for the benchmark of the split. */
#ifndef ALIAS_GPU_PARTITION_H
#define ALIAS_GPU_PARTITION_H

#include "alias/gpu/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* So many items have numbers of 32 bits. */
#define ALIAS_GPU_NARROW ((uint64_t)1 << 32)

/* In device memory. */
typedef struct {
    uint64_t lights, heavies;
} alias_gpu_counts;

/* As in alias/cpu/partition.h, but the heavies run backwards from the end, so that nobody has to
 * know in advance how many lights there are.  alias/gpu/partition.cuh reads it. */
typedef struct {
    void *items;    /* n + 3, of 32 bits if n <= ALIAS_GPU_NARROW, else 64 */
    uint64_t *sums; /* n + 3: D and E with sentinels */
    uint64_t n;
    uint64_t capacity;
    alias_gpu_counts *counts;
    const alias_gpu_scalars *scalars;
} alias_gpu_partition;

/* Takes the lists from the arena, and fills them. */
int alias_gpu_partition_items(alias_gpu_partition *part, const alias_gpu_plan *plan,
                              alias_arena *arena, cudaStream_t stream);

/* lights[p] = light items among the first min(p * size, n) steps of the sweep, p = 0 ... parts.
 * lanes: threads for each of them in the p-ary split, a power of two up to 32, or 0: automatic. */
int alias_gpu_split(const alias_gpu_partition *part, alias_split_method method, int lanes,
                    uint64_t parts, uint64_t size, uint64_t *lights, cudaStream_t stream);

/* Packs the parts, from light[p] to light[p + 1]. */
int alias_gpu_pack(const alias_gpu_job *job, const alias_gpu_partition *part,
                   alias_pack_method method, uint64_t parts, uint64_t size, const uint64_t *lights,
                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
