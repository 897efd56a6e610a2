/*
 * space_efficient.cu - the space-efficient table on a GPU.
 *
 * A build makes the plan of masses, then the number of slots of each section and its prefix sum,
 * which gives the table's memory.  The bits and fractions follow, and the number of bits in each
 * rank entry with its prefix sum.
 *
 * Draws use the grouped rejection loop (alias/gpu/rejection.cuh) if few attempts fail, otherwise
 * strips.
 */
#include "alias/gpu/quantize.cuh"
#include "alias/gpu/rejection.cuh"
#include "alias/gpu/state.h"
#include "apps/bench_alias/space_efficient.h"

#include <cub/device/device_scan.cuh>

namespace
{

enum { LOG2_CAPACITY = 32, THREADS = 256, STRIP = 16 };

using section_masses = alias_section_masses<THREADS>;
using block_scan = cub::BlockScan<uint64_t, THREADS>;

/* The masses of section b, ITEMS for each thread, and the numbers of slots of the items of the
 * threads before and of all items. */
struct section_slots {
    uint64_t q[section_masses::ITEMS];
    uint32_t items; /* number of this thread's items */
    uint64_t before, all;

    union storage {
        section_masses::storage masses;
        block_scan::TempStorage scan;
    };

    __device__ __forceinline__ section_slots(const alias_gpu_plan &plan, uint64_t b, storage &s)
    {
        const uint32_t count = alias_section_items(plan.n, b),
                       first = threadIdx.x * section_masses::ITEMS;
        uint64_t slots = 0;

        items = first < count ? min(count - first, (uint32_t)section_masses::ITEMS) : 0;
        section_masses::load(plan, b, s.masses, q);
#pragma unroll
        for (uint32_t i = 0; i < section_masses::ITEMS; i++) {
            slots += i < items ? (q[i] >> LOG2_CAPACITY) + 1 : 0;
        }
        __syncthreads();
        block_scan(s.scan).ExclusiveSum(slots, before, all);
    }
};

__global__ void __launch_bounds__(THREADS) count_slots(alias_gpu_plan plan, uint64_t *slots)
{
    __shared__ section_slots::storage storage;
    const section_slots mine(plan, blockIdx.x, storage);

    if (threadIdx.x == 0) {
        slots[blockIdx.x] = mine.all;
        if (blockIdx.x == 0) {
            slots[plan.sections] = 0;
        }
    }
}

__device__ __forceinline__ void set_bits(alias_rank_entry *ranks, uint64_t word, uint32_t bits)
{
    atomicOr(&ranks[word / 3].bits[word % 3], bits);
}

/* Stores one thread's items, as fill_section() in space_efficient.c does with a section's. */
__global__ void __launch_bounds__(THREADS) fill_slots(alias_gpu_plan plan, const uint64_t *start,
                                                      alias_rank_entry *ranks, uint32_t *fractions)
{
    __shared__ section_slots::storage storage;
    const section_slots mine(plan, blockIdx.x, storage);
    const uint64_t item =
        (uint64_t)blockIdx.x * ALIAS_SECTION_ITEMS + threadIdx.x * section_masses::ITEMS;
    uint64_t slot = start[blockIdx.x] + mine.before, word = slot / 32;
    uint32_t bits = 0;

#pragma unroll
    for (uint32_t i = 0; i < section_masses::ITEMS; i++) {
        if (i < mine.items) {
            if (slot / 32 != word) {
                set_bits(ranks, word, bits);
                bits = 0;
                word = slot / 32;
            }
            bits |= 1u << slot % 32;
            fractions[item + i] = (uint32_t)mine.q[i];
            slot += (mine.q[i] >> LOG2_CAPACITY) + 1;
        }
    }
    if (bits != 0) {
        set_bits(ranks, word, bits);
    }
}

__global__ void __launch_bounds__(THREADS)
    count_bits(const alias_rank_entry *ranks, uint64_t count, uint32_t *bits)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < count) {
        alias_rank_entry entry = ranks[i];

        bits[i] = __popc(entry.bits[0]) + __popc(entry.bits[1]) + __popc(entry.bits[2]);
    }
}

__global__ void __launch_bounds__(THREADS)
    put_counts(alias_rank_entry *ranks, uint64_t count, const uint32_t *before)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < count) {
        ranks[i].before = before[i];
    }
}

/* Scratch memory up to the bits and fractions. */
struct first_scratch {
    alias_gpu_plan plan;
    uint64_t *slots;
    void *temporary;
    size_t temporary_bytes;
};

/* Takes the scratch memory and starts the plan; only adds up sizes if the arena measures. */
int take_first(first_scratch *s, alias_arena *arena, cudaStream_t stream)
{
    int st;

    s->plan.scalars = (alias_gpu_scalars *)alias_arena_take(arena, 1, sizeof(alias_gpu_scalars));
    if (arena->base != NULL) {
        ALIAS_GPU_TRY(cudaMemsetAsync(s->plan.scalars, 0xff, sizeof(alias_gpu_scalars), stream));
    }
    ALIAS_TRY(alias_gpu_plan_weights(&s->plan, arena, stream));
    s->slots = (uint64_t *)alias_arena_take(arena, s->plan.sections + 1, sizeof(uint64_t));
    ALIAS_GPU_TRY(ALIAS_GPU_CUB(cub::DeviceScan::ExclusiveSum(
        NULL, s->temporary_bytes, s->slots, s->slots, s->plan.sections + 1, stream)));
    s->temporary = alias_arena_take(arena, 1, s->temporary_bytes);
done:
    return st;
}

/* Finds the first slot of each section, and waits for the total number of slots. */
int find_slots(alias_space_efficient *table, first_scratch *s, cudaStream_t stream, uint64_t *bad)
{
    alias_gpu_scalars scalars;
    int st;

    ALIAS_GPU_TRY(cudaMemcpyAsync(&scalars, s->plan.scalars, sizeof(scalars),
                                  cudaMemcpyDeviceToHost, stream));
    ALIAS_GPU_TRY(cudaStreamSynchronize(stream));
    if (scalars.status != ALIAS_OK) {
        if (bad != NULL && scalars.status != ALIAS_ERR_ZERO_SUM) {
            *bad = scalars.bad;
        }
        return scalars.status;
    }
    count_slots<<<(unsigned)s->plan.sections, THREADS, 0, stream>>>(s->plan, s->slots);
    ALIAS_TRY(alias_gpu_launched());
    ALIAS_GPU_TRY(ALIAS_GPU_CUB(cub::DeviceScan::ExclusiveSum(
        s->temporary, s->temporary_bytes, s->slots, s->slots, s->plan.sections + 1, stream)));
    ALIAS_GPU_TRY(cudaMemcpyAsync(&table->slots, s->slots + s->plan.sections, sizeof(uint64_t),
                                  cudaMemcpyDeviceToHost, stream));
    ALIAS_GPU_TRY(cudaStreamSynchronize(stream));
done:
    return st;
}

/* Counts the bits before each rank entry. */
int count_ranks(alias_space_efficient *table, cudaStream_t stream)
{
    const uint64_t count = alias_rank_entries(table->slots);
    const unsigned grid = (unsigned)((count - 1) / THREADS + 1);
    uint32_t *bits = NULL;
    void *temporary = NULL;
    size_t bytes = 0;
    int st;

    ALIAS_GPU_TRY(
        ALIAS_GPU_CUB(cub::DeviceScan::ExclusiveSum(NULL, bytes, bits, bits, count, stream)));
    ALIAS_GPU_TRY(cudaMalloc(&bits, count * sizeof(*bits)));
    ALIAS_GPU_TRY(cudaMalloc(&temporary, bytes));
    count_bits<<<grid, THREADS, 0, stream>>>(table->ranks, count, bits);
    ALIAS_TRY(alias_gpu_launched());
    ALIAS_GPU_TRY(
        ALIAS_GPU_CUB(cub::DeviceScan::ExclusiveSum(temporary, bytes, bits, bits, count, stream)));
    put_counts<<<grid, THREADS, 0, stream>>>(table->ranks, count, bits);
    ALIAS_TRY(alias_gpu_launched());
    ALIAS_GPU_TRY(cudaStreamSynchronize(stream));
done:
    (void)cudaFree(bits);
    (void)cudaFree(temporary);
    return st;
}

int fill_table(alias_space_efficient *table, const first_scratch *s, cudaStream_t stream)
{
    const size_t bytes = alias_rank_entries(table->slots) * sizeof(*table->ranks);
    int st;

    ALIAS_GPU_TRY(cudaMalloc(&table->ranks, bytes));
    ALIAS_GPU_TRY(cudaMalloc(&table->fractions, table->n * sizeof(uint32_t)));
    ALIAS_GPU_TRY(cudaMemsetAsync(table->ranks, 0, bytes, stream));
    fill_slots<<<(unsigned)s->plan.sections, THREADS, 0, stream>>>(s->plan, s->slots, table->ranks,
                                                                   table->fractions);
    ALIAS_TRY(alias_gpu_launched());
    ALIAS_TRY(count_ranks(table, stream));
done:
    return st;
}

int build_on_stream(alias_space_efficient *table, const double *weights, cudaStream_t stream,
                    uint64_t *bad)
{
    first_scratch s = {};
    alias_arena arena = {NULL, 0};
    void *memory = NULL;
    int st;

    s.plan.weights = weights;
    s.plan.n = table->n;
    s.plan.k = LOG2_CAPACITY;
    ALIAS_TRY(take_first(&s, &arena, stream));
    ALIAS_GPU_TRY(cudaMalloc(&memory, arena.used));
    arena = {(char *)memory, 0};
    ALIAS_TRY(take_first(&s, &arena, stream));
    ALIAS_TRY(find_slots(table, &s, stream, bad));
    ALIAS_TRY(fill_table(table, &s, stream));
done:
    (void)cudaFree(memory);
    return st;
}

/* The attempts at one draw; consecutive ones share a Philox block. */
struct attempts {
    const alias_slots &table;
    uint64_t seed, draw;
    philox_block block;
    uint32_t number; /* of the Philox block; UINT32_MAX if there is none yet */

    __device__ __forceinline__ alias_slot operator()(uint32_t attempt)
    {
        if (attempt / 2 != number) {
            number = attempt / 2;
            block = philox_at(seed, draw, number, PHILOX_SPACE_EFFICIENT);
        }
        return alias_slot_at(&table, alias_slot_bits(&block, attempt));
    }
};

template <int group>
__global__ void __launch_bounds__(THREADS)
    draw_groups(alias_slots table, uint64_t seed, uint64_t first, uint64_t count, uint32_t *out)
{
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * (THREADS / group);
    const uint32_t lane = threadIdx.x % 32;

    for (uint64_t warp = thread / 32 * (32 / group); warp < count; warp += stride) {
        const uint64_t i = warp + lane / group;
        attempts propose = {table, seed, first + i, {}, UINT32_MAX};
        auto accept = [&](const alias_slot &s) { return alias_slot_accepted(&table, &s) != 0; };
        uint32_t item = alias_reject<group>(0xffffffffu, propose, accept, i < count).value.item;

        if (lane % group == 0 && i < count) {
            out[i] = item;
        }
    }
}

/* The same in strips: each lane makes STRIP consecutive draws without waiting for other lanes.  The
 * warp waits for its last lane only at the end of the strip. */
__global__ void __launch_bounds__(THREADS)
    draw_strips(alias_slots table, uint64_t seed, uint64_t first, uint64_t count, uint32_t *out)
{
    __shared__ uint32_t items[THREADS / 32][STRIP * 32];
    const uint32_t lane = threadIdx.x % 32;
    uint32_t *mine = items[threadIdx.x / 32];
    const uint64_t warps = (uint64_t)gridDim.x * (THREADS / 32);

    for (uint64_t begin = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / 32 * (STRIP * 32);
         begin < count; begin += warps * (STRIP * 32)) {
        const uint32_t size = (uint32_t)min(count - begin, (uint64_t)(STRIP * 32));
        attempts propose = {table, seed, first + begin + lane, {}, UINT32_MAX};
        uint32_t i = lane, attempt = 0;

        while (i < size) {
            alias_slot s = propose(attempt);

            attempt++;
            if (alias_slot_accepted(&table, &s)) {
                mine[i] = s.item;
                i += 32;
                attempt = 0;
                propose.draw += 32;
                propose.number = UINT32_MAX;
            }
        }
        __syncwarp();
        for (i = lane; i < size; i += 32) {
            out[begin + i] = mine[i];
        }
        __syncwarp();
    }
}

unsigned grid_for(uint64_t count, uint64_t per_block)
{
    return (unsigned)min((count - 1) / per_block + 1, (uint64_t)1 << 20);
}

void launch_draw(int group, const alias_slots &slots, uint64_t seed, uint64_t first, uint64_t count,
                 uint32_t *out, cudaStream_t stream)
{
    static void (*const kernels[])(alias_slots, uint64_t, uint64_t, uint64_t,
                                   uint32_t *) = {draw_groups<1>, draw_groups<2>,  draw_groups<4>,
                                                  draw_groups<8>, draw_groups<16>, draw_groups<32>};
    int index = 0;

    if (group == ALIAS_SPACE_STRIPS) {
        draw_strips<<<grid_for(count, THREADS * STRIP), THREADS, 0, stream>>>(slots, seed, first,
                                                                              count, out);
        return;
    }
    while (1 << index < group) {
        index++;
    }
    kernels[index]<<<grid_for(count, THREADS / group), THREADS, 0, stream>>>(slots, seed, first,
                                                                             count, out);
}

/*
 * The best way to draw, from G draws/s measured on an H200 with one thread per draw and in strips,
 * for n = 1e3, 1e6, 1e7: with 5 % rejected 86 125, 89 69, 60 61; 17 %: 62 102, 63 62, 51 57; 33 %:
 * 44 77, 44 59, 42 52; 50 %: 30 56, 30 45, 29 43.  Several threads per draw are never faster,
 * because attempts beyond the accepted one cost random accesses.  By the lockstep model 2 threads
 * would be faster from 13 % on.
 */
int best_group(const alias_space_efficient *table)
{
    return table->n > table->slots * 0.85 ? 1 : ALIAS_SPACE_STRIPS;
}

void release_on_gpu(alias_space_efficient *table)
{
    int before;

    if (alias_gpu_enter(table->device, &before) == ALIAS_OK) {
        (void)cudaFree(table->ranks);
        (void)cudaFree(table->fractions);
        alias_gpu_leave(before);
    }
}

} // namespace

int alias_space_efficient_create_device(alias_space_efficient **out, int device,
                                        const double *weights, uint64_t n, void *stream,
                                        uint64_t *bad)
{
    int before, st = alias_gpu_choose(&device);

    *out = NULL;
    if (st == ALIAS_OK) {
        st = alias_space_efficient_new(out, weights, n);
    }
    if (st != ALIAS_OK) {
        return st;
    }
    (*out)->device = device;
    (*out)->release = release_on_gpu;
    st = alias_gpu_enter(device, &before);
    if (st == ALIAS_OK) {
        st = build_on_stream(*out, weights, (cudaStream_t)stream, bad);
        alias_gpu_leave(before);
    }
    if (st != ALIAS_OK) {
        alias_space_efficient_destroy(*out);
        *out = NULL;
    }
    return st;
}

int alias_space_efficient_sample32_device(const alias_space_efficient *table, int group,
                                          uint64_t seed, uint64_t first, uint64_t count,
                                          uint32_t *out, void *stream)
{
    int before, st;

    if (table->device < 0 || out == NULL) {
        return ALIAS_ERR_ARG;
    }
    if (count == 0) {
        return ALIAS_OK;
    }
    if (count - 1 > UINT64_MAX - first) {
        return ALIAS_ERR_RANGE;
    }
    ALIAS_OR_RETURN(alias_gpu_enter(table->device, &before));
    launch_draw(group != ALIAS_SPACE_AUTO ? group : best_group(table),
                {table->ranks, table->fractions, table->slots}, seed, first, count, out,
                (cudaStream_t)stream);
    st = alias_gpu_launched();
    alias_gpu_leave(before);
    return st;
}
