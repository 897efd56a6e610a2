/*
 * csv.c - csv: a line with the names of the columns, then an edge per line, with commas.
 *
 * Of a file that is read, the first two columns are the vertices and a third one is the weight,
 * whatever their names, unless the names to read are given.  A column before them that has no name,
 * as pandas writes its index, is skipped.  The first line may be an edge already.
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
    const char *end = graphfile_field_end(p);
    bool numbers = false;
    int fields = 0;

    if (*end == ',' && is_index(p, end)) {
        r->index = true;
        p = end + 1;
        end = graphfile_field_end(p);
    }
    for (;; p = end + 1, end = graphfile_field_end(p)) {
        numbers |= fields < 2 && is_number(p, end);
        fields++;
        if (*end != ',') {
            break;
        }
    }
    r->index &= !numbers;
    r->named = numbers ? 0 : fields;
}

/* Is it this name, with or without quotes and blanks around it? */
static bool is_named(const char *p, const char *end, const char *name)
{
    while (p < end && strchr(" \t\"", *p) != NULL) {
        p++;
    }
    while (p < end && strchr(" \t\r\"", end[-1]) != NULL) {
        end--;
    }
    return (size_t)(end - p) == strlen(name) && memcmp(p, name, strlen(name)) == 0;
}

/* The columns that r->datasets names, in the line of names. */
static int choose_columns(graphfile_reader *r, const char *line)
{
    char excerpt[80];
    int found = 0, field = 0;
    const char *p = line;

    r->n_chosen = graphfile_split_columns(r->chosen_name, r->datasets);
    for (;; p++, field++) {
        const char *end = graphfile_field_end(p);

        for (int i = 0; i < r->n_chosen; i++) {
            if (is_named(p, end, r->chosen_name[i])) {
                r->chosen[i] = field;
                found |= 1 << i;
            }
        }
        p = end;
        if (*p != ',') {
            break;
        }
    }
    r->index = false;
    r->names[0] = r->chosen_name[0];
    r->names[1] = r->chosen_name[1];
    if (r->named == 0 || found != (1 << r->n_chosen) - 1) {
        graphfile_printable(excerpt, sizeof excerpt, line, (size_t)(p - line));
        return edgefile_fail(field < GRAPHFILE_COLUMNS ? EDGEFILE_ERR_ARG : EDGEFILE_ERR_FORMAT,
                             "%s: has no columns '%s'; its first line is '%s'", r->name,
                             r->datasets, excerpt);
    }
    return EDGEFILE_OK;
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
        if (r->datasets != NULL) {
            st = choose_columns(r, first);
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
    if (r->datasets != NULL && r->n_chosen == 0) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "%s: has no columns '%s'; its first line has no names", r->name,
                             r->datasets);
    }
    return graphfile_text_open(r);
}

/* A line without commas is a title, not a list of names. */
static int check_names(const graphfile_reader *r)
{
    if (r->n_chosen == 0 && r->columns > 0 && r->named > 1 && r->named != r->columns) {
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
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_HAS_COLUMNS |
                  GRAPHFILE_HAS_BASE},
    .write = &write_csv,
    .line_bytes = 2,
    .read = &read_csv,
};
