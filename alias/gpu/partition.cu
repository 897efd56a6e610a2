/*
 * alias/gpu/partition.cu - light and heavy items with their prefix sums, in one pass over the
 * weights, with prefix sums over thread blocks and over the threads of a block.
 */
#include "alias/gpu/quantize.cuh"

#include <stdint.h>

/*
 * Prefix sums over thread blocks inside the kernel that makes the summands, by "decoupled
 * look-back" (D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back",
 * 2016).
 *
 * Each block publishes its own sums first, and later the sums up to and including itself.  To find
 * the sums before it, a block adds up published values, backwards, until it meets one that includes
 * all earlier blocks.  As in CUB's scan, a block waits only for blocks with lower numbers, which
 * the hardware starts first.
 */

/* A published number of light items and sum of their deficits: 16 bytes that are written and read
 * together.  Zero before the first publication. */
struct alignas(16) alias_published {
    uint64_t lights; /* times 4, plus one of the states below */
    uint64_t deficit;

    enum { NOTHING = 0, OF_BLOCK = 1, OF_ALL = 2 };

    __device__ __forceinline__ void put(uint64_t lights_, uint64_t deficit_, uint64_t state)
    {
        asm volatile(
            "{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.gpu.global.b128 [%0], v; }" ::"l"(
                this),
            "l"(lights_ << 2 | state), "l"(deficit_)
            : "memory");
    }

    __device__ __forceinline__ alias_published get() const
    {
        alias_published p;

        asm volatile("{ .reg .b128 v; ld.relaxed.gpu.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
                     : "=l"(p.lights), "=l"(p.deficit)
                     : "l"(this)
                     : "memory");
        return p;
    }

    __device__ __forceinline__ uint32_t state() const
    {
        return lights & 3;
    }
};

/* Publishes the sums of block b; called by one thread. */
static __device__ __forceinline__ void alias_publish(alias_published *all, uint64_t b,
                                                     uint64_t lights, uint64_t deficit)
{
    all[b].put(lights, deficit, b == 0 ? alias_published::OF_ALL : alias_published::OF_BLOCK);
}

/* Computes the sums over all blocks before b, and publishes those up to and including b, whose own
 * sums are given.  Called by one warp. */
static __device__ __forceinline__ void alias_look_back(alias_published *all, uint64_t b,
                                                       uint64_t own_lights, uint64_t own_deficit,
                                                       uint64_t *lights_before,
                                                       uint64_t *deficit_before)
{
    const uint32_t lane = threadIdx.x % 32;
    uint64_t lights = 0, deficit = 0; /* over the blocks that this lane reads */
    uint64_t at = b;
    bool done = b == 0;

    for (; !done; at -= 32) {
        alias_published p = {alias_published::OF_ALL, 0}; /* before block 0 */
        uint32_t complete, use;

        if (at > lane) {
            do {
                p = all[at - 1 - lane].get();
            } while (p.state() == alias_published::NOTHING);
        }
        complete = __ballot_sync(0xffffffffu, p.state() == alias_published::OF_ALL);
        /* Use the blocks up to the first whose sums include all blocks before it. */
        use = complete == 0 ? 32 : (uint32_t)__ffs((int)complete);
        lights += lane < use ? p.lights >> 2 : 0;
        deficit += lane < use ? p.deficit : 0;
        done = complete != 0;
    }
#pragma unroll
    for (int h = 16; h > 0; h /= 2) {
        lights += __shfl_xor_sync(0xffffffffu, lights, h);
        deficit += __shfl_xor_sync(0xffffffffu, deficit, h);
    }
    if (lane == 0) {
        if (b > 0) {
            all[b].put(lights + own_lights, deficit + own_deficit, alias_published::OF_ALL);
        }
        *lights_before = lights;
        *deficit_before = deficit;
    }
}

/*
 * Prefix sums over the threads of a block with a single barrier, which also combines a flag.
 * CUB's scan of such pairs needs two barriers and makes every thread read the sums of all warps.
 */

/* The number of light items and the sum of their deficits. */
struct alias_light_sums {
    uint32_t lights;
    uint64_t deficit;

    __device__ __forceinline__ alias_light_sums &operator+=(const alias_light_sums &other)
    {
        lights += other.lights;
        deficit += other.deficit;
        return *this;
    }
};

static __device__ __forceinline__ uint64_t alias_from_lane(uint64_t x, uint32_t lane)
{
    return __shfl_sync(0xffffffffu, x, (int)lane);
}

static __device__ __forceinline__ alias_light_sums alias_from_lane(const alias_light_sums &x,
                                                                   uint32_t lane)
{
    return {__shfl_sync(0xffffffffu, x.lights, (int)lane), alias_from_lane(x.deficit, lane)};
}

static __device__ __forceinline__ uint64_t alias_from_lanes_before(uint64_t x, uint32_t by)
{
    return __shfl_up_sync(0xffffffffu, x, by);
}

static __device__ __forceinline__ alias_light_sums
alias_from_lanes_before(const alias_light_sums &x, uint32_t by)
{
    return {__shfl_up_sync(0xffffffffu, x.lights, by), alias_from_lanes_before(x.deficit, by)};
}

/* Turns x into its prefix sum, including the lane's own x, over groups of WIDTH lanes. */
template <int WIDTH, typename T> __device__ __forceinline__ void alias_scan_lanes(T &x)
{
#pragma unroll
    for (uint32_t h = 1; h < WIDTH; h *= 2) {
        const T other = alias_from_lanes_before(x, h);

        if (threadIdx.x % 32 >= h) {
            x += other;
        }
    }
}

/* Returns the sum over the threads before; *all becomes the sum over all threads, and *flag whether
 * any thread's flag is set.  warps: shared memory, which may be used again after another barrier.
 * WARPS: a power of two up to 32. */
template <int WARPS, typename T>
__device__ __forceinline__ T alias_scan_block(const T &own, T (&warps)[WARPS], T *all, bool *flag)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T sum = own, before;

    alias_scan_lanes<32>(sum);
    if (lane == 31) {
        warps[warp] = sum;
    }
    sum = alias_from_lanes_before(sum, 1);
    if (lane == 0) {
        sum = T{};
    }
    *flag = __syncthreads_or(*flag);
    before = warps[lane % WARPS];
    alias_scan_lanes<WARPS>(before);
    *all = alias_from_lane(before, WARPS - 1);
    before = alias_from_lane(before, (warp + 31) % 32);
    if (warp > 0) {
        sum += before;
    }
    return sum;
}

/*
 * Light and heavy items with their prefix sums, in one pass over the weights.
 *
 * A thread block makes the masses of a section (steps 4 and 5 of the rule in
 * alias/core/quantize.h).  The sum in step 5 comes from the prefix sums.  It publishes the number
 * of light items and the sum of their deficits, sorts the items in shared memory into light and
 * heavy ones, and adds up the values of the blocks before it.  The surpluses before the section
 * follow from that, since over whole sections E - D = Z - items * C, and the plan has Z. Then the
 * light items and the heavy items are written as one run each.
 */

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
__device__ __forceinline__ uint32_t slot_of(uint32_t i)
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

/* Makes the masses in the general case.  Returns the sum of the masses of the threads before. */
__device__ __forceinline__ uint64_t make_any_masses(const alias_gpu_plan &plan, uint64_t b,
                                                    shared &s, uint64_t (&q)[ITEMS])
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

/* Makes the masses of the thread's items; returns the sum of those of the threads before. */
__device__ __forceinline__ uint64_t make_masses(const alias_gpu_plan &plan, uint64_t b,
                                                uint32_t count, shared &s, uint64_t (&q)[ITEMS])
{
    const uint32_t first = threadIdx.x * ITEMS;
    const uint64_t mass = plan.start[b + 1] - plan.start[b];
    const double scale = plan.scalars->scale, factor = plan.scalars->factor;
    uint32_t positive = 0; /* bit i: item i has a positive weight */
    uint64_t own = 0, before, all;
    bool zeros;

    section_masses::load_words((const uint64_t *)plan.weights + b * ALIAS_SECTION_ITEMS, count,
                               s.masses, q);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const double w = __longlong_as_double((long long)q[i]) * scale;

        q[i] = (uint64_t)(w * factor);
        own += q[i];
        positive |= (uint32_t)(w > 0) << i;
    }
    zeros = first < count && __popc(positive) < (int)min(count - first, (uint32_t)ITEMS);
    before = alias_scan_block(own, s.mass_of_warp, &all, &zeros);
    if (all == mass) {
        return before;
    }
    if (all < mass && !zeros && mass - all <= count) { /* almost always */
        const uint32_t more = (uint32_t)(mass - all);

#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            q[i] += first + i < more;
        }
        return before + min(first, more);
    }
    return make_any_masses(plan, b, s, q);
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
            sums_to[i] = s.sorted.sum[slot_of(from + i - skip)] + before;
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
                s.sorted.sum[slot_of(to)] = is_light ? before.deficit : surplus;
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
    ALIAS_GPU_OR_RETURN(cudaMemsetAsync(all, 0, (plan->sections + 1) * sizeof(*all), stream));
    if (narrow) {
        partition_items<uint32_t>
            <<<(unsigned)plan->sections, THREADS, 0, stream>>>(*plan, *part, all);
    } else {
        partition_items<uint64_t>
            <<<(unsigned)plan->sections, THREADS, 0, stream>>>(*plan, *part, all);
    }
    return alias_gpu_launched();
}
