/*
 * rmat_permute() and rmat_unpermute(): vertex numbers through the permutation of permutation.h and
 * back.  The inverse undoes the rounds in reverse order.
 *
 * A round is y = x * (2 * x + b) + k.  Bit i of y is bit i of x plus what depends on lower bits of
 * x alone, since b is odd.  So Newton's method finds x, whose steps divide by 4 * x + b, which is
 * odd.
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

/* The x for which x * (2 * x + b) is y modulo 2^32.  Its lowest bit is that of y, and from i
 * correct bits each step leads to 2 * i + 1: from 1 to 3, 7, 15, 31 and more. */
static uint32_t solve(uint32_t y, uint32_t b)
{
    uint32_t x = y;

    for (int i = 0; i < 5; i++) {
        x -= (x * (2 * x + b) - y) * (uint32_t)inverse(4 * x + b);
    }
    return x;
}

/* The inverse of rmat_permute_reverse(). */
static uint64_t unreverse(uint64_t x, int bits)
{
    const uint32_t high = (uint32_t)(x >> 32);
    const uint32_t low = rmat_reverse32((uint32_t)x << (bits < 32 ? 32 - bits : 0));

    return (uint64_t)high << 32 | (low - high * RMAT_PERMUTE_SPREAD);
}

static uint64_t unpermute_vertex(const rmat_permutation *p, uint64_t x)
{
    const uint64_t mask = ((uint64_t)1 << p->bits) - 1;

    do {
        for (int r = rmat_permute_rounds(p) - 1; r >= 0; r--) {
            x -= p->k[r];
            x = x * inverse(2 * solve((uint32_t)x, p->b[r]) + p->b[r]) & mask;
            x = r == 0 ? x : unreverse(x, p->bits);
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
