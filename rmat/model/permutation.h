/*
 * permutation.h - the keyed bijection on vertex numbers (STREAM.md, "Permutation"), for the CPU,
 * the GPU and your own kernels.
 *
 * A round turns a number x of n bits into x * (2 * x + b) + k. The multiplier is odd and depends on
 * x. So a change of one bit changes the bits above it in a way that depends on all bits below them.
 * Between two rounds the order of the bits is reversed: the upper bits, which are mixed best,
 * become the lower ones, which change all others.  In a number of more than 32 bits only the lower
 * 32 are reversed, after RMAT_PERMUTE_SPREAD times the upper bits has been added to them.
 *
 * Four rounds pass the tests of test_rmat_stat_permutation.c from 12 bits on; numbers of
 * fewer bits have nine.  Three are not enough: the lowest bits of the image are then the highest
 * bits of a number that only two rounds have mixed.  Cycle walking handles a vertex count N below
 * 2^n: the bijection is applied again until the number is below N.
 *
 * C17 and C++; __host__ __device__ under nvcc; thread-safe.
 */
#ifndef RMAT_MODEL_PERMUTATION_H
#define RMAT_MODEL_PERMUTATION_H

#include "alias/core/hd.h"

#include <stdint.h>

enum {
    RMAT_PERMUTE_ROUNDS = 4,
    RMAT_PERMUTE_FEW_BITS = 11, /* numbers of this many bits or fewer have more rounds */
    RMAT_PERMUTE_MORE_ROUNDS = 9
};

#define RMAT_PERMUTE_SPREAD 0xD2511F53u

/* The permutation of one side's vertices. */
typedef struct {
    uint64_t vertices; /* 2^(bits - 1) < vertices <= 2^bits */
    uint64_t k[RMAT_PERMUTE_MORE_ROUNDS];
    uint32_t b[RMAT_PERMUTE_MORE_ROUNDS]; /* odd */
    int bits;                             /* 1..62 */
} rmat_permutation;

ALIAS_HD int rmat_permute_rounds(const rmat_permutation *p)
{
    return p->bits <= RMAT_PERMUTE_FEW_BITS ? RMAT_PERMUTE_MORE_ROUNDS : RMAT_PERMUTE_ROUNDS;
}

ALIAS_HD uint32_t rmat_reverse32(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return __brev(x);
#else
    x = __builtin_bswap32(x);
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    return (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
#endif
}

/* The step between two rounds, for a number of this many bits. */
ALIAS_HD uint64_t rmat_permute_reverse(uint64_t x, int bits)
{
    const uint32_t high = (uint32_t)(x >> 32), low = (uint32_t)x + high * RMAT_PERMUTE_SPREAD;

    return (uint64_t)high << 32 | rmat_reverse32(low) >> (bits < 32 ? 32 - bits : 0);
}

/* The bijection of [0, 2^bits), applied once. */
ALIAS_HD uint64_t rmat_permute_bits(const rmat_permutation *p, uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << p->bits) - 1;
    int r;

    for (r = 0; r < rmat_permute_rounds(p); r++) {
        x = r == 0 ? x : rmat_permute_reverse(x, p->bits);
        x = (x * (2 * (uint32_t)x + p->b[r]) + p->k[r]) & mask;
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

/*
 * The inverse permutation.  It undoes the rounds in reverse order.
 *
 * A round is y = x * (2 * x + b) + k. Since b is odd, bit i of y is bit i of x plus a function of
 * the lower bits of x. So Newton's method finds x; its steps divide by 4 * x + b, which is odd.
 */

/* The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the number of
 * correct bits, from 3 on. */
ALIAS_HD uint64_t rmat_odd_inverse(uint64_t odd)
{
    uint64_t x = odd;

    for (int i = 0; i < 5; i++) {
        x *= 2 - odd * x;
    }
    return x;
}

/* Returns the x for which x * (2 * x + b) is y modulo 2^32.  Its lowest bit is that of y, and each
 * step leads from i correct bits to 2 * i + 1: from 1 to 3, 7, 15, 31 and more.  A step needs an
 * inverse of 4 * x + b with only i + 1 correct bits.  The inverse's own step doubles its correct
 * bits, and an odd number is its own inverse modulo 8. */
ALIAS_HD uint32_t rmat_permute_solve(uint32_t y, uint32_t b)
{
    uint32_t x = y, inverse = 4 * x + b;

    x -= (x * (2 * x + b) - y) * inverse;
    for (int i = 0; i < 4; i++) {
        inverse *= 2 - (4 * x + b) * inverse;
        x -= (x * (2 * x + b) - y) * inverse;
    }
    return x;
}

/* The inverse of rmat_permute_reverse(). */
ALIAS_HD uint64_t rmat_permute_unreverse(uint64_t x, int bits)
{
    const uint32_t high = (uint32_t)(x >> 32);
    const uint32_t low = rmat_reverse32((uint32_t)x << (bits < 32 ? 32 - bits : 0));

    return (uint64_t)high << 32 | (low - high * RMAT_PERMUTE_SPREAD);
}

/* Undoes round r; up to 32 bits, the solution is the whole number. */
ALIAS_HD uint64_t rmat_unpermute_round(const rmat_permutation *p, int r, uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << p->bits) - 1;
    uint32_t low;

    x -= p->k[r];
    low = rmat_permute_solve((uint32_t)x, p->b[r]);
    x = (p->bits <= 32 ? low : x * rmat_odd_inverse(2 * low + p->b[r])) & mask;
    return r == 0 ? x : rmat_permute_unreverse(x, p->bits);
}

ALIAS_HD uint64_t rmat_unpermute_vertex(const rmat_permutation *p, uint64_t x)
{
    do {
        for (int r = rmat_permute_rounds(p) - 1; r >= 0; r--) {
            x = rmat_unpermute_round(p, r, x);
        }
    } while (x >= p->vertices);
    return x;
}

#endif
