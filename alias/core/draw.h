/*
 * alias/core/draw.h - the stored rows of an alias table and a single draw from them, compiled for
 * host and device alike.
 *
 * Draw t of (table, seed) uses 64 random bits x from the Philox block with the counter (t >> 1, 0,
 * PHILOX_ALIAS_DRAW).  They are words 0 and 1 for even t, words 2 and 3 for odd t, the low word
 * first.  The high 64 bits of the 128-bit product x * n are the bucket; the top k of its low 64
 * bits are the offset f in the bucket.  The draw is the bucket's own item if f is below the row's
 * threshold, else the row's alias.
 */
#ifndef ALIAS_CORE_DRAW_H
#define ALIAS_CORE_DRAW_H

#include "alias/core/hd.h"
#include "alias/core/philox.h"
#include <stdint.h>

/* A row with k = 32.  A bucket that belongs entirely to its own item would need the threshold 2^32.
 * It is stored as {0, own index} instead; no other bucket has this form. */
typedef struct {
    uint32_t threshold;
    uint32_t alias;
} alias_row8;

/* A row with k = 62 - ceil(log2 n).  A bucket that belongs entirely to its own item is stored as
 * {2^k, own index}. */
typedef struct {
    uint64_t threshold;
    uint64_t alias;
} alias_row16;

/* The high 64 bits of the product. */
ALIAS_HD uint64_t alias_mul_high(uint64_t x, uint64_t n)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(x, n);
#else
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)(((u128)x * n) >> 64);
#endif
}

/* The 64 random bits of draw t. */
ALIAS_HD uint64_t alias_draw_bits(uint64_t seed, uint64_t t)
{
    philox_block b = philox_at(seed, t >> 1, 0, PHILOX_ALIAS_DRAW);

    return (t & 1) ? b.v[2] | (uint64_t)b.v[3] << 32 : b.v[0] | (uint64_t)b.v[1] << 32;
}

/* The item that the random bits x select from a table of n rows. */
ALIAS_HD uint64_t alias_draw8(const alias_row8 *rows, uint64_t n, uint64_t x)
{
    uint64_t i = alias_mul_high(x, n);
    alias_row8 row = rows[i];

    return (uint32_t)((x * n) >> 32) < row.threshold ? i : row.alias;
}

ALIAS_HD uint64_t alias_draw16(const alias_row16 *rows, uint64_t n, int k, uint64_t x)
{
    uint64_t i = alias_mul_high(x, n);
    alias_row16 row = rows[i];

    return (x * n) >> (64 - k) < row.threshold ? i : row.alias;
}

#endif
