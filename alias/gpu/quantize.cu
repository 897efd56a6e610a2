/*
 * alias/gpu/quantize.cu - the plan of masses: steps 1 to 4 of the rule in alias/core/quantize.h,
 * and what follows from Z at the section borders.
 *
 * Two kernels.  In the first, each thread block checks and sums one section.  In the second, a
 * single thread block computes everything that follows from the sums.
 */
#include "alias/gpu/quantize.cuh"

/*
 * What follows from Z.  The thread block computes the prefix sums of surpluses and deficits, and
 * sorts the sections by whether they have a deficit.  It copies up to 96 segments of 256 sections
 * at a time to shared memory.  There each thread adds up a run of neighboring sections between two
 * prefix sums over all threads.
 */
enum {
    WARP = 32,
    SUM_THREADS = 256,
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
 * staged: round * ALIAS_PLAN_PAD values of shared memory; is_staged: they already hold start[1] and
 * so on, of a single round. */
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

namespace
{

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
    if (scale != 1) { /* so rare that a single thread block may do it alone */
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
    int device, bytes;
    uint64_t most, round;

    plan->sections = alias_section_count(plan->n);
    plan->sums = (double *)alias_arena_take(arena, plan->sections, sizeof(double));
    plan->start = (uint64_t *)alias_arena_take(arena, plan->sections + 1, sizeof(uint64_t));
    plan->surplus = (uint64_t *)alias_arena_take(arena, plan->sections + 1, sizeof(uint64_t));
    plan->deficit = (uint64_t *)alias_arena_take(arena, plan->sections + 1, sizeof(uint64_t));
    plan->order = (uint32_t *)alias_arena_take(arena, plan->sections, sizeof(uint32_t));
    if (arena->base == NULL) {
        return ALIAS_OK;
    }
    sum_weights<<<(unsigned)plan->sections, SUM_THREADS, 0, stream>>>(*plan);
    ALIAS_OR_RETURN(alias_gpu_launched());
    ALIAS_GPU_OR_RETURN(cudaGetDevice(&device));
    ALIAS_GPU_OR_RETURN(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    most = min((uint64_t)ALIAS_PLAN_ROUND,
               (uint64_t)(bytes - ALIAS_PLAN_STATIC) / (ALIAS_PLAN_PAD * 8));
    round = min(plan->sections / ALIAS_PLAN_SEGMENT + 1, most);
    /* The same value in every call, since other threads may be setting it as well. */
    ALIAS_GPU_OR_RETURN(cudaFuncSetAttribute(
        plan_weights, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most * ALIAS_PLAN_PAD * 8));
    return alias_launch(plan->sections < ALIAS_MANY_SECTIONS, plan_weights, 1, ALIAS_PLAN_THREADS,
                        round * ALIAS_PLAN_PAD * 8, stream, *plan, (uint32_t)round);
}
