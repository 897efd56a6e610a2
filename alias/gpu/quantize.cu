/*
 * alias/gpu/quantize.cu - the plan of masses from weights: steps 1 to 4 of the rule in
 * alias/core/quantize.h.
 *
 * Two kernels.  In the first, each thread block checks and sums one section.  In the second, a
 * single thread block computes everything that follows from the sums.
 */
#include "alias/gpu/plan.cuh"

namespace
{

enum { WARP = 32, SUM_THREADS = 256 };

/* Step 1 for one section, by one warp; lane 0 returns the sum. */
__device__ double sum_section(const double *weights, uint32_t count, double scale)
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

/* A thread block reads and checks the weights of a section; its first warp adds them up. */
__global__ void __launch_bounds__(SUM_THREADS) sum_weights(alias_gpu_plan plan)
{
    __shared__ __align__(16) double copy[ALIAS_SECTION_ITEMS];
    const uint64_t first = (uint64_t)blockIdx.x * ALIAS_SECTION_ITEMS;
    const uint32_t count = alias_section_items(plan.n, blockIdx.x);
    const double *weights = plan.weights + first;
    double sum;

    alias_next_may_start();
#pragma unroll
    for (uint32_t j = 0; j < ALIAS_SECTION_ITEMS / SUM_THREADS; j++) {
        uint32_t i = j * SUM_THREADS + threadIdx.x;

        if (i < count) {
            copy[i] = weights[i];
        }
    }
#pragma unroll
    for (uint32_t j = 0; j < ALIAS_SECTION_ITEMS / SUM_THREADS; j++) {
        uint32_t i = j * SUM_THREADS + threadIdx.x;

        if (i < count && !(copy[i] >= 0 && copy[i] <= DBL_MAX)) {
            atomicMin(&plan.scalars->bad_so_far, (unsigned long long)(first + i));
        }
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        sum = sum_section(copy, count, 1);
        if (threadIdx.x == 0) {
            plan.sums[blockIdx.x] = sum;
        }
    }
}

/* Step 2: replaces the sums of the sections by F at their ends, and returns S.  staged: round *
 * ALIAS_PLAN_PAD doubles of shared memory; base: round + 1 of them. */
__device__ double prefix_sums(const alias_gpu_plan &plan, uint32_t round, double *staged,
                              double *base)
{
    double total = 0;

    for (uint64_t done = 0; done < plan.sections; done += round * ALIAS_PLAN_SEGMENT) {
        const uint32_t count =
            (uint32_t)min(plan.sections - done, (uint64_t)(round * ALIAS_PLAN_SEGMENT));
        const uint32_t segments = (count + ALIAS_PLAN_SEGMENT - 1) / ALIAS_PLAN_SEGMENT;

        __syncthreads();
#pragma unroll 8
        for (uint32_t i = threadIdx.x; i < count; i += ALIAS_PLAN_THREADS) {
            staged[alias_plan_place(i)] = plan.sums[done + i];
        }
        __syncthreads();
        if (threadIdx.x < segments) {
            double *p = staged + threadIdx.x * ALIAS_PLAN_PAD;
            const uint32_t end =
                min(count - threadIdx.x * ALIAS_PLAN_SEGMENT, (uint32_t)ALIAS_PLAN_SEGMENT);
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
                total +=
                    staged[s * ALIAS_PLAN_PAD +
                           min(count - s * ALIAS_PLAN_SEGMENT, (uint32_t)ALIAS_PLAN_SEGMENT) - 1];
            }
            base[segments] = total;
        }
        __syncthreads();
        total = base[segments];
#pragma unroll 8
        for (uint32_t i = threadIdx.x; i < count; i += ALIAS_PLAN_THREADS) {
            plan.sums[done + i] = base[i / ALIAS_PLAN_SEGMENT] + staged[alias_plan_place(i)];
        }
    }
    __syncthreads();
    return total;
}

__global__ void __launch_bounds__(ALIAS_PLAN_THREADS)
    plan_weights(alias_gpu_plan plan, uint32_t round)
{
    extern __shared__ double staged[];
    __shared__ double base[ALIAS_PLAN_ROUND + 1];
    __shared__ alias_plan_scan::TempStorage storage;
    const double mass = ldexp((double)plan.n, plan.k);
    double scale, total;

    alias_follow();
    if (__syncthreads_or(plan.scalars->bad_so_far != ~0ull)) {
        if (threadIdx.x == 0) {
            uint64_t bad = plan.scalars->bad_so_far;

            plan.scalars->status = alias_weight_status(plan.weights[bad]);
            plan.scalars->bad = bad;
            plan.scalars->bad_so_far = ~0ull; /* for the next build */
        }
        return;
    }
    total = prefix_sums(plan, round, staged, base);
    scale = alias_weight_scale(total);
    if (scale != 1) { /* so rare that a single thread block may do it all */
        for (uint64_t b = threadIdx.x / WARP; b < plan.sections; b += ALIAS_PLAN_THREADS / WARP) {
            double sum = sum_section(plan.weights + b * ALIAS_SECTION_ITEMS,
                                     alias_section_items(plan.n, b), scale);

            if (threadIdx.x % WARP == 0) {
                plan.sums[b] = sum;
            }
        }
        total = prefix_sums(plan, round, staged, base);
    }
    if (threadIdx.x == 0) {
        plan.scalars->scale = scale;
        plan.scalars->factor = mass / total;
        plan.scalars->status = total == 0 ? ALIAS_ERR_ZERO_SUM : ALIAS_OK;
        plan.start[0] = 0;
    }
    if (total == 0) {
        return;
    }
    const bool once = plan.sections <= round * ALIAS_PLAN_SEGMENT; /* all sums are still staged */
#pragma unroll 4
    for (uint64_t b = threadIdx.x; b < plan.sections; b += ALIAS_PLAN_THREADS) {
        const uint32_t at = alias_plan_place((uint32_t)b);
        const double sum = once ? base[b / ALIAS_PLAN_SEGMENT] + staged[at] : plan.sums[b];
        const uint64_t z = (uint64_t)(sum / total * mass);

        plan.start[b + 1] = z;
        if (once) {
            ((uint64_t *)staged)[at] = z;
        }
    }
    alias_plan_axes(plan, round, (uint64_t *)staged, once, storage);
}

} // namespace

int alias_gpu_plan_weights(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream)
{
    int st;

    alias_plan_memory(plan, arena);
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    sum_weights<<<(unsigned)plan->sections, SUM_THREADS, 0, stream>>>(*plan);
    st = alias_gpu_launched();
    return st != ALIAS_OK ? st : alias_plan_start(plan, plan_weights, stream);
}
