/*
 * The expected number of edges in each cell of the adjacency matrix, duplicates included.
 *
 * The share of a cell is a product of matrix entries, one for each level whose bit is the same in
 * the whole cell.  The levels below matter only in cells with the last vertex, since larger ids are
 * rejected, and in cells with possible loops, if these are rejected.  A small automaton therefore
 * tracks whether the bits so far equal those of the last source and destination, and each other.
 */
#include "apps/common/message.h"
#include "apps/plot/plot.h"
#include <stdlib.h>
#include <string.h>

/* States: the bits so far equal those of the last source (1), of the last destination (2), and each
 * other (4). */
enum { TIGHT = 1, EQUAL = 4, ROOT = 7, STATES = 8 };

typedef struct {
    uint64_t last[2];
    int scales[2], scale, shift[2];
    int levels; /* with bits that differ between cells */
    double entry[RMAT_MAX_SCALE][4];
    double tail[STATES]; /* the share that is kept, after those levels */
} descent;

/* The state after a quadrant of a level; -1: beyond the last vertex. */
static int next(const descent *d, int level, int state, int quadrant)
{
    const int bits[2] = {quadrant / 2, quadrant % 2}, place = d->scale - 1 - level;

    for (int side = 0; side < 2; side++) {
        const int last = (int)(d->last[side] >> place & 1);

        if (place < d->scales[side] && (state & TIGHT << side)) {
            if (bits[side] > last) {
                return -1;
            }
            state &= bits[side] < last ? ~(TIGHT << side) : ~0;
        }
    }
    return bits[0] != bits[1] ? state & ~EQUAL : state;
}

static void find_tail(descent *d, const rmat_config *c)
{
    for (int s = 0; s < STATES; s++) {
        d->tail[s] = !(c->no_self_loops && (s & EQUAL));
    }
    for (int level = d->scale - 1; level >= d->levels; level--) {
        double kept[STATES] = {0};

        for (int s = 0; s < STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = next(d, level, s, k);

                kept[s] += to >= 0 ? d->entry[level][k] * d->tail[to] : 0;
            }
        }
        memcpy(d->tail, kept, sizeof kept);
    }
}

/* Whether the quadrant overlaps the cell: a bit below the cell's may have either value. */
static bool holds(const descent *d, int level, const uint64_t cell[2], int quadrant)
{
    const int bits[2] = {quadrant / 2, quadrant % 2}, place = d->scale - 1 - level;

    for (int side = 0; side < 2; side++) {
        if (place < d->scales[side] && place >= d->shift[side] &&
            bits[side] != (int)(cell[side] >> (place - d->shift[side]) & 1)) {
            return false;
        }
    }
    return true;
}

static double share_of(const descent *d, uint64_t i, uint64_t j)
{
    const uint64_t cell[2] = {i, j};
    double reached[STATES] = {[ROOT] = 1}, share = 0;

    for (int level = 0; level < d->levels; level++) {
        double after[STATES] = {0};

        for (int k = 0; k < 4; k++) {
            for (int s = 0; s < STATES && holds(d, level, cell, k); s++) {
                const int to = reached[s] > 0 ? next(d, level, s, k) : -1;

                if (to >= 0) {
                    after[to] += reached[s] * d->entry[level][k];
                }
            }
        }
        memcpy(reached, after, sizeof after);
    }
    for (int s = 0; s < STATES; s++) {
        share += reached[s] * d->tail[s];
    }
    return share;
}

/* The density of a square graph after its edges were turned into one triangle, or after their
 * reverse edges were added. */
static void turn(const rmat_config *c, bool unpermuted, int cells, double *density)
{
    for (int i = 0; i < cells; i++) {
        for (int j = 0; j < i; j++) {
            double *low = &density[i * cells + j], *high = &density[j * cells + i];
            const double both = *low + *high;

            *low = c->symmetrize                ? both
                   : unpermuted                 ? both / 2
                   : c->direction == RMAT_LOWER ? both
                                                : 0;
            *high = c->symmetrize || unpermuted ? *low : both - *low;
        }
        density[i * cells + i] *= c->symmetrize ? 2 : 1;
    }
}

int plot_expect_density(const plot_model *model, const plot_grid *grid, bool unpermuted,
                        double *density)
{
    const rmat_config *c = model->drawn;
    const uint64_t one = 1;
    const int cells = grid->cells[0] * grid->cells[1];
    descent d = {.last = {(c->rows ? c->rows : one << c->rows_scale) - 1,
                          (c->cols ? c->cols : one << c->cols_scale) - 1},
                 .scales = {c->rows_scale, c->cols_scale},
                 .scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale,
                 .shift = {grid->shift[0], grid->shift[1]}};
    rmat_matrix levels[RMAT_MAX_SCALE];
    double sum = 0;

    if (rmat_levels(c, levels) != RMAT_OK) {
        return runtime_error("plot", "memory is exhausted");
    }
    for (int l = 0; l < d.scale; l++) {
        memcpy(d.entry[l], (double[4]){levels[l].a, levels[l].b, levels[l].c, levels[l].d},
               sizeof d.entry[l]);
    }
    d.levels = d.scale - (d.shift[0] < d.shift[1] ? d.shift[0] : d.shift[1]);
    find_tail(&d, c);
    for (int i = 0; i < cells; i++) {
        density[i] = share_of(&d, (uint64_t)(i / grid->cells[1]), (uint64_t)(i % grid->cells[1]));
        sum += density[i];
    }
    for (int i = 0; i < cells; i++) {
        density[i] *= model->draws / sum;
    }
    if (c->symmetrize || c->direction != RMAT_DIRECTED) {
        turn(c, unpermuted, grid->cells[0], density);
    }
    return EXIT_OK;
}
