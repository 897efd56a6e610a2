/* Enumerates all cells of a small model (cells.h): the product of the quadrants of its levels. */
#include "tests/support/cells.h"

#include <string.h>

void cells_enumerate(const rmat_config *c, const rmat_matrix *levels, cells *out)
{
    const int scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
    const unsigned rows = c->rows ? (unsigned)c->rows : 1u << c->rows_scale;
    const unsigned cols = c->cols ? (unsigned)c->cols : 1u << c->cols_scale;

    memset(out, 0, sizeof *out);
    /* All pairs of the square graph whose shorter side drops its upper bits. */
    for (unsigned u = 0; u < 1u << scale; u++) {
        for (unsigned v = 0; v < 1u << scale; v++) {
            const unsigned src = u % (1u << c->rows_scale), dst = v % (1u << c->cols_scale);
            double p = 1;

            if (src >= rows || dst >= cols || (c->no_self_loops && src == dst)) {
                continue;
            }
            for (int l = 0; l < scale; l++) {
                const double m[4] = {levels[l].a, levels[l].b, levels[l].c, levels[l].d};

                p *= m[(u >> (scale - 1 - l) & 1) * 2 + (v >> (scale - 1 - l) & 1)];
            }
            for (int l = 0; l < scale; l++) {
                out->quadrants[l][(u >> (scale - 1 - l) & 1) * 2 + (v >> (scale - 1 - l) & 1)] += p;
            }
            out->kept += p;
            out->loops += rows == cols && src == dst ? p : 0;
            out->share[src << c->cols_scale | dst] += p;
        }
    }
    out->loops /= out->kept;
    for (int l = 0; l < scale; l++) {
        for (int k = 0; k < 4; k++) {
            out->quadrants[l][k] /= out->kept;
        }
    }
    for (unsigned i = 0; i < 1u << (c->rows_scale + c->cols_scale); i++) {
        out->share[i] /= out->kept;
    }
}
