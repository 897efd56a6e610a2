/*
 * philox_body.h - one block of Philox4x32-10 for each of W edges.
 *
 * Each edge has a 64-bit lane of its own: a product then leaves its high half where a shift brings
 * it down and its low half in place, and bits above 32 may hold anything, because the multiplier
 * ignores them.  Two vectors, of the even and of the odd edges, are packed into one of 32-bit words
 * at the end.
 *
 * The edges differ in their low index word only (they share the high one).  So the second
 * multiplication of round 1 and the first of round 2 have scalar operands and are done once for all
 * edges.
 */
#ifndef RMAT_CPU_PHILOX_BODY_H
#define RMAT_CPU_PHILOX_BODY_H

#include "rmat/cpu/vec_body.h"

/* Both key words of the ten rounds, widened for the lanes. */
typedef struct {
    uint64_t k[10][2];
} vec_keys;

static vec_keys make_keys(uint64_t seed)
{
    vec_keys keys;

    for (uint32_t round = 0; round < 10; round++) {
        keys.k[round][0] = (uint32_t)seed + round * 0x9E3779B9u;
        keys.k[round][1] = (uint32_t)(seed >> 32) + round * 0xBB67AE85u;
    }
    return keys;
}

/* Writes words 0..3 of Philox block `block` of each edge to w[0..4).  index: the low index words of
 * the even and of the odd edges; high: the high index word of all of them. */
INLINE void vec_philox(const vec_keys *keys, const u64s index[2], uint32_t high, uint32_t block,
                       vec *w)
{
    const u64s m0 = (u64s){0} + 0xD2511F53u, m1 = (u64s){0} + 0xCD9E8D57u;
    u64s c[2][4]; /* [even, odd][word] */
    uint64_t s;
    uint32_t s0, s1;

    /* Round 1: words 0 and 1 come out the same for all edges. */
    s = (uint64_t)0xCD9E8D57u * block;
    s0 = (uint32_t)(s >> 32) ^ high ^ (uint32_t)keys->k[0][0];
    s1 = (uint32_t)s;
    for (int h = 0; h < 2; h++) {
        u64s p = PHILOX_MUL(index[h], m0);

        c[h][2] = p >> 32 ^ (PHILOX_EDGE ^ keys->k[0][1]);
        c[h][3] = p;
    }

    /* Round 2: so does its first product. */
    s = (uint64_t)0xD2511F53u * s0;
    for (int h = 0; h < 2; h++) {
        u64s p = PHILOX_MUL(c[h][2], m1);

        c[h][0] = p >> 32 ^ (s1 ^ keys->k[1][0]);
        c[h][1] = p;
        c[h][2] = c[h][3] ^ (s >> 32 ^ keys->k[1][1]);
        c[h][3] = (u64s){0} + (uint32_t)s;
    }

#pragma GCC unroll 8
    for (int round = 2; round < 10; round++) {
        for (int h = 0; h < 2; h++) {
            u64s p0 = PHILOX_MUL(c[h][0], m0), p1 = PHILOX_MUL(c[h][2], m1);

            c[h][0] = p1 >> 32 ^ c[h][1] ^ keys->k[round][0];
            c[h][1] = p1;
            c[h][2] = p0 >> 32 ^ c[h][3] ^ keys->k[round][1];
            c[h][3] = p0;
        }
    }
    for (int i = 0; i < 4; i++) {
        w[i] = PHILOX_PACK(c[0][i], c[1][i]);
    }
}

#endif
