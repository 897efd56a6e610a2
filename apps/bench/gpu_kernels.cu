/* Kernels that the generator is compared with on a GPU. */
#include "alias/core/philox.h"
#include "apps/bench/gpu_kernels.h"
#include "apps/bench/grid.cuh"

static __global__ void __launch_bounds__(threads)
    levels_kernel(int scale, const float4 *thresholds, uint64_t seed, uint64_t first,
                  uint64_t count, uint64_t *src, uint64_t *dst)
{
    __shared__ float4 shared[64];

    for (int l = threadIdx.x; l < scale; l += threads) {
        shared[l] = thresholds[l];
    }
    __syncthreads();
    FOR_EACH(i, count)
    {
        uint64_t s = 0, d = 0;

        for (int l = 0; l < scale; l += 4) {
            philox_block b = philox_at(seed, first + i, (uint32_t)l / 4, 99);

#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (l + j < scale) {
                    const float4 t = shared[l + j];
                    const float u = (float)(b.v[j] >> 8) * 0x1p-24f;
                    const bool low = u >= t.y; /* c or d */

                    s = s << 1 | low;
                    d = d << 1 | (low ? u >= t.z : u >= t.x);
                }
            }
        }
        src[i] = s;
        dst[i] = d;
    }
}

static __global__ void __launch_bounds__(threads)
    write_kernel(uint64_t first, uint64_t pairs, ulonglong2 *src, ulonglong2 *dst)
{
    FOR_EACH(i, pairs)
    {
        src[i] = make_ulonglong2(first + i, i);
        dst[i] = make_ulonglong2(i, first + i);
    }
}

static __global__ void __launch_bounds__(threads)
    blocks_kernel(uint64_t seed, uint64_t first, uint64_t count, uint32_t *sum)
{
    uint32_t mine = 0;

    FOR_EACH(i, count)
    {
        philox_block b = philox_at(seed, first + i, 0, 99);

        mine += b.v[0] ^ b.v[1] ^ b.v[2] ^ b.v[3];
    }
    if (mine == 0x12345678u) { /* never mind: so that it is computed */
        atomicAdd(sum, mine);
    }
}

extern "C" int bench_levels(int scale, const float *thresholds, uint64_t seed, uint64_t first,
                            uint64_t count, uint64_t *src, uint64_t *dst)
{
    levels_kernel<<<grid_for(count), threads>>>(scale, (const float4 *)thresholds, seed, first,
                                                count, src, dst);
    return (int)cudaGetLastError();
}

extern "C" int bench_write(uint64_t first, uint64_t count, uint64_t *src, uint64_t *dst)
{
    write_kernel<<<grid_for(count / 2), threads>>>(first, count / 2, (ulonglong2 *)src,
                                                   (ulonglong2 *)dst);
    return (int)cudaGetLastError();
}

extern "C" int bench_philox(uint64_t seed, uint64_t first, uint64_t count, uint32_t *sum)
{
    blocks_kernel<<<grid_for(count), threads>>>(seed, first, count, sum);
    return (int)cudaGetLastError();
}
