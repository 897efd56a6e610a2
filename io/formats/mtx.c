/*
 * mtx.c - mtx and mtxsym: Matrix Market, coordinate format.  A banner, comments, a line with the
 * numbers of rows, columns and entries, then an entry per line; rows and columns are numbered
 * from 1. mtx is written as "general", mtxsym as "symmetric": of each edge and its reverse only
 * that below the diagonal.  Either reads both.  Entries are read as other lines of edges are
 * (text_read.c); here is what comes before them.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    static const char *const fields[] = {[EDGEFILE_NO_WEIGHT] = "pattern",
                                         [EDGEFILE_WEIGHT_F32] = "real",
                                         [EDGEFILE_WEIGHT_I32] = "integer"};
    const graphfile_graph *g = &w->spec.graph;
    const bool general = w->spec.format == GRAPHFILE_MTX;

    EDGEFILE_TRY(graphfile_print(b, "%%%%MatrixMarket matrix coordinate %s %s\n", fields[g->weight],
                                 general ? "general" : "symmetric"));
    EDGEFILE_TRY(graphfile_comment(w, b, '%'));
    return graphfile_print(b, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g->rows, g->cols,
                           general ? g->edges : g->edges / 2);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return graphfile_put_lines(
        w, p, b,
        (graphfile_line){.blank = ' ', .base = 1, .lower = w->spec.format == GRAPHFILE_MTXSYM});
}

static const char banner[] = "%%MatrixMarket matrix coordinate pattern|integer|real "
                             "general|symmetric";

/* Copies the next word of the line in lower case, "" at its end, and returns what follows it. */
static const char *next_word(const char *p, char *word, size_t size)
{
    size_t n = 0;

    p += strspn(p, " \t\r");
    while (*p != '\0' && strchr(" \t\r\n", *p) == NULL) {
        if (n + 1 < size) {
            word[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
        }
        p++;
    }
    word[n] = '\0';
    return p;
}

static bool is_word(const char **p, const char *expected)
{
    char word[32];

    *p = next_word(*p, word, sizeof word);
    return strcmp(word, expected) == 0;
}

static int parse_banner(graphfile_reader *r, const graphfile_text *text)
{
    const char *p = text->begin;
    char field[32], symmetry[32], rest[2], what[160];
    const bool right =
        is_word(&p, "%%matrixmarket") && is_word(&p, "matrix") && is_word(&p, "coordinate");

    p = next_word(p, field, sizeof field);
    p = next_word(p, symmetry, sizeof symmetry);
    next_word(p, rest, sizeof rest);
    r->weights = strcmp(field, "pattern") != 0;
    r->reals = strcmp(field, "real") == 0;
    r->mirror = r->lower = strcmp(symmetry, "symmetric") == 0;
    if (right && (!r->weights || r->reals || strcmp(field, "integer") == 0) &&
        (r->mirror || strcmp(symmetry, "general") == 0) && rest[0] == '\0') {
        return EDGEFILE_OK;
    }
    snprintf(what, sizeof what, "expected '%s'", banner);
    return graphfile_bad_line(r, text, text->begin, what);
}

/* The banner, which is a comment to lines of edges, comes before other comments. */
static int parse_header(graphfile_reader *r, const graphfile_text *text, const char *line)
{
    uint64_t size[3];
    char what[80];

    EDGEFILE_TRY(parse_banner(r, text));
    if (graphfile_line_numbers(line, 3, 3, size) == 0) {
        return graphfile_bad_line(r, text, line,
                                  "expected 'rows columns entries', each up to 2^62");
    }
    if (r->mirror && size[0] != size[1]) {
        snprintf(what, sizeof what, "symmetric, but %" PRIu64 " rows and %" PRIu64 " columns",
                 size[0], size[1]);
        return graphfile_bad_line(r, text, line, what);
    }
    r->told = true;
    r->rows = r->highest[0] = size[0];
    r->cols = r->highest[1] = size[1];
    r->entries = size[2];
    return EDGEFILE_OK;
}

static int open_mtx(graphfile_reader *r)
{
    r->comments = "%";
    r->names[0] = "row";
    r->names[1] = "column";
    if (r->bytes == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is empty, expected '%s'", r->name, banner);
    }
    EDGEFILE_TRY(graphfile_read_header(r, '%', "rows columns entries", parse_header));
    r->base = 1;
    r->line = r->weights ? "row column value" : "row column";
    return EDGEFILE_OK;
}

static bool is_mtx(const void *start, size_t count)
{
    static const char word[] = "%%MatrixMarket";

    return count >= sizeof word - 1 && strncasecmp(start, word, sizeof word - 1) == 0;
}

static const graphfile_write_ops write_mtx = {.header = header, .encode = encode};
static const graphfile_read_ops read_mtx = {
    .open = open_mtx, .parse = graphfile_text_parse, .check = graphfile_check_entries};

const graphfile_descriptor graphfile_mtx_format = {
    .facts = {"mtx", ".mtx", "Matrix Market, coordinate general",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS},
    .write = &write_mtx,
    .line_bytes = 2,
    .read = &read_mtx,
    .recognise = is_mtx,
};

const graphfile_descriptor graphfile_mtxsym_format = {
    .facts = {"mtxsym", ".sym.mtx", "Matrix Market, coordinate symmetric: the lower triangle",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_NEEDS_PAIRS},
    .write = &write_mtx,
    .line_bytes = 2,
    .read = &read_mtx,
};
