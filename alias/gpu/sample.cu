/*
 * alias/gpu/sample.cu - the kernels that draw into device memory: the numbers of draws of the
 * sections, and the samplers of alias/alias_device.cuh for every row layout and output width.
 *
 * At 1e9 rows and one draw per row the sectioned sampler is as fast as memory: it reads 8 GB and
 * writes 4 GB in 3.08 ms on an H200.  Kernels that only copy as much take 3.01 to 3.06 ms.
 */
#include "alias/alias_device.cuh"
#include "alias/gpu/binomial.cuh"
#include "alias/gpu/launch.cuh"
#include "alias/gpu/state.h"

/*
 * The number of draws of each section in a sectioned batch: the tree of alias/core/sections.h,
 * expanded in stages of up to nine levels.
 *
 * In each stage, a block expands one subtree level by level.  A group of threads tries the attempts
 * at each node's binomial variate together, because a level takes as long as its slowest variate.
 * Nodes are stored as the borders between their ranges of draws, so no prefix sum is needed.
 */
enum {
    STAGE_LEVELS = 9,
    STAGE_LEAVES = 1 << STAGE_LEVELS,
    GROUP = 4, /* threads for each variate */
    THREADS = 256
};

/* Expands node blockIdx.x of level from into the nodes of level to.  A node's draws begin at the
 * offset of its first section, which is how one stage passes its result to the next. */
static __global__ void __launch_bounds__(THREADS)
    expand_kernel(alias_sections layout, uint64_t seed, uint64_t first, uint64_t count, int from,
                  int to, uint64_t *offsets)
{
    __shared__ uint64_t borders[2][STAGE_LEAVES + 1];
    const uint64_t node = blockIdx.x;
    const uint32_t parallel = blockDim.x / GROUP, leader = threadIdx.x % GROUP == 0;
    const uint64_t *now = borders[0];
    uint64_t *next;

    alias_follow();
    if (threadIdx.x == 0) {
        const uint64_t begin = node << (layout.levels - from);
        const uint64_t end = (node + 1) << (layout.levels - from);

        borders[0][0] = from == 0 ? 0 : offsets[begin];
        borders[0][1] = end >= layout.sections ? count : offsets[end];
    }
    for (int level = from; level < to; level++) {
        const uint32_t nodes = 1u << (level - from);

        next = borders[(level - from + 1) & 1];
        __syncthreads();
        /* Warps without a node leave. */
        for (uint32_t base = 0; base + threadIdx.x / 32 * (32 / GROUP) < nodes; base += parallel) {
            const uint32_t i = base + threadIdx.x / GROUP;
            const bool exists = i < nodes;
            alias_section_node split = {0, 0, 0};
            uint64_t total = 0, left;
            bool random;

            if (exists) {
                split = alias_section_split(&layout, level, node * nodes + i);
                total = now[i + 1] - now[i];
            }
            random = total != 0 && split.left != split.all;
            left = alias_binomial_group<GROUP>(~0u, seed, first, split.node, total,
                                               random ? split.left : 0, random ? split.all : 1,
                                               random);
            if (exists && leader) {
                next[2 * i] = now[i];
                next[2 * i + 1] = now[i] + (random ? left : total);
                if (i + 1 == nodes) {
                    next[2 * nodes] = now[nodes];
                }
            }
        }
        now = next;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 1u << (to - from); i += blockDim.x) {
        const uint64_t s = ((node << (to - from)) + i) << (layout.levels - to);

        if (s < layout.sections && (i != 0 || from == 0)) {
            offsets[s] = now[i];
        }
    }
    if (from == 0 && threadIdx.x == 0) {
        offsets[layout.sections] = count;
    }
}

/* Starts the stages. */
static int expand_tree(const alias_sections *layout, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *offsets, cudaStream_t stream)
{
    const int levels = layout->levels, stages = levels / STAGE_LEVELS + 1;

    for (int stage = 0; stage < stages; stage++) {
        const int from = levels * stage / stages, to = levels * (stage + 1) / stages;
        const uint64_t blocks = (layout->sections - 1 >> (levels - from)) + 1;
        int threads = 32;

        while (threads < THREADS && threads < GROUP << (to - from) >> 1) {
            threads *= 2;
        }
        ALIAS_OR_RETURN(alias_launch(true, expand_kernel, (unsigned)blocks, threads, 0, stream,
                                     *layout, seed, first, count, from, to, offsets));
    }
    return ALIAS_OK;
}

int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets)
{
    const alias_gpu_state *state = (const alias_gpu_state *)table->gpu;
    uint64_t *memory = NULL;
    int st;

    *layout = alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    st = alias_gpu_status(cudaMallocFromPoolAsync(
        (void **)&memory, (layout->sections + 1) * sizeof(*memory), state->pool, stream));
    if (st == ALIAS_OK) {
        st = expand_tree(layout, seed, first, count, memory, stream);
        if (st != ALIAS_OK) {
            (void)cudaFreeAsync(memory, stream);
            memory = NULL;
        }
    }
    *offsets = memory;
    return st;
}

int alias_sections_end(uint64_t *offsets, cudaStream_t stream)
{
    return alias_gpu_status(cudaFreeAsync(offsets, stream));
}

/*
 * The sectioned samplers into device memory: alias_section_kernel() of
 * alias/gpu/section_kernel.cuh, instantiated for every row layout and output width.
 */
template <typename T>
static int draw_sections(const alias_view &view, const alias_sections &layout,
                         const uint64_t *offsets, alias_sampler sampler, uint64_t seed,
                         uint64_t first, uint64_t begin, uint64_t last, T *out, cudaStream_t stream)
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
    return wide_out ? draw_sections(*view, *layout, offsets, sampler, seed, first, begin, last,
                                    (uint64_t *)out, stream)
                    : draw_sections(*view, *layout, offsets, sampler, seed, first, begin, last,
                                    (uint32_t *)out, stream);
}

/*
 * The baseline sampler into device memory: alias_draw_kernel() of alias/gpu/draw.cuh,
 * instantiated for every row layout and output width.
 */
template <typename T>
static int draw_baseline(const alias_view &view, uint64_t seed, uint64_t first, uint64_t last,
                         T *out, cudaStream_t stream)
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
    return wide_out ? draw_baseline(*view, seed, first, last, (uint64_t *)out, stream)
                    : draw_baseline(*view, seed, first, last, (uint32_t *)out, stream);
}
