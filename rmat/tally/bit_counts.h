/* Counters of how often each of the 64 bits is set in a sequence of words. */
#ifndef RMAT_TALLY_BIT_COUNTS_H
#define RMAT_TALLY_BIT_COUNTS_H

#include <stdint.h>
#include <string.h>

enum { BIT_LANES = 8, BIT_PLANES = 44 };

/* An object that is all zero has counted no words yet. */
typedef struct {
    uint64_t sum[BIT_PLANES][BIT_LANES], carry[BIT_PLANES][BIT_LANES];
    uint64_t n; /* calls of bit_counts_add(), fewer than 2^BIT_PLANES */
} bit_counts;

/* Count BIT_LANES words.  Inline, so that the caller's instruction set is used. */
static inline void bit_counts_add(bit_counts *c, const uint64_t words[BIT_LANES])
{
    uint64_t x[BIT_LANES];
    int k = 0;

    memcpy(x, words, sizeof x);
    for (uint64_t n = c->n++; n & 1;
         n >>= 1, k++) { /* bit k of n says whether carry[k] is in use */
        for (int j = 0; j < BIT_LANES; j++) {
            uint64_t a = c->sum[k][j], b = c->carry[k][j], half = a ^ b;

            c->sum[k][j] = half ^ x[j];
            x[j] = (a & b) | (half & x[j]);
        }
    }
    memcpy(c->carry[k], x, sizeof x);
}

/* Add the counts to totals[]: totals[b] is for bit b of every word. */
void bit_counts_total(const bit_counts *c, uint64_t totals[64]);

#endif
