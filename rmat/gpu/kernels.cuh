/*
 * rmat/gpu/kernels.cuh - the kernels that make the edges of a range and hand them to a sink, for
 * rmat_device.cuh, where both are described.
 *
 * A piece of the stream, all of it with the same high index word, is cut into units of a few edges.
 * rmat_edge_kernel makes a unit per thread and turn by rmat_fast_edge(), and only notes which edges
 * may have met a tie.  rmat_settle_kernel makes those edges again, and those left over by the
 * units: settling in place would cost the first kernel half of its threads.  Both are for plain
 * graphs; rmat/gpu/shaped.cuh has the others.
 */
#ifndef RMAT_GPU_KERNELS_CUH
#define RMAT_GPU_KERNELS_CUH

#include "rmat/gpu/shape.cuh"

enum {
    RMAT_EDGE_THREADS = 1024, /* at most; the more, the fewer copies of the tables */
    RMAT_SETTLE_THREADS = 256,
    RMAT_SETTLE_BLOCKS = 4 /* for a list: the latency of single edges is what takes the time */
};

template <int groups, typename Tables, typename S>
static __global__ void __launch_bounds__(RMAT_EDGE_THREADS)
    rmat_edge_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink)
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

        if constexpr (Tables::shaped) {
            rmat_shaped_unit<groups, Tables, S>(p, u, src, dst, closest);
        }
#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            if constexpr (!Tables::shaped) {
                closest[j] = rmat_fast_edge<groups, Tables>(p, (uint32_t)p.first + S::offset(u, j),
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

                        if constexpr (Tables::shaped) {
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

/* Makes edge e with care.  Where the kernel before stored it as well, it is stored again only if it
 * was wrong: writing single ids all over the memory takes more time than to find that out. */
template <int groups, typename S>
static __device__ __forceinline__ void
rmat_settle(const rmat_piece &p, const S &sink, typename S::state &state, uint64_t e, bool stored)
{
    uint64_t src, dst;

    rmat_draw_edge(&p.view, e, 0, &src, &dst);
    if (stored) {
        typename S::id fast_src, fast_dst;

        rmat_fast_edge<groups, rmat_far_tables>(p, (uint32_t)e, fast_src, fast_dst);
        if (src == fast_src && dst == fast_dst) {
            return;
        }
    }
    sink.edge(state, e, src, dst);
}

/* `lists` blocks of the kernel before, of so many threads, left a list each, if there were units;
 * several blocks together settle one. */
template <int groups, typename S>
static __global__ void __launch_bounds__(RMAT_SETTLE_THREADS)
    rmat_settle_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
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
        } else { /* Too many to be remembered: look for them again. */
            for (uint32_t u = list * threads; u < p.units; u += lists * threads) {
                for (uint32_t i = start; i < threads * S::edges; i += step) {
                    const uint32_t mine = u + i % threads, o = S::offset(mine, (int)(i / threads));
                    typename S::id src, dst;

                    if (mine < p.units && rmat_fast_edge<groups, rmat_far_tables>(
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

template <int groups, typename S>
int rmat_launch(const rmat_gen *gen, rmat_piece p, const S &sink, cudaStream_t stream)
{
    const auto kernel = p.tables == 1 ? rmat_edge_kernel<groups, rmat_one_table, S>
                                      : rmat_edge_kernel<groups, rmat_own_tables, S>;
    const size_t shared = (size_t)(p.tables == 1 ? 1 : groups) * RMAT_TABLE_BYTES;
    int threads = 0, blocks = 0, settling, end, st = RMAT_OK;

    if (p.units != 0) {
        st = rmat_grid(kernel, shared, p.units, &threads, &blocks);
        if (st != RMAT_OK) {
            return st;
        }
    }
    if (blocks != 0) {
        const uint64_t turns = (p.units - 1) / ((uint64_t)blocks * threads) + 1;

        st = rmat_ties_begin(gen, (uint32_t)blocks, turns * threads * S::edges, stream, &p.ties);
        if (st != RMAT_OK) {
            return st;
        }
        kernel<<<blocks, threads, shared, stream>>>(p, sink);
        st = rmat_gpu_launched();
        settling = blocks * RMAT_SETTLE_BLOCKS;
    } else { /* too few edges or too little shared memory: all of them with care */
        const uint64_t most = 1 << 14, all = (p.end - p.begin - 1) / RMAT_SETTLE_THREADS + 1;

        p.units = 0;
        settling = (int)(all < most ? all : most);
    }
    if (st == RMAT_OK) {
        rmat_settle_kernel<groups, S><<<settling, RMAT_SETTLE_THREADS, 0, stream>>>(
            p, sink, (uint32_t)blocks, (uint32_t)threads);
        st = rmat_gpu_launched();
    }
    end = p.units != 0 ? rmat_ties_end(&p.ties, stream) : RMAT_OK;
    return st != RMAT_OK ? st : end;
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

/*
 * Edges as they are drawn, of a square graph, piece by piece: at most 2^31 edges, and never across
 * a multiple of 2^32.
 */
template <typename S>
int rmat_run_plain(const rmat_gen *gen, const rmat_view &view, uint64_t first, uint64_t count,
                   const S &sink, cudaStream_t stream)
{
    int st = RMAT_OK;

    while (st == RMAT_OK && count != 0) {
        uint64_t n = ((uint64_t)1 << 31) - (first & 0x7fffffffu), head = sink.head(first);
        rmat_piece p;

        n = count < n ? count : n;
        head = head < n ? head : n;
        p = rmat_piece_of(view, first);
        p.begin = first;
        p.end = first + n;
        p.first += head;
        p.units = (uint32_t)((n - head) / S::edges) & ~31u; /* whole warps */
        st = rmat_by_groups<S::wide>(view.groups, [&](auto groups) {
            return rmat_launch<decltype(groups)::value>(gen, p, sink.at(p.first), stream);
        });
        first += n;
        count -= n;
    }
    return st;
}

/* Do the drawn ends make the edges? */
static inline bool rmat_is_plain(const rmat_view &view)
{
    return view.shape == 0 && view.src_mask == view.dst_mask;
}

#endif
