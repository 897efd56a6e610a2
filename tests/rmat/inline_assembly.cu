/*
 * inline_assembly.cu - the inline assembly of the kernels' headers, in kernels that do nothing
 * else.
 *
 * Where no GPU can run kernels, test.sh has them checked but not compiled, and this alone is
 * assembled, with the sources that have assembly of their own.  It is never run: what the
 * instructions do is tested by those kernels on a GPU.
 */
#include "alias/gpu/section_kernel.cuh"
#include "rmat/gpu/official.cu"
#include "rmat/rows/cells.cuh"

template <bool wide, bool soa>
__global__ void load_from_section(alias_rows<wide, soa> rows,
                                  typename alias_rows<wide, soa>::word *to)
{
    alias_shared_section<wide, soa, 256> section(rows, 64);

    alias_follow();
    section.open(0, 64);
    to[threadIdx.x] = section.load(threadIdx.x % 64).y;
}

template __global__ void load_from_section<false, false>(alias_rows<false, false>, uint32_t *);
template __global__ void load_from_section<false, true>(alias_rows<false, true>, uint32_t *);
template __global__ void load_from_section<true, false>(alias_rows<true, false>, uint64_t *);
template __global__ void load_from_section<true, true>(alias_rows<true, true>, uint64_t *);

__global__ void draw_groups(const uint32_t *table, uint32_t word, uint32_t *to)
{
    bool tie = false;
    const uint32_t x = draw_group<0>(table, word, 1, SLACK, &tie) +
                       draw_group<1>(table, word, 2, SLACK, &tie) +
                       draw_group<2>(table, word, 3, SLACK, &tie) +
                       draw_group<3>(table, word, 4, LAST_SLACK, &tie);

    *to = sum_lanes(x + tie);
}
