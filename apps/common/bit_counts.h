/* Counters of how often each of the 64 bits is set in a sequence of words. */
#ifndef APPS_COMMON_BIT_COUNTS_H
#define APPS_COMMON_BIT_COUNTS_H

#include <stdint.h>

enum { BIT_LANES = 8, BIT_PLANES = 44 };

/* An object that is all zero has counted no words yet. */
typedef struct {
    uint64_t sum[BIT_PLANES][BIT_LANES], carry[BIT_PLANES][BIT_LANES];
    uint64_t n; /* calls of bit_counts_add(), fewer than 2^BIT_PLANES */
} bit_counts;

/* Count BIT_LANES words. */
void bit_counts_add(bit_counts *c, const uint64_t words[BIT_LANES]);

/* Add the counts to totals[]: totals[b] is for bit b of every word. */
void bit_counts_total(const bit_counts *c, uint64_t totals[64]);

#endif
