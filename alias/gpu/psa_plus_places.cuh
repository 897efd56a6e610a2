/*
 * alias/gpu/psa_plus_places.cuh - what the kernels of alias/gpu/psa_plus.cu leave each other: the
 * items that no section could pack by itself, and where they lie on the axes of surpluses and
 * deficits.
 */
#ifndef ALIAS_GPU_PSA_PLUS_PLACES_CUH
#define ALIAS_GPU_PSA_PLUS_PLACES_CUH

#include "alias/gpu/section.cuh"

namespace
{

struct place;

/* What the kernels share. */
struct work {
    alias_gpu_plan plan;
    /* Of block b, from b * ALIAS_BLOCK on: ends of its remaining heavies on the surplus axis; or,
     * if it is wide, of its remaining lights on the deficit axis. */
    uint64_t *ends;
    uint16_t *items;  /* of these, inside the block */
    uint32_t *counts; /* entries of each block */
    place *places;    /* [2 * i], [2 * i + 1]: the first and the last heavy within the deficits of
                         block order[blocks - 1 - i]; NULL: to be looked for by pack_deficit() */
    uint32_t *wide;   /* [b]: the remaining lights of this block, and the heavies that end within
                         their deficits, are left to the third kernel; [blocks]: how many such blocks
                         there are */
    uint32_t *wide_blocks; /* these, in any order */
};

/* The section that holds position x of an axis: axis[b] <= x < axis[b + 1]. */
template <bool WARP>
__device__ __forceinline__ uint64_t section_of(const uint64_t *axis, uint64_t blocks, uint64_t x)
{
    return alias_search<WARP>((uint64_t)0, blocks, x, [&](uint64_t b) { return axis[b]; }) - 1;
}

/* A remaining item: a heavy one, or a light one of a wide section. */
struct place {
    uint64_t block;
    uint32_t index;

    __device__ __forceinline__ uint64_t item(const work &w) const
    {
        return block * ALIAS_BLOCK + w.items[block * ALIAS_BLOCK + index];
    }

    __device__ __forceinline__ uint64_t end(const work &w) const
    {
        return w.ends[block * ALIAS_BLOCK + index];
    }

    /* The next heavy; the last of all is its own successor. */
    __device__ __forceinline__ place next(const work &w) const
    {
        uint64_t reached;

        if (index + 1 < w.counts[block]) {
            return place{block, index + 1};
        }
        reached = w.plan.surplus[block + 1];
        if (reached == w.plan.surplus[w.plan.blocks]) {
            return *this;
        }
        return place{section_of<false>(w.plan.surplus, w.plan.blocks, reached), 0};
    }
};

/* The first that ends behind x; by a whole warp if warp. */
template <bool WARP> __device__ __forceinline__ place find_heavy(const work &w, uint64_t x)
{
    const uint64_t *ends;
    place h;

    h.block = section_of<WARP>(w.plan.surplus, w.plan.blocks, x);
    ends = w.ends + h.block * ALIAS_BLOCK;
    h.index = alias_search<WARP>(0u, w.counts[h.block], x, [&](uint32_t i) { return ends[i]; });
    return h;
}

} // namespace

#endif
