/* rmat_expect_kept(), and the expected degrees of rmat/model/expect.h, against the enumeration of
 * all cells of small models and, for large models, against values computed by hand. */
#include "rmat/model/expect.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define LIMIT 1e-12

static const rmat_config models[] = {
    {SQUARE(1)},
    {SQUARE(1), .no_self_loops = 1},
    {SQUARE(2), .rows = 3, .cols = 3},
    {SQUARE(2), .rows = 3, .cols = 3, .no_self_loops = 1},
    {SQUARE(3), .rows = 5, .cols = 5, .noise = 0.1},
    {SQUARE(3), .rows = 5, .cols = 5, .no_self_loops = 1},
    {SQUARE(6), .rows = 50, .cols = 50},
    {SQUARE(6), .rows = 50, .cols = 50, .no_self_loops = 1, .noise = 0.1},
    {SQUARE(6), .no_self_loops = 1},
    {SQUARE(6), .rows = 33, .cols = 64},
    {SQUARE(6), .rows = 64, .cols = 33},
    {.rows_scale = 5, .cols_scale = 3, .noise = 0.1},
    {.rows_scale = 5, .cols_scale = 3, .rows = 17, .cols = 5},
    {.rows_scale = 2, .cols_scale = 7, .rows = 3, .cols = 100, .noise = 0.1},
    {.rows_scale = 1, .cols_scale = 6, .cols = 37},
    {SQUARE(8), .rows = 255, .cols = 255, .no_self_loops = 1, .noise = 0.05},
    {SQUARE(8), .rows = 129, .cols = 129, .no_self_loops = 1, .noise = 0.05},
    {.rows_scale = 7, .cols_scale = 8, .rows = 128, .cols = 129},
    {SQUARE(6), .rows = 43, .cols = 42},
    {SQUARE(1), .rows = 1, .cols = 1},
};
enum { MODELS = COUNT(models) };

static void compare(const rmat_config *c)
{
    static small_model exact;
    rmat_matrix levels[RMAT_MAX_SCALE];
    double kept;

    ok(rmat_levels(c, levels));
    ok(rmat_expect_kept(c, &kept));
    cells_enumerate(c, levels, &exact);
    ck_assert_msg(fabs(kept - exact.kept) < LIMIT, "%d x %d: kept %.15g for %.15g", c->rows_scale,
                  c->cols_scale, kept, exact.kept);
}

enum { DRAWS = 100, DEGREES = DRAWS + 1 };

/* Does a draw of cell (u, v) count for the out-degree of vertex w (side RMAT_ROWS), or the
 * in-degree? */
static bool ends_at(const rmat_config *c, rmat_side side, uint64_t u, uint64_t v, uint64_t w)
{
    return c->symmetrize ? u == w || v == w : (side == RMAT_ROWS ? u : v) == w;
}

/* Vertices by degree, of DRAWS draws: binomial. */
static void enumerate_degrees(const rmat_config *c, const small_model *exact, rmat_side side,
                              double *vertices)
{
    const uint64_t rows = rows_of(c), cols = cols_of(c);

    memset(vertices, 0, DEGREES * sizeof *vertices);
    for (uint64_t w = 0; w < (side == RMAT_COLS ? cols : rows); w++) {
        double p = 0;

        for (uint64_t u = 0; u < rows; u++) {
            for (uint64_t v = 0; v < cols; v++) {
                p += ends_at(c, side, u, v, w) ? exact->share[u << c->cols_scale | v] : 0;
            }
        }
        for (int k = 0; k <= DRAWS; k++) {
            const double ways = lgamma(DRAWS + 1) - lgamma(k + 1) - lgamma(DRAWS - k + 1);

            vertices[k] += p > 1 - LIMIT ? k == DRAWS
                           : p > 0       ? exp(ways + k * log(p) + (DRAWS - k) * log1p(-p))
                                         : k == 0;
        }
    }
}

static void compare_degrees(const rmat_config *c, const small_model *exact, rmat_side side)
{
    const bool is_exact = rows_of(c) == UINT64_C(1) << c->rows_scale &&
                          cols_of(c) == UINT64_C(1) << c->cols_scale && !c->no_self_loops &&
                          !c->symmetrize;
    double found[DEGREES], wanted[DEGREES], all = 0;
    rmat_bins bins = {.count = DEGREES};

    for (int k = 0; k <= DEGREES; k++) {
        bins.first[k] = (uint64_t)k;
    }
    ok(rmat_expect_degrees(c, DRAWS, side, &bins, found));
    enumerate_degrees(c, exact, side, wanted);
    for (int k = 0; k < DEGREES; k++) {
        all += found[k];
        ck_assert_msg(!is_exact || fabs(found[k] - wanted[k]) < 1e-5,
                      "%d x %d, side %d%s: %.9g vertices of degree %d for %.9g", c->rows_scale,
                      c->cols_scale, (int)side, c->symmetrize ? ", symmetric" : "", found[k], k,
                      wanted[k]);
    }
    ck_assert(fabs(all - (double)(side == RMAT_ROWS ? rows_of(c) : cols_of(c))) < 1e-6);
}

/* Degrees of edges as they are drawn; of a square model, also with the reverse edges.  Those of
 * models that draw edges again, and of loops that count twice, are approximations. */
START_TEST(degrees)
{
    static small_model exact;
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c = model_of(models[_i]);

    c.matrix = (rmat_matrix){0.5, 0.23, 0.17, 0.1};
    ok(rmat_levels(&c, levels));
    cells_enumerate(&c, levels, &exact);
    compare_degrees(&c, &exact, RMAT_ROWS);
    compare_degrees(&c, &exact, RMAT_COLS);
    c.symmetrize = rows_of(&c) == cols_of(&c);
    if (c.symmetrize) {
        compare_degrees(&c, &exact, RMAT_ROWS);
        compare_degrees(&c, &exact, RMAT_COLS);
    }
}

/* With one matrix, and with one for each level. */
START_TEST(enumeration)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c = model_of(models[_i]);

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

START_TEST(large)
{
    rmat_config c;
    double kept;

    for (int scale = 1; scale <= RMAT_MAX_SCALE; scale++) {
        double loops = pow(0.57 + 0.05, scale);

        c = square_model(scale);
        ok(rmat_expect_kept(&c, &kept));
        ck_assert(fabs(kept - 1) < LIMIT);
        c.no_self_loops = 1;
        ok(rmat_expect_kept(&c, &kept));
        ck_assert(fabs(kept - (1 - loops)) < LIMIT);
        /* all but the last vertex; its row and column hold d^scale twice */
        if (scale > 1) {
            c.no_self_loops = 0;
            c.rows = c.cols = (UINT64_C(1) << scale) - 1;
            ok(rmat_expect_kept(&c, &kept));
            ck_assert(fabs(1 - kept - (2 * pow(0.24, scale) - pow(0.05, scale))) < LIMIT);
        }
    }
}

/* rmat_create() draws the line at one draw in RMAT_MAX_REDRAW. */
START_TEST(refusal)
{
    const double shares[] = {1.001 / RMAT_MAX_REDRAW, 0.999 / RMAT_MAX_REDRAW};

    for (int k = 0; k < 2; k++) {
        rmat_config c = square_model(1);
        double kept;
        scoped(rmat_destroy) rmat_gen *gen = NULL;

        c.no_self_loops = 1;
        c.matrix = (rmat_matrix){0.5, shares[k] / 2, shares[k] / 2, 0.5 - shares[k]};
        ok(rmat_expect_kept(&c, &kept));
        ck_assert(fabs(kept - shares[k]) < LIMIT);
        ck_assert_int_eq(rmat_create(&gen, &c), k ? RMAT_ERR_REDRAW : RMAT_OK);
    }
}

TEST_CASES(rmat_expect, 0, LOOP(enumeration, 0, MODELS), LOOP(degrees, 0, MODELS), ONCE(large),
           ONCE(refusal))
