/*
 * launch.cuh - starts the two kernels for a piece of the stream.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_LAUNCH_CUH
#define RMAT_GPU_LAUNCH_CUH

#include "rmat/gpu/kernels.cuh"
#include "rmat/try.h"

/* Bytes of dynamic shared memory of a block with this many threads: tables, the queues of its
 * warps, and the lists of its threads. */
template <int groups, typename Tables, typename S>
size_t rmat_shared_bytes(const rmat_piece &p, int threads)
{
    const size_t waiting = Tables::redrawn ? rmat_queue_edges<S>() * sizeof(rmat_waiting) : 0;
    const uint32_t walked = RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_PERMUTED;
    const size_t list =
        (p.transform & walked) == walked ? 2 * S::edges * sizeof(rmat_drawn<groups, S>) : 0;

    return (size_t)Tables::tables(p, groups) * RMAT_TABLE_BYTES + (size_t)threads / 32 * waiting +
           (size_t)threads * list;
}

/* Chooses the grid.  A block has all `all` threads that the kernel may have, or half or a quarter
 * as many if the shared memory then lets more threads run at the same time.  If shared memory has
 * no room even for those, sets *blocks to 0 and returns RMAT_OK. */
template <typename Kernel, typename Shared>
int rmat_grid(Kernel kernel, int all, const Shared &shared, uint64_t units, int *threads,
              int *blocks)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, most, running = 0;

    *blocks = 0;
    RMAT_CUDA_OR_RETURN(cudaGetDevice(&device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    RMAT_CUDA_OR_RETURN(cudaFuncGetAttributes(&attributes, kernel));
    most -= (int)attributes.sharedSizeBytes;
    /* Always the same value, because other threads may be setting it at the same time. */
    RMAT_CUDA_OR_RETURN(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int t = all; t >= all / 2 || (running == 0 && t == all / 4); t /= 2) {
        int fit = 0;

        if (shared(t) <= (size_t)most) {
            RMAT_CUDA_OR_RETURN(
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, t, shared(t)));
        }
        if (fit * t > running) {
            running = fit * t;
            *threads = t;
            *blocks = fit * multiprocessors;
        }
    }
    if (*blocks != 0 && (uint64_t)*blocks > (units + *threads - 1) / *threads) {
        *blocks = (int)((units + *threads - 1) / *threads);
    }
    return RMAT_OK;
}

/* Starts both kernels.  `sink` receives the units of the first one, `single` the edges that are
 * drawn again or made by the second. */
template <int groups, typename Tables, typename S, typename Single>
int rmat_launch(const rmat_gen *gen, rmat_piece p, const S &sink, const Single &single,
                cudaStream_t stream)
{
    const auto kernel = rmat_first_kernel<groups, Tables, S, Single>;
    const auto shared = [&](int t) { return rmat_shared_bytes<groups, Tables, S>(p, t); };
    int threads = 0, blocks = 0, settling, end, st = RMAT_OK;
    uint64_t turns = 0;

    if (p.units != 0) {
        st = rmat_grid(kernel, rmat_edge_threads<groups, Tables, S>(), shared, p.units, &threads,
                       &blocks);
    }
    if (st == RMAT_OK && blocks != 0) {
        turns = (p.units - 1) / ((uint64_t)blocks * threads) + 1;
    }
    if (st == RMAT_OK) {
        st = rmat_ties_begin(gen, (uint32_t)blocks, turns * threads * S::edges, stream, &p.ties);
    }
    if (st != RMAT_OK) {
        return st;
    }
    if (blocks != 0) {
        kernel<<<blocks, threads, shared(threads), stream>>>(p, sink, single);
        st = rmat_gpu_launched();
        settling = blocks * RMAT_SETTLE_BLOCKS;
    } else { /* too few edges or too little shared memory: the second kernel makes all */
        const uint64_t most = 1 << 14, all = (p.end - p.begin - 1) / RMAT_SETTLE_THREADS + 1;

        p.units = 0;
        settling = (int)(all < most ? all : most);
    }
    if (st == RMAT_OK) {
        const rmat_first_run run = {(uint32_t)blocks, (uint32_t)threads, (uint32_t)S::edges,
                                    Tables::redrawn};

        rmat_second_kernel<<<settling, RMAT_SETTLE_THREADS, 0, stream>>>(p, single, run);
        st = rmat_gpu_launched();
    }
    end = rmat_ties_end(&p.ties, stream);
    return st != RMAT_OK ? st : end;
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

/* Whether the graph is plain: square, with the drawn ends as those of the edges. */
static inline bool rmat_is_plain(const rmat_view &view)
{
    return view.transform == 0 && view.src_mask == view.dst_mask;
}

/* Whether permutation is the only transformation, and its kernels can do it for ids of type T. */
template <typename T> bool rmat_is_permuted(const rmat_piece &p)
{
    return p.transform == RMAT_TRANSFORM_PERMUTED &&
           (sizeof(T) == 4 || p.view.groups <= RMAT_LOW_GROUPS || p.side[0].up == 0);
}

/* Whether only the kernel for all transformations can make the piece. */
static inline bool rmat_is_bounded(const rmat_piece &p)
{
    return (p.transform &
            (RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_OFTEN | RMAT_TRANSFORM_FEW_BITS)) != 0;
}

/* Starts both kernels for one piece.  The first one is that of the sink's kernels with the fewest
 * transformations that the piece allows. */
template <int groups, bool bounded, typename S, typename Single>
int rmat_launch_piece(const rmat_gen *gen, const rmat_piece &p, const S &sink, const Single &single,
                      cudaStream_t stream)
{
    typedef rmat_permuted<rmat_one_table> one;
    typedef rmat_permuted<rmat_own_tables> own;

    if constexpr ((S::kernels & RMAT_FOR_PLAIN) != 0) {
        if (rmat_is_plain(p.view)) {
            return p.tables == 1
                       ? rmat_launch<groups, rmat_one_table>(gen, p, sink, single, stream)
                       : rmat_launch<groups, rmat_own_tables>(gen, p, sink, single, stream);
        }
    }
    if constexpr ((S::kernels & RMAT_FOR_PERMUTED) != 0) {
        if (rmat_is_permuted<typename S::id>(p)) {
            return p.tables == 1 ? rmat_launch<groups, one>(gen, p, sink, single, stream)
                                 : rmat_launch<groups, own>(gen, p, sink, single, stream);
        }
    }
    if constexpr ((S::kernels & RMAT_FOR_UNBOUNDED) != 0) {
        if (!bounded || !rmat_is_bounded(p)) {
            return rmat_launch<groups, rmat_placed_tables<false>>(gen, p, sink, single, stream);
        }
    }
    if constexpr (bounded) {
        return rmat_launch<groups, rmat_placed_tables<true>>(gen, p, sink, single, stream);
    }
}

/*
 * Starts making edges [first, first + count) for a sink, piece by piece.  Pieces do not cross a
 * multiple of 2^32 base edges, and their edges, and those after the last unit, have numbers of 31
 * bits.  With symmetrize, units consist of base edges with both edges in the range.  `single`
 * receives the edges that are drawn again or made by the second kernel.  bounded:
 * rmat_is_bounded() may be true; else the kernels for that case are not compiled.
 */
template <bool bounded = true, typename S, typename Single>
int rmat_run(const rmat_gen *gen, const rmat_view &view, uint64_t first, uint64_t count,
             const S &sink, const Single &single, cudaStream_t stream)
{
    const int symmetric = (view.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t end = first + count, stop = end >> symmetric, most = (uint64_t)1 << 30;
    int st = RMAT_OK;

    while (st == RMAT_OK && first < end) {
        const uint64_t base = (first + (uint64_t)symmetric) >> symmetric;
        uint64_t n = ((uint64_t)1 << 32) - (uint32_t)base, head = sink.head(base);
        rmat_piece p = rmat_piece_of(view, base);

        n = n < most ? n : most;
        n = n < stop - base ? n : stop - base;
        head = head < n ? head : n;
        p.begin = first;
        p.end = base + n == stop ? end : (base + n) << symmetric;
        p.first += head;
        p.units = (uint32_t)((n - head) / S::edges) & ~31u; /* whole warps */
        st = rmat_by_groups<S::wide>(view.groups, [&](auto groups) {
            return rmat_launch_piece<decltype(groups)::value, bounded>(gen, p, sink.at(p.first),
                                                                       single, stream);
        });
        first = p.end;
    }
    return st;
}

#endif
