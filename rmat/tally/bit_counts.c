/*
 * Counts of set bits by carry-save adders, as in Harley and Seal's population count.  Plane k
 * holds, for every bit of every lane, the binary digit of its count that is worth 2^k, and perhaps
 * one more digit of the same worth that waits to be added, carry[k].  Two digits of a plane make
 * one for the next plane, so that a word costs one adder on average.
 */
#include "rmat/tally/bit_counts.h"

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
