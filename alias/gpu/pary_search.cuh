/*
 * pary_search.cuh - partial p-ary search (Lehmann, Huebschle-Schneider, Sanders, "Weighted Random
 * Sampling on GPUs", 2021, section 4.1): a block of threads looks for many ordered queries at once.
 *
 * A binary search takes log2(n) memory latencies, one after the other.  Here the threads of a block
 * first probe the range at equal distances, all at once: half of them for the first query, half for
 * the last.  They go on with the piece that each of the two lies in, until the range from the one
 * piece to the other cannot become much smaller any more.  Then LANES neighbouring threads look for
 * one query each in this range, probing LANES places at a time; LANES = 1 is the paper's binary
 * search.  More lanes take fewer steps, for more loads in all: good where there are few queries.
 *
 * The paper compares every probe with both queries; but where a comparison takes loads of its own,
 * as in the split of PSA, that is two probes.
 *
 *     using search = alias_pary_search<256>;
 *     __shared__ search::storage storage;
 *     uint64_t at = search::lower_bound(storage, array, n, x);
 *
 * Contract: all THREADS threads of a one-dimensional block call.  A thread's query and range are
 * those of its group of LANES threads, i.e. equal in the group; queries, and both ends of the
 * ranges, do not decrease with the thread number.  The storage may be used again after a
 * __syncthreads().  THREADS: a multiple of 32 up to 1024.  LANES: 1, 2, 4 ... 32.  Ranges end at
 * 2^58 at most.
 */
#ifndef ALIAS_GPU_PARY_SEARCH_CUH
#define ALIAS_GPU_PARY_SEARCH_CUH

#include <stdint.h>

template <int THREADS, int LANES = 1> struct alias_pary_search {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps");
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "a power of two");

    static constexpr int QUERIES = THREADS / LANES;

    /* Answers of a query: within [low, high]. */
    struct piece {
        uint64_t query, low, high;
    };

    struct storage {
        piece ends[2]; /* of the first and the last thread */
    };

    /*
     * The least p of [low, high) with reached(p, query), else high; low <= high.  reached is false
     * up to some p and true from there on, and this p does not decrease with the query.  It is
     * asked for places in the range of the query only.
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

    /* The first element >= x of array[0..n), which does not decrease; n if there is none. */
    template <typename T>
    static __device__ __forceinline__ uint64_t lower_bound(storage &s, const T *array, uint64_t n,
                                                           uint64_t x)
    {
        return search(s, 0, n, x,
                      [array](uint64_t p, uint64_t query) { return array[p] >= query; });
    }

  private:
    /* Cuts the piece into parts of stride places, or less at the end, by count probes; below of
     * them lie below the answer. */
    static __device__ __forceinline__ uint64_t stride_of(const piece &x, uint32_t count)
    {
        return (x.high - x.low) / (count + 1) + 1;
    }

    static __device__ __forceinline__ void cut(piece &x, uint64_t stride, uint32_t below)
    {
        x.low += below * stride;
        x.high = min(x.high, x.low + stride - 1);
    }

    /* The first phase: makes [low, high] what it has in common with the range in which all queries
     * end. */
    template <typename F>
    static __device__ __forceinline__ void narrow(const storage &s, uint64_t &low, uint64_t &high,
                                                  F reached)
    {
        constexpr uint32_t HALF = THREADS / 2;
        const bool second = threadIdx.x >= HALF;
        piece first = s.ends[0], last = s.ends[1];

        while (last.high - first.low > THREADS) {
            const uint64_t unsure = first.high - first.low + last.high - last.low;

            /* Without it, would the second phase have a step less to take? */
            if (unsure * (LANES + 1) <= (last.high - first.low) * LANES) {
                break;
            }
            const piece own = second ? last : first;
            const uint64_t p = own.low + (threadIdx.x % HALF + 1) * stride_of(own, HALF) - 1;
            const bool below = p < own.high && !reached(p, own.query);

            cut(first, stride_of(first, HALF), (uint32_t)__syncthreads_count(below && !second));
            cut(last, stride_of(last, HALF), (uint32_t)__syncthreads_count(below && second));
        }
        low = max(low, first.low);
        high = min(high, last.high);
    }

    /* The second phase, every thread for itself. */
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

    /* The second phase, in groups. */
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
