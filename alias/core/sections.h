/*
 * sections.h - sectioned sampling, compiled for host and device alike (Lehmann, Huebschle-Schneider
 * and Sanders, section 5; the thesis, 3.4.2).
 *
 * The table's rows are cut into sections of nearly equal size, small enough for a cache or for
 * shared memory.  A batch (seed, first, count) gives each section its number of draws, multinomial
 * and exact: a binary tree splits count by binomials, rows left : rows right, as every row is
 * equally likely.  Each node's binomial is a pure function of (seed, first, node, its own total),
 * so anyone finds the draws of any section by descending from the root, and they add up to count.
 * Section s owns the positions [offset(s), offset(s + 1)) of the batch, and position p is draw
 * t = first + p.
 *
 * Draw t has 64 random bits: word t & 3 of Philox block t >> 2 of PHILOX_ALIAS_SECTION on top, the
 * same word of PHILOX_ALIAS_SECTION_LOW below.  Their product with the section's m rows gives the
 * bucket and the offset in it, as in alias/core/draw.h.  The low word is fetched only where it
 * decides: with y the product of the high word alone and f the low half of y, the full product lies
 * in [y, y + m), so the outcome is open only if that interval passes the bucket's threshold or its
 * end (alias_section_open()), which happens with probability below 2 m / 2^32.
 */
#ifndef ALIAS_CORE_SECTIONS_H
#define ALIAS_CORE_SECTIONS_H

#include "alias/core/binomial.h"
#include "alias/core/draw.h"

enum {
    ALIAS_SECTION_BYTES = 65536, /* of rows in an automatic section: three blocks share an SM */
    ALIAS_SECTION_UNIT = 4,      /* sections start at multiples of so many rows: whole 16 bytes */
    ALIAS_SECTION_LEVELS = 28,   /* at most 2^28 sections, whatever size was asked for */
    ALIAS_SECTION_MOST = 1 << 30 /* rows of a section, likewise */
};

typedef struct {
    uint64_t rows; /* of the table */
    uint64_t sections;
    uint64_t units;  /* of a section */
    uint64_t longer; /* the first so many sections have a unit more */
    int levels;      /* of the tree: 2^levels >= sections */
} alias_sections;

/* The sections of a table of n rows; section_rows 0: automatic. */
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

/* First row of section i; n for i >= sections. */
ALIAS_HD uint64_t alias_section_start(const alias_sections *s, uint64_t i)
{
    uint64_t row = ALIAS_SECTION_UNIT * (i * s->units + (i < s->longer ? i : s->longer));

    return i >= s->sections || row > s->rows ? s->rows : row;
}

/* Rows to have room for in a copy of any section: so many that 4-byte words fill whole 16 bytes. */
ALIAS_HD uint64_t alias_section_room(const alias_sections *s)
{
    return ALIAS_SECTION_UNIT * (s->units + (s->longer != 0));
}

/* Node j of a level of the tree covers the sections [j, j + 1) * 2^(levels - level). */
typedef struct {
    uint64_t left; /* rows of the left child */
    uint64_t all;  /* of both */
    uint32_t node; /* the number of the node in the tree, from 1 */
} alias_section_node;

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

/* How many of the total draws of node j go to its left child. */
ALIAS_HD uint64_t alias_section_left(const alias_sections *s, uint64_t seed, uint64_t first,
                                     int level, uint64_t j, uint64_t total)
{
    alias_section_node split = alias_section_split(s, level, j);

    if (total == 0 || split.left == split.all) {
        return total;
    }
    return alias_binomial(seed, first, split.node, total, split.left, split.all);
}

/* A bucket of a section, and the offset of the draw in it. */
typedef struct {
    uint64_t bucket;
    uint64_t offset;
} alias_spot;

ALIAS_HD alias_spot alias_section_spot(uint64_t m, int k, uint64_t bits)
{
    alias_spot spot;

    spot.bucket = alias_mul_high(bits, m);
    spot.offset = bits * m >> (64 - k);
    return spot;
}

ALIAS_HD uint32_t alias_section_word(philox_block b, uint64_t t)
{
    uint32_t even = t & 2 ? b.v[2] : b.v[0], odd = t & 2 ? b.v[3] : b.v[1];

    return t & 1 ? odd : even;
}

/* The low word of draw t. */
ALIAS_HD uint32_t alias_section_low(uint64_t seed, uint64_t t)
{
    return alias_section_word(philox_at(seed, t >> 2, 0, PHILOX_ALIAS_SECTION_LOW), t);
}

/* All 64 bits of draw t. */
ALIAS_HD uint64_t alias_section_bits(uint64_t seed, uint64_t t)
{
    uint64_t high = alias_section_word(philox_at(seed, t >> 2, 0, PHILOX_ALIAS_SECTION), t);

    return high << 32 | alias_section_low(seed, t);
}

/* Whether a draw from m rows with the offset f by its high word and the given 32-bit threshold
 * needs its low word.  True where the interval [f, f + m) has the threshold or 2^32 inside. */
ALIAS_HD int alias_section_open(uint32_t f, uint32_t threshold, uint32_t m)
{
    return ~f < m - 1 || threshold + ~f < m - 1;
}

#endif
