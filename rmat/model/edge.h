/*
 * rmat/model/edge.h - one edge of the stream, written once for the CPU, the GPU and kernels of
 * yours.
 *
 * rmat_edge_at() follows STREAM.md step by step and is what every fast path must agree with; the
 * fast paths call it for the rare edge that needs more than one compare per draw, or another draw.
 * Thread-safe: all inputs are read-only.
 */
#ifndef RMAT_MODEL_EDGE_H
#define RMAT_MODEL_EDGE_H

#include "alias/core/hd.h"
#include "alias/core/philox.h"
#include "rmat/model/permutation.h"
#include <stdint.h>

#define RMAT_GROUP_LEVELS 6    /* levels per draw */
#define RMAT_GROUP_PATHS  4096 /* 4^6 paths, rows of one table; path = src bits * 64 + dst bits */
#define RMAT_MAX_GROUPS   11   /* scale 62 */
#define RMAT_PATH_MASK    (RMAT_GROUP_PATHS - 1u)
#define RMAT_ATTEMPTS     65536u /* at an edge; the last one counts whatever it gives */
#define RMAT_ATTEMPT_STEP 65536u /* of the block number, from one attempt to the next */

/* What becomes of the drawn ends: bits of rmat_view.transform.  0: the edges are as they are drawn.
 */
enum {
    RMAT_TRANSFORM_BOUNDED = 1,   /* drawn again if not below rows or cols */
    RMAT_TRANSFORM_NO_LOOPS = 2,  /* drawn again if a loop */
    RMAT_TRANSFORM_PERMUTED = 4,  /* by permutation[0] and [1] */
    RMAT_TRANSFORM_LOWER = 8,     /* exchanged if src < dst */
    RMAT_TRANSFORM_UPPER = 16,    /* exchanged if src > dst */
    RMAT_TRANSFORM_SYMMETRIC = 32 /* edge j is base edge j / 2, reversed if j is odd */
};
#define RMAT_TRANSFORM_REDRAWN (RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_NO_LOOPS)

/*
 * What a draw needs.  The graph of scale s = max(rows_scale, cols_scale) has ceil(s / 6) groups.
 * fast[g][j]: the top 20 bits of the threshold above 12 bits of alias.  full[g][j]: the threshold
 * as a fraction of 2^64; a row that is wholly its own has alias j, whatever its threshold.
 */
typedef struct {
    const uint32_t *fast[RMAT_MAX_GROUPS];
    const uint64_t *full[RMAT_MAX_GROUPS];
    int groups;
    int drop; /* low bits of the last group that the graph does not have: 6 * groups - scale */
    uint64_t src_mask, dst_mask;
    uint64_t seed;
    unsigned transform;
    uint64_t rows, cols; /* vertices; the same as the masks plus 1 unless BOUNDED */
    rmat_permutation permutation[2];
} rmat_view;

/* How many blocks of four words the draws of an edge take. */
ALIAS_HD int rmat_edge_blocks(int groups)
{
    return groups == 5 ? 1 : (groups + 3) / 4;
}

/* Bits of a word that settle a draw at once: 13 where the words lend bits to a fifth draw. */
ALIAS_HD int rmat_fraction_bits(int groups)
{
    return groups == 5 ? 13 : 20;
}

/* The fifth draw of a block: 12 bits of row and 13 of fraction out of bits 12..18 of the other
 * four. Bits 14..17 of the result are of no meaning. */
ALIAS_HD uint32_t rmat_fifth_word(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    uint32_t low = ((w0 >> 12) & 0x7Fu) | ((w1 >> 5) & ~0x7Fu);
    uint32_t high = ((w2 << 13) & 0xFE000000u) | ((w3 << 6) & ~0xFE000000u);

    return (low & 0x3FFFu) | (high & ~0x3FFFu);
}

/* Draw g of this attempt at edge e, decided by word w against the table's full thresholds. */
ALIAS_HD uint32_t rmat_draw_path(const rmat_view *v, uint64_t e, uint32_t attempt, int g,
                                 uint32_t w)
{
    uint32_t row = v->fast[g][w & RMAT_PATH_MASK];
    int bits = rmat_fraction_bits(v->groups);
    uint32_t fraction = w >> (32 - bits);

    if (fraction == row >> (32 - bits)) {
        philox_block tie =
            philox_at(v->seed, e, attempt * RMAT_ATTEMPT_STEP + (uint32_t)g, PHILOX_EDGE_TIE);
        uint64_t more = (uint64_t)tie.v[1] << 32 | tie.v[0];
        uint64_t f = (uint64_t)fraction << (64 - bits) | more >> bits;

        return (f < v->full[g][w & RMAT_PATH_MASK] ? w : row) & RMAT_PATH_MASK;
    }
    return (w < row ? w : row) & RMAT_PATH_MASK;
}

/* The ends of this attempt at base edge e. */
ALIAS_HD void rmat_draw_edge(const rmat_view *v, uint64_t e, uint32_t attempt, uint64_t *src,
                             uint64_t *dst)
{
    philox_block b = {{0, 0, 0, 0}};
    uint64_t s = 0, d = 0;
    int g;

    for (g = 0; g < v->groups; g++) {
        int shift = g == v->groups - 1 ? v->drop : 0;
        uint32_t w, path;

        if (g == 4 && v->groups == 5) {
            w = rmat_fifth_word(b.v[0], b.v[1], b.v[2], b.v[3]);
        } else {
            if (g % 4 == 0) {
                b = philox_at(v->seed, e, attempt * RMAT_ATTEMPT_STEP + (uint32_t)(g / 4),
                              PHILOX_EDGE);
            }
            w = b.v[g % 4];
        }
        path = rmat_draw_path(v, e, attempt, g, w);
        s = s << (6 - shift) | (path >> 6) >> shift;
        d = d << (6 - shift) | (path & 63u) >> shift;
    }
    *src = s & v->src_mask;
    *dst = d & v->dst_mask;
}

/* Must these ends be drawn again? */
ALIAS_HD int rmat_unwanted(const rmat_view *v, uint64_t src, uint64_t dst)
{
    return ((v->transform & RMAT_TRANSFORM_BOUNDED) && (src >= v->rows || dst >= v->cols)) ||
           ((v->transform & RMAT_TRANSFORM_NO_LOOPS) && src == dst);
}

/* From drawn ends to those of the base edge. */
ALIAS_HD void rmat_transform_ends(const rmat_view *v, uint64_t *src, uint64_t *dst)
{
    if (v->transform & RMAT_TRANSFORM_PERMUTED) {
        *src = rmat_permute_vertex(&v->permutation[0], *src);
        *dst = rmat_permute_vertex(&v->permutation[1], *dst);
    }
    if (((v->transform & RMAT_TRANSFORM_LOWER) && *src < *dst) ||
        ((v->transform & RMAT_TRANSFORM_UPPER) && *src > *dst)) {
        uint64_t t = *src;

        *src = *dst;
        *dst = t;
    }
}

/* Edge e.  Returns the draws that were thrown away. */
ALIAS_HD uint32_t rmat_edge_at(const rmat_view *v, uint64_t e, uint64_t *src, uint64_t *dst)
{
    const int symmetric = (v->transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t base = symmetric ? e >> 1 : e;
    uint32_t attempt = 0;

    rmat_draw_edge(v, base, 0, src, dst);
    while ((v->transform & RMAT_TRANSFORM_REDRAWN) && rmat_unwanted(v, *src, *dst) &&
           attempt + 1 < RMAT_ATTEMPTS) {
        rmat_draw_edge(v, base, ++attempt, src, dst);
    }
    rmat_transform_ends(v, src, dst);
    if (symmetric && (e & 1)) {
        uint64_t t = *src;

        *src = *dst;
        *dst = t;
    }
    return attempt;
}

#endif
