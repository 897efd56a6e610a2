/* Edges as a generator makes them. */
#include "apps/edge_source_impl.h"
#include "apps/message.h"
#include "rmat/rmat_gpu.h"
#include <stdio.h>

static int make(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const rmat_gen *gen = s->state;
    const rmat_arrays to = {m->src, m->dst, m->weight, s->facts.graph.id_bytes};
    int status;

    edge_source_place(s, m, &m->edges);
    status = rmat_generate_arrays(gen, m->edges.first, m->edges.count, &to);
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        snprintf(text, size, "%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
        return -1;
    }
    return 0;
}

static void nothing(edge_source *s)
{
    (void)s;
}

int edge_source_of_model(edge_source **out, const rmat_gen *gen, const rmat_config *config,
                         uint64_t edges, int id_bytes)
{
    static const edge_source_ops ops = {make, nothing};
    static const edgefile_weight weights[] = {EDGEFILE_NO_WEIGHT, EDGEFILE_WEIGHT_F32,
                                              EDGEFILE_WEIGHT_I32};
    union {
        const rmat_gen *gen;
        void *state;
    } borrowed = {gen};

    *out = edge_source_new(&ops, borrowed.state);
    if (*out == NULL) {
        return runtime_error("generate", "memory is exhausted");
    }
    (*out)->facts.format = GRAPHFILE_H5;
    (*out)->facts.graph = (graphfile_graph){
        .rows = config->rows != 0 ? config->rows : (uint64_t)1 << config->rows_scale,
        .cols = config->cols != 0 ? config->cols : (uint64_t)1 << config->cols_scale,
        .edges = edges,
        .id_bytes = id_bytes,
        .weight = weights[config->weights],
        .pairs = config->symmetrize,
        .no_loops = config->no_self_loops};
    edge_source_cut(*out);
    return EXIT_OK;
}
