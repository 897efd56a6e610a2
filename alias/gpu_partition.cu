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
    THREADS = 512,
    WARP = 32,
    SLOTS = ALIAS_BLOCK + ALIAS_BLOCK / 16,
    NOTHING = 0, /* states of a published pair of sums */
    OF_BLOCK = 1,
    OF_ALL = 2
};

using block_masses = alias_block_masses<THREADS>;

struct sums {
    uint32_t lights;
    uint64_t deficit, surplus;
};

struct add_sums {
    __device__ __forceinline__ sums operator()(const sums &a, const sums &b) const
    {
        return {a.lights + b.lights, a.deficit + b.deficit, a.surplus + b.surplus};
    }
};

using block_scan = cub::BlockScan<sums, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;

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
__device__ __forceinline__ void look_back(published *all, uint64_t b, uint64_t lights,
                                          uint64_t deficit, uint64_t *lights_before,
                                          uint64_t *deficit_before)
{
    const uint32_t lane = threadIdx.x % WARP;
    uint64_t sum_lights = 0, sum_deficit = 0, at = b;
    bool done = b == 0;

    if (lane == 0) {
        publish(all + b, lights, deficit, done ? OF_ALL : OF_BLOCK);
    }
    while (!done) {
        published p = {OF_ALL, 0}; /* before block 0 */
        uint32_t complete, use;

        if (at > lane) {
            do {
                p = look(all + (at - 1 - lane));
            } while ((p.lights & 3) == NOTHING);
        }
        complete = __ballot_sync(0xffffffffu, (p.lights & 3) == OF_ALL);
        /* Of this warp's blocks, those up to the first one that speaks for all before it. */
        use = complete == 0 ? WARP : (uint32_t)__ffs((int)complete);
        p.lights = lane < use ? p.lights >> 2 : 0;
        p.deficit = lane < use ? p.deficit : 0;
#pragma unroll
        for (int h = WARP / 2; h > 0; h /= 2) {
            p.lights += __shfl_xor_sync(0xffffffffu, p.lights, h);
            p.deficit += __shfl_xor_sync(0xffffffffu, p.deficit, h);
        }
        sum_lights += p.lights;
        sum_deficit += p.deficit;
        done = complete != 0;
        at -= WARP;
    }
    if (lane == 0) {
        if (b > 0) {
            publish(all + b, sum_lights + lights, sum_deficit + deficit, OF_ALL);
        }
        *lights_before = sum_lights;
        *deficit_before = sum_deficit;
    }
}

/* Distinct banks for items that lie a power of two apart. */
__device__ __forceinline__ uint32_t slot(uint32_t i)
{
    return i + i / 16;
}

template <typename Item>
__global__ void __launch_bounds__(THREADS)
    partition_items(alias_gpu_plan plan, alias_gpu_partition part, published *all)
{
    __shared__ union {
        block_masses::storage masses;
        block_scan::TempStorage scan;
        struct {
            uint64_t sum[SLOTS];
            uint16_t item[ALIAS_BLOCK];
        } sorted;
    } s;
    __shared__ uint64_t lights_before, deficit_before;
    const uint64_t b = blockIdx.x, first = b * ALIAS_BLOCK, capacity = part.capacity;
    uint64_t q[block_masses::ITEMS];
    sums own = {0, 0, 0}, before, block;

    if (plan.scalars->status != ALIAS_OK) {
        return;
    }
    const uint32_t count = alias_block_count(plan, b);

    block_masses::load(plan, b, s.masses, q);
#pragma unroll
    for (int i = 0; i < block_masses::ITEMS; i++) {
        bool light = q[i] <= capacity && threadIdx.x * block_masses::ITEMS + i < count;

        own.lights += light;
        own.deficit += light ? capacity - q[i] : 0;
        own.surplus += q[i] > capacity ? q[i] - capacity : 0;
    }
    __syncthreads();
    block_scan(s.scan).ExclusiveScan(own, before, sums{0, 0, 0}, add_sums(), block);
    __syncthreads();
    {
        uint32_t light = before.lights;
        uint32_t heavy = count - 1 - (threadIdx.x * block_masses::ITEMS - before.lights);

#pragma unroll
        for (int i = 0; i < block_masses::ITEMS; i++) {
            const uint32_t item = threadIdx.x * block_masses::ITEMS + i;
            const bool is_light = q[i] <= capacity;
            const uint32_t to = is_light ? light : heavy;

            if (item < count) {
                s.sorted.sum[slot(to)] = is_light ? before.deficit : before.surplus;
                s.sorted.item[to] = (uint16_t)item;
            }
            light += is_light;
            heavy -= !is_light;
            before.deficit += is_light ? capacity - q[i] : 0;
            before.surplus += is_light ? 0 : q[i] - capacity;
        }
    }
    if (threadIdx.x < WARP) {
        look_back(all, b, block.lights, block.deficit, &lights_before, &deficit_before);
    }
    __syncthreads();

    const uint64_t heavies_before = first - lights_before;
    const uint64_t surplus_before = plan.start[b] - (first << plan.k) + deficit_before;
    Item *items = (Item *)part.items;

#pragma unroll
    for (int i = 0; i < block_masses::ITEMS; i++) {
        const uint32_t from = i * THREADS + threadIdx.x;
        const bool is_light = from < block.lights;
        const uint64_t heavy = part.n - heavies_before - count + from;

        if (from < count) {
            items[is_light ? lights_before + from : heavy + 1] =
                (Item)(first + s.sorted.item[from]);
            part.sums[is_light ? lights_before + from : heavy + 3] =
                s.sorted.sum[slot(from)] + (is_light ? deficit_before : surplus_before);
        }
    }
    if (first + count == part.n && threadIdx.x == 0) {
        const uint64_t lights = lights_before + block.lights;
        const uint64_t total = deficit_before + block.deficit;

        *part.counts = {lights, part.n - lights};
        items[lights] = 0;
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
    published *all = (published *)alias_arena_take(arena, plan->blocks, sizeof(*all));
    cudaError_t error;

    part->n = plan->n;
    part->capacity = (uint64_t)1 << plan->k;
    part->scalars = plan->scalars;
    part->counts = (alias_gpu_counts *)alias_arena_take(arena, 1, sizeof(*part->counts));
    part->items = alias_arena_take(arena, plan->n + 1, narrow ? 4 : 8);
    part->sums = (uint64_t *)alias_arena_take(arena, plan->n + 3, sizeof(*part->sums));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    error = cudaMemsetAsync(all, 0, plan->blocks * sizeof(*all), stream);
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
