/* rmat_sample_cut(): parts of equal size, as quantiles of the weighted sample in the sorted order.
 */
#include "rmat/sorted/interval.h"
#include "rmat/sorted/sample.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    rmat_cell cell;
    double edges; /* the expected number that it stands for */
} weighted;

static int compare(const void *a, const void *b)
{
    const weighted *x = a, *y = b;

    return rmat_cell_below(&y->cell, &x->cell) - rmat_cell_below(&x->cell, &y->cell);
}

/* Lists the sample's edges in order, each cell once.  Returns how many. */
static uint64_t list_edges(const rmat_sample *s, double draws, int unique, weighted *list)
{
    uint64_t n = 0, cells = 0;

    for (uint64_t i = 0; i < s->drawn + s->even; i++) {
        const rmat_sampled *x = &s->cells[i];
        const double edges = unique ? -expm1(-draws * x->rate) : draws * x->p;

        list[n++] = (weighted){x->cell, edges * x->weight};
        if (s->symmetrize && !(unique && x->cell.src == x->cell.dst)) {
            list[n++] = (weighted){{x->cell.dst, x->cell.src}, edges * x->weight};
        }
    }
    qsort(list, n, sizeof *list, compare);
    for (uint64_t i = 0; i < n; i++) {
        if (cells && !compare(&list[cells - 1], &list[i])) {
            list[cells - 1].edges += list[i].edges;
        } else {
            list[cells++] = list[i];
        }
    }
    return cells;
}

/* The next cell in the order. */
static rmat_cell next_cell(const rmat_sample *s, const rmat_cell *c)
{
    return c->dst + 1 < s->cols ? (rmat_cell){c->src, c->dst + 1} : (rmat_cell){c->src + 1, 0};
}

/* Sets cells[1..parts).  Each part takes an equal share of the edges that are left to it and the
 * parts after it, so a heavy cell does not leave the last ones short. */
static void cut(const rmat_sample *s, const weighted *list, uint64_t n, uint64_t parts,
                rmat_cell *cells)
{
    double left = 0, part = 0;
    uint64_t k = 1; /* the next cut to be made */

    for (uint64_t i = 0; i < n; i++) {
        left += list[i].edges;
    }
    for (uint64_t i = 0; i < n && k < parts; i++) {
        const double share = left / (double)(parts - k + 1), edges = list[i].edges;

        if (edges > share) {
            if (rmat_cell_below(&cells[k - 1], &list[i].cell)) {
                cells[k++] = list[i].cell;
                left -= part;
            }
            if (k < parts) {
                cells[k++] = next_cell(s, &list[i].cell);
                left -= edges;
            }
            part = 0;
        } else if (part + edges / 2 > share) { /* the part is nearer to its share without it */
            cells[k++] = list[i].cell;
            left -= part;
            part = edges;
        } else {
            part += edges;
        }
    }
    while (k < parts) {
        cells[k++] = (rmat_cell){s->rows, 0};
    }
}

int rmat_sample_cut(const rmat_sample *s, double draws, int unique, uint64_t n, rmat_cell *cells)
{
    weighted *list;

    if (s == NULL || !(draws > 0) || n < 1 || cells == NULL) {
        return RMAT_ERR_ARG;
    }
    cells[0] = (rmat_cell){0, 0};
    cells[n] = (rmat_cell){s->rows, 0};
    if (n == 1) {
        return RMAT_OK;
    }
    list = malloc(2 * (s->drawn + s->even) * sizeof *list);
    if (list == NULL) {
        return RMAT_ERR_NOMEM;
    }
    cut(s, list, list_edges(s, draws, unique, list), n, cells);
    free(list);
    return RMAT_OK;
}
