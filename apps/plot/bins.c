/* Bins of degrees, and cells of the adjacency matrix. */
#include "apps/plot/plot.h"
#include <math.h>

enum { PER_DECADE = 36 };

void plot_bins_fill(rmat_bins *bins, uint64_t largest, int step)
{
    largest /= (uint64_t)step;
    bins->count = 1;
    bins->first[0] = 0;
    bins->first[1] = 1;
    for (int i = 1; bins->count < RMAT_BINS && bins->first[bins->count] <= largest; i++) {
        const double border = ceil(pow(10, (double)i / PER_DECADE) - 1e-9);
        const uint64_t first = border < 0x1p63 ? (uint64_t)border : (uint64_t)1 << 63;

        if (first > bins->first[bins->count]) {
            bins->first[++bins->count] = first;
        }
    }
    for (int i = 0; i <= bins->count; i++) {
        bins->first[i] *= (uint64_t)step;
    }
}

void plot_shares(plot_data *d)
{
    for (int k = 0; k < RMAT_KINDS; k++) {
        const double vertices = (double)d->vertices[k == RMAT_IN ? RMAT_COLS : RMAT_ROWS];
        double found = 0, expected = 0;

        for (int i = d->bins.count - 1; i >= 0; i--) {
            found += (double)d->number[k][i];
            expected += d->expectation[k][i];
            d->share[k][i] = found / vertices;
            d->expected_share[k][i] = expected / vertices;
        }
    }
}

void plot_grid_fill(rmat_expect_grid *grid, uint64_t rows, uint64_t cols, int most)
{
    const uint64_t vertices[2] = {rows, cols};

    for (int side = 0; side < 2; side++) {
        const uint64_t last = vertices[side] > 0 ? vertices[side] - 1 : 0;

        grid->shift[side] = 0;
        while (last >> grid->shift[side] >= (uint64_t)(most < PLOT_CELLS ? most : PLOT_CELLS)) {
            grid->shift[side]++;
        }
        grid->cells[side] = (int)(last >> grid->shift[side]) + 1;
    }
}
