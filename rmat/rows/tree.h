/*
 * tree.h - private to rmat/: the stream `rows` (ROWS.md), as functions that the C compiler and nvcc
 * both compile.
 *
 * The edges of the graph are thrown down a binary tree of source bits, and those of a row down a
 * tree of destination bits.  This ends at nodes of at most RMAT_ROWS_LEAF edges.  Their other bits
 * are then drawn one by one, except in cells whose drawn edges would seldom be wanted.  A node
 * knows its range of the list, so any part of the graph depends only on the nodes above it.
 */
#ifndef RMAT_ROWS_TREE_H
#define RMAT_ROWS_TREE_H

#include "alias/core/binomial.h"
#include "alias/core/hd.h"
#include "alias/core/philox.h"
#include "rmat/rmat.h"
#include "rmat/rmat_rows.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    RMAT_ROWS_LEAF = 32, /* edges of a node whose destinations are drawn one by one */
    RMAT_ROWS_THROWN =
        128, /* edges of a node that are thrown one by one; above it, a binomial variate */
    RMAT_ROWS_GROUP = 6, /* levels of a group, for which there are tables */
    RMAT_ROWS_GROUPS = (RMAT_MAX_SCALE + RMAT_ROWS_GROUP - 1) / RMAT_ROWS_GROUP,
    RMAT_ROWS_TABLE = 5460, /* rows of a group's tables: the sum over k < 6 of 4^(6 - k) */
    RMAT_ROWS_DRAWS = 5,    /* of a Philox block */
    RMAT_ROWS_STATES = 4
};

/* A probability is 2^64 times its value.  The probability 1 does not fit; this stands for it: */
#define RMAT_ROWS_CERTAIN UINT64_MAX

/* Conditions on the rest of a destination, as bits of a state. 0: any destination is wanted. */
enum {
    RMAT_ROWS_TIGHT =
        1, /* it equals the bits of the largest one so far, and could still exceed it */
    RMAT_ROWS_EQUAL = 2 /* it equals the source's bits so far, and loops are unwanted */
};

/* A level of the recursion. */
typedef struct {
    uint64_t src;    /* source bit 1; 0 at levels without a source bit */
    uint64_t dst[2]; /* destination bit 1, given the source bit; both equal without a source bit */
    double p_src[2]; /* the same as numbers: source bit 0 and 1 */
    double p_dst[2][2]; /* [source bit][destination bit] */
    /* The fraction of wanted edges from this level on, [source tight][state]. */
    double wanted[2][RMAT_ROWS_STATES];
    unsigned rare; /* bit s: for some sources, wanted destinations are rare from state s on */
} rmat_rows_level;

typedef struct {
    uint64_t seed, edges, rows, cols;
    int levels, rows_scale, cols_scale;
    int state; /* of the root */
    bool src_tight;
    int tables; /* distinct ones */
    uint8_t table_of[RMAT_ROWS_GROUPS];
    const uint32_t
        *fast; /* RMAT_ROWS_TABLE rows of each table: 20 bits of threshold, 12 of alias */
    const uint64_t *full; /* their thresholds, fractions of 2^64 */
    rmat_rows_level level[RMAT_MAX_SCALE + 1];
} rmat_rows_view;

/* A node of the tree of sources: the edges whose sources begin with the same bits. */
typedef struct {
    uint64_t start, count; /* of its edges in the list */
    uint64_t prefix;
    int level; /* the first undecided level */
    bool src_tight;
    double state[RMAT_ROWS_STATES]; /* of its edges' destinations: probabilities */
} rmat_rows_node;

/* A node of the tree of destinations, within a row. */
typedef struct {
    uint64_t start, count, prefix;
    int level, state;
} rmat_rows_cell;

/* The level at which the bits of a side begin: only the longer side has the upper levels. */
ALIAS_HD int rmat_rows_src_level(const rmat_rows_view *v)
{
    return v->levels - v->rows_scale;
}

/* The rows of a node whose source is decided before this level: [*first, *end). */
ALIAS_HD void rmat_rows_span(const rmat_rows_view *v, int level, uint64_t prefix, uint64_t *first,
                             uint64_t *end)
{
    const int bits = level <= rmat_rows_src_level(v) ? v->rows_scale : v->levels - level;

    *first = prefix << bits;
    *end = (prefix + 1) << bits;
}

ALIAS_HD int rmat_rows_dst_level(const rmat_rows_view *v)
{
    return v->levels - v->cols_scale;
}

/* The source's bit at a level; 0 if it has none. */
ALIAS_HD int rmat_rows_bit(uint64_t src, int levels, int level)
{
    return (int)(src >> (levels - 1 - level) & 1);
}

ALIAS_HD uint32_t rmat_rows_ones(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(bits);
#else
    return (uint32_t)__builtin_popcount(bits);
#endif
}

/* How many of at most RMAT_ROWS_THROWN edges go to the upper half, each with probability p. Each
 * edge has its own number; its bits are compared with those of p until they differ. */
ALIAS_HD uint32_t rmat_rows_throw(uint64_t seed, uint64_t start, uint32_t count, uint32_t node,
                                  uint64_t p)
{
    uint32_t ones = 0;

    for (uint32_t part = 0; part * 32 < count; part++) {
        const uint32_t n = count - part * 32;
        uint32_t open = n < 32 ? ((uint32_t)1 << n) - 1 : UINT32_MAX, upper = 0, block = 0;
        uint64_t rest = p;

        while (open != 0 && rest != 0) {
            const philox_block b =
                philox_at(seed, start, node | part << 8 | block++ << 16, PHILOX_ROWS_SPLIT);

            for (int i = 0; i < 4; i++) {
                const uint32_t digit = 0 - (uint32_t)(rest >> 63);

                upper |= open & digit & ~b.v[i];
                open &= ~(digit ^ b.v[i]);
                rest <<= 1;
            }
        }
        ones += rmat_rows_ones(upper);
    }
    return ones;
}

/* The same for any number of edges: a binomial variate decides for many. */
ALIAS_HD uint64_t rmat_rows_split(uint64_t seed, uint64_t start, uint64_t count, uint32_t node,
                                  uint64_t p)
{
    if (p == RMAT_ROWS_CERTAIN) {
        return count;
    }
    return p == 0 ? 0
           : count <= RMAT_ROWS_THROWN
               ? rmat_rows_throw(seed, start, (uint32_t)count, node, p)
               : alias_binomial(seed, start, node, count, p >> 24, (uint64_t)1 << 40);
}

/* The chance for 0 < x < 1: rounded down to a multiple of 2^-64. 1 is certain. */
ALIAS_HD uint64_t rmat_rows_chance(double x)
{
    return x >= 1 ? RMAT_ROWS_CERTAIN : (uint64_t)(x * 0x1p64);
}

/* The state after this level's bits; -1 if the destination exceeds the largest one. */
ALIAS_HD int rmat_rows_next(const rmat_rows_view *v, int level, int state, int src_bit, int dst_bit)
{
    if (state & RMAT_ROWS_TIGHT && level >= rmat_rows_dst_level(v)) {
        const int most = rmat_rows_bit(v->cols - 1, v->levels, level);

        if (dst_bit > most) {
            return -1;
        }
        state &= dst_bit < most ? ~RMAT_ROWS_TIGHT : ~0;
    }
    return dst_bit != src_bit ? state & ~RMAT_ROWS_EQUAL : state;
}

/* The states of the destinations of edges with this source bit, weighted by its probability. */
ALIAS_HD void rmat_rows_advance(const rmat_rows_view *v, const rmat_rows_node *node, int bit,
                                double to[RMAT_ROWS_STATES])
{
    const rmat_rows_level *l = &v->level[node->level];

    for (int s = 0; s < RMAT_ROWS_STATES; s++) {
        to[s] = 0;
    }
    for (int s = 0; s < RMAT_ROWS_STATES; s++) {
        for (int d = 0; d < 2 && node->state[s] > 0; d++) {
            const int next = rmat_rows_next(v, node->level, s, bit, d);

            if (next >= 0) {
                to[next] += node->state[s] * l->p_dst[bit][d];
            }
        }
    }
}

/* The fraction of wanted edges below the child with this source bit. */
ALIAS_HD double rmat_rows_weight(const rmat_rows_view *v, const rmat_rows_node *node, int bit,
                                 const double state[RMAT_ROWS_STATES])
{
    const rmat_rows_level *l = &v->level[node->level];
    const int most = rmat_rows_bit(v->rows - 1, v->levels, node->level);
    double sum = 0;

    if (node->src_tight && bit > most) {
        return 0;
    }
    for (int s = 0; s < RMAT_ROWS_STATES; s++) {
        sum += state[s] * l[1].wanted[node->src_tight && bit == most][s];
    }
    return l->p_src[bit] * sum;
}

ALIAS_HD rmat_rows_node rmat_rows_root(const rmat_rows_view *v)
{
    rmat_rows_node root = {0, v->edges, 0, 0, v->src_tight, {0, 0, 0, 0}};

    root.state[v->state] = 1;
    return root;
}

/* Whether all nodes and cells are plain: no draw is ever repeated. */
ALIAS_HD bool rmat_rows_all_plain(const rmat_rows_view *v)
{
    return !v->src_tight && v->state == 0;
}

/* Whether the node has the law of its level for every prefix. */
ALIAS_HD bool rmat_rows_is_plain(const rmat_rows_node *node)
{
    return !node->src_tight && node->state[1] == 0 && node->state[2] == 0 && node->state[3] == 0;
}

/* The child on the next level with this source bit, or with 0 if the source has none; still with
 * all edges. */
ALIAS_HD rmat_rows_node rmat_rows_descend(const rmat_rows_view *v, const rmat_rows_node *node,
                                          int bit)
{
    const bool has_bit = node->level >= rmat_rows_src_level(v);
    rmat_rows_node c = *node;

    c.level++;
    c.prefix = node->prefix << has_bit | (unsigned)bit;
    if (!rmat_rows_is_plain(node)) {
        c.src_tight = node->src_tight &&
                      (!has_bit || bit == rmat_rows_bit(v->rows - 1, v->levels, node->level));
        rmat_rows_advance(v, node, bit, c.state);
    }
    return c;
}

/* Both children of a node whose source has a bit at its level.  At levels without one there is one
 * child: children[0]. */
ALIAS_HD void rmat_rows_divide(const rmat_rows_view *v, const rmat_rows_node *node,
                               rmat_rows_node children[2])
{
    uint64_t p = v->level[node->level].src, upper;

    children[0] = rmat_rows_descend(v, node, 0);
    children[1] = rmat_rows_descend(v, node, 1);
    if (node->level >= rmat_rows_src_level(v) && !rmat_rows_is_plain(node)) {
        const double w0 = rmat_rows_weight(v, node, 0, children[0].state);
        const double w1 = rmat_rows_weight(v, node, 1, children[1].state);

        p = rmat_rows_chance(w1 / (w0 + w1));
    }
    upper = rmat_rows_split(v->seed, node->start, node->count, (uint32_t)node->level, p);
    children[0].count = node->count - upper;
    children[1].start = node->start + children[0].count;
    children[1].count = upper;
}

/* The node of a single row, by a direct walk down to it.  It may end above the row if there are no
 * edges. */
ALIAS_HD rmat_rows_node rmat_rows_find(const rmat_rows_view *v, uint64_t row)
{
    rmat_rows_node node = rmat_rows_root(v);

    while (node.level < v->levels && node.count > 0) {
        rmat_rows_node children[2];

        rmat_rows_divide(v, &node, children);
        node = children[node.level >= rmat_rows_src_level(v) &&
                        rmat_rows_bit(row, v->levels, node.level)];
    }
    node.prefix = row;
    return node;
}

/* The fraction of wanted destinations of edges with this source, from this level and state on. */
ALIAS_HD double rmat_rows_wanted(const rmat_rows_view *v, uint64_t src, int level, int state)
{
    double share[RMAT_ROWS_STATES];

    if (state <= 0) {
        return state == 0;
    }
    for (int s = 0; s < RMAT_ROWS_STATES; s++) {
        share[s] = !(s & RMAT_ROWS_EQUAL);
    }
    for (int l = v->levels - 1; l >= level; l--) {
        const int bit = rmat_rows_bit(src, v->levels, l);
        double before[RMAT_ROWS_STATES];

        before[0] = 1;
        for (int s = 1; s < RMAT_ROWS_STATES; s++) {
            before[s] = 0;
            for (int d = 0; d < 2; d++) {
                const int next = rmat_rows_next(v, l, s, bit, d);

                before[s] += next < 0 ? 0 : v->level[l].p_dst[bit][d] * share[next];
            }
        }
        for (int s = 0; s < RMAT_ROWS_STATES; s++) {
            share[s] = before[s];
        }
    }
    return share[state];
}

/* Whether the edges of a cell above the last level are drawn one by one: it has few, and a drawn
 * edge is wanted often enough. */
ALIAS_HD bool rmat_rows_is_leaf(const rmat_rows_view *v, uint64_t src, uint64_t count, int level,
                                int state)
{
    return count <= RMAT_ROWS_LEAF &&
           ((v->level[level].rare >> state & 1) == 0 ||
            rmat_rows_wanted(v, src, level, state) * RMAT_MAX_REDRAW >= 1);
}

/* The cell of all edges of a row. */
ALIAS_HD rmat_rows_cell rmat_rows_row_cell(const rmat_rows_view *v, const rmat_rows_node *row)
{
    return (rmat_rows_cell){row->start, row->count, 0, rmat_rows_dst_level(v), v->state};
}

/* Both children of a cell that has a level left. */
ALIAS_HD void rmat_rows_divide_cell(const rmat_rows_view *v, uint64_t src,
                                    const rmat_rows_cell *cell, rmat_rows_cell children[2])
{
    const rmat_rows_level *l = &v->level[cell->level];
    const int bit = rmat_rows_bit(src, v->levels, cell->level);
    uint64_t p = l->dst[bit], upper;
    int next[2] = {0, 0};

    if (cell->state != 0) {
        double w[2];

        for (int d = 0; d < 2; d++) {
            next[d] = rmat_rows_next(v, cell->level, cell->state, bit, d);
            w[d] = l->p_dst[bit][d] * rmat_rows_wanted(v, src, cell->level + 1, next[d]);
        }
        p = rmat_rows_chance(w[1] / (w[0] + w[1]));
    }
    upper = rmat_rows_split(v->seed, cell->start, cell->count, 64 | (uint32_t)cell->level, p);
    for (int d = 0; d < 2; d++) {
        children[d] =
            (rmat_rows_cell){cell->start, cell->count - upper, cell->prefix << 1 | (unsigned)d,
                             cell->level + 1, next[d] > 0 ? next[d] : 0};
    }
    children[1].start += children[0].count;
    children[1].count = upper;
}

/* The first row of the table for groups with `known` known levels, given the source's bits of the
 * others. */
ALIAS_HD uint32_t rmat_rows_table(int known, uint32_t src_bits)
{
    const uint32_t whole = 4096 + 1024 + 256 + 64 + 16 + 4,
                   left = RMAT_ROWS_GROUP - (uint32_t)known;

    /* Tables of fewer levels follow those of more: the sum of 4^j over left < j <= 6. */
    return whole - ((((uint32_t)4 << 2 * left) - 4) / 3) + (src_bits << left);
}

/* Draw number j of a destination: `bits` bits of a group. */
ALIAS_HD uint32_t rmat_rows_draw(const rmat_rows_view *v, uint64_t edge, uint32_t attempt, int j,
                                 philox_block b, int group, int known, uint32_t src_bits)
{
    const int slot = j % RMAT_ROWS_DRAWS, left = RMAT_ROWS_GROUP - known, bits = slot < 4 ? 20 : 18;
    const uint32_t w = slot < 4 ? b.v[slot] : b.v[0] >> 6;
    const uint32_t row = w & (((uint32_t)1 << left) - 1);
    const uint32_t fraction =
        slot < 4 ? w >> 12
                 : (b.v[1] >> 6 & 63) << 12 | (b.v[2] >> 6 & 63) << 6 | (b.v[3] >> 6 & 63);
    const uint32_t at =
        v->table_of[group] * (uint32_t)RMAT_ROWS_TABLE + rmat_rows_table(known, src_bits) + row;
    const uint32_t fast = v->fast[at], alias = fast & 4095, threshold = fast >> 12 >> (20 - bits);

    if (fraction == threshold) { /* the other bits decide */
        const philox_block t =
            philox_at(v->seed, edge, attempt << 16 | (uint32_t)j, PHILOX_ROWS_TIE);
        const uint64_t x = t.v[0] | (uint64_t)t.v[1] << 32;

        return ((uint64_t)fraction << (64 - bits)) + (x >> bits) < v->full[at] ? row : alias;
    }
    return fraction < threshold ? row : alias;
}

/* The destination of an edge that begins with the cell's bits. */
ALIAS_HD uint64_t rmat_rows_destination(const rmat_rows_view *v, uint64_t src,
                                        const rmat_rows_cell *cell, uint64_t edge)
{
    const int groups = (v->levels + RMAT_ROWS_GROUP - 1) / RMAT_ROWS_GROUP;
    uint64_t dst;
    uint32_t attempt = 0;

    do {
        philox_block b = {{0, 0, 0, 0}};
        int level = cell->level;

        dst = cell->prefix;
        for (int group = level / RMAT_ROWS_GROUP, j = 0; group < groups; group++, j++) {
            const int known = level % RMAT_ROWS_GROUP, left = RMAT_ROWS_GROUP - known;
            const int behind = v->levels - level - left; /* below 0: levels that do not exist */
            const int none = behind < 0 ? -behind : 0;
            const uint64_t src_bits = behind < 0 ? src << none : src >> behind;

            if (j % RMAT_ROWS_DRAWS == 0) {
                b = philox_at(v->seed, edge, attempt << 16 | (uint32_t)(j / RMAT_ROWS_DRAWS),
                              PHILOX_ROWS_EDGE);
            }
            dst = dst << (left - none) |
                  rmat_rows_draw(v, edge, attempt, j, b, group, known,
                                 (uint32_t)src_bits & (((uint32_t)1 << left) - 1)) >>
                      none;
            level += left;
        }
        attempt++;
    } while (cell->state != 0 && attempt < 65536 &&
             ((cell->state & RMAT_ROWS_TIGHT && dst >= v->cols) ||
              (cell->state & RMAT_ROWS_EQUAL && dst == src)));
    return dst;
}

#endif
