/* Grid-stride loops of the benchmarks' plain kernels. */
#ifndef APPS_BENCH_GRID_CUH
#define APPS_BENCH_GRID_CUH

#include <stdint.h>

static const int threads = 512; /* of a block */

static inline unsigned grid_for(uint64_t items)
{
    uint64_t blocks = (items + threads - 1) / threads;

    return (unsigned)(blocks < 1 ? 1 : blocks < 4096 ? blocks : 4096);
}

#define FOR_EACH(i, n)                                                                             \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);                    \
         i += (uint64_t)gridDim.x * blockDim.x)

#endif
