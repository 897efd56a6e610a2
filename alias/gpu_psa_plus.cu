/*
 * PSA+ on the GPU: the table of cpu_psa_plus.c, row for row, by merging in place of sweeping.
 *
 * A thread block takes a section (the ALIAS_BLOCK items of a block of the quantisation) into shared
 * memory, tells light items from heavy ones while the masses are made, and packs greedily what it
 * can: with D(i), E(j) the prefix sums of the deficits and surpluses inside the section, Dt and Et
 * their totals,
 *     light i : threshold q_i,                  alias = first heavy j with E(j+1) > D(i)
 *     heavy j : threshold C + E(j+1) - D(i*),   alias = heavy j+1, i* = first i with D(i) >= E(j+1)
 * by merge path.  If Et >= Dt all lights are packed, and the heavies with E(j+1) > Dt remain; if
 * Et < Dt all heavies but the last are packed, the last one ends as a light item of deficit
 * D(i*) - Et, and the lights from i* on remain.  What a section leaves, and where that lies on the
 * axes of all surpluses and all deficits, follows from the plan.
 *
 * First the sections with a surplus are packed; their remaining heavies go to memory, with the ends
 * of their surpluses on the axis.  Then come the sections with a deficit: their remaining lights
 * are looked up among those heavies, and the heavies that end within the section's deficits looked
 * up among its lights.  Where these are more than fit into shared memory (a few lights may face all
 * heavies there are), the section's deficits go to memory as well, and a third kernel handles the
 * heavies, section of heavies by section.  So nobody ever walks: every item costs at most a
 * logarithmic search, whatever the weights.
 *
 * Sections with no light or no heavy items have nothing to pack and skip it.  That is the papers'
 * threshold for unpromising sections; merging leaves nothing to gain from a higher one.
 */
#include "alias/gpu_quantize.cuh"
#include "alias/gpu_rows.cuh"

namespace
{

#ifndef THREADS_PER_SECTION
#define THREADS_PER_SECTION 512
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif

enum {
    OTHERS = ALIAS_BLOCK / 2, /* heavies of other sections that fit into shared memory */
    RANGE = 512               /* sections that they may come from */
};

/* What the kernels share. */
struct work {
    alias_gpu_plan plan;
    uint64_t
        *ends;         /* of block b, from b * ALIAS_BLOCK on: ends of its remaining heavies on the
                          surplus axis; or, if it is wide, of its remaining lights on the deficit axis */
    uint16_t *items;   /* of these heavies, inside the block */
    uint32_t *counts;  /* entries of each block */
    uint64_t *partner; /* [2 * b], [2 * b + 1]: for a block with a deficit, those with the first and
                          the last of its heavies */
    uint32_t *wide; /* [b]: the heavies that end within this block's deficits are left to the third
                       kernel; [blocks]: there is such a block */
};

/* The place of the first value > x in a sorted array; count if there is none. */
__device__ __forceinline__ uint32_t first_above(const uint64_t *values, uint32_t count, uint64_t x)
{
    uint32_t low = 0;

    while (count > 0) {
        uint32_t half = count / 2;
        bool above = values[low + half] > x;

        low = above ? low : low + half + 1;
        count = above ? half : count - half - 1;
    }
    return low;
}

/* The first value >= x > 0. */
__device__ __forceinline__ uint32_t first_from(const uint64_t *values, uint32_t count, uint64_t x)
{
    return first_above(values, count, x - 1);
}

/* The section that holds position x of an axis: axis[b] <= x < axis[b + 1]. */
__device__ uint64_t section_of(const uint64_t *axis, uint64_t blocks, uint64_t x)
{
    uint64_t low = 0, high = blocks;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (axis[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A remaining heavy item. */
struct heavy {
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

    /* The last of all is its own successor. */
    __device__ __forceinline__ heavy next(const work &w) const
    {
        uint64_t reached;

        if (index + 1 < w.counts[block]) {
            return heavy{block, index + 1};
        }
        reached = w.plan.surplus[block + 1];
        if (reached == w.plan.surplus[w.plan.blocks]) {
            return *this;
        }
        return heavy{section_of(w.plan.surplus, w.plan.blocks, reached), 0};
    }
};

/* The place of the first value > x, by a warp: each step leaves a 32nd. */
__device__ uint32_t first_above_warp(const uint64_t *values, uint32_t count, uint64_t x)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t low = 0;

    while (count > 0) {
        uint32_t stride = (count + 31) / 32, at = lane * stride;
        bool above = at >= count || values[low + at] > x;
        uint32_t below = __popc(~__ballot_sync(0xffffffffu, above)); /* pivots that are not */

        if (below == 0) {
            break;
        }
        low += (below - 1) * stride + 1;
        count = min(stride - 1, count - (below - 1) * stride - 1);
    }
    return low;
}

/* The first that ends behind x. */
__device__ heavy find_heavy(const work &w, uint64_t x)
{
    uint64_t b = section_of(w.plan.surplus, w.plan.blocks, x);

    return heavy{b, first_above(w.ends + b * ALIAS_BLOCK, w.counts[b], x)};
}

struct sums {
    uint64_t deficit, surplus;
    uint32_t lights;

    __device__ __forceinline__ sums operator+(const sums &o) const
    {
        return sums{deficit + o.deficit, surplus + o.surplus, lights + o.lights};
    }
};

struct add {
    __device__ __forceinline__ sums operator()(const sums &a, const sums &b) const
    {
        return a + b;
    }
};

/* A section in shared memory. */
template <int THREADS> struct section {
    using masses = alias_block_masses<THREADS>;
    using scan = cub::BlockScan<sums, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;

    union {
        typename masses::storage masses_storage;
        typename scan::TempStorage scan_storage;
        alias_row8 rows[ALIAS_BLOCK];
        struct { /* heavies of other sections, in their order */
            uint64_t end[OTHERS], item[OTHERS];
        } other;
    };
    uint64_t end[ALIAS_BLOCK + 1];  /* D(1 .. L), E(1 .. H) */
    uint16_t item[ALIAS_BLOCK + 1]; /* of the lights, of the heavies; and room to read beyond */
    uint32_t lights, heavies;       /* L, H */
    uint64_t deficit, surplus;      /* D(L), E(H) */
    uint32_t offset[RANGE + 1];     /* of other sections, in other */
    uint32_t place[2];              /* of the first and the last heavy within the deficits */

    __device__ __forceinline__ uint64_t light_start(uint32_t i) const
    {
        return i == 0 ? 0 : end[i - 1];
    }
    __device__ __forceinline__ uint64_t heavy_end(uint32_t j) const
    {
        return end[lights + j];
    }
    __device__ __forceinline__ uint32_t heavy_item(uint32_t j) const
    {
        return item[lights + j];
    }

    /* Ends with a barrier. */
    __device__ __forceinline__ void load(const work &w, uint64_t b)
    {
        constexpr int ITEMS = masses::ITEMS;
        const uint64_t capacity = 1ull << w.plan.k;
        const uint32_t count = alias_block_count(w.plan, b), first = threadIdx.x * ITEMS;
        uint64_t q[ITEMS];
        sums own = {0, 0, 0}, before, all;
        uint32_t light, heavy;

        masses::load(w.plan, b, masses_storage, q);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            int64_t less = (int64_t)(capacity - q[i]);

            q[i] = first + i < count ? (uint64_t)less : 0;
            own.deficit += less > 0 ? q[i] : 0;
            own.surplus -= less < 0 ? q[i] : 0;
            own.lights += less >= 0 && first + i < count;
        }
        __syncthreads();
        scan(scan_storage).ExclusiveScan(own, before, sums{0, 0, 0}, add(), all);
        if (threadIdx.x == 0) {
            lights = all.lights;
            heavies = count - all.lights;
            deficit = all.deficit;
            surplus = all.surplus;
        }
        light = before.lights;
        heavy = all.lights + first - light; /* wrong beyond count, and not used there */
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            bool is_light = (int64_t)q[i] >= 0;
            uint32_t at = is_light ? light : heavy;

            before.deficit += is_light ? q[i] : 0;
            before.surplus -= is_light ? 0 : q[i];
            if (first + i < count) {
                end[at] = is_light ? before.deficit : before.surplus;
                item[at] = (uint16_t)(first + i);
            }
            light += is_light;
            heavy += !is_light;
        }
        __syncthreads();
    }
};

/* The rows of a section: put together in shared memory if they fit there, and written as they lie.
 */
template <typename WRITER, int THREADS> struct section_rows {
    static constexpr bool STAGED = sizeof(typename WRITER::pair) == sizeof(alias_row8);

    const WRITER &writer;
    section<THREADS> &s;
    uint64_t first;

    /* The row of an item of the section whose bucket lacks to - from of the capacity, which an item
     * of any section fills. */
    __device__ __forceinline__ void put_any(uint32_t item, uint64_t from, uint64_t to,
                                            uint64_t alias) const
    {
        using word = typename WRITER::word;
        const word threshold = (word)((1ull << writer.rows.k) + from - to);
        const word self = (word)(first + item);

        if (STAGED) {
            s.rows[item] =
                alias_row8{(uint32_t)threshold, (uint32_t)(from == to ? self : (word)alias)};
        } else {
            writer.put(first + item, {threshold, from == to ? self : (word)alias});
        }
    }

    /* Which an item of this section fills. */
    __device__ __forceinline__ void put(uint32_t item, uint64_t from, uint64_t to,
                                        uint32_t alias) const
    {
        put_any(item, from, to, first + alias);
    }

    /* Of items that have not been put, anything: they are written later. */
    __device__ __forceinline__ void write(uint32_t count) const
    {
        if (STAGED) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
                alias_row8 row = s.rows[i];
                typename WRITER::pair out;

                out.threshold = row.threshold;
                out.alias = row.alias;
                writer.put(first + i, out);
            }
        }
    }
};

/*
 * Packs the first lights and the first heavies: merges D(i) with E(j + 1), heavies first among
 * equals, every thread an equal part of the steps.  All packed lights start before E(heavies + 1),
 * which exists, and all packed heavies end at D(lights) at the latest; so no bound needs a check.
 * Light and heavy steps are one code, as both take their turn in every warp.
 */
template <typename ROWS, int THREADS>
__device__ __forceinline__ void pack(const ROWS &rows, const section<THREADS> &s, uint32_t lights,
                                     uint32_t heavies)
{
    const uint32_t steps = lights + heavies, part = (steps + THREADS - 1) / THREADS;
    const uint32_t from = min(threadIdx.x * part, steps), to = min(from + part, steps);
    uint32_t i = from > heavies ? from - heavies : 0, high = min(from, lights), j, current;
    uint64_t start, end;

    while (i < high) {
        uint32_t middle = (i + high) / 2;

        if (s.heavy_end(from - middle - 1) <= s.light_start(middle)) {
            high = middle;
        } else {
            i = middle + 1;
        }
    }
    j = s.lights + from - i;
    start = s.light_start(i);
    end = s.end[j];
    current = s.item[j];
    for (uint32_t step = from; step < to; step++) {
        const bool is_light = end > start;
        const uint32_t at = is_light ? i : j + 1;
        const uint64_t next = s.end[at];
        const uint32_t other = s.item[at];

        if (is_light) {
            rows.put(other, start, next, current);
            start = next;
            i++;
        } else {
            rows.put(current, end, start, other);
            end = next;
            current = other;
            j++;
        }
    }
}

/* Sections with a surplus, and even ones. */
template <typename WRITER, int THREADS>
__global__ void __launch_bounds__(THREADS, MIN_BLOCKS) pack_surplus(work w, WRITER writer)
{
    extern __shared__ __align__(16) char memory[];
    section<THREADS> &s = *(section<THREADS> *)memory;
    const uint64_t b = blockIdx.x;
    const section_rows<WRITER, THREADS> rows{writer, s, b * ALIAS_BLOCK};
    uint32_t lights, packed;

    if (b == 0 && threadIdx.x == 0) {
        w.wide[w.plan.blocks] = 0;
    }
    if (w.plan.scalars->status != ALIAS_OK) {
        return;
    }
    if (w.plan.deficit[b] != w.plan.deficit[b + 1]) {
        if (threadIdx.x < 2) {
            uint64_t x = threadIdx.x == 0 ? w.plan.deficit[b] : w.plan.deficit[b + 1] - 1;

            w.partner[2 * b + threadIdx.x] = section_of(w.plan.surplus, w.plan.blocks, x);
        }
        return;
    }
    s.load(w, b);
    if (s.surplus == s.deficit) { /* what comes last are buckets of their own */
        packed = s.heavies > 0 ? s.heavies - 1 : 0;
        lights = s.heavies > 0 ? first_from(s.end, s.lights, s.deficit) + 1 : 0;
        for (uint32_t i = lights + threadIdx.x; i <= s.lights; i += THREADS) {
            if (i < s.lights || s.heavies > 0) {
                rows.put(i < s.lights ? s.item[i] : s.heavy_item(packed), 0, 0, 0);
            }
        }
    } else {
        const uint64_t before = w.plan.surplus[b] - s.deficit;

        packed = first_above(s.end + s.lights, s.heavies, s.deficit);
        lights = s.lights;
        for (uint32_t j = packed + threadIdx.x; j < s.heavies; j += THREADS) {
            w.ends[rows.first + j - packed] = before + s.heavy_end(j);
            w.items[rows.first + j - packed] = (uint16_t)s.heavy_item(j);
        }
        if (threadIdx.x == 0) {
            w.counts[b] = s.heavies - packed;
        }
    }
    pack(rows, s, lights, packed);
    rows.write(alias_block_count(w.plan, b));
}

/*
 * Copies the remaining heavies from first to last to shared memory; returns their number, or more
 * than OTHERS if they are too many or from too far apart.
 */
template <int THREADS>
__device__ uint32_t gather(const work &w, section<THREADS> &s, heavy first, heavy last)
{
    const uint64_t range = last.block - first.block + 1;
    uint32_t total = 0;

    if (range > RANGE) {
        return OTHERS + 1;
    }
    if (threadIdx.x < 32) { /* offsets of the sections' pieces */
        for (uint32_t done = 0; done < range; done += 32) {
            uint32_t r = done + threadIdx.x, count = 0, sum;
            uint64_t b = first.block + r;

            if (r < range && w.plan.surplus[b] != w.plan.surplus[b + 1]) {
                count = (b == last.block ? last.index + 1 : w.counts[b]) -
                        (b == first.block ? first.index : 0);
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
        const uint64_t b = first.block + r;
        const uint32_t from = r == 0 ? first.index : 0, at = s.offset[r];

        for (uint32_t i = threadIdx.x % 32; i < s.offset[r + 1] - at; i += 32) {
            heavy h = {b, from + i};

            s.other.end[at + i] = h.end(w);
            s.other.item[at + i] = h.item(w);
        }
    }
    __syncthreads();
    return total;
}

/* Sections with a deficit. */
template <typename WRITER, int THREADS>
__global__ void __launch_bounds__(THREADS, MIN_BLOCKS) pack_deficit(work w, WRITER writer)
{
    extern __shared__ __align__(16) char memory[];
    section<THREADS> &s = *(section<THREADS> *)memory;
    const uint64_t b = blockIdx.x, capacity = 1ull << w.plan.k;
    const uint64_t from = w.plan.deficit[b], to = w.plan.deficit[b + 1];
    const section_rows<WRITER, THREADS> rows{writer, s, b * ALIAS_BLOCK};
    uint32_t rest = 0, others;
    heavy first, last;
    bool turned;

    if (w.plan.scalars->status != ALIAS_OK || from == to) {
        return;
    }
    first.block = w.partner[2 * b];
    last.block = w.partner[2 * b + 1];
    if (threadIdx.x < 64) {
        const uint64_t x = threadIdx.x < 32 ? from : to - 1;
        const uint64_t partner = threadIdx.x < 32 ? first.block : last.block;
        uint32_t place = first_above_warp(w.ends + partner * ALIAS_BLOCK, w.counts[partner], x);

        if (threadIdx.x % 32 == 0) {
            s.place[threadIdx.x / 32] = place;
        }
    }
    s.load(w, b);
    first.index = s.place[0];
    last.index = s.place[1];
    turned = s.heavies > 0; /* the last heavy becomes the first of the remaining lights */
    if (turned) {
        rest = first_from(s.end, s.lights, s.surplus);
        pack(rows, s, rest + 1, s.heavies - 1);
    }
    /* Remaining light r of [rest, L): its deficit ends at shift + s.end[r]. */
    const uint64_t shift = from - s.surplus;
    const auto start_of = [&](uint32_t r) { return r == rest ? from : shift + s.end[r - 1]; };
    const auto item_of = [&](uint32_t r) {
        return turned && r == rest ? s.heavy_item(s.heavies - 1) : s.item[r];
    };
    const auto threshold_of = [&](uint32_t r) { return capacity + start_of(r) - shift - s.end[r]; };

    if (first.end(w) >= to) {
        const uint64_t alias = first.item(w);

        for (uint32_t r = rest + threadIdx.x; r < s.lights; r += THREADS) {
            rows.put_any(item_of(r), start_of(r), shift + s.end[r], alias);
        }
        rows.write(alias_block_count(w.plan, b));
        if (threadIdx.x == 0) {
            w.wide[b] = 0;
            if (first.end(w) == to) {
                writer.put(alias, writer.make(alias, capacity, first.next(w).item(w)));
            }
        }
        return;
    }
    rows.write(alias_block_count(w.plan, b));
    __syncthreads(); /* the rows in shared memory make room, and those written may be overwritten */
    others = gather(w, s, first, last);
    if (others <= OTHERS) {
        for (uint32_t r = rest + threadIdx.x; r < s.lights; r += THREADS) {
            uint64_t item = rows.first + item_of(r);
            uint32_t h = first_above(s.other.end, others, start_of(r));

            writer.put(item, writer.make(item, threshold_of(r), s.other.item[h]));
        }
        for (uint32_t h = threadIdx.x; h < others; h += THREADS) {
            uint64_t end = s.other.end[h], item = s.other.item[h];

            if (end <= to) {
                uint32_t r = rest + first_from(s.end + rest, s.lights - rest, end - shift);
                uint64_t next = h + 1 < others ? s.other.item[h + 1] : last.next(w).item(w);

                writer.put(item, writer.make(item, capacity + end - shift - s.end[r], next));
            }
        }
    } else {
        for (uint32_t r = rest + threadIdx.x; r < s.lights; r += THREADS) {
            uint64_t item = rows.first + item_of(r);

            writer.put(item,
                       writer.make(item, threshold_of(r), find_heavy(w, start_of(r)).item(w)));
            w.ends[rows.first + r - rest] = shift + s.end[r];
        }
    }
    if (threadIdx.x == 0) {
        w.counts[b] = s.lights - rest;
        w.wide[b] = others > OTHERS;
        if (others > OTHERS) {
            w.wide[w.plan.blocks] = 1;
        }
    }
}

/* Heavies that end within the deficits of a wide section. */
template <typename WRITER>
__global__ void __launch_bounds__(256) finish_heavies(work w, WRITER writer)
{
    const uint64_t capacity = 1ull << w.plan.k;

    if (w.plan.scalars->status != ALIAS_OK || w.wide[w.plan.blocks] == 0) {
        return;
    }
    for (uint64_t b = blockIdx.x; b < w.plan.blocks; b += gridDim.x) {
        if (w.plan.surplus[b] == w.plan.surplus[b + 1]) {
            continue;
        }
        for (uint32_t i = threadIdx.x; i < w.counts[b]; i += blockDim.x) {
            heavy h = {b, i};
            uint64_t end = h.end(w), item = h.item(w);
            uint64_t d = section_of(w.plan.deficit, w.plan.blocks, end - 1);

            if (w.wide[d] != 0) {
                const uint64_t *ends = w.ends + d * ALIAS_BLOCK;
                uint64_t reached = ends[first_from(ends, w.counts[d], end)];

                writer.put(item, writer.make(item, capacity + end - reached, h.next(w).item(w)));
            }
        }
    }
}

template <int THREADS, typename WRITER>
int run(const work &w, const WRITER &writer, int multiprocessors, cudaStream_t stream)
{
    const size_t bytes = sizeof(section<THREADS>);
    const unsigned grid = (unsigned)w.plan.blocks;
    cudaError_t error = cudaFuncSetAttribute(
        pack_surplus<WRITER, THREADS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    int st;

    if (error == cudaSuccess) {
        error = cudaFuncSetAttribute(pack_deficit<WRITER, THREADS>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    pack_surplus<WRITER, THREADS><<<grid, THREADS, bytes, stream>>>(w, writer);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        return st;
    }
    pack_deficit<WRITER, THREADS><<<grid, THREADS, bytes, stream>>>(w, writer);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        return st;
    }
    finish_heavies<<<min(grid, (unsigned)multiprocessors * 8), 256, 0, stream>>>(w, writer);
    return alias_gpu_launched();
}

} // namespace

int alias_gpu_psa_plus(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t blocks = job->plan.blocks;
    work w = {job->plan, NULL, NULL, NULL, NULL, NULL};

    w.ends = (uint64_t *)alias_arena_take(arena, blocks * ALIAS_BLOCK, sizeof(*w.ends));
    w.items = (uint16_t *)alias_arena_take(arena, blocks * ALIAS_BLOCK, sizeof(*w.items));
    w.counts = (uint32_t *)alias_arena_take(arena, blocks, sizeof(*w.counts));
    w.partner = (uint64_t *)alias_arena_take(arena, 2 * blocks, sizeof(*w.partner));
    w.wide = (uint32_t *)alias_arena_take(arena, blocks + 1, sizeof(*w.wide));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    return alias_with_writer(job->rows, [&](auto writer) {
        return run<THREADS_PER_SECTION>(w, writer, job->multiprocessors, stream);
    });
}
