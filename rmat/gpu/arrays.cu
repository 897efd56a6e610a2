/*
 * arrays.cu - edges into arrays in device memory, for plain graphs and for edge sources, and the
 * fingerprint of such arrays.  arrays_transformed.cu and arrays_bounded.cu store the edges of all
 * other graphs.  Each is a separate file because it compiles for a long time.
 */
#include "rmat/gpu/array_sinks.cuh"
#include "rmat/gpu/backend.h"
#include "rmat/model/fingerprint.h"
#include "rmat/model/weight.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"

#include <cuda_runtime.h>

/* rmat_fingerprint_device(): each thread adds the hashes of a few edges, each warp adds its sums,
 * and one atomic addition per warp adds those to the result. */
enum { HASH_THREADS = 256, HASH_UNROLL = 4 /* ids that a thread reads together */ };

/* Each thread reads single ids, and neighboring threads neighboring ids, so a warp reads whole
 * lines for any alignment. */
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

extern "C" int rmat_gpu_fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes,
                                    uint64_t *result, void *stream)
{
    const uint64_t blocks = (count + HASH_THREADS - 1) / HASH_THREADS;
    const unsigned grid = blocks < 2048 ? (unsigned)blocks : 2048;

    if (id_bytes == 4) {
        fingerprint_kernel<<<grid, HASH_THREADS, 0, (cudaStream_t)stream>>>(
            (const uint32_t *)src, (const uint32_t *)dst, count, (unsigned long long *)result);
    } else {
        fingerprint_kernel<<<grid, HASH_THREADS, 0, (cudaStream_t)stream>>>(
            (const uint64_t *)src, (const uint64_t *)dst, count, (unsigned long long *)result);
    }
    return rmat_gpu_launched();
}

/* Edges of an edge source in device memory.  The source fills arrays with base edges, the caller's
 * arrays if they can be finished there.  A kernel transforms the edges, gives them weights, and
 * spreads them over both directions. */
enum { THREADS = 256, GRID = 8192 };

/* Arrays of base edges or of edges; step: 1, or 2 for pairs. */
template <typename T> struct source_arrays {
    T *src, *dst;
    uint32_t *weight; /* or NULL */
    int step;
};

template <typename T>
static __device__ __forceinline__ void put_edge(const source_arrays<T> &to, uint64_t i,
                                                uint64_t src, uint64_t dst, uint32_t weight)
{
    to.src[i * to.step] = (T)src;
    to.dst[i * to.step] = (T)dst;
    if (to.weight != NULL) {
        to.weight[i] = weight;
    }
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    store_kernel(rmat_gpu_source source, rmat_weighing how, uint64_t base, uint64_t count,
                 source_arrays<T> from, uint64_t first, uint64_t end, source_arrays<T> to)
{
    const unsigned symmetric = source.view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        const uint64_t e = (base + i) << symmetric;
        uint64_t s = from.src[i], d = from.dst[i];
        uint32_t weight = 0;

        rmat_transform_ends(&source.view, &s, &d);
        if (source.own_weights && to.weight != NULL) {
            weight = from.weight[i];
        } else if (to.weight != NULL) {
            weight = rmat_weight_of(&how, s, d);
        }
        if (e >= first) {
            put_edge(to, e - first, s, d, weight);
        }
        if (symmetric && e + 1 < end) {
            put_edge(to, e + 1 - first, d, s, weight);
        }
    }
}

template <typename T>
static int store_source(const rmat_gen *gen, const rmat_gpu_source *source, uint64_t first,
                        uint64_t count, const rmat_arrays *to, const rmat_weighing *weighing,
                        rmat_layout layout, cudaStream_t stream)
{
    const unsigned symmetric = source->view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;
    const uint64_t base = first >> symmetric, n = ((first + count - 1) >> symmetric) + 1 - base;
    const uint64_t blocks = (n + THREADS - 1) / THREADS;
    const bool in_place = !symmetric && layout == RMAT_ARRAYS;
    const bool own = source->own_weights && to->weight != NULL;
    const source_arrays<T> out = {(T *)to->src, (T *)to->dst, (uint32_t *)to->weight,
                                  layout == RMAT_PAIRS ? 2 : 1};
    source_arrays<T> in = {out.src, out.dst, own ? out.weight : NULL, 1};
    char *memory = NULL;
    int st;

    if (!in_place) {
        RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&memory, n * (2 * sizeof(T) + 4),
                                              rmat_gpu_pool(gen), stream));
        in = {(T *)memory, (T *)memory + n, own ? (uint32_t *)((T *)memory + 2 * n) : NULL, 1};
    }
    {
        const rmat_arrays some = {in.src, in.dst, in.weight, (int)sizeof(T)};

        RMAT_TRY(rmat_gpu_source_fill(gen, base, n, &some, stream));
    }
    if (!in_place || source->view.transform != 0 || (to->weight != NULL && !own)) {
        store_kernel<<<(unsigned)(blocks < GRID ? blocks : (uint64_t)GRID), THREADS, 0, stream>>>(
            *source, *weighing, base, n, in, first, first + count, out);
        RMAT_TRY(rmat_gpu_launched());
    }
done:
    if (memory != NULL) {
        const int freed = rmat_gpu_status(cudaFreeAsync(memory, stream));

        st = st != RMAT_OK ? st : freed;
    }
    return st;
}

extern "C" int rmat_gpu_store_source(const rmat_gen *gen, const rmat_gpu_source *source,
                                     uint64_t first, uint64_t count, const rmat_arrays *to,
                                     const rmat_weighing *weighing, rmat_layout layout,
                                     cudaStream_t stream)
{
    return to->id_bytes == 4
               ? store_source<uint32_t>(gen, source, first, count, to, weighing, layout, stream)
               : store_source<uint64_t>(gen, source, first, count, to, weighing, layout, stream);
}

/* Edges of plain graphs into arrays in device memory: starts the kernels of launch.cuh. */
template <typename T>
static int store_plain(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                       rmat_layout layout, cudaStream_t stream)
{
    const edge_place<T> place(to, {}, layout, false, first);
    const edge_store<T, ANY> any = place;
    rmat_view view;

    RMAT_OR_RETURN(rmat_get_device_view(gen, &view));

    const auto run = [&](const auto &sink) {
        return rmat_run_plain(gen, view, first, count, sink, any, stream);
    };

    return place.lies == ARRAYS  ? run(edge_store<T, ARRAYS>(place))
           : place.lies == PAIRS ? run(edge_store<T, PAIRS>(place))
           : layout == RMAT_ARRAYS
               ? run(edge_store<T, SINGLE>(place))
               : rmat_gpu_store_bounded(gen, first, count, to, &place.how, layout, stream);
}

extern "C" int rmat_gpu_store_plain(const rmat_gen *gen, uint64_t first, uint64_t count,
                                    const rmat_arrays *to, rmat_layout layout, cudaStream_t stream)
{
    return (to->id_bytes == 4 ? store_plain<uint32_t> : store_plain<uint64_t>)(gen, first, count,
                                                                               to, layout, stream);
}
