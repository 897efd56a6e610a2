/*
 * expect.c - facts that depend on a model only: its support, and the expected properties of its
 * edges.  Both use the automaton of descent.h.
 */
#include "rmat/model/descent.h"
#include "rmat/rmat_interval.h"

#include <stddef.h>
#include <string.h>

/*
 * The support of a model: the cells that edges can have.  cells[l][s] counts the ways to finish a
 * descent that is in state s before level l. It is the automaton of descent.h with numbers of ways
 * in place of probabilities.  The counts also number the cells: a descent to cell i takes at each
 * level the quadrant whose range of numbers contains i.
 */

/* STREAM.md, "Accuracy": an entry below it is never chosen. */
#define LEAST_ENTRY 0x1p-62

/* The quadrants of a level that can be chosen, a bit each.  A side that has no bit at this level
 * counts as 0. */
static uint8_t allowed_at(const rmat_descent *d, const rmat_matrix *m, int level)
{
    uint8_t allowed = 0;

    for (int k = 0; k < 4; k++) {
        const int src = rmat_descent_has(d, level, RMAT_ROWS) ? k / 2 : 0;
        const int dst = rmat_descent_has(d, level, RMAT_COLS) ? k % 2 : 0;

        if (rmat_entry(m, k) >= LEAST_ENTRY) {
            allowed |= (uint8_t)(1 << (2 * src + dst));
        }
    }
    return allowed;
}

void rmat_support_init(rmat_support *p, const rmat_config *config, const rmat_matrix *levels,
                       bool both)
{
    const rmat_descent d = rmat_descent_of(config);

    *p = (rmat_support){.descent = d};
    for (int s = 0; s < RMAT_STATES; s++) {
        p->cells[d.scale][s] = !(config->no_self_loops && (s & RMAT_EQUAL));
    }
    for (int l = d.scale - 1; l >= 0; l--) {
        p->allowed[l] = allowed_at(&d, &levels[l], l);
        if (both && (p->allowed[l] & 6) != 6) { /* not both b and c: neither */
            p->allowed[l] &= 9;
        }
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = p->allowed[l] >> k & 1 ? rmat_descent_next(&d, l, s, k) : -1;

                p->cells[l][s] += to >= 0 ? p->cells[l + 1][to] : 0;
            }
        }
    }
}

rmat_cell rmat_support_cell(const rmat_support *p, rmat_u128 i)
{
    rmat_cell c = {0, 0};
    int state = RMAT_ROOT;

    for (int l = 0; l < p->descent.scale; l++) {
        for (int k = 0; k < 4; k++) {
            const int to =
                p->allowed[l] >> k & 1 ? rmat_descent_next(&p->descent, l, state, k) : -1;
            const rmat_u128 cells = to >= 0 ? p->cells[l + 1][to] : 0;

            if (i < cells) {
                c = (rmat_cell){c.src << 1 | (uint64_t)(k / 2), c.dst << 1 | (uint64_t)(k % 2)};
                state = to;
                break;
            }
            i -= cells;
        }
    }
    return c;
}

uint64_t rmat_support_size_of(const rmat_config *config, const rmat_matrix *levels)
{
    rmat_support p;
    rmat_u128 n;

    rmat_support_init(&p, config, levels, false);
    n = rmat_support_cells(&p);
    if (config->symmetrize || config->direction != RMAT_DIRECTED) {
        /* Cells and their reverses together are 2 n - b, where b counts the cells whose reverse is
         * a cell as well.  Two such cells make one pair; a loop alone makes one pair. */
        rmat_config no_loops = *config;
        rmat_support other;

        no_loops.no_self_loops = 1;
        rmat_support_init(&other, &no_loops, levels, false);
        n += n - rmat_support_cells(&other); /* n, and the loops */
        rmat_support_init(&other, config, levels, true);
        n = (n + rmat_support_cells(&p) - rmat_support_cells(&other)) / 2;
    }
    return n < UINT64_MAX ? (uint64_t)n : UINT64_MAX;
}

int rmat_support_size(const rmat_config *config, uint64_t *cells)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    int st = config != NULL && cells != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG;

    if (!st) {
        *cells = rmat_support_size_of(config, levels);
    }
    return st;
}

/*
 * Expected properties of a model's edges, by the forward-backward algorithm on the automaton of
 * descent.h. reached[l][s] is the probability that a draw is in state s before level l. kept[l][s]
 * is the probability that such a draw is kept.  Their product, divided by the probability of being
 * kept, gives the fraction of each quadrant of each level among the kept edges.
 */
static void find_kept(const rmat_descent *m, const rmat_matrix *levels, int no_loops,
                      double kept[RMAT_MAX_SCALE + 1][RMAT_STATES])
{
    memset(kept, 0, (RMAT_MAX_SCALE + 1) * sizeof *kept);
    for (int s = 0; s < RMAT_STATES; s++) {
        kept[m->scale][s] = !(no_loops && (s & RMAT_EQUAL));
    }
    for (int l = m->scale - 1; l >= 0; l--) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(m, l, s, k);

                if (to >= 0) {
                    kept[l][s] += rmat_entry(&levels[l], k) * kept[l + 1][to];
                }
            }
        }
    }
}

rmat_expectation rmat_expectation_of(const rmat_config *config, const rmat_matrix *levels)
{
    const rmat_descent m = rmat_descent_of(config);
    rmat_expectation e = {0};
    double reached[RMAT_MAX_SCALE + 1][RMAT_STATES] = {{0}};
    double kept[RMAT_MAX_SCALE + 1][RMAT_STATES];

    find_kept(&m, levels, config->no_self_loops, kept);
    reached[0][RMAT_ROOT] = 1;
    for (int i = 0; i < m.scale; i++) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, i, s, k);

                if (to >= 0) {
                    reached[i + 1][to] += reached[i][s] * rmat_entry(&levels[i], k);
                }
            }
        }
    }

    e.kept = kept[0][RMAT_ROOT];
    for (int s = 0; s < RMAT_STATES && m.last[0] == m.last[1] && !config->no_self_loops; s++) {
        e.loops += s & RMAT_EQUAL ? reached[m.scale][s] / e.kept : 0;
    }
    for (int l = 0; l < m.scale; l++) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, l, s, k);

                if (to >= 0) {
                    e.quadrants[l][k] +=
                        reached[l][s] * rmat_entry(&levels[l], k) * kept[l + 1][to] / e.kept;
                }
            }
        }
    }
    return e;
}

int rmat_expect(const rmat_config *config, rmat_expectation *expectation)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    int st = expectation != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG;

    if (!st) {
        *expectation = rmat_expectation_of(config, levels);
    }
    return st;
}
