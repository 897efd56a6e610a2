/*
 * unpermute.h - the inverse of the permutation of permutation.h, for the CPU and the GPU alike.  It
 * undoes the rounds in reverse order.
 *
 * A round is y = x * (2 * x + b) + k.  Bit i of y is bit i of x plus what depends on lower bits of
 * x alone, since b is odd.  So Newton's method finds x, whose steps divide by 4 * x + b, which is
 * odd.
 */
#ifndef RMAT_MODEL_UNPERMUTE_H
#define RMAT_MODEL_UNPERMUTE_H

#include "rmat/model/permutation.h"

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

/* The x for which x * (2 * x + b) is y modulo 2^32.  Its lowest bit is that of y, and from i
 * correct bits each step leads to 2 * i + 1: from 1 to 3, 7, 15, 31 and more.  An inverse of
 * 4 * x + b that has i + 1 correct bits will do; one of its own steps doubles what x leaves of
 * them, i + 2, and an odd number is its own inverse modulo 8. */
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

/* Round r back: of up to 32 bits the solution is all of it. */
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
