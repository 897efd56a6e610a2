/* Edges into arrays in device memory, 16 bytes at a time where they are aligned; fingerprints. */
#include "rmat/fingerprint.h"
#include "rmat/gpu_impl.h"
#include "rmat/rmat_device.cuh"

/*
 * Where the edges go.  A store takes 16 bytes of each array, or of the array of pairs, and those of
 * a warp lie side by side; without alignment it takes an id.  A unit is four edges or two, in as
 * many stores as it takes: four cost less each, but more registers.
 */
template <typename T, rmat_layout layout, bool aligned> struct edge_store {
    struct state {
    };
    typedef T id;
    static const bool pairs = layout == RMAT_PAIRS;
    static const int in_store = aligned ? 16 / ((pairs ? 2 : 1) * (int)sizeof(T)) : 1; /* edges */
    static const int edges = aligned && !(pairs && sizeof(T) == 4) ? 4 : 2;
    static const bool wide = sizeof(T) == 8, stores = true;
    T *src, *dst; /* of edge first */
    uint64_t first;

    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        const uint32_t lane = u % 32, store = (uint32_t)j / in_store;

        return edges * (u - lane) + in_store * (32 * store + lane) + (uint32_t)j % in_store;
    }
    /* Edges up to the next 16 bytes. */
    uint64_t head(uint64_t e) const
    {
        const uintptr_t step = (pairs ? 2 : 1) * sizeof(T);

        return aligned ? -((uintptr_t)src + (e - first) * step) % 16 / step : 0;
    }
    edge_store at(uint64_t e) const
    {
        const uint64_t elements = (pairs ? 2 : 1) * (e - first);

        return {src + elements, dst + elements, e};
    }

    __device__ __forceinline__ void begin(state &) const
    {
    }
    __device__ __forceinline__ void end(state &) const
    {
    }
    __device__ __forceinline__ void unit(state &, const rmat_piece &, uint32_t u, const T *s,
                                         const T *d, const uint32_t *) const
    {
#pragma unroll
        for (int j = 0; j < edges; j += in_store) {
            const uint32_t i = offset(u, j);

            if constexpr (!aligned) {
                src[(pairs ? 2 : 1) * (uint64_t)i] = s[j];
                dst[(pairs ? 2 : 1) * (uint64_t)i] = d[j];
            } else if constexpr (pairs && sizeof(T) == 8) {
                __stcs((ulonglong2 *)src + i, make_ulonglong2(s[j], d[j]));
            } else if constexpr (pairs) {
                __stcs((uint4 *)src + i / 2, make_uint4(s[j], d[j], s[j + 1], d[j + 1]));
            } else if constexpr (sizeof(T) == 8) {
                __stcs((ulonglong2 *)src + i / 2, make_ulonglong2(s[j], s[j + 1]));
                __stcs((ulonglong2 *)dst + i / 2, make_ulonglong2(d[j], d[j + 1]));
            } else {
                __stcs((uint4 *)src + i / 4, make_uint4(s[0], s[1], s[2], s[3]));
                __stcs((uint4 *)dst + i / 4, make_uint4(d[0], d[1], d[2], d[3]));
            }
        }
    }
    __device__ __forceinline__ void edge(state &, uint64_t e, uint64_t s, uint64_t d) const
    {
        const int64_t i = (pairs ? 2 : 1) * (int64_t)(e - first);

        src[i] = (T)s;
        dst[i] = (T)d;
    }
};

template <typename T, rmat_layout layout>
static int store(const rmat_gen *gen, uint64_t first, uint64_t count, void *src, void *dst,
                 cudaStream_t stream)
{
    const bool aligned = layout == RMAT_PAIRS ? (uintptr_t)src % (2 * sizeof(T)) == 0
                                              : (uintptr_t)src % 16 == (uintptr_t)dst % 16;

    return aligned ? rmat_run(gen, first, count,
                              edge_store<T, layout, true>{(T *)src, (T *)dst, first}, stream)
                   : rmat_run(gen, first, count,
                              edge_store<T, layout, false>{(T *)src, (T *)dst, first}, stream);
}

extern "C" int rmat_gpu_store(const rmat_gen *gen, uint64_t first, uint64_t count, void *src,
                              void *dst, int id_bytes, rmat_layout layout, cudaStream_t stream)
{
    auto run = layout == RMAT_PAIRS
                   ? (id_bytes == 4 ? store<uint32_t, RMAT_PAIRS> : store<uint64_t, RMAT_PAIRS>)
                   : (id_bytes == 4 ? store<uint32_t, RMAT_ARRAYS> : store<uint64_t, RMAT_ARRAYS>);

    return run(gen, first, count, src, dst, stream);
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
