/*
 * gather.cu - two sinks for the kernels of gpu/kernels.cuh, which make all edges of the stream.
 * One sink writes the edges of an interval as keys, in no order.  The other counts edges between
 * cells.
 *
 * A warp counts the edges that it keeps by ballots.  It takes places for many units at a time from
 * the counter that all warps share, and keeps unused places for the next launch.  So there are
 * never more unfinished stretches than warps.
 *
 * Measured on an H200 at scale 28: 169 G edges/s if all edges or one in eight are kept, and 197 G
 * if hardly any are.  Without the branch for warps that keep no edge it is 178 G in both cases.
 * But gathering takes most of the time with many intervals, when few edges are kept in each.
 */
#include "rmat/gpu/for_each.cuh"
#include "rmat/gpu/kernels.cuh"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

#include <cooperative_groups.h>

struct interval_gather {
    struct state {
        uint64_t end;
        uint32_t left;
    };
    typedef uint32_t id;
    static const int edges = 4;
    static const int kernels = RMAT_FOR_PLAIN | RMAT_FOR_PERMUTED | RMAT_FOR_UNBOUNDED;
    static const bool wide = false, stores = false, together = true;
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
    __device__ __forceinline__ uint64_t key(uint64_t src, uint64_t dst) const
    {
        return (src << to.cols_scale | dst) - to.low;
    }
    __device__ __forceinline__ void put(uint64_t at, uint64_t k) const
    {
        if (at < to.room) { /* the host finds the others in `taken` */
            to.keys[at] = k;
        }
    }
    __device__ __forceinline__ uint64_t take(uint32_t n) const
    {
        return atomicAdd(&to.counters->taken, (unsigned long long)n);
    }

    /* Keeps an edge for each lane that has one in the interval; called by all lanes of the warp. */
    __device__ __forceinline__ void append(state &s, bool is_edge, uint32_t src, uint32_t dst) const
    {
        const uint64_t k = key(src, dst);
        const bool mine = is_edge && k <= to.last;
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
    __device__ __forceinline__ void unit(state &s, const rmat_piece &p, uint32_t,
                                         const uint32_t *src, const uint32_t *dst,
                                         const uint32_t *closest) const
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
        append(s, is_edge, (uint32_t)src, (uint32_t)dst);
        if (p.transform & RMAT_TRANSFORM_SYMMETRIC) {
            append(s, is_edge, (uint32_t)dst, (uint32_t)src);
        }
    }
    __device__ __forceinline__ void edge(state &, uint64_t, uint64_t src, uint64_t dst) const
    {
        const uint64_t k = key(src, dst);

        if (k <= to.last) {
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
struct interval_gather_each : interval_gather {
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
        interval_gather::state none;

        this->edge(none, e, src, dst);
    }
};

extern "C" int rmat_gpu_gather(const rmat_gen *gen, uint64_t first, uint64_t count,
                               const gpu_interval_gather *to, cudaStream_t stream)
{
    const interval_gather sink = {*to};
    rmat_view view;

    if (rmat_has_source(gen)) {
        return source_for_each(gen, first, count, interval_gather_each{sink}, stream);
    }
    RMAT_OR_RETURN(rmat_get_device_view(gen, &view));
    return rmat_run(gen, view, first, count, sink, sink, stream);
}

enum { THREADS = 256 };

/* Fills the unused places of each chunk, a warp for each. */
static __global__ void __launch_bounds__(THREADS)
    close_kernel(gpu_interval_gather to, uint64_t largest)
{
    const uint32_t w = (blockIdx.x * THREADS + threadIdx.x) / 32;

    if (w >= to.n_chunks) {
        return;
    }
    const gpu_interval_chunk c = to.chunks[w];
    const uint64_t first = c.end - c.left, end = min(c.end, to.room);

    for (uint64_t i = first + threadIdx.x % 32; i < end; i += 32) {
        to.keys[i] = largest;
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        if (first < end) {
            atomicAdd(&to.counters->holes, (unsigned long long)(end - first));
        }
        to.chunks[w] = {0, 0};
    }
}

extern "C" int rmat_gpu_close_chunks(const gpu_interval_gather *to, int bits, cudaStream_t stream)
{
    const uint64_t largest = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;

    if (to->n_chunks == 0) {
        return RMAT_OK;
    }
    close_kernel<<<(to->n_chunks * 32 + THREADS - 1) / THREADS, THREADS, 0, stream>>>(*to, largest);
    return rmat_gpu_launched();
}

/*
 * Counting edges between cells: a consumer of rmat_device.cuh finds the part of each edge by
 * bisection, and counts it in a register (one part), in shared memory (few), or in device memory.
 */
enum { FEW = 1024 /* parts up to which a block of threads counts in shared memory */ };

/* Adds to counts[i] the edges with codes from cells[i] on and before cells[i + 1]. */
struct cell_counter {
    struct state {
        uint64_t count; /* of the first part, if it is the only one */
    };
    const uint64_t *cells;
    unsigned long long *counts;
    uint64_t low, last; /* as in gpu_interval_gather */
    uint32_t n;         /* parts */
    int cols_scale;

    /* Counts of 32 bits will do: a piece has fewer than 2^32 edges. */
    static __device__ __forceinline__ uint32_t *shared()
    {
        __shared__ uint32_t few[FEW];

        return few;
    }
    __device__ __forceinline__ void begin(state &s) const
    {
        s.count = 0;
        if (n > 1 && n <= FEW) {
            for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
                shared()[i] = 0;
            }
            __syncthreads();
        }
    }
    __device__ __forceinline__ void operator()(state &s, uint64_t, uint64_t src, uint64_t dst) const
    {
        const uint64_t code = src << cols_scale | dst;
        uint32_t from = 0, to = n - 1;

        if (code - low > last) {
            return;
        }
        if (n == 1) {
            s.count++;
            return;
        }
        while (from < to) { /* the last cell that is not after the edge */
            const uint32_t middle = from + (to - from + 1) / 2;

            if (cells[middle] <= code) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        if (n <= FEW) {
            atomicAdd(&shared()[from], 1u);
        } else {
            atomicAdd(&counts[from], 1ull);
        }
    }
    __device__ __forceinline__ void end(state &s) const
    {
        if (n == 1) {
            for (int lane = 16; lane > 0; lane /= 2) {
                s.count += __shfl_down_sync(0xffffffffu, s.count, lane);
            }
            if (threadIdx.x % 32 == 0 && s.count != 0) {
                atomicAdd(counts, (unsigned long long)s.count);
            }
        } else if (n <= FEW) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
                if (shared()[i] != 0) {
                    atomicAdd(&counts[i], (unsigned long long)shared()[i]);
                }
            }
        }
    }
};

extern "C" int rmat_gpu_count_between(const rmat_gen *gen, uint64_t first, uint64_t count,
                                      uint32_t n, const uint64_t *codes, uint64_t low,
                                      uint64_t last, int cols_scale, unsigned long long *counts,
                                      cudaStream_t stream)
{
    const cell_counter counter = {codes, counts, low, last, n, cols_scale};

    return for_each_edge(gen, first, count, counter, stream);
}
