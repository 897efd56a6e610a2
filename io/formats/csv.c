/*
 * csv.c - csv: a line with the names of the columns, then an edge per line, with commas.
 *
 * Of a file that is read, the first two columns are the vertices and a third one is the weight,
 * whatever their names.  A column before them that has no name, as pandas writes its index, is
 * skipped.  The first line may be an edge already.
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
    return graphfile_put_lines(w, p, b, (graphfile_line){.blank = ',', .base = w->spec.base});
}

/* The end of the field at p, which a comma or the end of the line follows. */
static const char *field_end(const char *p)
{
    for (bool quoted = false; *p != '\n' && (quoted || *p != ','); p++) {
        quoted ^= *p == '"';
    }
    return p;
}

/* Quotes do not matter. */
static bool is_number(const char *p, const char *end)
{
    const size_t length = strspn(p, "0123456789+-.eE \t\r\"");

    return p + length >= end && p + strcspn(p, "0123456789") < end;
}

/* Has the column no name, or the one that pandas gives it then? */
static bool is_index(const char *p, const char *end)
{
    p += strspn(p, " \t\"");
    return p >= end || strncmp(p, "Unnamed: ", 9) == 0;
}

/* Sets r->named if the line names columns, and r->index.  Where the source or the destination is a
 * number, it is an edge: none shall be lost for a header. */
static void parse_names(graphfile_reader *r, const char *p)
{
    const char *end = field_end(p);
    bool numbers = false;
    int fields = 0;

    if (*end == ',' && is_index(p, end)) {
        r->index = true;
        p = end + 1;
        end = field_end(p);
    }
    for (;; p = end + 1, end = field_end(p)) {
        numbers |= fields < 2 && is_number(p, end);
        fields++;
        if (*end != ',') {
            break;
        }
    }
    r->index &= !numbers;
    r->named = numbers ? 0 : fields;
}

/* The first line, unless it is empty, a comment or an edge, has names. */
static int skip_names(graphfile_reader *r)
{
    graphfile_text text;
    int st = graphfile_text_load(r, 0, &text);

    if (st == EDGEFILE_OK && text.begin < text.end) {
        const char *first = text.begin + strspn(text.begin, " \t");

        if (strchr("#%\r\n", *first) == NULL) {
            parse_names(r, first);
        }
        if (r->named > 0) {
            r->start += (uint64_t)(graphfile_next_line(&text, text.begin) - text.begin);
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

/* A line without commas is a title, not a list of names. */
static int check_names(const graphfile_reader *r)
{
    if (r->columns > 0 && r->named > 1 && r->named != r->columns) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: line 1 names %d columns, but the edges have %d", r->name,
                             r->named + r->index, r->columns + r->index);
    }
    return EDGEFILE_OK;
}

static const graphfile_write_ops write_csv = {.header = header, .encode = encode};
static const graphfile_read_ops read_csv = {
    .open = open_csv, .parse = graphfile_text_parse, .check = check_names};

const graphfile_descriptor graphfile_csv_format = {
    .facts = {"csv", ".csv",
              "text, a line of column names, then lines 'src,dst' or 'src,dst,weight'",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_READ_BACK | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_HAS_COLUMNS | GRAPHFILE_HAS_BASE},
    .write = &write_csv,
    .read = &read_csv,
};
