/*
 * galois.c - galois: the binary graphs (.gr) of Galois.  Version, bytes of an edge's data, numbers
 * of vertices and of edges; for each vertex where its edges end; the destinations; the weights.
 * Version 1 has destinations of 4 bytes, and four zeros behind an odd number of them, version 2 of
 * 8 bytes.
 */
#include "io/formats/writer.h"

#include <inttypes.h>

enum { HEADER = 32 };

static uint64_t destinations_at(const graphfile_graph *g)
{
    return HEADER + 8 * graphfile_vertices(g);
}

static uint64_t weights_at(const graphfile_graph *g)
{
    return destinations_at(g) + ((uint64_t)g->id_bytes * g->edges + 7) / 8 * 8;
}

static uint64_t length(const graphfile_graph *g)
{
    return weights_at(g) + (g->weight != EDGEFILE_NO_WEIGHT ? 4 * g->edges : 0);
}

/* Galois's own readers do not agree where the weights of version 2 begin if there is an odd number
 * of edges: FileGraph has another 8 bytes before them, OfflineGraph and BufferedGraph none. */
static int check(const graphfile_graph *g)
{
    return g->id_bytes == 8 && g->weight != EDGEFILE_NO_WEIGHT && g->edges % 2 != 0
               ? edgefile_fail(EDGEFILE_ERR_ARG,
                               "galois of 64-bit ids needs an even number of edges if they have "
                               "weights, the graph has %" PRIu64,
                               g->edges)
               : EDGEFILE_OK;
}

static int open_galois(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const uint64_t version = g->id_bytes == 4 ? 1 : 2, vertices = graphfile_vertices(g), zeros = 0;
    const uint64_t header[] = {version, g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0, vertices,
                               g->edges};
    const uint64_t end = destinations_at(g) + (uint64_t)g->id_bytes * g->edges;

    w->rows = (graphfile_pointers){
        .file = &w->file, .offset = HEADER, .first = 1, .last = vertices, .width = 8, .scale = 1};
    graphfile_plain_reserve(&w->file, length(g));
    EDGEFILE_TRY(graphfile_plain_write(&w->file, 0, header, HEADER));
    return graphfile_plain_write(&w->file, end, &zeros, weights_at(g) - end);
}

static int write_galois(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_graph *g = &w->spec.graph;
    const int width = g->id_bytes;

    EDGEFILE_TRY(graphfile_write_rows(w, p));
    EDGEFILE_TRY(graphfile_write_column(w, destinations_at(g) + (uint64_t)width * p->first, p->dst,
                                        p->count, width));
    return g->weight == EDGEFILE_NO_WEIGHT
               ? EDGEFILE_OK
               : graphfile_write_chunk(w, &w->file, weights_at(g) + 4 * p->first, p->weight,
                                       4 * p->count);
}

static const graphfile_write_ops write_ops = {
    .open = open_galois, .write = write_galois, .finish = graphfile_finish_rows};

const graphfile_descriptor graphfile_galois_format = {
    .facts = {"galois", ".galois.gr", "Galois's binary graph, version 1, or 2 for 64-bit ids",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_SORTED |
                  GRAPHFILE_UNSIGNED_IDS},
    .write = &write_ops,
    .check = check,
    .length = length,
};
