/*
 * alias/gpu/search.cuh - binary search by one thread, and 32-ary search by a warp.  For a whole
 * block of queries see alias/gpu/pary_search.cuh.
 */
#ifndef ALIAS_GPU_SEARCH_CUH
#define ALIAS_GPU_SEARCH_CUH

#include <stdint.h>

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
