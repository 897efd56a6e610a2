/*
 * place.c - shared parts of formats with columns at known places: chunks of a column, and the pages
 * of the file that two pieces share.
 *
 * An array that does not begin on a page makes each piece begin and end inside one.  Such parts of
 * pages would have to pass through the page cache, which made writing on ext4 a quarter slower.  So
 * the first of two pieces leaves its part here, and the other writes the whole page.  A part whose
 * other half never arrives, because it belongs to another process or does not exist, is written at
 * the end.
 */
#include "io/writer.h"

#include <stdlib.h>
#include <string.h>

/* Chunks. */

/* Puts ids of a type into every stride-th element of another type. */
#define PUT(from, type)                                                                            \
    for (size_t i = 0; i < count; i++) {                                                           \
        ((type *)to)[i * stride] = (type)((const from *)ids)[i];                                   \
    }

void graphfile_put_ids(const graphfile_writer *w, void *to, int width, size_t stride,
                       const void *ids, size_t count)
{
    const bool narrow = w->spec.graph.id_bytes == 4;

    if (width == 4 && narrow) {
        PUT(uint32_t, uint32_t)
    } else if (width == 4) {
        PUT(uint64_t, uint32_t)
    } else if (narrow) {
        PUT(uint32_t, uint64_t)
    } else
        PUT(uint64_t, uint64_t)
}

void *graphfile_open_chunk(graphfile_writer *w, graphfile_buffer **b, size_t bytes)
{
    char *to = NULL;

    *b = graphfile_take_buffer(w);
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

int graphfile_close_chunk(graphfile_writer *w, io_file *file, uint64_t offset, graphfile_buffer *b,
                          int st)
{
    if (st == EDGEFILE_OK) {
        st = graphfile_write_sharing(w, file, offset, graphfile_align(b, offset), b->bytes);
    }
    graphfile_give_buffer(w, b);
    return st;
}

int graphfile_write_chunk(graphfile_writer *w, io_file *file, uint64_t offset, const void *data,
                          size_t bytes)
{
    graphfile_buffer *b;
    void *to;

    if (((uintptr_t)data - offset) % GRAPHFILE_PAGE == 0) {
        return io_file_write(file, offset, data, bytes);
    }
    to = graphfile_open_chunk(w, &b, bytes);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    memcpy(to, data, bytes);
    return graphfile_close_chunk(w, file, offset, b, EDGEFILE_OK);
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
    graphfile_put_ids(w, to, width, 1, ids, count);
    return graphfile_close_chunk(w, &w->file, offset, b, EDGEFILE_OK);
}

/* Shared pages. */

enum { MOST_WAITING = 256 };

struct graphfile_shared_page {
    io_file *file;
    uint64_t offset;
    size_t from, to; /* the part that is there */
    struct graphfile_shared_page *next;
    char data[GRAPHFILE_PAGE];
};

/* Combines the two parts of a page.  page: the whole page, with bytes [from, to) filled in. Returns
 * true if the caller must write the page, which is now filled in completely; false if the part
 * waits here. *whole: the other part was here.  Called under the lock. */
static bool meet(graphfile_writer *w, io_file *file, uint64_t offset, char *page, size_t from,
                 size_t to, bool *whole)
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

int graphfile_write_sharing(graphfile_writer *w, io_file *file, uint64_t offset, char *data,
                            size_t bytes)
{
    const size_t head = offset % GRAPHFILE_PAGE, tail = (offset + bytes) % GRAPHFILE_PAGE;
    uint64_t end = offset + bytes;
    bool whole;

    if (file->direct_fd < 0 || bytes < (size_t)2 * GRAPHFILE_PAGE) {
        return io_file_write(file, offset, data, bytes);
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
    return io_file_write(file, offset, data, end - offset);
}

int graphfile_write_shared_pages(graphfile_writer *w)
{
    for (const struct graphfile_shared_page *p = w->shared_pages; p != NULL; p = p->next) {
        EDGEFILE_TRY(
            io_file_write(p->file, p->offset + p->from, p->data + p->from, p->to - p->from));
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
