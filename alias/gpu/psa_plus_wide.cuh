/*
 * alias/gpu/psa_plus_wide.cuh - the third kernel of alias/gpu/psa_plus.cu: the rows of the
 * remaining light items of wide sections, and of the heavy items that end within their deficits.
 *
 * The blocks take pieces of 256 remaining items in turn.  Two warps find the sections in which the
 * partners of the first and of the last item of the piece lie; each thread then finds its own
 * item's partner between them.
 */
#ifndef ALIAS_GPU_PSA_PLUS_WIDE_CUH
#define ALIAS_GPU_PSA_PLUS_WIDE_CUH

#include "alias/gpu/launch.cuh"
#include "alias/gpu/psa_plus_places.cuh"

namespace
{

enum {
    PIECE = 256, /* items, and threads of a block */
    PIECES = ALIAS_SECTION_ITEMS / PIECE
};

template <typename WRITER>
__global__ void __launch_bounds__(PIECE) finish_wide(work w, WRITER writer)
{
    __shared__ uint64_t found[2];
    const uint64_t capacity = 1ull << w.plan.k, sections = w.plan.sections;

    alias_follow();
    if (w.plan.scalars->status != ALIAS_OK || w.wide[sections] == 0) {
        return;
    }

    const uint64_t heavy_sections = w.plan.scalars->surplus_sections;
    const uint64_t pieces = (heavy_sections + w.wide[sections]) * PIECES;

    for (uint64_t p = blockIdx.x; p < pieces; p += gridDim.x) {
        const bool is_light = p / PIECES >= heavy_sections;
        const uint64_t b =
            is_light ? w.wide_sections[p / PIECES - heavy_sections] : w.plan.order[p / PIECES];
        const bool even = !is_light && w.plan.surplus[b] == w.plan.surplus[b + 1];
        const uint32_t count = even ? 0 : w.counts[b];
        const uint32_t index = (uint32_t)(p % PIECES) * PIECE + threadIdx.x;

        if (index - threadIdx.x >= count) {
            continue;
        }
        /* x is the position on the axes at which the partner is looked up.  It exists even for a
         * light item without a deficit. */
        const place own = {b, min(index, count - 1)};
        const uint64_t end = own.end(w);
        const uint64_t start =
            own.index > 0 ? place{b, own.index - 1}.end(w) : w.plan.deficit[b]; /* of a light */
        const uint64_t x = is_light ? min(start, end - 1) : end - 1;
        const uint64_t *axis = is_light ? w.plan.surplus : w.plan.deficit;

        __syncthreads();
        if (threadIdx.x < 32 || threadIdx.x >= PIECE - 32) {
            const bool last = threadIdx.x >= 32;
            const uint64_t of = __shfl_sync(0xffffffffu, x, last ? 31 : 0);
            const uint64_t section = section_of<true>(axis, sections, of);

            if (threadIdx.x % 32 == 0) {
                found[last] = section;
            }
        }
        __syncthreads();
        const uint64_t next = alias_first_above(found[0] + 1, found[1] - found[0], x,
                                                [&](uint64_t i) { return axis[i]; });
        const uint64_t other = next - 1;

        if (index < count && (is_light || w.wide[other] != 0)) {
            const uint64_t *ends = w.ends + other * ALIAS_SECTION_ITEMS;
            const place partner = {other, alias_first_above(0u, w.counts[other], x,
                                                            [&](uint32_t i) { return ends[i]; })};
            const uint64_t item = own.item(w);

            if (is_light) {
                writer.put(item, writer.make(item, capacity + start - end, partner.item(w)));
            } else {
                writer.put(item,
                           writer.make(item, capacity + end - partner.end(w), own.next(w).item(w)));
            }
        }
    }
}

} // namespace

#endif
