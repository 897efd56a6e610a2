/*
 * search.cu - consumers of rmat_device.cuh that count the edges between cells, and find those that
 * a sorted interval lacks.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/for_each.cuh"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

#include <cub/device/device_merge_sort.cuh>

/*
 * Counts edges of the stream between cells: the consumer finds the part of each edge by bisection,
 * and counts it in a register (one part), in shared memory (few), or in device memory.
 */
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

/*
 * Finds edges of the stream that a sorted interval lacks: the consumer searches the keys for each
 * edge of the interval; sorting leaves the first occurrence of each (search.c).
 */
struct unseen_finder {
    struct state {
    };
    gpu_interval_keys keys;
    rmat_first_seen *list;
    uint64_t room;
    unsigned long long *found;

    __device__ __forceinline__ void begin(state &) const
    {
    }
    __device__ __forceinline__ void end(state &) const
    {
    }
    __device__ __forceinline__ void operator()(state &, uint64_t e, uint64_t src,
                                               uint64_t dst) const
    {
        const uint64_t key = (src << keys.cols_scale | dst) - keys.low;

        if (key > keys.last) {
            return;
        }
        const uint64_t place = rmat_below(keys.keys, 0, keys.n, key);

        if (place < keys.n && keys.keys[place] == key) {
            return;
        }

        const uint64_t at = atomicAdd(found, 1ull);

        if (at < room) {
            list[at] = {{src, dst}, e};
        }
    }
};

extern "C" int rmat_gpu_find_unseen(const rmat_gen *gen, uint64_t first, uint64_t count,
                                    const gpu_interval_keys *keys, rmat_first_seen *list,
                                    uint64_t room, unsigned long long *found, cudaStream_t stream)
{
    return for_each_edge(gen, first, count, unseen_finder{*keys, list, room, found}, stream);
}

/* The order by cell and index, or by index alone. */
struct unseen_order {
    bool by_index;

    __device__ bool operator()(const rmat_first_seen &a, const rmat_first_seen &b) const
    {
        if (!by_index && a.cell.src != b.cell.src) {
            return a.cell.src < b.cell.src;
        }
        if (!by_index && a.cell.dst != b.cell.dst) {
            return a.cell.dst < b.cell.dst;
        }
        return a.index < b.index;
    }
};

extern "C" int rmat_gpu_unseen_scratch(uint64_t n, size_t *bytes)
{
    *bytes = 0;
    return rmat_gpu_status(ALIAS_GPU_CUB(cub::DeviceMergeSort::SortKeys(
        NULL, *bytes, (rmat_first_seen *)NULL, n, unseen_order{true})));
}

enum { THREADS = 256 };

/* Gives all copies but the first of each cell an index above all others, and counts the rest. */
static __global__ void __launch_bounds__(THREADS)
    copies_kernel(rmat_first_seen *list, uint64_t n, unsigned long long *result)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i >= n) {
        return;
    }
    if (i != 0 && list[i].cell.src == list[i - 1].cell.src &&
        list[i].cell.dst == list[i - 1].cell.dst) {
        list[i].index = UINT64_MAX;
    } else {
        atomicAdd(result, 1ull);
    }
}

extern "C" int rmat_gpu_settle_unseen(rmat_first_seen *list, uint64_t n, void *scratch,
                                      size_t scratch_bytes, unsigned long long *result,
                                      cudaStream_t stream)
{
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(result, 0, sizeof *result, stream));
    if (n == 0) {
        return RMAT_OK;
    }
    RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(cub::DeviceMergeSort::SortKeys(
        scratch, scratch_bytes, list, n, unseen_order{false}, stream)));
    copies_kernel<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(list, n, result);
    RMAT_OR_RETURN(rmat_gpu_launched());
    RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(cub::DeviceMergeSort::SortKeys(
        scratch, scratch_bytes, list, n, unseen_order{true}, stream)));
    return RMAT_OK;
}
