/*
 * tile_sort.cuh - private to rmat/: sorts the tiles of a sample sort (sample_sort.h), each by a
 * block in shared memory.
 *
 * 127 of a tile's own keys divide what it may contain into bins, and each bin is divided evenly
 * into 64 cells, so that most cells have one key or none.  As in distribute.cuh, keys are
 * counted by cell, and a prefix sum gives each its place; where a cell has several, they are
 * ordered by comparing each with the others.
 */
#ifndef RMAT_SORTED_GPU_TILE_SORT_CUH
#define RMAT_SORTED_GPU_TILE_SORT_CUH

#include "rmat/sorted/gpu/distribute.cuh"

enum {
    TILE_LEVELS = 7,
    TILE_BINS = 1 << TILE_LEVELS,
    TILE_BIN_CELLS = 64,
    TILE_CELLS = TILE_BINS * TILE_BIN_CELLS,
    TILE_RANKERS = 4, /* threads that rank a key of the sample */
    TILE_TURN = 2,    /* keys searched at once */
    TILE_WORDS = 8,   /* of counters, of a thread that adds them up */
    TILE_SCANNERS = TILE_CELLS / 2 / TILE_WORDS
};

/* Keys of a tile are compared as (key - low) >> shift first, which is at most `last` < 2^31. */
struct tile_range {
    uint64_t begin, low;
    uint32_t n, last;
    int shift;
};

struct tile_bin {
    uint32_t low, scale; /* a key's cell in the bin is (its leading bits - low) * scale >> 32 */
};

template <int capacity> struct tile_shared {
    /* The leading 31 bits of a key as it is compared, and those that follow. */
    uint32_t leading[capacity + 4], rest[capacity];
    /* Counters, then the numbers of keys before.  Cell c has the half 2 (c % 4096) + c / 4096 of a
     * word; those behind the last ones of either kind are filled in as well. */
    uint32_t cells[TILE_CELLS / 2 + 1];
    uint16_t cell_of[capacity]; /* its half word */
    alignas(16) uint32_t sample[TILE_BINS];
    uint32_t tree[TILE_BINS], bounds[TILE_BINS + 1], sums[TILE_SCANNERS / 32];
    tile_bin bins[TILE_BINS];
    tile_range range;
};

static __device__ __forceinline__ tile_range tile_range_of(const split_plan &plan, uint32_t tile)
{
    const uint32_t ways = 1u << plan.tile_levels, part = tile >> plan.tile_levels;
    const uint32_t way = tile & (ways - 1), *tree = plan.tile_trees + (part << plan.tile_levels);
    const split_part &of = plan.parts[part];
    const uint64_t low = way == 0 ? 0 : tree[split_node(way, plan.tile_levels)];
    const uint64_t parts_width = plan.parts[part + 1].low - of.low;
    uint64_t width = (low << of.shift) < parts_width ? parts_width - (low << of.shift) : 0;
    tile_range t;

    t.begin = tile == 0 ? 0 : plan.tile_ends[tile - 1];
    t.n = (uint32_t)min(plan.tile_ends[tile] - t.begin, (unsigned long long)UINT32_MAX);
    t.low = of.low + (low << of.shift);
    if (way + 1 < ways) {
        const uint64_t next = tree[split_node(way + 1, plan.tile_levels)];

        width = min(width, (next - low) << of.shift);
    }
    t.shift = width >> 31 != 0 ? 33 - __clzll((long long)(width - 1)) : 0;
    t.last = width == 0 ? 0 : (uint32_t)((width - 1) >> t.shift);
    return t;
}

/* Divides the tile into bins by the keys sampled from it, whose leading bits are in s.sample.
 * Called by all threads, and ends with a barrier. */
template <typename Shared>
static __device__ __forceinline__ void tile_divide(Shared &s, const tile_range &t)
{
    const uint32_t i = threadIdx.x / TILE_RANKERS, part = threadIdx.x % TILE_RANKERS;

    if (i < TILE_BINS) {
        const uint32_t x = s.sample[i];
        uint32_t rank = 0;

#pragma unroll
        for (uint32_t j = part; j < TILE_BINS / 4; j += TILE_RANKERS) {
            const uint4 others = ((const uint4 *)s.sample)[j];

            rank += (others.x < x) + (others.y < x) + (others.z < x) + (others.w < x);
        }
#pragma unroll
        for (int by = 1; by < TILE_RANKERS; by *= 2) {
            rank += __shfl_xor_sync(0xffffffffu, rank, by);
        }
        if (part == 0) {
            s.bounds[rank] = rank == 0 ? 0 : x;
            if (rank != 0) {
                s.tree[split_node(rank, TILE_LEVELS)] = x;
            }
        }
    }
    if (threadIdx.x == 0) {
        s.bounds[TILE_BINS] = t.last;
    }
    __syncthreads();
    if (threadIdx.x < TILE_BINS) { /* the last bin has t.last as well */
        const uint32_t bin = threadIdx.x, low = s.bounds[bin];
        const uint64_t width = (uint64_t)(s.bounds[bin + 1] - low) + (bin + 1 == TILE_BINS);
        const uint64_t all = (uint64_t)TILE_BIN_CELLS << 32;

        s.bins[bin] = {low, width <= TILE_BIN_CELLS ? UINT32_MAX : (uint32_t)(all / width)};
    }
    __syncthreads();
}

static __device__ __forceinline__ uint32_t tile_warp_sum(uint32_t x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int by = 16; by > 0; by /= 2) {
        x += __shfl_xor_sync(0xffffffffu, x, by);
    }
    return x;
#else
    return __reduce_add_sync(0xffffffffu, x);
#endif
}

/* Turns the counters of the cells into the numbers of keys before them.  Called by all threads, and
 * ends with a barrier. */
template <typename Shared> static __device__ __forceinline__ void tile_scan(Shared &s, uint32_t n)
{
    const uint32_t i = threadIdx.x, lane = i % 32;
    uint4 *words = (uint4 *)s.cells + TILE_WORDS / 4 * i;
    uint4 own[TILE_WORDS / 4];
    uint32_t sum = 0, all = 0; /* of both halves, side by side */

    if (i < TILE_SCANNERS) {
#pragma unroll
        for (int j = 0; j < TILE_WORDS / 4; j++) {
            own[j] = words[j];
            all += own[j].x + own[j].y + own[j].z + own[j].w;
        }
        sum = all;
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
            const uint32_t other = __shfl_up_sync(0xffffffffu, sum, by);

            sum += lane >= by ? other : 0;
        }
        if (lane == 31) {
            s.sums[i / 32] = sum;
        }
        sum -= all;
    }
    __syncthreads();
    if (i < TILE_SCANNERS) {
        const uint32_t warps = lane < TILE_SCANNERS / 32 ? s.sums[lane] : 0;
        const uint32_t first = tile_warp_sum(warps) & 0xffff;

        sum += tile_warp_sum(lane < i / 32 ? warps : 0) + (first << 16);
#pragma unroll
        for (int j = 0; j < TILE_WORDS / 4; j++) {
            const uint4 before = make_uint4(sum, sum + own[j].x, sum + own[j].x + own[j].y,
                                            sum + own[j].x + own[j].y + own[j].z);

            words[j] = before;
            sum = before.w + own[j].w;
        }
        if (i == 0) {
            s.cells[TILE_CELLS / 2] = n << 16 | first;
        }
    }
    __syncthreads();
}

/* Blocks that the registers are to suffice for.  sm_75 runs 1024 threads, and allows no more. */
template <int threads, int own> constexpr int tile_sort_blocks()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    return 1;
#else
    return threads * own > 8192 ? 1 : 2;
#endif
}

/* Sorts a tile for each block, in place: all of them, or those of list `from`.  Tiles with more
 * keys than the threads can take are put on list `large`. */
template <int threads, int own>
static __global__ void __launch_bounds__(threads, tile_sort_blocks<threads, own>())
    tile_sort_kernel(const __grid_constant__ split_plan plan, uint64_t *keys,
                     const split_list *from, split_list *large)
{
    typedef tile_shared<threads * own> shared;
    extern __shared__ __align__(16) char memory[];
    shared &s = *(shared *)memory;
    const uint32_t tile = from == NULL ? blockIdx.x : from->tiles[blockIdx.x];
    uint64_t key[own];
    uint32_t at[own]; /* the cell, and above it the rank in the cell */

    if ((tile == 0 ? 0 : plan.tile_ends[tile - 1]) == plan.tile_ends[tile]) {
        return;
    }
    if (threadIdx.x == 0) {
        s.range = tile_range_of(plan, tile);
        if (s.range.n > threads * own || s.range.shift > 32) {
            const uint32_t place = atomicAdd(&large->count, 1u);

            if (place < SPLIT_LIST) {
                large->tiles[place] = tile;
            }
        }
    }
    for (uint32_t i = threadIdx.x; i < TILE_CELLS / 8; i += threads) {
        ((uint4 *)s.cells)[i] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    const tile_range t = s.range;

    if (t.n < 2 || t.n > threads * own || t.shift > 32) {
        return;
    }
    keys += t.begin;
    if (threadIdx.x < TILE_BINS) { /* all different, as any splitters are right */
        const uint64_t x = (keys[threadIdx.x * t.n / TILE_BINS] - t.low) >> t.shift;

        s.sample[threadIdx.x] = (uint32_t)x / TILE_BINS * TILE_BINS + threadIdx.x;
    }
#pragma unroll
    for (int i = 0; i < own; i++) {
        const uint32_t k = i * threads + threadIdx.x;

        key[i] = k < t.n ? keys[k] - t.low : 0;
    }
    __syncthreads();
    tile_divide(s, t);
#pragma unroll
    for (int turn = 0; turn < own; turn += TILE_TURN) {
        uint32_t x[TILE_TURN], bin[TILE_TURN];

        if (turn * threads >= t.n) {
            break;
        }
#pragma unroll
        for (int i = 0; i < TILE_TURN; i++) {
            x[i] = (uint32_t)(key[turn + i] >> t.shift);
        }
        split_search(s.tree, TILE_LEVELS, x, bin);
#pragma unroll
        for (int i = 0; i < TILE_TURN; i++) {
            const tile_bin b = s.bins[bin[i]];
            const uint32_t word =
                bin[i] % (TILE_BINS / 2) * TILE_BIN_CELLS + __umulhi(x[i] - b.low, b.scale);
            const uint32_t high = bin[i] / (TILE_BINS / 2);

            if ((turn + i) * threads + threadIdx.x < t.n) {
                const uint32_t old = atomicAdd(&s.cells[word], high ? 1u << 16 : 1u);

                at[turn + i] = (high ? old & 0xffff0000 : old << 16) | word << 1 | high;
            }
        }
    }
    __syncthreads();
    tile_scan(s, t.n);

    const uint16_t *begins = (const uint16_t *)s.cells;
    const uint32_t rest_mask = (uint32_t)(((uint64_t)1 << t.shift) - 1);

#pragma unroll
    for (int i = 0; i < own; i++) {
        if (i * threads + threadIdx.x < t.n) {
            const uint32_t cell = at[i] & 0xffff, place = begins[cell] + (at[i] >> 16);

            s.leading[place] = (uint32_t)(key[i] >> t.shift);
            s.rest[place] = (uint32_t)key[i] & rest_mask;
            s.cell_of[place] = (uint16_t)cell;
        }
    }
    if (threadIdx.x < 4) {
        s.leading[t.n + threadIdx.x] = UINT32_MAX >> 1;
    }
    __syncthreads();
    /* Neighbours have cells of similar size, so that their loops take as long.  Four keys are
     * compared at a time: those of lower and higher cells that are among them are less, or greater.
     * x - y has its highest bit set if x < y. */
    for (uint32_t i = threadIdx.x; i < t.n; i += threads) {
        const uint32_t cell = s.cell_of[i], begin = begins[cell], end = begins[cell + 2];
        const uint32_t x = s.leading[i], rest = s.rest[i];
        uint32_t place = begin / 4 * 4, upto = place;

#pragma unroll 1 /* most cells have few keys */
        for (uint32_t j = begin / 4; j < (end + 3) / 4; j++) {
            const uint4 others = ((const uint4 *)s.leading)[j];

            place += (others.x - x) >> 31;
            place += (others.y - x) >> 31;
            place += (others.z - x) >> 31;
            place += (others.w - x) >> 31;
            upto += (others.x - (x + 1)) >> 31;
            upto += (others.y - (x + 1)) >> 31;
            upto += (others.z - (x + 1)) >> 31;
            upto += (others.w - (x + 1)) >> 31;
        }
        if (upto - place > 1) { /* others have the same leading bits */
#pragma unroll 1
            for (uint32_t j = begin; j < end; j++) {
                place += s.leading[j] == x && (s.rest[j] < rest || (s.rest[j] == rest && j < i));
            }
        }
        keys[place] = t.low + ((uint64_t)x << t.shift | rest);
    }
}

#endif
