/*
 * redraw.cuh - draws unwanted edges again, inside the first kernel.  C++17, for nvcc.
 *
 * A warp collects the edges whose draw is unwanted in a queue in shared memory, and draws 32 of
 * them as soon as there are so many; those unwanted again return to the queue.  So all threads have
 * work whatever share of the draws is thrown away, until the warp has no more units.  An edge is
 * handed to the sink soon after its neighbours, while the L2 cache still holds their part of the
 * arrays: stored later, it would have the memory read and write 32 bytes for each of its ids.
 *
 * This is rejection sampling on SIMT machines as in alias/gpu/rejection.cuh with one thread for
 * each sample, and threads that take the next sample as soon as theirs is accepted.
 */
#ifndef RMAT_GPU_REDRAW_CUH
#define RMAT_GPU_REDRAW_CUH

#include "rmat/gpu/transform.cuh"

/* An edge, counted from the piece's first unit, and its next attempt. */
struct rmat_waiting {
    uint32_t at, attempt;
};

/* The room in the queue of a warp: for fewer edges than it has lanes, and a unit of each lane. */
template <typename S> static __host__ __device__ constexpr uint32_t rmat_queue_edges()
{
    return 31 + 32 * S::edges;
}

/* Puts an edge on the list of the block, for the second kernel.  found: in shared memory. */
static __device__ __forceinline__ void rmat_set_aside(const rmat_piece &p, uint32_t *found,
                                                      uint32_t at)
{
    const uint32_t place = atomicAdd(found, 1u);

    if (place < p.ties.capacity) {
        p.ties.edges[(uint64_t)blockIdx.x * p.ties.capacity + place] = at;
    }
}

/* Hands base edge e to the sink, with its reverse if the graph has it. */
template <typename S>
static __device__ __forceinline__ void rmat_sink_both(const rmat_piece &p, const S &sink,
                                                      typename S::state &state, uint64_t e,
                                                      uint64_t src, uint64_t dst)
{
    if (p.transform & RMAT_TRANSFORM_SYMMETRIC) {
        sink.edge(state, 2 * e, src, dst);
        sink.edge(state, 2 * e + 1, dst, src);
    } else {
        sink.edge(state, e, src, dst);
    }
}

/* The random words of all draws of the edge with this low index word at this attempt: Philox as in
 * alias/core/philox.h, with the keys of the piece. */
template <int groups>
static __device__ __forceinline__ void rmat_attempt_words(const rmat_piece &p, uint32_t low,
                                                          uint32_t attempt, uint32_t *w)
{
#pragma unroll
    for (int b = 0; b < (groups == 5 ? 1 : (groups + 3) / 4); b++) {
        uint32_t c0 = low, c1 = (uint32_t)(p.first >> 32);
        uint32_t c2 = attempt * RMAT_ATTEMPT_STEP + (uint32_t)b, c3 = PHILOX_EDGE;

#pragma unroll
        for (int r = 0; r < 10; r++) {
            const uint64_t p0 = philox_mul(0xD2511F53u, c0), p1 = philox_mul(0xCD9E8D57u, c2);

            c0 = (uint32_t)(p1 >> 32) ^ c1 ^ p.keys[r][0];
            c1 = (uint32_t)p1;
            c2 = (uint32_t)(p0 >> 32) ^ c3 ^ p.keys[r][1];
            c3 = (uint32_t)p0;
        }
        w[4 * b] = c0;
        w[4 * b + 1] = c1;
        w[4 * b + 2] = c2;
        w[4 * b + 3] = c3;
    }
    if (groups == 5) {
        w[4] = rmat_fifth_word(w[0], w[1], w[2], w[3]);
    }
}

/* The queue of a warp, whose lanes call all functions together. */
template <int groups, typename Tables, typename S> struct rmat_redraw_queue {
    typedef rmat_drawn<groups, S> drawn;
    rmat_waiting *entries; /* [rmat_queue_edges()], in shared memory */
    drawn *list;           /* of the lane, for rmat_walk_unit() */
    uint32_t count;        /* the same in all lanes */
    uint32_t redraws;      /* of the edges that this lane finished */

    __device__ __forceinline__ void push(bool mine, uint32_t at, uint32_t attempt)
    {
        const uint32_t votes = __ballot_sync(0xffffffffu, mine), lane = threadIdx.x % 32;

        if (mine) {
            entries[count + __popc(votes & ((1u << lane) - 1))] = {at, attempt};
        }
        count += __popc(votes);
        __syncwarp();
    }

    /* Makes one draw for up to 32 edges. */
    template <typename State>
    __device__ __forceinline__ void turn(const rmat_piece &p, const S &sink, State &state,
                                         uint32_t *found)
    {
        const uint32_t lane = threadIdx.x % 32, n = min(count, 32u);
        const bool mine = lane < n;
        const rmat_waiting now = mine ? entries[count - n + lane] : rmat_waiting{0, 0};
        const uint64_t e = p.first + now.at;
        uint32_t w[(groups + 4) / 4 * 4], closest[1];
        drawn s[1], d[1];
        bool again = false, done = false;
        uint64_t src, dst;

        count -= n;
        __syncwarp();
        if (mine) {
            rmat_attempt_words<groups>(p, (uint32_t)e, now.attempt, w);
            closest[0] = rmat_words_to_ends<groups, Tables>(p, w, s[0], d[0]);
            rmat_transform_unit_ends<Tables, 1>(p, s, d, closest, list);
            src = s[0];
            dst = d[0];
            done = closest[0] >= p.ties.limit;
            again = closest[0] == 0 && now.attempt + 1 < RMAT_ATTEMPTS;
            if (!done && !again) {
                rmat_set_aside(p, found, now.at);
            }
            redraws += done ? now.attempt : 0;
        }
        if constexpr (S::together) {
            sink.take_together(state, p, done, src, dst);
        } else if (done) {
            rmat_sink_both(p, sink, state, e, src, dst);
        }
        push(again, now.at, now.attempt + 1);
    }
};

#endif
