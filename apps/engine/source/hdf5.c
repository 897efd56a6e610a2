/* Edges of our HDF5 files: lists, CSR, masters of shards. */
#include "apps/engine/source/csr_rows.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "io/edgefile_virtual.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    edgefile_reader *reader;
    pthread_mutex_t lock; /* guards it, unless it is concurrent */
    _Atomic uint64_t row; /* of an edge read lately, of CSR */
    edge_attributes attributes;
} ours;

static int read_edges(ours *x, bool csr, const edge_piece_memory *m, const edge_block *e)
{
    uint64_t row = x->row;
    int status =
        edgefile_read(x->reader, e->first, e->count, csr ? NULL : m->src, m->dst, m->weight);

    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(x->reader, e->first, e->count, m->src, &row);
        x->row = row;
    }
    return status;
}

static int read_piece(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    ours *x = s->state;
    const bool csr = s->facts.format == GRAPHFILE_CSR;
    const bool one = !edgefile_is_concurrent(x->reader);
    int status;

    edge_source_place(s, m, &m->edges);
    if (one) {
        pthread_mutex_lock(&x->lock);
    }
    status = read_edges(x, csr, m, &m->edges);
    if (one) {
        pthread_mutex_unlock(&x->lock);
    }
    if (status == EDGEFILE_ERR_RANGE && csr) {
        snprintf(text, size, "dataset 'pointers_to_1' is not in order");
    } else if (status != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
    }
    return status == EDGEFILE_OK ? 0 : -1;
}

static void close_ours(edge_source *s)
{
    ours *x = s->state;

    edgefile_close(x->reader);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

/* A file need not have a model. */
static void no_complaint(void *state, const char *text)
{
    (void)state;
    (void)text;
}

static uint64_t get(edgefile_reader *r, const char *name, uint64_t otherwise)
{
    uint64_t value;

    return edgefile_get_u64(r, name, &value) == EDGEFILE_OK ? value : otherwise;
}

/* Of a file that no R-MAT model made: what it says itself. */
static void find_order(graphfile_graph *g, edgefile_reader *r)
{
    char order[16] = "";

    g->sorted = edgefile_format_of(r) == EDGEFILE_CSR ||
                (edgefile_get_string(r, "order", order, sizeof order) == EDGEFILE_OK &&
                 strcmp(order, "sorted") == 0);
    g->unique = g->sorted && get(r, "unique", 0) == 1;
    g->pairs = get(r, "symmetrize", 0) == 1 && get(r, "shard", UINT64_MAX) == UINT64_MAX;
    g->no_loops = get(r, "self_loops", 1) == 0;
}

void edge_source_describe(edge_source_facts *f, edge_attributes *a, edgefile_reader *r)
{
    uint64_t shard;

    f->reader = r;
    if (model_read(&a->model, r, no_complaint, NULL) == 0) {
        f->model = &a->model;
        f->graph.sorted = a->model.order.sorted;
        f->graph.unique = a->model.order.unique;
        /* The reverse of a shard's edge may lie in another one. */
        f->graph.pairs =
            a->model.given.symmetrize && edgefile_get_u64(r, "shard", &shard) != EDGEFILE_OK;
        f->graph.no_loops = a->model.given.no_self_loops;
    } else {
        find_order(&f->graph, r);
    }
    if (edgefile_get_string(r, "command", a->made_by, sizeof a->made_by) == EDGEFILE_OK) {
        f->made_by = a->made_by;
    }
    f->known = edgefile_get_u64(r, "fingerprint", &f->fingerprint) == EDGEFILE_OK;
}

static void find_facts(edge_source *s)
{
    ours *x = s->state;
    edge_source_facts *f = &s->facts;
    edgefile_reader *r = x->reader;
    const int narrow = edgefile_signed_ids(r) ? 31 : 32;
    const uint64_t any = (uint64_t)1 << (edgefile_id_bytes(r) == 4 ? narrow : 62);

    f->format = edgefile_format_of(r) == EDGEFILE_CSR ? GRAPHFILE_CSR : GRAPHFILE_H5;
    f->graph = (graphfile_graph){.rows = get(r, "num_rows", any),
                                 .cols = get(r, "num_cols", any),
                                 .edges = edgefile_edges(r),
                                 .id_bytes = edgefile_id_bytes(r),
                                 .signed_ids = edgefile_signed_ids(r),
                                 .weight = edgefile_weight_of(r)};
    edge_source_describe(f, &x->attributes, r);
    edge_source_cut(s);
}

/* The rows of a CSR shard's edges are in other shards. */
static int open_reader(edgefile_reader **r, const char *name)
{
    uint64_t shard;

    if (edgefile_open(r, name) != EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    if (edgefile_format_of(*r) == EDGEFILE_CSR &&
        edgefile_get_u64(*r, "shard", &shard) == EDGEFILE_OK) {
        edgefile_close(*r);
        return engine_fail("%s: is shard %" PRIu64
                           " of a CSR graph, which is read through its master",
                           name, shard);
    }
    return ENGINE_OK;
}

int edge_source_open_ours(edge_source **out, const char *name)
{
    static const edge_source_ops ops = {read_piece, close_ours, NULL};
    ours *x = calloc(1, sizeof *x);
    int status = x != NULL ? open_reader(&x->reader, name) : engine_fail("memory is exhausted");

    if (status != ENGINE_OK) {
        free(x);
        return status;
    }
    pthread_mutex_init(&x->lock, NULL);
    *out = edge_source_new(&ops, x);
    if (*out == NULL) {
        edgefile_close(x->reader);
        free(x);
        return engine_fail("memory is exhausted");
    }
    find_facts(*out);
    if (edgefile_unanswered(x->reader) != EDGEFILE_OK) { /* then the model would be lost */
        status = engine_fail("%s", edgefile_detail());
        edge_source_close(*out);
        *out = NULL;
        return status;
    }
    return ENGINE_OK;
}
