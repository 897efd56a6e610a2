/*
 * gather.cuh - private to rmat/: a sink (rmat_device.cuh) that keeps the edges of an interval as
 * keys, in no order.
 *
 * A warp counts by ballots what it keeps of its units, and takes places for many units at once from
 * the counter that all warps share.  The places it has left it finds again in the next launch, so
 * there are never more unfinished stretches than warps.
 *
 * Measured on an H200 at scale 28: 169 G edges/s if all edges are kept or one in eight, 197 G if
 * hardly any are.  Without the branch for warps that keep none it is 178 G in both cases; but it is
 * with many intervals, and so few edges kept in each, that gathering takes most of the time.  With
 * the sieve (fill.c), which hands this sink only edges whose rows may be in the interval, it is
 * 240 G if one in eight is kept, on an H100, and 168 G without.
 */
#ifndef RMAT_SORTED_GPU_GATHER_CUH
#define RMAT_SORTED_GPU_GATHER_CUH

#include "rmat/gpu/for_each.cuh"
#include "rmat/gpu/launch.cuh"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

#include <cooperative_groups.h>

/* T: uint32_t for scales up to 32, else uint64_t. */
template <typename T> struct interval_gather {
    typedef typename std::conditional<sizeof(T) == 4, uint64_t, rmat_code>::type code;
    struct state {
        uint64_t end;
        uint32_t left;
    };
    typedef T id;
    static const int edges = 4;
    static const bool wide = sizeof(T) == 8, stores = false, together = true;
    static const int variety = sizeof(T) == 4 ? 2 : 1;
    gpu_interval_gather to;

    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        const uint32_t lane = u % 32;

        return edges * (u - lane) + 32 * (uint32_t)j + lane;
    }
    uint64_t head(uint64_t) const
    {
        return 0;
    }
    interval_gather at(uint64_t) const
    {
        return *this;
    }

    static __device__ __forceinline__ uint32_t warp()
    {
        return (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    }
    __device__ __forceinline__ void begin(state &s) const
    {
        s.end = 0;
        s.left = 0;
        if (warp() < to.n_chunks) {
            s.end = to.chunks[warp()].end;
            s.left = (uint32_t)to.chunks[warp()].left;
        }
    }
    __device__ __forceinline__ void end(state &s) const
    {
        if (threadIdx.x % 32 == 0 && warp() < to.n_chunks) {
            to.chunks[warp()] = {s.end, s.left};
        }
    }

    /* Whether a source that begins with these bits may be in the interval: sieve.cuh. */
    __device__ __forceinline__ bool wants(uint32_t leading) const
    {
        return leading - to.sieve_low <= to.sieve_last;
    }
    __device__ __forceinline__ code key(uint64_t src, uint64_t dst) const
    {
        return ((code)src << to.cols_scale | (code)dst) - (code)to.low;
    }
    __device__ __forceinline__ void put(uint64_t at, code k) const
    {
        if (at >= to.room) {
            return; /* counted in `taken`, which tells the host */
        }
        if (sizeof(T) == 4 || to.key_bytes == 8) {
            ((uint64_t *)to.keys)[at] = (uint64_t)k;
        } else {
            ((ulonglong2 *)to.keys)[at] =
                make_ulonglong2((uint64_t)k, (uint64_t)((rmat_code)k >> 64));
        }
    }
    __device__ __forceinline__ uint64_t take(uint32_t n) const
    {
        return atomicAdd(&to.counters->taken, (unsigned long long)n);
    }

    /* Keeps an edge for each lane that has one in the interval; called by all lanes of the warp. */
    __device__ __forceinline__ void append(state &s, bool is_edge, T src, T dst) const
    {
        const code k = key(src, dst);
        const bool mine = is_edge && k <= (code)to.last;
        const uint32_t votes = __ballot_sync(0xffffffffu, mine), n = __popc(votes);

        if (n == 0) {
            return;
        }

        const uint32_t lane = threadIdx.x % 32, rank = __popc(votes & ((1u << lane) - 1));
        uint64_t at = s.end + (int32_t)(rank - s.left);

        if (n > s.left) { /* use what is left, then take more */
            const uint32_t room = max(n - s.left, to.chunk);
            const uint64_t more = lane == 0 ? take(room) : 0;

            s.end = __shfl_sync(0xffffffffu, more, 0) + room;
            at = rank < s.left ? at : s.end + (int32_t)(rank - s.left - room);
            s.left += room;
        }
        if (mine) {
            put(at, k);
        }
        s.left -= n;
    }
    template <bool final>
    __device__ __forceinline__ void unit(state &s, const rmat_piece &p, uint32_t, const T *src,
                                         const T *dst, const uint32_t *closest) const
    {
#pragma unroll
        for (int j = 0; j < edges; j++) {
            append(s, closest[j] >= p.ties.limit, src[j], dst[j]);
        }
        if (p.transform & RMAT_TRANSFORM_SYMMETRIC) {
#pragma unroll
            for (int j = 0; j < edges; j++) {
                append(s, closest[j] >= p.ties.limit, dst[j], src[j]);
            }
        }
    }
    /* An edge of each lane that has one; called by all lanes of the warp. */
    __device__ __forceinline__ void take_together(state &s, const rmat_piece &p, bool is_edge,
                                                  uint64_t src, uint64_t dst) const
    {
        append(s, is_edge, (T)src, (T)dst);
        if (p.transform & RMAT_TRANSFORM_SYMMETRIC) {
            append(s, is_edge, (T)dst, (T)src);
        }
    }
    __device__ __forceinline__ void edge(state &, uint64_t, uint64_t src, uint64_t dst) const
    {
        const code k = key(src, dst);

        if (k <= (code)to.last) {
            const auto together = cooperative_groups::coalesced_threads();
            uint64_t at = 0;

            if (together.thread_rank() == 0) {
                at = take(together.size());
            }
            put(together.shfl(at, 0) + together.thread_rank(), k);
        }
    }
};

/* The same as a consumer (rmat_device.cuh), for the edges of a source. */
template <typename T> struct interval_gather_each : interval_gather<T> {
    struct state {
    };

    __device__ __forceinline__ void begin(state &) const
    {
    }
    __device__ __forceinline__ void end(state &) const
    {
    }
    __device__ __forceinline__ void operator()(state &, uint64_t e, uint64_t src,
                                               uint64_t dst) const
    {
        typename interval_gather<T>::state none;

        this->edge(none, e, src, dst);
    }
};

template <typename T>
static int interval_gather_run(const rmat_gen *gen, uint64_t first, uint64_t count,
                               const gpu_interval_gather *to, cudaStream_t stream)
{
    const interval_gather<T> sink = {*to};
    rmat_gpu_source source;
    rmat_view view;

    if (rmat_gpu_source_of(gen, &source)) {
        return source_for_each(gen, source, first, count, interval_gather_each<T>{sink}, stream);
    }
    RMAT_OR_RETURN(rmat_get_device_view(gen, &view));
    if (to->sieved) {
        return rmat_run_plain<true>(gen, view, first, count, sink, stream);
    }
    return rmat_is_plain(view) ? rmat_run_plain(gen, view, first, count, sink, stream)
                               : rmat_run_transformed(gen, view, first, count, sink, sink, stream);
}

#endif
