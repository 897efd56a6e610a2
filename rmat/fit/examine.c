/* A graph is looked at, to be fitted: its shape, and how its edges are listed. */
#include "rmat/rmat_fit.h"
#include "rmat/try.h"

#include <stddef.h>

/* Keys of 8 bytes, sorted from one array into another and a third more for copies; columns of 4
 * bytes.  Row pointers, in-degrees and their bins. */
uint64_t rmat_fit_bytes(uint64_t vertices, uint64_t edges)
{
    return 26 * edges + 13 * vertices + ((uint64_t)1 << 20);
}

typedef struct {
    const rmat_source *source;
    uint64_t memory;
    int threads;
} request;

static int shape_of(const request *r, int symmetrize, int unique, rmat_shape *shape)
{
    const rmat_source *source = r->source;
    rmat_config config;
    rmat_gen *gen;
    int st;

    if (r->memory > 0 && rmat_fit_bytes(source->rows, source->edges << symmetrize) > r->memory) {
        return RMAT_ERR_NOMEM;
    }
    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_CPU;
    config.symmetrize = symmetrize;
    config.threads = r->threads;
    st = rmat_create_from(&gen, source, &config);
    if (st == RMAT_OK) {
        st = rmat_shape_of(gen, source->edges << symmetrize, unique, 1, shape);
        rmat_destroy(gen);
    }
    return st;
}

int rmat_fit_examine(rmat_fit_graph *graph, const rmat_source *source, rmat_fit_edges edges,
                     uint64_t memory, int threads)
{
    const request r = {source, memory, threads};
    rmat_shape *shape;
    uint64_t turned;
    int st = RMAT_OK;

    if (graph == NULL || source == NULL) {
        return RMAT_ERR_ARG;
    }
    shape = &graph->shape;
    graph->listed = RMAT_LISTED_DIRECTED;
    RMAT_TRY(shape_of(&r, 0, 0, shape));
    turned = shape->edges - shape->loops;
    if (edges == RMAT_FIT_DIRECTED || turned == 0) {
        return RMAT_OK;
    }
    if (shape->mutual == shape->probed) {
        graph->listed = RMAT_LISTED_BOTH;
    } else if (edges == RMAT_FIT_UNDIRECTED || shape->lower == 0 || shape->lower == turned) {
        graph->listed = 2 * shape->lower > turned ? RMAT_LISTED_LOWER : RMAT_LISTED_UPPER;
        /* A loop and its reverse are no copies. */
        RMAT_TRY(shape_of(&r, 1, shape->copies == 0, shape));
    }
done:
    return st;
}
