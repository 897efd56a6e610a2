/*
 * rmat/gpu/kernels.cuh - the kernels that make the edges of a range and hand them to a sink, for
 * rmat_device.cuh, where both are described.
 *
 * A piece of the stream, all of it with the same high index word, is cut into units of a few edges.
 * rmat_first_kernel makes a unit per thread and turn by rmat_draw_fast(), and only notes which
 * edges may have met a tie.  rmat_second_kernel_plain makes those edges again, and those left over
 * by the units: settling in place would cost the first kernel half of its threads.  Both are for
 * plain graphs; rmat/gpu/launch_transformed.cuh has the others.
 */
#ifndef RMAT_GPU_FIRST_KERNEL_CUH
#define RMAT_GPU_FIRST_KERNEL_CUH

#include "rmat/gpu/transform.cuh"

enum {
    RMAT_EDGE_THREADS = 1024, /* at most; the more, the fewer copies of the tables */
    RMAT_SETTLE_THREADS = 256,
    RMAT_SETTLE_BLOCKS = 4 /* for a list: the latency of single edges is what takes the time */
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

/* Blocks of all threads or, where these keep fewer of them at work, of half as many.  None (and
 * RMAT_OK) where so much shared memory is not to be had. */
template <typename Kernel>
int rmat_grid(Kernel kernel, size_t shared, uint64_t units, int *threads, int *blocks)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, most, small;
    cudaError_t error = cudaGetDevice(&device);

    *blocks = 0;
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error == cudaSuccess) {
        error = cudaFuncGetAttributes(&attributes, kernel);
    }
    if (error != cudaSuccess) {
        return rmat_gpu_status(error);
    }
    most -= (int)attributes.sharedSizeBytes;
    if (shared > (size_t)most) {
        return RMAT_OK;
    }
    /* Always the same, as other threads may be doing this, too. */
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, RMAT_EDGE_THREADS,
                                                              shared);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, kernel, RMAT_EDGE_THREADS / 2,
                                                              shared);
    }
    if (error != cudaSuccess) {
        return rmat_gpu_status(error);
    }
    *threads = RMAT_EDGE_THREADS;
    if (small > 2 * *blocks) {
        *threads = RMAT_EDGE_THREADS / 2;
        *blocks = small;
    }
    *blocks *= multiprocessors;
    if ((uint64_t)*blocks > (units + *threads - 1) / *threads) {
        *blocks = (int)((units + *threads - 1) / *threads);
    }
    return RMAT_OK;
}

/* launch() with a std::integral_constant of rmat_kernel_groups(groups). */
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
