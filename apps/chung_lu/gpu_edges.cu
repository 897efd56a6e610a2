/*
 * Edges of chung_lu on a GPU, both ends by one kernel: that of the sectioned sampler draws the
 * sources, and where it hands four of them over, their destinations are drawn, too.
 *
 * Each destination is a read from anywhere in its table, and those are what takes the time: of a
 * table in the L2 cache it answers one for each of its slices and cycles, of a larger one the
 * memory has few rows open.  The sources are limited by instructions.  So one hides the other,
 * which two kernels, that both fill the GPU, do not.
 */
#include "alias/alias_device.cuh"

extern "C" {
#include "apps/chung_lu/gpu.h"
}

/* Takes sources, draws destinations, and stores both; aligned: as of alias_store. */
template <bool wide, typename T, bool aligned> struct edge_ends {
    struct state {
    };
    typedef alias_rows<wide, false> rows;
    typedef typename rows::word word;
    static const int section_blocks = 2; /* of the kernel: it takes more registers than others */
    rows table;                          /* of the destinations */
    uint64_t seed;
    alias_store<T, aligned> src, dst;

    __device__ void begin(state &) const
    {
    }
    __device__ void end(state &) const
    {
    }

    __device__ __forceinline__ void operator()(state &, uint64_t t, uint64_t source) const
    {
        src.origin[t] = (T)source;
        dst.origin[t] = (T)table.draw(alias_draw_bits(seed, t));
    }

    __device__ __forceinline__ void four(state &, uint64_t t, const word *source, bool whole) const
    {
        typename alias_store<T, aligned>::state none;
        alias_spot spot[4];
        typename rows::pair row[4];
        word item[4];

#pragma unroll
        for (int h = 0; h < 2; h++) {
            const philox_block b = philox_at(seed, (t >> 1) + h, 0, PHILOX_ALIAS_DRAW);

#pragma unroll
            for (int j = 0; j < 2; j++) {
                const uint64_t bits = b.v[2 * j] | (uint64_t)b.v[2 * j + 1] << 32;

                spot[2 * h + j] = alias_section_spot(table.view.n, wide ? table.view.k : 32, bits);
                row[2 * h + j] = table.load(spot[2 * h + j].bucket);
            }
        }
        src.four(none, t, source, whole);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            item[j] = (word)spot[j].offset < row[j].x ? (word)spot[j].bucket : (word)row[j].y;
        }
        dst.four(none, t, item, whole);
    }
};

template <bool wide, typename T, bool aligned>
static int launch(const alias_view &src, const alias_view &dst, const chung_lu_stream *s,
                  const chung_lu_gpu_batch *batch, uint64_t first, uint64_t count,
                  const rmat_arrays *to, cudaStream_t stream)
{
    const edge_ends<wide, T, aligned> ends = {{dst},
                                              chung_lu_destination_seed(s),
                                              alias_store<T, aligned>((T *)to->src, first),
                                              alias_store<T, aligned>((T *)to->dst, first)};
    const uint64_t begin = first - batch->first;

    return alias_launch_sections<wide, false>(src, batch->layout, batch->offsets, batch->sampler,
                                              chung_lu_source_seed(s), batch->first, begin,
                                              begin + count - 1, ends, stream);
}

template <bool wide, typename T>
static int draw(const alias_view &src, const alias_view &dst, const chung_lu_stream *s,
                const chung_lu_gpu_batch *batch, uint64_t first, uint64_t count,
                const rmat_arrays *to, cudaStream_t stream)
{
    const bool aligned =
        alias_is_aligned((T *)to->src, first) && alias_is_aligned((T *)to->dst, first);

    return (aligned ? launch<wide, T, true> : launch<wide, T, false>)(src, dst, s, batch, first,
                                                                      count, to, stream);
}

extern "C" int chung_lu_gpu_begin_batch(chung_lu_gpu_batch *batch, const alias_table *sources,
                                        const chung_lu_stream *s, uint64_t first,
                                        cudaStream_t stream)
{
    const uint64_t count = chung_lu_batch_count(s, first);

    batch->first = first;
    batch->sampler = chung_lu_gpu_sampler(sources, count);
    return alias_sections_begin(sources, chung_lu_source_seed(s), first, count, stream,
                                &batch->layout, &batch->offsets);
}

extern "C" int chung_lu_gpu_end_batch(chung_lu_gpu_batch *batch, cudaStream_t stream)
{
    uint64_t *offsets = batch->offsets;

    batch->offsets = NULL;
    return offsets != NULL ? alias_sections_end(offsets, stream) : ALIAS_OK;
}

extern "C" int chung_lu_gpu_draw_edges(const chung_lu_tables *tables, const chung_lu_stream *s,
                                       const chung_lu_gpu_batch *batch, uint64_t first,
                                       uint64_t count, const rmat_arrays *to, cudaStream_t stream)
{
    alias_view src, dst;
    int status = alias_get_view(tables->src, &src);

    status = status == ALIAS_OK ? alias_get_view(tables->dst, &dst) : status;
    if (status != ALIAS_OK) {
        return status;
    }
    auto run = src.row_bytes == 16
                   ? (to->id_bytes == 4 ? draw<true, uint32_t> : draw<true, uint64_t>)
                   : (to->id_bytes == 4 ? draw<false, uint32_t> : draw<false, uint64_t>);

    return run(src, dst, s, batch, first, count, to, stream);
}
