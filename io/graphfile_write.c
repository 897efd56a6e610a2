/*
 * graphfile_write.c - writing: encode in the calling thread, wait for the place, write there.
 *
 * The place of a piece is known when the pieces before it are encoded; where all edges have the
 * same number of bytes, at once.  To a pipe pieces are written one after the other.
 */
#include "io/graphfile_impl.h"

#include <stdlib.h>

static const graphfile_ops *const all_ops[GRAPHFILE_N_FORMATS] = {
    [GRAPHFILE_EL] = &graphfile_el_ops,
    [GRAPHFILE_BIN32] = &graphfile_bin32_ops,
    [GRAPHFILE_BIN64] = &graphfile_bin64_ops,
    [GRAPHFILE_GRAPH500] = &graphfile_graph500_ops,
    [GRAPHFILE_NPY] = &graphfile_npy_ops,
    [GRAPHFILE_SG] = &graphfile_sg_ops,
    [GRAPHFILE_WSG] = &graphfile_wsg_ops,
    [GRAPHFILE_PBG] = &graphfile_pbg_ops,
    [GRAPHFILE_BINSPARSE] = &graphfile_binsparse_ops,
};

/* The buffer's bytes at the writer's offset, which moves on. */
static int append(graphfile_writer *w, graphfile_buffer *b)
{
    int st = graphfile_plain_write(&w->file, w->offset, b->data, b->bytes);

    w->offset += b->bytes;
    b->bytes = 0;
    return st;
}

static int begin(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    if (w->ops->open != NULL)
        return w->ops->open(w);
    if (w->ops->header != NULL)
        st = w->ops->header(w, &b);
    if (st == EDGEFILE_OK)
        st = append(w, &b);
    graphfile_buffer_free(&b);
    return st;
}

int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec)
{
    graphfile_writer *w = NULL;
    int st;

    *out = NULL;
    st = graphfile_check(spec->format, &spec->graph);
    if (st != EDGEFILE_OK)
        return st;
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    w->spec = *spec;
    w->ops = all_ops[spec->format];
    if (w->ops == NULL) {
        free(w);
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s is not written yet",
                             graphfile_table[spec->format].name);
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->turn, NULL);
    st = graphfile_plain_create(&w->file, name, spec->replace);
    if (st == EDGEFILE_OK)
        st = begin(w);
    if (st != EDGEFILE_OK)
        graphfile_abort(&w);
    *out = w;
    return st;
}

/* Under the lock, when all pieces before have their places.  Writes what joins it to them. */
static int take_turn(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    while (w->next != p->number && !w->cancelled)
        pthread_cond_wait(&w->turn, &w->lock);
    if (w->cancelled)
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    if (w->ops->join != NULL) {
        st = w->ops->join(w, p, &b);
        if (st == EDGEFILE_OK)
            st = append(w, &b);
        graphfile_buffer_free(&b);
    }
    return st;
}

static int place(graphfile_writer *w, const graphfile_piece *p, const graphfile_buffer *b)
{
    const int pipe = w->file.name == NULL;
    uint64_t offset;
    int st;

    pthread_mutex_lock(&w->lock);
    st = take_turn(w, p);
    offset = w->offset;
    w->offset += b->bytes;
    if (st == EDGEFILE_OK && pipe)
        st = graphfile_plain_write(&w->file, offset, b->data, b->bytes);
    w->next++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
    if (st == EDGEFILE_OK && !pipe)
        st = graphfile_plain_write(&w->file, offset, b->data, b->bytes);
    return st;
}

int graphfile_write(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer b = {0};
    int st;

    if (w->ops->write != NULL) {
        st = w->ops->write(w, p);
    } else {
        st = w->ops->encode(w, p, &b);
        if (st == EDGEFILE_OK)
            st = place(w, p, &b);
        graphfile_buffer_free(&b);
    }
    if (st == EDGEFILE_OK)
        atomic_fetch_add(&w->written, p->count);
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
    pthread_mutex_lock(&w->lock);
    w->cancelled = true;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
}

static int finish(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    if (atomic_load(&w->written) != w->spec.graph.edges)
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%llu of %llu edges were written",
                             (unsigned long long)atomic_load(&w->written),
                             (unsigned long long)w->spec.graph.edges);
    if (w->ops->trailer != NULL) {
        st = w->ops->trailer(w, &b);
        if (st == EDGEFILE_OK)
            st = append(w, &b);
        graphfile_buffer_free(&b);
    }
    if (st == EDGEFILE_OK && w->ops->finish != NULL)
        st = w->ops->finish(w);
    return st;
}

int graphfile_commit(graphfile_writer **out, uint64_t *bytes)
{
    graphfile_writer *w = *out;
    int st = finish(w);

    if (st == EDGEFILE_OK)
        st = graphfile_plain_publish(&w->file);
    if (bytes != NULL)
        *bytes = atomic_load(&w->file.end);
    graphfile_abort(out);
    return st;
}

void graphfile_abort(graphfile_writer **out)
{
    graphfile_writer *w = out != NULL ? *out : NULL;

    if (w == NULL)
        return;
    if (w->ops->close != NULL)
        w->ops->close(w);
    graphfile_plain_close(&w->file);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->turn);
    free(w);
    *out = NULL;
}
