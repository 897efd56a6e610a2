/*
 * column.c - chunks of formats that know the place of every edge in the file: arrays of vertices,
 * of 4 or 8 bytes each, and other arrays.
 */
#include "io/formats/writer.h"

#include <string.h>

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

int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width)
{
    const int is = w->spec.graph.id_bytes;
    const size_t bytes = count * (size_t)width;
    graphfile_buffer *b;
    void *to;
    int st = EDGEFILE_OK;

    if (is == width) {
        return graphfile_write_chunk(w, &w->file, offset, ids, bytes);
    }
    to = graphfile_open_chunk(w, &b, bytes);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    if (is == 8) {
        st = graphfile_narrow(to, 1, ids, count);
    } else {
        graphfile_widen(to, 1, ids, count);
    }
    return graphfile_close_chunk(w, &w->file, offset, b, st);
}
