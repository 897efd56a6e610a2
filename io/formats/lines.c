/*
 * lines.c - cuts a text file into pieces at ends of lines.
 *
 * A line belongs to the piece that contains its first byte.  So the lines of a piece begin behind
 * the first newline at or after the byte before the piece, and go on beyond its end until the last
 * line ends.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static int load(const graphfile_reader *r, uint64_t from, uint64_t stop, bool begins, char **memory,
                size_t *bytes)
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
    int st = load(r, from, stop, piece == 0, &memory, &bytes);

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
