/*
 * Private to rmat/: the recursion as an automaton that reads a level at a time.  Its state is
 * whether the source still agrees with the largest one that is wanted, whether the destination
 * does, and whether the two agree with each other.
 */
#ifndef RMAT_MODEL_DESCENT_H
#define RMAT_MODEL_DESCENT_H

#include "rmat/model/generator.h"

enum {
    RMAT_SRC_TIGHT = 1,
    RMAT_DST_TIGHT = 2,
    RMAT_EQUAL = 4,
    RMAT_ROOT = 7, /* before the first level */
    RMAT_STATES = 8
};

typedef struct {
    uint64_t last[2]; /* the largest vertices */
    int scales[2], scale;
} rmat_descent;

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

/* Has this side a bit at the level?  The longer side's upper levels are its own. */
static inline int rmat_descent_has(const rmat_descent *m, int level, int side)
{
    return m->scale - 1 - level < m->scales[side];
}

/* The state after quadrant k of this level; -1: beyond the largest vertex. */
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

#endif
