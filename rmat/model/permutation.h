/*
 * permutation.h - the keyed bijection on vertex numbers (STREAM.md, "Permutation"), for the CPU,
 * the GPU and kernels of your own.
 *
 * Three rounds of x * M + k and x ^ x >> n/2, both of which are bijections of n-bit numbers.  The
 * multipliers are the result of a search: with them each bit of a number flips each bit of its
 * image with a probability within 0.04 of 1/2 for n from 14 to 60, and within 0.06 beyond.  A
 * vertex count N below 2^n is handled by cycle walking: the bijection is applied again until the
 * number is below N.
 *
 * C17 and C++; __host__ __device__ under nvcc; thread-safe.
 */
#ifndef RMAT_MODEL_PERMUTATION_H
#define RMAT_MODEL_PERMUTATION_H

#include "alias/core/hd.h"
#include <stdint.h>

enum { RMAT_PERMUTE_ROUNDS = 3 };

/* The permutation of one side's vertices. */
typedef struct {
    uint64_t vertices; /* 2^(bits - 1) < vertices <= 2^bits */
    uint64_t key[RMAT_PERMUTE_ROUNDS];
    int bits; /* 1..62 */
} rmat_permutation;

ALIAS_HD uint32_t rmat_permute_multiplier(int round)
{
    return round == 0 ? 0x9FC7EB59u : round == 1 ? 0xAB0F14B3u : 0xDCB79869u;
}

/* The bijection of [0, 2^bits), applied once. */
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

/* The permutation of [0, vertices). */
ALIAS_HD uint64_t rmat_permute_vertex(const rmat_permutation *p, uint64_t x)
{
    do {
        x = rmat_permute_bits(p, x);
    } while (x >= p->vertices);
    return x;
}

#endif
