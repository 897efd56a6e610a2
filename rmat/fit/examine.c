/* A graph is looked at, to be fitted: its shape, and how its edges are listed. */
#include "rmat/rmat_fit.h"
#include "rmat/try.h"

#include <stddef.h>

static int shape_of(const rmat_source *source, int symmetrize, int unique, int threads,
                    rmat_shape *shape)
{
    rmat_config config;
    rmat_gen *gen;
    int st;

    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_CPU;
    config.symmetrize = symmetrize;
    config.threads = threads;
    st = rmat_create_from(&gen, source, &config);
    if (st == RMAT_OK) {
        st = rmat_shape_of(gen, source->edges << symmetrize, unique, 1, shape);
        rmat_destroy(gen);
    }
    return st;
}

int rmat_fit_examine(rmat_fit_graph *graph, const rmat_source *source, rmat_fit_edges edges,
                     int threads)
{
    rmat_shape *shape;
    uint64_t turned;
    int st = RMAT_OK;

    if (graph == NULL || source == NULL) {
        return RMAT_ERR_ARG;
    }
    shape = &graph->shape;
    graph->listed = RMAT_LISTED_DIRECTED;
    RMAT_TRY(shape_of(source, 0, 0, threads, shape));
    turned = shape->edges - shape->loops;
    if (edges == RMAT_FIT_DIRECTED || turned == 0) {
        return RMAT_OK;
    }
    if (shape->mutual == shape->probed) {
        graph->listed = RMAT_LISTED_BOTH;
    } else if (edges == RMAT_FIT_UNDIRECTED || shape->lower == 0 || shape->lower == turned) {
        graph->listed = 2 * shape->lower > turned ? RMAT_LISTED_LOWER : RMAT_LISTED_UPPER;
        /* A loop and its reverse are no copies. */
        RMAT_TRY(shape_of(source, 1, shape->copies == 0, threads, shape));
    }
done:
    return st;
}
