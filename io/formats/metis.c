/*
 * metis.c - metis: a line for each vertex, with its neighbours and, if there are any, the weights
 * of its edges.
 *
 * A blank follows each number, even the last one of a line: GAPBS built with GCC 11 or later
 * overlooks a neighbour right before the end of a line.  A piece begins and ends within a line;
 * join() writes the ends of lines between two pieces, and trailer() those after the last edge.
 */
#include "io/formats/digits.h"
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    const graphfile_graph *g = &w->spec.graph;

    EDGEFILE_TRY(graphfile_comment(w, b, '%'));
    return graphfile_print(b, "%" PRIu64 " %" PRIu64 "%s\n", g->rows, g->edges / 2,
                           g->weight == EDGEFILE_NO_WEIGHT ? "" : " 1");
}

static int bad_weight(const graphfile_piece *p, uint64_t i)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "metis needs weights of at least 1, edge %" PRIu64 " has %" PRId32,
                         p->first + i, ((const int32_t *)p->weight)[i]);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const size_t most = graphfile_n_digits(w->spec.graph.cols) + 13 + GRAPHFILE_SLACK;
    uint64_t row = p->count > 0 ? graphfile_id(w->spec.graph.id_bytes, p->src, 0) : 0;

    for (uint64_t i = 0; i < p->count; i++) {
        const uint64_t src = graphfile_id(w->spec.graph.id_bytes, p->src, i);
        char *from, *to;
        int st = src != row ? graphfile_newlines(b, src - row) : EDGEFILE_OK;

        row = src;
        from = to = st == EDGEFILE_OK ? graphfile_reserve(b, most) : NULL;
        if (from == NULL) {
            return edgefile_no_memory(NULL);
        }
        to = graphfile_put_u64(to, graphfile_id(w->spec.graph.id_bytes, p->dst, i) + 1);
        *to++ = ' ';
        if (p->weight != NULL) {
            const int32_t weight = ((const int32_t *)p->weight)[i];
            if (weight < 1) {
                return bad_weight(p, i);
            }
            to = graphfile_put_u64(to, (uint64_t)weight);
            *to++ = ' ';
        }
        b->bytes += (size_t)(to - from);
    }
    return EDGEFILE_OK;
}

static int join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
{
    const uint64_t before = w->row;
    const uint64_t row = p->count > 0 ? p->first_src : before;

    if (row < before) {
        return graphfile_not_sorted(w, p->first);
    }
    if (p->count > 0) {
        w->row = p->last_src;
    }
    return graphfile_newlines(b, row - before);
}

static int trailer(graphfile_writer *w, graphfile_buffer *b)
{
    return graphfile_newlines(b, w->spec.graph.rows - w->row);
}

static const graphfile_write_ops write_metis = {
    .header = header, .encode = encode, .join = join, .trailer = trailer};

const graphfile_descriptor graphfile_metis_format = {
    .facts = {"metis", ".graph", "METIS: text with the neighbours of one vertex on each line",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS | GRAPHFILE_WEIGHTS_FROM_1 | GRAPHFILE_SIMPLE |
                  GRAPHFILE_NEEDS_PAIRS},
    .write = &write_metis,
    .line_bytes = 1,
    .row_bytes = 1,
    .read = &graphfile_metis_read,
};

/*
 * Reads METIS's graphs: a header "vertices edges [fmt [constraints]]", then a line
 * for each vertex, with its size and weights if fmt says so, which are skipped, and its neighbours,
 * each with the weight of the edge if fmt says so.  Lines that begin with % are comments.
 *
 * Each neighbour is an edge from the vertex of the line: the two directions of an undirected edge
 * are two edges, as they are written.
 *
 * Which vertex a line belongs to depends on the lines before it.  The scan counts the vertices of
 * each piece; their sums tell where each piece begins when it is read.  A line may be as long as a
 * vertex with very many neighbours needs.
 */

/* Bytes of the longest line; size and weights of a vertex. */
#define LONGEST ((uint64_t)1 << 30)
#define LONGER  "longer than 1073741824 bytes"
enum { MOST_SKIPPED = 1 << 10, WHAT = 160 };

/* Of a piece. */
typedef struct {
    uint64_t vertices, used; /* its lines for vertices; up to the last one that is not empty */
    uint64_t first;          /* vertices before it, once all are counted */
} metis_piece;

typedef struct {
    uint64_t skipped; /* numbers in front of the neighbours */
    metis_piece *piece;
    bool counted;
} metis_file;

/* fmt: three digits, which say whether vertices have sizes, vertices weights, edges weights. */
static bool parse_format(graphfile_reader *r, metis_file *f, const uint64_t *numbers, int n)
{
    const uint64_t fmt = n > 2 ? numbers[2] : 0, weights = n > 3 ? numbers[3] : 1;

    if (fmt > 111 || fmt % 10 > 1 || fmt / 10 % 10 > 1 || weights > MOST_SKIPPED) {
        return false;
    }
    r->weights = fmt % 10 == 1;
    f->skipped = fmt / 100 + (fmt / 10 % 10 == 1 ? weights : 0);
    return true;
}

static int parse_header(graphfile_reader *r, const graphfile_text *text, const char *line)
{
    uint64_t numbers[4];
    const int n = graphfile_line_numbers(line, 2, 4, numbers);

    if (n == 0 || !parse_format(r, r->state, numbers, n)) {
        return graphfile_bad_line(r, text, line,
                                  "expected 'vertices edges [fmt [constraints]]', with fmt of "
                                  "digits 0 and 1, and at most 1024 constraints");
    }
    r->told = true;
    r->rows = r->cols = r->highest[1] = numbers[0];
    r->entries = numbers[1];
    return EDGEFILE_OK;
}

static int open_metis(graphfile_reader *r)
{
    metis_file *f = calloc(1, sizeof *f);

    r->state = f;
    if (f == NULL) {
        return edgefile_no_memory(r->name);
    }
    r->longest = LONGEST;
    EDGEFILE_TRY(graphfile_read_header(r, '%', "vertices edges [fmt [constraints]]", parse_header));
    atomic_store(&r->highest_src, r->rows > 0 ? r->rows - 1 : 0);
    r->base = 1;
    r->names[1] = "neighbour";
    graphfile_cut(r);
    f->piece = calloc(r->pieces + 1, sizeof *f->piece);
    return f->piece != NULL ? EDGEFILE_OK : edgefile_no_memory(r->name);
}

static void close_metis(graphfile_reader *r)
{
    metis_file *f = r->state;

    if (f != NULL) {
        free(f->piece);
        free(f);
    }
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

static bool is_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Says what is wrong with the number at p, which should be this. */
static int bad_number(graphfile_reader *r, const graphfile_text *text, const char *line,
                      const char *p, const char *expected)
{
    char what[WHAT];
    const size_t n = strcspn(p, " \t\r\n");

    if (n == 0) {
        snprintf(what, sizeof what, "ends where %s is expected", expected);
    } else {
        char number[32];

        graphfile_printable(number, sizeof number, p, n);
        snprintf(what, sizeof what, "'%s', expected %s", number, expected);
    }
    return graphfile_bad_line(r, text, line, what);
}

/* Does a number end here? */
static bool is_behind(const char *p)
{
    return *p == ' ' || *p == '\t' || is_end(p);
}

/* Puts the edges of a vertex, whose line this is.  *p: moves to the end of the line. */
static int parse_line(graphfile_reader *r, const graphfile_text *text, uint64_t vertex,
                      const char *line, const char **p, graphfile_batch *b)
{
    const metis_file *f = r->state;
    const char *at = skip_blanks(line), *end;
    uint64_t id, skipped;
    double weight = 0;
    bool whole = true, inexact = false;
    char expected[64];

    for (uint64_t i = 0; i < f->skipped; i++, at = skip_blanks(end)) {
        end = graphfile_digits(at, &skipped);
        if (end == at || !is_behind(end)) {
            return bad_number(r, text, line, at, "the weight or size of a vertex");
        }
    }
    while (!is_end(at)) {
        end = graphfile_digits(at, &id);
        if (end == at || !is_behind(end) || id < 1 || id > r->highest[1]) {
            snprintf(expected, sizeof expected, "a neighbour of 1 to %" PRIu64, r->highest[1]);
            return bad_number(r, text, line, at, expected);
        }
        at = skip_blanks(end);
        if (r->weights) {
            end = graphfile_decimal(at, &weight, &whole, &inexact);
            if (end == NULL || !is_behind(end)) {
                return bad_number(r, text, line, at, "the weight of an edge");
            }
            b->floats |= !whole;
            b->inexact += inexact;
            at = skip_blanks(end);
        }
        b->entries++;
        EDGEFILE_TRY(graphfile_put(b, vertex, id - 1, weight));
    }
    *p = at;
    return EDGEFILE_OK;
}

static int parse_lines(graphfile_reader *r, const graphfile_text *text, uint64_t first,
                       metis_piece *counts, uint64_t *lines, graphfile_batch *b)
{
    const char *line = text->begin;

    for (; line < text->end; ++*lines) {
        const char *p = skip_blanks(line);

        if (*p != '%') {
            const uint64_t entries = b->entries;

            EDGEFILE_TRY(parse_line(r, text, first + counts->vertices, line, &p, b));
            counts->vertices++;
            counts->used = b->entries > entries ? counts->vertices : counts->used;
            line = p + (*p == '\r') + 1;
        } else {
            line = graphfile_next_line(text, line);
        }
    }
    return text->too_long ? graphfile_bad_line(r, text, text->end, LONGER) : EDGEFILE_OK;
}

/* In a scan vertices are counted from the piece's first one, and only the counts matter. */
static int parse_metis(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    metis_file *f = r->state;
    metis_piece counts = {0};
    graphfile_text text;
    uint64_t lines = 0;
    int st = graphfile_text_load(r, piece, &text);

    if (st == EDGEFILE_OK) {
        st = parse_lines(r, &text, f->counted ? f->piece[piece].first : 0, &counts, &lines, b);
    }
    if (st == EDGEFILE_OK && !f->counted) {
        f->piece[piece] = counts;
        atomic_store(&r->parts[piece].lines, lines + 1);
    }
    graphfile_text_free(&text);
    return st;
}

/* Empty lines behind the last vertex do no harm.  The header counts pairs of neighbours. */
static int check_metis(const graphfile_reader *r)
{
    metis_file *f = r->state;
    const uint64_t found = atomic_load(&r->found);
    uint64_t vertices = 0, used = 0;

    for (uint64_t i = 0; i < r->pieces; i++) {
        f->piece[i].first = vertices;
        used = f->piece[i].used > 0 ? vertices + f->piece[i].used : used;
        vertices += f->piece[i].vertices;
    }
    f->counted = true;
    if (vertices < r->rows || used > r->rows) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: line %" PRIu64 ": %" PRIu64 " vertices, but there are lines for %" PRIu64, r->name,
            r->header_line, r->rows, vertices < r->rows ? vertices : used);
    }
    if (found % 2 != 0 || found / 2 != r->entries) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: line %" PRIu64 ": %" PRIu64 " edges, but there are %" PRIu64
                             " neighbours, expected two for each",
                             r->name, r->header_line, r->entries, found);
    }
    return EDGEFILE_OK;
}

const graphfile_read_ops graphfile_metis_read = {
    .open = open_metis, .parse = parse_metis, .check = check_metis, .close = close_metis};
