/*
 * alias/gpu/psa.cu - PSA (alias/cpu/psa.c) on the GPU: partition into light and heavy items, split,
 * pack.
 */
#include "alias/gpu/partition.h"

/* The number of steps in a part if the configuration does not say how many parts to make. */
static uint64_t auto_size(alias_pack_method method)
{
    switch (method) {
    case ALIAS_PACK_BASELINE:
        return 4;
    case ALIAS_PACK_CHUNKED:
        return 6;
    default:
        return 127; /* odd, so that the threads of a warp use distinct banks of shared memory */
    }
}

int alias_gpu_psa(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t n = job->plan.n, splits = job->config->splits;
    const uint64_t size = splits == 0  ? auto_size(job->config->pack)
                          : splits < n ? (n + splits - 1) / splits
                                       : 1;
    const uint64_t parts = (n + size - 1) / size;
    uint64_t *lights = (uint64_t *)alias_arena_take(arena, parts + 1, sizeof(*lights));
    alias_gpu_partition part;
    int st = alias_gpu_partition_items(&part, &job->plan, arena, stream);

    if (st != ALIAS_OK || arena->base == NULL) {
        return st;
    }
    st = alias_gpu_split(&part, job->config->split, 0, parts, size, lights, stream);
    if (st != ALIAS_OK) {
        return st;
    }
    return alias_gpu_pack(job, &part, job->config->pack, parts, size, lights, stream);
}
