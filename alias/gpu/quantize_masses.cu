/*
 * alias/gpu/quantize_masses.cu - the plan of masses that are given.
 *
 * Two kernels.  In the first, each warp sums one section.  In the second, a single thread block
 * computes the prefix sums, checks that the total is n * 2^k, and computes what follows from them.
 * Sums saturate at n * 2^k + 1, so that they cannot overflow and look right.
 */
#include "alias/gpu/plan.cuh"

namespace
{

enum { WARP = 32, SUM_THREADS = 256 };

/* min(a + b, limit), where neither a nor b exceeds the limit. */
__device__ uint64_t add_up_to(uint64_t a, uint64_t b, uint64_t limit)
{
    return b < limit - a ? a + b : limit;
}

/* The sum of section b, saturated, goes to start[b + 1]. */
__global__ void __launch_bounds__(SUM_THREADS) sum_masses(alias_gpu_plan plan)
{
    const uint64_t b = ((uint64_t)blockIdx.x * SUM_THREADS + threadIdx.x) / WARP;
    const uint64_t limit = (plan.n << plan.k) + 1;
    uint64_t sum = 0;

    alias_next_may_start();
    if (b >= plan.sections) {
        return;
    }
    for (uint32_t i = threadIdx.x % WARP; i < alias_section_items(plan.n, b); i += WARP) {
        sum = add_up_to(sum, min(plan.masses[b * ALIAS_SECTION_ITEMS + i], limit), limit);
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

__global__ void __launch_bounds__(ALIAS_PLAN_THREADS)
    plan_masses(alias_gpu_plan plan, uint32_t round)
{
    extern __shared__ double staged[];
    __shared__ alias_plan_scan::TempStorage storage;
    const uint64_t limit = (plan.n << plan.k) + 1;
    uint64_t before = 0, all;

    alias_follow();
    for (uint64_t done = 0; done < plan.sections; done += ALIAS_PLAN_THREADS) {
        const uint64_t b = done + threadIdx.x;
        uint64_t sum = b < plan.sections ? plan.start[b + 1] : 0;

        alias_plan_scan(storage).InclusiveScan(sum, sum, capped_sum{limit}, all);
        if (b < plan.sections) {
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
        alias_plan_axes(plan, round, (uint64_t *)staged, false, storage);
    }
}

unsigned sum_grid(const alias_gpu_plan *plan)
{
    return (unsigned)((plan->sections * WARP + SUM_THREADS - 1) / SUM_THREADS);
}

} // namespace

int alias_gpu_plan_masses(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream)
{
    int st;

    alias_plan_memory(plan, arena);
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    sum_masses<<<sum_grid(plan), SUM_THREADS, 0, stream>>>(*plan);
    st = alias_gpu_launched();
    return st != ALIAS_OK ? st : alias_plan_start(plan, plan_masses, stream);
}
