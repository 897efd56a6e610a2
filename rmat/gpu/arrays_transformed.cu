/* arrays_transformed.cu - edges of transformed graphs, and weights, into arrays in device memory:
 * chooses the sink and starts the kernels of launch.cuh. */
#include "rmat/gpu/array_sinks.cuh"
#include "rmat/try.h"

template <typename T>
static int store_transformed(const rmat_gen *gen, uint64_t first, uint64_t count,
                             const rmat_arrays *to, const rmat_weighing &how, rmat_layout layout,
                             cudaStream_t stream)
{
    rmat_view view;

    RMAT_OR_RETURN(rmat_get_device_view(gen, &view));

    const bool symmetric = (view.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const edge_place<T> place(to, how, layout, symmetric, first);
    const edge_store<T, ANY> any = place;
    const auto run = [&](const auto &sink) {
        return rmat_run_transformed<false>(gen, view, first, count, sink, any, stream);
    };

    return place.lies == SINGLE || rmat_is_bounded(rmat_piece_of(view, first))
               ? rmat_gpu_store_bounded(gen, first, count, to, &how, layout, stream)
           : place.lies == ARRAYS   ? run(edge_store<T, ARRAYS>(place))
           : place.lies == WEIGHTED ? run(edge_store<T, WEIGHTED>(place))
           : place.lies == PAIRS    ? run(edge_store<T, PAIRS>(place))
                                    : run(edge_store<T, BOTH>(place));
}

extern "C" int rmat_gpu_store_transformed(const rmat_gen *gen, uint64_t first, uint64_t count,
                                          const rmat_arrays *to, const rmat_weighing *weighing,
                                          rmat_layout layout, cudaStream_t stream)
{
    return (to->id_bytes == 4
                ? store_transformed<uint32_t>
                : store_transformed<uint64_t>)(gen, first, count, to, *weighing, layout, stream);
}
