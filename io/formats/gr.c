/*
 * gr.c - gr: the DIMACS format for shortest paths.  Comments "c ...", a line "p sp vertices edges",
 * then lines "a src dst weight", vertices numbered from 1, integer weights; an edge of a graph
 * without weights has weight 1.
 */
#include "io/formats/writer.h"

#include <inttypes.h>

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    const graphfile_graph *g = &w->spec.graph;

    EDGEFILE_TRY(graphfile_comment(w, b, 'c'));
    return graphfile_print(b, "p sp %" PRIu64 " %" PRIu64 "\n", graphfile_vertices(g), g->edges);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(
        w, p, b, (graphfile_line){.start = 'a', .blank = ' ', .base = 1, .always_weight = true});
}

static const graphfile_write_ops write_gr = {.header = header, .encode = encode};
const graphfile_descriptor graphfile_gr_format = {
    .facts = {"gr", ".gr", "DIMACS shortest paths, integer weights (1 for graphs without weights)",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS},
    .write = &write_gr,
    .line_bytes = 6, /* with a weight, which may be 1 */
};
