/*
 * adjacency.c - adjacency: the text of Ligra and GBBS.  The word AdjacencyGraph, or with weights
 * WeightedAdjacencyGraph; the numbers of vertices and of edges; for each vertex the number of its
 * first edge; the destinations; the weights.  Each stands on a line.
 *
 * All numbers of one kind have the width of the longest possible one, with leading blanks, which
 * readers skip.  So the place of each number is known before the earlier numbers are.
 */
#include "io/formats/digits.h"
#include "io/writer.h"

#include <inttypes.h>
#include <stdio.h>

/* Bytes of the longest header, and of the line of a weight. */
enum { HEADER = 80, WEIGHT = 12 };

typedef struct {
    char header[HEADER];
    size_t rows, row_width, id_width, destinations, weights, end; /* offsets, and widths of lines */
} layout;

static layout lay_out(const graphfile_graph *g)
{
    const bool weighted = g->weight != EDGEFILE_NO_WEIGHT;
    const uint64_t vertices = graphfile_vertices(g);
    layout x = {.row_width = graphfile_n_digits(g->edges) + 1,
                .id_width = graphfile_n_digits(vertices) + 1};

    x.rows = (size_t)snprintf(x.header, HEADER, "%sAdjacencyGraph\n%" PRIu64 "\n%" PRIu64 "\n",
                              weighted ? "Weighted" : "", vertices, g->edges);
    x.destinations = x.rows + x.row_width * vertices;
    x.weights = x.destinations + x.id_width * g->edges;
    x.end = x.weights + (weighted ? WEIGHT * g->edges : 0);
    return x;
}

static uint64_t length(const graphfile_graph *g)
{
    return lay_out(g).end;
}

static int open_adjacency(graphfile_writer *w)
{
    const layout x = lay_out(&w->spec.graph);

    w->rows = (graphfile_pointers){.count = graphfile_vertices(&w->spec.graph),
                                   .offset = x.rows,
                                   .scale = 1,
                                   .width = (int)x.row_width,
                                   .text = true};
    EDGEFILE_TRY(io_file_reserve(&w->file, x.end));
    return io_file_write(&w->file, 0, x.header, x.rows);
}

static int write_adjacency(graphfile_writer *w, const graphfile_piece *p)
{
    const layout x = lay_out(&w->spec.graph);
    graphfile_buffer *b;
    char *to;

    EDGEFILE_TRY(graphfile_write_rows(w, p));
    to = graphfile_open_chunk(w, &b, x.id_width * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        const uint64_t id = graphfile_id(w->spec.graph.id_bytes, p->dst, i);

        graphfile_put_field(to + x.id_width * i, (int64_t)id, x.id_width);
    }
    EDGEFILE_TRY(
        graphfile_close_chunk(w, &w->file, x.destinations + x.id_width * p->first, b, EDGEFILE_OK));
    if (w->spec.graph.weight == EDGEFILE_NO_WEIGHT) {
        return EDGEFILE_OK;
    }
    to = graphfile_open_chunk(w, &b, WEIGHT * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        graphfile_put_field(to + WEIGHT * i, ((const int32_t *)p->weight)[i], WEIGHT);
    }
    return graphfile_close_chunk(w, &w->file, x.weights + WEIGHT * p->first, b, EDGEFILE_OK);
}

static const graphfile_place place_adjacency = {
    .open = open_adjacency, .piece = write_adjacency, .finish = graphfile_finish_rows};

const graphfile_descriptor graphfile_adjacency_format = {
    .facts = {"adjacency", ".adj", "Ligra's and GBBS's AdjacencyGraph, or WeightedAdjacencyGraph",
              GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    .place = &place_adjacency,
    .length = length,
};
