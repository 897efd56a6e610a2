/*
 * alias/gpu/quantize.cuh - the masses of one section, made by one thread block from the section's
 * weights and the plan: steps 4 and 5 of the rule in alias/core/quantize.h.
 */
#ifndef ALIAS_GPU_QUANTIZE_CUH
#define ALIAS_GPU_QUANTIZE_CUH

#include "alias/gpu/state.h"
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>

/* Returns the sum of x over all threads of the block to each of them.  warps: THREADS / 32 values
 * of shared memory, which may be used again after a barrier. */
template <int THREADS>
__device__ __forceinline__ uint64_t alias_block_total(uint64_t x, uint64_t *warps)
{
    uint64_t sum = 0;

#pragma unroll
    for (int h = 16; h > 0; h /= 2) {
        x += __shfl_xor_sync(0xffffffffu, x, h);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) {
        sum += warps[w];
    }
    return sum;
}

template <int THREADS> struct alias_section_masses {
    static constexpr int ITEMS = ALIAS_SECTION_ITEMS / THREADS;

    using loader = cub::BlockLoad<uint64_t, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using scanner = cub::BlockScan<uint64_t, THREADS>;

    union storage {
        typename loader::TempStorage load;
        struct {
            uint64_t warps[THREADS / 32];
            typename scanner::TempStorage scan;
        } sum;
    };

    /* Loads ITEMS consecutive words for each thread; zero, also the bits of 0.0, beyond the last of
     * count. */
    static __device__ __forceinline__ void load_words(const uint64_t *from, uint32_t count,
                                                      storage &s, uint64_t (&q)[ITEMS])
    {
        if (count == ALIAS_SECTION_ITEMS) {
            loader(s.load).Load(from, q);
        } else {
            loader(s.load).Load(from, q, (int)count, (uint64_t)0);
        }
    }

    /*
     * q[i] becomes the mass of item ALIAS_SECTION_ITEMS * b + ITEMS * threadIdx.x + i, 0 beyond the
     * last item.  All threads must call; s may be used again after a barrier.
     */
    static __device__ __forceinline__ void load(const alias_gpu_plan &plan, uint64_t b, storage &s,
                                                uint64_t (&q)[ITEMS])
    {
        uint32_t count = alias_section_items(plan.n, b);
        const uint64_t *from = (const uint64_t *)plan.weights + b * ALIAS_SECTION_ITEMS;

        /* Read before the items, so that they are waited for only once. */
        const double scale = plan.scalars->scale, factor = plan.scalars->factor;
        const uint64_t mass = plan.start[b + 1] - plan.start[b];

        load_words(from, count, s, q);
        round(scale, factor, mass, count, s, q);
    }

  private:
    /* Turns the bits of weights into masses that add up to the section's mass. */
    static __device__ __forceinline__ void round(double scale, double factor, uint64_t mass,
                                                 uint32_t count, storage &s, uint64_t (&q)[ITEMS])
    {
        const uint32_t first = threadIdx.x * ITEMS;
        uint32_t eligible = 0; /* bit i: item i has a positive weight */
        uint64_t sum = 0;
        bool zeros;

#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            double w = __longlong_as_double((long long)q[i]) * scale;

            q[i] = (uint64_t)(w * factor);
            sum += q[i];
            eligible |= (uint32_t)(w > 0) << i;
        }
        zeros = first < count && __popc(eligible) < (int)min(count - first, (uint32_t)ITEMS);
        zeros = __syncthreads_or(zeros); /* also ends the use of s.load */
        sum = alias_block_total<THREADS>(sum, s.sum.warps);
        if (sum <= mass && !zeros && mass - sum <= count) { /* almost always */
            uint32_t r = (uint32_t)(mass - sum);

#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                q[i] += first + i < r;
            }
        } else {
            uint64_t copy[ITEMS]; /* indexed by the calls below; q itself stays in registers */

#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                copy[i] = q[i];
            }
            if (sum > mass) {
                take(sum - mass, s, copy);
            } else {
                give(mass - sum, eligible, s, copy);
            }
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                q[i] = copy[i];
            }
        }
    }

    /* Gives r units to the eligible items: equal shares, then one each in index order. */
    static __device__ __noinline__ void give(uint64_t r, uint32_t eligible, storage &s, uint64_t *q)
    {
        uint64_t rank, all;

        scanner(s.sum.scan).ExclusiveSum((uint64_t)__popc(eligible), rank, all);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (eligible >> i & 1) {
                q[i] += r / all + (rank < r % all);
                rank++;
            }
        }
    }

    /* Takes r units back. */
    static __device__ __noinline__ void take(uint64_t r, storage &s, uint64_t *q)
    {
        while (r > 0) {
            uint64_t eligible = 0, before, all, share, possible = 0;

#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                eligible += q[i] > 0;
            }
            __syncthreads();
            eligible = alias_block_total<THREADS>(eligible, s.sum.warps);
            share = r > eligible ? r / eligible : 1;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                possible += min(share, q[i]);
            }
            scanner(s.sum.scan).ExclusiveSum(possible, before, all);
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                uint64_t part = min(share, q[i]);
                uint64_t now = before < r ? min(part, r - before) : 0;

                q[i] -= now;
                before += part;
            }
            r -= min(r, all);
        }
    }
};

#endif
