/*
 * alias/gpu/rows.cuh - helpers of the builders' kernels: reading the lists of light and heavy
 * items, writing rows, and searches.
 */
#ifndef ALIAS_GPU_ROWS_CUH
#define ALIAS_GPU_ROWS_CUH

#include "alias/gpu/state.h"

#include <stdint.h>
#include <type_traits>

/*
 * The lists of an alias_gpu_partition.
 *
 * sums:  D(0), D(1), ... D(lights), UINT64_MAX, E(heavies), ... E(1), E(0).
 * items: light 0, 1, ...,           two unused, a zero, heavies ... 1, 0.
 * D(lights) = E(heavies) is the total, and E(heavies + 1) is UINT64_MAX.  So the comparison of the
 * sweep, "light i comes before heavy j exactly if E(j + 1) > D(i)", also holds at the
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

/* Makes and writes rows of either width in canonical form: alias = item in a bucket that belongs
 * only to its item. */
template <bool WIDE> struct alias_row_writer {
    using word = typename std::conditional<WIDE, uint64_t, uint32_t>::type;
    using pair = typename std::conditional<WIDE, alias_row16, alias_row8>::type;

    alias_view rows;

    __device__ __forceinline__ pair make(uint64_t item, uint64_t threshold, uint64_t alias) const
    {
        if (threshold == 1ull << rows.k) {
            alias = item;
        }
        return pair{(word)threshold, (word)alias};
    }

    __device__ __forceinline__ void put(uint64_t item, pair row) const
    {
        ((pair *)rows.rows)[item] = row;
    }
};

/* Calls f with the writer for these rows and returns what it returns. */
template <typename F> int alias_with_writer(const alias_view &rows, F f)
{
    return rows.row_bytes == 8 ? f(alias_row_writer<false>{rows}) : f(alias_row_writer<true>{rows});
}

/*
 * Binary search by one thread, and 32-ary search by a warp.  For a whole block of queries see
 * alias/gpu/pary_search.cuh.
 */

/* The first i in [low, low + count) with value(i) > x, where values never decrease; low + count if
 * there is none. */
template <typename I, typename V>
__device__ __forceinline__ I alias_first_above(I low, I count, uint64_t x, V value)
{
    while (count > 0) {
        I half = count / 2;
        bool above = value(low + half) > x;

        low = above ? low : low + half + 1;
        count = above ? half : count - half - 1;
    }
    return low;
}

/* The same by a whole warp; each step reduces the range to about a 32nd. */
template <typename I, typename V>
__device__ __forceinline__ I alias_first_above_warp(I low, I count, uint64_t x, V value)
{
    while (count > 0) {
        const I stride = (count + 31) / 32, at = threadIdx.x % 32 * stride;
        const bool above = at >= count || value(low + at) > x;
        const uint32_t below =
            __popc(~__ballot_sync(0xffffffffu, above)); /* probes that are not above */

        if (below == 0) {
            break;
        }
        count = min(stride - 1, count - (below - 1) * stride - 1);
        low += (below - 1) * stride + 1;
    }
    return low;
}

/* Either of the two. */
template <bool WARP, typename I, typename V>
__device__ __forceinline__ I alias_search(I low, I count, uint64_t x, V value)
{
    return WARP ? alias_first_above_warp(low, count, x, value)
                : alias_first_above(low, count, x, value);
}

#endif
