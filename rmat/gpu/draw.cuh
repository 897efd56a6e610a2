/*
 * draw.cuh - draws the ends of an edge in the first kernel, from the short fractions of the tables
 * (STREAM.md, "Draws").  rmat_device.cuh describes its use.  C++17, for nvcc.
 *
 * Integer operations limit its speed: the wide multiplications of Philox, and all others.
 * Therefore
 *   - The host computes the part of the first rounds of Philox that all edges of a piece share.
 *   - A group's path is one minimum of word and row.  A tie shows in the least of word - row; rows
 *     are lowered so that all differences that may be ties are small numbers.
 *   - A shift drops the levels that the last group lacks, from its bits or from all bits.  Whole
 *     groups are dropped as well, so that one kernel serves up to four groups, and another nine to
 *     eleven.
 *   - Transformations (rmat_view.transform) are left to transform.cuh, and so to kernels that plain
 *     graphs do not use.
 *
 * By ncu on an H200, Philox and the arithmetic around it are the bottleneck at scales 25 to 30: an
 * edge has 20 IMAD.WIDE, and each holds its pipe for four cycles.  At scale 20 with 64-bit ids
 * memory is the bottleneck.  Scales above 30 take a second Philox block per edge.
 */
#ifndef RMAT_GPU_DRAW_CUH
#define RMAT_GPU_DRAW_CUH

#include "rmat/rmat_gpu.h"

#include <cuda_runtime.h>

enum {
    RMAT_ROW_BYTES = sizeof(uint32_t),
    RMAT_TABLE_BYTES = RMAT_ROW_BYTES * RMAT_GROUP_PATHS, /* in shared memory */
    RMAT_LOW_GROUPS = 5 /* groups whose 30 bits fill the low word of an end */
};

/* The number of groups of the kernel for a graph with `groups` groups.  The surplus groups are
 * drawn and dropped. */
static inline __host__ __device__ int rmat_kernel_groups(int groups)
{
    return groups <= 4 ? 4 : groups <= 8 ? groups : RMAT_MAX_GROUPS;
}

/* More bits of rmat_view.transform. */
enum {
    RMAT_TRANSFORM_RECTANGULAR = 2 * RMAT_TRANSFORM_OFTEN, /* drawn ends have bits one side lacks */
    RMAT_TRANSFORM_FEW_BITS = 4 * RMAT_TRANSFORM_OFTEN     /* a side is permuted in more rounds */
};

/* The constants of rmat_permute_vertex() for one side of the matrix.  Sides of up to 32 bits have
 * two, b and k shifted to the top of a word. */
struct rmat_piece_side {
    uint64_t last, mask; /* the last vertex; all bits of the side */
    uint64_t k[RMAT_PERMUTE_MORE_ROUNDS];
    uint32_t b[RMAT_PERMUTE_MORE_ROUNDS];
    int rounds;
    uint32_t two;       /* 2: hidden from the compiler, so that it multiplies */
    uint32_t up, upper; /* 32 - bits, or 0; the bits of the high word */
    bool wide;          /* more than 32 bits */
};

/* A piece: the part of the stream that one launch of the two kernels makes.  It holds everything
 * that they need, and they receive it by value. */
struct rmat_piece {
    rmat_view view;      /* tables in device memory; surplus groups have one as well */
    uint32_t transform;  /* 0: the drawn ends are those of the edge */
    int tables;          /* the number of distinct tables */
    uint64_t begin, end; /* edges of the piece */
    uint64_t first;      /* base edge of the first unit; all units have the same high word */
    uint32_t units;      /* their number */
    uint32_t drop;       /* the low bits of all groups together that the graph lacks */
    uint32_t row_bytes;  /* RMAT_ROW_BYTES: hidden from the compiler, so that it multiplies */
    struct {
        uint32_t k0, k1, k2; /* keys of rounds 2 and 3, with their part common to all edges */
    } block[3];
    uint32_t keep[RMAT_LOW_GROUPS]; /* bits of each of the first groups that the graph has */
    uint32_t keys[10][2];
    uint32_t table_at[RMAT_MAX_GROUPS]; /* in bytes from the first table */
    rmat_piece_side side[2];
    bool square; /* both are alike */
    rmat_ties ties;
};

/* Fills everything but begin, end, units and ties, for units from base edge `first` on. */
static inline rmat_piece rmat_piece_of(const rmat_view &view, uint64_t first)
{
    const int groups = rmat_kernel_groups(view.groups);
    rmat_piece p = {};

    p.view = view;
    p.transform =
        view.transform | (view.src_mask == view.dst_mask ? 0 : RMAT_TRANSFORM_RECTANGULAR);
    for (int g = 0; g < RMAT_MAX_GROUPS; g++) {
        p.view.fast[g] = view.fast[g < view.groups ? g : 0];
        const int table = (int)((p.view.fast[g] - view.fast[0]) / RMAT_GROUP_PATHS);

        p.table_at[g] = (uint32_t)table * RMAT_TABLE_BYTES;
        p.tables = table < p.tables ? p.tables : table + 1;
    }
    for (int i = 0; i < 2; i++) {
        const rmat_permutation &from = view.permutation[i];

        p.side[i].last = from.vertices - 1;
        p.side[i].mask = i == 0 ? view.src_mask : view.dst_mask;
        p.side[i].wide = from.bits > 32;
        p.side[i].up = from.bits > 32 ? 0 : 32 - from.bits;
        p.side[i].upper = (uint32_t)(p.side[i].mask >> 32);
        p.side[i].two = 2u << p.side[i].up;
        for (int r = 0; r < RMAT_PERMUTE_MORE_ROUNDS; r++) {
            p.side[i].b[r] = from.b[r] << p.side[i].up;
            p.side[i].k[r] = from.k[r] << p.side[i].up;
        }
        p.side[i].rounds = rmat_permute_rounds(&from);
        if ((p.transform & RMAT_TRANSFORM_PERMUTED) && p.side[i].rounds > RMAT_PERMUTE_ROUNDS) {
            p.transform |= RMAT_TRANSFORM_FEW_BITS;
        }
    }
    p.square = view.rows == view.cols && view.src_mask == view.dst_mask;
    p.first = first;
    p.drop = (uint32_t)(RMAT_GROUP_LEVELS * (groups - view.groups) + view.drop);
    for (int g = 0; g < RMAT_LOW_GROUPS && g < view.groups; g++) {
        p.keep[g] = (uint32_t)(RMAT_GROUP_LEVELS - (g < view.groups - 1 ? 0 : view.drop));
    }
    p.row_bytes = RMAT_ROW_BYTES;
    for (uint32_t r = 0; r < 10; r++) {
        p.keys[r][0] = (uint32_t)view.seed + r * 0x9E3779B9u;
        p.keys[r][1] = (uint32_t)(view.seed >> 32) + r * 0xBB67AE85u;
    }
    for (uint32_t b = 0; b < 3; b++) {
        const uint64_t p1 = philox_mul(0xCD9E8D57u, b);
        const uint32_t c0 = (uint32_t)(p1 >> 32) ^ (uint32_t)(first >> 32) ^ p.keys[0][0];
        const uint64_t p0 = philox_mul(0xD2511F53u, c0);

        p.block[b].k0 = (uint32_t)p1 ^ p.keys[1][0];
        p.block[b].k1 = (uint32_t)(p0 >> 32) ^ p.keys[1][1];
        p.block[b].k2 = (uint32_t)p0 ^ p.keys[2][1];
    }
    return p;
}

/* A word and a row that tie differ by less than this, in either direction. */
template <int groups> static __device__ __forceinline__ uint32_t rmat_tie_reach()
{
    return 1u << (32 - rmat_fraction_bits(groups));
}

/* A block's dynamic shared memory: tables, whose rows are lowered by rmat_tie_reach(), and in some
 * kernels the queues of kernels.cuh. */
extern __shared__ __align__(16) uint32_t rmat_shared[];

/*
 * Where a kernel finds the lowered rows of its groups, one struct for each case: one table for all
 * groups; a table for each, at places that the compiler knows; the different tables, at places that
 * the piece knows.  `transformed`, `bounded` and `permuted` choose the code of transform.cuh,
 * `redrawn` that of kernels.cuh.
 */
struct rmat_one_table {
    static const bool placed = false, transformed = false, redrawn = false, permuted = false;
    static __host__ __device__ int tables(const rmat_piece &, int)
    {
        return 1;
    }

    static __device__ __forceinline__ uint32_t row(const rmat_piece &p, int, uint32_t w)
    {
        return *(const uint32_t *)((const char *)rmat_shared + (w & RMAT_PATH_MASK) * p.row_bytes);
    }
};

struct rmat_own_tables {
    static const bool placed = false, transformed = false, redrawn = false, permuted = false;
    static __host__ __device__ int tables(const rmat_piece &, int groups)
    {
        return groups;
    }

    static __device__ __forceinline__ uint32_t row(const rmat_piece &p, int g, uint32_t w)
    {
        return *(const uint32_t *)((const char *)(rmat_shared + g * RMAT_GROUP_PATHS) +
                                   (w & RMAT_PATH_MASK) * p.row_bytes);
    }
};

/* any: see rmat/gpu/transform.cuh */
template <bool any> struct rmat_placed_tables {
    static const bool placed = true;
    static const bool transformed = true, redrawn = any, bounded = any, permuted = false;
    static __host__ __device__ int tables(const rmat_piece &p, int)
    {
        return p.tables;
    }

    static __device__ __forceinline__ uint32_t row(const rmat_piece &p, int g, uint32_t w)
    {
        return *(const uint32_t *)((const char *)rmat_shared +
                                   ((w & RMAT_PATH_MASK) * p.row_bytes + p.table_at[g]));
    }
};

/* The tables of Places, in a kernel whose only transformation is permutation. */
template <typename Places> struct rmat_permuted : Places {
    static const bool transformed = true, redrawn = false, bounded = false, permuted = true;
};

/* Copies the tables to shared memory, lowered.  To be called by all threads of a block, with a
 * __syncthreads() before the tables are used. */
template <int groups, typename Tables>
static __device__ __forceinline__ void rmat_stage(const rmat_piece &p)
{
    const uint32_t reach = rmat_tie_reach<groups>();

    for (int t = 0; t < Tables::tables(p, groups); t++) {
        const uint4 *from = (const uint4 *)(Tables::placed ? p.view.fast[0] + t * RMAT_GROUP_PATHS
                                                           : p.view.fast[t]);
        uint4 *to = (uint4 *)(rmat_shared + t * RMAT_GROUP_PATHS);

        for (uint32_t i = threadIdx.x; i < RMAT_GROUP_PATHS / 4; i += blockDim.x) {
            const uint4 rows = from[i];

            to[i] = make_uint4(rows.x - reach, rows.y - reach, rows.z - reach, rows.w - reach);
        }
    }
}

/* The random words of all draws of the edge with this low index word, at the first attempt. */
template <int groups>
static __device__ __forceinline__ void rmat_draw_words(const rmat_piece &p, uint32_t low,
                                                       uint32_t *w)
{
    /* The part of rounds 1 and 2 that all Philox blocks share. */
    const uint64_t first = philox_mul(0xD2511F53u, low);
    const uint64_t second = philox_mul(0xCD9E8D57u, (uint32_t)(first >> 32) ^ p.keys[0][1]);

#pragma unroll
    for (int b = 0; b < (groups == 5 ? 1 : (groups + 3) / 4); b++) {
        uint32_t c0 = (uint32_t)(second >> 32) ^ p.block[b].k0, c1 = (uint32_t)second;
        uint32_t c2 = (uint32_t)first ^ p.block[b].k1, c3 = 0;

#pragma unroll
        for (int r = 2; r < 10; r++) {
            const uint64_t p0 = philox_mul(0xD2511F53u, c0), p1 = philox_mul(0xCD9E8D57u, c2);

            c0 = (uint32_t)(p1 >> 32) ^ c1 ^ p.keys[r][0];
            c1 = (uint32_t)p1;
            c2 = (uint32_t)(p0 >> 32) ^ (r == 2 ? p.block[b].k2 : c3 ^ p.keys[r][1]);
            c3 = (uint32_t)p0;
        }
        w[4 * b] = c0;
        w[4 * b + 1] = c1;
        w[4 * b + 2] = c2;
        w[4 * b + 3] = c3;
    }
    if (groups == 5) {
        w[4] = rmat_fifth_word(w[0], w[1], w[2], w[3]);
    }
}

/*
 * The bits of one end, as the groups add them.  Each group's 6 bits take one operation.  A funnel
 * shift brings the bits of sources in from the right, first group first, and those of destinations
 * from the left, last group first.  The end then consists of the words low, mid and top, in
 * increasing order.  If low is enough, a source takes only the bits that the graph has.
 *
 * loose: the bits above the end may be anything, because permutation drops them.
 */
template <int groups, bool loose> struct rmat_bits {
    static const int above = groups - RMAT_LOW_GROUPS;
    static const int above_mid = above - RMAT_LOW_GROUPS;
    static const int low_bits = RMAT_GROUP_LEVELS * (above < 0 ? groups : RMAT_LOW_GROUPS);
    static const int mid_bits = above > 0 ? RMAT_GROUP_LEVELS *(above_mid < 0 ? above : 5) : 0;
    uint32_t low = 0, mid = 0, top = 0;

    __device__ __forceinline__ uint32_t &word(int g)
    {
        return g >= above ? low : g >= above_mid ? mid : top;
    }
    __device__ __forceinline__ void from_right(int g, uint32_t path, const uint32_t *keep)
    {
        const bool whole = above > 0 || (groups == RMAT_LOW_GROUPS && g < groups - 1);

        if (loose && above <= 0 && g == 0) {
            low = path >> RMAT_GROUP_LEVELS;
            return;
        }
        word(g) = __funnelshift_l(path << (32 - 2 * RMAT_GROUP_LEVELS), word(g),
                                  whole ? RMAT_GROUP_LEVELS : keep[g]);
    }
    __device__ __forceinline__ void from_left(int g, uint32_t path, uint32_t drop)
    {
        if (loose && above <= 0 && g == 0) { /* the last shift of all */
            low = __funnelshift_r(low, path, RMAT_GROUP_LEVELS + drop + (32 - low_bits));
        } else if (loose && above == 1 && g == 0) {
            mid = path;
        } else {
            word(g) = __funnelshift_r(word(g), path, RMAT_GROUP_LEVELS);
        }
    }

    /* The end without its lowest `drop` bits, which may have been dropped already.  The bits of
     * each word are flush left or flush right. */
    __device__ __forceinline__ uint64_t vertex(bool flush_left, uint32_t drop) const
    {
        if constexpr (above <= 0) {
            return flush_left && !loose ? low >> (drop + (32 - low_bits)) : low;
        } else {
            const uint32_t l = flush_left ? low : low << (32 - low_bits);
            const bool moved = flush_left && !(loose && above == 1);
            const uint32_t m = moved ? mid >> (32 - mid_bits) : mid;
            const uint32_t t = flush_left ? top >> (32 - RMAT_GROUP_LEVELS) : top;
            const uint32_t high = m | t << 30, highest = t >> 2, shift = drop + (32 - low_bits);

            return (uint64_t)__funnelshift_r(high, highest, shift) << 32 |
                   __funnelshift_r(l, high, shift);
        }
    }
};

/* The ends that these words give for a square graph; groups is rmat_kernel_groups(view.groups).
 * Returns the edge's distance from a tie.  If it is 2 * rmat_tie_reach<groups>() or more, the ends
 * are right.  Below that the edge may have met a tie, and rmat_draw_edge() decides. */
template <int groups, typename Tables, typename T>
static __device__ __forceinline__ uint32_t rmat_words_to_ends(const rmat_piece &p, uint32_t *w,
                                                              T &src, T &dst)
{
    rmat_bits<groups, Tables::permuted> s, d;
    uint32_t near[groups], closest;

#pragma unroll
    for (int g = 0; g < groups; g++) {
        const uint32_t row = Tables::row(p, g, w[g]);

        near[g] = w[g] - row;
        w[g] = __viaddmin_u32(row, rmat_tie_reach<groups>(), w[g]);
        s.from_right(g, w[g], p.keep);
    }
#pragma unroll
    for (int g = groups - 1; g >= 0; g--) {
        d.from_left(g, w[g], p.drop);
    }
    src = (T)s.vertex(false, p.drop);
    dst = (T)d.vertex(true, p.drop);
    closest = near[0];
#pragma unroll
    for (int g = 1; g < groups; g += 2) {
        closest = __vimin3_u32(closest, near[g], near[g + 1 < groups ? g + 1 : g]);
    }
    return closest;
}

/* The same for the first draw of the base edge with this low index word. */
template <int groups, typename Tables, typename T>
static __device__ __forceinline__ uint32_t rmat_draw_fast(const rmat_piece &p, uint32_t low, T &src,
                                                          T &dst)
{
    uint32_t w[(groups + 4) / 4 * 4];

    rmat_draw_words<groups>(p, low, w);
    return rmat_words_to_ends<groups, Tables>(p, w, src, dst);
}

#endif
