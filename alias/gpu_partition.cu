/*
 * Light and heavy items with their prefix sums, in one pass over the weights.  A thread block makes
 * the masses of a block of items, publishes how many of them are light and the sum of their
 * deficits, and adds up what the blocks before have published ("decoupled look-back", Merrill and
 * Garland 2016).  The surpluses before it follow: over whole blocks E - D = Z - items * C, and Z is
 * known from the plan.  Meanwhile the items are sorted in shared memory, so that they can be
 * written in one piece each.
 *
 * As in CUB's scan, a block waits for those with lower numbers, which the hardware starts first.
 */
#include "alias/gpu_partition.cuh"
#include "alias/gpu_quantize.cuh"

namespace
{

enum {
    THREADS = 256,
    BLOCKS = 4, /* at once on a multiprocessor */
    ITEMS = ALIAS_BLOCK / THREADS,
    WARP = 32,
    SLOTS = ALIAS_BLOCK + ALIAS_BLOCK / 16,
    NOTHING = 0, /* states of a published pair of sums */
    OF_BLOCK = 1,
    OF_ALL = 2
};

using block_masses = alias_block_masses<THREADS>;

/* Light items and their deficits. */
struct sums {
    uint32_t lights;
    uint64_t deficit;
};

__device__ __forceinline__ void add(uint64_t &a, uint64_t b)
{
    a += b;
}

__device__ __forceinline__ void add(sums &a, const sums &b)
{
    a.lights += b.lights;
    a.deficit += b.deficit;
}

__device__ __forceinline__ uint64_t shuffle_up(uint64_t a, uint32_t by)
{
    return __shfl_up_sync(0xffffffffu, a, by);
}

__device__ __forceinline__ sums shuffle_up(const sums &a, uint32_t by)
{
    return {__shfl_up_sync(0xffffffffu, a.lights, by), __shfl_up_sync(0xffffffffu, a.deficit, by)};
}

__device__ __forceinline__ uint64_t shuffle(uint64_t a, uint32_t lane)
{
    return __shfl_sync(0xffffffffu, a, (int)lane);
}

__device__ __forceinline__ sums shuffle(const sums &a, uint32_t lane)
{
    return {__shfl_sync(0xffffffffu, a.lights, (int)lane),
            __shfl_sync(0xffffffffu, a.deficit, (int)lane)};
}

/* Adds what the lanes before hold, up to WIDTH lanes. */
template <int WIDTH, typename T> __device__ __forceinline__ void add_lanes_before(T &value)
{
#pragma unroll
    for (uint32_t h = 1; h < WIDTH; h *= 2) {
        const T other = shuffle_up(value, h);

        if (threadIdx.x % WARP >= h) {
            add(value, other);
        }
    }
}

/* The sum over the threads before, and over all of them; and whether flag is set anywhere.  One
 * barrier; warps may be used again after another. */
template <typename T>
__device__ __forceinline__ T scan_block(const T &own, T (&warps)[THREADS / WARP], T *all,
                                        bool *flag)
{
    const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    T sum = own, before;

    add_lanes_before<WARP>(sum);
    if (lane == WARP - 1) {
        warps[warp] = sum;
    }
    sum = shuffle_up(sum, 1);
    if (lane == 0) {
        sum = T{};
    }
    *flag = __syncthreads_or(*flag);
    before = warps[lane % (THREADS / WARP)];
    add_lanes_before<THREADS / WARP>(before);
    *all = shuffle(before, THREADS / WARP - 1);
    before = shuffle(before, (warp + WARP - 1) % WARP);
    if (warp > 0) {
        add(sum, before);
    }
    return sum;
}

/* What a block publishes: 16 bytes that are written and read at once. */
struct alignas(16) published {
    uint64_t lights; /* times 4, plus the state */
    uint64_t deficit;
};

__device__ __forceinline__ void publish(published *to, uint64_t lights, uint64_t deficit,
                                        uint64_t state)
{
    asm volatile(
        "{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.gpu.global.b128 [%0], v; }" ::"l"(to),
        "l"(lights << 2 | state), "l"(deficit)
        : "memory");
}

__device__ __forceinline__ published look(const published *at)
{
    published p;

    asm volatile("{ .reg .b128 v; ld.relaxed.gpu.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
                 : "=l"(p.lights), "=l"(p.deficit)
                 : "l"(at)
                 : "memory");
    return p;
}

/* Sums over all blocks before b, by one warp, and publication of those that include b. */
__device__ __forceinline__ void look_back(published *all, uint64_t b, const sums &block,
                                          uint64_t *lights_before, uint64_t *deficit_before)
{
    const uint32_t lane = threadIdx.x % WARP;
    uint64_t lights = 0, deficit = 0; /* of this lane's share of the blocks */
    uint64_t at = b;
    bool done = b == 0;

    for (; !done; at -= WARP) {
        published p = {OF_ALL, 0}; /* before block 0 */
        uint32_t complete, use;

        if (at > lane) {
            do {
                p = look(all + (at - 1 - lane));
            } while ((p.lights & 3) == NOTHING);
        }
        complete = __ballot_sync(0xffffffffu, (p.lights & 3) == OF_ALL);
        /* Of these blocks, those up to the first one that speaks for all before it. */
        use = complete == 0 ? WARP : (uint32_t)__ffs((int)complete);
        lights += lane < use ? p.lights >> 2 : 0;
        deficit += lane < use ? p.deficit : 0;
        done = complete != 0;
    }
#pragma unroll
    for (int h = WARP / 2; h > 0; h /= 2) {
        lights += __shfl_xor_sync(0xffffffffu, lights, h);
        deficit += __shfl_xor_sync(0xffffffffu, deficit, h);
    }
    if (lane == 0) {
        if (b > 0) {
            publish(all + b, lights + block.lights, deficit + block.deficit, OF_ALL);
        }
        *lights_before = lights;
        *deficit_before = deficit;
    }
}

/* Distinct banks for items that lie a power of two apart. */
__device__ __forceinline__ uint32_t slot(uint32_t i)
{
    return i + i / 16;
}

struct shared {
    union {
        block_masses::storage masses;
        struct {
            uint64_t sum[SLOTS];
            uint16_t item[ALIAS_BLOCK];
        } sorted;
    };
    uint64_t mass_of_warp[THREADS / WARP];
    sums sums_of_warp[THREADS / WARP];
    uint64_t lights_before, deficit_before;
};

/* Items from the same place of every thread's share on; zero beyond the last. */
__device__ __forceinline__ void load_words(const uint64_t *from, uint32_t count, shared &s,
                                           uint64_t (&q)[ITEMS])
{
    if (count == ALIAS_BLOCK) {
        block_masses::loader(s.masses.load).Load(from, q);
    } else {
        block_masses::loader(s.masses.load).Load(from, q, (int)count, (uint64_t)0);
    }
}

/* Masses as block_masses makes them. */
__device__ __noinline__ void masses_after_all(const alias_gpu_plan &plan, uint64_t b, shared &s,
                                              uint64_t *to)
{
    uint64_t q[ITEMS];

    block_masses::load(plan, b, s.masses, q);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        to[i] = q[i];
    }
}

/* The masses of a block whose weights, rounded down, amount to too much; returns the mass of the
 * threads before. */
__device__ __forceinline__ uint64_t take_back(const alias_gpu_plan &plan, uint64_t b, shared &s,
                                              uint64_t (&q)[ITEMS])
{
    uint64_t copy[ITEMS]; /* so that q itself can stay in registers */
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
    return scan_block(own, s.mass_of_warp, &all, &flag);
}

/* Hands units to the items of positive weight: whole shares, then one each in index order.  Returns
 * what the threads before got. */
__device__ __forceinline__ uint64_t give(uint64_t units, uint32_t positive, shared &s,
                                         uint64_t (&q)[ITEMS])
{
    uint64_t rank, all, share = 0, got;
    bool flag = false;

    __syncthreads();
    rank = scan_block((uint64_t)__popc(positive), s.mass_of_warp, &all, &flag);
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

/* The masses of the thread's items; returns the mass of the threads before. */
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

        load_words((const uint64_t *)plan.weights + b * ALIAS_BLOCK, count, s, q);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const double w = __longlong_as_double((long long)q[i]) * scale;

            q[i] = (uint64_t)(w * factor);
            own += q[i];
            positive |= (uint32_t)(w > 0) << i;
        }
        zeros = first < count && __popc(positive) < (int)min(count - first, (uint32_t)ITEMS);
    } else {
        load_words(plan.masses + b * ALIAS_BLOCK, count, s, q);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            own += q[i];
        }
    }
    before = scan_block(own, s.mass_of_warp, &all, &zeros);
    if (all == mass) {
        return before;
    }
    if (all > mass) {
        return take_back(plan, b, s, q);
    }
    if (!zeros && mass - all <= count) { /* nearly always */
        const uint32_t more = (uint32_t)(mass - all);

#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            q[i] += first + i < more;
        }
        return before + min(first, more);
    }
    return before + give(mass - all, positive, s, q);
}

/* Writes count sorted items; every warp to places of its own lines of memory. */
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
                    published *all)
{
    __shared__ shared s;
    const uint64_t b = blockIdx.x, first = b * ALIAS_BLOCK, capacity = part.capacity;
    uint64_t q[ITEMS], surplus;
    sums own = {0, 0}, before, block;
    bool flag = false;

    if (plan.scalars->status != ALIAS_OK) {
        return;
    }
    const uint32_t count = alias_block_count(plan, b);
    const uint32_t end = count - min(count, threadIdx.x * ITEMS); /* of the thread's items */

    surplus = make_masses(plan, b, count, s, q) - threadIdx.x * ITEMS * capacity;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const bool light = q[i] <= capacity && i < end;

        own.lights += light;
        own.deficit += light ? capacity - q[i] : 0;
    }
    before = scan_block(own, s.sums_of_warp, &block, &flag);
    surplus += before.deficit;
    if (threadIdx.x == 0) { /* at once: others wait for it */
        publish(all + b, block.lights, block.deficit, b == 0 ? OF_ALL : OF_BLOCK);
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
        look_back(all, b, block, &s.lights_before, &s.deficit_before);
    }
    __syncthreads();

    const uint64_t lights_before = s.lights_before, deficit_before = s.deficit_before;
    const uint64_t surplus_before = plan.start[b] - (first << plan.k) + deficit_before;
    const uint64_t heavies_at = part.n + 3 - (first - lights_before) - (count - block.lights);

    write_list<Item>(part, s, 0, block.lights, lights_before, first, deficit_before);
    write_list<Item>(part, s, block.lights, count - block.lights, heavies_at, first,
                     surplus_before);
    if (first + count == part.n && threadIdx.x == 0) {
        const uint64_t lights = lights_before + block.lights;
        const uint64_t total = deficit_before + block.deficit;

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
    published *all = (published *)alias_arena_take(arena, plan->blocks + 1, sizeof(*all));
    cudaError_t error;

    part->n = plan->n;
    part->capacity = (uint64_t)1 << plan->k;
    part->scalars = plan->scalars;
    part->counts = (alias_gpu_counts *)(all + plan->blocks); /* zero if the weights are bad */
    part->items = alias_arena_take(arena, plan->n + 3, narrow ? 4 : 8);
    part->sums = (uint64_t *)alias_arena_take(arena, plan->n + 3, sizeof(*part->sums));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    error = cudaMemsetAsync(all, 0, (plan->blocks + 1) * sizeof(*all), stream);
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    if (narrow) {
        partition_items<uint32_t>
            <<<(unsigned)plan->blocks, THREADS, 0, stream>>>(*plan, *part, all);
    } else {
        partition_items<uint64_t>
            <<<(unsigned)plan->blocks, THREADS, 0, stream>>>(*plan, *part, all);
    }
    return alias_gpu_launched();
}
