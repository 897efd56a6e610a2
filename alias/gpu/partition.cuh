/* alias/gpu/partition.cuh - read access to the lists of alias/gpu/partition.h inside kernels. */
#ifndef ALIAS_GPU_PARTITION_CUH
#define ALIAS_GPU_PARTITION_CUH

#include "alias/gpu/partition.h"

/*
 * sums:  D(0), D(1), ... D(lights), UINT64_MAX, E(heavies), ... E(1), E(0).
 * items: light 0, 1, ...,           two unused, a zero, heavies ... 1, 0.
 * D(lights) = E(heavies) is the total, and E(heavies + 1) is UINT64_MAX.  So the comparison of the
 * sweep and of merge, "light i comes before heavy j exactly if E(j + 1) > D(i)", also holds at the
 * ends of the lists.
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
