/*
 * distribute.cuh - private to rmat/: moves keys to their parts, and those of each part to its
 * tiles, for a sample sort (sample_sort.h).
 *
 * A block brings a batch of keys into the order of their ways (parts or tiles) in shared memory: an
 * atomic operation on a way's counter gives each key its rank, a prefix sum over the counters its
 * place.  Then it reserves room in all ways, and writes what goes to the same way side by side.
 */
#ifndef RMAT_SORTED_GPU_DISTRIBUTE_CUH
#define RMAT_SORTED_GPU_DISTRIBUTE_CUH

#include "rmat/sorted/gpu/splitters.cuh"

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
