/*
 * PSA+ on the GPU: the table of alias/cpu/psa_plus.c, row for row, by merging in place of sweeping.
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
#include "alias/gpu/psa_plus_wide.cuh"

namespace
{

enum {
    THREADS = ALIAS_PACK_THREADS,
    OTHERS = ALIAS_PACK_OTHERS,
    RANGE = ALIAS_PACK_RANGE,
    MANY = 2048 /* sections whose places a kernel of its own finds beforehand */
};

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
