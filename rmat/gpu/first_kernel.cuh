/*
 * first_kernel.cuh - the first of the two kernels: it makes all edges of a piece and hands them to
 * a sink (rmat_device.cuh).  C++17, for nvcc.
 *
 * A piece, whose edges all have the same high index word, is divided into units of a few edges.
 * Each thread makes a unit per turn with the fast draws of draw.cuh.  Edges that must be drawn
 * again are, by redraw.cuh; those that may have met a tie are only noted in a list of the block.
 * The second kernel makes those: to settle them here would cost this kernel half of its threads.
 */
#ifndef RMAT_GPU_FIRST_KERNEL_CUH
#define RMAT_GPU_FIRST_KERNEL_CUH

#include "rmat/gpu/redraw.cuh"

enum {
    RMAT_EDGE_THREADS = 1024 /* of a block, at most; the more, the fewer copies of the tables */
};

/* Permuted ends of more than 32 bits fit into 40 registers, which 1536 threads of a multiprocessor
 * can have: two blocks of 768.  One of sm_75 runs 1024 threads, and its compiler refuses more. */
template <int groups, typename Tables, typename S> constexpr bool rmat_permutes_wide()
{
    return Tables::permuted && sizeof(rmat_drawn<groups, S>) == 8;
}
template <int groups, typename Tables, typename S> constexpr int rmat_edge_threads()
{
    return rmat_permutes_wide<groups, Tables, S>() ? 768 : RMAT_EDGE_THREADS;
}

/* Blocks that the registers are to suffice for; 0: the compiler decides. */
template <int groups, typename Tables, typename S> constexpr int rmat_edge_blocks()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    return 0;
#else
    return rmat_permutes_wide<groups, Tables, S>() ? 2 : 0;
#endif
}

/* single: takes the edges that are drawn again, one by one. */
template <int groups, typename Tables, typename S, typename Single>
static __global__ void __launch_bounds__(rmat_edge_threads<groups, Tables, S>(),
                                         rmat_edge_blocks<groups, Tables, S>())
    rmat_first_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                      const __grid_constant__ Single single)
{
    __shared__ uint32_t found;
    rmat_redraw_queue<groups, Tables, Single> queue = {};
    typename S::state state;

    rmat_stage<groups, Tables>(p);
    if (threadIdx.x == 0) {
        found = 0;
    }
    if constexpr (Tables::redrawn) {
        rmat_waiting *entries =
            (rmat_waiting *)(rmat_shared + Tables::tables(p, groups) * RMAT_GROUP_PATHS);

        queue.entries = entries + threadIdx.x / 32 * rmat_queue_edges<S>();
        queue.list = (rmat_drawn<groups, S> *)(entries + blockDim.x / 32 * rmat_queue_edges<S>()) +
                     threadIdx.x;
    }
    __syncthreads();
    sink.begin(state);
    for (uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < p.units;
         u += gridDim.x * blockDim.x) {
        typename S::id src[S::edges], dst[S::edges];
        uint32_t closest[S::edges], least = UINT32_MAX;

        if constexpr (Tables::transformed) {
            rmat_transformed_unit<groups, Tables, S>(p, u, src, dst, closest, queue.list);
        }
#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            if constexpr (!Tables::transformed) {
                closest[j] = rmat_draw_fast<groups, Tables>(p, (uint32_t)p.first + S::offset(u, j),
                                                            src[j], dst[j]);
            }
            least = closest[j] < least ? closest[j] : least;
        }
        sink.template unit<!Tables::redrawn>(state, p, u, src, dst, closest);
        if (least < p.ties.limit) {
            for (int j = 0; j < S::edges; j++) {
                if (closest[j] < p.ties.limit && !(Tables::redrawn && closest[j] == 0)) {
                    rmat_set_aside(p, &found, S::offset(u, j));
                }
            }
        }
        if constexpr (Tables::redrawn) {
#pragma unroll
            for (int j = 0; j < S::edges; j++) {
                queue.push(closest[j] == 0, S::offset(u, j), 1);
            }
            /* after the last unit until none is left */
            for (const uint32_t enough = u + gridDim.x * blockDim.x < p.units ? 32 : 1;
                 queue.count >= enough;) {
                queue.turn(p, single, state, &found);
            }
        }
    }
    if constexpr (Tables::redrawn) {
        for (int lane = 16; lane > 0; lane /= 2) {
            queue.redraws += __shfl_down_sync(0xffffffffu, queue.redraws, lane);
        }
        if (threadIdx.x % 32 == 0 && queue.redraws != 0) {
            atomicAdd((unsigned long long *)p.ties.redraws, (unsigned long long)queue.redraws);
        }
    }
    sink.end(state);
    __syncthreads();
    if (threadIdx.x == 0) {
        p.ties.found[blockIdx.x] = found;
    }
}

#endif
