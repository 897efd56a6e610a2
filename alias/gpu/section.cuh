/*
 * alias/gpu/section.cuh - a section of PSA+ (4096 items) in shared memory.  It has the light and
 * heavy items with the prefix sums D of their deficits and E of their surpluses, the rows under
 * construction, and the merge that packs them. alias/gpu/psa_plus.cu describes the algorithm.
 */
#ifndef ALIAS_GPU_SECTION_CUH
#define ALIAS_GPU_SECTION_CUH

#include "alias/gpu/quantize.cuh"
#include "alias/gpu/rows.cuh"

enum {
    ALIAS_PACK_THREADS = 256,
    ALIAS_PACK_OTHERS = ALIAS_SECTION_ITEMS / 8 * 3, /* room for heavy items of other sections */
    ALIAS_PACK_RANGE = 512                           /* sections that they may come from */
};

/* Sums of C - q over some items. */
struct alias_section_sums {
    uint64_t deficit; /* over the light items */
    uint64_t all;     /* over light and heavy items, modulo 2^64 */
    uint32_t lights;  /* number of light items */

    __device__ __forceinline__ uint64_t surplus() const
    {
        return deficit - all;
    }
    __device__ __forceinline__ void add(uint64_t less)
    {
        const bool is_light = (int64_t)less >= 0;

        deficit += is_light ? less : 0;
        all += less;
        lights += is_light;
    }
    __device__ __forceinline__ alias_section_sums operator+(const alias_section_sums &o) const
    {
        return alias_section_sums{deficit + o.deficit, all + o.all, lights + o.lights};
    }
    __device__ __forceinline__ alias_section_sums from(uint32_t lane) const
    {
        return alias_section_sums{__shfl_sync(0xffffffffu, deficit, lane),
                                  __shfl_sync(0xffffffffu, all, lane),
                                  __shfl_sync(0xffffffffu, lights, lane)};
    }
    __device__ __forceinline__ alias_section_sums up(uint32_t lanes) const
    {
        return alias_section_sums{__shfl_up_sync(0xffffffffu, deficit, lanes),
                                  __shfl_up_sync(0xffffffffu, all, lanes),
                                  __shfl_up_sync(0xffffffffu, lights, lanes)};
    }
};

/* The sums over the lanes up to and including the calling one, in groups of LANES lanes. */
template <int LANES>
__device__ __forceinline__ alias_section_sums alias_section_scan(alias_section_sums x)
{
#pragma unroll
    for (int h = 1; h < LANES; h *= 2) {
        alias_section_sums other = x.up(h);

        if (threadIdx.x % 32 >= h) {
            x = x + other;
        }
    }
    return x;
}

/* The place of value i in shared memory.  Threads read and write at strides of about 8 values,
 * which would otherwise collide in the same banks. */
__device__ __forceinline__ uint32_t alias_spread(uint32_t i)
{
    return i ^ (i >> 4 & 15);
}

/* A section in shared memory. */
struct alias_section {
    using sums = alias_section_sums;
    using masses = alias_section_masses<ALIAS_PACK_THREADS>;
    static constexpr int WARPS = ALIAS_PACK_THREADS / 32;

    union {
        typename masses::storage masses_storage;
        sums warps[WARPS];
        alias_row8 rows[ALIAS_SECTION_ITEMS]; /* row i at alias_spread(i) */
        struct {                              /* heavy items of other sections, in order */
            uint64_t end[ALIAS_PACK_OTHERS], item[ALIAS_PACK_OTHERS];
            uint16_t partner[ALIAS_SECTION_ITEMS]; /* of the remaining light items, among them */
        } other;
    };
    /* D(1), ... D(L), then from index base on E(1), ... E(H); value i lies at alias_spread(i) */
    uint64_t ends[ALIAS_SECTION_ITEMS + 1];
    uint16_t item[ALIAS_SECTION_ITEMS + 1]; /* light items, then heavy items; and one that may be
                                               read beyond them */
    uint32_t lights, heavies;               /* L, H */
    uint32_t base;
    /* The first item that the section cannot pack alone.  If E(H) < D(L): the first light i with
     * D(i + 1) >= E(H) > 0.  If E(H) > D(L): the first heavy j with E(j + 1) > D(L). */
    uint32_t cut;
    uint64_t deficit, surplus;             /* D(L), E(H) */
    uint32_t offset[ALIAS_PACK_RANGE + 1]; /* of each other section's items in other */

    __device__ __forceinline__ uint64_t end(uint32_t i) const
    {
        return ends[alias_spread(i)];
    }
    __device__ __forceinline__ uint64_t light_start(uint32_t i) const
    {
        return i == 0 ? 0 : end(i - 1);
    }
    __device__ __forceinline__ uint64_t heavy_end(uint32_t j) const
    {
        return end(base + j);
    }
    __device__ __forceinline__ uint32_t heavy_item(uint32_t j) const
    {
        return item[base + j];
    }

    /* Finds the cut if it is among the calling thread's items, over which the sums grow from
     * `from`. */
    __device__ __forceinline__ void find_cut(const sums &all, const sums &from, const sums &to)
    {
        if (all.surplus() < all.deficit) {
            const uint64_t x = all.surplus();

            if (from.deficit < x && x <= to.deficit) {
                cut = alias_first_above(from.lights, to.lights - from.lights, x - 1,
                                        [&](uint32_t i) { return end(i); });
            }
        } else if (from.surplus() <= all.deficit && all.deficit < to.surplus()) {
            const uint32_t j = threadIdx.x * masses::ITEMS - from.lights;

            cut = alias_first_above(j, masses::ITEMS - (to.lights - from.lights), all.deficit,
                                    [&](uint32_t h) { return end(all.lights + h); });
        }
    }

    /* The first light item i with D(i + 1) >= x > 0. */
    __device__ __forceinline__ uint32_t light_reaching(uint64_t x) const
    {
        return alias_first_above(0u, lights, x - 1, [&](uint32_t i) { return end(i); });
    }

    /* Makes the masses of section b and fills all fields.  Ends with a barrier. */
    __device__ __forceinline__ void load(const alias_gpu_plan &plan, uint64_t b)
    {
        constexpr int ITEMS = masses::ITEMS;
        const uint64_t capacity = 1ull << plan.k;
        const uint32_t count = alias_section_items(plan.n, b), first = threadIdx.x * ITEMS;
        uint64_t q[ITEMS];
        sums own = {0, 0, 0}, start, before, all;

        masses::load(plan, b, masses_storage, q);
        if (count <
            ALIAS_SECTION_ITEMS) { /* fill up with light items without a deficit, which come last */
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                q[i] = first + i < count ? q[i] : capacity;
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            q[i] = capacity - q[i];
            own.add(q[i]);
        }
        own = alias_section_scan<32>(own);
        __syncthreads();
        if (threadIdx.x % 32 == 31) {
            warps[threadIdx.x / 32] = own;
        }
        __syncthreads();
        before = alias_section_scan<WARPS>(warps[threadIdx.x % WARPS]);
        all = before.from(WARPS - 1);
        before = before.from((threadIdx.x / 32 + WARPS - 1) % WARPS); /* of the warps before */
        own = own.up(1);
        if (threadIdx.x < 32) {
            before = sums{0, 0, 0};
        }
        if (threadIdx.x % 32 > 0) {
            before = before + own;
        }
        if (threadIdx.x == 0) {
            lights = all.lights - (ALIAS_SECTION_ITEMS - count);
            heavies = ALIAS_SECTION_ITEMS - all.lights;
            base = all.lights;
            deficit = all.deficit;
            surplus = all.surplus();
        }
        start = before;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const bool is_light = (int64_t)q[i] >= 0;
            const uint32_t at = is_light ? before.lights : all.lights + first + i - before.lights;

            before.add(q[i]);
            ends[alias_spread(at)] = is_light ? before.deficit : before.surplus();
            item[at] = (uint16_t)(first + i);
        }
        find_cut(all, start, before);
        __syncthreads();
    }
};

/* Writes the rows of a section. 8-byte rows are first assembled in shared memory. */
template <typename WRITER> struct alias_section_rows {
    static constexpr bool STAGED = sizeof(typename WRITER::pair) == sizeof(alias_row8);

    const WRITER &writer;
    alias_section &s;
    uint64_t first;

    /* The row of an item whose bucket has the deficit to - from; an item of any section fills
     * it. */
    __device__ __forceinline__ void put_any(uint32_t item, uint64_t from, uint64_t to,
                                            uint64_t alias) const
    {
        using word = typename WRITER::word;
        const word threshold = (word)((1ull << writer.rows.k) + from - to);
        const word self = (word)(first + item);

        if (STAGED) {
            s.rows[alias_spread(item)] =
                alias_row8{(uint32_t)threshold, (uint32_t)(from == to ? self : (word)alias)};
        } else {
            writer.put(first + item, {threshold, from == to ? self : (word)alias});
        }
    }

    /* The same, where an item of this section fills it. */
    __device__ __forceinline__ void put(uint32_t item, uint64_t from, uint64_t to,
                                        uint32_t alias) const
    {
        put_any(item, from, to, first + alias);
    }

    /* Leaves the row of an item to other threads, which may write it at any time.  The row gets a
     * mark that no stored row has: its own alias with a threshold. */
    __device__ __forceinline__ void leave(uint32_t item) const
    {
        if (STAGED) {
            s.rows[alias_spread(item)] = alias_row8{1, (uint32_t)(first + item)};
        }
    }

    /* Writes the section's rows except those left to others.  A row neither put nor left holds
     * anything and must be written later. */
    __device__ __forceinline__ void write(uint32_t count) const
    {
        if (STAGED) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < count; i += ALIAS_PACK_THREADS) {
                alias_row8 row = s.rows[alias_spread(i)];
                typename WRITER::pair out;

                out.threshold = row.threshold;
                out.alias = row.alias;
                if (row.threshold != 1 || row.alias != (uint32_t)(first + i)) {
                    writer.put(first + i, out);
                }
            }
        }
    }
};

/*
 * Packs the first light and heavy items: merges D(i) with E(j + 1), heavy items first among equals,
 * an equal number of steps per thread.  All packed light items start before E(heavies + 1), which
 * exists, and all packed heavy items end at D(lights) at the latest, so no index needs a check.
 * Light and heavy steps share their code, since every warp takes both.
 */
template <typename ROWS>
__device__ __forceinline__ void alias_section_pack(const ROWS &rows, const alias_section &s,
                                                   uint32_t lights, uint32_t heavies)
{
    const uint32_t steps = lights + heavies,
                   part = (steps + ALIAS_PACK_THREADS - 1) / ALIAS_PACK_THREADS;
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
    j = s.base + from - i;
    start = s.light_start(i);
    end = s.end(j);
    current = s.item[j];
    for (uint32_t step = from; step < to; step++) {
        const bool is_light = end > start;
        const uint32_t at = is_light ? i : j + 1;
        const uint64_t next = s.end(at);
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

#endif
