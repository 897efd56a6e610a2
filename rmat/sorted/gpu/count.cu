/*
 * count.cu - counts edges of the stream between cells: a consumer of rmat_device.cuh finds the part
 * of each edge by bisection, and counts it in a register (one part), in shared memory (few), or in
 * device memory.
 */
#include "rmat/gpu/for_each.cuh"
#include "rmat/sorted/gpu/interval.h"

enum { FEW = 1024 /* parts up to which a block of threads counts in shared memory */ };

/* Adds to counts[i] the edges with codes from cells[i] on and before cells[i + 1]. */
struct cell_counter {
    struct state {
        uint64_t count; /* of the first part, if it is the only one */
    };
    const uint64_t *cells;
    unsigned long long *counts;
    uint64_t low, last; /* as in gpu_interval_gather */
    uint32_t n;         /* parts */
    int cols_scale;

    /* Counts of 32 bits will do: a piece has fewer than 2^32 edges. */
    static __device__ __forceinline__ uint32_t *shared()
    {
        __shared__ uint32_t few[FEW];

        return few;
    }
    __device__ __forceinline__ void begin(state &s) const
    {
        s.count = 0;
        if (n > 1 && n <= FEW) {
            for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
                shared()[i] = 0;
            }
            __syncthreads();
        }
    }
    __device__ __forceinline__ void operator()(state &s, uint64_t, uint64_t src, uint64_t dst) const
    {
        const uint64_t code = src << cols_scale | dst;
        uint32_t from = 0, to = n - 1;

        if (code - low > last) {
            return;
        }
        if (n == 1) {
            s.count++;
            return;
        }
        while (from < to) { /* the last cell that is not after the edge */
            const uint32_t middle = from + (to - from + 1) / 2;

            if (cells[middle] <= code) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        if (n <= FEW) {
            atomicAdd(&shared()[from], 1u);
        } else {
            atomicAdd(&counts[from], 1ull);
        }
    }
    __device__ __forceinline__ void end(state &s) const
    {
        if (n == 1) {
            for (int lane = 16; lane > 0; lane /= 2) {
                s.count += __shfl_down_sync(0xffffffffu, s.count, lane);
            }
            if (threadIdx.x % 32 == 0 && s.count != 0) {
                atomicAdd(counts, (unsigned long long)s.count);
            }
        } else if (n <= FEW) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
                if (shared()[i] != 0) {
                    atomicAdd(&counts[i], (unsigned long long)shared()[i]);
                }
            }
        }
    }
};

extern "C" int rmat_gpu_count_between(const rmat_gen *gen, uint64_t first, uint64_t count,
                                      uint32_t n, const uint64_t *cells, uint64_t low,
                                      uint64_t last, int cols_scale, unsigned long long *counts,
                                      cudaStream_t stream)
{
    const cell_counter counter = {cells, counts, low, last, n, cols_scale};

    return for_each_edge(gen, first, count, counter, stream);
}
