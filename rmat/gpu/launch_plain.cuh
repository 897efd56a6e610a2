/*
 * launch_plain.cuh - starts the two kernels for edges of plain graphs: square ones without
 * transformations, whose drawn ends are those of the edges.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_LAUNCH_PLAIN_CUH
#define RMAT_GPU_LAUNCH_PLAIN_CUH

#include "rmat/gpu/first_kernel.cuh"
#include "rmat/gpu/second_kernel_plain.cuh"

/* Starts both kernels for one piece. */
template <int groups, typename S>
int rmat_launch_plain(const rmat_gen *gen, rmat_piece p, const S &sink, cudaStream_t stream)
{
    const auto kernel = p.tables == 1 ? rmat_first_kernel<groups, rmat_one_table, S>
                                      : rmat_first_kernel<groups, rmat_own_tables, S>;
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
    } else { /* too few edges or too little shared memory: the second kernel makes all */
        const uint64_t most = 1 << 14, all = (p.end - p.begin - 1) / RMAT_SETTLE_THREADS + 1;

        p.units = 0;
        settling = (int)(all < most ? all : most);
    }
    if (st == RMAT_OK) {
        rmat_second_kernel_plain<groups, S><<<settling, RMAT_SETTLE_THREADS, 0, stream>>>(
            p, sink, (uint32_t)blocks, (uint32_t)threads);
        st = rmat_gpu_launched();
    }
    end = p.units != 0 ? rmat_ties_end(&p.ties, stream) : RMAT_OK;
    return st != RMAT_OK ? st : end;
}

/*
 * Starts making edges [first, first + count) of a plain graph for a sink, piece by piece: pieces
 * have at most 2^31 edges and do not cross a multiple of 2^32.
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
            return rmat_launch_plain<decltype(groups)::value>(gen, p, sink.at(p.first), stream);
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
