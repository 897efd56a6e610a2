/*
 * rawcsr.c - rawcsr: compressed sparse rows as bare arrays, each in a file, with SciPy's names for
 * them.  NAME.indices, the main file, has the destinations, NAME.indptr for each vertex the number
 * of its first edge, and at the end the number of edges, as 64-bit integers, and NAME.data the
 * weights, if there are any.
 *
 * The other two files count as part of the graph: if one of them exists, NAME.indices counts as
 * existing.
 */
#include "io/formats/writer.h"

enum { POINTERS, WEIGHTS, BESIDE };

static char *name_beside(const graphfile_writer *w, int i, bool *wanted)
{
    *wanted = i == POINTERS || w->spec.graph.weight != EDGEFILE_NO_WEIGHT;
    return graphfile_name_beside(w, i == POINTERS ? ".indptr" : ".data");
}

/* Of all files. */
static uint64_t length(const graphfile_graph *g)
{
    const uint64_t weight = g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0;

    return 8 * (graphfile_vertices(g) + 1) + ((uint64_t)g->id_bytes + weight) * g->edges;
}

static int open_rawcsr(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;

    w->rows = (graphfile_pointers){
        .file = &w->beside[POINTERS], .last = graphfile_vertices(g), .scale = 1, .width = 8};
    graphfile_plain_reserve(&w->file, (uint64_t)g->id_bytes * g->edges);
    graphfile_plain_reserve(&w->beside[POINTERS], 8 * (graphfile_vertices(g) + 1));
    if (g->weight != EDGEFILE_NO_WEIGHT) {
        graphfile_plain_reserve(&w->beside[WEIGHTS], 4 * g->edges);
    }
    return EDGEFILE_OK;
}

static int write_rawcsr(graphfile_writer *w, const graphfile_piece *p)
{
    const int width = w->spec.graph.id_bytes;

    EDGEFILE_TRY(graphfile_write_rows(w, p));
    EDGEFILE_TRY(graphfile_write_column(w, (uint64_t)width * p->first, p->dst, p->count, width));
    return w->spec.graph.weight == EDGEFILE_NO_WEIGHT
               ? EDGEFILE_OK
               : graphfile_write_chunk(w, &w->beside[WEIGHTS], 4 * p->first, p->weight,
                                       4 * p->count);
}

static const graphfile_write_ops write_ops = {.name_beside = name_beside,
                                              .n_beside = BESIDE,
                                              .open = open_rawcsr,
                                              .write = write_rawcsr,
                                              .finish = graphfile_finish_rows};

const graphfile_descriptor graphfile_rawcsr_format = {
    .facts = {"rawcsr", ".indices", "CSR as bare arrays: NAME.indices, with NAME.indptr, NAME.data",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_SORTED |
                  GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
    .write = &write_ops,
    .length = length,
};
