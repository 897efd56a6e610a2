/*
 * philox_body.h - one block of Philox4x32-10 for each of W edges.
 *
 * On x86 each edge has a 64-bit lane of its own: a product then leaves its high half where a shift
 * brings it down and its low half in place, and bits above 32 may hold anything, because the
 * multiplier ignores them.  Two vectors, of the even and of the odd edges, are packed into one of
 * 32-bit words at the end.  Where one instruction collects the high halves of two vectors
 * (PHILOX_WHOLE), edges have 32-bit lanes all the time, in one vector.
 *
 * The edges differ in their low index word only (they share the high one).  So the second
 * multiplication of round 1 and the first of round 2 have scalar operands and are done once for all
 * edges.
 */
#ifndef RMAT_CPU_PHILOX_BODY_H
#define RMAT_CPU_PHILOX_BODY_H

#include "rmat/cpu/vec_body.h"

#ifdef PHILOX_WHOLE
enum { PHILOX_PARTS = 1 };
typedef vec philox_vec;
typedef uint32_t philox_word;

INLINE void philox_split(vec index, vec parts[1])
{
    parts[0] = index;
}

INLINE vec philox_join(vec c[1][4], int i)
{
    return c[0][i];
}
#else
enum { PHILOX_PARTS = 2 }; /* the even and the odd edges */
typedef u64s philox_vec;
typedef uint64_t philox_word;

INLINE void philox_product(u64s a, u64s b, u64s *high, u64s *low)
{
    *low = PHILOX_MUL(a, b);
    *high = *low >> 32;
}

INLINE void philox_split(vec index, u64s parts[2])
{
    parts[0] = (u64s)index; /* the upper halves of even lanes are ignored */
    parts[1] = (u64s)index >> 32;
}

INLINE vec philox_join(u64s c[2][4], int i)
{
    return PHILOX_PACK(c[0][i], c[1][i]);
}
#endif

/* Both key words of the ten rounds, widened for the lanes. */
typedef struct {
    philox_word k[10][2];
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
 * the edges; high: the high index word of all of them. */
INLINE void vec_philox(const vec_keys *keys, vec index, uint32_t high, uint32_t block, vec *w)
{
    const philox_vec m0 = (philox_vec){0} + 0xD2511F53u, m1 = (philox_vec){0} + 0xCD9E8D57u;
    philox_vec parts[PHILOX_PARTS], c[PHILOX_PARTS][4], p, q;
    uint64_t s;
    uint32_t s0, s1;

    philox_split(index, parts);

    /* Round 1: words 0 and 1 come out the same for all edges. */
    s = (uint64_t)0xCD9E8D57u * block;
    s0 = (uint32_t)(s >> 32) ^ high ^ (uint32_t)keys->k[0][0];
    s1 = (uint32_t)s;
    for (int h = 0; h < PHILOX_PARTS; h++) {
        philox_product(parts[h], m0, &p, &c[h][3]);
        c[h][2] = p ^ (PHILOX_EDGE ^ keys->k[0][1]);
    }

    /* Round 2: so does its first product. */
    s = (uint64_t)0xD2511F53u * s0;
    for (int h = 0; h < PHILOX_PARTS; h++) {
        philox_product(c[h][2], m1, &p, &c[h][1]);
        c[h][0] = p ^ (s1 ^ keys->k[1][0]);
        c[h][2] = c[h][3] ^ ((uint32_t)(s >> 32) ^ keys->k[1][1]);
        c[h][3] = (philox_vec){0} + (uint32_t)s;
    }

#pragma GCC unroll 8
    for (int round = 2; round < 10; round++) {
        for (int h = 0; h < PHILOX_PARTS; h++) {
            const philox_vec c1 = c[h][1], c3 = c[h][3];

            philox_product(c[h][0], m0, &p, &c[h][3]);
            philox_product(c[h][2], m1, &q, &c[h][1]);
            c[h][0] = q ^ c1 ^ keys->k[round][0];
            c[h][2] = p ^ c3 ^ keys->k[round][1];
        }
    }
    for (int i = 0; i < 4; i++) {
        w[i] = philox_join(c, i);
    }
}

#endif
