/*
 * Edges of an edge source in device memory: the source fills arrays with base edges, in the
 * caller's arrays if they can be finished there, and a kernel transforms them, gives them weights,
 * and spreads them over both directions.
 */
#include "rmat/gpu/source.h"
#include "rmat/model/weight.h"
#include "rmat/try.h"

enum { THREADS = 256, GRID = 8192 };

/* Arrays of base edges or of edges; step: 1, or 2 for pairs. */
template <typename T> struct source_arrays {
    T *src, *dst;
    uint32_t *weight; /* or NULL */
    int step;
};

template <typename T>
static __device__ __forceinline__ void put(const source_arrays<T> &to, uint64_t i, uint64_t src,
                                           uint64_t dst, uint32_t weight)
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
            const uint64_t bits = rmat_weight_bits(how.key, s, d);

            weight = how.range == 0 ? __float_as_uint(rmat_weight_uniform(bits))
                                    : (uint32_t)rmat_weight_int(bits, how.min, how.range);
        }
        if (e >= first) {
            put(to, e - first, s, d, weight);
        }
        if (symmetric && e + 1 < end) {
            put(to, e + 1 - first, d, s, weight);
        }
    }
}

template <typename T>
static int store(const rmat_gen *gen, const rmat_gpu_source *source, uint64_t first, uint64_t count,
                 const rmat_arrays *to, const rmat_weighing *weighing, rmat_layout layout,
                 cudaStream_t stream)
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
               ? store<uint32_t>(gen, source, first, count, to, weighing, layout, stream)
               : store<uint64_t>(gen, source, first, count, to, weighing, layout, stream);
}
