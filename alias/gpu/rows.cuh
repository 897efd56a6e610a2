/* alias/gpu/rows.cuh - helpers of the builders' kernels: writing rows, and searches. */
#ifndef ALIAS_GPU_ROWS_CUH
#define ALIAS_GPU_ROWS_CUH

#include "alias/gpu/state.h"

#include <stdint.h>
#include <type_traits>

/* Makes and writes rows of either width in canonical form: alias = item in a bucket that belongs
 * only to its item.  It checks the layout at run time, once per row. */
template <bool WIDE> struct alias_row_writer {
    using word = typename std::conditional<WIDE, uint64_t, uint32_t>::type;
    using pair = typename std::conditional<WIDE, alias_row16, alias_row8>::type;

    alias_gpu_rows rows;

    __device__ __forceinline__ pair make(uint64_t item, uint64_t threshold, uint64_t alias) const
    {
        if (threshold == 1ull << rows.k) {
            alias = item;
        }
        return pair{(word)threshold, (word)alias};
    }

    __device__ __forceinline__ void put(uint64_t item, pair row) const
    {
        if (rows.alias != NULL) {
            ((word *)rows.rows)[item] = row.threshold;
            ((word *)rows.alias)[item] = row.alias;
        } else {
            ((pair *)rows.rows)[item] = row;
        }
    }
};

/* Calls f with the writer for these rows and returns what it returns. */
template <typename F> int alias_with_writer(const alias_gpu_rows &rows, F f)
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
