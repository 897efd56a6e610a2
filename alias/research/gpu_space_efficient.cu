/*
 * The space-efficient table on the GPU: the plan of masses; slots of each block of items and their
 * prefix sum; bits and fractions; bits set in each rank block and their prefix sum.
 */
#include "alias/gpu/quantize.cuh"
#include "alias/research/space_efficient_table.h"

#include <cub/device/device_scan.cuh>

namespace
{

enum { LOG2_CAPACITY = 32, THREADS = 256 };

using block_masses = alias_block_masses<THREADS>;
using block_scan = cub::BlockScan<uint64_t, THREADS>;

/* The masses of block b, thread by thread, and the slots of its items below mine and in all. */
struct block_slots {
    uint64_t q[block_masses::ITEMS];
    uint32_t items; /* of this thread */
    uint64_t before, all;

    union storage {
        block_masses::storage masses;
        block_scan::TempStorage scan;
    };

    __device__ __forceinline__ block_slots(const alias_gpu_plan &plan, uint64_t b, storage &s)
    {
        const uint32_t count = alias_block_count(plan, b),
                       first = threadIdx.x * block_masses::ITEMS;
        uint64_t slots = 0;

        items = first < count ? min(count - first, (uint32_t)block_masses::ITEMS) : 0;
        block_masses::load(plan, b, s.masses, q);
#pragma unroll
        for (uint32_t i = 0; i < block_masses::ITEMS; i++) {
            slots += i < items ? (q[i] >> LOG2_CAPACITY) + 1 : 0;
        }
        __syncthreads();
        block_scan(s.scan).ExclusiveSum(slots, before, all);
    }
};

__global__ void __launch_bounds__(THREADS) count_slots(alias_gpu_plan plan, uint64_t *slots)
{
    __shared__ block_slots::storage storage;
    const block_slots mine(plan, blockIdx.x, storage);

    if (threadIdx.x == 0) {
        slots[blockIdx.x] = mine.all;
        if (blockIdx.x == 0) {
            slots[plan.blocks] = 0;
        }
    }
}

__device__ __forceinline__ void set_bits(alias_rank_block *blocks, uint64_t word, uint32_t bits)
{
    atomicOr(&blocks[word / 3].bits[word % 3], bits);
}

/* As fill_block() in space_efficient.c, for the items of one thread. */
__global__ void __launch_bounds__(THREADS)
    fill(alias_gpu_plan plan, const uint64_t *start, alias_rank_block *blocks, uint32_t *fractions)
{
    __shared__ block_slots::storage storage;
    const block_slots mine(plan, blockIdx.x, storage);
    const uint64_t item = (uint64_t)blockIdx.x * ALIAS_BLOCK + threadIdx.x * block_masses::ITEMS;
    uint64_t slot = start[blockIdx.x] + mine.before, word = slot / 32;
    uint32_t bits = 0;

#pragma unroll
    for (uint32_t i = 0; i < block_masses::ITEMS; i++) {
        if (i < mine.items) {
            if (slot / 32 != word) {
                set_bits(blocks, word, bits);
                bits = 0;
                word = slot / 32;
            }
            bits |= 1u << slot % 32;
            fractions[item + i] = (uint32_t)mine.q[i];
            slot += (mine.q[i] >> LOG2_CAPACITY) + 1;
        }
    }
    if (bits != 0) {
        set_bits(blocks, word, bits);
    }
}

__global__ void __launch_bounds__(THREADS)
    count_bits(const alias_rank_block *blocks, uint64_t count, uint32_t *bits)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < count) {
        alias_rank_block block = blocks[i];

        bits[i] = __popc(block.bits[0]) + __popc(block.bits[1]) + __popc(block.bits[2]);
    }
}

__global__ void __launch_bounds__(THREADS)
    put_counts(alias_rank_block *blocks, uint64_t count, const uint32_t *before)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < count) {
        blocks[i].before = before[i];
    }
}

/* Scratch of the first and of the second part of a build; with base NULL only their sizes. */
struct first_scratch {
    alias_gpu_plan plan;
    uint64_t *slots;
    void *temporary;
    size_t temporary_bytes;
};

int take_first(first_scratch *s, alias_arena *arena, cudaStream_t stream)
{
    int st;

    s->plan.scalars = (alias_gpu_scalars *)alias_arena_take(arena, 1, sizeof(alias_gpu_scalars));
    if (arena->base != NULL) {
        st = alias_gpu_status(
            cudaMemsetAsync(s->plan.scalars, 0xff, sizeof(alias_gpu_scalars), stream));
        if (st != ALIAS_OK) {
            return st;
        }
    }
    st = alias_gpu_plan_weights(&s->plan, arena, stream);
    s->slots = (uint64_t *)alias_arena_take(arena, s->plan.blocks + 1, sizeof(uint64_t));
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cub::DeviceScan::ExclusiveSum(NULL, s->temporary_bytes, s->slots,
                                                            s->slots, s->plan.blocks + 1, stream));
    }
    s->temporary = alias_arena_take(arena, 1, s->temporary_bytes);
    return st;
}

/* Finds the plan and the first slots of the blocks, and waits for the number of all slots. */
int find_slots(alias_space_efficient *table, first_scratch *s, cudaStream_t stream, uint64_t *bad)
{
    alias_gpu_scalars scalars;
    int st = alias_gpu_status(cudaMemcpyAsync(&scalars, s->plan.scalars, sizeof(scalars),
                                              cudaMemcpyDeviceToHost, stream));

    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaStreamSynchronize(stream));
    }
    if (st != ALIAS_OK) {
        return st;
    }
    if (scalars.status != ALIAS_OK) {
        if (bad != NULL && scalars.status != ALIAS_ERR_ZERO_SUM) {
            *bad = scalars.bad;
        }
        return scalars.status;
    }
    count_slots<<<(unsigned)s->plan.blocks, THREADS, 0, stream>>>(s->plan, s->slots);
    st = alias_gpu_launched();
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cub::DeviceScan::ExclusiveSum(
            s->temporary, s->temporary_bytes, s->slots, s->slots, s->plan.blocks + 1, stream));
    }
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaMemcpyAsync(&table->slots, s->slots + s->plan.blocks,
                                              sizeof(uint64_t), cudaMemcpyDeviceToHost, stream));
    }
    return st != ALIAS_OK ? st : alias_gpu_status(cudaStreamSynchronize(stream));
}

/* The numbers of bits before each rank block; bits: as many words of scratch. */
int count_ranks(alias_space_efficient *table, cudaStream_t stream)
{
    const uint64_t count = alias_rank_blocks(table->slots);
    const unsigned grid = (unsigned)((count - 1) / THREADS + 1);
    uint32_t *bits = NULL;
    void *temporary = NULL;
    size_t bytes = 0;
    int st =
        alias_gpu_status(cub::DeviceScan::ExclusiveSum(NULL, bytes, bits, bits, count, stream));

    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaMalloc(&bits, count * sizeof(*bits)));
    }
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaMalloc(&temporary, bytes));
    }
    if (st == ALIAS_OK) {
        count_bits<<<grid, THREADS, 0, stream>>>(table->blocks, count, bits);
        st = alias_gpu_launched();
    }
    if (st == ALIAS_OK) {
        st = alias_gpu_status(
            cub::DeviceScan::ExclusiveSum(temporary, bytes, bits, bits, count, stream));
    }
    if (st == ALIAS_OK) {
        put_counts<<<grid, THREADS, 0, stream>>>(table->blocks, count, bits);
        st = alias_gpu_launched();
    }
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaStreamSynchronize(stream));
    }
    (void)cudaFree(bits);
    (void)cudaFree(temporary);
    return st;
}

int fill_table(alias_space_efficient *table, const first_scratch *s, cudaStream_t stream)
{
    const size_t bytes = alias_rank_blocks(table->slots) * sizeof(*table->blocks);
    int st = alias_gpu_status(cudaMalloc(&table->blocks, bytes));

    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaMalloc(&table->fractions, table->n * sizeof(uint32_t)));
    }
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaMemsetAsync(table->blocks, 0, bytes, stream));
    }
    if (st == ALIAS_OK) {
        fill<<<(unsigned)s->plan.blocks, THREADS, 0, stream>>>(s->plan, s->slots, table->blocks,
                                                               table->fractions);
        st = alias_gpu_launched();
    }
    return st != ALIAS_OK ? st : count_ranks(table, stream);
}

/* Weights in device memory. */
int build(alias_space_efficient *table, const double *weights, cudaStream_t stream, uint64_t *bad)
{
    first_scratch s = {};
    alias_arena arena = {NULL, 0};
    void *memory = NULL;
    int st;

    s.plan.weights = weights;
    s.plan.n = table->n;
    s.plan.k = LOG2_CAPACITY;
    st = take_first(&s, &arena, stream);
    if (st == ALIAS_OK) {
        st = alias_gpu_status(cudaMalloc(&memory, arena.used));
    }
    if (st == ALIAS_OK) {
        arena = {(char *)memory, 0};
        st = take_first(&s, &arena, stream);
    }
    if (st == ALIAS_OK) {
        st = find_slots(table, &s, stream, bad);
    }
    if (st == ALIAS_OK) {
        st = fill_table(table, &s, stream);
    }
    (void)cudaFree(memory);
    return st;
}

} // namespace

int alias_gpu_space_build(alias_space_efficient *table, const double *weights, int weights_on_gpu,
                          void *stream, uint64_t *bad)
{
    double *copy = NULL;
    int before, st = ALIAS_OK;

    if (table->device >= alias_gpu_count()) {
        table->device = -1;
        return ALIAS_ERR_DEVICE;
    }
    if (table->device < 0) {
        st = alias_gpu_status(cudaGetDevice(&table->device));
        if (st != ALIAS_OK) {
            return st;
        }
    }
    st = alias_gpu_enter(table->device, &before);
    if (st != ALIAS_OK) {
        return st;
    }
    if (!weights_on_gpu) {
        st = alias_gpu_status(cudaMalloc(&copy, table->n * sizeof(*copy)));
        if (st == ALIAS_OK) {
            st = alias_gpu_status(
                cudaMemcpy(copy, weights, table->n * sizeof(*copy), cudaMemcpyHostToDevice));
        }
    }
    if (st == ALIAS_OK) {
        st = build(table, weights_on_gpu ? weights : copy, (cudaStream_t)stream, bad);
    }
    (void)cudaFree(copy);
    alias_gpu_leave(before);
    return st;
}

void alias_gpu_space_destroy(alias_space_efficient *table)
{
    int before;

    if (alias_gpu_enter(table->device, &before) == ALIAS_OK) {
        (void)cudaFree(table->blocks);
        (void)cudaFree(table->fractions);
        alias_gpu_leave(before);
    }
}
