/*
 * What both plans of masses (from weights, and from masses given) have in common: what follows from
 * Z at the borders of the blocks, in one thread block.
 */
#ifndef ALIAS_GPU_PLAN_CUH
#define ALIAS_GPU_PLAN_CUH

#include "alias/gpu/quantize.cuh"

enum {
    ALIAS_PLAN_THREADS = 1024,
    ALIAS_PLAN_SEGMENT = 256,                /* blocks that are added one by one */
    ALIAS_PLAN_PAD = ALIAS_PLAN_SEGMENT + 1, /* distinct banks for the first of all segments */
    ALIAS_PLAN_ROUND = 96,    /* at most so many segments at a time in shared memory */
    ALIAS_PLAN_STATIC = 12288 /* bytes, more than the kernels have of it otherwise */
};

using alias_plan_scan = cub::BlockScan<uint64_t, ALIAS_PLAN_THREADS>;

/* Where the value of block i of a round lies in its piece of shared memory. */
static __device__ __forceinline__ uint32_t alias_plan_place(uint32_t i)
{
    return i / ALIAS_PLAN_SEGMENT * ALIAS_PLAN_PAD + i % ALIAS_PLAN_SEGMENT;
}

/* The surplus of block b, whose masses are from z to z_end of the whole. */
static __device__ __forceinline__ uint64_t alias_plan_surplus(const alias_gpu_plan &plan,
                                                              uint64_t b, uint64_t z,
                                                              uint64_t z_end)
{
    const uint64_t even = (uint64_t)alias_block_count(plan, b) << plan.k;

    return z_end - z > even ? z_end - z - even : 0;
}

/* The axes and the order from Z at the borders of the blocks.  piece: round * ALIAS_PLAN_PAD values
 * of shared memory. */
static __device__ __forceinline__ void alias_plan_axes(const alias_gpu_plan &plan, uint32_t round,
                                                       uint64_t *piece,
                                                       alias_plan_scan::TempStorage &storage)
{
    __shared__ uint32_t listed[2]; /* blocks with a deficit, and the others */
    uint64_t before = 0;

    if (threadIdx.x < 2) {
        listed[threadIdx.x] = 0;
    }
    for (uint64_t done = 0; done < plan.blocks; done += round * ALIAS_PLAN_SEGMENT) {
        const uint32_t count =
            (uint32_t)min(plan.blocks - done, (uint64_t)(round * ALIAS_PLAN_SEGMENT));
        const uint32_t run =
            ((count + ALIAS_PLAN_THREADS - 1) / ALIAS_PLAN_THREADS) | 1; /* distinct banks */
        const uint32_t first = min(threadIdx.x * run, count), end = min(first + run, count);
        uint64_t sum = 0, start, z, all;

        __syncthreads();
#pragma unroll 8
        for (uint32_t i = threadIdx.x; i < count; i += ALIAS_PLAN_THREADS) {
            piece[alias_plan_place(i)] = plan.start[done + i + 1];
        }
        __syncthreads();
        start = first == 0 ? plan.start[done] : piece[alias_plan_place(first - 1)];
        z = start;
        for (uint32_t i = first; i < end; i++) {
            uint64_t z_end = piece[alias_plan_place(i)];

            sum += alias_plan_surplus(plan, done + i, z, z_end);
            z = z_end;
        }
        alias_plan_scan(storage).ExclusiveSum(sum, sum, all);
        sum += before;
        z = start;
        for (uint32_t i = first; i < end; i++) {
            uint64_t z_end = piece[alias_plan_place(i)];

            piece[alias_plan_place(i)] = sum;
            sum += alias_plan_surplus(plan, done + i, z, z_end);
            z = z_end;
        }
        before += all;
        __syncthreads();
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < (count + 31) / 32 * 32; i += ALIAS_PLAN_THREADS) {
            const bool valid = i < count;
            const uint64_t b = min(done + i, plan.blocks - 1);
            const uint64_t even = (uint64_t)alias_block_count(plan, b) << plan.k;
            const bool lacks = plan.start[b + 1] - plan.start[b] < even;
            const uint32_t group = __ballot_sync(0xffffffffu, valid && lacks);
            const uint32_t rest = __ballot_sync(0xffffffffu, valid && !lacks);
            const uint32_t mine = lacks ? group : rest;
            uint32_t at = 0;

            if (threadIdx.x % 32 < 2) {
                at = atomicAdd(&listed[threadIdx.x % 32],
                               __popc(threadIdx.x % 32 == 0 ? group : rest));
            }
            at = __shfl_sync(0xffffffffu, at, lacks ? 0 : 1);
            at += __popc(mine & ((1u << threadIdx.x % 32) - 1));
            if (valid) {
                plan.surplus[b] = piece[alias_plan_place(i)];
                plan.deficit[b] =
                    piece[alias_plan_place(i)] + (b * ALIAS_BLOCK << plan.k) - plan.start[b];
                plan.order[lacks ? plan.blocks - 1 - at : at] = (uint32_t)b;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        plan.surplus[plan.blocks] = plan.deficit[plan.blocks] = before;
        plan.scalars->surplus_blocks = listed[1];
    }
}

static inline void alias_plan_memory(alias_gpu_plan *plan, alias_arena *arena)
{
    plan->blocks = plan->n / ALIAS_BLOCK + (plan->n % ALIAS_BLOCK != 0);
    plan->sums = (double *)alias_arena_take(arena, plan->blocks, sizeof(double));
    plan->start = (uint64_t *)alias_arena_take(arena, plan->blocks + 1, sizeof(uint64_t));
    plan->surplus = (uint64_t *)alias_arena_take(arena, plan->blocks + 1, sizeof(uint64_t));
    plan->deficit = (uint64_t *)alias_arena_take(arena, plan->blocks + 1, sizeof(uint64_t));
    plan->order = (uint32_t *)alias_arena_take(arena, plan->blocks, sizeof(uint32_t));
}

/* Starts a kernel that plans, on one thread block with as much shared memory as it can use. */
static inline int alias_plan_start(const alias_gpu_plan *plan,
                                   void (*kernel)(alias_gpu_plan, uint32_t), cudaStream_t stream)
{
    int device, bytes = 0;
    uint64_t most, round;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    most = min((uint64_t)ALIAS_PLAN_ROUND,
               (uint64_t)(bytes - ALIAS_PLAN_STATIC) / (ALIAS_PLAN_PAD * 8));
    round = min(plan->blocks / ALIAS_PLAN_SEGMENT + 1, most);
    if (error == cudaSuccess) { /* always the same, as other threads may be doing this, too */
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)most * ALIAS_PLAN_PAD * 8);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    kernel<<<1, ALIAS_PLAN_THREADS, round * ALIAS_PLAN_PAD * 8, stream>>>(*plan, (uint32_t)round);
    return alias_gpu_launched();
}

#endif
