/*
 * sieve.cuh - the first kernel for a sink that wants the edges of few rows of a plain graph.
 * C++17, for nvcc.
 *
 * The first two of an edge's draws decide the leading 12 bits of its source.  Only they are made at
 * first; an edge whose source is then outside of the sink's rows is done.  A warp collects all
 * others in a queue in shared memory, and draws them again from the beginning, 32 at a time, so
 * that no thread waits for others to finish their edges.  Where most edges pass, this takes longer
 * than to draw each of them once.
 *
 * An edge that may have met a tie in one of the two draws passes the sieve, and is set aside after
 * it.  If a list of those set aside overflows, the second kernel also makes edges that did not pass
 * and may have met a tie in a later draw.  No sink takes them, as it looks at every edge itself:
 * the sieve only saves it from most of them.
 */
#ifndef RMAT_GPU_SIEVE_CUH
#define RMAT_GPU_SIEVE_CUH

#include "rmat/gpu/kernels.cuh"

/* Threads of a block, at most.  Two such blocks are to fill a multiprocessor of 2048 threads, with
 * 32 registers for each, or 1536, with 40; ids of more than 32 bits need as many. */
template <typename S> constexpr int rmat_sieve_threads()
{
    return sizeof(typename S::id) == 8 ? 768 : 1024;
}

/* Blocks that the registers are to suffice for; 0: the compiler decides, as it refuses more threads
 * than a multiprocessor runs. */
template <typename S> constexpr int rmat_sieve_blocks()
{
#ifdef __CUDA_ARCH__
    const int arch = __CUDA_ARCH__ / 10;
    const int most = arch == 75 ? 1024 : arch == 80 || arch == 90 || arch / 10 == 10 ? 2048 : 1536;

    return 2 * rmat_sieve_threads<S>() <= most ? 2 : 0;
#else
    return 0;
#endif
}

/* Whether the base edge with this low index word may have a source that the sink wants. */
template <int groups, typename Tables, typename S>
static __device__ __forceinline__ bool rmat_passes(const rmat_piece &p, const S &sink, uint32_t low)
{
    uint32_t w[4], near[2], leading;

    rmat_draw_words<4>(p, low, w); /* the compiler leaves out what only w[2] and w[3] take */
#pragma unroll
    for (int g = 0; g < 2; g++) {
        const uint32_t row = Tables::template row<groups>(p, g, w[g]);

        near[g] = w[g] - row;
        w[g] = __viaddmin_u32(row, rmat_tie_reach<groups>(), w[g]);
    }
    /* the source's bits of both paths at the top, above bits of no meaning */
    leading = (w[0] << (32 - 2 * RMAT_GROUP_LEVELS) & ~0u << (32 - RMAT_GROUP_LEVELS)) |
              (w[1] << (32 - 3 * RMAT_GROUP_LEVELS) & ~0u >> RMAT_GROUP_LEVELS);
    return sink.wants(leading) | (min(near[0], near[1]) < p.ties.limit);
}

/* The edges of a warp that passed, counted from the piece's first unit; its lanes call all
 * functions together. */
template <int groups, typename Tables, typename S> struct rmat_sieve_queue {
    uint32_t bottom, top;  /* rmat_queue_edges() places of rmat_shared; the same in all lanes */
    uint32_t lanes_before; /* a bit for each lane before this one */

    /* Those of unit u that passed. */
    __device__ __forceinline__ void push(const bool *passed, uint32_t u)
    {
        uint32_t votes[S::edges];

#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            votes[j] = __ballot_sync(0xffffffffu, passed[j]);
        }
#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            if (passed[j]) {
                rmat_shared[top + __popc(votes[j] & lanes_before)] = S::offset(u, j);
            }
            top += __popc(votes[j]);
        }
        __syncwarp();
    }

    /* Makes up to 32 edges. */
    template <typename State>
    __device__ __forceinline__ void turn(const rmat_piece &p, const S &sink, State &state,
                                         uint32_t *found)
    {
        const uint32_t lane = threadIdx.x % 32, n = min(top - bottom, 32u);
        const bool mine = lane < n;
        typename S::id src, dst;
        uint32_t at, closest;

        top -= n;
        at = rmat_shared[top + lane]; /* of no meaning unless mine */
        closest = rmat_draw_fast<groups, Tables>(p, (uint32_t)p.first + at, src, dst);
        if (mine && closest < p.ties.limit) {
            rmat_set_aside(p, found, at);
        }
        sink.take_together(state, p, mine && closest >= p.ties.limit, src, dst);
        __syncwarp();
    }
};

/* single: takes the edges that passed. */
template <int groups, typename Tables, typename S, typename Single>
static __global__ void __launch_bounds__(rmat_sieve_threads<S>(), rmat_sieve_blocks<S>())
    rmat_sieve_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                      const __grid_constant__ Single single)
{
    static_assert(Single::together, "");
    __shared__ uint32_t found;
    rmat_sieve_queue<groups, Tables, Single> queue;
    typename S::state state;

    rmat_stage<groups, Tables>(p);
    if (threadIdx.x == 0) {
        found = 0;
    }
    queue.bottom = queue.top =
        Tables::tables(p, groups) * RMAT_GROUP_PATHS + threadIdx.x / 32 * rmat_queue_edges<S>();
    /* volatile: or the compiler computes it again for each edge */
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(queue.lanes_before));
    __syncthreads();
    sink.begin(state);
    for (uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < p.units;
         u += gridDim.x * blockDim.x) {
        bool passes[S::edges];

#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            passes[j] = rmat_passes<groups, Tables>(p, sink, (uint32_t)p.first + S::offset(u, j));
        }
        queue.push(passes, u);
        /* after the last unit until none is left */
        for (const uint32_t enough = u + gridDim.x * blockDim.x < p.units ? 32 : 1;
             queue.top - queue.bottom >= enough;) {
            queue.turn(p, single, state, &found);
        }
    }
    sink.end(state);
    __syncthreads();
    if (threadIdx.x == 0) {
        p.ties.found[blockIdx.x] = found;
    }
}

#endif
