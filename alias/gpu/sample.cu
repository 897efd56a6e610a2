/*
 * alias/gpu/sample.cu - the baseline sampler into device memory: alias_draw_kernel() of
 * alias/gpu/draw_kernel.cuh, instantiated for every row layout and output width.
 */
#include "alias/alias_device.cuh"
#include "alias/gpu/state.h"

template <typename T>
static int draw(const alias_view &view, uint64_t seed, uint64_t first, uint64_t last, T *out,
                cudaStream_t stream)
{
    return alias_with_store(out, first, [&](auto store) {
        using C = decltype(store);
        auto launch = view.row_bytes == 8
                          ? (view.alias != NULL ? alias_launch_baseline<false, true, C>
                                                : alias_launch_baseline<false, false, C>)
                          : (view.alias != NULL ? alias_launch_baseline<true, true, C>
                                                : alias_launch_baseline<true, false, C>);

        return launch(view, seed, first, last, store, stream);
    });
}

int alias_gpu_draw(const alias_view *view, uint64_t seed, uint64_t first, uint64_t last, void *out,
                   bool wide_out, cudaStream_t stream)
{
    return wide_out ? draw(*view, seed, first, last, (uint64_t *)out, stream)
                    : draw(*view, seed, first, last, (uint32_t *)out, stream);
}
