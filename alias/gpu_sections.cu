/*
 * How many draws of a batch each section gets: the tree of alias/sections.h.  A block's first
 * thread descends from the root to the block's subtree; then the block expands that, one level at a
 * time, a thread for each node.  A node knows how many draws lie before it, so there is no scan.
 */
#include "alias/alias_device.cuh"
#include "alias/gpu_impl.h"

enum { SUBTREE_LEVELS = 8, SUBTREE = 1 << SUBTREE_LEVELS };

static __global__ void __launch_bounds__(SUBTREE)
    offsets_kernel(alias_sections layout, uint64_t seed, uint64_t first, uint64_t count,
                   uint64_t *offsets)
{
    __shared__ uint64_t total[SUBTREE], before[SUBTREE];
    const int top = layout.levels > SUBTREE_LEVELS ? layout.levels - SUBTREE_LEVELS : 0;
    const uint64_t node = blockIdx.x;
    const uint32_t i = threadIdx.x;
    uint64_t s;

    if (i == 0) {
        uint64_t here = count, skipped = 0;

        for (int level = 0; level < top; level++) {
            uint64_t left =
                alias_section_left(&layout, seed, first, level, node >> (top - level), here);

            if (node >> (top - level - 1) & 1) {
                skipped += left;
                here -= left;
            } else {
                here = left;
            }
        }
        total[0] = here;
        before[0] = skipped;
    }
    for (int level = top; level < layout.levels; level++) {
        const uint32_t nodes = 1u << (level - top);
        uint64_t here, skipped, left;

        __syncthreads();
        if (i < nodes) {
            here = total[i];
            skipped = before[i];
            left = alias_section_left(&layout, seed, first, level, node * nodes + i, here);
        }
        __syncthreads();
        if (i < nodes) {
            total[2 * i] = left;
            before[2 * i] = skipped;
            total[2 * i + 1] = here - left;
            before[2 * i + 1] = skipped + left;
        }
    }
    __syncthreads();
    s = (node << (layout.levels - top)) + i;
    if (i < 1u << (layout.levels - top) && s < layout.sections) {
        offsets[s] = before[i];
    }
    if (s == 0) {
        offsets[layout.sections] = count;
    }
}

int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets)
{
    const alias_gpu_state *state = (const alias_gpu_state *)table->gpu;
    uint64_t blocks;
    int st;

    *layout = alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    blocks = (layout->sections + SUBTREE - 1) / SUBTREE;
    st = alias_gpu_status(cudaMallocFromPoolAsync(
        (void **)offsets, (layout->sections + 1) * sizeof(**offsets), state->pool, stream));
    if (st != ALIAS_OK) {
        return st;
    }
    offsets_kernel<<<(unsigned)blocks, SUBTREE, 0, stream>>>(*layout, seed, first, count, *offsets);
    st = alias_gpu_launched();
    if (st != ALIAS_OK) {
        (void)cudaFreeAsync(*offsets, stream);
    }
    return st;
}

int alias_sections_end(uint64_t *offsets, cudaStream_t stream)
{
    return alias_gpu_status(cudaFreeAsync(offsets, stream));
}
