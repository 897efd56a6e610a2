/* Edges by quadrant and level. */
#include "apps/stats/levels.h"

enum { PART = 1 << 12 }; /* edges in the cache at a time */

static int log2_up(uint64_t n)
{
    return n > 1 ? 64 - __builtin_clzll(n - 1) : 0;
}

void levels_begin(level_totals *t, uint64_t rows, uint64_t cols)
{
    *t = (level_totals){.rows_scale = log2_up(rows), .cols_scale = log2_up(cols)};
    t->levels = t->rows_scale > t->cols_scale ? t->rows_scale : t->cols_scale;
}

bool levels_add(rmat_counter *counter, const rmat_gen *gen, const edge_block *e)
{
    uint64_t u[PART], v[PART];

    if (gen == NULL) {
        rmat_counter_add(counter, e->count, e->src, e->dst, e->id_bytes);
        return true;
    }
    for (uint64_t at = 0, n; at < e->count; at += n) {
        n = e->count - at < PART ? e->count - at : PART;
        for (uint64_t i = 0; i < n; i++) {
            u[i] = edge_id(e->src, at + i, e->id_bytes);
            v[i] = edge_id(e->dst, at + i, e->id_bytes);
        }
        if (rmat_unpermute(gen, RMAT_ROWS, n, u) != RMAT_OK ||
            rmat_unpermute(gen, RMAT_COLS, n, v) != RMAT_OK) {
            return false;
        }
        rmat_counter_add(counter, n, u, v, sizeof *u);
    }
    return true;
}

level_shares levels_shares(const level_totals *t, int level)
{
    const int bit = t->levels - 1 - level;
    level_shares s = {.has_src = bit < t->rows_scale, .has_dst = bit < t->cols_scale};
    uint64_t quadrants[4];

    rmat_tally_quadrants(&t->tally, bit, quadrants, NULL);
    for (int q = 0; q < 4 && t->tally.edges > 0; q++) {
        s.share[q] = (double)quadrants[q] / (double)t->tally.edges;
    }
    return s;
}
