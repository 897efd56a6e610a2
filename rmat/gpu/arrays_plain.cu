/* Edges of plain graphs into arrays in device memory: chooses the sink and starts the kernels of
 * launch_plain.cuh. */
#include "rmat/gpu/array_sinks.cuh"

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
