/*
 * A graph is looked at, to be fitted: its shape, and how its edges are listed.
 *
 * On the CPU the edges go from their source into a sorted graph.  For a GPU all of them are read
 * into host memory first, by all threads, and copied from there.
 */
#include "rmat/fit/load.h"
#include "rmat/rmat_fit.h"
#include "rmat/try.h"

#include <stddef.h>

/* Keys of 8 bytes, on a GPU sorted from one array into another; on a CPU a sixth more, and columns
 * of 4 bytes.  Row pointers, in-degrees and their bins. */
uint64_t rmat_fit_bytes(uint64_t vertices, uint64_t edges)
{
    return 18 * edges + 13 * vertices + ((uint64_t)1 << 20);
}

void rmat_fit_input_default(rmat_fit_input *input)
{
    *input = (rmat_fit_input){.device = -1};
}

static int shape_of(const rmat_source *source, const rmat_fit_input *input, int symmetrize,
                    int unique, rmat_shape *shape)
{
    const int gpu = input->backend == RMAT_BACKEND_GPU;
    rmat_config config;
    rmat_gen *gen;
    int st;

    if (!gpu && input->memory > 0 &&
        rmat_fit_bytes(source->rows, source->edges << symmetrize) > input->memory) {
        return RMAT_ERR_NOMEM;
    }
    rmat_config_default(&config);
    config.backend = gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.device = input->device;
    config.symmetrize = symmetrize;
    config.threads = input->threads;
    config.stop = input->stop;
    config.stop_state = input->stop_state;
    st = rmat_create_from(&gen, source, &config);
    if (st == RMAT_OK) {
        const uint64_t edges = source->edges << symmetrize;

        st = input->out != NULL
                 ? rmat_shape_and_degrees(gen, edges, unique, 1, shape, input->out, input->in)
                 : rmat_shape_of(gen, edges, unique, 1, shape);
        rmat_destroy(gen);
    }
    return st;
}

static int examine(rmat_fit_graph *graph, const rmat_source *source, const rmat_fit_input *input)
{
    rmat_shape *shape = &graph->shape;
    uint64_t turned;
    int st;

    RMAT_TRY(shape_of(source, input, 0, 0, shape));
    turned = shape->edges - shape->loops;
    if (input->edges == RMAT_FIT_DIRECTED || turned == 0) {
        return RMAT_OK;
    }
    if (shape->probed > 0 && shape->mutual == shape->probed) {
        graph->listed = RMAT_LISTED_BOTH;
    } else if (input->edges == RMAT_FIT_UNDIRECTED || shape->lower == 0 || shape->lower == turned) {
        graph->listed = 2 * shape->lower > turned ? RMAT_LISTED_LOWER : RMAT_LISTED_UPPER;
        /* A loop and its reverse are no copies. */
        RMAT_TRY(shape_of(source, input, 1, shape->copies == 0, shape));
    }
done:
    return st;
}

int rmat_fit_examine(rmat_fit_graph *graph, const rmat_source *source, const rmat_fit_input *input)
{
    rmat_source copy;
    fit_loaded loaded;
    int st;

    if (graph == NULL || source == NULL || input == NULL) {
        return RMAT_ERR_ARG;
    }
    graph->listed = RMAT_LISTED_DIRECTED;
    if (input->backend != RMAT_BACKEND_GPU) {
        return examine(graph, source, input);
    }
    st = fit_load(&loaded, source, input);
    if (st == RMAT_OK) {
        copy = fit_loaded_source(&loaded);
        st = examine(graph, &copy, input);
    }
    fit_unload(&loaded);
    return st;
}
