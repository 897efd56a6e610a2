/* buffer.c - bytes that grow, with runs of newlines that take no memory. */
#include "io/formats/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, SHORT_RUN = 1 << 12, COMMENT_LINE = 160 };

/* Large buffers are whole huge pages, so that the disk gets long contiguous pieces of memory. */
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

/* There is room for one page more than asked for, which graphfile_align() may need. */
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

    if (b->bytes == 0) { /* there may be no memory to point into */
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

void graphfile_empty(graphfile_buffer *b)
{
    b->bytes = b->n_runs = 0;
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

/* Lines have at most COMMENT_LINE bytes: GAPBS skips 200 bytes of a comment and takes the rest for
 * data. */
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

size_t graphfile_n_digits(uint64_t x)
{
    size_t digits = 1;

    for (; x >= 10; x /= 10) {
        digits++;
    }
    return digits;
}

/*
 * Chunks of formats that know the place of every edge in the file: arrays of vertices,
 * of 4 or 8 bytes each, and other arrays.
 */

int graphfile_narrow(uint32_t *to, size_t stride, const uint64_t *from, size_t count)
{
    uint64_t all = 0;

    for (size_t i = 0; i < count; i++) {
        to[i * stride] = (uint32_t)from[i];
        all |= from[i];
    }
    return all >> 32 == 0 ? EDGEFILE_OK
                          : edgefile_fail(EDGEFILE_ERR_FORMAT, "a vertex needs more than 32 bits");
}

void graphfile_widen(uint64_t *to, size_t stride, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i * stride] = from[i];
    }
}

void *graphfile_open_chunk(graphfile_writer *w, graphfile_buffer **b, size_t bytes)
{
    char *to = NULL;

    *b = graphfile_take_buffer(w, true);
    if (*b != NULL) {
        to = graphfile_reserve(*b, bytes);
    }
    if (to != NULL) {
        (*b)->bytes = bytes;
        return to;
    }
    if (*b != NULL) {
        graphfile_give_buffer(w, *b);
    }
    edgefile_no_memory(NULL);
    return NULL;
}

int graphfile_close_chunk(graphfile_writer *w, graphfile_plain *file, uint64_t offset,
                          graphfile_buffer *b, int st)
{
    if (st == EDGEFILE_OK) {
        st = graphfile_write_sharing(w, file, offset, graphfile_align(b, offset), b->bytes);
    }
    graphfile_give_buffer(w, b);
    return st;
}

int graphfile_write_chunk(graphfile_writer *w, graphfile_plain *file, uint64_t offset,
                          const void *data, size_t bytes)
{
    graphfile_buffer *b;
    void *to;

    if (((uintptr_t)data - offset) % GRAPHFILE_PAGE == 0) {
        return graphfile_plain_write(file, offset, data, bytes);
    }
    to = graphfile_open_chunk(w, &b, bytes);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    memcpy(to, data, bytes);
    return graphfile_close_chunk(w, file, offset, b, EDGEFILE_OK);
}

static int convert_ids(const graphfile_writer *w, void *to, const void *ids, size_t count,
                       int width)
{
    if (w->spec.graph.id_bytes == width) {
        memcpy(to, ids, count * (size_t)width);
    } else if (width == 4) {
        return graphfile_narrow(to, 1, ids, count);
    } else {
        graphfile_widen(to, 1, ids, count);
    }
    return EDGEFILE_OK;
}

int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width)
{
    const size_t bytes = count * (size_t)width;
    graphfile_buffer *b;
    void *to;

    if (w->spec.graph.id_bytes == width) {
        return graphfile_write_chunk(w, &w->file, offset, ids, bytes);
    }
    to = graphfile_open_chunk(w, &b, bytes);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    return graphfile_close_chunk(w, &w->file, offset, b, convert_ids(w, to, ids, count, width));
}

/*
 * Pages of the file of which two pieces have a part each.
 *
 * Where an array does not begin on a page, each piece begins and ends inside of one.  Such parts of
 * pages would have to pass through the page cache, and on ext4 the whole took a quarter longer for
 * that.  So the piece that comes first leaves its part here, and the other writes the
 * whole page with its own.  A part whose other half never comes, as it is another process's or does
 * not exist, is written at the end.
 */

enum { MOST_WAITING = 256 };

struct graphfile_shared_page {
    graphfile_plain *file;
    uint64_t offset;
    size_t from, to; /* the part that is there */
    struct graphfile_shared_page *next;
    char data[GRAPHFILE_PAGE];
};

/* page: all of it, with bytes [from, to) filled in.  True if the caller is to write the page, of
 * which the rest is filled in too then; false if the part waits here.  *whole: the rest was here.
 * Under the lock. */
static bool meet(graphfile_writer *w, graphfile_plain *file, uint64_t offset, char *page,
                 size_t from, size_t to, bool *whole)
{
    struct graphfile_shared_page **link = &w->shared_pages, *p;
    int waiting = 0;

    *whole = false;
    while ((p = *link) != NULL && (p->file != file || p->offset != offset)) {
        link = &p->next;
        waiting++;
    }
    if (p != NULL && (from == 0 ? p->from == to : p->to == from)) {
        memcpy(page + p->from, p->data + p->from, p->to - p->from);
        *link = p->next;
        free(p);
        *whole = true;
        return true;
    }
    if (p != NULL || waiting >= MOST_WAITING || (p = malloc(sizeof *p)) == NULL) {
        return true;
    }
    p->file = file;
    p->offset = offset;
    p->from = from;
    p->to = to;
    memcpy(p->data + from, page + from, to - from);
    p->next = w->shared_pages;
    w->shared_pages = p;
    return false;
}

int graphfile_write_sharing(graphfile_writer *w, graphfile_plain *file, uint64_t offset, char *data,
                            size_t bytes)
{
    const size_t head = offset % GRAPHFILE_PAGE, tail = (offset + bytes) % GRAPHFILE_PAGE;
    uint64_t end = offset + bytes;
    bool whole;

    if (file->direct_fd < 0 || bytes < (size_t)2 * GRAPHFILE_PAGE) {
        return graphfile_plain_write(file, offset, data, bytes);
    }
    pthread_mutex_lock(&w->lock);
    if (tail != 0) {
        char *page = data + (bytes - tail);

        if (!meet(w, file, end - tail, page, 0, tail, &whole)) {
            end -= tail;
        } else if (whole) {
            end += GRAPHFILE_PAGE - tail;
        }
    }
    if (head != 0) {
        if (!meet(w, file, offset - head, data - head, head, GRAPHFILE_PAGE, &whole)) {
            offset += GRAPHFILE_PAGE - head;
            data += GRAPHFILE_PAGE - head;
        } else if (whole) {
            offset -= head;
            data -= head;
        }
    }
    pthread_mutex_unlock(&w->lock);
    return graphfile_plain_write(file, offset, data, end - offset);
}

int graphfile_write_shared_pages(graphfile_writer *w)
{
    for (const struct graphfile_shared_page *p = w->shared_pages; p != NULL; p = p->next) {
        EDGEFILE_TRY(graphfile_plain_write(p->file, p->offset + p->from, p->data + p->from,
                                           p->to - p->from));
    }
    graphfile_drop_shared_pages(w);
    return EDGEFILE_OK;
}

void graphfile_drop_shared_pages(graphfile_writer *w)
{
    while (w->shared_pages != NULL) {
        struct graphfile_shared_page *p = w->shared_pages;

        w->shared_pages = p->next;
        free(p);
    }
}
