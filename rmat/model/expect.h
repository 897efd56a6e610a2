/*
 * expect.h - what a model makes one expect, computed without making a graph: its cells, and the
 * degrees of its vertices.
 *
 * The base of all is the recursion as an automaton that descends the adjacency matrix,
 * one quadrant per level.  Its state has three bits: whether the source's bits so far are those of
 * the largest source, the same for the destination, and whether source and destination agree.  The
 * wanted edges depend on the earlier bits only through this state.
 */
#ifndef RMAT_MODEL_EXPECT_H
#define RMAT_MODEL_EXPECT_H

#include "rmat/model/generator.h"
#include "rmat/rmat.h"

#include <stdbool.h>

enum {
    RMAT_SRC_TIGHT = 1, /* the source agrees with the largest one so far */
    RMAT_DST_TIGHT = 2, /* the destination does */
    RMAT_EQUAL = 4,     /* source and destination agree so far */
    RMAT_ROOT = 7,      /* the state before the first level */
    RMAT_STATES = 8
};

typedef struct {
    uint64_t last[2]; /* the largest vertex of each side */
    int scales[2], scale;
} rmat_descent;

/* Entry k of a matrix: a, b, c, d for k = 0, 1, 2, 3. */
static inline double rmat_entry(const rmat_matrix *m, int k)
{
    return k == 0 ? m->a : k == 1 ? m->b : k == 2 ? m->c : m->d;
}

static inline rmat_descent rmat_descent_of(const rmat_config *c)
{
    return (rmat_descent){{rmat_vertices(c, RMAT_ROWS) - 1, rmat_vertices(c, RMAT_COLS) - 1},
                          {c->rows_scale, c->cols_scale},
                          rmat_scale(c)};
}

/* 1 if this side has a bit at the level: only the longer side has the upper levels. */
static inline int rmat_descent_has(const rmat_descent *m, int level, int side)
{
    return m->scale - 1 - level < m->scales[side];
}

/* The state after quadrant k of this level; -1 if that leads beyond the largest vertex. */
static inline int rmat_descent_next(const rmat_descent *m, int level, int state, int k)
{
    const int bits[2] = {k / 2, k % 2};

    for (int side = 0; side < 2; side++) {
        const int tight = side == 0 ? RMAT_SRC_TIGHT : RMAT_DST_TIGHT;

        if (rmat_descent_has(m, level, side) && (state & tight)) {
            const int most = (int)(m->last[side] >> (m->scale - 1 - level) & 1);

            if (bits[side] > most) {
                return -1;
            }
            state &= bits[side] < most ? ~tight : ~0;
        }
    }
    return bits[0] != bits[1] ? state & ~RMAT_EQUAL : state;
}

/* The cells that edges can have, counted and numbered. */

__extension__ typedef unsigned __int128 rmat_u128;

/* The cells of drawn ends, before they are permuted and directed. */
typedef struct {
    rmat_descent descent;
    uint8_t allowed[RMAT_MAX_SCALE]; /* bit k: quadrant k of the level can be chosen */
    rmat_u128 cells[RMAT_MAX_SCALE + 1][RMAT_STATES]; /* reachable from this level and state */
} rmat_support;

/* levels: those of rmat_levels(). both: only cells whose reverse is a cell, too. */
void rmat_support_init(rmat_support *p, const rmat_config *config, const rmat_matrix *levels,
                       bool both);

/* The number of cells. */
static inline rmat_u128 rmat_support_cells(const rmat_support *p)
{
    return p->cells[0][RMAT_ROOT];
}

/* Cell number i, below rmat_support_cells(). */
rmat_cell rmat_support_cell(const rmat_support *p, rmat_u128 i);

/* The expected degrees of vertices; `rmat plot` draws them. */

enum { RMAT_BINS = 704 };

/* Bins of degrees: bin i has the degrees from first[i] to first[i + 1] - 1.  first[0] is 0. */
typedef struct {
    int count;
    uint64_t first[RMAT_BINS + 1];
} rmat_bins;

/* The bin of a degree; the last bin if the degree is beyond all of them. */
int rmat_bin_of(const rmat_bins *bins, uint64_t degree);

/*
 * Sets vertices[0..bins->count) to the expected numbers of vertices by bins of their out-degree
 * (RMAT_ROWS) or in-degree (RMAT_COLS), in a graph of `draws` draws.  A draw and its reverse edge
 * count as one draw.  Returns RMAT_OK or RMAT_ERR_NOMEM.  Thread-safe.
 *
 * The degree of a vertex is binomial: each draw is an edge of the vertex with the vertex's
 * probability.  Loops are neglected: no_self_loops, and that one counts twice with reverse edges;
 * so is what a vertex's bits say of whether the other end is below the number of vertices.  It does
 * not hold for edges that are turned (`direction`) without reverse edges, or if duplicates are
 * removed; the caller must not ask then.
 */
int rmat_expect_degrees(const rmat_config *drawn, double draws, rmat_side side,
                        const rmat_bins *bins, double *vertices);

#endif
