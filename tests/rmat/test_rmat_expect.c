/* rmat_expect() against the enumeration of all cells of small models and, for large models, against
 * values that can be worked out by hand. */
#include "rmat/rmat.h"
#include "tests/support/cells.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>

#define LIMIT 1e-12

static const struct {
    int rows_scale, cols_scale;
    uint64_t rows, cols;
    int no_self_loops;
    double noise;
} models[] = {
    {1, 1, 0, 0, 0, 0},        {1, 1, 0, 0, 1, 0},        {2, 2, 3, 3, 0, 0},
    {2, 2, 3, 3, 1, 0},        {3, 3, 5, 5, 0, 0.1},      {3, 3, 5, 5, 1, 0},
    {6, 6, 50, 50, 0, 0},      {6, 6, 50, 50, 1, 0.1},    {6, 6, 0, 0, 1, 0},
    {6, 6, 33, 64, 0, 0},      {6, 6, 64, 33, 0, 0},      {5, 3, 0, 0, 0, 0.1},
    {5, 3, 17, 5, 0, 0},       {2, 7, 3, 100, 0, 0.1},    {1, 6, 0, 37, 0, 0},
    {8, 8, 255, 255, 1, 0.05}, {8, 8, 129, 129, 1, 0.05}, {7, 8, 128, 129, 0, 0},
    {6, 6, 43, 42, 0, 0},      {1, 1, 1, 1, 0, 0},
};
enum { MODELS = sizeof models / sizeof models[0] };

static void compare(const rmat_config *c)
{
    static cells exact;
    const int scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_expectation e;

    ck_assert_int_eq(rmat_levels(c, levels), RMAT_OK);
    ck_assert_int_eq(rmat_expect(c, &e), RMAT_OK);
    cells_enumerate(c, levels, &exact);
    ck_assert_msg(fabs(e.kept - exact.kept) < LIMIT, "%d x %d: kept %.15g for %.15g", c->rows_scale,
                  c->cols_scale, e.kept, exact.kept);
    ck_assert_msg(fabs(e.loops - exact.loops) < LIMIT, "%d x %d: loops %.15g for %.15g",
                  c->rows_scale, c->cols_scale, e.loops, exact.loops);
    for (int l = 0; l < scale; l++) {
        for (int k = 0; k < 4; k++) {
            ck_assert_msg(fabs(e.quadrants[l][k] - exact.quadrants[l][k]) < LIMIT,
                          "%d x %d: level %d, quadrant %d: %.15g for %.15g", c->rows_scale,
                          c->cols_scale, l, k, e.quadrants[l][k], exact.quadrants[l][k]);
        }
    }
}

/* With one matrix, and with one for each level. */
START_TEST(enumeration)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = models[_i].rows_scale;
    c.cols_scale = models[_i].cols_scale;
    c.rows = models[_i].rows;
    c.cols = models[_i].cols;
    c.no_self_loops = models[_i].no_self_loops;
    c.noise = models[_i].noise;
    compare(&c);
    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] =
            (rmat_matrix){0.30 + 0.04 * l, 0.27 - 0.02 * l, 0.23 - 0.01 * l, 0.20 - 0.01 * l};
        if (l > 5) {
            levels[l] = (rmat_matrix){0.11, 0.22, 0.31, 0.36};
        }
    }
    c.levels = levels;
    compare(&c);
    /* what happens later does not matter */
    c.permute = 1;
    c.weights = RMAT_WEIGHTS_UNIFORM;
    if (models[_i].rows == models[_i].cols && c.rows_scale == c.cols_scale) {
        c.direction = RMAT_LOWER;
        c.symmetrize = 1;
    }
    compare(&c);
}
END_TEST

START_TEST(large)
{
    rmat_expectation e;
    rmat_config c;

    for (int scale = 1; scale <= RMAT_MAX_SCALE; scale++) {
        double loops = pow(0.57 + 0.05, scale);

        rmat_config_default(&c);
        c.rows_scale = c.cols_scale = scale;
        ck_assert_int_eq(rmat_expect(&c, &e), RMAT_OK);
        ck_assert(fabs(e.kept - 1) < LIMIT && fabs(e.loops / loops - 1) < 1e-9);
        c.no_self_loops = 1;
        ck_assert_int_eq(rmat_expect(&c, &e), RMAT_OK);
        ck_assert(fabs(e.kept - (1 - loops)) < LIMIT && e.loops == 0);
        ck_assert(fabs(e.quadrants[scale - 1][0] - (0.57 - loops / 0.62 * 0.57) / (1 - loops)) <
                  1e-9);
        /* all but the last vertex; its row and column hold d^scale twice */
        if (scale > 1) {
            c.no_self_loops = 0;
            c.rows = c.cols = (UINT64_C(1) << scale) - 1;
            ck_assert_int_eq(rmat_expect(&c, &e), RMAT_OK);
            ck_assert(fabs(1 - e.kept - (2 * pow(0.24, scale) - pow(0.05, scale))) < LIMIT);
        }
    }
}
END_TEST

/* rmat_create() draws the line at one draw in RMAT_MAX_REDRAW. */
START_TEST(refusal)
{
    const double shares[] = {1.001 / RMAT_MAX_REDRAW, 0.999 / RMAT_MAX_REDRAW};

    for (int k = 0; k < 2; k++) {
        rmat_expectation e;
        rmat_gen *gen;
        rmat_config c;

        rmat_config_default(&c);
        c.rows_scale = c.cols_scale = 1;
        c.no_self_loops = 1;
        c.matrix = (rmat_matrix){0.5, shares[k] / 2, shares[k] / 2, 0.5 - shares[k]};
        ck_assert_int_eq(rmat_expect(&c, &e), RMAT_OK);
        ck_assert(fabs(e.kept - shares[k]) < LIMIT);
        ck_assert_int_eq(rmat_create(&gen, &c), k ? RMAT_ERR_REDRAW : RMAT_OK);
        rmat_destroy(gen);
    }
}
END_TEST

TEST_MAIN(rmat_expect)
{
    Suite *s = suite_create("rmat_expect");
    TCase *t = tcase_create("expect");

    tcase_add_loop_test(t, enumeration, 0, MODELS);
    tcase_add_test(t, large);
    tcase_add_test(t, refusal);
    suite_add_tcase(s, t);
    return run_suite(s);
}
