/*
 * launch_plain.cuh - starts the two kernels for edges of plain graphs: square ones without
 * transformations, whose drawn ends are those of the edges.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_LAUNCH_PLAIN_CUH
#define RMAT_GPU_LAUNCH_PLAIN_CUH

#include "rmat/gpu/launch.cuh"

/* Starts both kernels for one piece. */
template <int groups, bool sieved, typename S>
int rmat_launch_plain(const rmat_gen *gen, const rmat_piece &p, const S &sink, cudaStream_t stream)
{
    typedef std::conditional_t<sieved, rmat_sieved<rmat_one_table>, rmat_one_table> one;
    typedef std::conditional_t<sieved, rmat_sieved<rmat_own_tables>, rmat_own_tables> own;

    return p.tables == 1 ? rmat_launch<groups, one>(gen, p, sink, sink, stream)
                         : rmat_launch<groups, own>(gen, p, sink, sink, stream);
}

/*
 * Starts making edges [first, first + count) of a plain graph for a sink, piece by piece: pieces
 * have at most 2^31 edges and do not cross a multiple of 2^32.  sieved: the graph has two whole
 * groups of levels at least, and the sink leaves out edges that it does not want() (sieve.cuh).
 */
template <bool sieved = false, typename S>
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
            return rmat_launch_plain<decltype(groups)::value, sieved>(gen, p, sink.at(p.first),
                                                                      stream);
        });
        first += n;
        count -= n;
    }
    return st;
}

/* Whether the graph is plain. */
static inline bool rmat_is_plain(const rmat_view &view)
{
    return view.transform == 0 && view.src_mask == view.dst_mask;
}

#endif
