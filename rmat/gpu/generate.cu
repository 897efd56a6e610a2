/* Edges of plain graphs into arrays in device memory; fingerprints. */
#include "rmat/gpu/store.cuh"
#include "rmat/model/fingerprint.h"

template <typename T, rmat_layout layout>
static int store(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                 cudaStream_t stream)
{
    T *src = (T *)to->src, *dst = (T *)to->dst;
    const bool aligned = layout == RMAT_PAIRS ? (uintptr_t)src % (2 * sizeof(T)) == 0
                                              : (uintptr_t)src % 16 == (uintptr_t)dst % 16;
    rmat_view view;
    const int st = rmat_get_device_view(gen, &view);

    if (st != RMAT_OK) {
        return st;
    }
    return aligned ? rmat_run_plain(gen, view, first, count,
                                    edge_store<T, layout, true>{src, dst, first}, stream)
                   : rmat_run_plain(gen, view, first, count,
                                    edge_store<T, layout, false>{src, dst, first}, stream);
}

extern "C" int rmat_gpu_store_plain(const rmat_gen *gen, uint64_t first, uint64_t count,
                                    const rmat_arrays *to, rmat_layout layout, cudaStream_t stream)
{
    auto run =
        layout == RMAT_PAIRS
            ? (to->id_bytes == 4 ? store<uint32_t, RMAT_PAIRS> : store<uint64_t, RMAT_PAIRS>)
            : (to->id_bytes == 4 ? store<uint32_t, RMAT_ARRAYS> : store<uint64_t, RMAT_ARRAYS>);

    return run(gen, first, count, to, stream);
}

enum { HASH_THREADS = 256, HASH_UNROLL = 4 };

/* Single words, side by side for a warp: whole lines whatever the alignment. */
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
