/* Graphs in files: an edge stream (apps/engine/source/edge_stream.h), of which any range is read.
 */
#include "apps/binding/graph_private.h"
#include "apps/binding/private.h"
#include "apps/common/cpu.h"
#include "apps/engine/virtual/virtual.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static int open_it(rmat_graph *g, const char *path, const char *datasets, int threads)
{
    const edge_source_options options = {.format = -1, .datasets = datasets, .threads = threads};

    if (edge_source_open(&g->file, path, &options) != ENGINE_OK ||
        edge_stream_open(&g->stream, g->file) != ENGINE_OK) {
        return binding_fail(BINDING_ERR_FILE, "%s", engine_detail());
    }
    g->source = edge_stream_source(g->stream);
    return BINDING_OK;
}

static void tell(rmat_graph *g, rmat_graph_facts *facts)
{
    static const rmat_weights kinds[] = {
        [EDGEFILE_NO_WEIGHT] = RMAT_NO_WEIGHTS,
        [EDGEFILE_WEIGHT_F32] = RMAT_WEIGHTS_UNIFORM,
        [EDGEFILE_WEIGHT_I32] = RMAT_WEIGHTS_INT,
    };
    const edge_source_facts *f = edge_source_facts_of(g->file);

    snprintf(g->command, sizeof g->command, "%s", f->made_by);
    g->format = graphfile_names[f->format];
    *facts = (rmat_graph_facts){.rows = f->graph.rows,
                                .cols = f->graph.cols,
                                .edges = f->graph.edges,
                                .stream_edges = f->graph.edges,
                                .rounded_weights = f->rounded,
                                .id_bytes = f->graph.id_bytes,
                                .weights = (int32_t)kinds[f->graph.weight],
                                .backend = RMAT_BACKEND_CPU,
                                .device = -1,
                                .threads = g->options.job.threads};
}

int rmat_graph_open_file(rmat_graph **out, const char *path, const char *datasets, int threads,
                         rmat_graph_facts *facts)
{
    rmat_graph *g = calloc(1, sizeof *g);
    int status = BINDING_ERR_NOMEM;

    *out = NULL;
    if (g == NULL) {
        return status;
    }
    pthread_once(&once, engine_virtual_register);
    atomic_init(&g->references, 1);
    engine_job_default(&g->options.job);
    g->options.job.threads = threads > 0 ? threads : cpu_usable();
    status = open_it(g, path, datasets, g->options.job.threads);
    if (status != BINDING_OK) {
        rmat_graph_close(g);
        return status;
    }
    tell(g, facts);
    *out = g;
    return BINDING_OK;
}

void binding_close_file(rmat_graph *g)
{
    edge_stream_close(g->stream);
    edge_source_close(g->file);
}
