/*
 * permutation.h - the keyed bijection on vertex numbers (STREAM.md, "Permutation"), on any backend.
 *
 * Three rounds of x * M + k and x ^ x >> n/2, both bijections of n-bit numbers.  The multipliers
 * were searched for: with them each bit of a number decides each bit of its image with a
 * probability within 0.04 of 1/2 for n from 14 to 60, and 0.06 beyond.  Other vertex counts than
 * 2^n are a matter of walking on along the cycle until the number is below.
 */
#ifndef RMAT_MODEL_PERMUTATION_H
#define RMAT_MODEL_PERMUTATION_H

#include "alias/core/hd.h"
#include <stdint.h>

enum { RMAT_PERMUTE_ROUNDS = 3 };

typedef struct {
    uint64_t vertices; /* 2^(bits - 1) < vertices <= 2^bits */
    uint64_t key[RMAT_PERMUTE_ROUNDS];
    int bits; /* 1..62 */
} rmat_permutation;

ALIAS_HD uint32_t rmat_permute_multiplier(int round)
{
    return round == 0 ? 0x9FC7EB59u : round == 1 ? 0xAB0F14B3u : 0xDCB79869u;
}

/* Once, on [0, 2^bits). */
ALIAS_HD uint64_t rmat_permute_bits(const rmat_permutation *p, uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << p->bits) - 1;
    int r;

    for (r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = (x * rmat_permute_multiplier(r) + p->key[r]) & mask;
        x ^= x >> (p->bits + 1) / 2;
    }
    return x;
}

ALIAS_HD uint64_t rmat_permute_vertex(const rmat_permutation *p, uint64_t x)
{
    do {
        x = rmat_permute_bits(p, x);
    } while (x >= p->vertices);
    return x;
}

#endif
