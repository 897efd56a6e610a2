/*
 * Edges by quadrant and level.
 *
 * Counting bit by bit would take three sums for each of up to 62 levels.  Instead, four levels are
 * counted together: four bits of the source and four of the destination are the number of one of
 * 256 cells, so that an edge of scale 20 takes five increments.  The quadrants of a level are sums
 * over these cells.
 */
#include "apps/client/levels.h"

enum { PART = 1 << 12 }; /* edges in the cache at a time */

static uint64_t widen(uint64_t to[PART], const void *ids, uint64_t from, uint64_t end,
                      uint64_t step, int id_bytes)
{
    uint64_t n = 0;

    for (uint64_t i = from; i < end; i += step) {
        to[n++] = edge_id(ids, i, id_bytes);
    }
    return n;
}

static void count_cells(level_counts *c, const uint64_t *u, const uint64_t *v, uint64_t n)
{
    uint64_t bits = 0;

    for (uint64_t i = 0; i < n; i++) {
        bits |= u[i] | v[i];
    }
    for (int g = 0; g < LEVELS_GROUPS; g++) {
        uint64_t *cells = c->cells[g];

        if (bits >> 4 * g == 0) { /* all edges are in cell 0 of this group and the next ones */
            cells[0] += n;
            continue;
        }
        for (uint64_t i = 0; i < n; i++) {
            cells[(u[i] >> 4 * g & 15) << 4 | (v[i] >> 4 * g & 15)]++;
        }
    }
    c->edges += n;
}

bool levels_add(level_counts *c, const rmat_gen *gen, const edge_block *e, uint64_t first,
                uint64_t step)
{
    uint64_t u[PART], v[PART];
    bool good = true;

    for (uint64_t at = first; at < e->count; at += PART * step) {
        const uint64_t end = e->count - at < PART * step ? e->count : at + PART * step;
        const uint64_t n = widen(u, e->src, at, end, step, e->id_bytes);

        widen(v, e->dst, at, end, step, e->id_bytes);
        if (gen != NULL && (rmat_unpermute(gen, RMAT_ROWS, n, u) != RMAT_OK ||
                            rmat_unpermute(gen, RMAT_COLS, n, v) != RMAT_OK)) {
            good = false;
            continue;
        }
        count_cells(c, u, v, n);
    }
    return good;
}

void levels_merge(level_counts *to, const level_counts *more)
{
    to->edges += more->edges;
    for (int g = 0; g < LEVELS_GROUPS; g++) {
        for (int i = 0; i < LEVELS_CELLS; i++) {
            to->cells[g][i] += more->cells[g][i];
        }
    }
}

void levels_quadrants(const level_counts *c, int k, uint64_t quadrants[4])
{
    for (int q = 0; q < 4; q++) {
        quadrants[q] = 0;
    }
    for (int i = 0; i < LEVELS_CELLS; i++) {
        const int src = i >> (4 + k % 4) & 1, dst = i >> k % 4 & 1;

        quadrants[2 * src + dst] += c->cells[k / 4][i];
    }
}
