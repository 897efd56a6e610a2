/*
 * gr.c - gr: the DIMACS format for shortest paths.  Comments "c ...", a line "p sp vertices edges",
 * then lines "a src dst weight", vertices numbered from 1, integer weights; an edge of a graph
 * without weights has weight 1.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <string.h>

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

/* Behind the words "p sp", or NULL: the line does not begin with them. */
static const char *behind_words(const char *p)
{
    p += strspn(p, " \t");
    if (*p != 'p') {
        return NULL;
    }
    p += 1 + strspn(p + 1, " \t");
    return strncmp(p, "sp", 2) == 0 && (p[2] == ' ' || p[2] == '\t') ? p + 2 : NULL;
}

static int parse_header(graphfile_reader *r, const graphfile_text *text, const char *line)
{
    const char *numbers = behind_words(line);
    uint64_t size[2];

    if (numbers == NULL || graphfile_line_numbers(numbers, 2, 2, size) == 0) {
        return graphfile_bad_line(r, text, line, "expected 'p sp vertices edges', up to 2^62");
    }
    r->rows = r->cols = r->highest[0] = r->highest[1] = size[0];
    r->told = true;
    r->entries = size[1];
    return EDGEFILE_OK;
}

static int open_gr(graphfile_reader *r)
{
    EDGEFILE_TRY(graphfile_read_header(r, 'c', "p sp vertices edges", parse_header));
    r->base = 1;
    r->mark = 'a';
    r->comments = "c";
    r->line = "a src dst weight";
    r->weights = true;
    return EDGEFILE_OK;
}

static const graphfile_write_ops write_gr = {.header = header, .encode = encode};
static const graphfile_read_ops read_gr = {
    .open = open_gr, .parse = graphfile_text_parse, .check = graphfile_check_entries};

const graphfile_descriptor graphfile_gr_format = {
    .facts = {"gr", ".gr", "DIMACS shortest paths, integer weights (1 for graphs without weights)",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS},
    .write = &write_gr,
    .line_bytes = 6, /* with a weight, which may be 1 */
    .read = &read_gr,
};
