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

/* Writes the buffer, whose bytes may move. */
static int write_buffer(graphfile_writer *w, uint64_t offset, graphfile_buffer *b)
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

/* Writes the buffer at the writer's offset, which moves on. */
static int append(graphfile_writer *w, graphfile_buffer *b)
{
    const uint64_t offset = w->offset;

    w->offset += graphfile_length(b);
    return write_buffer(w, offset, b);
}

/* The length of the file, or a lower bound of it. */
static uint64_t expected(const graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const unsigned row_bytes = w->about->row_bytes;
    uint64_t each = w->about->edge_bytes, bytes;

    if (each == 0) { /* text: two digits and two blanks; where rows have lines, one of each */
        each = row_bytes > 0 ? 2 : g->weight != EDGEFILE_NO_WEIGHT ? 6 : 4;
    }
    if (__builtin_mul_overflow(g->edges, each, &bytes) ||
        __builtin_add_overflow(bytes, row_bytes * g->rows, &bytes)) {
        return UINT64_MAX;
    }
    return bytes;
}

static int begin(graphfile_writer *w)
{
    const graphfile_write_ops *ops = w->about->write;
    graphfile_buffer b = {0};
    int st;

    EDGEFILE_TRY(graphfile_plain_expect(&w->file, expected(w)));
    if (ops->open != NULL) {
        w->opened = true;
        return ops->open(w);
    }
    if (w->about->edge_bytes != 0) {
        graphfile_plain_reserve(&w->file, expected(w));
    }
    st = ops->header != NULL ? ops->header(w, &b) : EDGEFILE_OK;
    if (st == EDGEFILE_OK) {
        st = append(w, &b);
    }
    w->start = w->offset;
    graphfile_buffer_free(&b);
    return st;
}

int graphfile_not_ours(const char *prefix, graphfile_format format)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "%sformat '%s' is edgefile.h's", prefix,
                         graphfile_names[format]);
}

int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec)
{
    graphfile_writer *w;
    int st;

    *out = NULL;
    EDGEFILE_TRY(graphfile_check(spec->format, &spec->graph));
    if (spec->columns != NULL) {
        EDGEFILE_TRY(graphfile_check_columns(spec->format, spec->columns));
    }
    if (graphfile_descriptors[spec->format]->write == NULL) {
        return graphfile_not_ours("", spec->format);
    }
    w = calloc(1, sizeof *w);
    if (w == NULL) {
        return edgefile_no_memory(name);
    }
    w->spec = *spec;
    w->about = graphfile_descriptors[spec->format];
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->turn, NULL);
    st = graphfile_plain_create(&w->file, name, spec->replace != 0);
    if (st == EDGEFILE_OK) {
        st = begin(w);
    }
    if (st != EDGEFILE_OK) {
        graphfile_abort(&w);
    }
    *out = w;
    return st;
}

graphfile_buffer *graphfile_take_buffer(graphfile_writer *w)
{
    graphfile_buffer *b;

    pthread_mutex_lock(&w->lock);
    b = w->spare;
    if (b != NULL) {
        w->spare = b->next;
    }
    pthread_mutex_unlock(&w->lock);
    return b != NULL ? b : calloc(1, sizeof *b);
}

void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b)
{
    graphfile_empty(b);
    pthread_mutex_lock(&w->lock);
    b->next = w->spare;
    w->spare = b;
    pthread_mutex_unlock(&w->lock);
}

/* Waits, under the lock, until all earlier pieces have their places; then writes what joins this
 * piece to them. */
static int take_turn(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    while (w->next != p->number && !w->cancelled) {
        pthread_cond_wait(&w->turn, &w->lock);
    }
    if (w->cancelled) {
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    }
    if (w->about->write->join != NULL) {
        st = w->about->write->join(w, p, &b);
        if (st == EDGEFILE_OK && graphfile_length(&b) > 0) {
            st = append(w, &b);
        }
        graphfile_buffer_free(&b);
    }
    return st;
}

static int place(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const bool pipe = w->file.name == NULL;
    uint64_t offset;
    int st;

    if (w->about->edge_bytes != 0 && !pipe) {
        return write_buffer(w, w->start + p->first * w->about->edge_bytes, b);
    }
    pthread_mutex_lock(&w->lock);
    st = take_turn(w, p);
    offset = w->offset;
    w->offset += graphfile_length(b);
    if (st == EDGEFILE_OK && pipe) {
        st = write_buffer(w, offset, b);
    } else if (st == EDGEFILE_OK && w->offset > w->file.reserved + AHEAD / 4) {
        graphfile_plain_reserve(&w->file, w->offset + AHEAD);
    }
    w->next++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
    if (st == EDGEFILE_OK && !pipe) {
        st = write_buffer(w, offset, b);
    }
    return st;
}

static int encode(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer *b = graphfile_take_buffer(w);
    int st;

    if (b == NULL) {
        return edgefile_no_memory(NULL);
    }
    st = w->about->write->encode(w, p, b);
    if (st == EDGEFILE_OK) {
        st = place(w, p, b);
    }
    graphfile_give_buffer(w, b);
    return st;
}

int graphfile_write(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(graphfile_check_piece(w, p));
    EDGEFILE_TRY(w->about->write->write != NULL ? w->about->write->write(w, p) : encode(w, p));
    atomic_fetch_add(&w->written, p->count);
    return EDGEFILE_OK;
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

static int finish(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    EDGEFILE_TRY(graphfile_check_ends(w));
    if (atomic_load(&w->written) != w->spec.graph.edges) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%llu of %llu edges were written",
                             (unsigned long long)atomic_load(&w->written),
                             (unsigned long long)w->spec.graph.edges);
    }
    if (w->about->write->trailer != NULL) {
        st = w->about->write->trailer(w, &b);
        if (st == EDGEFILE_OK) {
            st = append(w, &b);
        }
        graphfile_buffer_free(&b);
    }
    if (st == EDGEFILE_OK && w->about->write->finish != NULL) {
        st = w->about->write->finish(w);
    }
    return st;
}

int graphfile_commit(graphfile_writer **out, uint64_t *bytes)
{
    graphfile_writer *w = *out;
    int st = finish(w);

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_publish(&w->file);
    }
    if (bytes != NULL) {
        *bytes = atomic_load(&w->file.end);
    }
    graphfile_abort(out);
    return st;
}

void graphfile_abort(graphfile_writer **out)
{
    graphfile_writer *w = out != NULL ? *out : NULL;

    if (w == NULL) {
        return;
    }
    if (w->opened && w->about->write->close != NULL) {
        w->about->write->close(w);
    }
    graphfile_plain_close(&w->file);
    while (w->spare != NULL) {
        graphfile_buffer *b = w->spare;
        w->spare = b->next;
        graphfile_buffer_free(b);
        free(b);
    }
    free(w->ends);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->turn);
    free(w);
    *out = NULL;
}
