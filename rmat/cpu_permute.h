/*
 * The permutation (permutation.h) of a block's vertices, in lanes of the ids' width.  There a
 * number stands at the top of its lane: products and sums then lose the bits that the page drops,
 * and only the shifted copy needs a mask.
 */
#ifndef RMAT_CPU_PERMUTE_H
#define RMAT_CPU_PERMUTE_H

#include "rmat/cpu_vec.h"
#include "rmat/permutation.h"
#include <string.h>

INLINE vec permute_vec(const rmat_permutation *p, vec x)
{
    const int up = 32 - p->bits;

#pragma GCC unroll 3
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = x * rmat_permute_multiplier(r) + ((uint32_t)p->key[r] << up);
        x ^= x >> (p->bits + 1) / 2 & ~0u << up;
    }
    return x;
}

INLINE u64s permute_u64s(const rmat_permutation *p, u64s x)
{
    const int up = 64 - p->bits;

#pragma GCC unroll 3
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = u64s_mul(x, rmat_permute_multiplier(r)) + (p->key[r] << up);
        x ^= x >> (p->bits + 1) / 2 & ~UINT64_C(0) << up;
    }
    return x;
}

/* `walk`, if not 2^bits vertices: on along the cycle where the number is none of them. */
INLINE vec permute_lanes32(const rmat_permutation *p, vec x, const int walk)
{
    const int up = 32 - p->bits;

    x = permute_vec(p, x << up);
    while (walk) {
        const vec beyond = (vec)(x >= (uint32_t)p->vertices << up);

        if (!vec_bits(beyond)) {
            break;
        }
        x = (permute_vec(p, x) & beyond) | (x & ~beyond);
    }
    return x >> up;
}

INLINE u64s permute_lanes64(const rmat_permutation *p, u64s x, const int walk)
{
    const int up = 64 - p->bits;

    x = permute_u64s(p, x << up);
    while (walk) {
        const u64s beyond = (u64s)(x >= p->vertices << up);

        if (!u64s_bits(beyond)) {
            break;
        }
        x = (permute_u64s(p, x) & beyond) | (x & ~beyond);
    }
    return x >> up;
}

INLINE void permute_width(const rmat_permutation *p, uint64_t bytes, char *ids, const int id_bytes,
                          const int walk)
{
    for (uint64_t i = 0; i < bytes; i += sizeof(vec)) {
        const uint64_t n = bytes - i < sizeof(vec) ? bytes - i : sizeof(vec);
        vec x = {0};

        if (n == sizeof x) {
            memcpy(&x, ids + i, sizeof x);
        } else {
            memcpy(&x, ids + i, n);
        }
        x = id_bytes == 4 ? permute_lanes32(p, x, walk) : (vec)permute_lanes64(p, (u64s)x, walk);
        if (n == sizeof x) {
            memcpy(ids + i, &x, sizeof x);
        } else {
            memcpy(ids + i, &x, n);
        }
    }
}

/* In place; ids of 4 bytes only for up to 32 bits. */
static void permute(const rmat_permutation *permutation, uint64_t count, void *ids, int id_bytes)
{
    const rmat_permutation p = *permutation; /* which no store can change */
    const int walk = p.vertices != (uint64_t)1 << p.bits;

    if (id_bytes == 4) {
        if (walk) {
            permute_width(&p, count * 4, ids, 4, 1);
        } else {
            permute_width(&p, count * 4, ids, 4, 0);
        }
    } else {
        if (walk) {
            permute_width(&p, count * 8, ids, 8, 1);
        } else {
            permute_width(&p, count * 8, ids, 8, 0);
        }
    }
}

#endif
