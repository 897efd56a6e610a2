/*
 * Expected properties of a model's edges, by the forward-backward algorithm on the automaton of
 * descent.h: reached[l][s] is the probability that a draw is in state s before level l, kept[l][s]
 * that a draw in that state is kept in the end.  Their product, over the probability of being kept
 * at all, gives the fraction of each quadrant of each level among the kept edges.
 */
#include "rmat/model/descent.h"

#include <string.h>

int rmat_expect(const rmat_config *config, rmat_expectation *expectation)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    double reached[RMAT_MAX_SCALE + 1][RMAT_STATES] = {{0}};
    double kept[RMAT_MAX_SCALE + 1][RMAT_STATES] = {{0}};
    int st = expectation != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG;
    rmat_descent m;

    if (st) {
        return st;
    }
    m = rmat_descent_of(config);
    for (int s = 0; s < RMAT_STATES; s++) {
        kept[m.scale][s] = !(config->no_self_loops && (s & RMAT_EQUAL));
    }
    reached[0][RMAT_ROOT] = 1;
    for (int i = 0; i < m.scale; i++) {
        const int back = m.scale - 1 - i;

        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, i, s, k),
                          from_end = rmat_descent_next(&m, back, s, k);

                if (to >= 0) {
                    reached[i + 1][to] += reached[i][s] * rmat_entry(&levels[i], k);
                }
                if (from_end >= 0) {
                    kept[back][s] += rmat_entry(&levels[back], k) * kept[back + 1][from_end];
                }
            }
        }
    }

    memset(expectation, 0, sizeof *expectation);
    expectation->kept = kept[0][RMAT_ROOT];
    for (int s = 0; s < RMAT_STATES && m.last[0] == m.last[1] && !config->no_self_loops; s++) {
        expectation->loops += s & RMAT_EQUAL ? reached[m.scale][s] / expectation->kept : 0;
    }
    for (int l = 0; l < m.scale; l++) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, l, s, k);

                if (to >= 0) {
                    expectation->quadrants[l][k] += reached[l][s] * rmat_entry(&levels[l], k) *
                                                    kept[l + 1][to] / expectation->kept;
                }
            }
        }
    }
    return RMAT_OK;
}
