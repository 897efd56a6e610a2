/*
 * rmat_permute() and rmat_unpermute(): vertex numbers through the permutation of permutation.h and
 * back.  The inverse undoes each round's two steps in reverse order: x ^ x >> h is its own inverse,
 * since h is at least half of the bits, and the multipliers are odd, so they have inverses modulo
 * 2^64.
 */
#include "rmat/model/generator.h"

#include <stddef.h>

/* The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the number of
 * correct bits, from 3 on. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;

    for (int i = 0; i < 5; i++) {
        x *= 2 - odd * x;
    }
    return x;
}

static uint64_t unpermute_vertex(const rmat_permutation *p, uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << p->bits) - 1;

    do {
        for (int r = RMAT_PERMUTE_ROUNDS - 1; r >= 0; r--) {
            x ^= x >> (p->bits + 1) / 2;
            x = (x - p->key[r]) * inverse(rmat_permute_multiplier(r)) & mask;
        }
    } while (x >= p->vertices);
    return x;
}

/* Checks all ids, then applies step to each. */
static int apply(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids,
                 uint64_t (*step)(const rmat_permutation *, uint64_t))
{
    const rmat_permutation *p;

    if (gen == NULL || (side != RMAT_ROWS && side != RMAT_COLS) || (count && ids == NULL)) {
        return RMAT_ERR_ARG;
    }
    p = &gen->view.permutation[side];
    for (uint64_t i = 0; i < count; i++) {
        if (ids[i] >= p->vertices) {
            return RMAT_ERR_VERTEX;
        }
    }
    if (gen->config.permute) {
        for (uint64_t i = 0; i < count; i++) {
            ids[i] = step(p, ids[i]);
        }
    }
    return RMAT_OK;
}

int rmat_permute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids)
{
    return apply(gen, side, count, ids, rmat_permute_vertex);
}

int rmat_unpermute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids)
{
    return apply(gen, side, count, ids, unpermute_vertex);
}
