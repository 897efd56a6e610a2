/*
 * alias/gpu/draw_kernel.cuh - the kernel of the baseline sampler: each thread draws from the whole
 * table, eight draws at a time, so that the loads of their rows overlap.
 */
#ifndef ALIAS_GPU_DRAW_KERNEL_CUH
#define ALIAS_GPU_DRAW_KERNEL_CUH

#include "alias/gpu/draw_rows.cuh"

enum { ALIAS_DRAW_THREADS = 256 };

/* Makes draws [first, last], both inclusive, and passes them to the consumer. */
template <typename Rows, typename C>
__global__ static void __launch_bounds__(ALIAS_DRAW_THREADS)
    alias_draw_kernel(Rows rows, uint64_t seed, uint64_t first, uint64_t last, C consumer)
{
    enum { GROUPS = 2 }; /* of four draws, at a time */
    const uint64_t threads = (uint64_t)gridDim.x * ALIAS_DRAW_THREADS;
    const uint64_t end = last >> 2;
    typename Rows::word item[GROUPS][4];
    typename Rows::pair row[GROUPS][4];
    alias_spot spot[GROUPS][4];
    typename C::state state;
    uint64_t q = (first >> 2) + (uint64_t)blockIdx.x * ALIAS_DRAW_THREADS + threadIdx.x;

    consumer.begin(state);
    for (; q <= end; q += GROUPS * threads) {
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                philox_block b = philox_at(seed, 2 * (q + g * threads) + h, 0, PHILOX_ALIAS_DRAW);

#pragma unroll
                for (int j = 0; j < 2; j++) {
                    uint64_t bits = b.v[2 * j] | (uint64_t)b.v[2 * j + 1] << 32;

                    spot[g][2 * h + j] =
                        alias_section_spot(rows.view.n, Rows::is_wide ? rows.view.k : 32, bits);
                    row[g][2 * h + j] = rows.load(spot[g][2 * h + j].bucket);
                }
            }
        }
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            uint64_t t = 4 * (q + g * threads);

#pragma unroll
            for (int j = 0; j < 4; j++) {
                item[g][j] = (typename Rows::word)spot[g][j].offset < row[g][j].x
                                 ? (typename Rows::word)spot[g][j].bucket
                                 : (typename Rows::word)row[g][j].y;
            }
            if (q + g * threads > end) {
                break;
            }
            if (t >= first && last - t >= 3) {
                alias_consume(consumer, state, t, item[g], false, 0);
            } else {
                for (int j = 0; j < 4; j++) {
                    if (t + j >= first && t + j <= last) {
                        consumer(state, t + j, item[g][j]);
                    }
                }
            }
        }
    }
    consumer.end(state);
}

#endif
