/*
 * launch_transformed.cuh - starts the two kernels for edges of transformed graphs: all that are not
 * plain, rectangular ones among them.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_LAUNCH_TRANSFORMED_CUH
#define RMAT_GPU_LAUNCH_TRANSFORMED_CUH

#include "rmat/gpu/launch.cuh"

/* Starts both kernels for one piece, the first of them for as few transformations as the sink has
 * kernels for. */
template <int groups, typename S, typename Single>
int rmat_launch_transformed(const rmat_gen *gen, const rmat_piece &p, const S &sink,
                            const Single &single, cudaStream_t stream)
{
    if constexpr (S::variety >= 2) {
        const bool fits = sizeof(rmat_drawn<groups, S>) == 4 || p.side[0].up == 0;

        if (p.transform == RMAT_TRANSFORM_PERMUTED && fits) {
            return p.tables == 1
                       ? rmat_launch<groups, rmat_permuted<rmat_one_table>>(gen, p, sink, single,
                                                                            stream)
                       : rmat_launch<groups, rmat_permuted<rmat_own_tables>>(gen, p, sink, single,
                                                                             stream);
        }
    }
    if constexpr (S::variety >= 1) {
        if (!(p.transform &
              (RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_OFTEN | RMAT_TRANSFORM_FEW_BITS))) {
            return rmat_launch<groups, rmat_placed_tables<false>>(gen, p, sink, single, stream);
        }
    }
    return rmat_launch<groups, rmat_placed_tables<true>>(gen, p, sink, single, stream);
}

/*
 * Starts making edges [first, first + count) of a transformed graph, piece by piece: pieces do not
 * cross a multiple of 2^32 base edges, and their edges and those after the last unit have numbers
 * of 31 bits.  With symmetrize, units consist of base edges both of whose edges are in the range.
 */
template <typename S, typename Single>
int rmat_run_transformed(const rmat_gen *gen, const rmat_view &view, uint64_t first, uint64_t count,
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
            return rmat_launch_transformed<decltype(groups)::value>(gen, p, sink.at(p.first),
                                                                    single, stream);
        });
        first = p.end;
    }
    return st;
}

#endif
