/* buffer.c - a growing sequence of bytes, with runs of newlines that take no memory. */
#include "io/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, SHORT_RUN = 1 << 12, COMMENT_LINE = 160 };

/* Large buffers are whole huge pages, so that the disk receives long contiguous pieces. */
static int grow(graphfile_buffer *b, size_t room)
{
    const size_t unit = room < HUGE_PAGE ? GRAPHFILE_PAGE : HUGE_PAGE;
    char *data;

    room = (room + unit - 1) / unit * unit;
    data = aligned_alloc(unit, room);
    if (data == NULL) {
        return -1;
    }
    if (unit == HUGE_PAGE) {
        madvise(data, room, MADV_HUGEPAGE);
    }
    if (b->bytes > 0) {
        memcpy(data, b->data, b->bytes);
    }
    free(b->data);
    b->data = data;
    b->room = room;
    return 0;
}

/* Leaves room for one more page, which graphfile_align() may need. */
char *graphfile_reserve(graphfile_buffer *b, size_t bytes)
{
    const size_t room = b->bytes + bytes + GRAPHFILE_PAGE;

    if (room > b->room && grow(b, room + (b->room > 0 ? room / 2 : 0)) != 0) {
        return NULL;
    }
    return b->data + b->bytes;
}

char *graphfile_align(graphfile_buffer *b, uint64_t offset)
{
    const size_t shift = offset % GRAPHFILE_PAGE;

    if (b->bytes == 0) { /* there may be no memory yet */
        return b->data;
    }
    if (shift != 0) {
        memmove(b->data + shift, b->data, b->bytes);
    }
    return b->data + shift;
}

int graphfile_newlines(graphfile_buffer *b, uint64_t count)
{
    if (count < SHORT_RUN) {
        char *to = graphfile_reserve(b, (size_t)count);
        if (to == NULL) {
            return edgefile_no_memory(NULL);
        }
        memset(to, '\n', (size_t)count);
        b->bytes += (size_t)count;
        return EDGEFILE_OK;
    }
    if (b->n_runs == b->room_runs) {
        const size_t room = 2 * b->room_runs + 16;
        graphfile_run *runs = realloc(b->runs, room * sizeof *runs);
        if (runs == NULL) {
            return edgefile_no_memory(NULL);
        }
        b->runs = runs;
        b->room_runs = room;
    }
    b->runs[b->n_runs++] = (graphfile_run){b->bytes, count};
    return EDGEFILE_OK;
}

uint64_t graphfile_length(const graphfile_buffer *b)
{
    uint64_t length = b->bytes;

    for (size_t i = 0; i < b->n_runs; i++) {
        length += b->runs[i].newlines;
    }
    return length;
}

void graphfile_buffer_free(graphfile_buffer *b)
{
    free(b->data);
    free(b->runs);
    *b = (graphfile_buffer){0};
}

int graphfile_print(graphfile_buffer *b, const char *format, ...)
{
    enum { MOST = 512 };
    char *to = graphfile_reserve(b, MOST);
    va_list args;
    int n;

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    va_start(args, format);
    n = vsnprintf(to, MOST, format, args);
    va_end(args);
    b->bytes += n < MOST ? (size_t)n : MOST - 1;
    return EDGEFILE_OK;
}

/* Lines have at most COMMENT_LINE bytes: GAPBS reads a comment beyond 200 bytes as data. */
int graphfile_comment(const graphfile_writer *w, graphfile_buffer *b)
{
    const char *text = w->spec.comment;
    int st = EDGEFILE_OK;

    while (text != NULL && *text != '\0' && st == EDGEFILE_OK) {
        size_t length = strlen(text), from = b->bytes;
        if (length > COMMENT_LINE) {
            length = COMMENT_LINE;
            while (length > 1 && text[length] != ' ') {
                length--;
            }
            length = length > 1 ? length : COMMENT_LINE;
        }
        st = graphfile_print(b, "%% %.*s\n", (int)length, text);
        for (; st == EDGEFILE_OK && from + 1 < b->bytes; from++) { /* except the end of the line */
            if ((unsigned char)b->data[from] < 32) {
                b->data[from] = '?';
            }
        }
        text += length;
        text += *text == ' ';
    }
    return st;
}

graphfile_buffer *graphfile_take_buffer(graphfile_writer *w, bool chunk)
{
    graphfile_buffer **list = chunk ? &w->spare_chunks : &w->spare, *b;

    pthread_mutex_lock(&w->lock);
    b = *list;
    if (b != NULL) {
        *list = b->next;
    }
    pthread_mutex_unlock(&w->lock);
    if (b == NULL && (b = calloc(1, sizeof *b)) != NULL) {
        b->is_chunk = chunk;
    }
    return b;
}

void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b)
{
    graphfile_buffer **list = b->is_chunk ? &w->spare_chunks : &w->spare;

    b->bytes = b->n_runs = 0;
    pthread_mutex_lock(&w->lock);
    b->next = *list;
    *list = b;
    pthread_mutex_unlock(&w->lock);
}
