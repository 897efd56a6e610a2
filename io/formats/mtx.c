/*
 * mtx.c - mtx: Matrix Market, coordinate format, "general".  A banner, comments, a line with the
 * numbers of rows, columns and entries, then an entry per line; rows and columns are numbered
 * from 1.
 */
#include "io/writer.h"

#include <inttypes.h>

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    static const char *const fields[] = {[EDGEFILE_NO_WEIGHT] = "pattern",
                                         [EDGEFILE_WEIGHT_F32] = "real",
                                         [EDGEFILE_WEIGHT_I32] = "integer"};
    const graphfile_graph *g = &w->spec.graph;

    EDGEFILE_TRY(
        graphfile_print(b, "%%%%MatrixMarket matrix coordinate %s general\n", fields[g->weight]));
    EDGEFILE_TRY(graphfile_comment(w, b));
    return graphfile_print(b, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g->rows, g->cols, g->edges);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(w, p, b, ' ', 1);
}

static const graphfile_encode encode_mtx = {.header = header, .piece = encode};

const graphfile_descriptor graphfile_mtx_format = {
    .facts = {"mtx", ".mtx", "Matrix Market, coordinate general",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS},
    .encode = &encode_mtx,
    .line_bytes = 2,
};
