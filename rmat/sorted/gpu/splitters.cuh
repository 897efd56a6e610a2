/*
 * splitters.cuh - private to rmat/: how a sample sort (sample_sort.h) divides keys into parts, and
 * parts into tiles.
 *
 * Keys are compared as 32 bits: for parts their leading ones, for tiles those of the difference to
 * the least key that the part may have.  2^levels - 1 splitters form a complete binary tree, node
 * v of which has the children 2 v and 2 v + 1, so that a search has no branches.  Where splitters
 * are equal, what lies between them stays empty.
 */
#ifndef RMAT_SORTED_GPU_SPLITTERS_CUH
#define RMAT_SORTED_GPU_SPLITTERS_CUH

#include "rmat/sorted/gpu/below.cuh"

#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>
#include <stdint.h>

enum {
    SPLIT_LEVELS = 10, /* of a tree, at most */
    SPLIT_WAYS = 1 << SPLIT_LEVELS,
    SPLIT_BATCH = 8192,  /* keys that a block distributes at once */
    SPLIT_SAMPLE = 64,   /* sampled keys for each tile */
    SPLIT_LIST = 1 << 16 /* tiles that a list has room for */
};

/* One past the last part there is another, with the ends of what all parts have. */
struct split_part {
    uint64_t low;    /* no key of the part is less */
    uint64_t sample; /* the sampled keys of the parts before */
    uint32_t batch;  /* the batches of the parts before */
    int shift;       /* a key is compared as (key - low) >> shift */
};

/* Tiles that are too large for the blocks of a kernel. */
struct split_list {
    uint32_t count, tiles[SPLIT_LIST]; /* count: of all, also those that the list has no room for */
};

/* Everything about one sort, passed to its kernels by value; arrays in device memory. */
struct split_plan {
    uint64_t n, last; /* all keys; the largest possible one, which is not distributed */
    int shift;        /* a key's leading 32 bits are key >> shift */
    uint32_t n_parts;
    int part_levels, tile_levels; /* of the trees; many of 2^tile_levels tiles are empty */
    uint64_t samples;
    uint64_t *sample; /* sorted, in the place of keys that are not there yet */
    split_part *parts;
    uint32_t *part_tree, *tile_trees;
    /* Numbers of keys, then where the next key goes, and so in the end where part or tile ends. */
    unsigned long long *part_ends, *tile_ends;
    split_list *large;         /* [2]: for either kernel of tile_sort.cuh */
    unsigned long long *pairs; /* [2]: of sampled keys, in ascending order and equal */
};

/* The node of the r-th smallest of 2^levels - 1 splitters, from 1 on. */
static __device__ __forceinline__ uint32_t split_node(uint32_t r, int levels)
{
    const int zeros = __ffs((int)r) - 1;

    return (1u << (levels - 1 - zeros)) + (r >> (zeros + 1));
}

/* Sets ways[i] to the number of splitters that are at most x[i]. */
template <int keys>
static __device__ __forceinline__ void
split_search(const uint32_t *tree, int levels, const uint32_t (&x)[keys], uint32_t (&ways)[keys])
{
    uint32_t at[keys]; /* nodes, in bytes: so each level takes an addition less */

#pragma unroll
    for (int i = 0; i < keys; i++) {
        at[i] = sizeof *tree;
    }
    for (int l = 0; l < levels; l++) {
#pragma unroll
        for (int i = 0; i < keys; i++) {
            const uint32_t splitter = *(const uint32_t *)((const char *)tree + at[i]);

            at[i] = 2 * at[i] + (splitter <= x[i] ? (uint32_t)sizeof *tree : 0);
        }
    }
#pragma unroll
    for (int i = 0; i < keys; i++) {
        ways[i] = at[i] / (uint32_t)sizeof *tree - (1u << levels);
    }
}

/* How far a difference below `width` is to be shifted for 32 bits. */
static __device__ __forceinline__ int split_shift(uint64_t width)
{
    return width >> 32 != 0 ? 32 - __clzll((long long)(width - 1)) : 0;
}

/* Takes a key from each of plan.samples ranges of the keys, at a place that differs by range. */
static __global__ void __launch_bounds__(256)
    split_sample_kernel(split_plan plan, const uint64_t *keys)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < plan.samples) {
        const uint64_t stride = plan.n / plan.samples;

        plan.sample[i] = keys[i * stride + (i * 0x9E3779B97F4A7C15u >> 32) % stride];
    }
}

/* Counts the sampled keys that equal the next one (equal), or are less (else); those of the largest
 * possible key do not count. */
template <bool equal>
static __global__ void __launch_bounds__(256)
    split_pairs_kernel(split_plan plan, unsigned long long *count)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool counts = false;

    if (i + 1 < plan.samples && plan.sample[i] != plan.last) {
        counts = equal ? plan.sample[i] == plan.sample[i + 1] : plan.sample[i] < plan.sample[i + 1];
    }
    const int n = __syncthreads_count(counts);

    if (threadIdx.x == 0 && n != 0) {
        atomicAdd(count, (unsigned long long)n);
    }
}

/* Chooses the splitters of the parts; one block. */
static __global__ void __launch_bounds__(SPLIT_WAYS) split_parts_kernel(split_plan plan)
{
    const uint32_t i = threadIdx.x, parts = plan.n_parts;
    const uint64_t used = rmat_below(plan.sample, 0, plan.samples, plan.last);

    if (i < parts) {
        const uint64_t key = i == 0 || used == 0 ? 0 : plan.sample[used * i / parts];

        plan.parts[i].low = key >> plan.shift << plan.shift;
        plan.parts[i].sample = rmat_below(plan.sample, 0, used, plan.parts[i].low);
        if (i != 0) {
            plan.part_tree[split_node(i, plan.part_levels)] = (uint32_t)(key >> plan.shift);
        }
    }
    if (i == parts - 1) {
        plan.parts[parts].low = plan.last;
        plan.parts[parts].sample = used;
    }
    if (i >= parts && i < 1u << plan.part_levels) { /* ways that no part has */
        plan.part_tree[split_node(i, plan.part_levels)] = UINT32_MAX;
    }
}

/* Chooses the splitters of the tiles; a block for each part. */
static __global__ void __launch_bounds__(256) split_tiles_kernel(split_plan plan)
{
    const split_part part = plan.parts[blockIdx.x], next = plan.parts[blockIdx.x + 1];
    const uint32_t ways = 1u << plan.tile_levels;
    const uint64_t sampled = next.sample - part.sample, wanted = sampled / SPLIT_SAMPLE + 1;
    const uint32_t tiles = (uint32_t)(wanted < ways ? wanted : ways);
    const int shift = split_shift(next.low - part.low);
    uint32_t *tree = plan.tile_trees + (blockIdx.x << plan.tile_levels);

    for (uint32_t i = 1 + threadIdx.x; i < ways; i += blockDim.x) {
        tree[split_node(i, plan.tile_levels)] =
            i < tiles
                ? (uint32_t)((plan.sample[part.sample + sampled * i / tiles] - part.low) >> shift)
                : UINT32_MAX;
    }
    if (threadIdx.x == 0) {
        plan.parts[blockIdx.x].shift = shift;
    }
}

/* Turns the numbers of keys of the parts into where they begin, and divides the parts into batches;
 * one block. */
static __global__ void __launch_bounds__(SPLIT_WAYS) split_places_kernel(split_plan plan)
{
    typedef cub::BlockScan<uint64_t, SPLIT_WAYS> scan;
    __shared__ typename scan::TempStorage shared;
    const uint32_t i = threadIdx.x, parts = plan.n_parts;
    const uint64_t keys = i < parts ? plan.part_ends[i] : 0;
    uint64_t begin, batch, batches;

    scan(shared).ExclusiveSum(keys, begin);
    __syncthreads();
    scan(shared).ExclusiveSum((keys + SPLIT_BATCH - 1) / SPLIT_BATCH, batch, batches);
    if (i < parts) {
        plan.part_ends[i] = begin;
        plan.parts[i].batch = (uint32_t)batch;
    }
    if (i == 0) {
        plan.parts[parts].batch = (uint32_t)batches;
    }
}

#endif
