/*
 * edge.h - one edge of the stream, written once for the CPU, the GPU and your own kernels.
 *
 * rmat_edge_at() follows STREAM.md step by step.  It is the reference for every fast path.  The
 * fast paths call it, or rmat_draw_edge(), for the few edges that they cannot make, as after a tie.
 *
 * The functions are static and inline, in C17 and C++, and __host__ __device__ under nvcc.  They
 * cannot fail.  They are thread-safe, because they only read the view.
 */
#ifndef RMAT_MODEL_EDGE_H
#define RMAT_MODEL_EDGE_H

#include "alias/core/hd.h"
#include "alias/core/philox.h"
#include "rmat/model/permutation.h"
#include <stdint.h>

#define RMAT_GROUP_LEVELS 6 /* levels that one draw decides */
#define RMAT_GROUP_PATHS                                                                           \
    4096                     /* 4^6 paths, the rows of one table; path = src bits * 64 + dst bits */
#define RMAT_MAX_GROUPS   11 /* at scale 62 */
#define RMAT_PATH_MASK    (RMAT_GROUP_PATHS - 1u)
#define RMAT_ATTEMPTS     65536u /* at one edge; the last one is always kept */
#define RMAT_ATTEMPT_STEP 65536u /* of Philox's block number, from one attempt to the next */

/* Transformations of the drawn ends: bits of rmat_view.transform. 0: none. */
enum {
    RMAT_TRANSFORM_BOUNDED = 1,    /* drawn again if not below rows and cols */
    RMAT_TRANSFORM_NO_LOOPS = 2,   /* drawn again if equal */
    RMAT_TRANSFORM_PERMUTED = 4,   /* renumbered by permutation[0] and [1] */
    RMAT_TRANSFORM_LOWER = 8,      /* swapped if src < dst */
    RMAT_TRANSFORM_UPPER = 16,     /* swapped if src > dst */
    RMAT_TRANSFORM_SYMMETRIC = 32, /* edge j is base edge j / 2, reversed if j is odd */
    RMAT_TRANSFORM_UNUSED = 64     /* backends may use this bit and higher ones */
};
#define RMAT_TRANSFORM_REDRAWN (RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_NO_LOOPS)

/*
 * Everything that an edge depends on besides its index.  A graph of scale s = max(rows_scale,
 * cols_scale) has ceil(s / 6) groups of six levels, each with an alias table over its paths.
 * fast[g][j]: the top 20 bits of row j's threshold above 12 bits of its alias.  full[g][j]: the
 * threshold as a fraction of 2^64.  A row without a share of another path has alias j and any
 * threshold.
 */
typedef struct {
    const uint32_t *fast[RMAT_MAX_GROUPS];
    const uint64_t *full[RMAT_MAX_GROUPS];
    int groups;
    int drop; /* the last group's low bits that the graph lacks: 6 * groups - scale */
    uint64_t src_mask, dst_mask; /* 2^rows_scale - 1, 2^cols_scale - 1 */
    uint64_t seed;
    unsigned transform;              /* RMAT_TRANSFORM_ bits */
    uint64_t rows, cols;             /* vertex counts; the masks plus 1 unless BOUNDED */
    rmat_permutation permutation[2]; /* of rows, of columns */
} rmat_view;

/* The number of Philox blocks of four words that the draws of an edge take. */
ALIAS_HD int rmat_edge_blocks(int groups)
{
    return groups == 5 ? 1 : (groups + 3) / 4;
}

/* The number of bits of a word that decide its draw, unless they tie: 13 if the words lend bits to
 * a fifth draw. */
ALIAS_HD int rmat_fraction_bits(int groups)
{
    return groups == 5 ? 13 : 20;
}

/* The word of a block's fifth draw: 12 bits of row and 13 of fraction, from bits 12..18 of the
 * other four words.  Bits 14..17 of the result are meaningless. */
ALIAS_HD uint32_t rmat_fifth_word(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    uint32_t low = ((w0 >> 12) & 0x7Fu) | ((w1 >> 5) & ~0x7Fu);
    uint32_t high = ((w2 << 13) & 0xFE000000u) | ((w3 << 6) & ~0xFE000000u);

    return (low & 0x3FFFu) | (high & ~0x3FFFu);
}

/* The path that word w chooses in group g, at this attempt at edge e: the row's own one if the
 * word's fraction is below the row's threshold, else its alias.  If the fraction ties with the
 * threshold's leading bits, 64 more random bits decide. */
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

/* The word of draw g at this attempt at edge e. *b is the Philox block of the previous draws; the
 * function replaces it when it is used up. */
ALIAS_HD uint32_t rmat_draw_word(const rmat_view *v, uint64_t e, uint32_t attempt, int g,
                                 philox_block *b)
{
    if (g == 4 && v->groups == 5) {
        return rmat_fifth_word(b->v[0], b->v[1], b->v[2], b->v[3]);
    }
    if (g % 4 == 0) {
        *b = philox_at(v->seed, e, attempt * RMAT_ATTEMPT_STEP + (uint32_t)(g / 4), PHILOX_EDGE);
    }
    return b->v[g % 4];
}

/* Draws the ends of base edge e at this attempt, 0 or more. */
ALIAS_HD void rmat_draw_edge(const rmat_view *v, uint64_t e, uint32_t attempt, uint64_t *src,
                             uint64_t *dst)
{
    philox_block b = {{0, 0, 0, 0}};
    uint64_t s = 0, d = 0;
    int g;

    for (g = 0; g < v->groups; g++) {
        int shift = g == v->groups - 1 ? v->drop : 0;
        uint32_t w = rmat_draw_word(v, e, attempt, g, &b);
        uint32_t path = rmat_draw_path(v, e, attempt, g, w);

        s = s << (6 - shift) | (path >> 6) >> shift;
        d = d << (6 - shift) | (path & 63u) >> shift;
    }
    *src = s & v->src_mask;
    *dst = d & v->dst_mask;
}

/* 1 if these drawn ends must be drawn again, else 0. */
ALIAS_HD int rmat_unwanted(const rmat_view *v, uint64_t src, uint64_t dst)
{
    return ((v->transform & RMAT_TRANSFORM_BOUNDED) && (src >= v->rows || dst >= v->cols)) ||
           ((v->transform & RMAT_TRANSFORM_NO_LOOPS) && src == dst);
}

/* Draws the ends of base edge e until they are wanted.  Returns the number of discarded draws. */
ALIAS_HD uint32_t rmat_draw_wanted(const rmat_view *v, uint64_t e, uint64_t *src, uint64_t *dst)
{
    uint32_t attempt;

    for (attempt = 0;; attempt++) {
        rmat_draw_edge(v, e, attempt, src, dst);
        if (attempt + 1 == RMAT_ATTEMPTS || !rmat_unwanted(v, *src, *dst)) {
            return attempt;
        }
    }
}

/* Turns drawn ends into those of the base edge: permutes and directs them. */
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

/* Makes edge e of the stream. */
ALIAS_HD void rmat_edge_at(const rmat_view *v, uint64_t e, uint64_t *src, uint64_t *dst)
{
    const int symmetric = (v->transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t base = symmetric ? e >> 1 : e;

    rmat_draw_wanted(v, base, src, dst);
    rmat_transform_ends(v, src, dst);
    if (symmetric && (e & 1)) {
        uint64_t t = *src;

        *src = *dst;
        *dst = t;
    }
}

#endif
