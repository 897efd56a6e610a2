/*
 * encode.c - formats that are a stream of bytes.
 *
 * A thread encodes its piece, waits for the piece's place in the file, and writes it there.  The
 * place is known when all earlier pieces are encoded, or immediately if every edge has the same
 * number of bytes.  On a pipe, pieces are written in order.  Several processes work in rounds
 * (rounds.c).
 */
#include "io/writer.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD ((uint64_t)256 << 20) /* bytes of disk space that are allocated ahead */

enum { NEWLINES = 1 << 16 };

static int write_newlines(graphfile_writer *w, uint64_t offset, uint64_t count)
{
    char many[NEWLINES];

    memset(many, '\n', sizeof many);
    while (count > 0) {
        size_t n = count < sizeof many ? (size_t)count : sizeof many;

        EDGEFILE_TRY(io_file_write(&w->file, offset, many, n));
        offset += n;
        count -= n;
    }
    return EDGEFILE_OK;
}

int graphfile_write_buffer(graphfile_writer *w, uint64_t offset, graphfile_buffer *b)
{
    const char *data = graphfile_align(b, offset);
    size_t done = 0;

    for (size_t i = 0; i < b->n_runs; i++) {
        const graphfile_run *run = &b->runs[i];

        EDGEFILE_TRY(io_file_write(&w->file, offset, data + done, run->at - done));
        offset += run->at - done;
        done = run->at;
        EDGEFILE_TRY(write_newlines(w, offset, run->newlines));
        offset += run->newlines;
    }
    return io_file_write(&w->file, offset, data + done, b->bytes - done);
}

/* Writes the buffer at the writer's offset and advances it, unless st is an error.  In a group
 * process 0 writes. */
static int append(graphfile_writer *w, int st, graphfile_buffer *b)
{
    const uint64_t offset = w->offset;

    w->offset += graphfile_length(b);
    if (st == EDGEFILE_OK && edgefile_group_leads(w->spec.group) && graphfile_length(b) > 0) {
        st = graphfile_write_buffer(w, offset, b);
    }
    graphfile_buffer_free(b);
    return st;
}

int graphfile_encode_header(graphfile_writer *w)
{
    const graphfile_encode *encode = w->about->encode;
    graphfile_buffer b = {0};

    EDGEFILE_TRY(io_file_reserve(&w->file, encode->edge_bytes * w->spec.graph.edges));
    EDGEFILE_TRY(append(w, encode->header != NULL ? encode->header(w, &b) : EDGEFILE_OK, &b));
    w->start = w->offset;
    return EDGEFILE_OK;
}

int graphfile_encode_trailer(graphfile_writer *w)
{
    const graphfile_encode *encode = w->about->encode;
    graphfile_buffer b = {0};

    return encode->trailer != NULL ? append(w, encode->trailer(w, &b), &b) : EDGEFILE_OK;
}

int graphfile_join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
{
    return w->about->encode->join != NULL ? w->about->encode->join(w, p, b) : EDGEFILE_OK;
}

/* Waits, under the lock, until all earlier pieces have their places.  Then writes the bytes that
 * join this piece to them. */
static int take_turn(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_ends ends = graphfile_ends_of(w, p);
    graphfile_buffer b = {0};

    while (w->next != p->number && !w->cancelled) {
        pthread_cond_wait(&w->turn, &w->lock);
    }
    if (w->cancelled) {
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    }
    return append(w, graphfile_join(w, &ends, &b), &b);
}

static int place_piece(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const bool pipe = w->file.name == NULL;
    const unsigned edge_bytes = w->about->encode->edge_bytes;
    uint64_t offset;
    int st;

    if (edge_bytes != 0 && !pipe) {
        return graphfile_write_buffer(w, w->start + p->first * edge_bytes, b);
    }
    pthread_mutex_lock(&w->lock);
    st = take_turn(w, p);
    offset = w->offset;
    w->offset += graphfile_length(b);
    if (st == EDGEFILE_OK && pipe) {
        st = graphfile_write_buffer(w, offset, b);
    } else if (st == EDGEFILE_OK && w->offset > w->file.reserved + AHEAD / 4) {
        (void)io_file_reserve(&w->file, w->offset + AHEAD); /* a write will report the error */
    }
    w->next++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
    if (st == EDGEFILE_OK && !pipe) {
        st = graphfile_write_buffer(w, offset, b);
    }
    return st;
}

int graphfile_encode_piece(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer *b = graphfile_take_buffer(w, false);
    int st;

    if (b == NULL) {
        return edgefile_no_memory(NULL);
    }
    st = w->about->encode->piece(w, p, b);
    if (st == EDGEFILE_OK && w->spec.group != NULL && w->about->encode->edge_bytes == 0) {
        return graphfile_keep(w, p, b);
    }
    if (st == EDGEFILE_OK) {
        st = place_piece(w, p, b);
    }
    graphfile_give_buffer(w, b);
    return st;
}
