/*
 * rmat verify: the edges.
 *
 * The engine makes the graph again and passes its edges to a sink, in the place where `rmat
 * generate` would write them.  The sink reads the same place of the file and compares.  Chunks come
 * in any order and from several threads.  The sources of a CSR file follow from its pointers, which
 * are compared separately; its fingerprint is computed with the generated sources.
 *
 * Edges that cannot be made again are only read, in order and in one thread, for their fingerprint
 * and to check the promises of the attributes.
 */
#include "apps/client/client.h"
#include "apps/engine/job.h"
#include "apps/engine/source/edge_source.h"
#include "apps/verify/verify.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 }; /* edges of a chunk of a sample */
enum { PIECE = 1 << 16 }; /* elements that are read at a time */

/* Datasets; a CSR file has other names for the first three.  Pointers are never read with edges. */
enum { SRC, DST, WEIGHT, POINTER, COLUMNS };

/* What was found of elements, which are numbered as in the file. */
typedef struct {
    uint64_t looked_at, wrong;
    uint64_t first; /* the first wrong element, if there is one, and what is wrong with it: */
    char text[128];
} findings;

typedef struct {
    verify_file *v;
    uint64_t all, rows; /* edges of the file; rows 0 unless it is CSR */
    int id_bytes;
    client client;

    pthread_mutex_t lock; /* guards the following */
    findings edges, pointers;
    uint64_t fingerprint;  /* of the checked edges, without their weights */
    engine_result made;    /* of a graph that was made again */
    verify_result failure; /* why the check was not finished: VERIFY_FAILED, or VERIFY_WRONG if the
                              file is damaged; VERIFY_OK: it was finished */
    char text[1024];       /* the reason */
} comparison;

static const char *fail(comparison *x, verify_result failure, const char *text)
{
    pthread_mutex_lock(&x->lock);
    if (x->failure == VERIFY_OK) {
        x->failure = failure;
        snprintf(x->text, sizeof x->text, "%s", text);
    }
    pthread_mutex_unlock(&x->lock);
    return x->text;
}

static const char *failed_read(comparison *x, int status)
{
    return fail(x, verify_is_failure(status) ? VERIFY_FAILED : VERIFY_WRONG, edgefile_detail());
}

/* --- Edges that are made again --- */

/* The text of element i of a column. */
static void show(char text[NUMBER_TEXT], const comparison *x, int column, const void *data,
                 uint64_t i)
{
    if (column != WEIGHT) {
        snprintf(text, NUMBER_TEXT, "%" PRIu64,
                 edge_id(data, i, column == POINTER ? 8 : x->id_bytes));
    } else if (edgefile_weight_of(x->v->reader) == EDGEFILE_WEIGHT_F32) {
        snprintf(text, NUMBER_TEXT, "%.9g", (double)((const float *)data)[i]);
    } else {
        snprintf(text, NUMBER_TEXT, "%" PRId32, ((const int32_t *)data)[i]);
    }
}

/* Compares a piece of the edges or of the pointers: column c of the file is found[c], and must
 * equal made[c] unless that is NULL. */
static void compare(comparison *x, const pipeline_span *piece, void *const found[COLUMNS],
                    const void *const made[COLUMNS])
{
    static const char *const names[COLUMNS] = {"src", "dst", "weight", "pointers_to_1"};
    const int bytes[COLUMNS] = {x->id_bytes, x->id_bytes, 4, 8};
    const bool edges = piece->kind == PIPELINE_EDGES;
    const uint64_t fingerprint =
        edges ? rmat_fingerprint(found[SRC], found[DST], piece->count, x->id_bytes) : 0;
    findings *f = edges ? &x->edges : &x->pointers;
    char is[NUMBER_TEXT], expected[NUMBER_TEXT];
    bool equal = true;

    for (int c = 0; c < COLUMNS; c++) {
        equal = equal && (made[c] == NULL ||
                          memcmp(found[c], made[c], piece->count * (size_t)bytes[c]) == 0);
    }
    pthread_mutex_lock(&x->lock);
    x->fingerprint += fingerprint;
    f->looked_at += piece->count;
    for (uint64_t i = 0; i < piece->count && !equal; i++) {
        int c = 0;

        while (c < COLUMNS && (made[c] == NULL ||
                               edge_id(found[c], i, bytes[c]) == edge_id(made[c], i, bytes[c]))) {
            c++;
        }
        if (c < COLUMNS && (f->wrong++ == 0 || piece->first + i < f->first)) {
            f->first = piece->first + i;
            show(is, x, c, found[c], i);
            show(expected, x, c, made[c], i);
            snprintf(f->text, sizeof f->text, "%s is %s, expected %s", names[c], is, expected);
        }
    }
    pthread_mutex_unlock(&x->lock);
}

/* A pipeline_sink.  The file may have fewer edges than were made. */
static const char *compare_chunk(void *state, const pipeline_chunk *c)
{
    comparison *x = state;
    edgefile_reader *reader = x->v->reader;
    const bool edges = c->what.kind == PIPELINE_EDGES, csr = x->rows > 0;
    const uint64_t left = c->what.first < x->all ? x->all - c->what.first : 0;
    const uint64_t count = edges && left < c->what.count ? left : c->what.count;
    uint64_t *memory = malloc(3 * PIECE * sizeof *memory);
    const char *wrong = memory != NULL ? NULL : fail(x, VERIFY_FAILED, "memory is exhausted");

    for (uint64_t at = 0; at < count && wrong == NULL; at += PIECE) {
        const pipeline_span piece = {c->what.kind, c->what.first + at,
                                     count - at < PIECE ? count - at : PIECE};
        const size_t id = at * (size_t)x->id_bytes;
        void *found[COLUMNS] = {memory, memory + PIECE, memory + (ptrdiff_t)2 * PIECE, memory};
        const void *made[COLUMNS] = {NULL};
        int status;

        if (edges) {
            made[SRC] = csr ? NULL : (char *)c->src + id;
            made[DST] = (char *)c->dst + id;
            made[WEIGHT] = x->v->has_weights ? (float *)c->weight + at : NULL;
            found[SRC] = csr ? (char *)c->src + id : found[SRC];
            status = edgefile_read(reader, piece.first, piece.count, csr ? NULL : found[SRC],
                                   found[DST], made[WEIGHT] != NULL ? found[WEIGHT] : NULL);
        } else {
            made[POINTER] = (uint64_t *)c->dst + at;
            status = edgefile_read_pointers(reader, piece.first, piece.count, found[POINTER]);
        }
        if (status == EDGEFILE_OK) {
            compare(x, &piece, found, made);
        } else {
            wrong = failed_read(x, status);
        }
    }
    free(memory);
    return wrong;
}

/* Makes all edges again, or a sample: chunks at equal distances, the first and the last among
 * them. */
static void make_again(comparison *x)
{
    const verify_options *o = x->v->o;
    const file_model *m = &x->v->model;
    edgefile_reader *reader = x->v->reader;
    const uint64_t chunks = x->all / CHUNK + (x->all % CHUNK != 0);
    const size_t n = o->sample < chunks ? (size_t)o->sample : 0;
    pipeline_span *spans = n > 0 ? calloc(n, sizeof *spans) : NULL;
    const pipeline_sink sink = {.write = compare_chunk, .state = x, .spans = spans, .n_spans = n};
    engine_job job;
    int status;

    if (n > 0 && spans == NULL) {
        fail(x, VERIFY_FAILED, "memory is exhausted");
        return;
    }
    for (size_t k = 0; k < n; k++) {
        spans[k].first = CHUNK * (uint64_t)((unsigned __int128)k * (chunks - 1) / (n - 1));
        spans[k].count = x->all - spans[k].first < CHUNK ? x->all - spans[k].first : CHUNK;
    }
    engine_job_default(&job);
    job.model = m->drawn;
    job.model.backend = o->backend == RMAT_BACKEND_GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    job.edges = m->base_edges;
    job.format = m->order.csr ? GRAPHFILE_CSR : GRAPHFILE_H5;
    job.sorted = m->order.sorted;
    job.unique = m->order.unique && !m->order.dedup;
    job.dedup = m->order.dedup;
    job.id_bytes = edgefile_id_bytes(reader);
    job.id_sign = edgefile_signed_ids(reader) ? ENGINE_SIGNED : ENGINE_UNSIGNED;
    job.output = x->v->file;
    job.threads = cpu_threads(o->threads);
    job.memory = m->order.sorted ? o->memory : 0;
    job.watch = x->client.watch;
    status = engine_run(&job, &sink, &x->made);
    if (status != ENGINE_OK && status != ENGINE_STOPPED) {
        const bool scarce = strcmp(engine_field(), "memory") == 0;
        char text[sizeof x->text];

        snprintf(text, sizeof text, "%s%s", scarce ? "--memory: " : "", engine_detail());
        fail(x, status == ENGINE_ERR_JOB && !scarce ? VERIFY_WRONG : VERIFY_FAILED, text);
    }
    free(spans);
}

/* --- Edges that are only read --- */

typedef struct {
    uint64_t src, dst;
} edge;

/* Returns what is wrong with edge e of the file, or NULL.  last: the edge before it, or NULL. */
static const char *broken_promise(const file_model *promised, edge e, const edge *last)
{
    const rmat_config *m = &promised->drawn;
    const model_order *order = &promised->order;

    return e.src >= m->rows   ? "src is not below num_rows"
           : e.dst >= m->cols ? "dst is not below num_cols"
           : m->no_self_loops && e.src == e.dst
               ? "is a self loop, although the attributes exclude them"
           : last == NULL ? NULL
           : order->sorted && (e.src < last->src || (e.src == last->src && e.dst < last->dst))
               ? "is not in order: it belongs before the preceding edge"
           : order->unique && e.src == last->src && e.dst == last->dst
               ? "is a duplicate of the preceding edge, although the attributes exclude duplicates"
               : NULL;
}

static void read_edges(comparison *x)
{
    const bool csr = x->rows > 0;
    uint64_t *memory = malloc(2 * PIECE * sizeof *memory), row = 0, n;
    engine_meter meter = engine_meter_of(&x->client.watch, "", x->all, (csr ? 1 : 2) * x->id_bytes);
    findings *f = &x->edges;
    edge last, e;

    if (memory == NULL) {
        fail(x, VERIFY_FAILED, "memory is exhausted");
    }
    for (uint64_t at = 0;
         at < x->all && x->failure == VERIFY_OK && engine_meter_tick(&meter, (double)at, at) == 0;
         at += n) {
        uint64_t *src = memory, *dst = memory + PIECE;
        int status;

        n = x->all - at < PIECE ? x->all - at : PIECE;
        status = edgefile_read(x->v->reader, at, n, csr ? NULL : src, dst, NULL);
        if (status == EDGEFILE_OK && csr) {
            status = csr_rows(x->v->reader, at, n, src, &row);
        }
        if (status != EDGEFILE_OK) {
            (void)(status == EDGEFILE_ERR_RANGE
                       ? fail(x, VERIFY_WRONG, "dataset 'pointers_to_1' is not in order")
                       : failed_read(x, status));
            break;
        }
        x->fingerprint += rmat_fingerprint(src, dst, n, x->id_bytes);
        for (uint64_t i = 0; i < n && x->v->maker != NULL; i++, last = e) {
            const char *broken;

            e = (edge){edge_id(src, i, x->id_bytes), edge_id(dst, i, x->id_bytes)};
            broken = broken_promise(&x->v->model, e, at + i > 0 ? &last : NULL);
            if (broken != NULL && f->wrong++ == 0) {
                f->first = at + i;
                snprintf(f->text, sizeof f->text, "%s", broken);
            }
        }
        f->looked_at += n;
    }
    free(memory);
}

/* --- The results as text --- */

/* For a sorted graph: whether it has as many edges, and takes as many edges of the stream, as the
 * file says. */
static void report_count(verify_file *v, const comparison *x)
{
    const model_order *order = &v->model.order;

    if (x->made.stream_edges != order->stream_edges) {
        verify_say(v, VERIFY_WRONG, "count",
                   "stream_edges is %" PRIu64 ", expected %" PRIu64
                   ": the edges are made of this number of the stream",
                   order->stream_edges, x->made.stream_edges);
    } else if (x->made.edges != x->all) {
        verify_say(v, VERIFY_WRONG, "count",
                   "%" PRIu64 " edges, expected %" PRIu64 " of the first %" PRIu64 " of the stream",
                   x->all, x->made.edges, order->stream_edges);
    } else {
        verify_say(v, VERIFY_OK, "count",
                   "the first %" PRIu64 " edges of the stream are %" PRIu64 "%s",
                   order->stream_edges, x->made.edges, order->unique ? " distinct ones" : "");
    }
}

static void report_made(verify_file *v, const comparison *x)
{
    const findings *f = &x->edges, *p = &x->pointers;

    if (v->model.order.sorted) {
        report_count(v, x);
    }
    if (p->wrong > 0) {
        verify_say(v, VERIFY_WRONG, "pointers",
                   "row %" PRIu64 ": %s; %" PRIu64 " of %" PRIu64 " differ", p->first, p->text,
                   p->wrong, p->looked_at);
    } else if (x->rows > 0) {
        verify_say(v, VERIFY_OK, "pointers", "of all %" PRIu64 " rows, as made", x->rows);
    }
    if (f->wrong > 0) {
        verify_say(v, VERIFY_WRONG, "edges",
                   "edge %" PRIu64 ": %s; %" PRIu64 " of %" PRIu64 " edges differ", f->first,
                   f->text, f->wrong, f->looked_at);
    } else if (f->looked_at < x->all && x->made.edges >= x->all) {
        verify_say(v, VERIFY_OK, "edges",
                   "%" PRIu64 " in %" PRIu64 " chunks equal those that the attributes describe",
                   f->looked_at, v->o->sample);
    } else {
        verify_say(v, VERIFY_OK, "edges",
                   "all %" PRIu64 " equal those that the attributes describe", f->looked_at);
    }
}

static void report_read(verify_file *v, const comparison *x)
{
    const findings *f = &x->edges;

    if (v->maker == NULL) {
        verify_say(v, VERIFY_SKIPPED, "edges",
                   "the attributes do not describe a graph that can be generated");
        return;
    }
    if (f->wrong > 0) {
        verify_say(v, VERIFY_WRONG, "promises",
                   "edge %" PRIu64 ": %s; %" PRIu64 " such edge%s in all", f->first, f->text,
                   f->wrong, f->wrong == 1 ? "" : "s");
    } else {
        verify_say(v, VERIFY_OK, "promises", "all that the attributes say of ids, loops and order");
    }
    verify_say(v, VERIFY_SKIPPED, "edges",
               "made by %s, and not by an R-MAT model; weights are not checked", v->maker);
}

static void report_fingerprint(verify_file *v, const comparison *x, uint64_t attribute)
{
    if (x->edges.looked_at < x->all || x->pointers.wrong > 0) {
        verify_say(v, VERIFY_SKIPPED, "fingerprint", "it covers all edges, and not all are %s",
                   x->pointers.wrong > 0 ? "known: pointers are wrong" : "looked at");
    } else if (x->fingerprint != attribute) {
        verify_say(v, VERIFY_WRONG, "fingerprint",
                   "%s: that of the edges is 0x%016" PRIx64 ", the attribute says 0x%016" PRIx64,
                   v->file, x->fingerprint, attribute);
    } else {
        verify_say(v, VERIFY_OK, "fingerprint",
                   "the fingerprint of the edges equals the attribute");
    }
}

int verify_edges(verify_file *v)
{
    comparison x = {.v = v,
                    .all = edgefile_edges(v->reader),
                    .rows = edgefile_rows(v->reader),
                    .id_bytes = edgefile_id_bytes(v->reader)};
    uint64_t attribute = 0;
    const int status = edgefile_get_u64(v->reader, "fingerprint", &attribute);

    pthread_mutex_init(&x.lock, NULL);
    client_begin(&x.client, "verify", NULL, v->o->quiet);
    if (status != EDGEFILE_OK) {
        failed_read(&x, status);
    } else if (v->has_model) {
        make_again(&x);
    } else {
        read_edges(&x);
    }
    client_clear(&x.client);
    if (x.failure != VERIFY_OK) {
        verify_say(v, x.failure, "edges", "%s", x.text);
    } else if (interrupt_signal() != 0) {
        verify_say(v, VERIFY_FAILED, "edges", "stopped by %s", interrupt_name(interrupt_signal()));
    } else {
        if (v->has_model) {
            report_made(v, &x);
        } else {
            report_read(v, &x);
        }
        report_fingerprint(v, &x, attribute);
    }
    pthread_mutex_destroy(&x.lock);
    return x.failure != VERIFY_OK ? 0 : interrupt_signal();
}
