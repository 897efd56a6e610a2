/*
 * text_read.c - reads edges as lines of text: two ids, in some formats a weight, with blanks
 * between.
 *
 * One fast loop accepts correct lines only; what is wrong with a line that it rejects is found out
 * by a second, slower pass over that line.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The end of a column, where these are chosen, or vertices have names. */
static inline const char *column_end(const graphfile_reader *r, const char *p)
{
    if (r->vertex_names == NULL || r->separator == ',') {
        return graphfile_field_end(p);
    }
    while (*p != '\n' && *p != '\t' && (*p != ' ' || r->separator != ' ')) {
        p++;
    }
    return p;
}

/* Blanks may be what separates columns. */
static inline const char *skip_within(const char *p, const char *end)
{
    while (p < end && is_blank(*p)) {
        p++;
    }
    return p;
}

/* Where the first column begins. */
static inline const char *first_column(const graphfile_reader *r, const char *line)
{
    return r->separator == '\t' ? line : skip_blanks(line);
}

/* quoted: two quotes in it stand for one. */
static int add_name(const graphfile_reader *r, const char *name, size_t length, bool quoted,
                    uint64_t *id)
{
    char *copy = NULL;
    size_t n = 0;
    int st;

    if (quoted && memmem(name, length, "\"\"", 2) != NULL) {
        copy = malloc(length);
        for (size_t i = 0; i < length && copy != NULL; i++) {
            copy[n++] = name[i];
            i += name[i] == '"' && i + 1 < length && name[i + 1] == '"';
        }
        if (copy == NULL) {
            return edgefile_no_memory(r->name);
        }
        name = copy;
        length = n;
    }
    st = graphfile_names_add(r->vertex_names, name, length, id);
    free(copy);
    return st;
}

/* The name in a column, as a number.  Returns where the column ends; NULL: it has no name. */
static const char *parse_name(const graphfile_reader *r, const char *p, const char *end,
                              uint64_t *id, int *failed)
{
    const char *last = end;
    bool quoted;

    while (last > p && (is_blank(last[-1]) || last[-1] == '\r')) {
        last--;
    }
    quoted = last - p > 1 && *p == '"' && last[-1] == '"';
    p += quoted;
    last -= quoted;
    if (last == p) {
        return NULL;
    }
    *failed = add_name(r, p, (size_t)(last - p), quoted, id);
    return *failed == EDGEFILE_OK ? end : NULL;
}

/* The same where columns are chosen, or vertices have names.  *bad and *at: what is wrong, and
 * where; *bad FAILED: edgefile_detail() says it already. */
enum { FAILED = -2, TOO_MANY = -3 };
static const char *parse_chosen(const graphfile_reader *r, const char *p, uint64_t id[2],
                                double *weight, bool *whole, bool *inexact, int *bad,
                                const char **at)
{
    int found = 0;

    for (int field = 0;; field++) {
        const char *end = column_end(r, p), *q;
        int failed = EDGEFILE_OK;

        for (int i = 0; i < r->n_chosen; i++) {
            if (r->chosen[i] != field) {
                continue;
            }
            *bad = i;
            *at = p = skip_within(p, end);
            if (i < 2 && r->vertex_names != NULL) {
                q = parse_name(r, p, end, &id[i], &failed);
                *bad = failed != EDGEFILE_OK ? FAILED : *bad;
            } else if (i < 2) {
                q = graphfile_digits(p, &id[i]);
                q = q == p || id[i] < r->base || id[i] > r->highest[i] ? NULL : q;
            } else {
                q = graphfile_decimal(p, weight, whole, inexact);
            }
            if (q == NULL || (q != end && (q = skip_within(q, end), q + (*q == '\r') != end))) {
                return NULL;
            }
            found++;
        }
        if (*end == '\n') {
            *bad = found < r->n_chosen ? -1 : TOO_MANY;
            return found == r->n_chosen &&
                           (r->datasets != NULL || p == end || field < r->index + r->n_chosen)
                       ? end + 1
                       : NULL;
        }
        p = r->separator == ' ' ? skip_blanks(end) : end + 1;
    }
}

static void explain_chosen(const graphfile_reader *r, const char *p, char *what)
{
    uint64_t id[2];
    char token[TOKEN];
    const char *at = p;
    double weight;
    bool whole, inexact;
    int bad = -1;

    parse_chosen(r, p, id, &weight, &whole, &inexact, &bad, &at);
    graphfile_printable(token, TOKEN, at, (size_t)(column_end(r, at) - at));
    if (bad < 0 && r->datasets == NULL) {
        snprintf(what, WHAT, "too %s columns, expected '%s'", bad == TOO_MANY ? "many" : "few",
                 r->line);
    } else if (bad < 0) {
        snprintf(what, WHAT, "has fewer columns than line 1 names");
    } else if (bad < 2 && r->vertex_names != NULL) {
        snprintf(what, WHAT, "has no name for the %s", r->names[bad]);
    } else if (bad == 2) {
        snprintf(what, WHAT, "%s is '%s', expected a number that float32 can hold",
                 r->datasets != NULL ? r->chosen_name[2] : "weight", token);
    } else {
        snprintf(what, WHAT, "%s is '%s', expected %" PRIu64 " to %" PRIu64, r->names[bad], token,
                 r->base, r->highest[bad]);
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
    } else if (r->n_chosen > 0) {
        explain_chosen(r, first_column(r, line), what);
    } else {
        explain_columns(r, r->index ? behind_index(p) : p + (r->mark != '\0'), what);
    }
    return graphfile_bad_line(r, text, line, what);
}

static int parse_lines(graphfile_reader *r, const graphfile_text *text, graphfile_batch *b,
                       uint64_t *lines)
{
    const char *line = text->begin, *next;
    double weight = 0;
    bool whole = true, inexact = false;
    int st = EDGEFILE_OK;

    for (; line < text->end && st == EDGEFILE_OK; line = next, ++*lines) {
        const char *p = skip_blanks(line), *edge, *at;
        int bad = 0;

        edge = r->n_chosen == 0                     ? edge_at(r, p)
               : skip_line(r, p, text->end) == NULL ? first_column(r, line)
                                                    : NULL;
        if (edge != NULL) {
            uint64_t id[2];

            next = r->n_chosen == 0
                       ? parse_line(r, edge, id, &weight, &whole, &inexact)
                       : parse_chosen(r, edge, id, &weight, &whole, &inexact, &bad, &at);
            if (next == NULL && r->n_chosen > 0 && bad == FAILED) {
                return EDGEFILE_ERR_FORMAT;
            }
            if (next == NULL || (r->lower && id[0] < id[1])) {
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

/* The same where vertices have names; sets what separates them, too. */
static int count_named(graphfile_reader *r, const char *p)
{
    int n = 1;

    if (r->separator != ',') {
        const char *tab = skip_blanks(p);

        while (*tab != '\n' && *tab != '\t') {
            tab++;
        }
        r->separator = is_end(skip_blanks(tab)) ? ' ' : '\t';
    }
    for (p = first_column(r, p); *(p = column_end(r, p)) != '\n'; n++) {
        p = r->separator == ' ' ? skip_blanks(p) : p + 1;
        if (is_end(p)) {
            break;
        }
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
            r->columns = !found                    ? 0
                         : r->vertex_names != NULL ? count_named(r, p)
                                                   : count_columns(r, p);
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
        r->weights = r->n_chosen > 0 ? r->n_chosen > 2 : r->columns > 2;
    }
    if (r->separator == ',') {
        r->line = r->weights ? &"index,src,dst,weight"[r->index ? 0 : 6]
                             : &"index,src,dst"[r->index ? 0 : 6];
    } else {
        r->line = r->weights ? "src dst weight" : "src dst";
    }
    return EDGEFILE_OK;
}

static int check_names(const graphfile_traits *about)
{
    const unsigned all = GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES;

    return (about->traits & all) == (GRAPHFILE_TEXT)
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_ARG, "given for %s, allowed: for el, wel, tsv, csv",
                               about->name);
}

int graphfile_check_names(graphfile_format format)
{
    return check_names(graphfile_table[format]);
}

int graphfile_set_names(graphfile_reader *r, graphfile_name_table *names)
{
    const unsigned traits = r->about->facts.traits;
    const int index = r->index;

    EDGEFILE_TRY(check_names(&r->about->facts));
    r->vertex_names = names;
    EDGEFILE_TRY(look_at_first(r));
    if (r->n_chosen == 0) {
        r->weights = traits & GRAPHFILE_NEEDS_WEIGHTS ||
                     (traits & GRAPHFILE_HAS_WEIGHTS && r->columns - index > 2);
        r->n_chosen = r->weights ? 3 : 2;
        r->line = r->weights ? "src dst weight" : "src dst";
        for (int i = 0; i < r->n_chosen; i++) {
            r->chosen[i] = index + i;
        }
    }
    return EDGEFILE_OK;
}

const graphfile_read_ops graphfile_text_read = {.open = graphfile_text_open,
                                                .parse = graphfile_text_parse};

/*
 * Cuts a text file into pieces at ends of lines.
 *
 * A line belongs to the piece that contains its first byte.  So the lines of a piece begin behind
 * the first newline at or after the byte before the piece, and go on beyond its end until the last
 * line ends.
 */

enum { EXCERPT = 52 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Sets text->end to the end of the last line that begins before `stop`.  The bytes end at `end`. */
static void cut(graphfile_text *text, const char *stop, const char *end, bool is_last)
{
    const char *last;

    text->end = text->begin;
    if (text->begin >= stop) {
        return;
    }
    last = memchr(stop - 1, '\n', (size_t)(end - stop) + 1);
    if (last != NULL) {
        text->end = last + 1;
    } else if (is_last) {
        text->end = end;
    } else {
        last = memrchr(text->begin, '\n', (size_t)(stop - text->begin));
        text->end = last != NULL ? last + 1 : text->begin;
        text->too_long = true;
    }
}

/* Reads from `from` to behind `stop`, until the last line that begins before `stop` is whole, or
 * too long.  begins: a line begins at `from`; otherwise lines begin behind newlines only. */
static int load_text(const graphfile_reader *r, uint64_t from, uint64_t stop, bool begins,
                     char **memory, size_t *bytes)
{
    const size_t inside = (size_t)(stop - from);
    uint64_t more = GRAPHFILE_LINE;
    size_t have = 0;

    for (;;) {
        const uint64_t end = smaller(stop + more, r->bytes);
        char *larger = realloc(*memory, (size_t)(end - from) + 2);

        if (larger == NULL) {
            return edgefile_no_memory(r->name);
        }
        *memory = larger;
        *bytes = (size_t)(end - from);
        EDGEFILE_TRY(graphfile_pread(r, from + have, larger + have, *bytes - have));
        have = *bytes;
        if (end == r->bytes || more >= r->longest ||
            memchr(larger + inside - 1, '\n', have - inside + 1) != NULL ||
            (!begins && memchr(larger, '\n', inside) == NULL)) {
            return EDGEFILE_OK;
        }
        more = smaller(16 * more, r->longest);
    }
}

int graphfile_text_load(const graphfile_reader *r, uint64_t piece, graphfile_text *text)
{
    const uint64_t begin = r->start + piece * r->piece, stop = smaller(begin + r->piece, r->bytes);
    const uint64_t from = piece > 0 ? begin - 1 : begin;
    size_t bytes = 0;
    char *memory = NULL;
    int st = load_text(r, from, stop, piece == 0, &memory, &bytes);

    *text = (graphfile_text){.memory = memory, .piece = piece};
    if (st != EDGEFILE_OK) {
        return st;
    }
    memory[bytes] = '\n';
    memory[bytes + 1] = '\0';
    text->begin = memory;
    if (piece > 0) {
        text->begin = (const char *)memchr(memory, '\n', bytes + 1) + 1;
    }
    cut(text, memory + (stop - from), memory + bytes, from + bytes == r->bytes);
    return EDGEFILE_OK;
}

void graphfile_text_free(graphfile_text *text)
{
    free(text->memory);
    text->memory = NULL;
}

static uint64_t newlines(const char *from, const char *to)
{
    uint64_t n = 0;

    while (from < to && (from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
        from++;
        n++;
    }
    return n;
}

const char *graphfile_next_line(const graphfile_text *text, const char *p)
{
    const char *last = memchr(p, '\n', (size_t)(text->end - p));

    return last != NULL ? last + 1 : text->end;
}

/* The number of lines that begin in a piece which was not scanned, or not to its end. */
static uint64_t count_lines(const graphfile_reader *r, uint64_t piece)
{
    graphfile_text text;
    uint64_t n = 0;

    if (graphfile_text_load(r, piece, &text) == EDGEFILE_OK) {
        n = newlines(text.begin, text.end) + text.too_long;
    }
    graphfile_text_free(&text);
    return n;
}

static uint64_t line_number(const graphfile_reader *r, const graphfile_text *text, const char *at)
{
    uint64_t n = r->before + newlines(text->begin, at) + 1;

    for (uint64_t i = 0; i < text->piece; i++) {
        uint64_t lines = atomic_load(&r->parts[i].lines);

        n += lines > 0 ? lines - 1 : count_lines(r, i);
    }
    return n;
}

void graphfile_printable(char *to, size_t size, const char *from, size_t n)
{
    const size_t room = size - 1, kept = n <= room ? n : room - 3;

    for (size_t i = 0; i < kept; i++) {
        to[i] = (char)((from[i] >= ' ' && from[i] < 127) || from[i] == '\t' ? from[i] : '?');
    }
    strcpy(to + kept, n <= room ? "" : "...");
}

/* The bytes of a line, without its end. */
static size_t line_bytes(const char *line)
{
    const char *end = rawmemchr(line, '\n');

    return (size_t)(end - line) - (end > line && end[-1] == '\r');
}

int graphfile_bad_line(graphfile_reader *r, const graphfile_text *text, const char *at,
                       const char *what)
{
    char line[EXCERPT];

    graphfile_printable(line, sizeof line, at, line_bytes(at));
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: line %" PRIu64 ": '%s': %s", r->name,
                         line_number(r, text, at), line, what);
}

/* In the text, which begins with the file. */
static int find_header(graphfile_reader *r, const graphfile_text *text, char comment,
                       const char *what, graphfile_parse_header *parse)
{
    uint64_t before = 0;
    const char *at;

    for (at = text->begin; at < text->end; at = graphfile_next_line(text, at)) {
        const char *first = at + strspn(at, " \t");

        before++;
        if (*first != comment && *first != '\n' && *first != '\r') {
            EDGEFILE_TRY(parse(r, text, at));
            r->before = r->header_line = before;
            r->start += (uint64_t)(graphfile_next_line(text, at) - text->begin);
            return EDGEFILE_OK;
        }
    }
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: no line '%s' in the first %" PRIu64 " bytes",
                         r->name, what, (uint64_t)(text->end - text->begin));
}

int graphfile_read_header(graphfile_reader *r, char comment, const char *what,
                          graphfile_parse_header *parse)
{
    graphfile_reader head = *r; /* whose first piece holds the header */
    graphfile_text text;
    int st;

    head.piece = GRAPHFILE_PIECE;
    if (r->bytes == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is empty, expected '%s'", r->name, what);
    }
    st = graphfile_text_load(&head, 0, &text);
    if (st == EDGEFILE_OK) {
        st = find_header(r, &text, comment, what, parse);
    }
    graphfile_text_free(&text);
    return st;
}

int graphfile_line_numbers(const char *p, int least, int most, uint64_t *values)
{
    int n = 0;

    for (;;) {
        const char *start = p + strspn(p, " \t");

        if (*start == '\n' || (*start == '\r' && start[1] == '\n')) {
            return n >= least ? n : 0;
        }
        p = n < most ? graphfile_digits(start, &values[n]) : start;
        if (p == start || strchr(" \t\r\n", *p) == NULL || values[n++] > GRAPHFILE_HIGHEST + 1) {
            return 0;
        }
    }
}

int graphfile_check_entries(const graphfile_reader *r)
{
    const uint64_t found = atomic_load(&r->found);

    if (found != r->entries) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: line %" PRIu64 ": %" PRIu64 " entries, but there are %" PRIu64,
                             r->name, r->header_line, r->entries, found);
    }
    return EDGEFILE_OK;
}
