/* rmat_fingerprint_device(): each thread adds the hashes of a few edges, each warp adds its sums,
 * and one atomic addition per warp brings them together. */
#include "rmat/model/fingerprint.h"
#include "rmat/rmat_gpu.h"

#include <cuda_runtime.h>

enum { HASH_THREADS = 256, HASH_UNROLL = 4 /* ids that a thread reads at once */ };

/* Each thread reads single ids, neighbouring threads neighbouring ones: a warp reads whole lines
 * whatever the alignment. */
template <typename T>
static __global__ void __launch_bounds__(HASH_THREADS)
    fingerprint_kernel(const T *__restrict__ src, const T *__restrict__ dst, uint64_t count,
                       unsigned long long *result)
{
    const uint64_t stride = (uint64_t)gridDim.x * HASH_THREADS;
    uint64_t i = (uint64_t)blockIdx.x * HASH_THREADS + threadIdx.x, sum = 0;

    for (; i + (HASH_UNROLL - 1) * stride < count; i += HASH_UNROLL * stride) {
        T s[HASH_UNROLL], d[HASH_UNROLL];

#pragma unroll
        for (int j = 0; j < HASH_UNROLL; j++) {
            s[j] = src[i + j * stride];
            d[j] = dst[i + j * stride];
        }
#pragma unroll
        for (int j = 0; j < HASH_UNROLL; j++) {
            sum += rmat_edge_hash(s[j], d[j]);
        }
    }
    for (; i < count; i += stride) {
        sum += rmat_edge_hash(src[i], dst[i]);
    }
    for (int lane = 16; lane > 0; lane /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, lane);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(result, (unsigned long long)sum);
    }
}

extern "C" int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count,
                                       int id_bytes, uint64_t *result, void *stream)
{
    const uint64_t blocks = (count + HASH_THREADS - 1) / HASH_THREADS;
    const unsigned grid = blocks < 2048 ? (unsigned)blocks : 2048;

    if (result == NULL || (id_bytes != 4 && id_bytes != 8) ||
        (count != 0 && (src == NULL || dst == NULL))) {
        return RMAT_ERR_ARG;
    }
    if (count == 0) {
        return RMAT_OK;
    }
    if (id_bytes == 4) {
        fingerprint_kernel<<<grid, HASH_THREADS, 0, (cudaStream_t)stream>>>(
            (const uint32_t *)src, (const uint32_t *)dst, count, (unsigned long long *)result);
    } else {
        fingerprint_kernel<<<grid, HASH_THREADS, 0, (cudaStream_t)stream>>>(
            (const uint64_t *)src, (const uint64_t *)dst, count, (unsigned long long *)result);
    }
    return rmat_gpu_launched();
}
