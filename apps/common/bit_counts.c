/*
 * Counts of set bits by carry-save adders, as in Harley and Seal's population count.  Plane k
 * holds, for every bit of every lane, the binary digit of its count that is worth 2^k, and perhaps
 * one more digit of the same worth that waits to be added, carry[k].  Two digits of a plane make
 * one for the next plane, so that a word costs one adder on average.
 */
#include "apps/common/bit_counts.h"
#include <string.h>

void bit_counts_add(bit_counts *c, const uint64_t words[BIT_LANES])
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

void bit_counts_total(const bit_counts *c, uint64_t totals[64])
{
    for (int k = 0; k < BIT_PLANES; k++) {
        for (int j = 0; j < BIT_LANES; j++) {
            uint64_t carry = c->n >> k & 1 ? c->carry[k][j] : 0;

            for (int bit = 0; bit < 64; bit++) {
                totals[bit] += ((c->sum[k][j] >> bit & 1) + (carry >> bit & 1)) << k;
            }
        }
    }
}
