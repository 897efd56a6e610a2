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

enum { EXCERPT = 48 };

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

int graphfile_text_load(const graphfile_reader *r, uint64_t piece, graphfile_text *text)
{
    const uint64_t begin = r->start + piece * r->piece, stop = smaller(begin + r->piece, r->bytes);
    const uint64_t from = piece > 0 ? begin - 1 : begin;
    const uint64_t end = smaller(stop + GRAPHFILE_LINE, r->bytes);
    const size_t bytes = (size_t)(end - from);
    char *memory = malloc(bytes + 2);

    *text = (graphfile_text){.memory = memory, .piece = piece};
    if (memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    EDGEFILE_TRY(graphfile_pread(r, from, memory, bytes));
    memory[bytes] = '\n';
    memory[bytes + 1] = '\0';
    text->begin = memory;
    if (piece > 0) {
        text->begin = (const char *)memchr(memory, '\n', bytes + 1) + 1;
    }
    cut(text, memory + (stop - from), memory + bytes, end == r->bytes);
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

/* The beginning of a line, without characters that could control the terminal. */
static void excerpt(char to[EXCERPT + 4], const char *line)
{
    int n = 0;

    while (n < EXCERPT && line[n] != '\n' && !(line[n] == '\r' && line[n + 1] == '\n')) {
        to[n] = (char)((line[n] >= ' ' && line[n] < 127) || line[n] == '\t' ? line[n] : '?');
        n++;
    }
    to[n] = '\0';
    if (n == EXCERPT && line[n] != '\n') {
        strcpy(to + n, "...");
    }
}

int graphfile_bad_line(graphfile_reader *r, const graphfile_text *text, const char *at,
                       const char *what)
{
    char line[EXCERPT + 4];

    excerpt(line, at);
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: line %" PRIu64 ": '%s': %s", r->name,
                         line_number(r, text, at), line, what);
}
