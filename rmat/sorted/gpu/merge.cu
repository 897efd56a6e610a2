/* Turns cells into keys, and merges two sorted arrays of keys. */
#include "rmat/sorted/gpu/below.cuh"
#include "rmat/sorted/gpu/interval.h"

enum { THREADS = 256, TILE = 4096 /* keys that a block takes at a time */ };

static __global__ void __launch_bounds__(THREADS)
    keys_kernel(gpu_interval_keys like, uint64_t n, const rmat_first_seen *list, void *keys)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

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
    keys_kernel<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*like, n, list,
                                                                                 keys);
    return rmat_gpu_launched();
}

/* No key is in both arrays, so the place of a key is its rank in its own array plus that in the
 * other.  A block takes a tile of the longer array a, and first finds the part of b that the tile's
 * keys can fall into. */
template <typename K>
static __global__ void __launch_bounds__(THREADS)
    merge_kernel(const K *a, uint64_t n, const K *b, uint64_t m, K *to)
{
    __shared__ uint64_t borders[2];
    const uint64_t tiles = (n + TILE - 1) / TILE;

    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const uint64_t first = t * TILE, end = min(first + TILE, n);

        __syncthreads();
        if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
            borders[threadIdx.x / 32] = rmat_below(b, 0, m, a[threadIdx.x == 0 ? first : end - 1]);
        }
        __syncthreads();
        for (uint64_t i = first + threadIdx.x; i < end; i += THREADS) {
            const K key = a[i];

            to[i + rmat_below(b, borders[0], borders[1], key)] = key;
        }
    }
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < m;
         i += (uint64_t)gridDim.x * THREADS) {
        to[i + rmat_below(a, 0, n, b[i])] = b[i];
    }
}

template <typename K>
static void merge(const void *keys, uint64_t n, uint64_t m, void *to, cudaStream_t stream)
{
    const uint64_t tiles = (n + m + TILE - 1) / TILE;
    const K *a = (const K *)keys;

    merge_kernel<<<(unsigned)(tiles < 65536 ? tiles : 65536), THREADS, 0, stream>>>(a, n, a + n, m,
                                                                                    (K *)to);
}

extern "C" int rmat_gpu_merge(const gpu_interval_keys *keys, uint64_t m, void *to,
                              cudaStream_t stream)
{
    if (keys->key_bytes == 8) {
        merge<uint64_t>(keys->keys, keys->n, m, to, stream);
    } else {
        merge<rmat_code>(keys->keys, keys->n, m, to, stream);
    }
    return rmat_gpu_launched();
}
