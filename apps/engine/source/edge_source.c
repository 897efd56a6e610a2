/* Edges of our HDF5 files: lists and CSR. */
#include "apps/engine/source/edge_source.h"
#include "apps/engine/status.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge_source {
    edge_source_facts facts;
    char *name;
    _Atomic uint64_t row; /* of an edge read lately, of CSR */
    file_model model;
    char made_by[MODEL_COMMAND];
    int read_bytes; /* of an id as it is read; 0: as the facts say */

    _Atomic unsigned char *seen;       /* one bit for each piece: it was read */
    _Atomic uint64_t n_seen, seen_sum; /* such pieces, and the fingerprint of their edges */
};

static int read_edges(edge_source *x, bool csr, const edge_piece_memory *m, const edge_block *e)
{
    uint64_t row = x->row;
    int status =
        edgefile_read(x->facts.reader, e->first, e->count, csr ? NULL : m->src, m->dst, m->weight);

    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(x->facts.reader, e->first, e->count, m->src, &row);
        x->row = row;
    }
    return status;
}

/* The edges of piece m->number, in the memory. */
static edge_block place(const edge_source *s, const edge_piece_memory *m)
{
    const graphfile_graph *g = &s->facts.graph;
    const uint64_t first = m->number * EDGE_SOURCE_PIECE, left = g->edges - first;

    return (edge_block){first,     left < EDGE_SOURCE_PIECE ? left : EDGE_SOURCE_PIECE,
                        m->src,    m->dst,
                        m->weight, s->read_bytes != 0 ? s->read_bytes : g->id_bytes};
}

static int read_piece(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const bool csr = s->facts.format == GRAPHFILE_CSR;
    int status;

    m->edges = place(s, m);
    status = read_edges(s, csr, m, &m->edges);
    if (status == EDGEFILE_ERR_RANGE && csr) {
        snprintf(text, size, "dataset 'pointers_to_1' is not in order");
    } else if (status != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
    }
    return status == EDGEFILE_OK ? 0 : -1;
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
    g->pairs = get_or(r, "symmetrize", 0) == 1;
    g->no_loops = get_or(r, "self_loops", 1) == 0;
}

/* What the attributes say of the edges, except how many vertices there are. */
static void describe(edge_source *s)
{
    edge_source_facts *f = &s->facts;
    edgefile_reader *r = s->facts.reader;

    if (model_read(&s->model, r, no_complaint, NULL) == 0) {
        f->model = &s->model;
        f->graph.sorted = s->model.order.sorted;
        f->graph.unique = s->model.order.unique;
        f->graph.pairs = s->model.given.symmetrize;
        f->graph.no_loops = s->model.given.no_self_loops;
    } else {
        find_order(&f->graph, r);
    }
    if (edgefile_get_string(r, "command", s->made_by, sizeof s->made_by) == EDGEFILE_OK) {
        f->made_by = s->made_by;
    }
    (void)edgefile_get_u64(r, "fingerprint", &f->fingerprint); /* no file is opened without it */
}

static void find_facts(edge_source *s)
{
    edge_source_facts *f = &s->facts;
    edgefile_reader *r = s->facts.reader;
    const int narrow = edgefile_signed_ids(r) ? 31 : 32;
    const uint64_t any = (uint64_t)1 << (edgefile_id_bytes(r) == 4 ? narrow : 62);

    f->format = edgefile_format_of(r) == EDGEFILE_CSR ? GRAPHFILE_CSR : GRAPHFILE_H5;
    f->graph = (graphfile_graph){.rows = get_or(r, "num_rows", any),
                                 .cols = get_or(r, "num_cols", any),
                                 .edges = edgefile_edges(r),
                                 .id_bytes = edgefile_id_bytes(r),
                                 .signed_ids = edgefile_signed_ids(r),
                                 .weight = edgefile_weight_of(r)};
    f->made_by = "";
    f->pieces = (f->graph.edges + EDGE_SOURCE_PIECE - 1) / EDGE_SOURCE_PIECE;
    describe(s);
}

edge_source_seen edge_source_seen_of(const edge_source *s)
{
    edge_source_seen seen = {.pieces = atomic_load(&s->n_seen)};

    seen.fingerprint = atomic_load(&s->seen_sum); /* behind the pieces: see() */
    return seen;
}

/* Are all edges read, and others than the file says? */
static bool is_damaged(const edge_source *s, edge_source_seen seen)
{
    return seen.pieces == s->facts.pieces && seen.fingerprint != s->facts.fingerprint;
}

static void explain_damage(const edge_source *s, edge_source_seen seen, char *text, size_t size)
{
    snprintf(text, size,
             "%s: the fingerprint of its edges is 0x%016" PRIx64
             ", its attribute says 0x%016" PRIx64 ": it is damaged",
             s->name, seen.fingerprint, s->facts.fingerprint);
}

int edge_source_check(const edge_source *s, edge_source_seen seen)
{
    char text[ENGINE_TEXT];

    if (!is_damaged(s, seen)) {
        return ENGINE_OK;
    }
    explain_damage(s, seen, text, sizeof text);
    return engine_fail("%s", text);
}

/* From now on pieces that are read are added up.  Of no pieces nothing will be read. */
static int begin_check(edge_source *s, const char *name)
{
    s->name = strdup(name);
    s->seen = calloc(s->facts.pieces / 8 + 1, sizeof *s->seen);
    if (s->name == NULL || s->seen == NULL) {
        return engine_fail("memory is exhausted");
    }
    return edge_source_check(s, edge_source_seen_of(s));
}

static int open_file(edge_source *s, const char *name)
{
    if (edgefile_open(&s->facts.reader, name) != EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    find_facts(s);
    if (edgefile_unanswered(s->facts.reader) != EDGEFILE_OK) { /* then the model would be lost */
        return engine_fail("%s", edgefile_detail());
    }
    return begin_check(s, name);
}

int edge_source_open(edge_source **out, const char *name)
{
    edge_source *s = calloc(1, sizeof *s);
    int status;

    *out = NULL;
    if (s == NULL) {
        return engine_fail("memory is exhausted");
    }
    status = open_file(s, name);
    if (status != ENGINE_OK) {
        edge_source_close(s);
        return status;
    }
    *out = s;
    return ENGINE_OK;
}

void edge_source_close(edge_source *s)
{
    if (s != NULL) {
        edgefile_close(s->facts.reader);
        free(s->name);
        free((void *)s->seen);
        free(s);
    }
}

const edge_source_facts *edge_source_facts_of(const edge_source *s)
{
    return &s->facts;
}

void edge_source_set_ids(edge_source *s, int id_bytes, int signed_ids)
{
    graphfile_graph *g = &s->facts.graph;

    s->read_bytes = s->read_bytes != 0 ? s->read_bytes : g->id_bytes;
    g->id_bytes = id_bytes;
    g->signed_ids = signed_ids;
}

bool edge_piece_allocate(edge_piece_memory *m, const edge_source *s)
{
    const graphfile_graph *g = &s->facts.graph;
    const size_t width = (size_t)(s->read_bytes > g->id_bytes ? s->read_bytes : g->id_bytes);

    m->src = malloc(EDGE_SOURCE_PIECE * width);
    m->dst = malloc(EDGE_SOURCE_PIECE * width);
    m->weight = g->weight != EDGEFILE_NO_WEIGHT ? malloc(EDGE_SOURCE_PIECE * sizeof(float)) : NULL;
    return m->src != NULL && m->dst != NULL &&
           (g->weight == EDGEFILE_NO_WEIGHT || m->weight != NULL);
}

void edge_piece_free(edge_piece_memory *m)
{
    free(m->src);
    free(m->dst);
    free(m->weight);
    *m = (edge_piece_memory){0};
}

/* In place: from the end, as each takes more room. */
static void widen(void *ids, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;) {
        uint32_t narrow;
        uint64_t wide;

        memcpy(&narrow, (char *)ids + 4 * i, sizeof narrow);
        wide = narrow;
        memcpy((char *)ids + 8 * i, &wide, sizeof wide);
    }
}

/* In place.  Returns the largest one. */
static uint64_t shorten(void *ids, uint64_t count)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t narrow;
        uint64_t wide;

        memcpy(&wide, (char *)ids + 8 * i, sizeof wide);
        narrow = (uint32_t)wide;
        memcpy((char *)ids + 4 * i, &narrow, sizeof narrow);
        most = wide > most ? wide : most;
    }
    return most;
}

/* What was read becomes as wide as the facts say. */
static int change_width(const edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const graphfile_graph *g = &s->facts.graph;
    uint64_t src = 0, dst = 0;

    if (g->id_bytes == 8) {
        widen(m->src, m->edges.count);
        widen(m->dst, m->edges.count);
    } else {
        src = shorten(m->src, m->edges.count);
        dst = shorten(m->dst, m->edges.count);
    }
    m->edges.id_bytes = g->id_bytes;
    if (m->edges.count > 0 && (src >= g->rows || dst >= g->cols)) {
        snprintf(text, size,
                 "an edge has the %s %" PRIu64 ", but there are only %" PRIu64 " vertices",
                 src >= g->rows ? "source" : "destination", src >= g->rows ? src : dst,
                 src >= g->rows ? g->rows : g->cols);
        return -1;
    }
    return 0;
}

/* A piece counts when it is read for the first time.  Its edges are added before it is counted, so
 * that who sees all pieces sees the fingerprint of all edges. */
static int see(edge_source *s, const edge_piece_memory *m, char *text, size_t size)
{
    const unsigned char bit = (unsigned char)(1U << m->number % 8);
    edge_source_seen seen;

    if ((atomic_fetch_or(&s->seen[m->number / 8], bit) & bit) == 0) {
        const edge_block *e = &m->edges;

        atomic_fetch_add(&s->seen_sum, rmat_fingerprint(e->src, e->dst, e->count, e->id_bytes));
        atomic_fetch_add(&s->n_seen, 1);
    }
    seen = edge_source_seen_of(s);
    if (!is_damaged(s, seen)) {
        return 0;
    }
    explain_damage(s, seen, text, size);
    return -1;
}

int edge_source_read(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    int status = read_piece(s, m, text, size);

    if (status == 0) {
        status = see(s, m, text, size);
    }
    return status == 0 && m->edges.id_bytes != s->facts.graph.id_bytes
               ? change_width(s, m, text, size)
               : status;
}
