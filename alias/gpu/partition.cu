/*
 * alias/gpu/partition.cu - light and heavy items with their prefix sums, in one pass over the
 * weights.
 *
 * A thread block makes the masses of a section (steps 4 and 5 of the rule in alias/core/quantize.h,
 * with the prefix sums that are needed anyway instead of a sum).  It publishes the number of light
 * items and the sum of their deficits, sorts the items in shared memory into light and heavy ones,
 * and adds up what the blocks before it have published.  The surpluses before the section follow
 * from that, since over whole sections E - D = Z - items * C, and the plan has Z.  Then the light
 * items and the heavy items are written as one run each.
 */
#include "alias/gpu/look_back.cuh"
#include "alias/gpu/partition.cuh"
#include "alias/gpu/quantize.cuh"
#include "alias/gpu/scan.cuh"

namespace
{

enum {
    THREADS = 256,
    BLOCKS = 4, /* resident on a multiprocessor */
    ITEMS = ALIAS_SECTION_ITEMS / THREADS,
    WARP = 32,
    SLOTS = ALIAS_SECTION_ITEMS + ALIAS_SECTION_ITEMS / 16
};

using section_masses = alias_section_masses<THREADS>;
using sums = alias_light_sums;

/* A place in shared memory that puts items a power of two apart into distinct banks. */
__device__ __forceinline__ uint32_t slot(uint32_t i)
{
    return i + i / 16;
}

struct shared {
    union {
        section_masses::storage masses;
        struct {
            uint64_t sum[SLOTS];
            uint16_t item[ALIAS_SECTION_ITEMS];
        } sorted;
    };
    uint64_t mass_of_warp[THREADS / WARP];
    sums sums_of_warp[THREADS / WARP];
    uint64_t lights_before, deficit_before;
};

/* Loads ITEMS consecutive words for each thread; zero beyond the last of count. */
__device__ __forceinline__ void load_words(const uint64_t *from, uint32_t count, shared &s,
                                           uint64_t (&q)[ITEMS])
{
    if (count == ALIAS_SECTION_ITEMS) {
        section_masses::loader(s.masses.load).Load(from, q);
    } else {
        section_masses::loader(s.masses.load).Load(from, q, (int)count, (uint64_t)0);
    }
}

/* The masses in the general case, by section_masses. */
__device__ __noinline__ void masses_after_all(const alias_gpu_plan &plan, uint64_t b, shared &s,
                                              uint64_t *to)
{
    uint64_t q[ITEMS];

    section_masses::load(plan, b, s.masses, q);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        to[i] = q[i];
    }
}

/* The masses of a section whose rounded-down masses exceed the section's mass; returns the sum of
 * those of the threads before. */
__device__ __forceinline__ uint64_t take_back(const alias_gpu_plan &plan, uint64_t b, shared &s,
                                              uint64_t (&q)[ITEMS])
{
    uint64_t copy[ITEMS]; /* indexed by the call below; q itself stays in registers */
    uint64_t own = 0, all;
    bool flag = false;

    __syncthreads();
    masses_after_all(plan, b, s, copy);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        q[i] = copy[i];
        own += q[i];
    }
    return alias_scan_block(own, s.mass_of_warp, &all, &flag);
}

/* Gives units to the items of positive weight: equal shares, then one each in index order.  Returns
 * the number of units that the threads before received. */
__device__ __forceinline__ uint64_t give(uint64_t units, uint32_t positive, shared &s,
                                         uint64_t (&q)[ITEMS])
{
    uint64_t rank, all, share = 0, got;
    bool flag = false;

    __syncthreads();
    rank = alias_scan_block((uint64_t)__popc(positive), s.mass_of_warp, &all, &flag);
    if (units >= all) {
        share = units / all;
        units %= all;
    }
    got = rank * share + min(rank, units);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (positive >> i & 1) {
            q[i] += share + (rank < units);
            rank++;
        }
    }
    return got;
}

/* Makes the masses of the thread's items; returns the sum of those of the threads before. */
__device__ __forceinline__ uint64_t make_masses(const alias_gpu_plan &plan, uint64_t b,
                                                uint32_t count, shared &s, uint64_t (&q)[ITEMS])
{
    const uint32_t first = threadIdx.x * ITEMS;
    const uint64_t mass = plan.start[b + 1] - plan.start[b];
    uint32_t positive = 0; /* bit i: item i has a positive weight */
    uint64_t own = 0, before, all;
    bool zeros = false;

    if (plan.weights != NULL) {
        const double scale = plan.scalars->scale, factor = plan.scalars->factor;

        load_words((const uint64_t *)plan.weights + b * ALIAS_SECTION_ITEMS, count, s, q);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const double w = __longlong_as_double((long long)q[i]) * scale;

            q[i] = (uint64_t)(w * factor);
            own += q[i];
            positive |= (uint32_t)(w > 0) << i;
        }
        zeros = first < count && __popc(positive) < (int)min(count - first, (uint32_t)ITEMS);
    } else {
        load_words(plan.masses + b * ALIAS_SECTION_ITEMS, count, s, q);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            own += q[i];
        }
    }
    before = alias_scan_block(own, s.mass_of_warp, &all, &zeros);
    if (all == mass) {
        return before;
    }
    if (all > mass) {
        return take_back(plan, b, s, q);
    }
    if (!zeros && mass - all <= count) { /* almost always */
        const uint32_t more = (uint32_t)(mass - all);

#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            q[i] += first + i < more;
        }
        return before + min(first, more);
    }
    return before + give(mass - all, positive, s, q);
}

/* Writes count sorted items, such that each warp writes whole lines of memory. */
template <typename Item>
__device__ __forceinline__ void write_list(const alias_gpu_partition &part, const shared &s,
                                           uint32_t from, uint32_t count, uint64_t to,
                                           uint64_t first, uint64_t before)
{
    const uint32_t skip = (uint32_t)to % WARP;
    Item *items = (Item *)part.items + (to - skip);
    uint64_t *sums_to = part.sums + (to - skip);

    for (uint32_t i = threadIdx.x; i < skip + count; i += THREADS) {
        if (i >= skip) {
            items[i] = (Item)(first + s.sorted.item[from + i - skip]);
            sums_to[i] = s.sorted.sum[slot(from + i - skip)] + before;
        }
    }
}

template <typename Item>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    partition_items(const __grid_constant__ alias_gpu_plan plan, alias_gpu_partition part,
                    alias_published *all)
{
    __shared__ shared s;
    const uint64_t b = blockIdx.x, first = b * ALIAS_SECTION_ITEMS, capacity = part.capacity;
    uint64_t q[ITEMS], surplus;
    sums own = {0, 0}, before, own_section;
    bool flag = false;

    if (plan.scalars->status != ALIAS_OK) {
        return;
    }
    const uint32_t count = alias_section_items(plan.n, b);
    const uint32_t end = count - min(count, threadIdx.x * ITEMS); /* of the thread's items */

    surplus = make_masses(plan, b, count, s, q) - threadIdx.x * ITEMS * capacity;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const bool light = q[i] <= capacity && i < end;

        own.lights += light;
        own.deficit += light ? capacity - q[i] : 0;
    }
    before = alias_scan_block(own, s.sums_of_warp, &own_section, &flag);
    surplus += before.deficit;
    if (threadIdx.x == 0) { /* as early as possible, since other blocks wait for it */
        alias_publish(all, b, own_section.lights, own_section.deficit);
    }
    {
        uint32_t light = before.lights;
        uint32_t heavy = count - 1 - (threadIdx.x * ITEMS - before.lights);

#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const bool is_light = q[i] <= capacity;
            const uint32_t to = is_light ? light : heavy;

            if (i < end) {
                s.sorted.sum[slot(to)] = is_light ? before.deficit : surplus;
                s.sorted.item[to] = (uint16_t)(threadIdx.x * ITEMS + i);
            }
            light += is_light;
            heavy -= !is_light;
            before.deficit += is_light ? capacity - q[i] : 0;
            surplus += is_light ? 0 : q[i] - capacity;
        }
    }
    if (threadIdx.x < WARP) {
        alias_look_back(all, b, own_section.lights, own_section.deficit, &s.lights_before,
                        &s.deficit_before);
    }
    __syncthreads();

    const uint64_t lights_before = s.lights_before, deficit_before = s.deficit_before;
    const uint64_t surplus_before = plan.start[b] - (first << plan.k) + deficit_before;
    const uint64_t heavies_at = part.n + 3 - (first - lights_before) - (count - own_section.lights);

    write_list<Item>(part, s, 0, own_section.lights, lights_before, first, deficit_before);
    write_list<Item>(part, s, own_section.lights, count - own_section.lights, heavies_at, first,
                     surplus_before);
    if (first + count == part.n && threadIdx.x == 0) {
        const uint64_t lights = lights_before + own_section.lights;
        const uint64_t total = deficit_before + own_section.deficit;

        *part.counts = {lights, part.n - lights};
        ((Item *)part.items)[lights + 2] = 0;
        part.sums[lights] = total;
        part.sums[lights + 1] = UINT64_MAX;
        part.sums[lights + 2] = total;
    }
}

} // namespace

int alias_gpu_partition_items(alias_gpu_partition *part, const alias_gpu_plan *plan,
                              alias_arena *arena, cudaStream_t stream)
{
    const bool narrow = plan->n <= ALIAS_GPU_NARROW;
    alias_published *all =
        (alias_published *)alias_arena_take(arena, plan->sections + 1, sizeof(*all));
    cudaError_t error;

    part->n = plan->n;
    part->capacity = (uint64_t)1 << plan->k;
    part->scalars = plan->scalars;
    part->counts =
        (alias_gpu_counts *)(all + plan->sections); /* remain zero if a weight is unusable */
    part->items = alias_arena_take(arena, plan->n + 3, narrow ? 4 : 8);
    part->sums = (uint64_t *)alias_arena_take(arena, plan->n + 3, sizeof(*part->sums));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    error = cudaMemsetAsync(all, 0, (plan->sections + 1) * sizeof(*all), stream);
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    if (narrow) {
        partition_items<uint32_t>
            <<<(unsigned)plan->sections, THREADS, 0, stream>>>(*plan, *part, all);
    } else {
        partition_items<uint64_t>
            <<<(unsigned)plan->sections, THREADS, 0, stream>>>(*plan, *part, all);
    }
    return alias_gpu_launched();
}
