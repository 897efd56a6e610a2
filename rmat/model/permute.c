/* rmat_permute() and rmat_unpermute(): vertex numbers through the permutation of permutation.h and
 * back. */
#include "rmat/clones.h"
#include "rmat/model/generator.h"
#include "rmat/model/unpermute.h"

#include <stddef.h>

enum { BLOCK = 1 << 12 }; /* ids that stay in a cache between rounds */

static void permute(const rmat_permutation *p, uint64_t count, uint64_t *ids)
{
    for (uint64_t i = 0; i < count; i++) {
        ids[i] = rmat_permute_vertex(p, ids[i]);
    }
}

/* Round by round, which the compiler vectorises. */
RMAT_CLONES static void unpermute_block(const rmat_permutation *permutation, uint64_t count,
                                        uint64_t *ids)
{
    const rmat_permutation p = *permutation; /* which ids do not overlap */

    for (int r = rmat_permute_rounds(&p) - 1; r >= 0; r--) {
        for (uint64_t i = 0; i < count; i++) {
            ids[i] = rmat_unpermute_round(&p, r, ids[i]);
        }
    }
}

static void unpermute(const rmat_permutation *p, uint64_t count, uint64_t *ids)
{
    for (uint64_t at = 0, n; at < count; at += n) {
        n = count - at < BLOCK ? count - at : BLOCK;
        unpermute_block(p, n, ids + at);
        for (uint64_t i = at; i < at + n; i++) { /* those that walk on */
            ids[i] = ids[i] < p->vertices ? ids[i] : rmat_unpermute_vertex(p, ids[i]);
        }
    }
}

/* Checks all ids, then applies step to them. */
static int apply(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids,
                 void (*step)(const rmat_permutation *, uint64_t, uint64_t *))
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
        step(p, count, ids);
    }
    return RMAT_OK;
}

int rmat_permute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids)
{
    return apply(gen, side, count, ids, permute);
}

int rmat_unpermute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids)
{
    return apply(gen, side, count, ids, unpermute);
}
