/*
 * alias/gpu/scan.cuh - prefix sums over the threads of a block with a single barrier, which also
 * combines a flag.  CUB's scan of such pairs needs two barriers and makes every thread read the
 * sums of all warps.
 */
#ifndef ALIAS_GPU_SCAN_CUH
#define ALIAS_GPU_SCAN_CUH

#include <stdint.h>

/* The number of light items and the sum of their deficits. */
struct alias_light_sums {
    uint32_t lights;
    uint64_t deficit;

    __device__ __forceinline__ alias_light_sums &operator+=(const alias_light_sums &other)
    {
        lights += other.lights;
        deficit += other.deficit;
        return *this;
    }
};

static __device__ __forceinline__ uint64_t alias_from_lane(uint64_t x, uint32_t lane)
{
    return __shfl_sync(0xffffffffu, x, (int)lane);
}

static __device__ __forceinline__ alias_light_sums alias_from_lane(const alias_light_sums &x,
                                                                   uint32_t lane)
{
    return {__shfl_sync(0xffffffffu, x.lights, (int)lane), alias_from_lane(x.deficit, lane)};
}

static __device__ __forceinline__ uint64_t alias_from_lanes_before(uint64_t x, uint32_t by)
{
    return __shfl_up_sync(0xffffffffu, x, by);
}

static __device__ __forceinline__ alias_light_sums
alias_from_lanes_before(const alias_light_sums &x, uint32_t by)
{
    return {__shfl_up_sync(0xffffffffu, x.lights, by), alias_from_lanes_before(x.deficit, by)};
}

/* Turns x into its prefix sum, including the lane's own x, over groups of WIDTH lanes. */
template <int WIDTH, typename T> __device__ __forceinline__ void alias_scan_lanes(T &x)
{
#pragma unroll
    for (uint32_t h = 1; h < WIDTH; h *= 2) {
        const T other = alias_from_lanes_before(x, h);

        if (threadIdx.x % 32 >= h) {
            x += other;
        }
    }
}

/* Returns the sum over the threads before; *all becomes the sum over all threads, and *flag whether
 * any thread's flag is set.  warps: shared memory, which may be used again after another barrier.
 * WARPS: a power of two up to 32. */
template <int WARPS, typename T>
__device__ __forceinline__ T alias_scan_block(const T &own, T (&warps)[WARPS], T *all, bool *flag)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T sum = own, before;

    alias_scan_lanes<32>(sum);
    if (lane == 31) {
        warps[warp] = sum;
    }
    sum = alias_from_lanes_before(sum, 1);
    if (lane == 0) {
        sum = T{};
    }
    *flag = __syncthreads_or(*flag);
    before = warps[lane % WARPS];
    alias_scan_lanes<WARPS>(before);
    *all = alias_from_lane(before, WARPS - 1);
    before = alias_from_lane(before, (warp + 31) % 32);
    if (warp > 0) {
        sum += before;
    }
    return sum;
}

#endif
