/*
 * write.c - writing: a thread encodes its piece, waits for the piece's place in the file, and
 * writes it there.
 *
 * The place is known when all pieces before are encoded; where every edge has the same number of
 * bytes, at once.  To a pipe, pieces are written one after the other.
 */
#include "io/formats/writer.h"

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

        EDGEFILE_TRY(graphfile_plain_write(&w->file, offset, many, n));
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

        EDGEFILE_TRY(graphfile_plain_write(&w->file, offset, data + done, run->at - done));
        offset += run->at - done;
        done = run->at;
        EDGEFILE_TRY(write_newlines(w, offset, run->newlines));
        offset += run->newlines;
    }
    return graphfile_plain_write(&w->file, offset, data + done, b->bytes - done);
}

int graphfile_append(graphfile_writer *w, graphfile_buffer *b)
{
    const uint64_t offset = w->offset;

    w->offset += graphfile_length(b);
    return graphfile_is_first(w) ? graphfile_write_buffer(w, offset, b) : EDGEFILE_OK;
}

int graphfile_not_ours(const char *prefix, graphfile_format format)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "%sformat '%s' is edgefile.h's", prefix,
                         graphfile_names[format]);
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

    graphfile_empty(b);
    pthread_mutex_lock(&w->lock);
    b->next = *list;
    *list = b;
    pthread_mutex_unlock(&w->lock);
}

int graphfile_join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
{
    return w->about->write->join != NULL ? w->about->write->join(w, p, b) : EDGEFILE_OK;
}

/* Waits, under the lock, until all earlier pieces have their places; then writes what joins this
 * piece to them. */
static int take_turn(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_ends ends = graphfile_ends_of(w, p);
    graphfile_buffer b = {0};
    int st;

    while (w->next != p->number && !w->cancelled) {
        pthread_cond_wait(&w->turn, &w->lock);
    }
    if (w->cancelled) {
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    }
    st = graphfile_join(w, &ends, &b);
    if (st == EDGEFILE_OK && graphfile_length(&b) > 0) {
        st = graphfile_append(w, &b);
    }
    graphfile_buffer_free(&b);
    return st;
}

static int place(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b,
                 graphfile_sum sum)
{
    const bool pipe = w->file.name == NULL;
    uint64_t offset, end;
    int st;

    if (w->about->edge_bytes != 0 && !pipe) {
        offset = w->start + p->first * w->about->edge_bytes;
        end = offset + p->count * w->about->edge_bytes;
        EDGEFILE_TRY(graphfile_write_buffer(w, offset, b));
        return graphfile_progress_piece(w, p, end, sum);
    }
    pthread_mutex_lock(&w->lock);
    st = take_turn(w, p);
    offset = w->offset;
    w->offset += graphfile_length(b);
    end = w->offset;
    if (st == EDGEFILE_OK && pipe) {
        st = graphfile_write_buffer(w, offset, b);
    } else if (st == EDGEFILE_OK && w->offset > w->file.reserved + AHEAD / 4) {
        graphfile_plain_reserve(&w->file, w->offset + AHEAD);
    }
    w->next++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
    if (st == EDGEFILE_OK && !pipe) {
        st = graphfile_write_buffer(w, offset, b);
    }
    return st == EDGEFILE_OK ? graphfile_progress_piece(w, p, end, sum) : st;
}

static int encode(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer *b = graphfile_take_buffer(w, false);
    graphfile_sum sum;
    int st;

    if (b == NULL) {
        return edgefile_no_memory(NULL);
    }
    st = w->about->write->encode(w, p, b);
    sum = graphfile_progress_sum(w, b);
    if (st == EDGEFILE_OK && w->spec.group != NULL && w->about->edge_bytes == 0) {
        st = graphfile_progress_piece(w, p, 0, sum);
        if (st == EDGEFILE_OK) {
            return graphfile_keep(w, p, b);
        }
    }
    if (st == EDGEFILE_OK) {
        st = place(w, p, b, sum);
    }
    graphfile_give_buffer(w, b);
    return st;
}

int graphfile_write(graphfile_writer *w, const graphfile_piece *p)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    if (!w->about->write->unchecked) {
        EDGEFILE_TRY(graphfile_check_piece(w, p));
    }
    EDGEFILE_TRY(w->about->write->write != NULL ? w->about->write->write(w, p) : encode(w, p));
    atomic_fetch_add(&w->written, p->count);
    atomic_fetch_add(&w->pieces, 1);
    return EDGEFILE_OK;
}

int graphfile_write_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                             const uint64_t *pointers)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    if (w->spec.format != GRAPHFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers",
                             graphfile_name(w));
    }
    return w->about->write->pointers(w, first, count, pointers);
}

uint64_t graphfile_resumed(const graphfile_writer *w, uint64_t *pieces)
{
    if (pieces != NULL) {
        *pieces = w->resumed > 0 ? w->next : 0;
    }
    return w->resumed;
}

size_t graphfile_in_bytes(const graphfile_writer *w)
{
    return w->about->write->in_bytes != NULL ? w->about->write->in_bytes(w) : 0;
}

int graphfile_write_in_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                                const uint64_t *pointers)
{
    return w->about->write->in_pointers(w, first, count, pointers);
}

int graphfile_write_in_neighbours(graphfile_writer *w, uint64_t first, uint64_t count,
                                  const void *neighbours)
{
    return w->about->write->in_neighbours(w, first, count, neighbours);
}

const char *graphfile_name(const graphfile_writer *w)
{
    return w->file.name != NULL ? w->file.name : "standard output";
}

void graphfile_cancel(graphfile_writer *w)
{
    atomic_store(&w->file.cancelled, true);
    pthread_mutex_lock(&w->lock);
    w->cancelled = true;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
}
