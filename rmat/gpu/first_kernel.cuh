/*
 * first_kernel.cuh - the first of the two kernels: it makes all edges of a piece and hands them to
 * a sink (rmat_device.cuh).  C++17, for nvcc.
 *
 * A piece, whose edges all have the same high index word, is divided into units of a few edges.
 * Each thread makes a unit per turn with the fast draws of draw.cuh, and only notes in a list of
 * its block which edges may have met a tie or must be drawn again.  The second kernel makes those:
 * to settle them here would cost this kernel half of its threads.
 */
#ifndef RMAT_GPU_FIRST_KERNEL_CUH
#define RMAT_GPU_FIRST_KERNEL_CUH

#include "rmat/gpu/transform.cuh"
#include "rmat/try.h"

enum {
    RMAT_EDGE_THREADS = 1024, /* of a block, at most; the more, the fewer copies of the tables */
    RMAT_SETTLE_THREADS = 256,
    RMAT_SETTLE_BLOCKS = 4 /* per list: the latency of single edges is what takes the time */
};

template <int groups, typename Tables, typename S>
static __global__ void __launch_bounds__(RMAT_EDGE_THREADS)
    rmat_first_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink)
{
    __shared__ uint32_t found;
    typename S::state state;

    rmat_stage<groups, Tables>(p);
    if (threadIdx.x == 0) {
        found = 0;
    }
    __syncthreads();
    sink.begin(state);
    for (uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < p.units;
         u += gridDim.x * blockDim.x) {
        typename S::id src[S::edges], dst[S::edges];
        uint32_t closest[S::edges], least = UINT32_MAX;

        if constexpr (Tables::transformed) {
            rmat_transformed_unit<groups, Tables, S>(p, u, src, dst, closest);
        }
#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            if constexpr (!Tables::transformed) {
                closest[j] = rmat_draw_fast<groups, Tables>(p, (uint32_t)p.first + S::offset(u, j),
                                                            src[j], dst[j]);
            }
            least = closest[j] < least ? closest[j] : least;
        }
        sink.unit(state, p, u, src, dst, closest);
        if (least < p.ties.limit) {
            for (int j = 0; j < S::edges; j++) {
                if (closest[j] < p.ties.limit) {
                    uint32_t at = atomicAdd(&found, 1u);

                    if (at < p.ties.capacity) {
                        uint32_t entry = S::offset(u, j);

                        if constexpr (Tables::transformed) {
                            entry |= rmat_redraw_bit<Tables>(p, closest[j]);
                        }
                        p.ties.edges[(uint64_t)blockIdx.x * p.ties.capacity + at] = entry;
                    }
                }
            }
        }
    }
    sink.end(state);
    __syncthreads();
    if (threadIdx.x == 0) {
        p.ties.found[blockIdx.x] = found;
    }
}

/* Chooses the grid for so many units: blocks of all threads or, if more threads then run at once,
 * of half as many.  Sets *blocks to 0, and returns RMAT_OK, if the kernel cannot have so much
 * shared memory. */
template <typename Kernel>
int rmat_grid(Kernel kernel, size_t shared, uint64_t units, int *threads, int *blocks)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, most, small, st;

    *blocks = 0;
    RMAT_TRY_CUDA(cudaGetDevice(&device));
    RMAT_TRY_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    RMAT_TRY_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    RMAT_TRY_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    most -= (int)attributes.sharedSizeBytes;
    if (shared > (size_t)most) {
        return RMAT_OK;
    }
    /* Always the same value, because other threads may be setting it, too. */
    RMAT_TRY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    RMAT_TRY_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, RMAT_EDGE_THREADS, shared));
    RMAT_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, kernel,
                                                                RMAT_EDGE_THREADS / 2, shared));
    *threads = RMAT_EDGE_THREADS;
    if (small > 2 * *blocks) {
        *threads = RMAT_EDGE_THREADS / 2;
        *blocks = small;
    }
    *blocks *= multiprocessors;
    if ((uint64_t)*blocks > (units + *threads - 1) / *threads) {
        *blocks = (int)((units + *threads - 1) / *threads);
    }
done:
    return st;
}

/* Calls launch() with rmat_kernel_groups(groups) as a std::integral_constant. */
template <bool wide, typename Launch> int rmat_by_groups(int groups, const Launch &launch)
{
    switch (rmat_kernel_groups(groups)) {
    case 4:
        return launch(std::integral_constant<int, 4>());
    case 5:
        return launch(std::integral_constant<int, 5>());
    case 6:
        return launch(std::integral_constant<int, 6>());
    }
    if constexpr (wide) {
        switch (rmat_kernel_groups(groups)) {
        case 7:
            return launch(std::integral_constant<int, 7>());
        case 8:
            return launch(std::integral_constant<int, 8>());
        default:
            return launch(std::integral_constant<int, RMAT_MAX_GROUPS>());
        }
    }
    return RMAT_ERR_ID_WIDTH;
}

#endif
