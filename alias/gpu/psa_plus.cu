/*
 * alias/gpu/psa_plus.cu - PSA+ on the GPU: the table of alias/cpu/psa_plus.c, row for row, but by
 * merging instead of sweeping.
 *
 * A thread block takes a section of 4096 items into shared memory, separates light from heavy items
 * while it makes the masses, and packs what it can.  Let D(i) and E(j) be the prefix sums of the
 * deficits and surpluses inside the section, and Dt and Et their totals:
 *     light i : threshold q_i,                  alias = first heavy j with E(j+1) > D(i)
 *     heavy j : threshold C + E(j+1) - D(i*),   alias = heavy j+1, i* = first i with D(i) >= E(j+1)
 * by merge path.  If Et >= Dt, all light items are packed, and the heavy items with E(j+1) > Dt
 * remain.  If Et < Dt, all heavy items but the last are packed, the last one becomes a light item
 * with the deficit D(i*) - Et, and the light items from i* on remain.  The plan decides between the
 * two, and knows where the remaining items lie on the axes of all surpluses and all deficits.
 *
 * Sections with a surplus are packed first.  Their remaining heavy items go to memory, together
 * with the ends of their surpluses on the axis.  Then come the sections with a deficit: each merges
 * its remaining light items with the heavy items that lie within its deficits.  If these are too
 * many for shared memory (a few light items may face all heavy items), the section is called wide.
 * Its deficits go to memory as well.  The last kernel finds the partners of both, one thread per
 * item, in pieces of sections small enough to keep all multiprocessors busy.  No thread walks along
 * a list: each item costs at most a logarithmic search for all weights.
 *
 * If there are few sections, one early launch (alias/gpu/device.h) packs all of them, and its
 * blocks wait only for the lists of remaining heavy items.  Two launches, with find_places()
 * between them, pack many sections.
 *
 * Sections without light or without heavy items have nothing to pack and skip that step.  This is
 * the papers' threshold for unpromising sections; with merging, a higher one gains nothing.
 *
 * 1e6 uniform rows take 30 us on an H200, where an empty kernel takes 2.75 us.  The plan takes 5.5
 * us. 2.4 us of them are a chain of 245 additions of doubles, whose order is a promise.
 */
#include "alias/gpu/section.cuh"

/* The data that one kernel leaves to the next: the items that sections could not pack alone, and
 * their places on the axes of surpluses and deficits. */

namespace
{

struct place;

/* The data that the kernels share, in device memory. */
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
    /* [b]: 1 if section b is wide: it leaves its remaining light items, and the heavy items that
     * end within their deficits, to the third kernel.  [sections]: the number of wide sections. */
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

/* The first remaining heavy item that ends after x. By a whole warp if WARP. */
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

/*
 * The third kernel: the rows of the remaining light items of wide
 * sections, and of the heavy items that end within their deficits.
 *
 * The blocks take pieces of 256 remaining items in turn.  Two warps find the sections in which the
 * partners of the first and of the last item of the piece lie; each thread then finds its own
 * item's partner between them.
 */

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
        /* x is the position on the axes where the partner is.  It exists even for a light item
         * without a deficit. */
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

namespace
{

enum { THREADS = ALIAS_PACK_THREADS, OTHERS = ALIAS_PACK_OTHERS, RANGE = ALIAS_PACK_RANGE };

/* Reports that the remaining heavy items of one more section can be read, and waits until those of
 * all sections can.  All threads of the block call.  The wait ends, because blocks wait only for
 * blocks with lower numbers, which the hardware starts first. */
__device__ __forceinline__ void tell_ready(const work &w)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&w.plan.scalars->ready, 1);
    }
}

__device__ __forceinline__ void wait_ready(const work &w)
{
    if (threadIdx.x == 0) {
        const volatile unsigned long long *ready = &w.plan.scalars->ready;

        while (*ready < w.plan.scalars->surplus_sections) {
        }
        __threadfence();
    }
    __syncthreads();
}

/* Packs section b, which has a surplus or is even.  all: others are packed at the same time. */
template <typename WRITER>
__device__ __forceinline__ void pack_surplus(const work &w, const WRITER &writer, alias_section &s,
                                             uint64_t b, bool all)
{
    const alias_section_rows<WRITER> rows{writer, s, b * ALIAS_SECTION_ITEMS};
    uint32_t lights, packed;

    if (s.surplus == s.deficit) { /* the remaining items keep their whole buckets */
        packed = s.heavies > 0 ? s.heavies - 1 : 0;
        lights = s.heavies > 0 ? s.light_reaching(s.deficit) + 1 : 0;
        for (uint32_t i = lights + threadIdx.x; i <= s.lights; i += THREADS) {
            if (i < s.lights || s.heavies > 0) {
                rows.put(i < s.lights ? s.item[i] : s.heavy_item(packed), 0, 0, 0);
            }
        }
    } else {
        const uint64_t before = w.plan.surplus[b] - s.deficit;

        packed = s.cut;
        lights = s.lights;
        for (uint32_t j = packed + threadIdx.x; j < s.heavies; j += THREADS) {
            w.ends[rows.first + j - packed] = before + s.heavy_end(j);
            w.items[rows.first + j - packed] = (uint16_t)s.heavy_item(j);
            if (all) {
                rows.leave(s.heavy_item(j));
            }
        }
        if (threadIdx.x == 0) {
            w.counts[b] = s.heavies - packed;
        }
    }
    if (all) {
        tell_ready(w);
    }
    alias_section_pack(rows, s, lights, packed);
    rows.write(alias_section_items(w.plan.n, b));
}

/* Copies the remaining heavy items from first to last to shared memory.  Returns their number, or
 * more than OTHERS if they are too many or come from too many sections. */
__device__ uint32_t gather_heavies(const work &w, alias_section &s, place first, place last)
{
    const uint64_t range = last.section - first.section + 1;
    uint32_t total = 0;

    if (range > RANGE) {
        return OTHERS + 1;
    }
    if (threadIdx.x < 32) { /* offsets of the sections' items */
        for (uint32_t done = 0; done < range; done += 32) {
            uint32_t r = done + threadIdx.x, count = 0, sum;
            uint64_t b = first.section + r;

            if (r < range && w.plan.surplus[b] != w.plan.surplus[b + 1]) {
                count = (b == last.section ? last.index + 1 : w.counts[b]) -
                        (b == first.section ? first.index : 0);
            }
            sum = count;
#pragma unroll
            for (int h = 1; h < 32; h *= 2) {
                uint32_t other = __shfl_up_sync(0xffffffffu, sum, h);

                sum += threadIdx.x >= (uint32_t)h ? other : 0;
            }
            if (r < range) {
                s.offset[r] = total + sum - count;
            }
            total += __shfl_sync(0xffffffffu, sum, 31);
        }
        if (threadIdx.x == 0) {
            s.offset[range] = total;
        }
    }
    __syncthreads();
    total = s.offset[range];
    if (total > OTHERS) {
        return total;
    }
    for (uint32_t r = threadIdx.x / 32; r < range; r += THREADS / 32) {
        const uint64_t b = first.section + r;
        const uint32_t from = r == 0 ? first.index : 0, at = s.offset[r];

        for (uint32_t i = threadIdx.x % 32; i < s.offset[r + 1] - at; i += 32) {
            place h = {b, from + i};

            s.other.end[at + i] = h.end(w);
            s.other.item[at + i] = h.item(w);
        }
    }
    __syncthreads();
    return total;
}

/* Finds w.places for all sections with a deficit. */
__global__ void __launch_bounds__(256) find_places(work w)
{
    const uint64_t i = (uint64_t)blockIdx.x * 256 + threadIdx.x;

    alias_follow();
    if (w.plan.scalars->status == ALIAS_OK &&
        i / 2 < w.plan.sections - w.plan.scalars->surplus_sections) {
        const uint64_t b = w.plan.order[w.plan.sections - 1 - i / 2];

        w.places[i] =
            find_heavy<false>(w, i % 2 == 0 ? w.plan.deficit[b] : w.plan.deficit[b + 1] - 1);
    }
}

/* The remaining light items of a section with a deficit: [rest, lights).  Item rest is the last
 * heavy item if there is one.  The deficit of light item r ends at shift + s.end(r). */
struct remaining {
    const alias_section &s;
    uint64_t from, to; /* the section's deficits */
    uint64_t shift;
    uint32_t rest;

    __device__ __forceinline__ remaining(const work &w, const alias_section &section, uint64_t b)
        : s(section), from(w.plan.deficit[b]), to(w.plan.deficit[b + 1]), shift(from - s.surplus),
          rest(s.heavies > 0 ? s.cut : 0)
    {
    }

    __device__ __forceinline__ uint64_t start(uint32_t r) const
    {
        return r == rest ? from : end(r - 1);
    }
    __device__ __forceinline__ uint64_t end(uint32_t r) const
    {
        return shift + s.end(r);
    }
    __device__ __forceinline__ uint32_t item(uint32_t r) const
    {
        return s.heavies > 0 && r == rest ? s.heavy_item(s.heavies - 1) : s.item[r];
    }
};

/* Merges the remaining light items with the heavy items of other sections in s.other; the last of
 * them is given.  Notes the partners of the light items, and writes the rows of the heavy items
 * that end within the section's deficits. */
template <typename WRITER>
__device__ __forceinline__ void match_lights(const work &w, const WRITER &writer, alias_section &s,
                                             const remaining &light, uint32_t others, place last)
{
    const uint64_t capacity = 1ull << w.plan.k;
    const uint32_t lights = s.lights - light.rest;
    const uint32_t ending = others - (s.other.end[others - 1] > light.to);
    const uint32_t steps = lights + ending, part = (steps + THREADS - 1) / THREADS;
    const uint32_t begin = min(threadIdx.x * part, steps), stop = min(begin + part, steps);
    uint32_t i = begin > ending ? begin - ending : 0, high = min(begin, lights), h;
    uint64_t start;

    while (i < high) {
        const uint32_t middle = (i + high) / 2;

        if (s.other.end[begin - middle - 1] <= light.start(light.rest + middle)) {
            high = middle;
        } else {
            i = middle + 1;
        }
    }
    h = begin - i;
    start = light.start(light.rest + i);
    for (uint32_t step = begin; step < stop; step++) {
        if (h >= others || s.other.end[h] > start) {
            s.other.partner[i] = (uint16_t)min(h, others - 1);
            start = light.end(light.rest + i);
            i++;
        } else {
            const uint64_t item = s.other.item[h];
            const uint64_t next = h + 1 < others ? s.other.item[h + 1] : last.next(w).item(w);

            writer.put(item, writer.make(item, capacity + s.other.end[h] - start, next));
            h++;
        }
    }
}

/* Packs section b = order[i], which has a deficit.  all: others are packed at the same time. */
template <typename WRITER>
__device__ __forceinline__ void pack_deficit(const work &w, const WRITER &writer, alias_section &s,
                                             uint64_t b, uint64_t i, bool all)
{
    constexpr int ITEMS = ALIAS_SECTION_ITEMS / THREADS;
    __shared__ place border[2];
    const alias_section_rows<WRITER> rows{writer, s, b * ALIAS_SECTION_ITEMS};
    const remaining light(w, s, b);
    typename WRITER::word alias[ITEMS]; /* of the remaining light items */
    uint32_t others = 1;
    place first, last;

    if (!all) {
        first = w.places[2 * (w.plan.sections - 1 - i)];
        last = w.places[2 * (w.plan.sections - 1 - i) + 1];
    } else {
        wait_ready(w);
        if (threadIdx.x < 64) {
            const place h = find_heavy<true>(w, threadIdx.x < 32 ? light.from : light.to - 1);

            if (threadIdx.x % 32 == 0) {
                border[threadIdx.x / 32] = h;
            }
        }
        __syncthreads();
        first = border[0];
        last = border[1];
    }
    if (first.end(w) >= light.to) {
        const uint64_t item = first.item(w);

#pragma unroll
        for (int u = 0; u < ITEMS; u++) {
            alias[u] = (typename WRITER::word)item;
        }
        if (threadIdx.x == 0 && first.end(w) == light.to) {
            writer.put(item, writer.make(item, 1ull << w.plan.k, first.next(w).item(w)));
        }
    } else {
        others = gather_heavies(w, s, first, last);
        if (others <= OTHERS) {
            match_lights(w, writer, s, light, others, last);
            __syncthreads();
#pragma unroll
            for (int u = 0; u < ITEMS; u++) {
                const uint32_t r = light.rest + u * THREADS + threadIdx.x;

                if (r < s.lights) {
                    alias[u] = (typename WRITER::word)s.other.item[s.other.partner[r - light.rest]];
                }
            }
            __syncthreads(); /* the rows are put together in the same memory */
        } else {
            for (uint32_t r = light.rest + threadIdx.x; r < s.lights; r += THREADS) {
                w.ends[rows.first + r - light.rest] = light.end(r);
                w.items[rows.first + r - light.rest] = (uint16_t)light.item(r);
            }
        }
    }
    if (threadIdx.x == 0) {
        w.counts[b] = s.lights - light.rest;
        w.wide[b] = others > OTHERS;
        if (others > OTHERS) {
            w.wide_sections[atomicAdd(&w.wide[w.plan.sections], 1)] = (uint32_t)b;
        }
    }
    if (s.heavies > 0) {
        alias_section_pack(rows, s, light.rest + 1, s.heavies - 1);
    }
    if (others <= OTHERS) {
#pragma unroll
        for (int u = 0; u < ITEMS; u++) {
            const uint32_t r = light.rest + u * THREADS + threadIdx.x;

            if (r < s.lights) {
                rows.put_any(light.item(r), light.start(r), light.end(r), alias[u]);
            }
        }
    }
    rows.write(alias_section_items(w.plan.n, b));
}

/* Packs sections in the plan's order, in which those with a surplus come first, one per block. */
enum which { SURPLUSES, DEFICITS, ALL };

template <typename WRITER>
__global__ void __launch_bounds__(THREADS, 2) pack_sections(work w, WRITER writer, which sections)
{
    extern __shared__ __align__(16) char memory[];
    alias_section &s = *(alias_section *)memory;

    alias_follow();
    const uint64_t surpluses = w.plan.scalars->surplus_sections;
    const uint64_t i = blockIdx.x + (sections == DEFICITS ? surpluses : 0);
    if (w.plan.scalars->status != ALIAS_OK ||
        i >= (sections == SURPLUSES ? surpluses : w.plan.sections)) {
        return;
    }
    if (i == 0 && threadIdx.x == 0) {
        w.wide[w.plan.sections] = 0;
    }

    const uint64_t b = w.plan.order[i];
    s.load(w.plan, b);
    if (i < surpluses) {
        pack_surplus(w, writer, s, b, sections == ALL);
    } else {
        pack_deficit(w, writer, s, b, i, sections == ALL);
    }
}

template <typename WRITER>
int start_pack(const work &w, const WRITER &writer, which sections, cudaStream_t stream)
{
    const auto kernel = pack_sections<WRITER>;

    ALIAS_GPU_OR_RETURN(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)sizeof(alias_section)));
    return alias_launch(sections == ALL, kernel, (unsigned)w.plan.sections, THREADS,
                        sizeof(alias_section), stream, w, writer, sections);
}

/* Starts the kernels. */
template <typename WRITER>
int start_kernels(const work &w, const WRITER &writer, int multiprocessors, cudaStream_t stream)
{
    const bool all = w.places == NULL;
    int device, most;

    ALIAS_GPU_OR_RETURN(cudaGetDevice(&device));
    ALIAS_GPU_OR_RETURN(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    ALIAS_GPU_OR_RETURN(sizeof(alias_section) > (size_t)most ? cudaErrorNotSupported : cudaSuccess);
    if (all) {
        ALIAS_OR_RETURN(start_pack(w, writer, ALL, stream));
    } else {
        ALIAS_OR_RETURN(start_pack(w, writer, SURPLUSES, stream));
        ALIAS_OR_RETURN(alias_launch(
            false, find_places, (unsigned)((2 * w.plan.sections + 255) / 256), 256, 0, stream, w));
        ALIAS_OR_RETURN(start_pack(w, writer, DEFICITS, stream));
    }
    return alias_launch(all, finish_wide<WRITER>,
                        (unsigned)min(w.plan.sections * PIECES, (uint64_t)multiprocessors * 8),
                        PIECE, 0, stream, w, writer);
}

} // namespace

int alias_gpu_psa_plus(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t sections = job->plan.sections;
    work w = {job->plan, NULL, NULL, NULL, NULL, NULL, NULL};

    w.ends = (uint64_t *)alias_arena_take(arena, sections * ALIAS_SECTION_ITEMS, sizeof(*w.ends));
    w.items = (uint16_t *)alias_arena_take(arena, sections * ALIAS_SECTION_ITEMS, sizeof(*w.items));
    w.counts = (uint32_t *)alias_arena_take(arena, sections, sizeof(*w.counts));
    if (sections >= ALIAS_MANY_SECTIONS) {
        w.places = (place *)alias_arena_take(arena, 2 * sections, sizeof(*w.places));
    }
    w.wide = (uint32_t *)alias_arena_take(arena, sections + 1, sizeof(*w.wide));
    w.wide_sections = (uint32_t *)alias_arena_take(arena, sections, sizeof(*w.wide_sections));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    return alias_with_writer(job->rows, [&](auto writer) {
        return start_kernels(w, writer, job->multiprocessors, stream);
    });
}
