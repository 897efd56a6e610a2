/*
 * The statistical tests, and their rates of false alarms.
 *
 * Counts are of the bits of both ends.  A permutation of the vertices is undone first, and of a
 * symmetric graph only the first edge of each pair counts.
 *
 * Levels: chi-squared of the numbers of edges in the quadrants, with 3 degrees of freedom for four
 * of them; 2 where b and c are one, since edges were turned round; 1 where only one side has the
 * level.  Cells of which fewer than CHI_LEAST_EXPECTED are expected are put together.
 * Loops: their number k of n is binomial, and the chance of one that far from n p or farther is at
 * most 2 exp(-n D), D = k/n log(k/(n p)) + (1 - k/n) log((1 - k/n) / (1 - p)) (Chernoff,
 * Hoeffding).
 *
 * A test fails where that chance is less than ALPHA divided by the number of tests, so a right file
 * fails at random less often than ALPHA.  Chi-squared being an approximation (counts beyond
 * CHI_LEAST_EXPECTED are a few times likelier than it says, so far out), ALPHA is a tenth of what
 * is promised.
 */
#include "apps/verify/fit.h"
#include "apps/common/chi_squared.h"
#include "apps/common/numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PROMISED "1e-6"
#define ALPHA    1e-7

void fit_add(fit_sums *sums, const rmat_gen *gen, const rmat_config *model, const edge_block *edges)
{
    const uint64_t step = model->symmetrize ? 2 : 1;

    levels_add(&sums->levels, gen, edges, edges->first % step, step);
}

void fit_sum_up(fit_totals *totals, const fit_sums *sums)
{
    totals->looked_at += sums->looked_at;
    totals->loops += sums->loops;
    levels_merge(&totals->levels, &sums->levels);
}

/* The cells of a level, and how many there are. */
static int fill_cells(chi_cell cells[4], const rmat_config *model, const double shares[4],
                      const fit_totals *t, int bit)
{
    /* A level of one side only: quadrants that differ in the other are one cell. */
    const bool has_src = bit < model->rows_scale, has_dst = bit < model->cols_scale;
    const bool one = model->direction != RMAT_DIRECTED; /* b and c are */
    const int cell_of[4] = {0, has_dst ? 1 : 0, has_src ? (one || !has_dst ? 1 : 2) : 0,
                            has_src && has_dst ? (one ? 2 : 3) : 1};
    const double times = t->both_directions ? 2 : 1;
    uint64_t found[4];
    int count = 0;

    memset(cells, 0, 4 * sizeof *cells);
    levels_quadrants(&t->levels, bit, found);
    for (int q = 0; q < 4; q++) {
        chi_cell *c = &cells[cell_of[q]];

        c->expected += (double)t->levels.edges / times * shares[q];
        c->found += (double)found[q] / times;
        count = cell_of[q] >= count ? cell_of[q] + 1 : count;
    }
    return count;
}

static void verify_levels(verify_report *report, const rmat_config *model,
                          const rmat_expectation *expected, const fit_totals *t, int tests)
{
    int scale = model->rows_scale > model->cols_scale ? model->rows_scale : model->cols_scale;
    const uint64_t edges = t->levels.edges / (t->both_directions ? 2 : 1);
    int worst = -1, tested = 0, wrong = 0;
    chi_result worst_result = {.chance = 2};

    for (int l = 0; l < scale; l++) {
        chi_cell cells[4];
        int count = fill_cells(cells, model, expected->quadrants[l], t, scale - 1 - l);
        chi_result r = chi_squared(cells, count, CHI_LEAST_EXPECTED);

        if (r.cells == 0) {
            continue;
        }
        tested++;
        wrong += r.chance < ALPHA / tests;
        if (r.chance < worst_result.chance || (r.chance == 0 && r.x > worst_result.x)) {
            worst = l;
            worst_result = r;
        }
    }
    if (wrong > 0) {
        verify_wrong(report, "levels",
                     "%d of %d do not fit the model; level %d (from 0, the most significant) has "
                     "chi-squared %.4g with %d degrees of freedom in %" PRIu64
                     " edges, a chance of %.2g",
                     wrong, tested, worst, worst_result.x, worst_result.cells - 1, edges,
                     worst_result.chance);
    } else if (tested == 0) {
        verify_skipped(report, "levels", "too few edges for chi-squared, %" PRIu64, edges);
    } else {
        verify_ok(report, "levels",
                  "%d fit the model, chi-squared of %" PRIu64
                  " edges at most %.3g with %d degrees of freedom, at level %d (false alarm below "
                  "%s)",
                  tested, edges, worst_result.x, worst_result.cells - 1, worst, PROMISED);
    }
}

/* k log(k / (n p)), 0 for k = 0. */
static double term(double k, double np)
{
    return k == 0 ? 0 : k * log(k / np);
}

static void verify_loops(verify_report *report, double share, const fit_totals *t, int tests)
{
    double n = (double)t->looked_at, k = (double)t->loops, chance;
    char expected[NUMBER_TEXT];

    if (share >= 1) {
        chance = k < n ? 0 : 1;
    } else {
        chance = 2 * exp(-(term(k, n * share) + term(n - k, n * (1 - share))));
    }
    snprintf(expected, sizeof expected, "%.1f", n * share);
    if (chance < ALPHA / tests) {
        verify_wrong(report, "loops",
                     "%" PRIu64 " self loops among %" PRIu64
                     " edges, expected about %s: a chance of at most %.2g",
                     t->loops, t->looked_at, expected, chance);
    } else {
        verify_ok(report, "loops",
                  "%" PRIu64 " self loops, expected about %s (false alarm below %s)", t->loops,
                  expected, PROMISED);
    }
}

bool verify_fit(verify_report *report, const rmat_config *model, const fit_totals *totals)
{
    int scale = model->rows_scale > model->cols_scale ? model->rows_scale : model->cols_scale;
    bool square = model->rows_scale == model->cols_scale && model->rows == model->cols;
    int before = report->wrong;
    rmat_expectation expected;

    if (rmat_expect(model, &expected) == RMAT_OK) {
        verify_levels(report, model, &expected, totals, scale + 1);
        if (square && !model->no_self_loops) {
            verify_loops(report, expected.loops, totals, scale + 1);
        }
    }
    return report->wrong == before;
}
