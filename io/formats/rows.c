/*
 * rows.c - the sources of edges that a file has as row pointers: element i is the number of the
 * edge with which row i begins.
 *
 * When the file is opened, all pointers are read once: are they in order, and in which row does
 * each piece begin?  From there on a piece reads the pointers that it needs.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BUFFER = 1 << 16 };

/* Pointers, read one after the other. */
typedef struct {
    uint64_t next, n, at; /* the first that is not in memory; those in memory; used of these */
    uint64_t pointer[BUFFER];
} stream;

static int next(const graphfile_reader *r, const graphfile_rows *x, stream *s, uint64_t *pointer)
{
    if (s->at == s->n) {
        const uint64_t left = x->rows + 1 - s->next;

        s->n = left < BUFFER ? left : BUFFER;
        s->at = 0;
        EDGEFILE_TRY(x->get(r, s->next, s->n, s->pointer));
        s->next += s->n;
    }
    *pointer = s->pointer[s->at++];
    return EDGEFILE_OK;
}

static int disorder(const graphfile_reader *r, uint64_t i, uint64_t pointer, uint64_t least,
                    uint64_t most)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: row pointer %" PRIu64 " is %" PRIu64 ", expected %" PRIu64
                         " to %" PRIu64,
                         r->name, i, pointer, least, most);
}

static int see_all(const graphfile_reader *r, graphfile_rows *x, stream *s)
{
    uint64_t before, pointer, piece = 0;

    EDGEFILE_TRY(next(r, x, s, &before));
    if (before != 0) {
        return disorder(r, 0, before, 0, 0);
    }
    for (uint64_t row = 0; row < x->rows; row++) {
        const uint64_t least = row + 1 < x->rows ? before : r->array_edges;

        EDGEFILE_TRY(next(r, x, s, &pointer));
        if (pointer < least || pointer > r->array_edges) {
            return disorder(r, row + 1, pointer, least, r->array_edges);
        }
        for (; piece * r->piece_edges < pointer; piece++) {
            x->row[piece] = row;
        }
        before = pointer;
    }
    return EDGEFILE_OK;
}

int graphfile_rows_open(const graphfile_reader *r, graphfile_rows *x)
{
    stream *s = calloc(1, sizeof *s);
    int st;

    x->row = malloc((r->pieces + 1) * sizeof *x->row);
    st = s != NULL && x->row != NULL ? see_all(r, x, s) : edgefile_no_memory(r->name);
    if (st == EDGEFILE_OK && x->rows == 0 && r->array_edges > 0) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %" PRIu64 " edges, but no vertices",
                           r->name, r->array_edges);
    }
    free(s);
    return st;
}

static int fill(const graphfile_reader *r, const graphfile_rows *x, stream *s, uint64_t piece,
                uint64_t *src)
{
    uint64_t first, count, row = x->row[piece], end;

    graphfile_range(r, piece, &first, &count);
    s->next = row + 1;
    EDGEFILE_TRY(next(r, x, s, &end));
    for (uint64_t i = 0; i < count; i++) {
        while (first + i >= end) {
            if (++row == x->rows) { /* the pointers were in order before */
                return edgefile_fail(EDGEFILE_ERR_IO, "%s: changed while it was read", r->name);
            }
            EDGEFILE_TRY(next(r, x, s, &end));
        }
        src[i] = row;
    }
    return EDGEFILE_OK;
}

int graphfile_rows_fill(const graphfile_reader *r, const graphfile_rows *x, uint64_t piece,
                        uint64_t *src)
{
    stream *s = malloc(sizeof *s);
    int st;

    if (s == NULL) {
        return edgefile_no_memory(r->name);
    }
    s->n = s->at = 0;
    st = fill(r, x, s, piece, src);
    free(s);
    return st;
}
