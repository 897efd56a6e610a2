/*
 * alias/gpu/psa_plus_places.cuh - what the kernels of alias/gpu/psa_plus.cu pass on to one another:
 * the items that sections could not pack by themselves, and where these lie on the axes of
 * surpluses and deficits.
 */
#ifndef ALIAS_GPU_PSA_PLUS_PLACES_CUH
#define ALIAS_GPU_PSA_PLUS_PLACES_CUH

#include "alias/gpu/section.cuh"

namespace
{

struct place;

/* What the kernels share, in device memory. */
struct work {
    alias_gpu_plan plan;
    /* The remaining items of section b, from index b * ALIAS_SECTION_ITEMS on: the ends of its
     * heavy items on the surplus axis or, in a wide section, of its light items on the deficit
     * axis. */
    uint64_t *ends;
    uint16_t *items;  /* their numbers inside the section */
    uint32_t *counts; /* their number in each section */
    /* [2 * i], [2 * i + 1]: the first and the last heavy item within the deficits of the section
     * order[sections - 1 - i]; NULL: pack_deficit() finds them itself. */
    place *places;
    /* [b]: 1 if section b is wide, so that its remaining light items and the heavy items that end
     * within their deficits are left to the third kernel; [sections]: the number of wide sections.
     */
    uint32_t *wide;
    uint32_t *wide_sections; /* their numbers, in any order */
};

/* The section that contains position x of an axis: axis[b] <= x < axis[b + 1].  By a whole warp if
 * WARP. */
template <bool WARP>
__device__ __forceinline__ uint64_t section_of(const uint64_t *axis, uint64_t sections, uint64_t x)
{
    return alias_search<WARP>((uint64_t)0, sections, x, [&](uint64_t b) { return axis[b]; }) - 1;
}

/* A remaining item: a heavy one, or a light one in a wide section. */
struct place {
    uint64_t section;
    uint32_t index;

    __device__ __forceinline__ uint64_t item(const work &w) const
    {
        return section * ALIAS_SECTION_ITEMS + w.items[section * ALIAS_SECTION_ITEMS + index];
    }

    __device__ __forceinline__ uint64_t end(const work &w) const
    {
        return w.ends[section * ALIAS_SECTION_ITEMS + index];
    }

    /* The next remaining heavy item; the last one is its own successor. */
    __device__ __forceinline__ place next(const work &w) const
    {
        uint64_t reached;

        if (index + 1 < w.counts[section]) {
            return place{section, index + 1};
        }
        reached = w.plan.surplus[section + 1];
        if (reached == w.plan.surplus[w.plan.sections]) {
            return *this;
        }
        return place{section_of<false>(w.plan.surplus, w.plan.sections, reached), 0};
    }
};

/* The first remaining heavy item that ends behind x.  By a whole warp if WARP. */
template <bool WARP> __device__ __forceinline__ place find_heavy(const work &w, uint64_t x)
{
    const uint64_t *ends;
    place h;

    h.section = section_of<WARP>(w.plan.surplus, w.plan.sections, x);
    ends = w.ends + h.section * ALIAS_SECTION_ITEMS;
    h.index = alias_search<WARP>(0u, w.counts[h.section], x, [&](uint32_t i) { return ends[i]; });
    return h;
}

} // namespace

#endif
