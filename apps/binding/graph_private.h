/* A graph: a model by options, or the edges of a file. */
#ifndef APPS_BINDING_GRAPH_PRIVATE_H
#define APPS_BINDING_GRAPH_PRIVATE_H

#include "apps/binding/graph.h"
#include "apps/engine/source/edge_stream.h"
#include "apps/generate/options.h"
#include <stdatomic.h>

struct rmat_graph {
    atomic_int references;
    generate_options options; /* of a file: none but the threads */
    char command[1536];
    const char *format;

    /* Of a file; else NULL. */
    edge_source *file;
    edge_stream *stream;
    engine_source source;
};

void binding_close_file(rmat_graph *g); /* which may have none */

#endif
