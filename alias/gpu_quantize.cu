/*
 * The plan of masses, steps 1 to 4 of the rule in cpu_quantize.c, in two kernels: the sums of the
 * blocks, a warp for each, and everything that follows from them, in one thread block.
 */
#include "alias/gpu_quantize.cuh"

#include <float.h>

namespace
{

enum {
    WARP = 32,
    SUM_THREADS = 256,
    PLAN_THREADS = 1024,
    SEGMENT = 256,        /* blocks that are added one by one */
    MAX_ROUND = 96,       /* segments at a time, in shared memory; fewer where that is smaller */
    STATIC_BYTES = 12288, /* more than the kernels have of it otherwise */
    PAD = SEGMENT + 1,    /* distinct banks for the first items of all segments */
    PIECE_BYTES = PAD * 8
};

using block_scan = cub::BlockScan<uint64_t, PLAN_THREADS>;

/* Step 1 for one block, by one warp; the lane that has the sum is 0. */
__device__ double sum_block(const double *weights, uint32_t count, double scale)
{
    double sum = 0;

#pragma unroll 16
    for (uint32_t i = threadIdx.x % WARP; i < count; i += WARP) {
        sum += weights[i] * scale;
    }
    for (int h = WARP / 2; h > 0; h /= 2) {
        double other = __shfl_down_sync(0xffffffffu, sum, h);

        sum += other;
    }
    return sum;
}

/* A thread block reads and checks a block of weights, its first warp adds them up. */
__global__ void __launch_bounds__(SUM_THREADS) sum_weights(alias_gpu_plan plan)
{
    __shared__ __align__(16) double copy[ALIAS_BLOCK];
    const uint64_t first = (uint64_t)blockIdx.x * ALIAS_BLOCK;
    const uint32_t count = alias_block_count(plan, blockIdx.x);
    const double *weights = plan.weights + first;
    double sum;

#pragma unroll
    for (uint32_t j = 0; j < ALIAS_BLOCK / SUM_THREADS; j++) {
        uint32_t i = j * SUM_THREADS + threadIdx.x;

        if (i < count) {
            copy[i] = weights[i];
        }
    }
#pragma unroll
    for (uint32_t j = 0; j < ALIAS_BLOCK / SUM_THREADS; j++) {
        uint32_t i = j * SUM_THREADS + threadIdx.x;

        if (i < count && !(copy[i] >= 0 && copy[i] <= DBL_MAX)) {
            atomicMin(&plan.scalars->bad_so_far, (unsigned long long)(first + i));
        }
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        sum = sum_block(copy, count, 1);
        if (threadIdx.x == 0) {
            plan.sums[blockIdx.x] = sum;
        }
    }
}

/* What is wrong with a weight. */
__device__ int judge(double w)
{
    return isnan(w)                 ? ALIAS_ERR_NAN
           : w < 0 && w >= -DBL_MAX ? ALIAS_ERR_NEGATIVE
                                    : ALIAS_ERR_INFINITE;
}

/* Step 2: replaces the sums of the blocks by F at their ends; returns S.  piece: round * PAD, base:
 * round + 1 doubles of shared memory. */
__device__ double prefix_sums(const alias_gpu_plan &plan, uint32_t round, double *piece,
                              double *base)
{
    double total = 0;

    for (uint64_t done = 0; done < plan.blocks; done += round * SEGMENT) {
        const uint32_t count = (uint32_t)min(plan.blocks - done, (uint64_t)(round * SEGMENT));
        const uint32_t segments = (count + SEGMENT - 1) / SEGMENT;

        __syncthreads();
#pragma unroll 8
        for (uint32_t i = threadIdx.x; i < count; i += PLAN_THREADS) {
            piece[i / SEGMENT * PAD + i % SEGMENT] = plan.sums[done + i];
        }
        __syncthreads();
        if (threadIdx.x < segments) {
            double *p = piece + threadIdx.x * PAD;
            const uint32_t end = min(count - threadIdx.x * SEGMENT, (uint32_t)SEGMENT);
            double part = p[0];

#pragma unroll 16
            for (uint32_t j = 1; j < end; j++) {
                part += p[j];
                p[j] = part;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (uint32_t s = 0; s < segments; s++) {
                base[s] = total;
                total += piece[s * PAD + min(count - s * SEGMENT, (uint32_t)SEGMENT) - 1];
            }
            base[segments] = total;
        }
        __syncthreads();
        total = base[segments];
        for (uint32_t i = threadIdx.x; i < count; i += PLAN_THREADS) {
            plan.sums[done + i] = base[i / SEGMENT] + piece[i / SEGMENT * PAD + i % SEGMENT];
        }
    }
    __syncthreads();
    return total;
}

/* The axes and the order from Z at the borders of the blocks.  piece: round * PAD values of shared
 * memory. */
__device__ void find_axes(const alias_gpu_plan &plan, uint32_t round, uint64_t *piece,
                          block_scan::TempStorage &storage)
{
    __shared__ uint32_t listed[2]; /* blocks with a deficit, and the others */
    uint64_t before = 0;

    if (threadIdx.x < 2) {
        listed[threadIdx.x] = 0;
    }
    for (uint64_t done = 0; done < plan.blocks; done += round * SEGMENT) {
        const uint32_t count = (uint32_t)min(plan.blocks - done, (uint64_t)(round * SEGMENT));
        const uint32_t run = ((count + PLAN_THREADS - 1) / PLAN_THREADS) | 1; /* distinct banks */
        const uint32_t first = min(threadIdx.x * run, count), end = min(first + run, count);
        uint64_t sum = 0, all;

        __syncthreads();
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < count; i += PLAN_THREADS) {
            uint64_t b = done + i, mass = plan.start[b + 1] - plan.start[b];
            uint64_t even = (uint64_t)alias_block_count(plan, b) << plan.k;

            piece[i] = mass > even ? mass - even : 0;
        }
        __syncthreads();
        for (uint32_t i = first; i < end; i++) {
            sum += piece[i];
        }
        block_scan(storage).ExclusiveSum(sum, sum, all);
        sum += before;
        for (uint32_t i = first; i < end; i++) {
            uint64_t own = piece[i];

            piece[i] = sum;
            sum += own;
        }
        before += all;
        __syncthreads();
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < (count + WARP - 1) / WARP * WARP; i += PLAN_THREADS) {
            const bool valid = i < count;
            const uint64_t b = min(done + i, plan.blocks - 1);
            const uint64_t even = (uint64_t)alias_block_count(plan, b) << plan.k;
            const bool lacks = plan.start[b + 1] - plan.start[b] < even;
            const uint32_t group = __ballot_sync(0xffffffffu, valid && lacks);
            const uint32_t rest = __ballot_sync(0xffffffffu, valid && !lacks);
            const uint32_t mine = lacks ? group : rest;
            uint32_t at = 0;

            if (threadIdx.x % WARP < 2) {
                at = atomicAdd(&listed[threadIdx.x % WARP],
                               __popc(threadIdx.x % WARP == 0 ? group : rest));
            }
            at = __shfl_sync(0xffffffffu, at, lacks ? 0 : 1);
            at += __popc(mine & ((1u << threadIdx.x % WARP) - 1));
            if (valid) {
                plan.surplus[b] = piece[i];
                plan.deficit[b] = piece[i] + (b * ALIAS_BLOCK << plan.k) - plan.start[b];
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

__global__ void __launch_bounds__(PLAN_THREADS) plan_weights(alias_gpu_plan plan, uint32_t round)
{
    extern __shared__ double piece[];
    __shared__ double base[MAX_ROUND + 1];
    __shared__ block_scan::TempStorage storage;
    const double mass = ldexp((double)plan.n, plan.k);
    double scale = 1, total;

    if (__syncthreads_or(plan.scalars->bad_so_far != ~0ull)) {
        if (threadIdx.x == 0) {
            uint64_t bad = plan.scalars->bad_so_far;

            plan.scalars->status = judge(plan.weights[bad]);
            plan.scalars->bad = bad;
            plan.scalars->bad_so_far = ~0ull; /* for the next build */
        }
        return;
    }
    total = prefix_sums(plan, round, piece, base);
    if (total != 0 && (total > DBL_MAX || total < 0x1p-900)) {
        /* Step 3, so rare that one thread block may do it all. */
        scale = total > DBL_MAX ? 0x1p-64 : 0x1p500;
        for (uint64_t b = threadIdx.x / WARP; b < plan.blocks; b += PLAN_THREADS / WARP) {
            double sum =
                sum_block(plan.weights + b * ALIAS_BLOCK, alias_block_count(plan, b), scale);

            if (threadIdx.x % WARP == 0) {
                plan.sums[b] = sum;
            }
        }
        total = prefix_sums(plan, round, piece, base);
    }
    if (threadIdx.x == 0) {
        plan.scalars->scale = scale;
        plan.scalars->total = total;
        plan.scalars->factor = mass / total;
        plan.scalars->status = total == 0 ? ALIAS_ERR_ZERO_SUM : ALIAS_OK;
        plan.start[0] = 0;
    }
    if (total == 0) {
        return;
    }
#pragma unroll 4
    for (uint64_t b = threadIdx.x; b < plan.blocks; b += PLAN_THREADS) {
        plan.start[b + 1] = (uint64_t)(plan.sums[b] / total * mass);
    }
    find_axes(plan, round, (uint64_t *)piece, storage);
}

/* a + b, but never more than limit, which both are at most. */
__device__ uint64_t add_up_to(uint64_t a, uint64_t b, uint64_t limit)
{
    return b < limit - a ? a + b : limit;
}

/* Sums of given masses, cut off where they exceed what there can be in all. */
__global__ void __launch_bounds__(SUM_THREADS) sum_masses(alias_gpu_plan plan)
{
    const uint64_t b = ((uint64_t)blockIdx.x * SUM_THREADS + threadIdx.x) / WARP;
    const uint64_t limit = (plan.n << plan.k) + 1;
    uint64_t sum = 0;

    if (b >= plan.blocks) {
        return;
    }
    for (uint32_t i = threadIdx.x % WARP; i < alias_block_count(plan, b); i += WARP) {
        sum = add_up_to(sum, min(plan.masses[b * ALIAS_BLOCK + i], limit), limit);
    }
    for (int h = WARP / 2; h > 0; h /= 2) {
        sum = add_up_to(sum, __shfl_xor_sync(0xffffffffu, sum, h), limit);
    }
    if (threadIdx.x % WARP == 0) {
        plan.start[b + 1] = sum;
    }
}

struct capped_sum {
    uint64_t limit;

    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return add_up_to(a, b, limit);
    }
};

__global__ void __launch_bounds__(PLAN_THREADS) plan_masses(alias_gpu_plan plan, uint32_t round)
{
    extern __shared__ double piece[];
    __shared__ block_scan::TempStorage storage;
    const uint64_t limit = (plan.n << plan.k) + 1;
    uint64_t before = 0, all;

    for (uint64_t done = 0; done < plan.blocks; done += PLAN_THREADS) {
        const uint64_t b = done + threadIdx.x;
        uint64_t sum = b < plan.blocks ? plan.start[b + 1] : 0;

        block_scan(storage).InclusiveScan(sum, sum, capped_sum{limit}, all);
        if (b < plan.blocks) {
            plan.start[b + 1] = add_up_to(before, sum, limit);
        }
        before = add_up_to(before, all, limit);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        plan.start[0] = 0;
        plan.scalars->status = before == plan.n << plan.k ? ALIAS_OK : ALIAS_ERR_SUM;
    }
    __syncthreads();
    if (before == plan.n << plan.k) {
        find_axes(plan, round, (uint64_t *)piece, storage);
    }
}

void take_memory(alias_gpu_plan *plan, alias_arena *arena)
{
    plan->blocks = plan->n / ALIAS_BLOCK + (plan->n % ALIAS_BLOCK != 0);
    plan->sums = (double *)alias_arena_take(arena, plan->blocks, sizeof(double));
    plan->start = (uint64_t *)alias_arena_take(arena, plan->blocks + 1, sizeof(uint64_t));
    plan->surplus = (uint64_t *)alias_arena_take(arena, plan->blocks + 1, sizeof(uint64_t));
    plan->deficit = (uint64_t *)alias_arena_take(arena, plan->blocks + 1, sizeof(uint64_t));
    plan->order = (uint32_t *)alias_arena_take(arena, plan->blocks, sizeof(uint32_t));
}

/* Starts a kernel that plans, on one thread block with as much shared memory as it can use. */
int start_plan(const alias_gpu_plan *plan, void (*kernel)(alias_gpu_plan, uint32_t),
               cudaStream_t stream)
{
    int device, bytes = 0;
    uint64_t most, round;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    most = min((uint64_t)MAX_ROUND, (uint64_t)(bytes - STATIC_BYTES) / PIECE_BYTES);
    round = min(plan->blocks / SEGMENT + 1, most);
    if (error == cudaSuccess) { /* always the same, as other threads may be doing this, too */
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)most * PIECE_BYTES);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    kernel<<<1, PLAN_THREADS, round * PIECE_BYTES, stream>>>(*plan, (uint32_t)round);
    return alias_gpu_launched();
}

unsigned sum_grid(const alias_gpu_plan *plan)
{
    return (unsigned)((plan->blocks * WARP + SUM_THREADS - 1) / SUM_THREADS);
}

} // namespace

int alias_gpu_plan_weights(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream)
{
    int st;

    take_memory(plan, arena);
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    sum_weights<<<(unsigned)plan->blocks, SUM_THREADS, 0, stream>>>(*plan);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        return st;
    }
    return start_plan(plan, plan_weights, stream);
}

int alias_gpu_plan_masses(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream)
{
    int st;

    take_memory(plan, arena);
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    sum_masses<<<sum_grid(plan), SUM_THREADS, 0, stream>>>(*plan);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        return st;
    }
    return start_plan(plan, plan_masses, stream);
}
