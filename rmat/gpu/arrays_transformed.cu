/* Edges of transformed graphs, and weights, into arrays in device memory: chooses the sink and
 * starts the kernels of launch.cuh. */
#include "rmat/gpu/array_sinks.cuh"

/* Whether weights can be stored together with ids, a line of 16 bytes of ids at a time: whether the
 * weight of the first edge whose ids begin a line is aligned to the weights of a line. */
template <typename T> static bool weights_fit(const T *src, const uint32_t *weight)
{
    const uint64_t head = -(uintptr_t)src % 16 / sizeof(T);

    return (uintptr_t)(weight + head) % (64 / sizeof(T)) == 0;
}

template <typename T>
static int store_transformed(const rmat_gen *gen, uint64_t first, uint64_t count,
                             const rmat_arrays *to, const rmat_weighing &how, rmat_layout layout,
                             cudaStream_t stream)
{
    T *src = (T *)to->src, *dst = (T *)to->dst;
    uint32_t *weight = (uint32_t *)to->weight;
    const uint32_t step = layout == RMAT_PAIRS ? 2 : 1;
    const edge_scatter<T> single = {src, dst, weight, how, first, step};
    rmat_view view;
    const int st = rmat_get_device_view(gen, &view);

    auto run = [&](const auto &sink) {
        return rmat_run_transformed(gen, view, first, count, sink, single, stream);
    };
    if (st != RMAT_OK) {
        return st;
    }
    if (view.transform & RMAT_TRANSFORM_SYMMETRIC) {
        const edge_both<T> both = {src, dst, weight, how, first, 2 * step};

        return both.fits((first + 1) / 2) ? run(both) : run(single);
    }
    if (layout == RMAT_PAIRS) {
        return (uintptr_t)src % (2 * sizeof(T)) == 0
                   ? run(edge_store<T, RMAT_PAIRS, true>{src, dst, first})
                   : run(single);
    }
    if ((uintptr_t)src % 16 != (uintptr_t)dst % 16) {
        return run(single);
    }

    const edge_store<T, RMAT_ARRAYS, true> arrays = {src, dst, first};

    if (weight == NULL) {
        return run(arrays);
    }
    return weights_fit(src, weight) ? run(edge_weigh<T>(arrays, weight, how)) : run(single);
}

extern "C" int rmat_gpu_store_transformed(const rmat_gen *gen, uint64_t first, uint64_t count,
                                          const rmat_arrays *to, const rmat_weighing *weighing,
                                          rmat_layout layout, cudaStream_t stream)
{
    return (to->id_bytes == 4
                ? store_transformed<uint32_t>
                : store_transformed<uint64_t>)(gen, first, count, to, *weighing, layout, stream);
}
