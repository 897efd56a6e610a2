/* csv.c - csv: a line with the names of the columns, then an edge per line, with commas. */
#include "io/writer.h"

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    return graphfile_print(b, w->spec.graph.weight == EDGEFILE_NO_WEIGHT ? "src,dst\n"
                                                                         : "src,dst,weight\n");
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(w, p, b, ',', 0);
}

static const graphfile_encode encode_csv = {.header = header, .piece = encode};

const graphfile_descriptor graphfile_csv_format = {
    .facts = {"csv", ".csv",
              "text, a line of column names, then lines 'src,dst' or 'src,dst,weight'",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_WEIGHTS},
    .encode = &encode_csv,
    .line_bytes = 2,
};
