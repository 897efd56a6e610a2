/*
 * csv.c - csv: a line with the names of the columns, then an edge per line, with commas.
 *
 * Of a file that is read, the first two columns are the vertices and a third one is the weight,
 * whatever their names.  The first line may be an edge already.
 */
#include "io/formats/reader.h"

#include <string.h>

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME];

    graphfile_column_names(name, &w->spec);
    return w->spec.graph.weight == EDGEFILE_NO_WEIGHT
               ? graphfile_print(b, "%s,%s\n", name[0], name[1])
               : graphfile_print(b, "%s,%s,%s\n", name[0], name[1], name[2]);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(w, p, b, (graphfile_line){.blank = ','});
}

/* The first line, unless it begins with a digit, has names. */
static int skip_names(graphfile_reader *r)
{
    graphfile_text text;
    int st = graphfile_text_load(r, 0, &text);

    if (st == EDGEFILE_OK && text.begin < text.end) {
        const char *first = text.begin + strspn(text.begin, " \t");

        if (strchr("0123456789#%\r\n", *first) == NULL) {
            r->start = (uint64_t)(graphfile_next_line(&text, text.begin) - text.begin);
            r->before = 1;
            graphfile_cut(r);
        }
    }
    graphfile_text_free(&text);
    return st;
}

static int open_csv(graphfile_reader *r)
{
    r->separator = ',';
    if (r->pieces > 0) {
        EDGEFILE_TRY(skip_names(r));
    }
    return graphfile_text_open(r);
}

static const graphfile_write_ops write_csv = {.header = header, .encode = encode};
static const graphfile_read_ops read_csv = {.open = open_csv, .parse = graphfile_text_parse};

const graphfile_descriptor graphfile_csv_format = {
    .facts = {"csv", ".csv",
              "text, a line of column names, then lines 'src,dst' or 'src,dst,weight'",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_READ_BACK | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_HAS_COLUMNS},
    .write = &write_csv,
    .read = &read_csv,
};
