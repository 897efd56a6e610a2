/*
 * shared_page.c - pages of the file of which two pieces have a part each.
 *
 * Where an array does not begin on a page, each piece begins and ends inside of one.  Such parts of
 * pages would have to pass through the page cache, and on ext4 the whole took a quarter longer for
 * that.  So the piece that comes first leaves its part here, and the other writes the
 * whole page with its own.  A part whose other half never comes, as it is another process's or does
 * not exist, is written at the end.
 */
#include "io/formats/writer.h"

#include <stdlib.h>
#include <string.h>

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
