/*
 * alias/alias_device.cuh - draws from alias tables inside kernels, for callers who compile .cu
 * files (C++17).
 *
 * A consumer receives draws in the registers of the thread that made them, without a detour through
 * memory.  It is a type of this form:
 *
 *     struct consumer {
 *         struct state { ... }; one for each thread, kept between its draws __device__ void
 *         begin(state &) const; called before the thread's first draw __device__ void
 *         operator()(state &, uint64_t t, uint64_t item) const; __device__ void end(state &) const;
 *         called after its last draw, while other threads
 *     };                                           may still be drawing
 *
 * alias_for_each_draw() passes a copy of the consumer to the kernel, which inlines its functions.
 * It calls operator() for each draw t of [first, first + count) exactly once, in no particular
 * order.  The assignment of draws to threads depends on the GPU.  The items do not: they are those
 * of alias_sample32_device() in alias/alias_gpu.h.
 *
 * A consumer may also have a member four(state &, t, item, whole), which receives draws t to t + 3
 * together.  t is a multiple of 4, and item an array of four uint32_t (8-byte rows) or uint64_t
 * (16-byte rows).  whole is a constant: whether all lanes of the warp make the call together, each
 * with the next t. alias_store and alias_sum (alias/gpu/draw.cuh) are examples.  The sectioned
 * samplers run 3 blocks of 512 threads on a multiprocessor.
 *
 * Single draws inside a kernel: alias_rows<wide>{view}.draw(bits), with the view of
 * alias_get_view() and 64 random bits such as alias_draw_bits(seed, t) of alias/core/draw.h.
 */
#ifndef ALIAS_ALIAS_DEVICE_CUH
#define ALIAS_ALIAS_DEVICE_CUH

#include "alias/gpu/draw.cuh"

#pragma GCC visibility push(default)
extern "C" {

/*
 * Returns the sections of a GPU table in *layout, and starts to compute on the stream the offsets
 * of all sections in the batch. *offsets points to layout->sections + 1 values in device memory;
 * the last one is count.  The table's GPU must be the current one.  Returns 0 or an alias_status;
 * on an error *offsets is NULL.
 */
int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets);

/* Frees the offsets in stream order. */
int alias_sections_end(uint64_t *offsets, cudaStream_t stream);
}
#pragma GCC visibility pop

/* Sets *grid to the number of blocks that fill the GPU, or fewer if the fours (Philox blocks or
 * groups of four draws) are fewer than their threads; prepares the kernel for its shared memory. */
template <typename Kernel>
int alias_draw_grid(Kernel kernel, int threads, size_t shared, uint64_t fours, int *grid)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, blocks, most;

    ALIAS_GPU_OR_RETURN(cudaGetDevice(&device));
    if (shared > 48 * 1024) {
        ALIAS_GPU_OR_RETURN(cudaFuncGetAttributes(&attributes, kernel));
        ALIAS_GPU_OR_RETURN(
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        /* The same value in every call, since other threads may be setting it as well. */
        ALIAS_GPU_OR_RETURN(cudaFuncSetAttribute(kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 most - (int)attributes.sharedSizeBytes));
    }
    ALIAS_GPU_OR_RETURN(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ALIAS_GPU_OR_RETURN(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    *grid = multiprocessors * blocks;
    if ((uint64_t)*grid > (fours + threads - 1) / threads) {
        *grid = (int)((fours + threads - 1) / threads);
    }
    return ALIAS_OK;
}

/* Starts the baseline's draws [first, last], both inclusive. */
template <bool wide, typename C>
int alias_launch_baseline(const alias_view &view, uint64_t seed, uint64_t first, uint64_t last,
                          const C &consumer, cudaStream_t stream)
{
    typedef alias_rows<wide> Rows;
    int grid = 0, st = alias_draw_grid(alias_draw_kernel<Rows, C>, ALIAS_DRAW_THREADS, 0,
                                       (last >> 2) - (first >> 2) + 1, &grid);

    if (st == ALIAS_OK) {
        alias_draw_kernel<<<grid, ALIAS_DRAW_THREADS, 0, stream>>>(Rows{view}, seed, first, last,
                                                                   consumer);
        st = alias_gpu_launched();
    }
    return st;
}

/* Starts positions [begin, last], both inclusive, of the sectioned batch that begins with draw
 * first; shared: bytes of shared memory per block. */
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
        uint64_t share = 0;

        if (fours / layout.sections >= ALIAS_SECTION_SHARE) {
            share = (fours - 1) / (grid * (fours / ALIAS_SECTION_SHARE / grid + 1)) + 1;
        } else if (layout.sections / ALIAS_SECTION_TURNS < (uint64_t)grid) {
            share = (fours - 1) / grid + 1;
        }
        st = alias_launch(Section::copies, kernel, (unsigned)grid, threads, shared, stream, rows,
                          layout, offsets, seed, first, begin, last, share, consumer);
    }
    return st;
}

/* Starts the same positions by any of the sectioned samplers. */
template <bool wide, typename C>
int alias_launch_sections(const alias_view &view, const alias_sections &layout,
                          const uint64_t *offsets, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t begin, uint64_t last, const C &consumer,
                          cudaStream_t stream)
{
    typedef alias_rows<wide> Rows;
    size_t shared = alias_section_room(&layout) * (size_t)view.row_bytes;
    int device, all;

    ALIAS_GPU_OR_RETURN(cudaGetDevice(&device));
    ALIAS_GPU_OR_RETURN(
        cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    switch (sampler) {
    case ALIAS_SAMPLER_SHARED:
        if (shared > (size_t)all) {
            return ALIAS_ERR_ARG;
        }
        return alias_launch_section_kernel<ALIAS_SECTION_THREADS, ALIAS_SECTION_BLOCKS,
                                           alias_shared_section<wide, ALIAS_SECTION_THREADS>>(
            Rows{view}, layout, offsets, shared, seed, first, begin, last, consumer, stream);
    case ALIAS_SAMPLER_LIMITED:
        /* Asking for just over half of an SM's shared memory keeps a second block from running
         * there; the rest serves as cache. */
        return alias_launch_section_kernel<1024, 1, alias_cached_section<Rows>>(
            Rows{view}, layout, offsets, (size_t)all / 2 + 1024, seed, first, begin, last, consumer,
            stream);
    default:
        return alias_launch_section_kernel<ALIAS_SECTION_THREADS, ALIAS_SECTION_BLOCKS,
                                           alias_cached_section<Rows>>(
            Rows{view}, layout, offsets, 0, seed, first, begin, last, consumer, stream);
    }
}

/* Starts draws [first, first + count) by a sampler on the stream, passes them to the consumer, and
 * returns immediately.  The table's GPU must be the current one.  Returns 0 or a negative status,
 * as alias_sample32_device() does. */
template <typename C>
int alias_for_each_draw(const alias_table *table, alias_sampler sampler, uint64_t seed,
                        uint64_t first, uint64_t count, const C &consumer, cudaStream_t stream)
{
    const uint64_t last = first + (count - 1);
    alias_sections layout;
    uint64_t *offsets;
    alias_view view;
    bool wide;
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
    if (sampler == ALIAS_SAMPLER_BASELINE) {
        auto launch = wide ? alias_launch_baseline<true, C> : alias_launch_baseline<false, C>;

        return launch(view, seed, first, last, consumer, stream);
    }
    st = alias_sections_begin(table, seed, first, count, stream, &layout, &offsets);
    if (st != ALIAS_OK) {
        return st;
    }
    auto launch = wide ? alias_launch_sections<true, C> : alias_launch_sections<false, C>;
    st = launch(view, layout, offsets, sampler, seed, first, 0, count - 1, consumer, stream);
    end = alias_sections_end(offsets, stream);
    return st != ALIAS_OK ? st : end;
}

#endif
