/*
 * kernels.cuh - the kernels of gpu.cu: they divide nodes of the tree in GPU memory, and draw their
 * edges.
 *
 * The destinations of cells of at most RMAT_ROWS_LEAF edges are drawn and sorted by a warp.
 * Cells wait in a queue in shared memory.  A warp takes cells from its end, as many as have 64
 * edges together, two edges per lane.  It draws the destinations, and sorts all by cell and
 * destination in one bitonic network, which leaves each at its place.
 *
 * Logic, comparisons and shifts have half the rate of other instructions on these GPUs and are the
 * bottleneck.  So values that are the same for all edges of a cell are computed when the cell
 * enters the queue, with a cell in each lane.  All bits of a destination that a Philox block
 * decides are drawn, and those that do not exist are dropped at the end.  This is faster than
 * checking for each group of levels whether it exists.
 *
 * Measured on an H100, with a gain of at most 2 %: more warps on a multiprocessor (blocks of 18 or
 * 20 warps with fewer registers), and parts of nodes shared evenly among the lanes.
 */
#ifndef RMAT_ROWS_KERNELS_CUH
#define RMAT_ROWS_KERNELS_CUH

#include "rmat/rows/rows.h"

#include <cuda_runtime.h>

namespace
{

/* --- Cells --- */

enum {
    QUEUE = 96, /* cells of a warp: 31 waiting, and 64 new ones */
    ROW = 128,  /* added to the level of a cell, which is a node within a row */
    BLOCK_BITS = RMAT_ROWS_DRAWS * RMAT_ROWS_GROUP
};

/* The parameters of all kernels. */
struct job {
    const rmat_rows_view *view; /* with its tables in the GPU's memory */
    const uint32_t *fast;       /* of the view */
    uint64_t *pointers;         /* of the graph's first row, or NULL */
    void *src, *dst;            /* of the graph's first edge; src may be NULL */
    uint64_t first, last;       /* the wanted edges are [first, last) */
    bool narrow;                /* ids have 4 bytes */
    int tables;                 /* distinct ones */

    /* Copied from the view: parameters of a kernel are faster to read. */
    uint64_t seed, cols;
    int levels, src_level, dst_level;
    uint32_t row_state; /* state of the destinations at the beginning of a row */
    uint8_t table_of[RMAT_ROWS_GROUPS];
    uint64_t src_chance[RMAT_MAX_SCALE], dst_chance[RMAT_MAX_SCALE][2];
};

/* A node of at most SMALL edges, with its first edge counted from the wave's.  what:
 * its level, the number of edges and, for a cell, its state, from bits 0, 8 and 16 on.  Bits: an
 * integer wide enough for the bits of a vertex. */
template <typename Bits> struct small_node {
    uint32_t start, what;
    Bits src, dst;

    __device__ uint32_t level() const
    {
        return what & 255;
    }
    __device__ uint32_t count() const
    {
        return what >> 8 & 255;
    }
    __device__ uint32_t state() const
    {
        return what >> 16;
    }
};

/* A cell in the queue.  how: the number of edges, of bits of the first draw, the first row of its
 * tables (without the group's), the number of bits to draw, and the state, from bits 0, 6, 9, 22
 * and 28 on.  groups: the source's bits of the other draws, six per byte.  prefix: the destination
 * with the undecided bits 0. */
template <typename Bits> struct cell;
template <> struct __align__(16) cell<uint32_t>
{
    uint32_t start, how, prefix, groups[1];
};
template <> struct __align__(16) cell<uint64_t>
{
    uint32_t start, how, groups[3];
    uint64_t prefix;
};

template <typename Bits> struct cell_queue {
    cell<Bits> cells[QUEUE];
    Bits sources[QUEUE];
};

__device__ int open_bits(uint32_t how)
{
    return (int)(how >> 22 & 63);
}

/* Four groups of six bits, the first one on top, as bytes, the first one lowest. */
__device__ uint32_t spread_groups(uint32_t x)
{
    return (x >> 18 & 0x3f) | (x >> 4 & 0x3f00) | (x << 10 & 0x3f0000) | (x << 24 & 0x3f000000);
}

template <typename Bits> __device__ cell<Bits> cell_of(const job &j, const small_node<Bits> &x)
{
    const int level = (int)x.level() - ROW, groups = (j.levels + 5) / 6;
    const int group = level * 43 >> 8 /* level / 6 */, left = 6 * (group + 1) - level;
    const int padding = 6 * groups - j.levels, after = 6 * (groups - 1 - group);
    const Bits first = after >= padding ? x.src >> (after - padding) : x.src << (padding - after);
    const int below = j.levels - level;
    cell<Bits> c;

    c.start = x.start;
    c.prefix = x.dst << below;
    c.how = x.count() | (uint32_t)left << 6 |
            rmat_rows_table(6 - left, (uint32_t)first & ((1u << left) - 1)) << 9 |
            (uint32_t)below << 22 | x.state() << 28;
    if constexpr (sizeof(Bits) == 4) {
        c.groups[0] = spread_groups(x.src << padding << (24 - after) & 0xffffff);
    } else {
        const uint64_t rest = x.src << padding << (60 - after);

        c.groups[0] = spread_groups((uint32_t)(rest >> 36) & 0xffffff);
        c.groups[1] = spread_groups((uint32_t)(rest >> 12) & 0xffffff);
        c.groups[2] = spread_groups((uint32_t)rest << 12 & 0xffffff);
    }
    return c;
}

/* Returns, in the lowest bits, the value that a word draws from a row of a table.  Both have a
 * row's number in the lowest bits, and the fraction or threshold at the top.  Sets *tie if fraction
 * and threshold may be equal; `slack` is the largest value of the bits below them. */
__device__ uint32_t choose_value(uint32_t word, uint32_t row, uint32_t slack, bool *tie)
{
    *tie |= word - row + slack < 2 * slack + 1;
    return word < row ? word : row;
}

enum { SLACK = (1 << 12) - 1, LAST_SLACK = (1 << 14) - 1 };

/* The same for six bits, with the source's bits in a byte of groups.  Tables are below 2^16
 * bytes. */
template <int byte>
__device__ uint32_t draw_group(const uint32_t *table, uint32_t word, uint32_t groups,
                               uint32_t slack, bool *tie)
{
    uint32_t place;

    /* The row in byte 0, the source in byte 1, and zeros above (the byte's sign). */
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(place)
        : "r"(word << 2), "r"(groups), "n"(0xcc40 + 0x1110 * byte));
    return choose_value(word, *(const uint32_t *)((const char *)table + place), slack, tie) & 63;
}

/* The word of a block's last draw: 18 bits of fraction, and the row. */
__device__ uint32_t last_word(const philox_block &b)
{
    uint32_t word = (b.v[0] >> 6 & 0x3fff) | (b.v[3] << 8 & ~0x3fffu);

    word = (word & 0xfffff) | (b.v[2] << 14 & ~0xfffffu);
    return (word & 0x3ffffff) | (b.v[1] << 20 & ~0x3ffffffu);
}

/* The table of a group whose levels are all open; of a group that does not exist, any table. */
template <bool one_table>
__device__ const uint32_t *table_of(const job &j, const uint32_t *fast, int group)
{
    return one_table || group >= RMAT_ROWS_GROUPS
               ? fast
               : fast + j.table_of[group] * (uint32_t)RMAT_ROWS_TABLE;
}

/* The bits of an edge's destination that its cell leaves open, as rmat_rows_destination() draws
 * them.  Sets *tie if a fraction may equal its threshold; the result must then not be used. */
template <typename Bits, bool one_table>
__device__ Bits draw_edge(const job &j, const uint32_t *fast, const cell<Bits> &c, uint64_t edge,
                          bool *tie)
{
    const int open = open_bits(c.how), left = (int)(c.how >> 6 & 7);
    const int group = one_table ? 0 : (j.levels - open) * 43 >> 8; /* level / 6 */
    const auto table = [&](int k) { return table_of<one_table>(j, fast, group + k); };
    const uint32_t mask = (1u << left) - 1;
    philox_block b = philox_at(j.seed, edge, 0, PHILOX_ROWS_EDGE);
    const uint32_t first = table(0)[(c.how >> 9 & 0x1fff) + (b.v[0] & mask)];
    int drawn = left + BLOCK_BITS - 6;

    *tie = false;
    uint32_t x = choose_value(b.v[0], first, SLACK, tie) & mask;

    x = x * 64 + draw_group<0>(table(1), b.v[1], c.groups[0], SLACK, tie);
    x = x * 64 + draw_group<1>(table(2), b.v[2], c.groups[0], SLACK, tie);
    x = x * 64 + draw_group<2>(table(3), b.v[3], c.groups[0], SLACK, tie);
    x = x * 64 + draw_group<3>(table(4), last_word(b), c.groups[0], LAST_SLACK, tie);
    if constexpr (sizeof(Bits) == 4) {
        return x >> (drawn - open);
    } else {
        uint64_t all = x;

        if (drawn < open) {
            b = philox_at(j.seed, edge, 1, PHILOX_ROWS_EDGE);
            x = draw_group<0>(table(5), b.v[0], c.groups[1], SLACK, tie);
            x = x * 64 + draw_group<1>(table(6), b.v[1], c.groups[1], SLACK, tie);
            x = x * 64 + draw_group<2>(table(7), b.v[2], c.groups[1], SLACK, tie);
            x = x * 64 + draw_group<3>(table(8), b.v[3], c.groups[1], SLACK, tie);
            x = x * 64 + draw_group<0>(table(9), last_word(b), c.groups[2], LAST_SLACK, tie);
            all = all << BLOCK_BITS | x;
            drawn += BLOCK_BITS;
        }
        if (drawn < open) { /* by one draw at most: there are eleven groups */
            b = philox_at(j.seed, edge, 2, PHILOX_ROWS_EDGE);
            x = draw_group<1>(table(10), b.v[0], c.groups[2], SLACK, tie);
            return all << (open - drawn) | x >> (drawn + 6 - open);
        }
        return all >> (drawn - open);
    }
}

/* The same by the definition, to settle a tie or to draw an edge again. */
template <typename Bits>
__device__ __noinline__ Bits define_edge(const rmat_rows_view *v, Bits src, const cell<Bits> &c,
                                         uint64_t edge)
{
    const int open = open_bits(c.how);
    const rmat_rows_cell whole = {0, 0, c.prefix >> open, v->levels - open, (int)(c.how >> 28)};

    return (Bits)rmat_rows_destination(v, src, &whole, edge) - c.prefix;
}

/* Swaps two keys so that the smaller comes first. */
template <typename Key> __device__ void order_keys(Key key[2])
{
    const Key least = key[0] < key[1] ? key[0] : key[1];

    key[1] = key[0] < key[1] ? key[1] : key[0];
    key[0] = least;
}

/* Steps of a merge, from this one on, of keys that lie `step` places apart. */
template <int step, typename Key> __device__ void merge_keys(Key key[2])
{
    if constexpr (step == 1) {
        order_keys(key);
    } else {
        const bool low = (threadIdx.x & step / 2) == 0;

#pragma unroll
        for (int r = 0; r < 2; r++) {
            const Key other = __shfl_xor_sync(~0u, key[r], step / 2);

            key[r] = (key[r] < other) == low ? key[r] : other;
        }
        merge_keys<step / 2>(key);
    }
}

/* Sorts 64 keys; a lane has numbers 2 lane and 2 lane + 1.  The bitonic network begins its merges
 * with mirrored pairs of keys, so that the smaller one always comes first.  It uses templates,
 * because the compiler did not unroll loops over sizes and steps. */
template <int size = 2, typename Key> __device__ void sort_keys(Key key[2])
{
    if constexpr (size == 2) {
        order_keys(key);
    } else {
        const bool low = (threadIdx.x & size / 4) == 0;
        const Key other[2] = {__shfl_xor_sync(~0u, key[1], size / 2 - 1),
                              __shfl_xor_sync(~0u, key[0], size / 2 - 1)};

#pragma unroll
        for (int r = 0; r < 2; r++) {
            key[r] = (key[r] < other[r]) == low ? key[r] : other[r];
        }
        merge_keys<size / 4>(key);
    }
    if constexpr (size < 64) {
        sort_keys<2 * size>(key);
    }
}

/* The sum of x in this lane and those below. */
__device__ uint32_t sum_lanes(uint32_t x)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        asm volatile("{\n"
                     " .reg .pred within;\n"
                     " .reg .u32 lower;\n"
                     " shfl.sync.up.b32 lower|within, %0, %1, 0, -1;\n"
                     " @within add.u32 %0, %0, lower;\n"
                     "}"
                     : "+r"(x)
                     : "r"(d));
    }
    return x;
}

/* Stores an id.  exact: it is as wide as Bits, which saves whole rows a check. */
template <bool exact, typename Bits>
__device__ void put_id(const job &j, void *to, uint64_t i, Bits id)
{
    if (exact) {
        ((Bits *)to)[i] = id;
    } else if (j.narrow) {
        ((uint32_t *)to)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)to)[i] = id;
    }
}

/* Makes as many cells from the end of the queue as have 64 edges together, and returns the number
 * of cells left.  whole: whole rows, without sources, of ids as wide as Bits.  bound: cells may be
 * bound. */
template <typename Bits, bool whole, bool one_table, bool bound>
__device__ uint32_t make_cells(const job &j, const cell_queue<Bits> &q, const uint32_t *fast,
                               uint32_t queued, uint64_t wave)
{
    const uint32_t lane = threadIdx.x % 32, width = 8 * sizeof(Bits);
    const uint32_t how = lane < queued ? q.cells[queued - 1 - lane].how : 0;
    const uint32_t count = how & 63, sum = sum_lanes(lane < queued ? count : 65);
    const uint32_t begin = sum - count;
    /* A key has its cell's number above the drawn bits. */
    const uint32_t bits = __reduce_max_sync(~0u, open_bits(how));
    const uint32_t most = bits + 5 > width ? 1u << (width - bits) : 32;
    const uint32_t fit = __popc(__ballot_sync(~0u, sum <= 64)), cells = fit < most ? fit : most;
    const uint32_t edges = __shfl_sync(~0u, sum, cells - 1);
    /* The beginnings of cells among the first 32 edges and the others; the last one up to the
     * lane's. */
    const uint32_t lower = __reduce_or_sync(~0u, lane < cells && begin < 32 ? 1u << begin : 0);
    const uint32_t upper =
        __reduce_or_sync(~0u, lane < cells && begin >= 32 ? 1u << (begin - 32) : 0);
    const uint32_t word = lane < 16 ? lower : upper, at = 2 * lane % 32;
    const uint32_t begun = word & ~0u >> (31 - at), next = word >> at >> 1 & 1;
    const uint32_t number = (lane < 16 ? 0 : __popc(lower)) + __popc(begun) - 1;
    const uint32_t rank = begun != 0 ? at - (31 - __clz(begun)) : 2 * lane - (31 - __clz(lower));
    const uint32_t from[2] = {queued - 1 - number, queued - 1 - number - next};
    const cell<Bits> of[2] = {q.cells[from[0]], q.cells[from[1]]};
    const Bits mask = ((Bits)1 << bits) - 1;
    const bool active[2] = {2 * lane < edges, 2 * lane + 1 < edges};
    uint32_t place[2]; /* from the wave's first edge */
    uint64_t edge[2];
    Bits key[2] = {~(Bits)0, ~(Bits)0}, prefix[2], dst[2];

#pragma unroll
    for (int r = 0; r < 2; r++) {
        place[r] = of[r].start + (r == 0 ? rank : next != 0 ? 0 : rank + 1);
        edge[r] = wave + place[r];
        prefix[r] = of[r].prefix;
    }
    if (active[0]) {
        bool tie[2];

#pragma unroll
        for (int r = 0; r < 2; r++) {
            key[r] = draw_edge<Bits, one_table>(j, fast, of[r], edge[r], &tie[r]);
        }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            if (bound && of[r].how >> 28 != 0) {
                const Bits drawn = of[r].prefix | key[r];

                tie[r] |= (of[r].how >> 28 & RMAT_ROWS_TIGHT && drawn >= j.cols) ||
                          (of[r].how >> 28 & RMAT_ROWS_EQUAL && drawn == q.sources[from[r]]);
            }
            if (tie[r] && active[r]) {
                key[r] = define_edge<Bits>(j.view, q.sources[from[r]], of[r], edge[r]);
            }
            if (!whole && j.src != nullptr && active[r] && edge[r] >= j.first && edge[r] < j.last) {
                put_id<false>(j, j.src, edge[r], q.sources[from[r]]);
            }
            key[r] = active[r] ? (Bits)(number + r * next) << bits | key[r] : ~(Bits)0;
        }
    }
    sort_keys(key);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        dst[r] = prefix[r] | (key[r] & mask);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (whole && active[r]) {
            ((Bits *)j.dst + wave)[place[r]] = dst[r];
        } else if (active[r] && edge[r] >= j.first && edge[r] < j.last) {
            put_id<false>(j, j.dst, edge[r], dst[r]);
        }
    }
    return queued - cells;
}

/* --- Nodes --- */

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
        if (c.count > 0 && j.pointers != nullptr) {
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
#pragma unroll 1
    for (uint64_t i = start > j.first ? start : j.first; i < start + count && i < j.last; i++) {
        put_edge<exact>(j, i, src, dst);
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
