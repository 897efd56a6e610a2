/*
 * What a model makes one expect: the recursion as an automaton that reads a level at a time.  Its
 * state is whether the source still agrees with the largest one that is wanted, whether the
 * destination does, and whether the two agree with each other.  Forward probabilities of states
 * times backward ones of being kept give the shares of each level among the kept edges.
 */
#include "rmat/rmat_impl.h"

#include <string.h>

enum { SRC_TIGHT = 1, DST_TIGHT = 2, EQUAL = 4, STATES = 8 };

typedef struct {
    const rmat_config *config;
    uint64_t last[2]; /* the largest vertices */
    int scale, square;
} model;

/* The state after quadrant k of this level; -1: beyond the largest vertex. */
static int next_state(const model *m, int level, int state, int k)
{
    const int bits[2] = {k / 2, k % 2}, scales[2] = {m->config->rows_scale, m->config->cols_scale};

    for (int side = 0; side < 2; side++) {
        const int shift = m->scale - 1 - level; /* of the level's bit, which the side may lack */
        const int tight = side == 0 ? SRC_TIGHT : DST_TIGHT;

        if (shift < scales[side] && (state & tight)) {
            const int most = (int)(m->last[side] >> shift & 1);

            if (bits[side] > most) {
                return -1;
            }
            state &= bits[side] < most ? ~tight : ~0;
        }
    }
    return bits[0] != bits[1] ? state & ~EQUAL : state;
}

static double entry(const rmat_matrix *m, int k)
{
    return k == 0 ? m->a : k == 1 ? m->b : k == 2 ? m->c : m->d;
}

int rmat_expect(const rmat_config *config, rmat_expectation *expectation)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    double reached[RMAT_MAX_SCALE + 1][STATES] = {{0}}, kept[RMAT_MAX_SCALE + 1][STATES] = {{0}};
    int st = expectation ? rmat_levels(config, levels) : RMAT_ERR_ARG;
    model m;

    if (st) {
        return st;
    }
    m.config = config;
    m.last[0] = rmat_vertices(config, RMAT_ROWS) - 1;
    m.last[1] = rmat_vertices(config, RMAT_COLS) - 1;
    m.scale = rmat_scale(config);
    m.square = m.last[0] == m.last[1];
    for (int s = 0; s < STATES; s++) {
        kept[m.scale][s] = !(config->no_self_loops && (s & EQUAL));
    }
    reached[0][SRC_TIGHT | DST_TIGHT | EQUAL] = 1;
    for (int i = 0; i < m.scale; i++) {
        const int back = m.scale - 1 - i;

        for (int s = 0; s < STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = next_state(&m, i, s, k), from_end = next_state(&m, back, s, k);

                if (to >= 0) {
                    reached[i + 1][to] += reached[i][s] * entry(&levels[i], k);
                }
                if (from_end >= 0) {
                    kept[back][s] += entry(&levels[back], k) * kept[back + 1][from_end];
                }
            }
        }
    }

    memset(expectation, 0, sizeof *expectation);
    expectation->kept = kept[0][SRC_TIGHT | DST_TIGHT | EQUAL];
    for (int s = 0; s < STATES && m.square && !config->no_self_loops; s++) {
        expectation->loops += s & EQUAL ? reached[m.scale][s] / expectation->kept : 0;
    }
    for (int l = 0; l < m.scale; l++) {
        for (int s = 0; s < STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = next_state(&m, l, s, k);

                if (to >= 0) {
                    expectation->quadrants[l][k] +=
                        reached[l][s] * entry(&levels[l], k) * kept[l + 1][to] / expectation->kept;
                }
            }
        }
    }
    return RMAT_OK;
}
