/* Copies a generator's view and tables for device tests (device_view.h). */
#include "tests/support/device_view.h"
#include "rmat/model/generator.h"

#include <string.h>

int device_view_edges(int scale, uint64_t first, uint64_t count, uint64_t *src, uint64_t *dst,
                      rmat_view *view, uint64_t *full, uint32_t *fast)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config config;
    rmat_gen *gen;
    int st;

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = (rmat_matrix){0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
    }
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.levels = levels;
    config.seed = 31;
    st = rmat_create(&gen, &config);
    if (st) {
        return st;
    }
    *view = gen->view;
    for (int g = 0; g < view->groups; g++) {
        memcpy(full + g * RMAT_GROUP_PATHS, view->full[g], RMAT_GROUP_PATHS * sizeof *full);
        memcpy(fast + g * RMAT_GROUP_PATHS, view->fast[g], RMAT_GROUP_PATHS * sizeof *fast);
    }
    st = rmat_generate(gen, first, count, src, dst);
    rmat_destroy(gen);
    return st;
}
