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
 * with the deficit D(i*) - Et, and the light items from i* on remain.  The plan tells which of the
 * two applies, and where the remaining items lie on the axes of all surpluses and all deficits.
 *
 * Sections with a surplus are packed first.  Their remaining heavy items go to memory, together
 * with the ends of their surpluses on the axis.  Then come the sections with a deficit: their
 * remaining light items are looked up among those heavy items, and the heavy items that end within
 * the section's deficits are looked up among its light items.  If these are too many for shared
 * memory (a few light items may face all heavy items there are), the section is called wide: its
 * deficits go to memory as well, and a third kernel finds the partners of both, one thread per
 * item, in pieces of sections small enough to keep all multiprocessors busy.  No thread ever walks
 * along a list: each item costs at most a logarithmic search, whatever the weights are.
 *
 * Sections without light or without heavy items have nothing to pack and skip that step.  This is
 * the papers' threshold for unpromising sections; with merging, a higher one gains nothing.
 */
#include "alias/gpu/psa_plus_wide.cuh"

namespace
{

enum {
    THREADS = ALIAS_PACK_THREADS,
    OTHERS = ALIAS_PACK_OTHERS,
    RANGE = ALIAS_PACK_RANGE,
    MANY = 2048 /* from this many sections on, find_places() runs first */
};

/* Packs a section that has a surplus or is even. */
template <typename WRITER>
__global__ void __launch_bounds__(THREADS, 2) pack_surplus(work w, WRITER writer)
{
    extern __shared__ __align__(16) char memory[];
    alias_section &s = *(alias_section *)memory;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        w.wide[w.plan.sections] = 0;
    }
    if (w.plan.scalars->status != ALIAS_OK || blockIdx.x >= w.plan.scalars->surplus_sections) {
        return;
    }

    const uint64_t b = w.plan.order[blockIdx.x];
    const alias_section_rows<WRITER> rows{writer, s, b * ALIAS_SECTION_ITEMS};
    uint32_t lights, packed;

    s.load(w.plan, b);
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
        }
        if (threadIdx.x == 0) {
            w.counts[b] = s.heavies - packed;
        }
    }
    alias_section_pack(rows, s, lights, packed);
    rows.write(alias_section_items(w.plan.n, b));
}

/*
 * Copies the remaining heavy items from first to last to shared memory and returns their number, or
 * more than OTHERS if they are too many or from too many sections.
 */
__device__ uint32_t gather(const work &w, alias_section &s, place first, place last)
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

    if (w.plan.scalars->status == ALIAS_OK &&
        i / 2 < w.plan.sections - w.plan.scalars->surplus_sections) {
        const uint64_t b = w.plan.order[w.plan.sections - 1 - i / 2];

        w.places[i] =
            find_heavy<false>(w, i % 2 == 0 ? w.plan.deficit[b] : w.plan.deficit[b + 1] - 1);
    }
}

/* Packs a section that has a deficit. */
template <typename WRITER>
__global__ void __launch_bounds__(THREADS, 2) pack_deficit(work w, WRITER writer)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ place border[2];
    alias_section &s = *(alias_section *)memory;
    if (w.plan.scalars->status != ALIAS_OK ||
        blockIdx.x >= w.plan.sections - w.plan.scalars->surplus_sections) {
        return;
    }

    const uint64_t b = w.plan.order[w.plan.sections - 1 - blockIdx.x], capacity = 1ull << w.plan.k;
    const uint64_t from = w.plan.deficit[b], to = w.plan.deficit[b + 1];
    const alias_section_rows<WRITER> rows{writer, s, b * ALIAS_SECTION_ITEMS};
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
    turned = s.heavies > 0; /* the last heavy item becomes the first remaining light item */
    if (turned) {
        rest = s.cut;
        alias_section_pack(rows, s, rest + 1, s.heavies - 1);
    }
    /* The deficit of a remaining light item r of [rest, L) ends at shift + s.end(r). */
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
        rows.write(alias_section_items(w.plan.n, b));
        if (threadIdx.x == 0) {
            w.wide[b] = 0;
            if (first.end(w) == to) {
                writer.put(alias, writer.make(alias, capacity, first.next(w).item(w)));
            }
        }
        return;
    }
    rows.write(alias_section_items(w.plan.n, b));
    __syncthreads(); /* the rows' shared memory is reused, and written rows may be overwritten */
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
            w.wide_sections[atomicAdd(&w.wide[w.plan.sections], 1)] = (uint32_t)b;
        }
    }
}

/* Starts the kernels. */
template <typename WRITER>
int run(const work &w, const WRITER &writer, int multiprocessors, cudaStream_t stream)
{
    const size_t bytes = sizeof(alias_section);
    const unsigned grid = (unsigned)w.plan.sections;
    int device, most, st;

    ALIAS_GPU_TRY(cudaGetDevice(&device));
    ALIAS_GPU_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    ALIAS_GPU_TRY(bytes > (size_t)most ? cudaErrorNotSupported : cudaSuccess);
    ALIAS_GPU_TRY(cudaFuncSetAttribute(pack_surplus<WRITER>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    ALIAS_GPU_TRY(cudaFuncSetAttribute(pack_deficit<WRITER>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    pack_surplus<WRITER><<<grid, THREADS, bytes, stream>>>(w, writer);
    ALIAS_TRY(alias_gpu_launched());
    if (w.places != NULL) {
        find_places<<<(2 * grid + 255) / 256, 256, 0, stream>>>(w);
        ALIAS_TRY(alias_gpu_launched());
    }
    pack_deficit<WRITER><<<grid, THREADS, bytes, stream>>>(w, writer);
    ALIAS_TRY(alias_gpu_launched());
    finish_wide<<<(unsigned)min(w.plan.sections * PIECES, (uint64_t)multiprocessors * 8), PIECE, 0,
                  stream>>>(w, writer);
    st = alias_gpu_launched();
done:
    return st;
}

} // namespace

int alias_gpu_psa_plus(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t sections = job->plan.sections;
    work w = {job->plan, NULL, NULL, NULL, NULL, NULL, NULL};

    w.ends = (uint64_t *)alias_arena_take(arena, sections * ALIAS_SECTION_ITEMS, sizeof(*w.ends));
    w.items = (uint16_t *)alias_arena_take(arena, sections * ALIAS_SECTION_ITEMS, sizeof(*w.items));
    w.counts = (uint32_t *)alias_arena_take(arena, sections, sizeof(*w.counts));
    if (sections >= MANY) {
        w.places = (place *)alias_arena_take(arena, 2 * sections, sizeof(*w.places));
    }
    w.wide = (uint32_t *)alias_arena_take(arena, sections + 1, sizeof(*w.wide));
    w.wide_sections = (uint32_t *)alias_arena_take(arena, sections, sizeof(*w.wide_sections));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    return alias_with_writer(
        job->rows, [&](auto writer) { return run(w, writer, job->multiprocessors, stream); });
}
