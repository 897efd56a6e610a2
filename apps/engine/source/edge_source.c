/*
 * edge_source.c - reads the edges of our HDF5 files, lists and CSR.
 *
 * The source of a CSR edge comes from the row pointers.  A search in the file's pointers finds the
 * row of the first edge.  From there on, pointers are read a buffer at a time, and each row is
 * written once per edge.
 */
#include "apps/engine/source/edge_source.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge_source {
    edge_source_facts facts;
    const char *name;
    _Atomic uint64_t row; /* of an edge read lately, of CSR */
    file_model model;

    atomic_bool failed;
    char error[ENGINE_TEXT]; /* the first failure, or "": read once all threads have ended */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Keeps the first failure of all threads.  Returns the status. */
static int keep_failure(edge_source *s, int status)
{
    if (!atomic_exchange(&s->failed, true)) {
        snprintf(s->error, sizeof s->error, "%s", engine_detail());
    }
    return status;
}

#define fail(s, ...) keep_failure(s, engine_fail(__VA_ARGS__))

/* Opening. */

static uint64_t get_or(edgefile_reader *r, const char *name, uint64_t otherwise)
{
    uint64_t value;

    return edgefile_get_u64(r, name, &value) == EDGEFILE_OK ? value : otherwise;
}

static void find_facts(edge_source *s)
{
    edge_source_facts *f = &s->facts;
    graphfile_graph *g = &f->graph;
    edgefile_reader *r = f->reader;
    const bool csr = edgefile_format_of(r) == EDGEFILE_CSR;
    const int narrow = edgefile_signed_ids(r) ? 31 : 32;
    const uint64_t any = (uint64_t)1 << (edgefile_id_bytes(r) == 4 ? narrow : 62);
    char order[16] = "";

    f->format = csr ? GRAPHFILE_CSR : GRAPHFILE_H5;
    *g = (graphfile_graph){.rows = get_or(r, "num_rows", any),
                           .cols = get_or(r, "num_cols", any),
                           .edges = edgefile_edges(r),
                           .id_bytes = edgefile_id_bytes(r),
                           .signed_ids = edgefile_signed_ids(r),
                           .weight = edgefile_weight_of(r)};
    if (model_read(&s->model, r, NULL, NULL) == 0) {
        f->model = &s->model;
    }
    (void)edgefile_get_string(r, "order", order, sizeof order);
    g->sorted = csr || strcmp(order, "sorted") == 0;
    g->unique = g->sorted && get_or(r, "unique", 0) == 1;
    g->pairs = get_or(r, "symmetrize", 0) == 1;
    g->no_loops = get_or(r, "self_loops", 1) == 0;
    (void)edgefile_get_string(r, "command", f->made_by, sizeof f->made_by);
    (void)edgefile_get_u64(r, "fingerprint", &f->fingerprint); /* no file is opened without it */
}

int edge_source_open(edge_source **out, const char *name)
{
    edge_source *s = *out = calloc(1, sizeof *s);
    int status;

    if (s == NULL) {
        return engine_fail("memory is exhausted");
    }
    s->name = name;
    status = edgefile_open(&s->facts.reader, name);
    if (status == EDGEFILE_OK) {
        find_facts(s);
        status = edgefile_unanswered(s->facts.reader); /* the model would be lost */
    }
    if (status != EDGEFILE_OK) {
        status = engine_fail("%s", edgefile_detail());
        edge_source_close(s);
        *out = NULL;
    }
    return status;
}

void edge_source_close(edge_source *s)
{
    if (s != NULL) {
        edgefile_close(s->facts.reader);
        free(s);
    }
}

const edge_source_facts *edge_source_facts_of(const edge_source *s)
{
    return &s->facts;
}

/* Sources of CSR edges. */

enum { POINTERS = 4096 }; /* read at a time */

/* The last row that begins at or before the edge; not before row `low`, if that does. */
static int search_row(edgefile_reader *r, uint64_t low, uint64_t edge, uint64_t *row)
{
    uint64_t high = edgefile_rows(r), pointer = 0;
    int status = edgefile_read_pointers(r, low, 1, &pointer);

    if (pointer > edge) {
        high = low;
        low = 0;
    }
    for (uint64_t step = 1; status == EDGEFILE_OK && high - low > 1;) {
        /* Where edges are read in order it is near. */
        const uint64_t half = (high - low) / 2, middle = low + (step < half ? step : half);

        status = edgefile_read_pointers(r, middle, 1, &pointer);
        if (pointer <= edge) {
            low = middle;
        } else {
            high = middle;
        }
        step = step < half ? 2 * step : step;
    }
    *row = low;
    return status;
}

static void put_id(void *ids, uint64_t i, int id_bytes, uint64_t id)
{
    if (id_bytes == 4) {
        ((uint32_t *)ids)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)ids)[i] = id;
    }
}

int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near)
{
    const int id_bytes = edgefile_id_bytes(r);
    const uint64_t end = first + count;
    uint64_t pointer[POINTERS + 1], edge = first;
    int status = EDGEFILE_OK;

    while (edge < end && status == EDGEFILE_OK) {
        uint64_t row, rows;

        status = search_row(r, *near, edge, &row);
        rows = least(edgefile_rows(r) - row, POINTERS);
        if (status == EDGEFILE_OK) {
            status = edgefile_read_pointers(r, row, rows + 1, pointer);
        }
        if (status == EDGEFILE_OK && (rows == 0 || pointer[0] > edge || pointer[1] <= edge)) {
            status = EDGEFILE_ERR_RANGE;
        }
        for (uint64_t i = 0; i < rows && edge < end && status == EDGEFILE_OK; i++) {
            const uint64_t next = least(pointer[i + 1], end);

            if (pointer[i + 1] < pointer[i] || pointer[i + 1] > edgefile_edges(r)) {
                status = EDGEFILE_ERR_RANGE;
                break;
            }
            for (; edge < next; edge++) {
                put_id(src, edge - first, id_bytes, row + i);
            }
            *near = row + i;
        }
    }
    return status;
}

/* Reading. */

/* Reads edges as the file has them. */
static int read_file(edge_source *s, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const bool csr = s->facts.format == GRAPHFILE_CSR;
    uint64_t row = s->row;
    int status =
        edgefile_read(s->facts.reader, first, count, csr ? NULL : to->src, to->dst, to->weight);

    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(s->facts.reader, first, count, to->src, &row);
        s->row = row;
        if (status == EDGEFILE_ERR_RANGE) {
            return fail(s, "dataset 'pointers_to_1' is not in order");
        }
    }
    return status == EDGEFILE_OK ? 0 : fail(s, "%s", edgefile_detail());
}

static int check_vertices(edge_source *s, const rmat_arrays *e, uint64_t count)
{
    const uint64_t vertices[] = {s->facts.graph.rows, s->facts.graph.cols};

    for (int side = 0; side < 2; side++) {
        const void *ids = side == 0 ? e->src : e->dst;
        uint64_t most = 0;

        for (uint64_t i = 0; i < count; i++) {
            const uint64_t id = edge_id(ids, i, e->id_bytes);

            most = id > most ? id : most;
        }
        if (count > 0 && most >= vertices[side]) {
            return fail(s,
                        "an edge has the %s %" PRIu64 ", but there are only %" PRIu64 " vertices",
                        side == 0 ? "source" : "destination", most, vertices[side]);
        }
    }
    return ENGINE_OK;
}

static void copy_ids(const void *from, int from_bytes, uint64_t count, void *to, int to_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        put_id(to, i, to_bytes, edge_id(from, i, from_bytes));
    }
}

enum { BLOCK = 1 << 13 }; /* edges whose ids are converted at a time */

/* Edges [first, first + count) into the arrays, with ids as wide as these have them; to->weight may
 * be NULL.  Any thread. */
static int read_edges(edge_source *s, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const int id_bytes = edgefile_id_bytes(s->facts.reader), width = to->id_bytes;
    uint64_t src[BLOCK], dst[BLOCK], n;

    if (id_bytes == width) {
        return read_file(s, first, count, to);
    }
    for (uint64_t at = 0; at < count; at += n) {
        const rmat_arrays block = {
            src, dst, to->weight != NULL ? (char *)to->weight + 4 * at : NULL, id_bytes};

        n = least(count - at, BLOCK);
        if (read_file(s, first + at, n, &block) != 0 || check_vertices(s, &block, n) != 0) {
            return -1;
        }
        copy_ids(src, id_bytes, n, (char *)to->src + at * (uint64_t)width, width);
        copy_ids(dst, id_bytes, n, (char *)to->dst + at * (uint64_t)width, width);
    }
    return 0;
}

int edge_source_check(void *source, uint64_t fingerprint)
{
    edge_source *s = source;

    return fingerprint == s->facts.fingerprint
               ? ENGINE_OK
               : fail(s,
                      "%s: the fingerprint of its edges is 0x%016" PRIx64
                      ", its attribute says 0x%016" PRIx64 ": it is damaged",
                      s->name, fingerprint, s->facts.fingerprint);
}

/* For the engine. */

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    return read_edges(state, first, count, to) == 0 ? check_vertices(state, to, count) : -1;
}

static const char *error(void *state)
{
    return ((const edge_source *)state)->error;
}

engine_source edge_source_for_engine(edge_source *s)
{
    static const rmat_weights kinds[] = {[EDGEFILE_NO_WEIGHT] = RMAT_NO_WEIGHTS,
                                         [EDGEFILE_WEIGHT_F32] = RMAT_WEIGHTS_UNIFORM,
                                         [EDGEFILE_WEIGHT_I32] = RMAT_WEIGHTS_INT};
    const graphfile_graph *g = &s->facts.graph;

    return (engine_source){.edges = {.rows = g->rows > 0 ? g->rows : 1,
                                     .cols = g->cols > 0 ? g->cols : 1,
                                     .edges = g->edges,
                                     .weights = kinds[g->weight],
                                     .fill = fill,
                                     .state = s},
                           .check = edge_source_check,
                           .error = error,
                           .pairs = g->pairs,
                           .unique = g->unique,
                           .no_loops = g->no_loops};
}

/* All edges once, through a pipeline whose threads read a piece each. */

static void run_reader(pipeline *p)
{
    edge_readers *r = p->producer->state;
    const int thread = atomic_fetch_add(&r->started, 1), id_bytes = p->plan->id_bytes;
    char text[ENGINE_TEXT];
    pipeline_chunk *c;

    while ((c = pipeline_claim(p, true)) != NULL) {
        const rmat_arrays to = {c->src, c->dst, c->weight, id_bytes};
        const edge_block e = {c->what.first, c->what.count, c->src, c->dst, c->weight, id_bytes};

        if (read_edges(r->source, e.first, e.count, &to) != 0) {
            pipeline_fail(p, "%s", engine_detail());
            return;
        }
        if (r->visit != NULL && r->visit(r->state, thread, &e, text, sizeof text) != 0) {
            pipeline_fail(p, "%s", text);
            return;
        }
        c->fingerprint = rmat_fingerprint(c->src, c->dst, e.count, id_bytes);
        pipeline_submit(p, c);
    }
}

pipeline_producer edge_pipeline(edge_readers *r, int id_bytes, int threads, pipeline_plan *buffers)
{
    const graphfile_graph *g = &r->source->facts.graph;

    *buffers = (pipeline_plan){.edges = g->edges,
                               .id_bytes = id_bytes,
                               .weight_bytes = g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0,
                               .chunk = EDGE_PIECE,
                               .generators = threads,
                               .buffers = threads};
    return (pipeline_producer){.run = run_reader, .state = r, .threads = threads};
}

static const char *keep_nothing(void *state, const pipeline_chunk *c)
{
    (void)state;
    (void)c;
    return NULL;
}

static int report(void *meter, uint64_t done)
{
    return engine_meter_tick(meter, (double)done, done);
}

int edge_walk(edge_source *s, int threads, edge_visit *visit, void *state, engine_meter *meter)
{
    const pipeline_sink sink = {.write = keep_nothing};
    const pipeline_source all = {.first = {PIPELINE_EDGES, 0, s->facts.graph.edges}};
    edge_readers readers = {.source = s, .visit = visit, .state = state};
    pipeline_plan buffers;
    const pipeline_producer producer =
        edge_pipeline(&readers, s->facts.graph.id_bytes, threads, &buffers);
    pipeline_result result = {.done = 0};
    int status;

    (void)report(meter, 0); /* the walk may be shorter than the time between two reports */
    status = pipeline_run(&buffers, &all, &producer, &sink, report, meter, &result);
    if (status == ENGINE_OK) {
        status = report(meter, result.done);
    }
    return status == ENGINE_OK ? edge_source_check(s, result.fingerprint) : status;
}
