/*
 * alias_device.cuh - drawing from alias tables inside kernels, for callers who compile .cu files.
 *
 * A consumer takes the draws where they are made, in the registers of the thread that made them:
 *
 *     struct consumer {
 *         struct state { ... };                    a thread's own
 *         __device__ void begin(state &) const;    before the thread's first draw
 *         __device__ void operator()(state &, uint64_t t, uint64_t item) const;
 *         __device__ void end(state &) const;      after its last; other threads may be drawing
 *     };
 *
 * alias_for_each_draw() copies it to the kernel by value, where it is inlined, and hands it each
 * draw t of [first, first + count) exactly once, in no order.  Which thread gets which draw depends
 * on the GPU; the items do not: they are those of alias_sample32_device() (alias_gpu.h).
 *
 * A consumer may also have four(state &, t, item, whole), for draws t to t + 3 at once: t is a
 * multiple of 4, item an array of uint32_t (8-byte rows) or uint64_t, and whole, a constant, says
 * that all lanes of the warp call it together, each with the next t.  alias_store and alias_sum
 * below are examples.
 *
 * For single draws in a kernel of one's own: alias_rows<wide, soa>{view}.draw(bits), with 64 random
 * bits, such as alias_draw_bits(seed, t) of alias/core/draw.h.
 */
#ifndef ALIAS_ALIAS_DEVICE_CUH
#define ALIAS_ALIAS_DEVICE_CUH

#include "alias/gpu/draw_kernel.cuh"
#include "alias/gpu/section_kernel.cuh"

/* In the library. */
#pragma GCC visibility push(default)
extern "C" {
/* What became of the launch before. */
int alias_gpu_launched(void);
int alias_gpu_status(cudaError_t error);

/* Makes a GPU current; returns the one that was, for alias_gpu_leave(). */
int alias_gpu_enter(int device, int *before);
void alias_gpu_leave(int before);

/* The sections of a table, and the offsets of the batch's sections (and its count behind them) in
 * device memory, on their way in the stream; to be given back there. */
int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets);
int alias_sections_end(uint64_t *offsets, cudaStream_t stream);
}
#pragma GCC visibility pop

/* A full GPU of blocks, or fewer if there is no work for them. */
template <typename Kernel>
int alias_draw_grid(Kernel kernel, int threads, size_t shared, uint64_t fours, int *grid)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, blocks, most;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess && shared > 48 * 1024) {
        error = cudaFuncGetAttributes(&attributes, kernel);
        if (error == cudaSuccess) {
            error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        }
        if (error == cudaSuccess) { /* always the same, as other threads may be doing this, too */
            error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         most - (int)attributes.sharedSizeBytes);
        }
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    *grid = multiprocessors * blocks;
    if ((uint64_t)*grid > (fours + threads - 1) / threads) {
        *grid = (int)((fours + threads - 1) / threads);
    }
    return ALIAS_OK;
}

template <bool wide, bool soa, typename C>
int alias_launch_baseline(const alias_view &view, uint64_t seed, uint64_t first, uint64_t last,
                          const C &consumer, cudaStream_t stream)
{
    typedef alias_rows<wide, soa> Rows;
    int grid = 0, st = alias_draw_grid(alias_draw_kernel<Rows, C>, ALIAS_DRAW_THREADS, 0,
                                       (last >> 2) - (first >> 2) + 1, &grid);

    if (st == ALIAS_OK) {
        alias_draw_kernel<<<grid, ALIAS_DRAW_THREADS, 0, stream>>>(Rows{view}, seed, first, last,
                                                                   consumer);
        st = alias_gpu_launched();
    }
    return st;
}

template <int threads, int blocks, typename Section, typename Rows, typename C>
int alias_launch_section_kernel(const Rows &rows, const alias_sections &layout,
                                const uint64_t *offsets, size_t shared, uint64_t seed,
                                uint64_t first, uint64_t begin, uint64_t last, const C &consumer,
                                cudaStream_t stream)
{
    auto kernel = alias_section_kernel<threads, blocks, Section, Rows, C>;
    const uint64_t fours = ((first + last) >> 2) - ((first + begin) >> 2) + 1;
    int grid = 0, st = alias_draw_grid(kernel, threads, shared, fours, &grid);

    if (st == ALIAS_OK) {
        const uint64_t rounds = fours / layout.sections >= ALIAS_SECTION_SHARE
                                    ? fours / ALIAS_SECTION_SHARE / grid + 1
                                    : 1;

        kernel<<<grid, threads, shared, stream>>>(rows, layout, offsets, seed, first, begin, last,
                                                  (fours - 1) / (grid * rounds) + 1, consumer);
        st = alias_gpu_launched();
    }
    return st;
}

template <bool wide, bool soa, typename C>
int alias_launch_sections(const alias_view &view, const alias_sections &layout,
                          const uint64_t *offsets, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t begin, uint64_t last, const C &consumer,
                          cudaStream_t stream)
{
    typedef alias_rows<wide, soa> Rows;
    size_t shared = alias_section_room(&layout) * (size_t)view.row_bytes;
    int device, all;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    switch (sampler) {
    case ALIAS_SAMPLER_SHARED:
        if (shared > (size_t)all) {
            return ALIAS_ERR_ARG;
        }
        return alias_launch_section_kernel<ALIAS_SECTION_THREADS, ALIAS_SECTION_BLOCKS,
                                           alias_shared_section<wide, soa, ALIAS_SECTION_THREADS>>(
            Rows{view}, layout, offsets, shared, seed, first, begin, last, consumer, stream);
    case ALIAS_SAMPLER_LIMITED:
        /* Just over half of an SM's shared memory keeps a second block away; the rest is cache. */
        return alias_launch_section_kernel<1024, 1, alias_cached_section<Rows>>(
            Rows{view}, layout, offsets, (size_t)all / 2 + 1024, seed, first, begin, last, consumer,
            stream);
    default:
        return alias_launch_section_kernel<ALIAS_SECTION_THREADS, ALIAS_SECTION_BLOCKS,
                                           alias_cached_section<Rows>>(
            Rows{view}, layout, offsets, 0, seed, first, begin, last, consumer, stream);
    }
}

/*
 * Starts draws [first, first + count) by a sampler, to be handed to a consumer, and returns at
 * once. The table's GPU must be the current one.  Errors as for alias_sample32_device().
 */
template <typename C>
int alias_for_each_draw(const alias_table *table, alias_sampler sampler, uint64_t seed,
                        uint64_t first, uint64_t count, const C &consumer, cudaStream_t stream)
{
    const uint64_t last = first + (count - 1);
    alias_sections layout;
    uint64_t *offsets;
    alias_view view;
    bool wide, soa;
    int end, st = alias_get_view(table, &view);

    if (st != ALIAS_OK || count == 0) {
        return st;
    }
    if (last < first) {
        return ALIAS_ERR_RANGE;
    }
    if (sampler == ALIAS_SAMPLER_AUTO) {
        sampler = alias_best_sampler(table, count);
    }
    wide = view.row_bytes == 16;
    soa = view.alias != NULL;
    if (sampler == ALIAS_SAMPLER_BASELINE) {
        auto launch = wide ? (soa ? alias_launch_baseline<true, true, C>
                                  : alias_launch_baseline<true, false, C>)
                           : (soa ? alias_launch_baseline<false, true, C>
                                  : alias_launch_baseline<false, false, C>);

        return launch(view, seed, first, last, consumer, stream);
    }
    st = alias_sections_begin(table, seed, first, count, stream, &layout, &offsets);
    if (st != ALIAS_OK) {
        return st;
    }
    auto launch =
        wide ? (soa ? alias_launch_sections<true, true, C> : alias_launch_sections<true, false, C>)
             : (soa ? alias_launch_sections<false, true, C>
                    : alias_launch_sections<false, false, C>);
    st = launch(view, layout, offsets, sampler, seed, first, 0, count - 1, consumer, stream);
    end = alias_sections_end(offsets, stream);
    return st != ALIAS_OK ? st : end;
}

#endif
