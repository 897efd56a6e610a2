/*
 * table.c - tables of vertices as text: their degrees, counted over the edges by all threads, and
 * what else is known of them.
 *
 * Counters are two words for each vertex of a range, as long as memory allows: then all edges are
 * read once for each range, whose lines are written after it.  Components are found in the first
 * pass.
 */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "apps/engine/vertices/vertices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 20, LINE = 160, LABELS = 1024 };

const char *const vertices_headers[] = {"plain", "neo4j", "dgl", NULL};

typedef struct {
    const vertices_table *table;
    const edge_source_facts *facts;
    edgefile_small *file;
    rmat_gen *gen; /* gives labels */
    uint64_t vertices, offset;
    uint64_t first, end; /* of the range */
    uint64_t *degrees;   /* of the range: out and in */
    uint64_t *component; /* or NULL */
    bool connect;        /* this pass finds components */
    char *text;
    size_t used;
} state;

static int count_piece(void *at, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const state *x = at;
    const edge_block *e = &m->edges;
    const uint64_t length = x->end - x->first;

    (void)thread;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u >= x->vertices || v >= x->vertices) {
            snprintf(text, size,
                     "an edge has the vertex %" PRIu64 ", but there are only %" PRIu64 " vertices",
                     u > v ? u : v, x->vertices);
            return -1;
        }
        if (u - x->first < length) {
            __atomic_fetch_add(&x->degrees[2 * (u - x->first)], 1, __ATOMIC_RELAXED);
        }
        if (v - x->first < length) {
            __atomic_fetch_add(&x->degrees[2 * (v - x->first) + 1], 1, __ATOMIC_RELAXED);
        }
        if (x->connect) {
            components_unite(x->component, u, v);
        }
    }
    return 0;
}

static int flush(state *x)
{
    const int status = edgefile_small_write(x->file, x->offset, x->text, x->used);

    x->offset += x->used;
    x->used = 0;
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
}

/* Room for so many bytes at the end of the buffer. */
static int reserve(state *x, size_t bytes)
{
    return x->used + bytes > BUFFER ? flush(x) : ENGINE_OK;
}

static void put(state *x, uint64_t value, char before)
{
    char digits[20], *to = digits + sizeof digits;

    do {
        *--to = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (before != '\0') {
        x->text[x->used++] = before;
    }
    memcpy(x->text + x->used, to, (size_t)(digits + sizeof digits - to));
    x->used += (size_t)(digits + sizeof digits - to);
}

/* In quotes, and its own ones twice, where a reader of CSV needs that; not in a list. */
static int put_name(state *x, uint64_t old)
{
    const bool list = x->table->header == VERTICES_LIST;
    size_t length = 0;
    const char *name = graphfile_name_of(x->table->names, old, &length);
    bool quoted = false;
    int status = reserve(x, 2 * length + LINE);

    for (size_t i = 0; i < length; i++) {
        quoted = quoted || name[i] == '"' || name[i] == x->table->separator;
    }
    if (status != ENGINE_OK) {
        return status;
    }
    if (list || !quoted) {
        memcpy(x->text + x->used, name, length);
        x->used += length;
        return ENGINE_OK;
    }
    x->text[x->used++] = '"';
    for (size_t i = 0; i < length; i++) {
        x->text[x->used++] = name[i];
        if (name[i] == '"') {
            x->text[x->used++] = '"';
        }
    }
    x->text[x->used++] = '"';
    return ENGINE_OK;
}

static int put_header(state *x)
{
    const vertices_table *t = x->table;
    const bool neo4j = t->header == VERTICES_NEO4J;
    const char *number = neo4j ? ":long" : "";
    const struct {
        const char *name, *type;
        bool is_there;
    } columns[] = {
        {t->header == VERTICES_DGL ? "node_id" : "id", neo4j ? ":ID" : "", true},
        {t->names != NULL ? "name" : "old_id", t->names != NULL ? "" : number, t->numbers != NULL},
        {"out_degree", number, true},
        {"in_degree", number, true},
        {"component", number, t->components},
        {"label", number, t->classes > 0}};

    for (size_t i = 0; i < sizeof columns / sizeof *columns && t->header != VERTICES_LIST; i++) {
        if (columns[i].is_there) {
            x->used += (size_t)snprintf(x->text + x->used, LINE, "%.*s%s%s", i > 0, &t->separator,
                                        columns[i].name, columns[i].type);
        }
    }
    if (t->header != VERTICES_LIST) {
        x->text[x->used++] = '\n';
    }
    return ENGINE_OK;
}

/* The lines of vertices [v, v + n), of which the old numbers are given, and the labels. */
static int put_lines(state *x, uint64_t v, uint64_t n, const uint64_t *old, const uint64_t *label)
{
    const vertices_table *t = x->table;
    const bool list = t->header == VERTICES_LIST;
    const char comma = t->separator;
    int status = ENGINE_OK;

    for (uint64_t i = 0; i < n && status == ENGINE_OK; i++, v++) {
        status = reserve(x, LINE);
        if (status == ENGINE_OK && !list) {
            put(x, v + t->add, '\0');
        }
        if (status == ENGINE_OK && t->names != NULL) {
            if (!list) {
                x->text[x->used++] = comma;
            }
            status = put_name(x, old[i]);
        } else if (status == ENGINE_OK && t->numbers != NULL) {
            put(x, old[i], list ? '\0' : comma);
        }
        if (status == ENGINE_OK && !list) {
            put(x, x->degrees[2 * (v - x->first)], comma);
            put(x, x->degrees[2 * (v - x->first) + 1], comma);
            if (x->component != NULL) {
                put(x, x->component[v] + t->add, comma);
            }
            if (t->classes > 0) {
                put(x, label[i], comma);
            }
        }
        if (status == ENGINE_OK) {
            x->text[x->used++] = '\n';
        }
    }
    return status;
}

static int put_range(state *x)
{
    const vertices_table *t = x->table;
    uint64_t old[LABELS], label[LABELS];
    int status = ENGINE_OK;

    for (uint64_t v = x->first, n; v < x->end && status == ENGINE_OK; v += n) {
        n = x->end - v < LABELS ? x->end - v : LABELS;
        for (uint64_t i = 0; i < n; i++) {
            old[i] = v + i - t->first;
            old[i] = t->numbers != NULL ? compact_old(t->numbers, old[i]) : old[i];
        }
        memcpy(label, old, sizeof label);
        if (x->gen != NULL && rmat_labels(x->gen, t->classes, n, label) != RMAT_OK) {
            status = engine_fail("a vertex is none of the model's, so that it has no label");
        }
        if (status == ENGINE_OK) {
            status = put_lines(x, v, n, old, label);
        }
    }
    return status;
}

/* One range of vertices after another. */
static int put_all(state *x, edge_source *source, uint64_t at_once, const vertices_run *run)
{
    const edge_walk_body body = {count_piece, NULL, x};
    const uint64_t edges = x->facts->graph.edges;
    uint64_t none;
    int status = ENGINE_OK;

    x->connect = x->component != NULL;
    for (uint64_t v = x->table->first; v < x->vertices && status == ENGINE_OK; v = x->end) {
        engine_meter meter = engine_meter_of(run->watch, "counting degrees", edges, 0);

        x->first = v;
        x->end = x->vertices - v < at_once ? x->vertices : v + at_once;
        if (x->degrees != NULL) {
            memset(x->degrees, 0, 16 * (x->end - v));
            status = edge_walk(source, run->threads, &body, &meter);
        }
        if (status == ENGINE_OK && x->connect) {
            components_close(x->component, x->vertices, &none);
            x->connect = false;
        }
        status = status == ENGINE_OK ? put_range(x) : status;
    }
    return status;
}

/* Memory for the whole; the rest of it gives *at_once. */
static int prepare(state *x, const vertices_run *run, uint64_t *at_once)
{
    const uint64_t others = x->table->components ? 8 * x->vertices : 0, least = 1 << 16;
    const bool list = x->table->header == VERTICES_LIST;
    int status = vertices_memory(run, 0, others + (list ? 0 : least), "tables of the vertices");

    if (status != ENGINE_OK) {
        return status;
    }
    for (*at_once = x->vertices; !list && *at_once > least / 16 &&
                                 vertices_memory(run, others, 16 * *at_once, "") != ENGINE_OK;) {
        *at_once = (*at_once + 1) / 2;
    }
    x->text = malloc(BUFFER);
    x->degrees = list ? NULL : malloc(16 * *at_once + 16);
    x->component = others > 0 ? malloc(others) : NULL;
    if (x->text == NULL || (x->degrees == NULL && !list) || (x->component == NULL && others > 0)) {
        return engine_fail("memory is exhausted");
    }
    if (others > 0) {
        components_begin(x->component, x->vertices);
    }
    return x->table->classes == 0 || rmat_create(&x->gen, &x->table->model->drawn) == RMAT_OK
               ? ENGINE_OK
               : engine_fail("the model of the graph cannot be made");
}

int vertices_write(edge_source *source, edgefile_small *file, const vertices_table *table,
                   const vertices_run *run)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    state x = {.table = table, .facts = f, .file = file, .vertices = f->graph.rows};
    uint64_t at_once;
    int status = prepare(&x, run, &at_once);

    if (status == ENGINE_OK) {
        status = put_header(&x);
    }
    if (status == ENGINE_OK) {
        status = put_all(&x, source, at_once, run);
    }
    if (status == ENGINE_OK) {
        status = flush(&x);
    }
    rmat_destroy(x.gen);
    free(x.text);
    free(x.degrees);
    free(x.component);
    return status;
}
