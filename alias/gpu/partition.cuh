/* Reading access to the partitioned items. */
#ifndef ALIAS_GPU_PARTITION_CUH
#define ALIAS_GPU_PARTITION_CUH

#include "alias/gpu/partition.h"

/*
 * sums:  D(0), D(1), ... D(lights), UINT64_MAX, E(heavies), ... E(1), E(0).
 * items: light 0, 1, ...,        two of no use, a zero, heavies ... 1, 0.
 * D(lights) = E(heavies) = the total, and E(heavies + 1) = UINT64_MAX: so the comparison of a
 * sweep or merge, light i before heavy j exactly if E(j + 1) > D(i), holds for ends as well.
 */
template <typename Item> struct alias_gpu_lists {
    const Item *items;
    const uint64_t *sums;
    uint64_t n;

    explicit __host__ __device__ alias_gpu_lists(const alias_gpu_partition &part)
        : items((const Item *)part.items), sums(part.sums), n(part.n)
    {
    }

    __device__ __forceinline__ const Item *light_item(uint64_t i) const
    {
        return items + i;
    }
    __device__ __forceinline__ const Item *heavy_item(uint64_t j) const
    {
        return items + (n + 2 - j);
    }
    /* D(i) */
    __device__ __forceinline__ const uint64_t *light_start(uint64_t i) const
    {
        return sums + i;
    }
    /* E(j + 1) */
    __device__ __forceinline__ const uint64_t *heavy_end(uint64_t j) const
    {
        return sums + (n + 1 - j);
    }
};

#endif
