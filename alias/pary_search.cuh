/*
 * pary_search.cuh - partial p-ary search (Lehmann, Huebschle-Schneider, Sanders, "Weighted Random
 * Sampling on GPUs", 2021, section 4.1): a block of threads looks for many ordered queries at once.
 *
 * A binary search takes log2(n) memory latencies, one after the other.  Here the threads of a block
 * first probe the range at equal distances, all at once, and keep what lies between the last probe
 * below the first query and the first probe above the last query.  They go on until this does not
 * narrow the range any more: the queries are too far from each other.  Then LANES neighbouring
 * threads look for one query each, probing LANES places at a time; LANES = 1 is the paper's binary
 * search.  More lanes take fewer steps, for more loads in all: good where there are few queries.
 *
 *     using search = alias_pary_search<256>;
 *     __shared__ search::storage storage;
 *     uint64_t at = search::lower_bound(storage, array, n, x);
 *
 * Contract: all THREADS threads of a one-dimensional block call, with the same range (and array).
 * The query of a thread is that of its group of LANES threads, i.e. equal in the group, and queries
 * do not decrease with the thread number.  The storage may be used again after a __syncthreads().
 * Index is an unsigned integer type.  Threads: a multiple of 32 up to 1024.  LANES: 1, 2, 4 ... 32.
 */
#ifndef ALIAS_PARY_SEARCH_CUH
#define ALIAS_PARY_SEARCH_CUH

#include <stdint.h>

template <int THREADS, int LANES = 1> struct alias_pary_search {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps");
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "a power of two");

    static constexpr int QUERIES = THREADS / LANES;

    union storage {
        uint64_t queries[2]; /* the first and the last */
    };

    /*
     * The least p of [low, high) with reached(p, query), else high.  reached is false up to some p
     * and true from there on, and this p does not decrease with the query.
     */
    template <typename Index, typename F>
    static __device__ __forceinline__ Index search(storage &s, Index low, Index high,
                                                   uint64_t query, F reached)
    {
        if (threadIdx.x == 0) {
            s.queries[0] = query;
        }
        if (threadIdx.x == THREADS - 1) {
            s.queries[1] = query;
        }
        __syncthreads();
        narrow(low, high, s.queries[0], s.queries[1], reached);
        return LANES == 1 ? alone(low, high, query, reached) : together(low, high, query, reached);
    }

    /* The first element >= x of array[0..n), which does not decrease; n if there is none. */
    template <typename T>
    static __device__ __forceinline__ uint64_t lower_bound(storage &s, const T *array, uint64_t n,
                                                           uint64_t x)
    {
        return search(s, (uint64_t)0, n, x,
                      [array](uint64_t p, uint64_t query) { return array[p] >= query; });
    }

  private:
    /* Probe number p of parts - 1 that cut [low, low + size) into equal parts. */
    template <typename Index>
    static __device__ __forceinline__ Index probe(Index low, Index size, uint32_t p, uint32_t parts)
    {
        return low + size / parts * p + size % parts * p / parts;
    }

    /* The first phase: the range in which all queries end. */
    template <typename Index, typename F>
    static __device__ __forceinline__ void narrow(Index &low, Index &high, uint64_t first,
                                                  uint64_t last, F reached)
    {
        const uint32_t parts = THREADS + 1;

        while (high - low > THREADS) {
            const Index size = high - low, start = low;
            const Index p = probe(start, size, threadIdx.x + 1, parts);
            const bool by_first = reached(p, first), by_last = reached(p, last);
            const int below = __syncthreads_count(!by_first);
            const int above = __syncthreads_count(by_last);

            if (below > 0) {
                low = probe(start, size, (uint32_t)below, parts) + 1;
            }
            if (above > 0) {
                high = probe(start, size, parts - (uint32_t)above, parts);
            }
            if (THREADS - below - above > THREADS / 8) {
                return;
            }
        }
    }

    /* The second phase, every thread for itself. */
    template <typename Index, typename F>
    static __device__ __forceinline__ Index alone(Index low, Index high, uint64_t query, F reached)
    {
        while (low < high) {
            const Index middle = low + (high - low) / 2;

            if (reached(middle, query)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /* The second phase, in groups. */
    template <typename Index, typename F>
    static __device__ __forceinline__ Index together(Index low, Index high, uint64_t query,
                                                     F reached)
    {
        const uint32_t lane = threadIdx.x % LANES, shift = threadIdx.x % 32 - lane;
        const uint32_t all = 0xffffffffu >> (32 - LANES), parts = LANES + 1;

        while (__any_sync(0xffffffffu, low < high)) {
            const Index size = high - low, start = low;
            const Index p = probe(start, size, lane + 1, parts);
            /* A small range is probed beyond its end, or at the same places several times. */
            const bool yes = p >= high || reached(p, query);
            const uint32_t no = (uint32_t)__popc(~(__ballot_sync(0xffffffffu, yes) >> shift) & all);

            if (no > 0) {
                low = probe(start, size, no, parts) + 1;
            }
            if (no < LANES) {
                high = min(high, probe(start, size, no + 1, parts));
            }
        }
        return low;
    }
};

#endif
