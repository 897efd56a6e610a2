/*
 * The chi-squared test.
 *
 * Counts of independent edges in the cells of a partition are multinomial, and with n cells the sum
 * of (found - expected)^2 / expected is chi-squared distributed with n - 1 degrees of freedom,
 * approximately, where enough are expected in each cell.  The chance of x or more has a closed form
 * for a whole number df of degrees of freedom: with y = x / 2,
 *
 *     df even:  exp(-y) (1 + y + y^2 / 2! + ... + y^(df/2 - 1) / (df/2 - 1)!)
 *     df odd:   erfc(sqrt(y)) + exp(-y) (y^(1/2) / G(3/2) + y^(3/2) / G(5/2) + ...), G the gamma
 *               function, up to y^(df/2 - 1) / G(df/2)
 */
#include "apps/common/chi_squared.h"
#include <math.h>

double chi_squared_chance(double x, int df)
{
    const double y = x / 2;
    double sum = df % 2 == 0 ? 0 : erfc(sqrt(y));
    double term = df % 2 == 0 ? exp(-y) : exp(-y) * sqrt(y / M_PI) * 2;

    for (int i = 2 + df % 2; i <= df; i += 2) { /* the term of y^(i/2 - 1) */
        sum += term;
        term *= y / (i / 2.0);
    }
    return sum;
}

/* Put the smallest cells together until all are large enough; returns how many are left. */
static int merge_small_cells(chi_cell *cells, int count, double least)
{
    while (count > 1) {
        int smallest = 0, second;

        for (int i = 1; i < count; i++) {
            smallest = cells[i].expected < cells[smallest].expected ? i : smallest;
        }
        if (cells[smallest].expected >= least) {
            break;
        }
        second = smallest == 0 ? 1 : 0;
        for (int i = 0; i < count; i++) {
            second = i != smallest && cells[i].expected < cells[second].expected ? i : second;
        }
        cells[second].expected += cells[smallest].expected;
        cells[second].found += cells[smallest].found;
        cells[smallest] = cells[--count];
    }
    return count;
}

chi_result chi_squared(chi_cell *cells, int count, double least)
{
    chi_result r = {.chance = 1};

    for (int i = 0; i < count; i++) {
        if (cells[i].expected == 0 && cells[i].found > 0) {
            return (chi_result){.cells = 2, .x = INFINITY};
        }
        r.merged += cells[i].expected > 0;
    }
    count = merge_small_cells(cells, count, least);
    r.merged = r.merged > count ? r.merged - count : 0;
    if (count < 2) {
        return r;
    }
    for (int i = 0; i < count; i++) {
        const double off = cells[i].found - cells[i].expected;

        r.x += off * off / cells[i].expected;
    }
    r.cells = count;
    r.chance = chi_squared_chance(r.x, count - 1);
    return r;
}
