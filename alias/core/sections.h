/*
 * alias/core/sections.h - the sectioned samplers' method and numbers, compiled for host and device
 * alike.
 *
 * The rows of the table are cut into sections of almost equal size, small enough for a cache or for
 * a GPU's shared memory.  (These sampling sections are not the sections of 4096 items in which
 * tables are built.)  A batch (seed, first, count) first decides how many of its draws fall into
 * each section, with exactly multinomial probabilities.  At each node of a binary tree over the
 * sections, a binomial variate splits the node's draws in the ratio of the rows on the left to the
 * rows on the right.  Each variate is a pure function of (seed, first, node, the node's number of
 * draws), so a descent from the root finds the draws of any section.  All sections together have
 * exactly count draws.  Section s owns the positions [offset(s), offset(s + 1)) of the batch;
 * position p is draw t = first + p.
 *
 * Draw t has 64 random bits.  The high 32 are word t & 3 of the Philox block t >> 2 of
 * PHILOX_ALIAS_SECTION, the low 32 the same word of PHILOX_ALIAS_SECTION_LOW.  Their product with
 * the m rows of the section gives the bucket and the offset in it, as in alias/core/draw.h. The low
 * word is computed only where it matters.  Let y be the product of m and the high word alone, and f
 * the low half of y. The full product lies in [y, y + m), so the outcome is open only if this
 * interval contains the bucket's threshold or its end (alias_section_open()).  The probability of
 * that is below 2 m / 2^32.
 *
 * Source: H.-P. Lehmann, L. Huebschle-Schneider, P. Sanders, "Weighted Random Sampling on GPUs",
 * 2021, section 5; H.-P. Lehmann's thesis (2020), section 3.4.2.
 */
#ifndef ALIAS_CORE_SECTIONS_H
#define ALIAS_CORE_SECTIONS_H

#include "alias/core/binomial.h"
#include "alias/core/draw.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ALIAS_SECTION_BYTES = 65536, /* rows of a default section: three CUDA blocks share an SM */
    ALIAS_SECTION_UNIT = 4,      /* rows; sections start at multiples of it: whole 16 bytes */
    ALIAS_SECTION_LEVELS = 28,   /* at most 2^28 sections, for all requested sizes */
    ALIAS_SECTION_MOST = 1 << 30 /* rows of a section, for all requested sizes */
};

/* How a table is cut into sections. */
typedef struct {
    uint64_t rows;     /* of the whole table */
    uint64_t sections; /* number of sections */
    uint64_t units;    /* units of ALIAS_SECTION_UNIT rows in a section */
    uint64_t longer;   /* this many sections, the first ones, have one unit more */
    int levels;        /* of the tree: 2^levels >= sections */
} alias_sections;

/* The sections of a table of n rows; section_rows 0: the default size. */
ALIAS_HD alias_sections alias_sections_of(uint64_t n, int row_bytes, uint64_t section_rows)
{
    const uint64_t unit = ALIAS_SECTION_UNIT, most = (uint64_t)1 << ALIAS_SECTION_LEVELS;
    uint64_t all = (n + unit - 1) / unit, each;
    alias_sections s;

    if (section_rows == 0) {
        section_rows = ALIAS_SECTION_BYTES / (uint64_t)row_bytes;
    }
    if (section_rows > ALIAS_SECTION_MOST) {
        section_rows = ALIAS_SECTION_MOST;
    }
    each = (section_rows + unit - 1) / unit;
    if (each < (all + most - 1) / most) {
        each = (all + most - 1) / most;
    }
    s.rows = n;
    s.sections = (all + each - 1) / each;
    s.units = all / s.sections;
    s.longer = all % s.sections;
    for (s.levels = 0; (uint64_t)1 << s.levels < s.sections; s.levels++) {
    }
    return s;
}

/* The first row of section i; the number of rows for i >= sections. */
ALIAS_HD uint64_t alias_section_start(const alias_sections *s, uint64_t i)
{
    uint64_t row = ALIAS_SECTION_UNIT * (i * s->units + (i < s->longer ? i : s->longer));

    return i >= s->sections || row > s->rows ? s->rows : row;
}

/* The rows that a copy of any section needs room for.  It is a multiple of 16 bytes even where only
 * 4 bytes of each row are copied. */
ALIAS_HD uint64_t alias_section_room(const alias_sections *s)
{
    return ALIAS_SECTION_UNIT * (s->units + (s->longer != 0));
}

/* A node of the tree.  Node j of a level covers the sections [j, j + 1) * 2^(levels - level). */
typedef struct {
    uint64_t left; /* rows of the left child */
    uint64_t all;  /* rows of both children */
    uint32_t node; /* number of the node in the tree; the root is 1 */
} alias_section_node;

/* Node j of a level. */
ALIAS_HD alias_section_node alias_section_split(const alias_sections *s, int level, uint64_t j)
{
    uint64_t half = (uint64_t)1 << (s->levels - level - 1);
    uint64_t begin = alias_section_start(s, 2 * j * half);
    alias_section_node split;

    split.left = alias_section_start(s, (2 * j + 1) * half) - begin;
    split.all = alias_section_start(s, (2 * j + 2) * half) - begin;
    split.node = (uint32_t)(((uint64_t)1 << level) + j);
    return split;
}

/* How many of the node's total draws go to its left child. */
ALIAS_HD uint64_t alias_section_left(const alias_sections *s, uint64_t seed, uint64_t first,
                                     int level, uint64_t j, uint64_t total)
{
    alias_section_node split = alias_section_split(s, level, j);

    if (total == 0 || split.left == split.all) {
        return total;
    }
    return alias_binomial(seed, first, split.node, total, split.left, split.all);
}

/* A bucket of a section and the offset of a draw in it. */
typedef struct {
    uint64_t bucket;
    uint64_t offset;
} alias_spot;

/* Where the 64 random bits of a draw from m rows point to. */
ALIAS_HD alias_spot alias_section_spot(uint64_t m, int k, uint64_t bits)
{
    alias_spot spot;

    spot.bucket = alias_mul_high(bits, m);
    spot.offset = bits * m >> (64 - k);
    return spot;
}

/* The word of a Philox block that belongs to draw t. */
ALIAS_HD uint32_t alias_section_word(philox_block b, uint64_t t)
{
    uint32_t even = t & 2 ? b.v[2] : b.v[0], odd = t & 2 ? b.v[3] : b.v[1];

    return t & 1 ? odd : even;
}

/* The low 32 random bits of draw t. */
ALIAS_HD uint32_t alias_section_low(uint64_t seed, uint64_t t)
{
    return alias_section_word(philox_at(seed, t >> 2, 0, PHILOX_ALIAS_SECTION_LOW), t);
}

/* All 64 random bits of draw t. */
ALIAS_HD uint64_t alias_section_bits(uint64_t seed, uint64_t t)
{
    uint64_t high = alias_section_word(philox_at(seed, t >> 2, 0, PHILOX_ALIAS_SECTION), t);

    return high << 32 | alias_section_low(seed, t);
}

/* Whether a draw needs its low word: m rows, f the offset that the high word gives, and the
 * bucket's 32-bit threshold.  True if the interval [f, f + m) contains the threshold or 2^32. */
ALIAS_HD bool alias_section_open(uint32_t f, uint32_t threshold, uint32_t m)
{
    return ~f < m - 1 || threshold + ~f < m - 1;
}

#endif
