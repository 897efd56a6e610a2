/* arrays_bounded.cu - any edges into arrays of any alignment in device memory, by the kernels for
 * all transformations.  arrays.cu and arrays_transformed.cu have faster kernels for other graphs
 * and aligned arrays. */
#include "rmat/gpu/array_sinks.cuh"
#include "rmat/try.h"

template <>
void rmat_launch_second(const rmat_piece &p, const edge_store<uint32_t, ANY> &single,
                        const rmat_first_run &run, int blocks, cudaStream_t stream)
{
    rmat_second_kernel<<<blocks, RMAT_SETTLE_THREADS, 0, stream>>>(p, single, run);
}

template <>
void rmat_launch_second(const rmat_piece &p, const edge_store<uint64_t, ANY> &single,
                        const rmat_first_run &run, int blocks, cudaStream_t stream)
{
    rmat_second_kernel<<<blocks, RMAT_SETTLE_THREADS, 0, stream>>>(p, single, run);
}

template <typename T>
static int store_bounded(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                         const rmat_weighing &how, rmat_layout layout, cudaStream_t stream)
{
    rmat_view view;

    RMAT_OR_RETURN(rmat_get_device_view(gen, &view));

    const bool symmetric = (view.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const edge_store<T, ANY> sink = edge_place<T>(to, how, layout, symmetric, first);

    return rmat_run_transformed(gen, view, first, count, sink, sink, stream);
}

extern "C" int rmat_gpu_store_bounded(const rmat_gen *gen, uint64_t first, uint64_t count,
                                      const rmat_arrays *to, const rmat_weighing *weighing,
                                      rmat_layout layout, cudaStream_t stream)
{
    return (to->id_bytes == 4
                ? store_bounded<uint32_t>
                : store_bounded<uint64_t>)(gen, first, count, to, *weighing, layout, stream);
}
