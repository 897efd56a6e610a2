/*
 * rmat/gpu/redraw.cuh - the kernel that makes those edges again which rmat_edge_kernel set aside:
 * they may have met a tie, or their first draw is unwanted.
 *
 * A thread walks over its share of a list and makes one draw in each turn; if it is wanted, the
 * next one is for the thread's next entry.  So no thread waits for the redraws of another, whatever
 * their share, until the lists run out, and there is nothing left for which several threads at one
 * sample (alias/gpu/rejection.cuh) would pay: their votes would only add to each draw.  Tables
 * are in shared memory; only draws that may tie take rmat_draw_edge().
 *
 * Measured on an H200: where one edge in a thousand is set aside, it takes 1.5 % of the time; where
 * 43 % of all draws are thrown away, it takes nearly all of it (16 to 30 G edges/s in all), and
 * waits for memory.
 */
#ifndef RMAT_GPU_REDRAW_CUH
#define RMAT_GPU_REDRAW_CUH

#include "rmat/gpu/shape.cuh"

/* The words of all draws of an attempt. */
template <int groups>
static __device__ __forceinline__ void rmat_attempt_words(const rmat_piece &p, uint64_t e,
                                                          uint32_t attempt, uint32_t *w)
{
#pragma unroll
    for (int b = 0; b < (groups == 5 ? 1 : (groups + 3) / 4); b++) {
        const philox_block block =
            philox_at(p.view.seed, e, attempt * RMAT_ATTEMPT_STEP + (uint32_t)b, PHILOX_EDGE);

        for (int i = 0; i < 4; i++) {
            w[4 * b + i] = block.v[i];
        }
    }
    if (groups == 5) {
        w[4] = rmat_fifth_word(w[0], w[1], w[2], w[3]);
    }
}

/* Base edge e to the sink, with its reverse if there is one. */
template <typename S>
static __device__ __forceinline__ void rmat_sink_both(const rmat_piece &p, const S &sink,
                                                      typename S::state &state, uint64_t e,
                                                      uint64_t src, uint64_t dst)
{
    if (p.shape & RMAT_SHAPE_SYMMETRIC) {
        sink.edge(state, 2 * e, src, dst);
        sink.edge(state, 2 * e + 1, dst, src);
    } else {
        sink.edge(state, e, src, dst);
    }
}

/* A block's list, or where it overflowed (all), the edges that it could have named. */
template <bool all> struct rmat_entries {
    const uint32_t *list;
    uint32_t count;
    uint32_t turn, skip, first; /* edges of a turn, from one turn to the next, before all turns */

    __device__ __forceinline__ uint32_t operator[](uint32_t i) const
    {
        return all ? first + i / turn * skip + i % turn : list[i];
    }
};

/* The list of block l of `lists` ones, of so many threads with units of so many edges. */
template <bool all>
static __device__ __forceinline__ rmat_entries<all>
rmat_entries_of(const rmat_piece &p, uint32_t l, uint32_t lists, uint32_t threads, uint32_t edges)
{
    const uint32_t turn = threads * edges;

    if (all) {
        const uint32_t turns = (p.units * edges - l * turn - 1) / (lists * turn) + 1;

        return {NULL, turns * turn, turn, lists * turn, l * turn};
    }
    return {p.ties.edges + (uint64_t)l * p.ties.capacity, p.ties.found[l], 0, 0, 0};
}

template <int groups, bool all, typename S>
static __device__ __forceinline__ uint64_t rmat_redraw_list(const rmat_piece &p, const S &sink,
                                                            typename S::state &state,
                                                            const rmat_entries<all> &entries,
                                                            uint32_t edges)
{
    uint32_t i = threadIdx.x, coming = i < entries.count ? entries[i] : 0, attempt = 0, at = 0;
    uint64_t redraws = 0;
    bool next = true;

    while (i < entries.count) {
        uint32_t w[(groups + 4) / 4 * 4], closest;
        uint64_t src, dst;

        if (next) {
            attempt = coming / RMAT_REDRAW;
            at = coming % RMAT_REDRAW;
            if (i + blockDim.x < entries.count) { /* long before it is needed */
                coming = entries[i + blockDim.x];
            }
            if (at >= edges) { /* none */
                i += blockDim.x;
                continue;
            }
        }
        rmat_attempt_words<groups>(p, p.first + at, attempt, w);
        closest = rmat_fast_ends<groups, rmat_placed_tables<true>>(p, w, src, dst);
        src &= p.view.src_mask;
        dst &= p.view.dst_mask;

        /* What was right at once is done, and what is stored and proves right. */
        bool known = attempt == 0;

        if (closest < p.ties.limit) {
            uint64_t s, d;

            rmat_draw_edge(&p.view, p.first + at, attempt, &s, &d);
            known = known && S::stores && s == src && d == dst;
            src = s;
            dst = d;
        }
        next = !((p.shape & RMAT_SHAPE_REDRAWN) && rmat_unwanted(&p.view, src, dst) &&
                 attempt + 1 < RMAT_ATTEMPTS);
        if (next) {
            if (!known) {
                rmat_shape_ends(&p.view, &src, &dst);
                rmat_sink_both(p, sink, state, p.first + at, src, dst);
            }
            redraws += attempt;
            i += blockDim.x;
        } else {
            attempt++;
        }
    }
    return redraws;
}

/*
 * `lists` blocks of the kernel before, of so many threads with units of so many edges, left a list
 * each, if there were units.  The edges around the units are made here as well.
 */
template <int groups, typename S>
static __global__ void __launch_bounds__(RMAT_EDGE_THREADS)
    rmat_redraw_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                       uint32_t lists, uint32_t threads, uint32_t edges)
{
    const int symmetric = (p.shape & RMAT_SHAPE_SYMMETRIC) != 0;
    const uint64_t after = (p.first + (uint64_t)p.units * edges) << symmetric;
    const uint64_t before = (p.first << symmetric) - p.begin, rest = before + (p.end - after);
    uint64_t redraws = 0;
    typename S::state state;

    if (p.units != 0) {
        rmat_stage<groups, rmat_placed_tables<true>>(p);
        __syncthreads();
    }
    sink.begin(state);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rest;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t e = i < before ? p.begin + i : after + (i - before);
        uint64_t src, dst;
        const uint32_t attempts = rmat_edge_at(&p.view, e, &src, &dst);

        sink.edge(state, e, src, dst);
        redraws += symmetric && e % 2 ? 0 : attempts;
    }
    for (uint32_t l = blockIdx.x; p.units != 0 && l < lists; l += gridDim.x) {
        if (p.ties.found[l] <= p.ties.capacity) {
            redraws += rmat_redraw_list<groups>(p, sink, state,
                                                rmat_entries_of<false>(p, l, lists, threads, edges),
                                                p.units * edges);
        } else {
            redraws += rmat_redraw_list<groups>(p, sink, state,
                                                rmat_entries_of<true>(p, l, lists, threads, edges),
                                                p.units * edges);
        }
        if (threadIdx.x == 0) {
            atomicAdd((unsigned long long *)p.ties.total, (unsigned long long)p.ties.found[l]);
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
