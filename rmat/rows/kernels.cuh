/*
 * kernels.cuh - the kernels of gpu.cu: nodes of the tree in the memory of a GPU, and how they are
 * divided, drawn and counted.
 */
#ifndef RMAT_ROWS_KERNELS_CUH
#define RMAT_ROWS_KERNELS_CUH

#include "rmat/rows/tables.h"

#include <cuda_runtime.h>

namespace
{

enum {
    SMALL = 128, /* edges of a node that a warp divides, and that are thrown one by one */
    WARPS = 8,   /* of a block */
    BLOCKS = 4,  /* of a multiprocessor, for which registers are to suffice */
    STACK =
        160, /* nodes of a warp: room for 32 more where there are below 32, and for a walk down */
    QUEUE = 96, /* cells of a warp: 31 that wait, and 64 more */
    ROW = 128,  /* added to the level of a cell, which is a node within a row */
    WAVE = 1 << 29,
    BOUND_EDGES = 1 << 12
};

/* A node in a list: its first edge; count << 8 | level; the bits of its source and destination. */
struct node {
    uint64_t start, count_level, src, dst;
};

/* The same of at most SMALL edges, in shared memory; the first edge from that of the wave. */
template <typename Id> struct small_node {
    uint32_t start, count_level;
    Id src, dst;
};

template <typename Id> struct warp_memory {
    small_node<Id> stack[STACK], queue[QUEUE];
};

/* What all kernels are given. */
struct job {
    const rmat_rows_view *view; /* with its tables in the GPU's memory */
    uint64_t *pointers;         /* of the graph's first row, or NULL */
    void *src, *dst;            /* of the graph's first edge; src may be NULL */
    uint64_t first, last;       /* edges [first, last) are wanted */
    rmat_rows_counts *counts;   /* instead of edges; or NULL */
    int tables;                 /* distinct ones */

    /* Of the view: parameters of a kernel are faster to read. */
    uint64_t seed;
    int levels, src_level, dst_level;
    uint8_t table_of[RMAT_ROWS_GROUPS];
    uint64_t src_chance[RMAT_MAX_SCALE], dst_chance[RMAT_MAX_SCALE][2];
};

__device__ uint32_t level_of(const node &n)
{
    return (uint32_t)n.count_level & 255;
}

__device__ uint64_t count_of(const node &n)
{
    return n.count_level >> 8;
}

/* The chance of the upper half. */
__device__ uint64_t chance_of(const job &j, uint32_t level, uint64_t src)
{
    return level < ROW ? j.src_chance[level]
                       : j.dst_chance[level - ROW][rmat_rows_bit(src, j.levels, level - ROW)];
}

__device__ uint32_t split_of(uint32_t level)
{
    return level < ROW ? level : 64 | (level - ROW);
}

/* A level down.  A source that is complete begins its row; behind levels without a source bit the
 * number stays as it is. */
__device__ node child_of(const job &j, const node &n, uint64_t start, uint64_t count, unsigned bit)
{
    const uint32_t level = level_of(n);
    node c = {start, count << 8, n.src, n.dst};

    if (level >= ROW) {
        c.dst = c.dst << 1 | bit;
        c.count_level |= level + 1;
        return c;
    }
    if ((int)level >= j.src_level) {
        c.src = c.src << 1 | bit;
    }
    c.count_level |= (int)level + 1 < j.levels ? level + 1 : ROW + j.dst_level;
    if ((int)level + 1 == j.levels && count > 0 && j.pointers != nullptr) {
        j.pointers[c.src + 1] = start + count;
    }
    return c;
}

/* Are any of these edges wanted? */
__device__ bool is_wanted(const job &j, uint64_t start, uint64_t count)
{
    return count > 0 && start < j.last && start + count > j.first;
}

__device__ void add_to(uint64_t *sum, uint64_t more)
{
    atomicAdd((unsigned long long *)sum, more);
}

/* Counts a row that begins in the range.  few: of the block, by edges up to SMALL, or NULL.  What
 * follows from the counts of short rows is added up at the end. */
__device__ void count_row(const job &j, uint32_t *few, uint64_t start, uint64_t count)
{
    if (start < j.first || start >= j.last) {
        return;
    }
    if (few != nullptr) {
        atomicAdd(&few[count], 1);
    } else if (count < RMAT_ROWS_FEW) {
        add_to(&j.counts->few[count], 1);
    } else {
        add_to(&j.counts->many[rmat_rows_magnitude(count)], 1);
        add_to(&j.counts->rows, 1);
        add_to(&j.counts->edges, count);
        atomicMax((unsigned long long *)&j.counts->largest, count);
    }
}

template <typename Id> __device__ void put_edge(const job &j, uint64_t edge, Id src, Id dst)
{
    if (is_wanted(j, edge, 1)) {
        ((Id *)j.dst)[edge] = dst;
        if (j.src != nullptr) {
            ((Id *)j.src)[edge] = src;
        }
    }
}

template <typename Id>
__device__ void copy_edge(const job &j, uint64_t start, uint64_t count, Id src, Id dst)
{
    for (uint64_t i = start > j.first ? start : j.first; i < start + count && i < j.last; i++) {
        put_edge<Id>(j, i, src, dst);
    }
}

/* Divides the nodes of a level: children of more than SMALL edges to the next one, others to the
 * list. */
template <typename Id>
__global__ void __launch_bounds__(256)
    expand_kernel(job j, const node *in, const uint32_t *n_in, node *out, uint32_t *n_out,
                  node *list, uint32_t *n_list, uint32_t room, uint32_t *full)
{
    __shared__ uint32_t sums[8][2], bases[2]; /* up to 512 nodes of a block */
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, below = (1u << lane) - 1;
    const uint32_t n = *n_in;

    for (uint32_t first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        node c[2];
        bool on[2] = {false, false}, done[2] = {false, false};

        if (first + threadIdx.x < n) {
            const node x = in[first + threadIdx.x];
            const uint64_t count = count_of(x);
            const uint64_t upper = rmat_rows_split(j.seed, x.start, count, split_of(level_of(x)),
                                                   chance_of(j, level_of(x), x.src));

            c[0] = child_of(j, x, x.start, count - upper, 0);
            c[1] = child_of(j, x, x.start + count - upper, upper, 1);
        }
        for (int b = 0; b < 2 && first + threadIdx.x < n; b++) {
            const uint64_t count = count_of(c[b]);

            if (j.counts != nullptr && level_of(c[b]) >= ROW) {
                if (count > 0) {
                    count_row(j, nullptr, c[b].start, count);
                }
            } else if (level_of(c[b]) == ROW + j.levels) {
                copy_edge<Id>(j, c[b].start, count, (Id)c[b].src, (Id)c[b].dst);
            } else if (is_wanted(j, c[b].start, count)) {
                on[b] = count > SMALL;
                done[b] = count <= SMALL;
            }
        }
        /* One addition of a block to either counter. */
        const uint32_t on0 = __ballot_sync(~0u, on[0]), on1 = __ballot_sync(~0u, on[1]);
        const uint32_t done0 = __ballot_sync(~0u, done[0]), done1 = __ballot_sync(~0u, done[1]);

        if (lane == 0) {
            sums[warp][0] = __popc(on0) + __popc(on1);
            sums[warp][1] = __popc(done0) + __popc(done1);
        }
        __syncthreads();
        if (threadIdx.x < 2) {
            uint32_t sum = 0;

            for (uint32_t w = 0; w < 8; w++) {
                const uint32_t some = sums[w][threadIdx.x];

                sums[w][threadIdx.x] = sum;
                sum += some;
            }
            bases[threadIdx.x] = sum > 0 ? atomicAdd(threadIdx.x == 0 ? n_out : n_list, sum) : 0;
        }
        __syncthreads();
        node *to = out + bases[0] + sums[warp][0], *small = list + bases[1] + sums[warp][1];

        if (bases[0] + 512 > room || bases[1] + 512 > room) { /* the same in all of the block */
            *full = 1;
            return;
        }

        if (on[0]) {
            to[__popc(on0 & below)] = c[0];
        }
        if (on[1]) {
            to[__popc(on0) + __popc(on1 & below)] = c[1];
        }
        if (done[0]) {
            small[__popc(done0 & below)] = c[0];
        }
        if (done[1]) {
            small[__popc(done0) + __popc(done1 & below)] = c[1];
        }
        __syncthreads();
    }
}

/* The destination of an edge, for up to 30 levels: as rmat_rows_destination(), with all draws of
 * one Philox block.  Sets *tie where a fraction equals its threshold, and the result is not it. */
template <bool one_table>
__device__ uint32_t draw_destination(const job &j, const uint32_t *fast, uint32_t src, uint32_t dst,
                                     int level, uint64_t edge, bool *tie)
{
    const philox_block b = philox_at(j.seed, edge, 0, PHILOX_ROWS_EDGE);
    const int groups = (j.levels + 5) / 6, padding = groups * 6 - j.levels;
    int group = level * 43 >> 8; /* level / 6 */
    const int known = level - 6 * group;
    int behind = 6 * (groups - 1 - group);
    const uint32_t padded = src << padding;

    *tie = false;
#pragma unroll
    for (int slot = 0; slot < RMAT_ROWS_DRAWS; slot++) {
        if (slot == 0 || behind >= 0) {
            const int left = slot == 0 ? 6 - known : 6;
            const uint32_t all = (1u << left) - 1;
            const uint32_t w = slot < 4 ? b.v[slot] : b.v[0] >> 6;
            const uint32_t fraction =
                slot < 4 ? w >> 12
                         : (b.v[1] >> 6 & 63) << 12 | (b.v[2] >> 6 & 63) << 6 | (b.v[3] >> 6 & 63);
            const uint32_t bits = padded >> behind & all, row = w & all;
            const uint32_t table = (one_table ? 0 : j.table_of[group] * (uint32_t)RMAT_ROWS_TABLE) +
                                   (slot == 0 ? rmat_rows_table(known, bits) : bits << 6);
            const uint32_t f = fast[table + row], threshold = slot < 4 ? f >> 12 : f >> 14;

            *tie |= fraction == threshold;
            dst = dst << left | (fraction < threshold ? row : f & 63);
            behind -= 6;
            group++;
        }
    }
    return dst >> padding;
}

/* The same by the definition, for any number of levels, and where a tie is to be settled. */
template <typename Id>
__device__ __noinline__ Id define_destination(const rmat_rows_view *v, Id src, Id dst, int level,
                                              uint64_t edge)
{
    const rmat_rows_cell cell = {0, 0, dst, level, 0};

    return (Id)rmat_rows_destination(v, src, &cell, edge);
}

/* Sorts 64 keys, two of each lane: key r of a lane at place 32 r + lane. */
template <typename Key> __device__ void sort_keys(Key key[2])
{
    const uint32_t lane = threadIdx.x % 32;

#pragma unroll
    for (int size = 2; size <= 64; size *= 2) {
        if (size == 64) {
            const Key least = key[0] < key[1] ? key[0] : key[1];

            key[1] = key[0] < key[1] ? key[1] : key[0];
            key[0] = least;
        }
#pragma unroll
        for (int step = size == 64 ? 16 : size / 2; step > 0; step /= 2) {
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const Key other = __shfl_xor_sync(~0u, key[r], step);
                const bool up = size == 64 || (size == 32 ? r == 0 : (lane & size) == 0);
                const bool low = ((lane & step) == 0) == up;

                key[r] = (key[r] < other) == low ? key[r] : other;
            }
        }
    }
}

/* Takes cells from the end of the queue while it has 32 of them; all: while it has any. fast_draws:
 * there are whole rows, without sources. */
template <typename Id, bool fast_draws, bool one_table>
__device__ void make_cells(const job &j, warp_memory<Id> &m, const uint32_t *fast, uint32_t &queued,
                           uint64_t wave, bool all)
{
    const uint32_t lane = threadIdx.x % 32, upto = ~0u >> (31 - lane);
    const uint32_t width = 8 * sizeof(Id);

    while (queued >= 32 || (all && queued > 0)) {
        const uint32_t w =
            lane < queued ? m.queue[queued - 1 - lane].count_level : (uint32_t)SMALL << 8 | 255;
        const uint32_t count = w >> 8;
        uint32_t sum = count;

#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, sum, d);

            sum += lane >= (uint32_t)d ? before : 0;
        }
        /* A key has the number of its cell, and the bits that are not the same in all of a cell. */
        const uint32_t bits = j.levels - (__reduce_min_sync(~0u, w & 255) - ROW);
        uint32_t cells = __popc(__ballot_sync(~0u, sum <= 64));

        if (bits + 5 > width && cells > 1u << (width - bits)) {
            cells = 1u << (width - bits);
        }
        const uint32_t begin = sum - count;
        const uint32_t lower = __reduce_or_sync(~0u, lane < cells && begin < 32 ? 1u << begin : 0);
        const uint32_t upper =
            __reduce_or_sync(~0u, lane < cells && begin >= 32 ? 1u << (begin - 32) : 0);
        const uint32_t edges = __shfl_sync(~0u, sum, cells - 1);
        const Id mask = bits == width ? ~(Id)0 : ((Id)1 << bits) - 1;
        uint64_t edge[2];
        Id key[2], prefix[2];
        bool active[2];

#pragma unroll
        for (int r = 0; r < 2; r++) {
            const uint32_t begun = (r == 0 ? lower : upper) & upto;
            const uint32_t cell = (r == 0 ? 0 : __popc(lower)) + __popc(begun) - 1;
            const uint32_t rank =
                begun != 0 ? lane - (31 - __clz(begun)) : lane + 32 - (31 - __clz(lower));

            active[r] = lane + 32 * r < edges;
            const small_node<Id> x = m.queue[queued - 1 - (active[r] ? cell : 0)];
            const int level = (int)(x.count_level & 255) - ROW;
            Id dst = x.dst;
            bool tie = !fast_draws;

            edge[r] = wave + x.start + rank;
            if (fast_draws && active[r]) {
                dst = (Id)draw_destination<one_table>(j, fast, (uint32_t)x.src, (uint32_t)x.dst,
                                                      level, edge[r], &tie);
            }
            if (tie && active[r]) {
                dst = define_destination<Id>(j.view, x.src, x.dst, level, edge[r]);
            }
            key[r] = !active[r] ? ~(Id)0 : (bits == width ? 0 : (Id)cell << bits) | (dst & mask);
            prefix[r] = dst & ~mask;
            if (!fast_draws && active[r] && j.src != nullptr && is_wanted(j, edge[r], 1)) {
                ((Id *)j.src)[edge[r]] = x.src;
            }
        }
        sort_keys(key);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            if (active[r] && (fast_draws || is_wanted(j, edge[r], 1))) {
                ((Id *)j.dst)[edge[r]] = prefix[r] | (key[r] & mask);
            }
        }
        queued -= cells;
        __syncwarp();
    }
}

/* Puts a node of each lane that has one (a count above 0) onto the stack, or into the queue; or
 * counts it, if it is a row and that is what is wanted. */
template <typename Id, bool counts_rows>
__device__ void put_node(const job &j, warp_memory<Id> &m, uint32_t *few, uint64_t wave,
                         const small_node<Id> &x, uint32_t &size, uint32_t &queued)
{
    const bool counted = counts_rows && (x.count_level & 255) >= ROW;
    const uint32_t lane = threadIdx.x % 32, below = (1u << lane) - 1;
    const uint32_t count = counted ? 0 : x.count_level >> 8;

    if (counted && x.count_level >> 8 > 0) {
        count_row(j, few, wave + x.start, x.count_level >> 8);
    }
    const bool is_leaf = count > 0 && (x.count_level & 255) >= ROW && count <= RMAT_ROWS_LEAF;
    const uint32_t leaves = __ballot_sync(~0u, is_leaf);
    const uint32_t others = __ballot_sync(~0u, count > 0 && !is_leaf);

    if (is_leaf) {
        m.queue[queued + __popc(leaves & below)] = x;
    } else if (count > 0) {
        m.stack[size + __popc(others & below)] = x;
    }
    queued += __popc(leaves);
    size += __popc(others);
}

/* Both children of a small node.  Copies of an edge, behind the last level, are written at once. */
template <typename Id>
__device__ void divide_small(const job &j, uint64_t wave, const small_node<Id> &x,
                             small_node<Id> c[2])
{
    const node whole = {wave + x.start, (uint64_t)x.count_level, x.src, x.dst};
    const uint32_t level = level_of(whole);
    const uint32_t count = x.count_level >> 8;
    const uint64_t p = chance_of(j, level, x.src);
    const uint32_t upper = p == RMAT_ROWS_CERTAIN
                               ? count
                               : rmat_rows_throw(j.seed, whole.start, count, split_of(level), p);

    for (int b = 0; b < 2; b++) {
        const uint32_t some = b == 0 ? count - upper : upper;
        const uint32_t before = b == 0 ? 0 : count - upper;
        const node y = child_of(j, whole, whole.start + before, some, (unsigned)b);

        c[b] = {x.start + before, (uint32_t)y.count_level, (Id)y.src, (Id)y.dst};
        if (level_of(y) == ROW + j.levels) {
            copy_edge<Id>(j, y.start, some, (Id)y.src, (Id)y.dst);
            c[b].count_level = 0;
        }
    }
}

template <typename Id, bool fast_draws, bool one_table, bool counts_rows>
__global__ void __launch_bounds__(WARPS * 32, sizeof(Id) == 4 ? BLOCKS : BLOCKS / 2)
    make_kernel(job j, const node *list, const uint32_t *n_list, uint32_t *next, uint64_t wave)
{
    extern __shared__ __align__(16) unsigned char shared[];
    warp_memory<Id> &m = ((warp_memory<Id> *)shared)[threadIdx.x / 32];
    uint32_t *fast = (uint32_t *)(shared + WARPS * sizeof(warp_memory<Id>));
    const uint32_t lane = threadIdx.x % 32, n = *n_list;
    uint32_t size = 0, queued = 0;
    bool more = true;

    for (uint32_t i = threadIdx.x; fast_draws && i < (uint32_t)j.tables * RMAT_ROWS_TABLE;
         i += blockDim.x) {
        fast[i] = j.view->fast[i];
    }
    __shared__ uint32_t few[counts_rows ? SMALL + 1 : 1];

    for (uint32_t i = threadIdx.x; counts_rows && i <= SMALL; i += blockDim.x) {
        few[i] = 0;
    }
    __syncthreads();
    while (true) {
        if (more && size < 32) {
            uint32_t at = lane == 0 ? atomicAdd(next, 32) : 0;
            small_node<Id> x = {0, 0, 0, 0};

            at = __shfl_sync(~0u, at, 0);
            more = at + 32 < n;
            if (at + lane < n) {
                const node y = list[at + lane];

                x = {(uint32_t)(y.start - wave), (uint32_t)y.count_level, (Id)y.src, (Id)y.dst};
            }
            put_node<Id, counts_rows>(j, m, few, wave, x, size, queued);
            __syncwarp();
            make_cells<Id, fast_draws, one_table>(j, m, fast, queued, wave, false);
        }
        if (size == 0 && !more) {
            break;
        }
        /* A single node at a time takes one place more at each level at most. */
        const uint32_t room = STACK - size, most = room > 96 ? 32 : room > 64 ? room - 64 : 1;
        const uint32_t some = size < most ? size : most;
        small_node<Id> c[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};

        if (lane < some) {
            const small_node<Id> x = m.stack[size - 1 - lane];

            divide_small<Id>(j, wave, x, c);
        }
        size -= some;
        __syncwarp();
        put_node<Id, counts_rows>(j, m, few, wave, c[0], size, queued);
        put_node<Id, counts_rows>(j, m, few, wave, c[1], size, queued);
        __syncwarp();
        make_cells<Id, fast_draws, one_table>(j, m, fast, queued, wave, false);
    }
    make_cells<Id, fast_draws, one_table>(j, m, fast, queued, wave, true);
    __syncthreads();
    for (uint32_t i = threadIdx.x; counts_rows && i <= SMALL; i += blockDim.x) {
        add_to(&j.counts->few[i], few[i]);
    }
}

/* A cell of a bound row that is divided no further. */
template <typename Id>
__device__ void make_bound_leaf(const job &j, uint64_t src, const rmat_rows_cell &cell)
{
    Id sorted[RMAT_ROWS_LEAF];

    if (cell.level == j.view->levels) {
        copy_edge<Id>(j, cell.start, cell.count, (Id)src, (Id)cell.prefix);
        return;
    }
    for (uint32_t i = 0; i < cell.count; i++) {
        const Id dst = (Id)rmat_rows_destination(j.view, src, &cell, cell.start + i);
        uint32_t at = i;

        for (; at > 0 && sorted[at - 1] > dst; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = dst;
    }
    for (uint32_t i = 0; i < cell.count; i++) {
        put_edge<Id>(j, cell.start + i, (Id)src, sorted[i]);
    }
}

template <typename Id> __device__ void make_bound_row(const job &j, const rmat_rows_node &row)
{
    rmat_rows_cell stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    stack[n++] = {row.start, row.count, 0, rmat_rows_dst_level(j.view), j.view->state};
    while (n > 0) {
        const rmat_rows_cell cell = stack[--n];

        if (!is_wanted(j, cell.start, cell.count)) {
            continue;
        }
        if (cell.count <= RMAT_ROWS_LEAF || cell.level == j.view->levels) {
            make_bound_leaf<Id>(j, row.prefix, cell);
        } else {
            rmat_rows_cell c[2];

            rmat_rows_divide_cell(j.view, row.prefix, &cell, c);
            stack[n++] = c[1];
            stack[n++] = c[0];
        }
    }
}

/* A thread walks down from each node of the host's. */
template <typename Id> __global__ void bound_kernel(job j, const rmat_rows_node *nodes, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    rmat_rows_node stack[RMAT_MAX_SCALE + 1];
    int size = 0;

    if (i < n) {
        stack[size++] = nodes[i];
    }
    while (size > 0) {
        const rmat_rows_node x = stack[--size];

        if (is_wanted(j, x.start, x.count) && x.level == j.view->levels && j.counts != nullptr) {
            count_row(j, nullptr, x.start, x.count);
        } else if (is_wanted(j, x.start, x.count) && x.level == j.view->levels) {
            if (j.pointers != nullptr) {
                j.pointers[x.prefix + 1] = x.start + x.count;
            }
            make_bound_row<Id>(j, x);
        } else if (is_wanted(j, x.start, x.count)) {
            rmat_rows_node c[2];

            rmat_rows_divide(j.view, &x, c);
            if (x.level >= rmat_rows_src_level(j.view)) {
                stack[size++] = c[1];
            }
            stack[size++] = c[0];
        }
    }
}

} // namespace

#endif
