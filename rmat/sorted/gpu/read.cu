/*
 * read.cu - reads sorted keys: edges with their weights, row pointers, places of cells, and the
 * number of edges of the lower half; turns cells into keys, and merges them with sorted ones.
 */
#include "rmat/model/weight.h"
#include "rmat/sorted/gpu/interval.h"

enum { MERGE_THREADS = 256, MERGE_TILE = 4096 /* keys that a block takes at a time */ };

static __global__ void __launch_bounds__(MERGE_THREADS)
    keys_kernel(gpu_interval_keys like, uint64_t n, const rmat_first_seen *list, void *keys)
{
    const uint64_t i = (uint64_t)blockIdx.x * MERGE_THREADS + threadIdx.x;

    if (i < n) {
        const rmat_code key =
            ((rmat_code)list[i].cell.src << like.cols_scale | list[i].cell.dst) - like.low;

        if (like.key_bytes == 8) {
            ((uint64_t *)keys)[i] = (uint64_t)key;
        } else {
            ((rmat_code *)keys)[i] = key;
        }
    }
}

extern "C" int rmat_gpu_keys_of(const gpu_interval_keys *like, uint64_t n,
                                const rmat_first_seen *list, void *keys, cudaStream_t stream)
{
    keys_kernel<<<(unsigned)((n + MERGE_THREADS - 1) / MERGE_THREADS), MERGE_THREADS, 0, stream>>>(
        *like, n, list, keys);
    return rmat_gpu_launched();
}

/* No key is in both arrays, so the place of a key is its rank in its own array plus that in the
 * other.  A block takes a tile of the longer array a, and first finds the part of b that the tile's
 * keys can fall into. */
template <typename K>
static __global__ void __launch_bounds__(MERGE_THREADS)
    merge_kernel(const K *a, uint64_t n, const K *b, uint64_t m, K *to)
{
    __shared__ uint64_t borders[2];
    const uint64_t tiles = (n + MERGE_TILE - 1) / MERGE_TILE;

    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const uint64_t first = t * MERGE_TILE, end = min(first + MERGE_TILE, n);

        __syncthreads();
        if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
            borders[threadIdx.x / 32] = rmat_below(b, 0, m, a[threadIdx.x == 0 ? first : end - 1]);
        }
        __syncthreads();
        for (uint64_t i = first + threadIdx.x; i < end; i += MERGE_THREADS) {
            const K key = a[i];

            to[i + rmat_below(b, borders[0], borders[1], key)] = key;
        }
    }
    for (uint64_t i = (uint64_t)blockIdx.x * MERGE_THREADS + threadIdx.x; i < m;
         i += (uint64_t)gridDim.x * MERGE_THREADS) {
        to[i + rmat_below(a, 0, n, b[i])] = b[i];
    }
}

template <typename K>
static void merge_keys(const void *keys, uint64_t n, uint64_t m, void *to, cudaStream_t stream)
{
    const uint64_t tiles = (n + m + MERGE_TILE - 1) / MERGE_TILE;
    const K *a = (const K *)keys;

    merge_kernel<<<(unsigned)(tiles < 65536 ? tiles : 65536), MERGE_THREADS, 0, stream>>>(
        a, n, a + n, m, (K *)to);
}

extern "C" int rmat_gpu_merge(const gpu_interval_keys *keys, uint64_t m, void *to,
                              cudaStream_t stream)
{
    if (keys->key_bytes == 8) {
        merge_keys<uint64_t>(keys->keys, keys->n, m, to, stream);
    } else {
        merge_keys<rmat_code>(keys->keys, keys->n, m, to, stream);
    }
    return rmat_gpu_launched();
}

enum { THREADS = 256, UNROLL = 4, ROWS = 2048 /* pointers that a block makes at a time */ };

/* The sorted keys of an interval, of either width. */
template <typename K> struct key_list {
    const K *keys;
    uint64_t n;
    rmat_code low;
    int cols_scale;
    bool single;

    __device__ __forceinline__ rmat_code code(uint64_t i) const
    {
        return low + (single ? 0 : keys[i]);
    }
    __device__ __forceinline__ uint64_t src(rmat_code c) const
    {
        return (uint64_t)(c >> cols_scale);
    }
    __device__ __forceinline__ uint64_t dst(rmat_code c) const
    {
        return (uint64_t)c & (((uint64_t)1 << cols_scale) - 1);
    }

    /* The first key of [from, to) whose code is not below c; `to` if there is none. */
    __device__ __forceinline__ uint64_t search(rmat_code c, uint64_t from, uint64_t to) const
    {
        const rmat_code wanted = c - low;

        if (c <= low) {
            return from;
        }
        if (single || wanted != (rmat_code)(K)wanted) {
            return to;
        }
        return rmat_below(keys, from, to, (K)wanted);
    }
};

/* Calls launch() with the keys in their width. */
template <typename Launch> static int by_width(const gpu_interval_keys *k, const Launch &launch)
{
    if (k->key_bytes == 8) {
        launch(key_list<uint64_t>{(const uint64_t *)k->keys, k->n, k->low, k->cols_scale,
                                  k->single != 0});
    } else {
        launch(key_list<rmat_code>{(const rmat_code *)k->keys, k->n, k->low, k->cols_scale,
                                   k->single != 0});
    }
    return rmat_gpu_launched();
}

/* The number of blocks for n elements, `each` per block, at most `most`. */
static unsigned grid(uint64_t n, uint64_t each, uint64_t most)
{
    const uint64_t blocks = (n + each - 1) / each;

    return (unsigned)(blocks < most ? blocks : most);
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    lower_kernel(key_list<K> list, unsigned long long *result)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    uint64_t sum = 0;

#pragma unroll UNROLL
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < list.n; i += stride) {
        const rmat_code c = list.code(i);

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
    return by_width(keys, [&](auto list) {
        lower_kernel<<<grid(keys->n, THREADS * UNROLL, 4096), THREADS, 0, stream>>>(list, result);
    });
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    before_kernel(key_list<K> list, uint64_t n, const rmat_cell *cells, uint64_t *counts)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < n) {
        counts[i] =
            list.search((rmat_code)cells[i].src << list.cols_scale | cells[i].dst, 0, list.n);
    }
}

extern "C" int rmat_gpu_before(const gpu_interval_keys *keys, uint64_t n, const rmat_cell *cells,
                               uint64_t *counts, cudaStream_t stream)
{
    return by_width(keys, [&](auto list) {
        before_kernel<<<grid(n, THREADS, UINT32_MAX), THREADS, 0, stream>>>(list, n, cells, counts);
    });
}

/* A block of threads first finds where its rows begin and end among the keys: that leaves little to
 * search for each row. */
template <typename K>
static __global__ void __launch_bounds__(THREADS)
    pointers_kernel(key_list<K> list, uint64_t first_row, uint64_t count, uint64_t sum,
                    uint64_t *pointers)
{
    __shared__ uint64_t borders[2];

    for (uint64_t at = (uint64_t)blockIdx.x * ROWS; at < count; at += (uint64_t)gridDim.x * ROWS) {
        const uint64_t rows = min(count - at, (uint64_t)ROWS);

        __syncthreads();
        if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
            const uint64_t row = first_row + at + (threadIdx.x == 0 ? 0 : rows - 1);

            borders[threadIdx.x / 32] = list.search((rmat_code)row << list.cols_scale, 0, list.n);
        }
        __syncthreads();
        for (uint64_t i = threadIdx.x; i < rows; i += THREADS) {
            pointers[at + i] = sum + list.search((rmat_code)(first_row + at + i) << list.cols_scale,
                                                 borders[0], borders[1]);
        }
    }
}

extern "C" int rmat_gpu_pointers(const gpu_interval_keys *keys, uint64_t first_row, uint64_t count,
                                 uint64_t sum, uint64_t *pointers, cudaStream_t stream)
{
    return by_width(keys, [&](auto list) {
        pointers_kernel<<<grid(count, ROWS, 1 << 20), THREADS, 0, stream>>>(list, first_row, count,
                                                                            sum, pointers);
    });
}

template <typename K, typename T>
static __global__ void __launch_bounds__(THREADS)
    read_kernel(key_list<K> list, uint64_t first, uint64_t count, T *src, T *dst, uint32_t *weight,
                rmat_weighing how)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

#pragma unroll UNROLL
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        const rmat_code c = list.code(first + i);
        const uint64_t s = list.src(c), d = list.dst(c);

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

    return by_width(keys, [&](auto list) {
        if (to->id_bytes == 4) {
            read_kernel<<<blocks, THREADS, 0, stream>>>(list, first, count, (uint32_t *)to->src,
                                                        (uint32_t *)to->dst, (uint32_t *)to->weight,
                                                        *how);
        } else {
            read_kernel<<<blocks, THREADS, 0, stream>>>(list, first, count, (uint64_t *)to->src,
                                                        (uint64_t *)to->dst, (uint32_t *)to->weight,
                                                        *how);
        }
    });
}
