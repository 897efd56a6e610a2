/*
 * alias/gpu/pary_search.cuh - partial p-ary search: a block of threads finds the answers of many
 * ordered queries together (H.-P. Lehmann, L. Huebschle-Schneider, P. Sanders, "Weighted Random
 * Sampling on GPUs", 2021, section 4.1).
 *
 * A binary search takes log2(n) consecutive memory latencies.  Here, in the first phase, all
 * threads of the block probe the range at equal distances, half of them for the first query and
 * half for the last.  Each of the two queries continues in the part that contains its answer, until
 * the range between them hardly shrinks any more.  In the second phase, LANES neighboring threads
 * search this range for one query and probe LANES places per step; LANES = 1 is the paper's binary
 * search.  More lanes take fewer steps but more loads, which is faster if there are few queries.
 * (The paper compares each probe with both queries.  In the split of PSA each comparison needs its
 * own loads, so that would be two probes.)
 *
 *     using search = alias_pary_search<256>;
 *     __shared__ search::storage storage;
 *     uint64_t at = search::lower_bound(storage, array, n, x);
 *
 * Contract: all THREADS threads of a one-dimensional block call.  THREADS is a multiple of 32 up to
 * 1024, LANES is 1, 2, 4, ... 32.  Query and range are equal for all threads of a group of LANES;
 * queries, and both ends of the ranges, do not decrease with the thread number.  Ranges end at 2^58
 * at most.  The storage may be used again after a __syncthreads().
 */
#ifndef ALIAS_GPU_PARY_SEARCH_CUH
#define ALIAS_GPU_PARY_SEARCH_CUH

#include <stdint.h>

template <int THREADS, int LANES = 1> struct alias_pary_search {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps");
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "a power of two");

    static constexpr int QUERIES = THREADS / LANES;

    /* A query whose answer lies within [low, high]. */
    struct range {
        uint64_t query, low, high;
    };

    struct storage {
        range ends[2]; /* of the first and the last thread */
    };

    /*
     * The least p in [low, high) with reached(p, query), or high if there is none; low <= high.  In
     * the range of a query, reached must be false below some p and true from there on, and this p
     * must not decrease with the query.  It is not called for places outside of the range.
     */
    template <typename F>
    static __device__ __forceinline__ uint64_t search(storage &s, uint64_t low, uint64_t high,
                                                      uint64_t query, F reached)
    {
        if (threadIdx.x == 0 || threadIdx.x == THREADS - 1) {
            s.ends[threadIdx.x > 0] = {query, low, high};
        }
        __syncthreads();
        narrow(s, low, high, reached);
        while (high - low > UINT32_MAX) {
            const uint64_t middle = low + (high - low) / 2;

            if (reached(middle, query)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low + (LANES == 1 ? alone(low, (uint32_t)(high - low), query, reached)
                                 : together(low, (uint32_t)(high - low), query, reached));
    }

    /* Returns the index of the first element >= x of the nondecreasing array[0..n), or n. */
    template <typename T>
    static __device__ __forceinline__ uint64_t lower_bound(storage &s, const T *array, uint64_t n,
                                                           uint64_t x)
    {
        return search(s, 0, n, x,
                      [array](uint64_t p, uint64_t query) { return array[p] >= query; });
    }

  private:
    /* count probes cut a range into parts of stride_of() places; the last part may be shorter.
     * cut() keeps the part that contains the answer if `below` probes lie below it. */
    static __device__ __forceinline__ uint64_t stride_of(const range &x, uint32_t count)
    {
        return (x.high - x.low) / (count + 1) + 1;
    }

    static __device__ __forceinline__ void cut(range &x, uint64_t stride, uint32_t below)
    {
        x.low += below * stride;
        x.high = min(x.high, x.low + stride - 1);
    }

    /* The first phase: intersects [low, high] with the range that contains the answers of all
     * queries. */
    template <typename F>
    static __device__ __forceinline__ void narrow(const storage &s, uint64_t &low, uint64_t &high,
                                                  F reached)
    {
        constexpr uint32_t HALF = THREADS / 2;
        const bool second = threadIdx.x >= HALF;
        range first = s.ends[0], last = s.ends[1];

        while (last.high - first.low > THREADS) {
            const uint64_t unsure = first.high - first.low + last.high - last.low;

            /* Stop if another step would not save the second phase a step. */
            if (unsure * (LANES + 1) <= (last.high - first.low) * LANES) {
                break;
            }
            const range own = second ? last : first;
            const uint64_t p = own.low + (threadIdx.x % HALF + 1) * stride_of(own, HALF) - 1;
            const bool below = p < own.high && !reached(p, own.query);

            cut(first, stride_of(first, HALF), (uint32_t)__syncthreads_count(below && !second));
            cut(last, stride_of(last, HALF), (uint32_t)__syncthreads_count(below && second));
        }
        low = max(low, first.low);
        high = min(high, last.high);
    }

    /* The second phase with one thread per query. */
    template <typename F>
    static __device__ __forceinline__ uint32_t alone(uint64_t base, uint32_t size, uint64_t query,
                                                     F reached)
    {
        uint32_t low = 0;

        while (size > 0) {
            const uint32_t half = size / 2;

            if (reached(base + low + half, query)) {
                size = half;
            } else {
                low += half + 1;
                size -= half + 1;
            }
        }
        return low;
    }

    /* The second phase with LANES threads per query. */
    template <typename F>
    static __device__ __forceinline__ uint32_t together(uint64_t base, uint32_t size,
                                                        uint64_t query, F reached)
    {
        const uint32_t lane = threadIdx.x % LANES, shift = threadIdx.x % 32 - lane;
        const uint32_t all = 0xffffffffu >> (32 - LANES);
        uint32_t low = 0;

        while (__any_sync(0xffffffffu, size > 0)) {
            const uint32_t stride = size / (LANES + 1) + 1;
            const uint32_t p = (lane + 1) * stride - 1;
            const bool no = p < size && !reached(base + low + p, query);
            const uint32_t skip =
                stride * (uint32_t)__popc(__ballot_sync(0xffffffffu, no) >> shift & all);

            low += skip;
            size = min(size - skip, stride - 1);
        }
        return low;
    }
};

#endif
