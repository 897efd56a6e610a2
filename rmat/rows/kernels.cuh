/*
 * kernels.cuh - the kernels of gpu.cu: they divide, draw and count nodes of the tree in GPU memory.
 */
#ifndef RMAT_ROWS_KERNELS_CUH
#define RMAT_ROWS_KERNELS_CUH

#include "rmat/rows/cells.cuh"

namespace
{

enum {
    SMALL = 128, /* the most edges of a node that a warp divides, and that are thrown one by one */
    /* Nodes of a warp: room for 32 more if there are fewer than 32, and for a walk down.  With this
     * number, four blocks of narrow bits fit a multiprocessor of 228 KiB, and two of wide ones. */
    STACK = 156,
    WAVE = 1 << 30,
    EXPANDERS =
        64 /* threads of a block that divides nodes; few, because a level may have few nodes */
};

/* A node in a list: its first edge, their number, the bits of its source and destination and, for a
 * cell, its state. */
struct node {
    uint64_t start, count, src, dst;
    uint32_t level, state;
};

template <typename Bits> struct warp_memory {
    small_node<Bits> stack[STACK];
    cell_queue<Bits> queue;
};

/* Warps of a block. */
template <typename Bits> constexpr int warps = sizeof(Bits) == 4 ? 8 : 12;

/* The chance of the upper half. */
__device__ uint64_t chance_of(const job &j, uint32_t level, uint64_t src)
{
    return level < ROW ? j.src_chance[level]
                       : j.dst_chance[level - ROW][rmat_rows_bit(src, j.levels, level - ROW)];
}

/* The number of a node's edges in the upper half, and the states of its children. */
struct division {
    uint64_t upper;
    uint32_t state[2];
};

/* Divides a node above rows whose law depends on its prefix, as in a bound graph.  It computes the
 * law from the root on. */
__device__ __noinline__ uint64_t divide_bound_node(const rmat_rows_view *v, uint64_t start,
                                                   uint64_t count, uint64_t src, int level)
{
    rmat_rows_node n = rmat_rows_root(v), c[2];

    while (n.level < level) {
        const int bit =
            n.level >= rmat_rows_src_level(v) ? (int)(src >> (level - 1 - n.level) & 1) : 0;

        n = rmat_rows_descend(v, &n, bit);
    }
    n.start = start;
    n.count = count;
    rmat_rows_divide(v, &n, c);
    return level >= rmat_rows_src_level(v) ? c[1].count : 0;
}

/* Divides a cell with a state. */
__device__ __noinline__ division divide_bound_cell(const rmat_rows_view *v, uint64_t src,
                                                   uint64_t start, uint64_t count, uint64_t dst,
                                                   int level, int state)
{
    const rmat_rows_cell whole = {start, count, dst, level, state};
    rmat_rows_cell c[2];

    rmat_rows_divide_cell(v, src, &whole, c);
    return {c[1].count, {(uint32_t)c[0].state, (uint32_t)c[1].state}};
}

__device__ __noinline__ bool is_bound_leaf(const rmat_rows_view *v, uint64_t src, uint64_t count,
                                           int level, int state)
{
    return rmat_rows_is_leaf(v, src, count, level, state);
}

/* is_small: at most SMALL edges, which takes less code. */
template <bool bound, bool is_small> __device__ division divide(const job &j, const node &x)
{
    const uint32_t split = x.level < ROW ? x.level : 64 | (x.level - ROW);
    const uint64_t p = chance_of(j, x.level, x.src);

    if (bound && x.level < ROW) {
        return {divide_bound_node(j.view, x.start, x.count, x.src, (int)x.level), {0, 0}};
    }
    if (bound && x.state != 0) {
        return divide_bound_cell(j.view, x.src, x.start, x.count, x.dst, (int)x.level - ROW,
                                 (int)x.state);
    }
    return {is_small && p != RMAT_ROWS_CERTAIN
                ? rmat_rows_throw(j.seed, x.start, (uint32_t)x.count, split, p)
            : is_small ? x.count
                       : rmat_rows_split(j.seed, x.start, x.count, split, p),
            {0, 0}};
}

/* The child on the next level.  A complete source begins its row.  After levels without a source
 * bit the number stays. */
__device__ node child_of(const job &j, const node &n, const division &d, unsigned bit)
{
    const uint64_t lower = n.count - d.upper;
    node c = {bit == 0 ? n.start : n.start + lower,
              bit == 0 ? lower : d.upper,
              n.src,
              n.dst,
              n.level + 1,
              d.state[bit]};

    if (n.level >= ROW) {
        c.dst = c.dst << 1 | bit;
        return c;
    }
    if ((int)n.level >= j.src_level) {
        c.src = c.src << 1 | bit;
    }
    if ((int)c.level == j.levels) {
        c.level = ROW + j.dst_level;
        c.state = j.row_state;
        if (c.count > 0 && j.pointers != nullptr && !j.unique) {
            j.pointers[c.src + 1] = c.start + c.count;
        }
    }
    return c;
}

/* Whether any of these edges is wanted. */
__device__ bool is_wanted(const job &j, uint64_t start, uint64_t count)
{
    return count > 0 && start < j.last && start + count > j.first;
}

template <bool exact, typename Bits>
__device__ void put_edge(const job &j, uint64_t edge, Bits src, Bits dst)
{
    if (is_wanted(j, edge, 1)) {
        put_id<exact>(j, j.dst, edge, dst);
        if (j.src != nullptr) {
            put_id<exact>(j, j.src, edge, src);
        }
    }
}

/* Writes copies of one edge: a cell after the last level. */
template <bool exact, typename Bits>
__device__ void copy_edge(const job &j, uint64_t start, uint64_t count, Bits src, Bits dst)
{
    if (j.unique && count > 0) {
        add_to(&j.pointers[src + 1], 1);
    }
#pragma unroll 1
    for (uint64_t i = start > j.first ? start : j.first; i < start + count && i < j.last; i++) {
        put_edge<exact>(j, i, src, j.unique && i > start ? ~(Bits)0 : dst);
    }
}

template <typename Bits> __device__ small_node<Bits> pack_node(const node &x, uint64_t wave)
{
    return {(uint32_t)(x.start - wave), x.level | (uint32_t)x.count << 8 | x.state << 16,
            (Bits)x.src, (Bits)x.dst};
}

/* Divides the nodes of a level.  Children of more than SMALL edges go to the next level, others to
 * the wave's list of small nodes. */
template <typename Bits, bool bound>
__global__ void __launch_bounds__(EXPANDERS)
    expand_kernel(job j, const node *in, const uint32_t *n_in, node *out, uint32_t *n_out,
                  void *list, uint32_t *n_list, uint32_t room, uint32_t list_room, uint32_t *full,
                  uint64_t wave)
{
    __shared__ uint32_t sums[EXPANDERS / 32][2], bases[2];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, below = (1u << lane) - 1;
    const uint32_t n = *n_in <= room ? *n_in : 0;

    for (uint32_t first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        node c[2];
        bool on[2] = {false, false}, done[2] = {false, false};

        if (first + threadIdx.x < n) {
            const node x = in[first + threadIdx.x];

            if (x.count <= SMALL) { /* a node of the host: a cell of so few may not be divided */
                c[0] = x;
                c[1] = {};
            } else {
                const division d = divide<bound, false>(j, x);

                c[0] = child_of(j, x, d, 0);
                c[1] = child_of(j, x, d, 1);
            }
        }
        for (int b = 0; b < 2 && first + threadIdx.x < n; b++) {
            if (c[b].level == ROW + j.levels) {
                copy_edge<false>(j, c[b].start, c[b].count, c[b].src, c[b].dst);
            } else if (is_wanted(j, c[b].start, c[b].count)) {
                on[b] = c[b].count > SMALL;
                done[b] = c[b].count <= SMALL;
            }
        }
        /* One addition per block to each counter. */
        const uint32_t on0 = __ballot_sync(~0u, on[0]), on1 = __ballot_sync(~0u, on[1]);
        const uint32_t done0 = __ballot_sync(~0u, done[0]), done1 = __ballot_sync(~0u, done[1]);

        if (lane == 0) {
            sums[warp][0] = __popc(on0) + __popc(on1);
            sums[warp][1] = __popc(done0) + __popc(done1);
        }
        __syncthreads();
        if (threadIdx.x < 2) {
            uint32_t sum = 0;

            for (uint32_t w = 0; w < EXPANDERS / 32; w++) {
                const uint32_t some = sums[w][threadIdx.x];

                sums[w][threadIdx.x] = sum;
                sum += some;
            }
            bases[threadIdx.x] = sum > 0 ? atomicAdd(threadIdx.x == 0 ? n_out : n_list, sum) : 0;
        }
        __syncthreads();
        node *to = out + bases[0] + sums[warp][0];
        small_node<Bits> *small = (small_node<Bits> *)list + bases[1] + sums[warp][1];

        if (bases[0] + 2 * EXPANDERS > room ||
            bases[1] + 2 * EXPANDERS > list_room) { /* the same in all of the block */
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
            small[__popc(done0 & below)] = pack_node<Bits>(c[0], wave);
        }
        if (done[1]) {
            small[__popc(done0) + __popc(done1 & below)] = pack_node<Bits>(c[1], wave);
        }
        __syncthreads();
    }
}

/* Puts the node of each lane that has one (a count above 0) onto the stack or into the queue. */
template <bool bound, typename Bits>
__device__ void put_node(const job &j, warp_memory<Bits> &m, const small_node<Bits> &x,
                         uint32_t &size, uint32_t &queued)
{
    const uint32_t below = (1u << threadIdx.x % 32) - 1;
    const bool is_leaf =
        x.count() > 0 && x.level() >= ROW && x.count() <= RMAT_ROWS_LEAF &&
        (!bound || x.state() == 0 ||
         is_bound_leaf(j.view, x.src, x.count(), (int)x.level() - ROW, (int)x.state()));
    const uint32_t leaves = __ballot_sync(~0u, is_leaf);
    const uint32_t others = __ballot_sync(~0u, x.count() > 0 && !is_leaf);

    if (is_leaf) {
        const uint32_t at = queued + __popc(leaves & below);

        m.queue.cells[at] = cell_of(j, x);
        m.queue.sources[at] = x.src;
    } else if (x.count() > 0) {
        m.stack[size + __popc(others & below)] = x;
    }
    queued += __popc(leaves);
    size += __popc(others);
}

/* Both children of a small node.  Copies of an edge, after the last level, are written directly. */
template <typename Bits, bool exact, bool bound>
__device__ void divide_small(const job &j, uint64_t wave, const small_node<Bits> &x,
                             small_node<Bits> c[2])
{
    const node both = {wave + x.start, x.count(), x.src, x.dst, x.level(), x.state()};
    const division d = divide<bound, true>(j, both);

    for (unsigned b = 0; b < 2; b++) {
        const node y = child_of(j, both, d, b);

        c[b] = pack_node<Bits>(y, wave);
        if (y.level == ROW + j.levels) {
            copy_edge<exact>(j, y.start, y.count, (Bits)y.src, (Bits)y.dst);
            c[b].what = 0;
        }
    }
}

/* whole, one_table, bound: as in make_cells(). */
template <typename Bits, bool whole, bool one_table, bool bound>
__global__ void __launch_bounds__(warps<Bits> * 32, sizeof(Bits) == 4 ? 4 : 2)
    make_kernel(job j, const void *list, const uint32_t *n_list, uint32_t *next, uint64_t wave)
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
    __syncthreads();
    while (more || size > 0 || queued > 0) {
        if (queued >= 32 || (size == 0 && !more)) {
            queued = make_cells<Bits, whole, one_table, bound>(j, m.queue, fast, queued, wave);
        } else if (more && size < 32) {
            uint32_t at = lane == 0 ? atomicAdd(next, 32) : 0;
            small_node<Bits> x = {0, 0, 0, 0};

            at = __shfl_sync(~0u, at, 0);
            more = at + 32 < n;
            if (at + lane < n) {
                x = ((const small_node<Bits> *)list)[at + lane];
            }
            put_node<bound>(j, m, x, size, queued);
        } else {
            /* A single node at a time takes at most one more place at each level. */
            const uint32_t room = STACK - size, most = room > 96 ? 32 : room > 64 ? room - 64 : 1;
            const uint32_t some = size < most ? size : most;
            small_node<Bits> c[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};

            if (lane < some) {
                divide_small<Bits, whole, bound>(j, wave, m.stack[size - 1 - lane], c);
            }
            size -= some;
            __syncwarp();
            put_node<bound>(j, m, c[0], size, queued);
            put_node<bound>(j, m, c[1], size, queued);
        }
        __syncwarp();
    }
}

} // namespace

#endif
