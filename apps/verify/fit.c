/*
 * The statistical tests and their rates of false alarms.
 *
 * Levels: edges are independent, so the numbers of edges in the quadrants of a level are
 * multinomial, and the sum of (found - expected)^2 / expected is chi-squared distributed, with 3
 * degrees of freedom for four quadrants; 2 where b and c are one, since edges were turned round; 1
 * where only one side has the level.  Cells of which fewer than MIN_EXPECTED are expected are put
 * together.  The chance of x or more:
 *     df 1: erfc(sqrt(x / 2));  df 2: exp(-x / 2);  df 3: df 1 + sqrt(2 x / pi) exp(-x / 2)
 * Loops: their number k of n is binomial, and the chance of one that far from n p or farther is at
 * most 2 exp(-n D), D = k/n log(k/(n p)) + (1 - k/n) log((1 - k/n) / (1 - p)) (Chernoff,
 * Hoeffding).
 *
 * A test fails where that chance is less than ALPHA divided by the number of tests, so a right file
 * fails at random less often than ALPHA.  Chi-squared being an approximation (counts beyond
 * MIN_EXPECTED are a few times likelier than it says, so far out), ALPHA is a tenth of what is
 * promised.
 */
#include "apps/verify/fit.h"
#include "apps/common/numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#define PROMISED     "1e-6"
#define ALPHA        1e-7
#define MIN_EXPECTED 1000.0

typedef struct {
    double share, expected, found;
} cell;

typedef struct {
    int cells; /* of chi-squared, 0: too few edges */
    double x, chance;
} level_result;

static double chance_of(double x, int df)
{
    switch (df) {
    case 1:
        return erfc(sqrt(x / 2));
    case 2:
        return exp(-x / 2);
    default:
        return erfc(sqrt(x / 2)) + sqrt(2 * x / M_PI) * exp(-x / 2);
    }
}

/* The cells of a level, and how many there are. */
static int fill_cells(cell cells[4], const rmat_config *model, const double quadrants[4],
                      const fit_totals *t, int bit)
{
    double both = (double)t->both[bit], src = (double)t->src[bit], dst = (double)t->dst[bit];
    double n = (double)t->edges;
    const double *q = quadrants;
    int count;

    if (bit >= model->rows_scale) {
        cells[0] = (cell){.share = q[0] + q[2], .found = n - dst};
        cells[1] = (cell){.share = q[1] + q[3], .found = dst};
        count = 2;
    } else if (bit >= model->cols_scale) {
        cells[0] = (cell){.share = q[0] + q[1], .found = n - src};
        cells[1] = (cell){.share = q[2] + q[3], .found = src};
        count = 2;
    } else {
        cells[0] = (cell){.share = q[0], .found = n - src - dst + both};
        cells[1] = (cell){.share = q[3], .found = both};
        cells[2] = (cell){.share = q[1], .found = dst - both};
        cells[3] = (cell){.share = q[2], .found = src - both};
        count = 4;
        if (model->direction != RMAT_DIRECTED) {
            cells[2].share += cells[3].share;
            cells[2].found += cells[3].found;
            count = 3;
        }
    }
    for (int i = 0; i < count; i++) {
        cells[i].expected = n * cells[i].share;
    }
    return count;
}

/* Put the smallest cells together until all are large enough; returns how many are left. */
static int merge_cells(cell cells[4], int count)
{
    while (count > 1) {
        int least = 0, second;

        for (int i = 1; i < count; i++) {
            least = cells[i].expected < cells[least].expected ? i : least;
        }
        if (cells[least].expected >= MIN_EXPECTED) {
            break;
        }
        second = least == 0 ? 1 : 0;
        for (int i = 0; i < count; i++) {
            second = i != least && cells[i].expected < cells[second].expected ? i : second;
        }
        cells[second].expected += cells[least].expected;
        cells[second].found += cells[least].found;
        cells[least] = cells[--count];
    }
    return count;
}

static level_result test_level(cell cells[4], int count)
{
    level_result r = {0, 0, 1};

    for (int i = 0; i < count; i++) {
        if (cells[i].share == 0 && cells[i].found > 0) {
            return (level_result){2, INFINITY, 0}; /* what cannot be is there */
        }
    }
    count = merge_cells(cells, count);
    if (count < 2) {
        return r;
    }
    for (int i = 0; i < count; i++) {
        double off = cells[i].found - cells[i].expected;

        r.x += off * off / cells[i].expected;
    }
    r.cells = count;
    r.chance = chance_of(r.x, count - 1);
    return r;
}

static void verify_levels(verify_report *report, const rmat_config *model,
                          const rmat_expectation *expected, const fit_totals *t, int tests)
{
    int scale = model->rows_scale > model->cols_scale ? model->rows_scale : model->cols_scale;
    int worst = -1, tested = 0, wrong = 0;
    level_result worst_result = {0, 0, 2};

    for (int l = 0; l < scale; l++) {
        cell cells[4];
        int count = fill_cells(cells, model, expected->quadrants[l], t, scale - 1 - l);
        level_result r = test_level(cells, count);

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
                     wrong, tested, worst, worst_result.x, worst_result.cells - 1, t->edges,
                     worst_result.chance);
    } else if (tested == 0) {
        verify_skipped(report, "levels", "too few edges for chi-squared, %" PRIu64, t->edges);
    } else {
        verify_ok(report, "levels",
                  "%d fit the model, chi-squared of %" PRIu64
                  " edges at most %.3g with %d degrees of freedom, at level %d (false alarm below "
                  "%s)",
                  tested, t->edges, worst_result.x, worst_result.cells - 1, worst, PROMISED);
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
