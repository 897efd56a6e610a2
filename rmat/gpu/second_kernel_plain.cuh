/*
 * second_kernel_plain.cuh - the second kernel for plain graphs: it makes the edges that the first
 * one set aside because they may have met a tie, and those around its units.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_SECOND_KERNEL_PLAIN_CUH
#define RMAT_GPU_SECOND_KERNEL_PLAIN_CUH

#include "rmat/gpu/first_kernel.cuh"

/* Makes edge e by the reference.  If the first kernel stored it already, it is stored again only if
 * it was wrong: to find that out takes less time than to write single ids all over the memory. */
template <int groups, typename S>
static __device__ __forceinline__ void
rmat_settle(const rmat_piece &p, const S &sink, typename S::state &state, uint64_t e, bool stored)
{
    uint64_t src, dst;

    rmat_draw_edge(&p.view, e, 0, &src, &dst);
    if (stored) {
        typename S::id fast_src, fast_dst;

        rmat_draw_fast<groups, rmat_far_tables>(p, (uint32_t)e, fast_src, fast_dst);
        if (src == fast_src && dst == fast_dst) {
            return;
        }
    }
    sink.edge(state, e, src, dst);
}

/* lists, threads: blocks of the first kernel, each of which left a list, and their threads; of no
 * meaning if the piece has no units.  Several blocks of this kernel share a list. */
template <int groups, typename S>
static __global__ void __launch_bounds__(RMAT_SETTLE_THREADS)
    rmat_second_kernel_plain(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                             uint32_t lists, uint32_t threads)
{
    const uint64_t after = p.first + (uint64_t)p.units * S::edges;
    const uint64_t before = p.first - p.begin, rest = before + (p.end - after);
    typename S::state state;

    sink.begin(state);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rest;
         i += (uint64_t)gridDim.x * blockDim.x) {
        rmat_settle<groups>(p, sink, state, i < before ? p.begin + i : after + (i - before), false);
    }
    if (p.units != 0) {
        const uint32_t list = blockIdx.x % lists, found = p.ties.found[list];
        const uint32_t start = blockIdx.x / lists * blockDim.x + threadIdx.x;
        const uint32_t step = gridDim.x / lists * blockDim.x;

        if (found <= p.ties.capacity) {
            for (uint32_t i = start; i < found; i += step) {
                rmat_settle<groups>(p, sink, state,
                                    p.first + p.ties.edges[(uint64_t)list * p.ties.capacity + i],
                                    S::stores);
            }
        } else { /* the list overflowed: look for its edges again */
            for (uint32_t u = list * threads; u < p.units; u += lists * threads) {
                for (uint32_t i = start; i < threads * S::edges; i += step) {
                    const uint32_t mine = u + i % threads, o = S::offset(mine, (int)(i / threads));
                    typename S::id src, dst;

                    if (mine < p.units && rmat_draw_fast<groups, rmat_far_tables>(
                                              p, (uint32_t)p.first + o, src, dst) < p.ties.limit) {
                        rmat_settle<groups>(p, sink, state, p.first + o, S::stores);
                    }
                }
            }
        }
        if (start == 0) {
            atomicAdd((unsigned long long *)p.ties.total, (unsigned long long)found);
        }
    }
    sink.end(state);
}

#endif
