/*
 * distribute.cuh - private to rmat/: how a sample sort (sample_sort.h) divides keys into parts and
 * parts into tiles, and how it moves the keys there.
 */
#ifndef RMAT_SORTED_GPU_DISTRIBUTE_CUH
#define RMAT_SORTED_GPU_DISTRIBUTE_CUH

#include "rmat/sorted/gpu/interval.h"

#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>
#include <stdint.h>

/*
 * How a sample sort (sample_sort.h) divides keys into parts, and parts into tiles.
 *
 * Keys are compared as 32 bits: for parts their leading ones, for tiles those of the difference to
 * the least key that the part may have.  2^levels - 1 splitters form a complete binary tree, node
 * v of which has the children 2 v and 2 v + 1, so that a search has no branches.  Where splitters
 * are equal, what lies between them stays empty.
 */
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

/*
 * Moves keys to their parts, and those of each part to its tiles, for a sample sort
 * (sample_sort.h).
 *
 * A block brings a batch of keys into the order of their ways (parts or tiles) in shared memory: an
 * atomic operation on a way's counter gives each key its rank, a prefix sum over the counters its
 * place.  Then it reserves room in all ways, and writes what goes to the same way side by side.
 */
enum {
    DISTRIBUTE_THREADS = 512,
    DISTRIBUTE_KEYS = SPLIT_BATCH / DISTRIBUTE_THREADS, /* of a thread */
    DISTRIBUTE_TURN = 8,                                /* keys searched at once */
    COUNT_BATCHES = 8                                   /* of a block */
};

/* Batches of keys that are divided by the same tree. */
struct split_range {
    uint64_t begin, end; /* keys */
    uint64_t low;
    const uint32_t *tree;
    unsigned long long *ends; /* of its ways */
    int shift, levels;
    uint32_t last; /* way */
};

/* The part of a batch, found by all lanes of a warp together. */
static __device__ __forceinline__ uint32_t split_part_of(const split_plan &plan, uint32_t batch)
{
    const uint32_t parts = plan.n_parts, lane = threadIdx.x % 32;
    const uint32_t coarse = lane * (SPLIT_WAYS / 32);
    uint32_t votes =
        __ballot_sync(0xffffffffu, coarse < parts && plan.parts[coarse].batch <= batch);
    const uint32_t fine = (31 - __clz((int)votes)) * (SPLIT_WAYS / 32) + lane;

    votes = __ballot_sync(0xffffffffu, fine < parts && plan.parts[fine].batch <= batch);
    return fine - lane + (31 - __clz((int)votes));
}

/* The batches from `batch` on, up to `batches`, that belong together; moves `batch` behind them.
 * tiles: of parts, which are divided into tiles; else of all keys, which are into parts. */
template <bool tiles>
static __device__ __forceinline__ split_range split_range_of(const split_plan &plan,
                                                             uint32_t *batch, uint32_t batches)
{
    split_range r;

    if (tiles) {
        const uint32_t part = split_part_of(plan, *batch), before = plan.parts[part].batch;
        const uint32_t after = min(batches, plan.parts[part + 1].batch);
        const uint64_t begin = part == 0 ? 0 : plan.part_ends[part - 1];
        const uint64_t end = begin + (uint64_t)(after - before) * SPLIT_BATCH;

        r.begin = begin + (uint64_t)(*batch - before) * SPLIT_BATCH;
        r.end = min(end, (uint64_t)plan.part_ends[part]);
        r.low = plan.parts[part].low;
        r.shift = plan.parts[part].shift;
        r.levels = plan.tile_levels;
        r.last = (1u << r.levels) - 1;
        r.tree = plan.tile_trees + (part << plan.tile_levels);
        r.ends = plan.tile_ends + (part << plan.tile_levels);
        *batch = after;
    } else {
        r.begin = (uint64_t)*batch * SPLIT_BATCH;
        r.end = min((uint64_t)batches * SPLIT_BATCH, plan.n);
        r.low = 0;
        r.shift = plan.shift;
        r.levels = plan.part_levels;
        r.last = plan.n_parts - 1;
        r.tree = plan.part_tree;
        r.ends = plan.part_ends;
        *batch = batches;
    }
    return r;
}

/* How many batches there are. */
template <bool tiles>
static __device__ __forceinline__ uint32_t split_batches(const split_plan &plan)
{
    return tiles ? plan.parts[plan.n_parts].batch
                 : (uint32_t)((plan.n + SPLIT_BATCH - 1) / SPLIT_BATCH);
}

/* Counts the keys of all ways; a block takes COUNT_BATCHES batches. */
template <bool tiles>
static __global__ void __launch_bounds__(DISTRIBUTE_THREADS)
    split_count_kernel(const __grid_constant__ split_plan plan, const uint64_t *keys)
{
    __shared__ uint32_t tree[SPLIT_WAYS], counts[SPLIT_WAYS];
    const uint32_t end = min((blockIdx.x + 1) * COUNT_BATCHES, split_batches<tiles>(plan));

    for (uint32_t batch = blockIdx.x * COUNT_BATCHES; batch < end;) {
        const split_range r = split_range_of<tiles>(plan, &batch, end);

        for (uint32_t i = threadIdx.x; i < 1u << r.levels; i += DISTRIBUTE_THREADS) {
            tree[i] = r.tree[i];
            counts[i] = 0;
        }
        __syncthreads();
        for (uint64_t at = r.begin; at < r.end; at += DISTRIBUTE_TURN * DISTRIBUTE_THREADS) {
            uint32_t x[DISTRIBUTE_TURN], way[DISTRIBUTE_TURN];
            bool mine[DISTRIBUTE_TURN];

#pragma unroll
            for (int i = 0; i < DISTRIBUTE_TURN; i++) {
                const uint64_t k = at + i * DISTRIBUTE_THREADS + threadIdx.x;
                const uint64_t key = k < r.end ? keys[k] : plan.last;

                mine[i] = tiles ? k < r.end : key != plan.last;
                x[i] = (uint32_t)((key - r.low) >> r.shift);
            }
            split_search(tree, r.levels, x, way);
#pragma unroll
            for (int i = 0; i < DISTRIBUTE_TURN; i++) {
                if (mine[i]) {
                    atomicAdd(&counts[min(way[i], r.last)], 1u);
                }
            }
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i <= r.last; i += DISTRIBUTE_THREADS) {
            if (counts[i] != 0) {
                atomicAdd(&r.ends[i], (unsigned long long)counts[i]);
            }
        }
        __syncthreads();
    }
}

struct distribute_shared {
    uint64_t keys[SPLIT_BATCH];
    uint64_t to[SPLIT_WAYS]; /* where a way's keys go, less their place in the batch */
    uint32_t tree[SPLIT_WAYS], counts[SPLIT_WAYS];
    uint16_t ways[SPLIT_BATCH];
};

/* Moves a batch of keys. */
template <bool tiles>
static __global__ void __launch_bounds__(DISTRIBUTE_THREADS, 2)
    split_move_kernel(const __grid_constant__ split_plan plan, const uint64_t *from, uint64_t *to)
{
    typedef cub::BlockScan<uint32_t, DISTRIBUTE_THREADS> scan;
    enum { OWN = SPLIT_WAYS / DISTRIBUTE_THREADS };
    extern __shared__ __align__(16) char shared[];
    __shared__ typename scan::TempStorage sums;
    distribute_shared &s = *(distribute_shared *)shared;
    uint32_t batch = blockIdx.x, count[OWN], place[OWN];
    uint64_t key[DISTRIBUTE_KEYS];
    uint32_t at[DISTRIBUTE_KEYS]; /* way and rank; UINT32_MAX: no key */
    uint32_t all;

    if (batch >= split_batches<tiles>(plan)) {
        return;
    }
    const split_range r = split_range_of<tiles>(plan, &batch, batch + 1);

#pragma unroll
    for (int i = 0; i < DISTRIBUTE_KEYS; i++) {
        const uint64_t k = r.begin + i * DISTRIBUTE_THREADS + threadIdx.x;

        key[i] = k < r.end ? from[k] : plan.last;
    }
    for (uint32_t i = threadIdx.x; i < SPLIT_WAYS; i += DISTRIBUTE_THREADS) {
        s.tree[i] = i < 1u << r.levels ? r.tree[i] : 0;
        s.counts[i] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < DISTRIBUTE_KEYS; turn += DISTRIBUTE_TURN) {
        uint32_t x[DISTRIBUTE_TURN], way[DISTRIBUTE_TURN];

#pragma unroll
        for (int i = 0; i < DISTRIBUTE_TURN; i++) {
            x[i] = (uint32_t)((key[turn + i] - r.low) >> r.shift);
        }
        split_search(s.tree, r.levels, x, way);
#pragma unroll
        for (int i = 0; i < DISTRIBUTE_TURN; i++) {
            at[turn + i] = UINT32_MAX;
            if (key[turn + i] != plan.last) {
                const uint32_t own = min(way[i], r.last);

                at[turn + i] = own << 16 | atomicAdd(&s.counts[own], 1u);
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        count[i] = s.counts[threadIdx.x * OWN + i];
    }
    scan(sums).ExclusiveSum(count, place, all);
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        const uint32_t way = threadIdx.x * OWN + i;

        s.counts[way] = place[i];
        if (count[i] != 0) {
            s.to[way] = atomicAdd(&r.ends[way], (unsigned long long)count[i]) - place[i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < DISTRIBUTE_KEYS; i++) {
        if (at[i] != UINT32_MAX) {
            const uint32_t way = at[i] >> 16, slot = s.counts[way] + (at[i] & 0xffff);

            s.keys[slot] = key[i];
            s.ways[slot] = (uint16_t)way;
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < all; i += DISTRIBUTE_THREADS) {
        to[s.to[s.ways[i]] + i] = s.keys[i];
    }
}

/* Writes the keys that were not distributed behind the others. */
static __global__ void __launch_bounds__(256) split_append_kernel(split_plan plan, uint64_t *keys)
{
    const uint64_t begin = plan.part_ends[plan.n_parts - 1];

    for (uint64_t i = begin + (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < plan.n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        keys[i] = plan.last;
    }
}

#endif
