/*
 * alias/gpu/plan.cuh - what the plans from weights (quantize.cu) and from given masses
 * (quantize_masses.cu) have in common: their memory, their launch, and everything that follows from
 * Z at the section borders.
 *
 * One thread block computes the prefix sums of surpluses and deficits and sorts the sections by
 * whether they have a deficit.  It copies up to 96 segments of 256 sections at a time to shared
 * memory, where each thread adds up a run of neighbouring sections between two prefix sums over
 * all threads.
 */
#ifndef ALIAS_GPU_PLAN_CUH
#define ALIAS_GPU_PLAN_CUH

#include "alias/gpu/launch.cuh"
#include "alias/gpu/quantize.cuh"

enum {
    ALIAS_PLAN_THREADS = 1024,
    ALIAS_PLAN_SEGMENT = ALIAS_SEGMENT_SECTIONS,
    ALIAS_PLAN_PAD = ALIAS_PLAN_SEGMENT + 1, /* so that segments start in distinct banks */
    ALIAS_PLAN_ROUND = 96,                   /* segments in shared memory at a time, at most */
    ALIAS_PLAN_STATIC = 12288 /* bytes; above the static shared memory of the kernels */
};

using alias_plan_scan = cub::BlockScan<uint64_t, ALIAS_PLAN_THREADS>;

/* The place in shared memory of the value of section i of a round. */
static __device__ __forceinline__ uint32_t alias_plan_place(uint32_t i)
{
    return i / ALIAS_PLAN_SEGMENT * ALIAS_PLAN_PAD + i % ALIAS_PLAN_SEGMENT;
}

/* The surplus of section b, which owns the mass z_end - z. */
static __device__ __forceinline__ uint64_t alias_plan_surplus(const alias_gpu_plan &plan,
                                                              uint64_t b, uint64_t z,
                                                              uint64_t z_end)
{
    const uint64_t even = (uint64_t)alias_section_items(plan.n, b) << plan.k;

    return z_end - z > even ? z_end - z - even : 0;
}

/* Computes plan.surplus, plan.deficit and plan.order from plan.start.  round: segments per round;
 * staged: round * ALIAS_PLAN_PAD values of shared memory, which hold start[1] and so on already if
 * there is a single round and is_staged. */
static __device__ __forceinline__ void alias_plan_axes(const alias_gpu_plan &plan, uint32_t round,
                                                       uint64_t *staged, bool is_staged,
                                                       alias_plan_scan::TempStorage &storage)
{
    __shared__ uint32_t listed[2]; /* sections with a deficit, and the others */
    uint64_t before = 0;

    if (threadIdx.x < 2) {
        listed[threadIdx.x] = 0;
    }
    for (uint64_t done = 0; done < plan.sections; done += round * ALIAS_PLAN_SEGMENT) {
        const uint32_t count =
            (uint32_t)min(plan.sections - done, (uint64_t)(round * ALIAS_PLAN_SEGMENT));
        const uint32_t run =
            ((count + ALIAS_PLAN_THREADS - 1) / ALIAS_PLAN_THREADS) | 1; /* distinct banks */
        const uint32_t first = min(threadIdx.x * run, count), end = min(first + run, count);
        uint64_t sum = 0, start, z, all;

        __syncthreads();
        if (!is_staged) {
#pragma unroll 8
            for (uint32_t i = threadIdx.x; i < count; i += ALIAS_PLAN_THREADS) {
                staged[alias_plan_place(i)] = plan.start[done + i + 1];
            }
            __syncthreads();
        }
        start = first > 0 ? staged[alias_plan_place(first - 1)] : done > 0 ? plan.start[done] : 0;
        z = start;
        for (uint32_t i = first; i < end; i++) {
            uint64_t z_end = staged[alias_plan_place(i)];

            sum += alias_plan_surplus(plan, done + i, z, z_end);
            z = z_end;
        }
        alias_plan_scan(storage).ExclusiveSum(sum, sum, all);
        sum += before;
        z = start;
        for (uint32_t i = first; i < end; i++) {
            uint64_t z_end = staged[alias_plan_place(i)];

            staged[alias_plan_place(i)] = sum;
            sum += alias_plan_surplus(plan, done + i, z, z_end);
            z = z_end;
        }
        before += all;
        __syncthreads();
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < (count + 31) / 32 * 32; i += ALIAS_PLAN_THREADS) {
            const bool valid = i < count;
            const uint64_t b = min(done + i, plan.sections - 1);
            const uint64_t even = (uint64_t)alias_section_items(plan.n, b) << plan.k;
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
                plan.surplus[b] = staged[alias_plan_place(i)];
                plan.deficit[b] = staged[alias_plan_place(i)] +
                                  (b * ALIAS_SECTION_ITEMS << plan.k) - plan.start[b];
                plan.order[lacks ? plan.sections - 1 - at : at] = (uint32_t)b;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        plan.surplus[plan.sections] = plan.deficit[plan.sections] = before;
        plan.scalars->surplus_sections = listed[1];
        plan.scalars->ready = 0;
    }
}

/* Sets plan->sections and takes the plan's arrays. */
static inline void alias_plan_memory(alias_gpu_plan *plan, alias_arena *arena)
{
    plan->sections = alias_section_count(plan->n);
    plan->sums = (double *)alias_arena_take(arena, plan->sections, sizeof(double));
    plan->start = (uint64_t *)alias_arena_take(arena, plan->sections + 1, sizeof(uint64_t));
    plan->surplus = (uint64_t *)alias_arena_take(arena, plan->sections + 1, sizeof(uint64_t));
    plan->deficit = (uint64_t *)alias_arena_take(arena, plan->sections + 1, sizeof(uint64_t));
    plan->order = (uint32_t *)alias_arena_take(arena, plan->sections, sizeof(uint32_t));
}

/* Starts a planning kernel as one thread block, with as much shared memory as it can use, right
 * behind the kernel before. */
static inline int alias_plan_start(const alias_gpu_plan *plan,
                                   void (*kernel)(alias_gpu_plan, uint32_t), cudaStream_t stream)
{
    int device, bytes, st;
    uint64_t most, round;

    ALIAS_GPU_TRY(cudaGetDevice(&device));
    ALIAS_GPU_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    most = min((uint64_t)ALIAS_PLAN_ROUND,
               (uint64_t)(bytes - ALIAS_PLAN_STATIC) / (ALIAS_PLAN_PAD * 8));
    round = min(plan->sections / ALIAS_PLAN_SEGMENT + 1, most);
    /* The same value in every call, since other threads may be setting it as well. */
    ALIAS_GPU_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)most * ALIAS_PLAN_PAD * 8));
    st = alias_launch(plan->sections < ALIAS_MANY_SECTIONS, kernel, 1, ALIAS_PLAN_THREADS,
                      round * ALIAS_PLAN_PAD * 8, stream, *plan, (uint32_t)round);
done:
    return st;
}

#endif
