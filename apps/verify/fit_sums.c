/*
 * rmat verify: counts for the statistical tests, of the bits of both ends.  A permutation of the
 * vertices is undone first, and of a symmetric graph only the first edge of each pair counts.
 */
#include "apps/verify/fit.h"

enum { PART = 1 << 12 }; /* edges in the cache at a time */

/* Every step-th from `from` on.  Returns how many. */
static uint64_t widen(uint64_t to[PART], const void *ids, uint64_t from, uint64_t end,
                      uint64_t step, int id_bytes)
{
    uint64_t n = 0;

    for (uint64_t i = from; i < end; i += step) {
        to[n++] = edge_id(ids, i, id_bytes);
    }
    return n;
}

void fit_add(fit_sums *sums, const rmat_gen *gen, const rmat_config *model, const edge_block *edges)
{
    uint64_t u[PART], v[PART];
    const uint64_t step = model->symmetrize ? 2 : 1;

    for (uint64_t at = edges->first % step; at < edges->count; at += PART) {
        const uint64_t end = edges->count - at < PART ? edges->count : at + PART;
        const uint64_t n = widen(u, edges->src, at, end, step, edges->id_bytes);

        widen(v, edges->dst, at, end, step, edges->id_bytes);
        if (rmat_unpermute(gen, RMAT_ROWS, n, u) == RMAT_OK &&
            rmat_unpermute(gen, RMAT_COLS, n, v) == RMAT_OK) {
            rmat_counter_add(sums->bits, n, u, v, sizeof *u);
        }
    }
}

void fit_sum_up(fit_totals *totals, const fit_sums *sums)
{
    totals->looked_at += sums->looked_at;
    totals->loops += sums->loops;
    if (sums->bits != NULL) {
        rmat_counter_total(sums->bits, &totals->tally);
    }
}
