/*
 * parse.c - reads edges as lines of text: two ids, in some formats a weight, with blanks between.
 *
 * One fast loop accepts correct lines only; what is wrong with a line that it rejects is found out
 * by a second, slower pass over that line.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TOKEN = 32, WHAT = 200 };

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *skip_blanks(const char *p)
{
    while (is_blank(*p)) {
        p++;
    }
    return p;
}

/* Does a column end here, before another one? */
static inline bool is_between(const graphfile_reader *r, char c)
{
    return is_blank(c) || c == r->separator;
}

/* The next column: behind blanks, of which one may be the separator. */
static inline const char *skip_between(const graphfile_reader *r, const char *p)
{
    p = skip_blanks(p);
    return *p == r->separator ? skip_blanks(p + 1) : p;
}

/* Does the line end here? */
static inline bool is_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static bool begins_comment(const graphfile_reader *r, char c)
{
    return c != '\0' && strchr(r->comments, c) != NULL;
}

static void token_at(const graphfile_reader *r, char to[TOKEN], const char *p)
{
    size_t n = 0;

    while (!is_between(r, p[n]) && !is_end(p + n)) {
        n++;
    }
    graphfile_printable(to, TOKEN, p, n);
}

/* Is there a valid id at *p?  If so, *p moves behind it; else `what` says what is wrong. */
static bool explain_id(const graphfile_reader *r, int which, const char **p, char *what)
{
    const char *start = which == 0 ? skip_blanks(*p) : skip_between(r, *p);
    char token[TOKEN];
    uint64_t id;

    *p = graphfile_digits(start, &id);
    if (is_end(start)) {
        snprintf(what, WHAT, "no %s, expected '%s'", r->names[which], r->line);
        return false;
    }
    if (*p == start || !(is_between(r, **p) || is_end(*p)) || id < r->base ||
        id > r->highest[which]) {
        token_at(r, token, start);
        snprintf(what, WHAT, "%s is '%s', expected %" PRIu64 " to %" PRIu64, r->names[which], token,
                 r->base, r->highest[which]);
        return false;
    }
    return true;
}

static bool explain_weight(const graphfile_reader *r, const char **p, char *what)
{
    const char *start = skip_between(r, *p);
    char token[TOKEN];
    double value;
    bool whole, inexact;

    if (is_end(start)) {
        snprintf(what, WHAT, "no weight, expected '%s'", r->line);
        return false;
    }
    *p = graphfile_decimal(start, &value, &whole, &inexact);
    if (*p == NULL || !(is_between(r, **p) || is_end(*p))) {
        token_at(r, token, start);
        snprintf(what, WHAT, "weight is '%s', expected a number that float32 can hold", token);
        return false;
    }
    return true;
}

static bool has_no_weights(const graphfile_reader *r)
{
    return !(r->about->facts.traits & GRAPHFILE_HAS_WEIGHTS);
}

/* Behind the first column and its comma, or at the end of the line. */
static const char *behind_index(const char *p)
{
    bool quoted = false;

    while (!is_end(p) && (quoted || *p != ',')) {
        quoted ^= *p++ == '"';
    }
    return *p == ',' ? skip_blanks(p + 1) : p;
}

/* The first number of a line with an edge; NULL: the line has none. */
static inline const char *edge_at(const graphfile_reader *r, const char *p)
{
    if (r->index && !begins_comment(r, *p)) {
        p = behind_index(p);
    }
    if (r->mark != '\0') {
        if (*p != r->mark || !is_blank(p[1])) {
            return NULL;
        }
        p = skip_blanks(p + 1);
    }
    return *p >= '0' && *p <= '9' ? p : NULL;
}

/* What is wrong with the columns that begin at p. */
static void explain_columns(const graphfile_reader *r, const char *p, char *what)
{
    if (!explain_id(r, 0, &p, what) || !explain_id(r, 1, &p, what) ||
        (r->weights && !explain_weight(r, &p, what))) {
        return;
    }
    if (is_end(skip_blanks(p))) {
        snprintf(what, WHAT, "above the diagonal, expected below, as it is symmetric");
    } else {
        snprintf(what, WHAT, "too many columns, expected '%s'%s", r->line,
                 has_no_weights(r) ? " (wel has weights)" : "");
    }
}

static int explain(graphfile_reader *r, const graphfile_text *text, const char *line)
{
    const char *p = skip_blanks(line), *end = memchr(line, '\n', (size_t)(text->end - line) + 1);
    char what[WHAT];

    if (end == NULL || (uint64_t)(end - line) >= GRAPHFILE_LINE) {
        snprintf(what, sizeof what, "longer than %" PRIu64 " bytes", GRAPHFILE_LINE);
    } else if (r->mark != '\0' && (*p != r->mark || !is_blank(p[1]))) {
        snprintf(what, sizeof what, "expected '%s'", r->line);
    } else {
        explain_columns(r, r->index ? behind_index(p) : p + (r->mark != '\0'), what);
    }
    return graphfile_bad_line(r, text, line, what);
}

/* The line after p, if p is an empty line or a comment; else NULL. */
static const char *skip_line(const graphfile_reader *r, const char *p, const char *end)
{
    if (*p == '\r' && p[1] == '\n') {
        p++;
    }
    if (*p == '\n') {
        return p + 1;
    }
    return begins_comment(r, *p) ? (const char *)memchr(p, '\n', (size_t)(end - p) + 1) + 1 : NULL;
}

/* The line after p, if p is a correct line with an edge; else NULL. */
static inline const char *parse_line(const graphfile_reader *r, const char *p, uint64_t id[2],
                                     double *weight, bool *whole, bool *inexact)
{
    const char *q = graphfile_digits(p, &id[0]);

    if (q == p || !is_between(r, *q) || id[0] < r->base || id[0] > r->highest[0]) {
        return NULL;
    }
    p = skip_between(r, q);
    q = graphfile_digits(p, &id[1]);
    if (q == p || id[1] < r->base || id[1] > r->highest[1]) {
        return NULL;
    }
    if (r->weights) {
        if (!is_between(r, *q)) {
            return NULL;
        }
        q = graphfile_decimal(skip_between(r, q), weight, whole, inexact);
        if (q == NULL) {
            return NULL;
        }
    }
    q = skip_blanks(q);
    q += *q == '\r';
    return *q == '\n' ? q + 1 : NULL;
}

static int parse_lines(graphfile_reader *r, const graphfile_text *text, graphfile_batch *b,
                       uint64_t *lines)
{
    const char *line = text->begin, *next;
    double weight = 0;
    bool whole = true, inexact = false;
    int st = EDGEFILE_OK;

    for (; line < text->end && st == EDGEFILE_OK; line = next, ++*lines) {
        const char *p = skip_blanks(line), *edge = edge_at(r, p);

        if (edge != NULL) {
            uint64_t id[2];

            next = parse_line(r, edge, id, &weight, &whole, &inexact);
            if (next == NULL || (r->mirror && id[0] < id[1])) {
                return explain(r, text, line);
            }
            b->floats |= !whole;
            b->inexact += inexact;
            b->entries++;
            st = graphfile_put(b, id[0] - r->base, id[1] - r->base, weight);
            if (r->mirror && id[0] != id[1] && st == EDGEFILE_OK) {
                st = graphfile_put(b, id[1] - r->base, id[0] - r->base, weight);
            }
        } else {
            next = skip_line(r, p, text->end);
        }
        if (next == NULL || next - line > (ptrdiff_t)GRAPHFILE_LINE) {
            return explain(r, text, line);
        }
    }
    return st == EDGEFILE_OK && text->too_long ? explain(r, text, text->end) : st;
}

int graphfile_text_parse(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    graphfile_text text;
    uint64_t lines = 0;
    int st = graphfile_text_load(r, piece, &text);

    if (st == EDGEFILE_OK) {
        st = parse_lines(r, &text, b, &lines);
    }
    if (st == EDGEFILE_OK) {
        atomic_store(&r->parts[piece].lines, lines + 1);
    }
    graphfile_text_free(&text);
    return st;
}

/* The number of columns of a line, without the index. */
static int count_columns(const graphfile_reader *r, const char *p)
{
    int n = 0;

    for (p = r->index ? behind_index(p) : skip_blanks(p); !is_end(p); n++) {
        while (!is_between(r, *p) && !is_end(p)) {
            p++;
        }
        p = skip_between(r, p);
    }
    return n;
}

/* Sets the number of columns that the first edge of the file has. */
static int look_at_first(graphfile_reader *r)
{
    int st = EDGEFILE_OK;
    bool found = false;

    for (uint64_t i = 0; i < r->pieces && !found && st == EDGEFILE_OK; i++) {
        graphfile_text text;
        const char *p, *next;

        st = graphfile_text_load(r, i, &text);
        for (p = text.begin; st == EDGEFILE_OK && p < text.end && !found; p = next) {
            next = skip_line(r, skip_blanks(p), text.end);
            found = next == NULL;
            r->columns = found ? count_columns(r, p) : 0;
        }
        graphfile_text_free(&text);
    }
    return st;
}

int graphfile_text_open(graphfile_reader *r)
{
    const unsigned traits = r->about->facts.traits;

    r->comments = "#%";
    r->weights = (traits & GRAPHFILE_NEEDS_WEIGHTS) != 0;
    if (traits & GRAPHFILE_HAS_WEIGHTS && !r->weights) {
        EDGEFILE_TRY(look_at_first(r));
        r->weights = r->columns > 2;
    }
    if (r->separator == ',') {
        r->line = r->weights ? &"index,src,dst,weight"[r->index ? 0 : 6]
                             : &"index,src,dst"[r->index ? 0 : 6];
    } else {
        r->line = r->weights ? "src dst weight" : "src dst";
    }
    return EDGEFILE_OK;
}

const graphfile_read_ops graphfile_text_read = {.open = graphfile_text_open,
                                                .parse = graphfile_text_parse};
