/*
 * alias/gpu/sample_sections.cu - the sectioned samplers into device memory: alias_section_kernel()
 * of alias/gpu/section_kernel.cuh, instantiated for every row layout and output width.
 */
#include "alias/alias_device.cuh"
#include "alias/gpu/state.h"

template <typename T>
static int draw(const alias_view &view, const alias_sections &layout, const uint64_t *offsets,
                alias_sampler sampler, uint64_t seed, uint64_t first, uint64_t begin, uint64_t last,
                T *out, cudaStream_t stream)
{
    return alias_with_store(out, first + begin, [&](auto store) {
        using C = decltype(store);
        auto launch = view.row_bytes == 8
                          ? (view.alias != NULL ? alias_launch_sections<false, true, C>
                                                : alias_launch_sections<false, false, C>)
                          : (view.alias != NULL ? alias_launch_sections<true, true, C>
                                                : alias_launch_sections<true, false, C>);

        return launch(view, layout, offsets, sampler, seed, first, begin, last, store, stream);
    });
}

int alias_gpu_draw_sections(const alias_view *view, const alias_sections *layout,
                            const uint64_t *offsets, alias_sampler sampler, uint64_t seed,
                            uint64_t first, uint64_t begin, uint64_t last, void *out, bool wide_out,
                            cudaStream_t stream)
{
    return wide_out ? draw(*view, *layout, offsets, sampler, seed, first, begin, last,
                           (uint64_t *)out, stream)
                    : draw(*view, *layout, offsets, sampler, seed, first, begin, last,
                           (uint32_t *)out, stream);
}
