/* The chi-squared test against values of tables, and cells that are put together. */
#include "apps/common/chi_squared.h"
#include "tests/support/run_suite.h"
#include <check.h>
#include <math.h>

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

START_TEST(counts)
{
    chi_cell cells[] = {{100, 110}, {100, 90}, {200, 200}};
    const chi_result r = chi_squared(cells, 3, 1);

    ck_assert(r.cells == 3 && r.merged == 0);
    ck_assert(fabs(r.x - 2) < 1e-12 && fabs(r.chance - exp(-1)) < 1e-12);
}
END_TEST

/* 3 and 4 become 7, which with 10 is enough. */
START_TEST(small_cells)
{
    chi_cell cells[] = {{3, 5}, {100, 95}, {4, 4}, {10, 13}};
    const chi_result r = chi_squared(cells, 4, 15);

    ck_assert(r.cells == 2 && r.merged == 2);
    ck_assert(fabs(r.x - (25.0 / 17 + 25.0 / 100)) < 1e-12);
}
END_TEST

START_TEST(too_few)
{
    chi_cell cells[] = {{3, 5}, {4, 2}};
    const chi_result r = chi_squared(cells, 2, 1000);

    ck_assert(r.cells == 0 && r.merged == 1);
    ck_assert(r.chance == 1);
}
END_TEST

START_TEST(impossible)
{
    chi_cell cells[] = {{0, 1}, {1000, 999}}, empty[] = {{0, 0}, {500, 510}, {500, 490}};
    const chi_result r = chi_squared(cells, 2, 10), e = chi_squared(empty, 3, 10);

    ck_assert(isinf(r.x) && r.chance == 0);
    ck_assert(e.cells == 2 && e.chance > 0.1 && e.merged == 0); /* one that cannot be hit is none */
}
END_TEST

TEST_CASES(chi_squared, 0, LOOP(percentage_points, 0, sizeof points / sizeof points[0]),
           ONCE(counts), ONCE(small_cells), ONCE(too_few), ONCE(impossible))
