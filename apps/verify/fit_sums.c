/*
 * rmat verify: counts for the statistical tests.
 *
 * For each bit position, the number of edges with that bit in the source, in the destination and in
 * both; the quadrants of a level follow from the three.  A permutation of the vertices is undone
 * first, and of a symmetric graph only the first edge of each pair counts.
 */
#include "apps/verify/fit.h"
#include <string.h>

enum { PART = 1 << 12 }; /* edges in the cache at a time */

/* Every step-th from `from` on; the rest of the last lanes is zero.  Returns how many. */
static uint64_t widen(uint64_t to[PART + BIT_LANES], const void *ids, uint64_t from, uint64_t end,
                      uint64_t step, int id_bytes)
{
    uint64_t n = 0;

    if (id_bytes == 4 && step == 1) {
        for (const uint32_t *id = ids; n < end - from; n++) {
            to[n] = id[from + n];
        }
    } else {
        for (uint64_t i = from; i < end; i += step) {
            to[n++] = edge_id(ids, i, id_bytes);
        }
    }
    memset(to + n, 0, BIT_LANES * sizeof *to);
    return n;
}

void fit_add(fit_sums *sums, const rmat_gen *gen, const rmat_config *model, const edge_block *edges)
{
    uint64_t u[PART + BIT_LANES], v[PART + BIT_LANES], both[BIT_LANES];
    const uint64_t step = model->symmetrize ? 2 : 1;

    for (uint64_t at = edges->first % step; at < edges->count; at += PART) {
        uint64_t end = edges->count - at < PART ? edges->count : at + PART;
        uint64_t n = widen(u, edges->src, at, end, step, edges->id_bytes);

        widen(v, edges->dst, at, end, step, edges->id_bytes);
        if (rmat_unpermute(gen, RMAT_ROWS, n, u) != RMAT_OK ||
            rmat_unpermute(gen, RMAT_COLS, n, v) != RMAT_OK) {
            continue;
        }
        for (uint64_t i = 0; i < n; i += BIT_LANES) {
            for (int j = 0; j < BIT_LANES; j++) {
                both[j] = u[i + (uint64_t)j] & v[i + (uint64_t)j];
            }
            bit_counts_add(&sums->src, u + i);
            bit_counts_add(&sums->dst, v + i);
            bit_counts_add(&sums->both, both);
        }
        sums->edges += n;
    }
}

void fit_sum_up(fit_totals *totals, const fit_sums *sums)
{
    totals->edges += sums->edges;
    totals->looked_at += sums->looked_at;
    totals->loops += sums->loops;
    bit_counts_total(&sums->src, totals->src);
    bit_counts_total(&sums->dst, totals->dst);
    bit_counts_total(&sums->both, totals->both);
}
