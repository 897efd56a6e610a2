/*
 * table.c - tables of vertices, as text, HDF5 or Parquet: their degrees, counted over the edges by
 * all threads, and what else is known of them.
 *
 * Counters are two words for each vertex of a range, as long as memory allows: then all edges are
 * read once for each range, whose lines are written after it.  Components are found in the first
 * pass.
 */
#include "apps/engine/status.h"
#include "apps/engine/vertices/vertices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 20, LINE = 160, ROWS = EDGEFILE_TABLE_ROWS, COLUMNS = 6 };

const char *const vertices_headers[] = {"plain", "neo4j", "dgl", NULL};

/* The columns that a table has, and some of their rows. */
typedef struct {
    bool is_name;    /* the values stand for names */
    uint64_t offset; /* of HDF5: in the file */
    uint64_t value[ROWS];
} column;

typedef struct {
    const vertices_table *table;
    edgefile_small *file;
    edgefile_table *parquet;
    rmat_gen *gen; /* gives labels */
    uint64_t vertices, offset;
    uint64_t first, end; /* of the range */
    uint64_t *degrees;   /* of the range: out and in */
    uint64_t *component; /* or NULL */
    bool connect;        /* this pass finds components */
    char *text;
    size_t used;
    column *column; /* n_columns */
    int n_columns;
    char separator;      /* of text */
    uint64_t held, done; /* rows in the columns, and in the file */
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
    const int status =
        x->used > 0 ? edgefile_small_append(x->file, &x->offset, x->text, x->used) : EDGEFILE_OK;

    x->used = 0;
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
}

/* Room for so many bytes at the end of the buffer. */
static int reserve(state *x, size_t bytes)
{
    return x->used + bytes > BUFFER ? flush(x) : ENGINE_OK;
}

static void put(state *x, uint64_t value)
{
    char digits[20], *to = digits + sizeof digits;

    do {
        *--to = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    memcpy(x->text + x->used, to, (size_t)(digits + sizeof digits - to));
    x->used += (size_t)(digits + sizeof digits - to);
}

/* In quotes, and its own ones twice, where a reader of CSV needs that; not in a list. */
static int put_name(state *x, uint64_t old)
{
    size_t length = 0;
    const char *name = graphfile_name_of(x->table->names, old, &length);
    bool quoted = false;
    int status = reserve(x, 2 * length + LINE);

    for (size_t i = 0; i < length && x->table->header != VERTICES_LIST; i++) {
        quoted = quoted || name[i] == '"' || name[i] == x->separator;
    }
    if (status != ENGINE_OK) {
        return status;
    }
    x->text[x->used] = '"';
    x->used += quoted;
    for (size_t i = 0; i < length; i++) {
        x->text[x->used] = name[i];
        x->used += quoted && name[i] == '"';
        x->text[x->used++] = name[i];
    }
    x->text[x->used] = '"';
    x->used += quoted;
    return ENGINE_OK;
}

/* The columns, which fill() fills in this order, and the line with their names. */
static int begin(state *x)
{
    const vertices_table *t = x->table;
    const bool neo4j = t->header == VERTICES_NEO4J, list = t->header == VERTICES_LIST;
    const char *number = neo4j ? ":long" : "", *names[COLUMNS];
    const struct {
        bool is_there;
        const char *name, *type;
    } all[COLUMNS] = {
        {!list, t->header == VERTICES_DGL ? "node_id" : "id", neo4j ? ":ID" : ""},
        {t->numbers != NULL, t->names != NULL ? "name" : "old_id", t->names != NULL ? "" : number},
        {!list, "out_degree", number},
        {!list, "in_degree", number},
        {t->components, "component", number},
        {t->classes > 0, "label", number}};
    const uint64_t rows = x->vertices;
    uint64_t offset[COLUMNS] = {0};

    for (int i = 0; i < COLUMNS; i++) {
        if (all[i].is_there) {
            x->column[x->n_columns].is_name = i == 1 && t->names != NULL;
            names[x->n_columns++] = all[i].name;
            x->used += list ? 0
                            : (size_t)snprintf(x->text + x->used, LINE, "%.*s%s%s", x->used > 0,
                                               &x->separator, all[i].name, all[i].type);
        }
    }
    if (!list) {
        x->text[x->used++] = '\n';
    }
    if (t->format == GRAPHFILE_TSV || t->format == GRAPHFILE_CSV) {
        return ENGINE_OK;
    }
    x->used = 0;
    if ((t->format == GRAPHFILE_PARQUET
             ? edgefile_table_create(&x->parquet, x->file, x->n_columns, names, rows)
             : edgefile_small_datasets(x->file, x->n_columns, names, rows, offset)) !=
        EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    for (int i = 0; i < x->n_columns; i++) {
        x->column[i].offset = offset[i];
    }
    return ENGINE_OK;
}

static int put_lines(state *x)
{
    int status = ENGINE_OK;

    for (uint64_t i = 0; i < x->held && status == ENGINE_OK; i++) {
        status = reserve(x, LINE);
        for (int c = 0; c < x->n_columns && status == ENGINE_OK; c++) {
            const column *of = &x->column[c];

            if (of->is_name) {
                status = put_name(x, of->value[i]);
            } else {
                put(x, of->value[i]);
            }
            x->text[x->used++] = c + 1 < x->n_columns ? x->separator : '\n';
        }
    }
    return status;
}

static int put_datasets(const state *x)
{
    int status = EDGEFILE_OK;

    for (int c = 0; c < x->n_columns && status == EDGEFILE_OK; c++) {
        status = edgefile_small_write(x->file, x->column[c].offset + 8 * x->done,
                                      x->column[c].value, 8 * x->held);
    }
    return status;
}

/* The rows that the columns hold. */
static int put_rows(state *x)
{
    const uint64_t *value[COLUMNS];
    int status = EDGEFILE_OK;

    for (int c = 0; c < x->n_columns; c++) {
        value[c] = x->column[c].value;
    }
    if (x->table->format == GRAPHFILE_H5) {
        status = put_datasets(x);
    } else if (x->parquet == NULL) {
        return put_lines(x);
    } else if (x->held > 0) {
        status = edgefile_table_add(x->parquet, value, x->held);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
}

/* Rows of the vertices from v on, behind those that are held. */
static int fill(state *x, uint64_t v, uint64_t n)
{
    const vertices_table *t = x->table;
    const bool list = t->header == VERTICES_LIST;

    for (uint64_t k = 0, i = x->held; k < n; k++, i++) {
        const uint64_t *degree = list ? NULL : x->degrees + 2 * (v + k - x->first);
        const uint64_t own = v + k;
        const uint64_t old = t->numbers != NULL ? compact_old(t->numbers, own) : own;
        column *to = x->column;

        if (!list) {
            (to++)->value[i] = v + k + t->add;
        }
        if (t->numbers != NULL) {
            (to++)->value[i] = old;
        }
        if (!list) {
            (to++)->value[i] = degree[0];
            (to++)->value[i] = degree[1];
        }
        if (x->component != NULL) {
            (to++)->value[i] = x->component[v + k] + t->add;
        }
        if (t->classes > 0) {
            to->value[i] = old;
        }
    }
    return t->classes == 0 || rmat_labels(x->gen, t->classes, n,
                                          x->column[x->n_columns - 1].value + x->held) == RMAT_OK
               ? ENGINE_OK
               : engine_fail("a vertex is none of the model's, so that it has no label");
}

static int put_range(state *x)
{
    int status = ENGINE_OK;

    for (uint64_t v = x->first, n; v < x->end && status == ENGINE_OK; v += n) {
        n = x->end - v < ROWS - x->held ? x->end - v : ROWS - x->held;
        status = fill(x, v, n);
        x->held += n;
        if (status == ENGINE_OK && (x->held == ROWS || v + n == x->vertices)) {
            status = put_rows(x);
            x->done += x->held;
            x->held = 0;
        }
    }
    return status;
}

/* One range of vertices after another. */
static int put_all(state *x, edge_source *source, uint64_t at_once, const vertices_run *run)
{
    const edge_walk_body body = {count_piece, NULL, x};
    const uint64_t edges = edge_source_facts_of(source)->graph.edges;
    uint64_t none;
    int status = ENGINE_OK;

    x->connect = x->component != NULL;
    for (uint64_t v = 0; v < x->vertices && status == ENGINE_OK; v = x->end) {
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
    x->column = calloc(COLUMNS, sizeof *x->column);
    x->degrees = list ? NULL : malloc(16 * *at_once + 16);
    x->component = others > 0 ? malloc(others) : NULL;
    if (x->text == NULL || x->column == NULL || (x->degrees == NULL && !list) ||
        (x->component == NULL && others > 0)) {
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
    state x = {.table = table,
               .file = file,
               .vertices = edge_source_facts_of(source)->graph.rows,
               .separator = table->format == GRAPHFILE_TSV ? '\t' : ','};
    uint64_t at_once;
    int status = prepare(&x, run, &at_once);

    status = status == ENGINE_OK ? begin(&x) : status;
    status = status == ENGINE_OK ? put_all(&x, source, at_once, run) : status;
    status = status == ENGINE_OK ? flush(&x) : status;
    rmat_destroy(x.gen);
    edgefile_table_free(x.parquet);
    free(x.text);
    free(x.column);
    free(x.degrees);
    free(x.component);
    return status;
}
