/*
 * keys.cu - sorts keys by CUB, with or without copies, and reads sorted keys: edges with their
 * weights, row pointers, the cells that are among them, and the number of edges of the lower half.
 *
 * A sample sort for these keys makes CSR of one interval 1.2 to 1.3 times as fast on an H200
 * (scales 24 to 28), but takes 600 lines.  Graphs by rows (rmat/rows/) need no sort and are three
 * times as fast.
 */
#include "alias/gpu/device.h"
#include "rmat/model/weight.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

/* CUB's counts have 32 bits before CUDA 13, so unique goes in pieces.  A piece begins with the last
 * key kept of the one before, and writes it again to its place. */
#define UNIQUE_PIECE ((uint64_t)1 << 30)

extern "C" int rmat_gpu_sort_scratch(uint64_t n, size_t *bytes)
{
    cub::DoubleBuffer<uint64_t> keys;
    const int piece = (int)(n <= UNIQUE_PIECE ? n : UNIQUE_PIECE + 1);
    size_t unique = 0;
    int st;

    *bytes = 0;
    RMAT_TRY_CUDA(ALIAS_GPU_CUB(cub::DeviceRadixSort::SortKeys(NULL, *bytes, keys, n)));
    RMAT_TRY_CUDA(ALIAS_GPU_CUB(cub::DeviceSelect::Unique(NULL, unique, (const uint64_t *)NULL,
                                                          (uint64_t *)NULL,
                                                          (unsigned long long *)NULL, piece)));
done:
    *bytes = unique > *bytes ? unique : *bytes;
    return st;
}

static void swap(uint64_t *keys[2])
{
    uint64_t *first = keys[0];

    keys[0] = keys[1];
    keys[1] = first;
}

extern "C" int rmat_gpu_sort(uint64_t *keys[2], uint64_t n, int bits, void *scratch,
                             size_t scratch_bytes, cudaStream_t stream)
{
    cub::DoubleBuffer<uint64_t> both(keys[0], keys[1]);

    if (n < 2 || bits == 0) {
        return RMAT_OK;
    }
    RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(
        cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, both, n, 0, bits, stream)));
    if (both.Current() != keys[0]) {
        swap(keys);
    }
    return RMAT_OK;
}

extern "C" int rmat_gpu_unique(uint64_t *keys[2], uint64_t *n, void *scratch, size_t scratch_bytes,
                               unsigned long long *result, cudaStream_t stream)
{
    const uint64_t *from = keys[0];
    uint64_t *to = keys[1], kept = 0;

    for (uint64_t at = 0; at < *n;) {
        const uint64_t left = *n - at, piece = left < UNIQUE_PIECE ? left : UNIQUE_PIECE;
        const uint64_t again = at != 0; /* 1: the key before is read again */
        unsigned long long selected = again;

        RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(
            cub::DeviceSelect::Unique(scratch, scratch_bytes, from + (at - again),
                                      to + (kept - again), result, (int)(piece + again), stream)));
        RMAT_CUDA_OR_RETURN(
            cudaMemcpyAsync(&selected, result, sizeof selected, cudaMemcpyDeviceToHost, stream));
        RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(stream));
        kept += selected - again;
        at += piece;
    }
    *n = kept;
    swap(keys);
    return RMAT_OK;
}

/* --- Reading --- */

enum { THREADS = 256, UNROLL = 4, ROWS = 2048 /* pointers that a block makes at a time */ };

/* How many of the sorted keys are below this one, if between `from` and `to` are. */
static __device__ __forceinline__ uint64_t rmat_below(const uint64_t *keys, uint64_t from,
                                                      uint64_t to, uint64_t key)
{
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;

        if (keys[middle] < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* The sorted keys of an interval. */
struct key_list : gpu_interval_keys {
    __device__ __forceinline__ uint64_t code(uint64_t i) const
    {
        return low + (single ? 0 : keys[i]);
    }
    __device__ __forceinline__ uint64_t src(uint64_t c) const
    {
        return c >> cols_scale;
    }
    __device__ __forceinline__ uint64_t dst(uint64_t c) const
    {
        return c & (((uint64_t)1 << cols_scale) - 1);
    }

    /* The first key of [from, to) whose source is not below the row; `to` if there is none. */
    __device__ __forceinline__ uint64_t search(uint64_t row, uint64_t from, uint64_t to) const
    {
        if (row <= src(low)) {
            return from;
        }
        if (single || row > src(low + last)) {
            return to;
        }
        return rmat_below(keys, from, to, (row << cols_scale) - low);
    }
};

/* The number of blocks for n elements, `each` per block, at most `most`. */
static unsigned grid(uint64_t n, uint64_t each, uint64_t most)
{
    const uint64_t blocks = (n + each - 1) / each;

    return (unsigned)(blocks < most ? blocks : most);
}

static __global__ void __launch_bounds__(THREADS)
    lower_kernel(key_list list, unsigned long long *result)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    uint64_t sum = 0;

#pragma unroll UNROLL
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < list.n; i += stride) {
        const uint64_t c = list.code(i);

        sum += list.src(c) >= list.dst(c);
    }
    for (int lane = 16; lane > 0; lane /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, lane);
    }
    if (threadIdx.x % 32 == 0 && sum != 0) {
        atomicAdd(result, (unsigned long long)sum);
    }
}

extern "C" int rmat_gpu_lower(const gpu_interval_keys *keys, unsigned long long *result,
                              cudaStream_t stream)
{
    if (keys->n == 0) {
        return RMAT_OK;
    }
    lower_kernel<<<grid(keys->n, THREADS * UNROLL, 4096), THREADS, 0, stream>>>(key_list{*keys},
                                                                                result);
    return rmat_gpu_launched();
}

static __global__ void __launch_bounds__(THREADS)
    has_kernel(key_list list, uint64_t n, const uint64_t *wanted, bool *found)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < n) {
        const uint64_t at = rmat_below(list.keys, 0, list.n, wanted[i]);

        found[i] = at < list.n && list.keys[at] == wanted[i];
    }
}

extern "C" int rmat_gpu_has(const gpu_interval_keys *keys, uint64_t n, const uint64_t *wanted,
                            bool *found, cudaStream_t stream)
{
    has_kernel<<<grid(n, THREADS, UINT32_MAX), THREADS, 0, stream>>>(key_list{*keys}, n, wanted,
                                                                     found);
    return rmat_gpu_launched();
}

/* A block of threads first finds where its rows begin and end among the keys: that leaves little to
 * search for each row. */
static __global__ void __launch_bounds__(THREADS)
    pointers_kernel(key_list list, uint64_t first_row, uint64_t count, uint64_t sum,
                    uint64_t *pointers)
{
    __shared__ uint64_t borders[2];

    for (uint64_t at = (uint64_t)blockIdx.x * ROWS; at < count; at += (uint64_t)gridDim.x * ROWS) {
        const uint64_t rows = min(count - at, (uint64_t)ROWS);

        __syncthreads();
        if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
            const uint64_t row = first_row + at + (threadIdx.x == 0 ? 0 : rows - 1);

            borders[threadIdx.x / 32] = list.search(row, 0, list.n);
        }
        __syncthreads();
        for (uint64_t i = threadIdx.x; i < rows; i += THREADS) {
            pointers[at + i] = sum + list.search(first_row + at + i, borders[0], borders[1]);
        }
    }
}

extern "C" int rmat_gpu_pointers(const gpu_interval_keys *keys, uint64_t first_row, uint64_t count,
                                 uint64_t sum, uint64_t *pointers, cudaStream_t stream)
{
    pointers_kernel<<<grid(count, ROWS, 1 << 20), THREADS, 0, stream>>>(key_list{*keys}, first_row,
                                                                        count, sum, pointers);
    return rmat_gpu_launched();
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    read_kernel(key_list list, uint64_t first, uint64_t count, T *src, T *dst, uint32_t *weight,
                rmat_weighing how)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

#pragma unroll UNROLL
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        const uint64_t c = list.code(first + i), s = list.src(c), d = list.dst(c);

        if (src != NULL) {
            src[i] = (T)s;
        }
        if (dst != NULL) {
            dst[i] = (T)d;
        }
        if (weight != NULL) {
            weight[i] = rmat_weight_of(&how, s, d);
        }
    }
}

extern "C" int rmat_gpu_read(const gpu_interval_keys *keys, uint64_t first, uint64_t count,
                             const rmat_arrays *to, const rmat_weighing *how, cudaStream_t stream)
{
    const unsigned blocks = grid(count, THREADS * UNROLL, 1 << 16);
    const key_list list = {*keys};

    if (to->id_bytes == 4) {
        read_kernel<<<blocks, THREADS, 0, stream>>>(list, first, count, (uint32_t *)to->src,
                                                    (uint32_t *)to->dst, (uint32_t *)to->weight,
                                                    *how);
    } else {
        read_kernel<<<blocks, THREADS, 0, stream>>>(list, first, count, (uint64_t *)to->src,
                                                    (uint64_t *)to->dst, (uint32_t *)to->weight,
                                                    *how);
    }
    return rmat_gpu_launched();
}
