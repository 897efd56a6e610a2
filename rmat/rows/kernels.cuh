/*
 * kernels.cuh - the kernels of gpu.cu: nodes of the tree in the memory of a GPU, and how they are
 * divided, drawn and counted.
 */
#ifndef RMAT_ROWS_KERNELS_CUH
#define RMAT_ROWS_KERNELS_CUH

#include "rmat/rows/cells.cuh"

namespace
{

enum {
    SMALL = 128, /* edges of a node that a warp divides, and that are thrown one by one */
    /* Nodes of a warp: room for 32 more where there are below 32, and for a walk down; so many that
     * four blocks of narrow bits fit a multiprocessor of 228 KiB, and two of wide ones. */
    STACK = 156,
    WAVE = 1 << 29,
    BOUND_EDGES = 1 << 12
};

/* A node in a list: its first edge; count << 8 | level; the bits of its source and destination. */
struct node {
    uint64_t start, count_level, src, dst;
};

template <typename Bits> struct warp_memory {
    small_node<Bits> stack[STACK];
    cell_queue<Bits> queue;
};

/* Warps of a block. */
template <typename Bits> constexpr int warps = sizeof(Bits) == 4 ? 8 : 12;

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
    if ((int)level + 1 == j.levels && count > 0 && j.pointers != nullptr && !j.unique) {
        j.pointers[c.src + 1] = start + count;
    }
    return c;
}

/* Are any of these edges wanted? */
__device__ bool is_wanted(const job &j, uint64_t start, uint64_t count)
{
    return count > 0 && start < j.last && start + count > j.first;
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

/* Copies of one edge: a cell behind the last level. */
template <typename Id>
__device__ void copy_edge(const job &j, uint64_t start, uint64_t count, Id src, Id dst)
{
    if (j.unique && count > 0) {
        add_to(&j.pointers[src + 1], 1);
    }
#pragma unroll 1
    for (uint64_t i = start > j.first ? start : j.first; i < start + count && i < j.last; i++) {
        put_edge<Id>(j, i, src, j.unique && i > start ? ~(Id)0 : dst);
    }
}

/* Divides the nodes of a level: children of more than SMALL edges to the next one, others to the
 * list. */
template <typename Id>
__global__ void __launch_bounds__(256)
    expand_kernel(job j, const node *in, const uint32_t *n_in, node *out, uint32_t *n_out,
                  node *list, uint32_t *n_list, uint32_t room, uint32_t list_room, uint32_t *full)
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

        if (bases[0] + 512 > room ||
            bases[1] + 512 > list_room) { /* the same in all of the block */
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

/* Puts a node of each lane that has one (a count above 0) onto the stack, or into the queue; or
 * counts it, if it is a row and that is what is wanted. */
template <typename Bits, bool counts_rows>
__device__ void put_node(const job &j, warp_memory<Bits> &m, uint32_t *few, uint64_t wave,
                         const small_node<Bits> &x, uint32_t &size, uint32_t &queued)
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
        const uint32_t at = queued + __popc(leaves & below);

        m.queue.cells[at] = cell_of(j, x);
        m.queue.sources[at] = x.src;
    } else if (count > 0) {
        m.stack[size + __popc(others & below)] = x;
    }
    queued += __popc(leaves);
    size += __popc(others);
}

/* Both children of a small node.  Copies of an edge, behind the last level, are written at once. */
template <typename Bits, typename Id>
__device__ void divide_small(const job &j, uint64_t wave, const small_node<Bits> &x,
                             small_node<Bits> c[2])
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

        c[b] = {x.start + before, (uint32_t)y.count_level, (Bits)y.src, (Bits)y.dst};
        if (level_of(y) == ROW + j.levels) {
            copy_edge<Id>(j, y.start, some, (Id)y.src, (Id)y.dst);
            c[b].count_level = 0;
        }
    }
}

/* What is made of the nodes. */
enum wanted { WHOLE_ROWS, LIST, COUNTS };

template <typename Bits, typename Id, wanted what, bool one_table>
__global__ void __launch_bounds__(warps<Bits> * 32, sizeof(Bits) == 4 ? 4 : 2)
    make_kernel(job j, const node *list, const uint32_t *n_list, uint32_t *next, uint64_t wave)
{
    extern __shared__ __align__(16) unsigned char shared[];
    warp_memory<Bits> &m = ((warp_memory<Bits> *)shared)[threadIdx.x / 32];
    uint32_t *table = (uint32_t *)(shared + warps<Bits> * sizeof(warp_memory<Bits>));
    const uint32_t *fast = one_table ? table : j.fast;
    const uint32_t lane = threadIdx.x % 32, n = *n_list;
    uint32_t size = 0, queued = 0;
    bool more = true;

    for (uint32_t i = threadIdx.x; one_table && i < RMAT_ROWS_TABLE; i += blockDim.x) {
        table[i] = j.fast[i];
    }
    __shared__ uint32_t few[what == COUNTS ? SMALL + 1 : 1];

    for (uint32_t i = threadIdx.x; what == COUNTS && i <= SMALL; i += blockDim.x) {
        few[i] = 0;
    }
    __syncthreads();
    while (more || size > 0 || queued > 0) {
        if (what != COUNTS && (queued >= 32 || (size == 0 && !more))) {
            queued =
                make_cells<Bits, Id, what == WHOLE_ROWS, one_table>(j, m.queue, fast, queued, wave);
        } else if (more && size < 32) {
            uint32_t at = lane == 0 ? atomicAdd(next, 32) : 0;
            small_node<Bits> x = {0, 0, 0, 0};

            at = __shfl_sync(~0u, at, 0);
            more = at + 32 < n;
            if (at + lane < n) {
                const node y = list[at + lane];

                x = {(uint32_t)(y.start - wave), (uint32_t)y.count_level, (Bits)y.src, (Bits)y.dst};
            }
            put_node<Bits, what == COUNTS>(j, m, few, wave, x, size, queued);
        } else {
            /* A single node at a time takes one place more at each level at most. */
            const uint32_t room = STACK - size, most = room > 96 ? 32 : room > 64 ? room - 64 : 1;
            const uint32_t some = size < most ? size : most;
            small_node<Bits> c[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};

            if (lane < some) {
                divide_small<Bits, Id>(j, wave, m.stack[size - 1 - lane], c);
            }
            size -= some;
            __syncwarp();
            put_node<Bits, what == COUNTS>(j, m, few, wave, c[0], size, queued);
            put_node<Bits, what == COUNTS>(j, m, few, wave, c[1], size, queued);
        }
        __syncwarp();
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; what == COUNTS && i <= SMALL; i += blockDim.x) {
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
    uint32_t left = 0;

    for (uint32_t i = 0; i < cell.count; i++) {
        const bool copy = j.unique && i > 0 && sorted[i] == sorted[i - 1];

        put_edge<Id>(j, cell.start + i, (Id)src, copy ? ~(Id)0 : sorted[i]);
        left += !copy;
    }
    if (j.unique) {
        add_to(&j.pointers[src + 1], left);
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
            if (j.pointers != nullptr && !j.unique) {
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
