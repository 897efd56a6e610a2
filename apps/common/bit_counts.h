/* How often each bit is set in many 64-bit words. */
#ifndef APPS_COMMON_BIT_COUNTS_H
#define APPS_COMMON_BIT_COUNTS_H

#include <stdint.h>

enum { BIT_LANES = 8, BIT_PLANES = 44 };

/* All zero: no words yet. */
typedef struct {
    uint64_t sum[BIT_PLANES][BIT_LANES], carry[BIT_PLANES][BIT_LANES];
    uint64_t n; /* calls of bit_counts_add(), fewer than 2^BIT_PLANES */
} bit_counts;

void bit_counts_add(bit_counts *c, const uint64_t words[BIT_LANES]);

/* Adds to totals[]. */
void bit_counts_total(const bit_counts *c, uint64_t totals[64]);

#endif
