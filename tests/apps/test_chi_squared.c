/* The chi-squared test against values of tables, and cells that are put together. */
#include "apps/common/chi_squared.h"
#include "tests/support/run_suite.h"
#include <check.h>
#include <math.h>
#include <string.h>

/* Upper percentage points: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4. */
static const struct {
    int df;
    double x, chance;
} points[] = {
    {1, 3.841, 0.05},   {1, 10.828, 0.001}, {2, 5.991, 0.05},    {2, 13.816, 0.001},
    {3, 7.815, 0.05},   {3, 16.266, 0.001}, {4, 9.488, 0.05},    {9, 16.919, 0.05},
    {10, 18.307, 0.05}, {15, 24.996, 0.05}, {15, 37.697, 0.001}, {16, 26.296, 0.05},
};

START_TEST(percentage_points)
{
    const double chance = chi_squared_chance(points[_i].x, points[_i].df);

    ck_assert_msg(fabs(chance / points[_i].chance - 1) < 2e-3, "df %d, x %g: %g", points[_i].df,
                  points[_i].x, chance);
    ck_assert(fabs(chi_squared_chance(0, points[_i].df) - 1) < 1e-15);
}
END_TEST

static const struct {
    chi_cell cells[4];
    int count;
    double least;
    int compared, merged;
    double x, chance; /* chance -1: not compared */
} partitions[] = {
    {{{100, 110}, {100, 90}, {200, 200}}, 3, 1, 3, 0, 2, 0.36787944117144233}, /* exp(-1) */
    /* 3 and 4 become 7, which with 10 is enough */
    {{{3, 5}, {100, 95}, {4, 4}, {10, 13}}, 4, 15, 2, 2, 25.0 / 17 + 25.0 / 100, -1},
    {{{3, 5}, {4, 2}}, 2, 1000, 0, 1, 0, 1},                  /* too few edges */
    {{{0, 1}, {1000, 999}}, 2, 10, 2, 0, INFINITY, 0},        /* what cannot be hit was */
    {{{0, 0}, {500, 510}, {500, 490}}, 3, 10, 2, 0, 0.4, -1}, /* and here was not: it is no cell */
};

START_TEST(cells_of_partitions)
{
    chi_cell cells[4];
    chi_result r;

    memcpy(cells, partitions[_i].cells, sizeof cells);
    r = chi_squared(cells, partitions[_i].count, partitions[_i].least);
    ck_assert_int_eq(r.cells, partitions[_i].compared);
    ck_assert_int_eq(r.merged, partitions[_i].merged);
    ck_assert(r.x == partitions[_i].x || fabs(r.x - partitions[_i].x) < 1e-12);
    ck_assert(partitions[_i].chance < 0 || fabs(r.chance - partitions[_i].chance) < 1e-12);
    ck_assert(isinf(r.x) || r.chance > 0.1);
}
END_TEST

TEST_CASES(chi_squared, 0, LOOP(percentage_points, 0, sizeof points / sizeof points[0]),
           LOOP(cells_of_partitions, 0, sizeof partitions / sizeof partitions[0]))
