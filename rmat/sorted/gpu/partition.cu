/*
 * partition.cu - distributes keys by owner: an owner's keys are those of an interval, and intervals
 * follow each other, so that two bisections of the cuts between them find a key's.
 *
 * A block of threads takes a tile of keys, counts in shared memory how many each owner has, takes
 * places for them with one addition for each owner, and writes.  With more owners than there are
 * counters, each key takes its own place.
 */
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

enum { THREADS = 256, EACH = 16, TILE = THREADS * EACH, FEW = 2048 /* owners */ };

#define NOBODY UINT32_MAX

/* The owner of a key that is counted from the first cell of all; NOBODY: none. */
template <typename K>
static __device__ __forceinline__ uint32_t owner_of(const gpu_partition_keys &p, K key)
{
    uint32_t from = 0, to = 2 * p.owners; /* how many cuts are not above it */

    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;

        if (p.cuts[middle] <= (rmat_code)key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from % 2 ? from / 2 : NOBODY;
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    count_kernel(gpu_partition_keys p, unsigned long long *counts)
{
    __shared__ uint32_t few[FEW];
    const K *keys = (const K *)p.keys;
    const bool shared = p.owners <= FEW;

    for (uint32_t k = threadIdx.x; shared && k < p.owners; k += THREADS) {
        few[k] = 0;
    }
    __syncthreads();
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < p.n;
         i += gridDim.x * (uint64_t)THREADS) {
        const uint32_t k = owner_of<K>(p, keys[i]);

        if (k != NOBODY && shared) {
            atomicAdd(&few[k], 1u);
        } else if (k != NOBODY) {
            atomicAdd(&counts[k], 1ull);
        }
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; shared && k < p.owners; k += THREADS) {
        if (few[k] > 0) {
            atomicAdd(&counts[k], (unsigned long long)few[k]);
        }
    }
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    scatter_kernel(gpu_partition_keys p, unsigned long long *next, K *to)
{
    __shared__ unsigned long long base[FEW];
    __shared__ uint32_t few[FEW];
    const K *keys = (const K *)p.keys;
    const bool shared = p.owners <= FEW;
    const uint64_t first = blockIdx.x * (uint64_t)TILE + threadIdx.x;
    uint32_t owners[EACH];

    for (uint32_t k = threadIdx.x; shared && k < p.owners; k += THREADS) {
        few[k] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const uint64_t i = first + (uint64_t)j * THREADS;

        owners[j] = i < p.n ? owner_of<K>(p, keys[i]) : NOBODY;
        if (shared && owners[j] != NOBODY) {
            atomicAdd(&few[owners[j]], 1u);
        }
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; shared && k < p.owners; k += THREADS) {
        base[k] = few[k] > 0 ? atomicAdd(&next[k], (unsigned long long)few[k]) : 0;
        few[k] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const uint32_t k = owners[j];

        if (k != NOBODY) {
            const unsigned long long at =
                shared ? base[k] + atomicAdd(&few[k], 1u) : atomicAdd(&next[k], 1ull);

            to[at] = keys[first + (uint64_t)j * THREADS] - (K)p.cuts[2 * k];
        }
    }
}

static uint32_t blocks_for(uint64_t n, uint64_t each)
{
    return (uint32_t)((n + each - 1) / each);
}

extern "C" int rmat_gpu_count_owners(const gpu_partition_keys *p, unsigned long long *counts,
                                     cudaStream_t stream)
{
    const uint32_t blocks = min(blocks_for(p->n, TILE), 1u << 12);

    if (p->n == 0) {
        return RMAT_OK;
    }
    if (p->key_bytes == 8) {
        count_kernel<uint64_t><<<blocks, THREADS, 0, stream>>>(*p, counts);
    } else {
        count_kernel<rmat_code><<<blocks, THREADS, 0, stream>>>(*p, counts);
    }
    return rmat_gpu_launched();
}

extern "C" int rmat_gpu_scatter_owners(const gpu_partition_keys *p, unsigned long long *next,
                                       void *to, cudaStream_t stream)
{
    const uint32_t blocks = blocks_for(p->n, TILE);

    if (p->n == 0) {
        return RMAT_OK;
    }
    if (p->key_bytes == 8) {
        scatter_kernel<uint64_t><<<blocks, THREADS, 0, stream>>>(*p, next, (uint64_t *)to);
    } else {
        scatter_kernel<rmat_code><<<blocks, THREADS, 0, stream>>>(*p, next, (rmat_code *)to);
    }
    return rmat_gpu_launched();
}
