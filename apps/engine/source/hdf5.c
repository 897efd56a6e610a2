/* Edges of our HDF5 files: lists, CSR, masters of shards. */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
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

static uint64_t get_or(edgefile_reader *r, const char *name, uint64_t otherwise)
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
    g->unique = g->sorted && get_or(r, "unique", 0) == 1;
    g->pairs = get_or(r, "symmetrize", 0) == 1 && get_or(r, "shard", UINT64_MAX) == UINT64_MAX;
    g->no_loops = get_or(r, "self_loops", 1) == 0;
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
    f->graph = (graphfile_graph){.rows = get_or(r, "num_rows", any),
                                 .cols = get_or(r, "num_cols", any),
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

/*
 * The sources of CSR edges, from row pointers.
 *
 * The row of the first edge is searched for in the pointers in the file; from there on
 * pointers are read a buffer at a time, and each row is written as often as it has edges.
 */

enum { BUFFER = 4096 };

/* Pointers [row, row + count). */
typedef struct {
    uint64_t row, count;
    uint64_t pointer[BUFFER];
} pointers;

static int load_pointers(edgefile_reader *r, uint64_t row, pointers *p)
{
    uint64_t left = edgefile_rows(r) + 1 - row;

    p->row = row;
    p->count = left < BUFFER ? left : BUFFER;
    return edgefile_read_pointers(r, row, p->count, p->pointer);
}

/* The last row that begins at or before the edge: from `near` in steps that double, until the row
 * lies between two of them, then by binary search.  Where edges are read in order, so few chunks of
 * compressed pointers are decoded. */
static int search_row(edgefile_reader *r, uint64_t near, uint64_t edge, uint64_t *row)
{
    const uint64_t rows = edgefile_rows(r);
    uint64_t low = near, high = near, step = 1, pointer = 0;
    int status = edgefile_read_pointers(r, near, 1, &pointer);
    const bool up = pointer <= edge;

    while (status == EDGEFILE_OK &&
           (up ? high < rows && pointer <= edge : pointer > edge && low > 0)) {
        if (up) {
            low = high;
            high = rows - high > step ? high + step : rows;
        } else {
            high = low;
            low = low > step ? low - step : 0;
        }
        step *= 2;
        status = edgefile_read_pointers(r, up ? high : low, 1, &pointer);
    }
    while (status == EDGEFILE_OK && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        status = edgefile_read_pointers(r, middle, 1, &pointer);
        if (pointer <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *row = low;
    return status;
}

/* Makes p hold the edge's row, and the pointer behind it. */
static int move_to(edgefile_reader *r, uint64_t edge, pointers *p)
{
    uint64_t row = p->row;
    int status = search_row(r, row, edge, &row);

    return status == EDGEFILE_OK ? load_pointers(r, row, p) : status;
}

int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near)
{
    int id_bytes = edgefile_id_bytes(r), status = EDGEFILE_OK;
    pointers p = {.row = *near};
    uint64_t at = 0; /* in p: the row that is being filled */

    for (uint64_t i = 0; i < count; i++) {
        uint64_t edge = first + i;

        while (at + 1 < p.count && p.pointer[at + 1] <= edge) {
            at++;
            if (p.pointer[at] < p.pointer[at - 1]) {
                return EDGEFILE_ERR_RANGE;
            }
        }
        if (at + 1 >= p.count) {
            p.row += at;
            at = 0;
            status = move_to(r, edge, &p);
            if (status != EDGEFILE_OK) {
                return status;
            }
        }
        if (p.count < 2 || p.pointer[at] > edge || p.pointer[at + 1] <= edge ||
            p.pointer[at + 1] > edgefile_edges(r)) {
            return EDGEFILE_ERR_RANGE;
        }
        if (id_bytes == 4) {
            ((uint32_t *)src)[i] = (uint32_t)(p.row + at);
        } else {
            ((uint64_t *)src)[i] = p.row + at;
        }
    }
    *near = p.row + at;
    return EDGEFILE_OK;
}
