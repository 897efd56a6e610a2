/*
 * io/formats/write.c - writing: encode in the calling thread, wait for the place, write there.
 *
 * The place of a piece is known when the pieces before it are encoded; where all edges have the
 * same number of bytes, at once.  To a pipe pieces are written one after the other.
 */
#include "io/formats/writer.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD ((uint64_t)256 << 20) /* bytes that are set aside in the file */

enum { NEWLINES = 1 << 16 };

static const graphfile_ops *const all_ops[GRAPHFILE_N_FORMATS] = {
    [GRAPHFILE_EL] = &graphfile_el_ops,
    [GRAPHFILE_WEL] = &graphfile_wel_ops,
    [GRAPHFILE_TSV] = &graphfile_tsv_ops,
    [GRAPHFILE_MTX] = &graphfile_mtx_ops,
    [GRAPHFILE_GR] = &graphfile_gr_ops,
    [GRAPHFILE_METIS] = &graphfile_metis_ops,
    [GRAPHFILE_BIN32] = &graphfile_bin32_ops,
    [GRAPHFILE_BIN64] = &graphfile_bin64_ops,
    [GRAPHFILE_GRAPH500] = &graphfile_graph500_ops,
    [GRAPHFILE_NPY] = &graphfile_npy_ops,
    [GRAPHFILE_SG] = &graphfile_sg_ops,
    [GRAPHFILE_WSG] = &graphfile_wsg_ops,
    [GRAPHFILE_PBG] = &graphfile_pbg_ops,
    [GRAPHFILE_BINSPARSE] = &graphfile_binsparse_ops,
};

static int write_newlines(graphfile_writer *w, uint64_t offset, uint64_t count)
{
    char block[NEWLINES];
    int st = EDGEFILE_OK;

    memset(block, '\n', sizeof block);
    while (count > 0 && st == EDGEFILE_OK) {
        size_t n = count < sizeof block ? (size_t)count : sizeof block;
        st = graphfile_plain_write(&w->file, offset, block, n);
        offset += n;
        count -= n;
    }
    return st;
}

/* The buffer, whose bytes may move. */
static int write_buffer(graphfile_writer *w, uint64_t offset, graphfile_buffer *b)
{
    const char *data = graphfile_align(b, offset);
    size_t done = 0;
    int st = EDGEFILE_OK;

    for (size_t i = 0; i < b->n_runs && st == EDGEFILE_OK; i++) {
        const graphfile_run *run = &b->runs[i];
        st = graphfile_plain_write(&w->file, offset, data + done, run->at - done);
        offset += run->at - done;
        done = run->at;
        if (st == EDGEFILE_OK) {
            st = write_newlines(w, offset, run->newlines);
        }
        offset += run->newlines;
    }
    return st == EDGEFILE_OK ? graphfile_plain_write(&w->file, offset, data + done, b->bytes - done)
                             : st;
}

/* At the writer's offset, which moves on. */
static int append(graphfile_writer *w, graphfile_buffer *b)
{
    const uint64_t offset = w->offset;

    w->offset += graphfile_length(b);
    return write_buffer(w, offset, b);
}

/* The length of the file, or what it has at least. */
static uint64_t expected(const graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    uint64_t each = w->ops->edge_bytes, bytes;

    if (each == 0 && w->ops->encode != NULL) {
        each = g->weight != EDGEFILE_NO_WEIGHT ? 6 : 4;
    }
    if (w->spec.format == GRAPHFILE_METIS) {
        each = 2;
    }
    if (__builtin_mul_overflow(g->edges, each, &bytes) ||
        __builtin_add_overflow(bytes, w->spec.format == GRAPHFILE_METIS ? g->rows : 0, &bytes)) {
        return UINT64_MAX;
    }
    return bytes;
}

static int begin(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st = graphfile_plain_expect(&w->file, expected(w));

    if (st != EDGEFILE_OK) {
        return st;
    }
    if (w->ops->open != NULL) {
        w->opened = true;
        return w->ops->open(w);
    }
    if (w->ops->edge_bytes != 0) {
        graphfile_plain_reserve(&w->file, expected(w));
    }
    if (w->ops->header != NULL) {
        st = w->ops->header(w, &b);
    }
    if (st == EDGEFILE_OK) {
        st = append(w, &b);
    }
    w->start = w->offset;
    graphfile_buffer_free(&b);
    return st;
}

int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec)
{
    graphfile_writer *w = NULL;
    int st;

    *out = NULL;
    st = graphfile_check(spec->format, &spec->graph);
    if (st != EDGEFILE_OK) {
        return st;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    w->spec = *spec;
    w->ops = all_ops[spec->format];
    if (w->ops == NULL) {
        free(w);
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: format '%s' is edgefile.h's", name,
                             graphfile_table[spec->format].name);
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->turn, NULL);
    st = graphfile_plain_create(&w->file, name, spec->replace);
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

/* Under the lock, when all pieces before have their places.  Writes what joins it to them. */
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
    if (w->ops->join != NULL) {
        st = w->ops->join(w, p, &b);
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

    if (w->ops->edge_bytes != 0 && !pipe) {
        return write_buffer(w, w->start + p->first * w->ops->edge_bytes, b);
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
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
    }
    st = w->ops->encode(w, p, b);
    if (st == EDGEFILE_OK) {
        st = place(w, p, b);
    }
    graphfile_give_buffer(w, b);
    return st;
}

int graphfile_write(graphfile_writer *w, const graphfile_piece *p)
{
    int st = graphfile_check_piece(w, p);

    if (st == EDGEFILE_OK) {
        st = w->ops->write != NULL ? w->ops->write(w, p) : encode(w, p);
    }
    if (st == EDGEFILE_OK) {
        atomic_fetch_add(&w->written, p->count);
    }
    return st;
}

int graphfile_write_in_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                                const uint64_t *pointers)
{
    return w->ops->in_pointers(w, first, count, pointers);
}

int graphfile_write_in_neighbours(graphfile_writer *w, uint64_t first, uint64_t count,
                                  const void *neighbours)
{
    return w->ops->in_neighbours(w, first, count, neighbours);
}

const char *graphfile_name(const graphfile_writer *w)
{
    return w->file.name != NULL ? w->file.name : "standard output";
}

void graphfile_cancel(graphfile_writer *w)
{
    atomic_store(&w->file.cancelled, 1);
    pthread_mutex_lock(&w->lock);
    w->cancelled = true;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
}

static int finish(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st = graphfile_check_ends(w);

    if (st != EDGEFILE_OK) {
        return st;
    }
    if (atomic_load(&w->written) != w->spec.graph.edges) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%llu of %llu edges were written",
                             (unsigned long long)atomic_load(&w->written),
                             (unsigned long long)w->spec.graph.edges);
    }
    if (w->ops->trailer != NULL) {
        st = w->ops->trailer(w, &b);
        if (st == EDGEFILE_OK) {
            st = append(w, &b);
        }
        graphfile_buffer_free(&b);
    }
    if (st == EDGEFILE_OK && w->ops->finish != NULL) {
        st = w->ops->finish(w);
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
    if (w->opened && w->ops->close != NULL) {
        w->ops->close(w);
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
