/*
 * The permutation (permutation.h) of a block's vertices, in lanes of the ids' width.  There a
 * number stands at the top of its lane: products and sums then lose the bits that the page drops,
 * and only the shifted copy needs a mask.
 *
 * Numbers that come out beyond the vertices walk on along their cycles together, W at a time.
 */
#ifndef RMAT_CPU_PERMUTE_H
#define RMAT_CPU_PERMUTE_H

#include "rmat/cpu_block.h"
#include "rmat/permutation.h"
#include <string.h>

INLINE vec permute_vec(const rmat_permutation *p, vec x)
{
    const int up = 32 - p->bits;

#pragma GCC unroll 3
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = x * (rmat_permute_multiplier(r) << (r == 0 ? up : 0)) + ((uint32_t)p->key[r] << up);
        x ^= x >> (p->bits + 1) / 2 & ~0u << up;
    }
    return x >> up;
}

INLINE u64s permute_u64s(const rmat_permutation *p, u64s x)
{
    const int up = 64 - p->bits;

    x <<= up;
#pragma GCC unroll 3
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = u64s_mul(x, rmat_permute_multiplier(r)) + (p->key[r] << up);
        x ^= x >> (p->bits + 1) / 2 & ~UINT64_C(0) << up;
    }
    return x >> up;
}

/* Once, W / 2 or W ids in place.  Returns the lanes that are beyond the vertices. */
INLINE unsigned permute_once(const rmat_permutation *p, void *ids, const int id_bytes)
{
    vec x;

    memcpy(&x, ids, sizeof x);
    x = id_bytes == 4 ? permute_vec(p, x) : (vec)permute_u64s(p, (u64s)x);
    memcpy(ids, &x, sizeof x);
    return id_bytes == 4 ? vec_bits((vec)(x > (uint32_t)(p->vertices - 1)))
                         : u64s_bits((u64s)((u64s)x >= p->vertices));
}

/* The listed ones, again and again. */
INLINE void walk_on(const rmat_permutation *p, uint64_t n, uint32_t *list, void *ids,
                    const int id_bytes)
{
    _Alignas(64) uint64_t walking[BLOCK];

    while (n) {
        const uint64_t lanes = (n + W - 1) / W * W;
        uint64_t still = 0;

        for (uint64_t k = 0; k < n; k++) {
            set_id(walking, k, id_at(ids, list[k], id_bytes), id_bytes);
        }
        for (uint64_t k = n; k < lanes; k++) {
            set_id(walking, k, 0, id_bytes);
        }
        for (uint64_t k = 0; k < lanes * (uint64_t)id_bytes; k += sizeof(vec)) {
            (void)permute_once(p, (char *)walking + k, id_bytes);
        }
        for (uint64_t k = 0; k < n; k++) {
            const uint64_t x = id_at(walking, k, id_bytes);

            set_id(ids, list[k], x, id_bytes);
            list[still] = list[k];
            still += x >= p->vertices;
        }
        n = still;
    }
}

INLINE void permute_width(const rmat_permutation *p, uint64_t count, void *ids, const int id_bytes,
                          const int walk)
{
    const uint64_t step = sizeof(vec) / (size_t)id_bytes;
    _Alignas(64) uint32_t list[BLOCK + W];
    uint64_t n = 0, i = 0;

    for (; i + step <= count; i += step) {
        unsigned beyond = permute_once(p, (char *)ids + i * (uint64_t)id_bytes, id_bytes);

        if (walk && beyond) {
            n += list_lanes(beyond, (uint32_t)i, list + n);
        }
    }
    for (; i < count; i++) {
        set_id(ids, i, rmat_permute_vertex(p, id_at(ids, i, id_bytes)), id_bytes);
    }
    if (walk) {
        walk_on(p, n, list, ids, id_bytes);
    }
}

/* In place, at most BLOCK; ids of 4 bytes only for up to 32 bits. */
static void permute(const rmat_permutation *permutation, uint64_t count, void *ids, int id_bytes)
{
    const rmat_permutation p = *permutation; /* which no store can change */
    const int walk = p.vertices != (uint64_t)1 << p.bits;

    if (id_bytes == 4) {
        if (walk) {
            permute_width(&p, count, ids, 4, 1);
        } else {
            permute_width(&p, count, ids, 4, 0);
        }
    } else {
        if (walk) {
            permute_width(&p, count, ids, 8, 1);
        } else {
            permute_width(&p, count, ids, 8, 0);
        }
    }
}

#endif
