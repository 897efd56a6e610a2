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
 * heavies there are), the section's deficits go to memory as well, and a third kernel finds the
 * partners of both, one thread for an item, in small pieces of sections that keep all
 * multiprocessors busy.  So nobody ever walks: every item costs at most a logarithmic search,
 * whatever the weights.
 *
 * Sections with no light or no heavy items have nothing to pack and skip it.  That is the papers'
 * threshold for unpromising sections; merging leaves nothing to gain from a higher one.
 */
#include "alias/gpu_section.cuh"

namespace
{

enum {
    THREADS = ALIAS_PACK_THREADS,
    OTHERS = ALIAS_PACK_OTHERS,
    RANGE = ALIAS_PACK_RANGE,
    PIECE = 256, /* items of a section at a time in the third kernel */
    PIECES = ALIAS_BLOCK / PIECE,
    MANY = 2048 /* sections whose places a kernel of its own finds beforehand */
};

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

/* Sections with a surplus, and even ones. */
template <typename WRITER>
__global__ void __launch_bounds__(THREADS, 2) pack_surplus(work w, WRITER writer)
{
    extern __shared__ __align__(16) char memory[];
    alias_section &s = *(alias_section *)memory;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        w.wide[w.plan.blocks] = 0;
    }
    if (w.plan.scalars->status != ALIAS_OK || blockIdx.x >= w.plan.scalars->surplus_blocks) {
        return;
    }

    const uint64_t b = w.plan.order[blockIdx.x];
    const alias_section_rows<WRITER> rows{writer, s, b * ALIAS_BLOCK};
    uint32_t lights, packed;

    s.load(w.plan, b);
    if (s.surplus == s.deficit) { /* what comes last are buckets of their own */
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
        }
        if (threadIdx.x == 0) {
            w.counts[b] = s.heavies - packed;
        }
    }
    alias_section_pack(rows, s, lights, packed);
    rows.write(alias_block_count(w.plan, b));
}

/*
 * Copies the remaining heavies from first to last to shared memory; returns their number, or more
 * than OTHERS if they are too many or from too far apart.
 */
__device__ uint32_t gather(const work &w, alias_section &s, place first, place last)
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
            place h = {b, from + i};

            s.other.end[at + i] = h.end(w);
            s.other.item[at + i] = h.item(w);
        }
    }
    __syncthreads();
    return total;
}

/* For all sections with a deficit, if they are so many that it is better done beforehand. */
__global__ void __launch_bounds__(256) find_places(work w)
{
    const uint64_t i = (uint64_t)blockIdx.x * 256 + threadIdx.x;

    if (w.plan.scalars->status == ALIAS_OK &&
        i / 2 < w.plan.blocks - w.plan.scalars->surplus_blocks) {
        const uint64_t b = w.plan.order[w.plan.blocks - 1 - i / 2];

        w.places[i] =
            find_heavy<false>(w, i % 2 == 0 ? w.plan.deficit[b] : w.plan.deficit[b + 1] - 1);
    }
}

/* Sections with a deficit. */
template <typename WRITER>
__global__ void __launch_bounds__(THREADS, 2) pack_deficit(work w, WRITER writer)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ place border[2];
    alias_section &s = *(alias_section *)memory;
    if (w.plan.scalars->status != ALIAS_OK ||
        blockIdx.x >= w.plan.blocks - w.plan.scalars->surplus_blocks) {
        return;
    }

    const uint64_t b = w.plan.order[w.plan.blocks - 1 - blockIdx.x], capacity = 1ull << w.plan.k;
    const uint64_t from = w.plan.deficit[b], to = w.plan.deficit[b + 1];
    const alias_section_rows<WRITER> rows{writer, s, b * ALIAS_BLOCK};
    uint32_t rest = 0, others;
    place first, last;
    bool turned;

    if (w.places == NULL && threadIdx.x < 64) {
        place h = find_heavy<true>(w, threadIdx.x < 32 ? from : to - 1);

        if (threadIdx.x % 32 == 0) {
            border[threadIdx.x / 32] = h;
        }
    }
    s.load(w.plan, b);
    first = w.places == NULL ? border[0] : w.places[2 * blockIdx.x];
    last = w.places == NULL ? border[1] : w.places[2 * blockIdx.x + 1];
    turned = s.heavies > 0; /* the last heavy becomes the first of the remaining lights */
    if (turned) {
        rest = s.cut;
        alias_section_pack(rows, s, rest + 1, s.heavies - 1);
    }
    /* Remaining light r of [rest, L): its deficit ends at shift + s.end(r). */
    const uint64_t shift = from - s.surplus;
    const auto start_of = [&](uint32_t r) { return r == rest ? from : shift + s.end(r - 1); };
    const auto item_of = [&](uint32_t r) {
        return turned && r == rest ? s.heavy_item(s.heavies - 1) : s.item[r];
    };
    const auto threshold_of = [&](uint32_t r) { return capacity + start_of(r) - shift - s.end(r); };

    if (first.end(w) >= to) {
        const uint64_t alias = first.item(w);

        for (uint32_t r = rest + threadIdx.x; r < s.lights; r += THREADS) {
            rows.put_any(item_of(r), start_of(r), shift + s.end(r), alias);
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
            uint32_t h = alias_first_above(0u, others, start_of(r),
                                           [&](uint32_t i) { return s.other.end[i]; });

            writer.put(item, writer.make(item, threshold_of(r), s.other.item[h]));
        }
        for (uint32_t h = threadIdx.x; h < others; h += THREADS) {
            uint64_t end = s.other.end[h], item = s.other.item[h];

            if (end <= to) {
                uint32_t r = s.light_reaching(end - shift, rest);
                uint64_t next = h + 1 < others ? s.other.item[h + 1] : last.next(w).item(w);

                writer.put(item, writer.make(item, capacity + end - shift - s.end(r), next));
            }
        }
    } else {
        for (uint32_t r = rest + threadIdx.x; r < s.lights; r += THREADS) {
            w.ends[rows.first + r - rest] = shift + s.end(r);
            w.items[rows.first + r - rest] = (uint16_t)item_of(r);
        }
    }
    if (threadIdx.x == 0) {
        w.counts[b] = s.lights - rest;
        w.wide[b] = others > OTHERS;
        if (others > OTHERS) {
            w.wide_blocks[atomicAdd(&w.wide[w.plan.blocks], 1)] = (uint32_t)b;
        }
    }
}

/* The remaining lights of wide sections, and the heavies that end within their deficits. */
template <typename WRITER>
__global__ void __launch_bounds__(PIECE) finish_wide(work w, WRITER writer)
{
    __shared__ uint64_t found[2];
    const uint64_t capacity = 1ull << w.plan.k, blocks = w.plan.blocks;
    if (w.plan.scalars->status != ALIAS_OK || w.wide[blocks] == 0) {
        return;
    }

    const uint64_t heavy_blocks = w.plan.scalars->surplus_blocks;
    const uint64_t pieces = (heavy_blocks + w.wide[blocks]) * PIECES;

    for (uint64_t p = blockIdx.x; p < pieces; p += gridDim.x) {
        const bool is_light = p / PIECES >= heavy_blocks;
        const uint64_t b =
            is_light ? w.wide_blocks[p / PIECES - heavy_blocks] : w.plan.order[p / PIECES];
        const bool even = !is_light && w.plan.surplus[b] == w.plan.surplus[b + 1];
        const uint32_t count = even ? 0 : w.counts[b];
        const uint32_t index = (uint32_t)(p % PIECES) * PIECE + threadIdx.x;

        if (index - threadIdx.x >= count) {
            continue;
        }
        /* The place on the axes where the item's partner is looked for, which exists for a light
         * that lacks nothing as well; and the section of the partner: between those of the first
         * and of the last item. */
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
            const uint64_t section = section_of<true>(axis, blocks, of);

            if (threadIdx.x % 32 == 0) {
                found[last] = section;
            }
        }
        __syncthreads();
        const uint64_t next = alias_first_above(found[0] + 1, found[1] - found[0], x,
                                                [&](uint64_t i) { return axis[i]; });
        const uint64_t other = next - 1;

        if (index < count && (is_light || w.wide[other] != 0)) {
            const uint64_t *ends = w.ends + other * ALIAS_BLOCK;
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

template <typename WRITER>
int run(const work &w, const WRITER &writer, int multiprocessors, cudaStream_t stream)
{
    const size_t bytes = sizeof(alias_section);
    const unsigned grid = (unsigned)w.plan.blocks;
    cudaError_t error = cudaFuncSetAttribute(
        pack_surplus<WRITER>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    int st;

    if (error == cudaSuccess) {
        error = cudaFuncSetAttribute(pack_deficit<WRITER>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    pack_surplus<WRITER><<<grid, THREADS, bytes, stream>>>(w, writer);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        return st;
    }
    if (w.places != NULL) {
        find_places<<<(2 * grid + 255) / 256, 256, 0, stream>>>(w);
        st = alias_gpu_launched();
        if (st != ALIAS_OK) {
            return st;
        }
    }
    pack_deficit<WRITER><<<grid, THREADS, bytes, stream>>>(w, writer);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        return st;
    }
    finish_wide<<<(unsigned)min(w.plan.blocks * PIECES, (uint64_t)multiprocessors * 8), PIECE, 0,
                  stream>>>(w, writer);
    return alias_gpu_launched();
}

} // namespace

int alias_gpu_psa_plus(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t blocks = job->plan.blocks;
    work w = {job->plan, NULL, NULL, NULL, NULL, NULL, NULL};

    w.ends = (uint64_t *)alias_arena_take(arena, blocks * ALIAS_BLOCK, sizeof(*w.ends));
    w.items = (uint16_t *)alias_arena_take(arena, blocks * ALIAS_BLOCK, sizeof(*w.items));
    w.counts = (uint32_t *)alias_arena_take(arena, blocks, sizeof(*w.counts));
    if (blocks >= MANY) {
        w.places = (place *)alias_arena_take(arena, 2 * blocks, sizeof(*w.places));
    }
    w.wide = (uint32_t *)alias_arena_take(arena, blocks + 1, sizeof(*w.wide));
    w.wide_blocks = (uint32_t *)alias_arena_take(arena, blocks, sizeof(*w.wide_blocks));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    return alias_with_writer(
        job->rows, [&](auto writer) { return run(w, writer, job->multiprocessors, stream); });
}
