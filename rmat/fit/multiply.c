/* The fitted model at another size. */
#include "rmat/fit/simulate.h"
#include "rmat/rmat_fit.h"

#include <math.h>

int rmat_fit_multiply(const rmat_fit_result *result, uint64_t multiply, int densify,
                      rmat_config *model, uint64_t *edges)
{
    const rmat_config *from = &result->model;
    const uint64_t vertices = from->rows > 0 ? from->rows : (uint64_t)1 << from->rows_scale;
    const double growth = log2((double)multiply) / from->rows_scale;
    const double many =
        (double)result->edges * (densify ? pow((double)result->edges, growth) : (double)multiply);

    if (multiply < 1 || multiply > ((uint64_t)1 << RMAT_MAX_SCALE) / vertices) {
        return RMAT_ERR_VERTICES;
    }
    if (!(many <= (double)(RMAT_MAX_EDGES / 2))) {
        return RMAT_ERR_RANGE;
    }
    *model = *from;
    fit_set_vertices(model, vertices * multiply);
    fit_choose_seed(model, from->seed);
    *edges = densify ? (uint64_t)llround(many) : result->edges * multiply;
    return RMAT_OK;
}
