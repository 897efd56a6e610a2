/*
 * alias/research/gpu_space_efficient.cu - building the space-efficient table on the GPU.
 *
 * The plan of masses; then the number of slots of each section and its prefix sum, which tells how
 * much memory the table takes; then the bits and fractions; then the number of bits in each rank
 * entry and its prefix sum.
 */
#include "alias/gpu/quantize.cuh"
#include "alias/research/space_efficient_table.h"

#include <cub/device/device_scan.cuh>

namespace
{

enum { LOG2_CAPACITY = 32, THREADS = 256 };

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

/* Finds the first slot of each section, and waits for the number of all slots. */
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

/* Builds from weights in device memory. */
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

} // namespace

int alias_gpu_space_build(alias_space_efficient *table, const double *weights, bool weights_on_gpu,
                          void *stream, uint64_t *bad)
{
    double *copy = NULL;
    int before, st = alias_gpu_choose(&table->device);

    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_gpu_enter(table->device, &before);
    if (st != ALIAS_OK) {
        return st;
    }
    if (!weights_on_gpu) {
        ALIAS_GPU_TRY(cudaMalloc(&copy, table->n * sizeof(*copy)));
        ALIAS_GPU_TRY(cudaMemcpy(copy, weights, table->n * sizeof(*copy), cudaMemcpyHostToDevice));
    }
    ALIAS_TRY(build_on_stream(table, weights_on_gpu ? weights : copy, (cudaStream_t)stream, bad));
done:
    (void)cudaFree(copy);
    alias_gpu_leave(before);
    return st;
}

void alias_gpu_space_destroy(alias_space_efficient *table)
{
    int before;

    if (alias_gpu_enter(table->device, &before) == ALIAS_OK) {
        (void)cudaFree(table->ranks);
        (void)cudaFree(table->fractions);
        alias_gpu_leave(before);
    }
}
