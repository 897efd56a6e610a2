/*
 * second_kernel.cuh - the second of the two kernels: it makes the edges that the first one set
 * aside, and those around its units, by the reference (rmat/model/edge.h).  C++17, for nvcc.
 */
#ifndef RMAT_GPU_SECOND_KERNEL_CUH
#define RMAT_GPU_SECOND_KERNEL_CUH

#include "rmat/gpu/first_kernel.cuh"

enum {
    RMAT_SETTLE_THREADS = 256,
    RMAT_SETTLE_BLOCKS = 4 /* per list: the latency of single edges is what takes the time */
};

/* The ends that the first kernel drew for base edge e of its units at this attempt; returns their
 * distance from a tie. */
template <int groups>
static __device__ __forceinline__ uint32_t rmat_draw_again(const rmat_piece &p, uint64_t e,
                                                           uint32_t attempt, uint64_t *src,
                                                           uint64_t *dst)
{
    uint32_t w[(groups + 4) / 4 * 4], closest;

    rmat_attempt_words<groups>(p, (uint32_t)e, attempt, w);
    closest = rmat_words_to_ends<groups, rmat_far_tables>(p, w, *src, *dst);
    *src &= p.view.src_mask;
    *dst &= p.view.dst_mask;
    return closest;
}

/* Whether the first kernel set base edge e aside: because a draw of it may have met a tie, or was
 * unwanted and is the last one, or the first one of a kernel that does not draw again. */
template <int groups>
static __device__ __forceinline__ bool rmat_was_set_aside(const rmat_piece &p, uint64_t e,
                                                          bool redrawn)
{
    for (uint32_t attempt = 0; attempt < RMAT_ATTEMPTS; attempt++) {
        uint64_t src, dst;

        if (rmat_draw_again<groups>(p, e, attempt, &src, &dst) < p.ties.limit) {
            return true;
        }
        if (!(p.transform & RMAT_TRANSFORM_REDRAWN) || !rmat_unwanted(&p.view, src, dst)) {
            return false;
        }
        if (!redrawn) {
            return true;
        }
    }
    return true;
}

/* Makes base edge e, which was set aside.  If the first kernel stored it already, it is stored
 * again only if it was wrong: to find that out takes less time than to write single ids all over
 * the memory.  Returns how many draws were thrown away. */
template <int groups, typename S>
static __device__ __forceinline__ uint32_t rmat_settle(const rmat_piece &p, const S &sink,
                                                       typename S::state &state, uint64_t e)
{
    uint64_t src, dst, fast_src, fast_dst;
    uint32_t attempt = 0;

    rmat_draw_edge(&p.view, e, 0, &src, &dst);
    while ((p.transform & RMAT_TRANSFORM_REDRAWN) && rmat_unwanted(&p.view, src, dst) &&
           attempt + 1 < RMAT_ATTEMPTS) {
        rmat_draw_edge(&p.view, e, ++attempt, &src, &dst);
    }
    if (S::stores && attempt == 0) {
        rmat_draw_again<groups>(p, e, 0, &fast_src, &fast_dst);
        if (src == fast_src && dst == fast_dst) {
            return 0;
        }
    }
    rmat_transform_ends(&p.view, &src, &dst);
    rmat_sink_both(p, sink, state, e, src, dst);
    return attempt;
}

/* lists, threads: blocks of the first kernel, each of which left a list, and their threads; edges:
 * those of its units; redrawn: whether it draws again.  Of no meaning if the piece has no units.
 * Several blocks of this kernel share a list. */
template <int groups, typename S>
static __global__ void __launch_bounds__(RMAT_SETTLE_THREADS)
    rmat_second_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                       uint32_t lists, uint32_t threads, uint32_t edges, bool redrawn)
{
    const int symmetric = (p.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t after = (p.first + (uint64_t)p.units * edges) << symmetric;
    const uint64_t before = (p.first << symmetric) - p.begin, rest = before + (p.end - after);
    uint64_t redraws = 0;
    typename S::state state;

    sink.begin(state);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rest;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t e = i < before ? p.begin + i : after + (i - before);
        uint64_t src, dst;
        const uint32_t attempts = rmat_edge_at(&p.view, e, &src, &dst);

        sink.edge(state, e, src, dst);
        redraws += symmetric && e % 2 ? 0 : attempts;
    }
    if (p.units != 0) {
        const uint32_t list = blockIdx.x % lists, found = p.ties.found[list];
        const uint32_t start = blockIdx.x / lists * blockDim.x + threadIdx.x;
        const uint32_t step = gridDim.x / lists * blockDim.x, turn = threads * edges;

        if (found <= p.ties.capacity) {
            const uint32_t *aside = p.ties.edges + (uint64_t)list * p.ties.capacity;

            for (uint32_t i = start; i < found; i += step) {
                redraws += rmat_settle<groups>(p, sink, state, p.first + aside[i]);
            }
        } else { /* the list overflowed: look for its edges again */
            for (uint32_t at = list * turn; at < p.units * edges; at += lists * turn) {
                for (uint32_t i = at + start; i < at + turn && i < p.units * edges; i += step) {
                    if (rmat_was_set_aside<groups>(p, p.first + i, redrawn)) {
                        redraws += rmat_settle<groups>(p, sink, state, p.first + i);
                    }
                }
            }
        }
        if (start == 0) {
            atomicAdd((unsigned long long *)p.ties.total, (unsigned long long)found);
        }
    }
    for (int lane = 16; lane > 0; lane /= 2) {
        redraws += __shfl_down_sync(0xffffffffu, redraws, lane);
    }
    if (threadIdx.x % 32 == 0 && redraws != 0) {
        atomicAdd((unsigned long long *)p.ties.redraws, (unsigned long long)redraws);
    }
    sink.end(state);
}

#endif
