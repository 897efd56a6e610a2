/* Edges as a generator makes them. */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "rmat/rmat_gpu.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    edge_source_model *model;
    const rmat_gen *_Atomic gen; /* in use */
    pthread_mutex_t lock;        /* guards what the model says of a failure */
} maker;

/* The generator `failed`: is there another one? */
static bool fall_back(maker *x, const rmat_gen *failed, const char *text)
{
    edge_source_model *m = x->model;

    if (m->fallback == NULL || failed == m->fallback) {
        return false;
    }
    pthread_mutex_lock(&x->lock);
    if (!m->fell_back) {
        m->fell_back = true;
        snprintf(m->fall_text, sizeof m->fall_text, "%s", text);
        atomic_store(&x->gen, m->fallback);
    }
    pthread_mutex_unlock(&x->lock);
    return true;
}

static int make(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    maker *x = s->state;
    const rmat_arrays to = {m->src, m->dst, m->weight, x->model->id_bytes};
    const rmat_gen *gen;
    int status;

    edge_source_place(s, m, &m->edges);
    do {
        gen = atomic_load(&x->gen);
        status = rmat_generate_arrays(gen, m->edges.first, m->edges.count, &to);
        if (status != RMAT_OK) {
            const char *cuda = rmat_gpu_error();

            snprintf(text, size, "%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
        }
    } while (status != RMAT_OK && fall_back(x, gen, text));
    if (status != RMAT_OK) {
        return -1;
    }
    atomic_fetch_add(&x->model->fingerprint,
                     rmat_fingerprint(m->src, m->dst, m->edges.count, to.id_bytes));
    atomic_fetch_add(&x->model->made, m->edges.count);
    return 0;
}

static void close_maker(edge_source *s)
{
    maker *x = s->state;

    pthread_mutex_destroy(&x->lock);
    free(x);
}

int edge_source_of_model(edge_source **out, edge_source_model *model)
{
    static const edge_source_ops ops = {make, close_maker, NULL};
    static const edgefile_weight weights[] = {EDGEFILE_NO_WEIGHT, EDGEFILE_WEIGHT_F32,
                                              EDGEFILE_WEIGHT_I32};
    const rmat_config *c = model->config;
    maker *x = calloc(1, sizeof *x);

    *out = x != NULL ? edge_source_new(&ops, x) : NULL;
    if (*out == NULL) {
        free(x);
        return engine_fail("memory is exhausted");
    }
    x->model = model;
    atomic_init(&x->gen, model->gen);
    pthread_mutex_init(&x->lock, NULL);
    (*out)->facts.format = GRAPHFILE_H5;
    (*out)->facts.graph =
        (graphfile_graph){.rows = c->rows != 0 ? c->rows : (uint64_t)1 << c->rows_scale,
                          .cols = c->cols != 0 ? c->cols : (uint64_t)1 << c->cols_scale,
                          .edges = model->edges,
                          .id_bytes = model->id_bytes,
                          .weight = weights[c->weights],
                          .pairs = c->symmetrize,
                          .no_loops = c->no_self_loops};
    edge_source_cut(*out);
    return ENGINE_OK;
}
