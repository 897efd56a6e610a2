/*
 * launch_transformed.cuh - starts the two kernels for edges of transformed graphs: all that are not
 * plain, rectangular ones among them.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_LAUNCH_TRANSFORMED_CUH
#define RMAT_GPU_LAUNCH_TRANSFORMED_CUH

#include "rmat/gpu/first_kernel.cuh"
#include "rmat/gpu/second_kernel_transformed.cuh"

/* Starts both kernels for one piece; `sink` takes the units of the first one, `single` the edges of
 * the second. */
template <int groups, typename S, typename Single>
int rmat_launch_transformed(const rmat_gen *gen, rmat_piece p, const S &sink, const Single &single,
                            cudaStream_t stream)
{
    auto kernel = rmat_first_kernel<groups, rmat_placed_tables<true>, S>;
    const auto redraw = rmat_second_kernel_transformed<groups, Single>;
    size_t shared = (size_t)p.tables * RMAT_TABLE_BYTES, staged = shared;
    int threads = 0, blocks = 0, again = RMAT_SETTLE_THREADS, settling = 0, end, st = RMAT_OK;
    uint64_t turns = 0;

    if constexpr (S::variety >= 1) {
        if (!(p.transform & (RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_FEW_BITS))) {
            kernel = rmat_first_kernel<groups, rmat_placed_tables<false>, S>;
        }
    }
    if constexpr (S::variety >= 2) {
        if (p.transform == RMAT_TRANSFORM_PERMUTED) {
            kernel = p.tables == 1 ? rmat_first_kernel<groups, rmat_permuted<rmat_one_table>, S>
                                   : rmat_first_kernel<groups, rmat_permuted<rmat_own_tables>, S>;
            staged = (size_t)(p.tables == 1 ? 1 : groups) * RMAT_TABLE_BYTES;
        }
    }
    if (p.units != 0) {
        st = rmat_grid(kernel, staged, p.units, &threads, &blocks);
    }
    if (st == RMAT_OK && blocks != 0) {
        turns = (p.units - 1) / ((uint64_t)blocks * threads) + 1;
        st = rmat_grid(redraw, shared, p.units, &again, &settling);
    }
    if (st == RMAT_OK) {
        st = rmat_ties_begin(gen, (uint32_t)blocks, turns * threads * S::edges, stream, &p.ties);
    }
    if (st != RMAT_OK) {
        return st;
    }
    if (settling == 0) { /* too few edges or too little shared memory: the second makes all */
        const uint64_t most = 1 << 14, all = (p.end - p.begin - 1) / RMAT_SETTLE_THREADS + 1;

        p.units = 0;
        shared = 0;
        again = RMAT_SETTLE_THREADS;
        settling = (int)(all < most ? all : most);
    } else {
        kernel<<<blocks, threads, staged, stream>>>(p, sink);
        st = rmat_gpu_launched();
        settling = settling < blocks ? settling : blocks;
    }
    if (st == RMAT_OK) {
        redraw<<<settling, again, shared, stream>>>(p, single, (uint32_t)blocks, (uint32_t)threads,
                                                    (uint32_t)S::edges);
        st = rmat_gpu_launched();
    }
    end = rmat_ties_end(&p.ties, stream);
    return st != RMAT_OK ? st : end;
}

/*
 * Starts making edges [first, first + count) of a transformed graph, piece by piece: pieces do not
 * cross a multiple of 2^32 base edges, and are so small that their lists stay small (the numbers in
 * a list, and those after the last unit, have 31 bits).  With symmetrize, units consist of base
 * edges both of whose edges are in the range.
 */
template <typename S, typename Single>
int rmat_run_transformed(const rmat_gen *gen, const rmat_view &view, uint64_t first, uint64_t count,
                         const S &sink, const Single &single, cudaStream_t stream)
{
    const int symmetric = (view.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t end = first + count, stop = end >> symmetric, most = rmat_piece_edges(gen);
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
            return rmat_launch_transformed<decltype(groups)::value>(gen, p, sink.at(p.first),
                                                                    single, stream);
        });
        first = p.end;
    }
    return st;
}

#endif
