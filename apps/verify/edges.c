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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 }; /* edges of a chunk of a sample */
enum { PIECE = 1 << 16 }; /* elements that are read at a time */
enum { COLUMNS = 3 };     /* src, dst, weight */

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
    bool weights; /* are compared */
    progress bar;

    pthread_mutex_t lock; /* guards the following */
    findings edges, pointers;
    uint64_t fingerprint;        /* of the checked edges, without their weights */
    uint64_t made, stream_edges; /* of a graph that was made again: its edges, and its draws */
    verify_result failure;       /* why the check was not finished: VERIFY_FAILED, or VERIFY_WRONG
                                    if the file is damaged; VERIFY_OK: it was finished */
    char text[1024];             /* the reason */
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

/* Notes the first of `wrong` wrong elements. */
__attribute__((format(printf, 4, 5))) static void note(findings *f, uint64_t first, uint64_t wrong,
                                                       const char *format, ...)
{
    if (f->wrong == 0 || first < f->first) {
        va_list arguments;

        f->first = first;
        va_start(arguments, format);
        vsnprintf(f->text, sizeof f->text, format, arguments);
        va_end(arguments);
    }
    f->wrong += wrong;
}

/* --- Edges that are made again --- */

/* The text of element i of a column. */
static void show(char text[NUMBER_TEXT], const comparison *x, int column, const void *data,
                 uint64_t i)
{
    if (column < 2) {
        snprintf(text, NUMBER_TEXT, "%" PRIu64, edge_id(data, i, x->id_bytes));
    } else if (edgefile_weight_of(x->v->reader) == EDGEFILE_WEIGHT_F32) {
        snprintf(text, NUMBER_TEXT, "%.9g", (double)((const float *)data)[i]);
    } else {
        snprintf(text, NUMBER_TEXT, "%" PRId32, ((const int32_t *)data)[i]);
    }
}

/* Notes the wrong edges among [first, first + count) of the file: column c is found[c], and must
 * equal made[c] unless that is NULL. */
static void note_wrong(comparison *x, uint64_t first, uint64_t count, void *const found[COLUMNS],
                       const void *const made[COLUMNS])
{
    static const char *const names[COLUMNS] = {"src", "dst", "weight"};
    uint64_t wrong = 0, at = 0;
    int which = 0;

    for (uint64_t i = 0; i < count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            const int bytes = c < 2 ? x->id_bytes : 4;

            if (made[c] != NULL && edge_id(found[c], i, bytes) != edge_id(made[c], i, bytes)) {
                at = wrong == 0 ? i : at;
                which = wrong == 0 ? c : which;
                wrong++;
                break;
            }
        }
    }
    if (wrong > 0) {
        char is[NUMBER_TEXT], expected[NUMBER_TEXT];

        show(is, x, which, found[which], at);
        show(expected, x, which, made[which], at);
        note(&x->edges, first + at, wrong, "%s is %s, expected %s", names[which], is, expected);
    }
}

/* The file may have fewer edges than were made.  found[] has room for a piece. */
static const char *compare_edges(comparison *x, void *const found[COLUMNS], uint64_t first,
                                 uint64_t count, const void *const made[COLUMNS])
{
    const bool csr = x->rows > 0;
    const uint64_t left = first < x->all ? x->all - first : 0;
    const void *const compared[COLUMNS] = {csr ? NULL : made[0], made[1], made[2]};
    bool equal = true;
    uint64_t fingerprint;
    int status;

    count = count < left ? count : left;
    if (count == 0) {
        return NULL;
    }
    status = edgefile_read(x->v->reader, first, count, csr ? NULL : found[0], found[1],
                           x->weights ? found[2] : NULL);
    if (status != EDGEFILE_OK) {
        return failed_read(x, status);
    }
    fingerprint = rmat_fingerprint(csr ? made[0] : found[0], found[1], count, x->id_bytes);
    for (int c = 0; c < COLUMNS; c++) {
        const size_t bytes = count * (c < 2 ? (size_t)x->id_bytes : 4);

        equal = equal && (compared[c] == NULL || memcmp(found[c], compared[c], bytes) == 0);
    }
    pthread_mutex_lock(&x->lock);
    if (!equal) {
        note_wrong(x, first, count, found, compared);
    }
    x->fingerprint += fingerprint;
    x->edges.looked_at += count;
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

static const char *compare_pointers(comparison *x, uint64_t *found, uint64_t first, uint64_t count,
                                    const uint64_t *made)
{
    const int status = edgefile_read_pointers(x->v->reader, first, count, found);

    if (status != EDGEFILE_OK) {
        return failed_read(x, status);
    }
    pthread_mutex_lock(&x->lock);
    x->pointers.looked_at += count;
    for (uint64_t i = 0; i < count; i++) {
        if (found[i] != made[i]) {
            note(&x->pointers, first + i, 1, "pointers_to_1 is %" PRIu64 ", expected %" PRIu64,
                 found[i], made[i]);
        }
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* A pipeline_sink. */
static const char *compare_chunk(void *state, const pipeline_chunk *c)
{
    comparison *x = state;
    const bool edges = c->what.kind == PIPELINE_EDGES;
    uint64_t *memory = malloc(COLUMNS * PIECE * sizeof *memory);
    const char *wrong = memory != NULL ? NULL : fail(x, VERIFY_FAILED, "memory is exhausted");

    for (uint64_t at = 0; at < c->what.count && wrong == NULL; at += PIECE) {
        void *const found[COLUMNS] = {memory, memory + PIECE, memory + (ptrdiff_t)2 * PIECE};
        const uint64_t n = c->what.count - at < PIECE ? c->what.count - at : PIECE;
        const size_t id = at * (size_t)x->id_bytes;
        const void *const made[COLUMNS] = {edges ? (char *)c->src + id : NULL, (char *)c->dst + id,
                                           x->weights ? (float *)c->weight + at : NULL};

        wrong = edges ? compare_edges(x, found, c->what.first + at, n, made)
                      : compare_pointers(x, memory, c->what.first + at, n,
                                         (const uint64_t *)c->dst + at);
    }
    free(memory);
    return wrong;
}

static int show_made(void *state, const engine_progress *now)
{
    progress_show(&((comparison *)state)->bar, now->phase, now->share, now->done);
    return interrupt_signal();
}

static void make_again(comparison *x, const pipeline_span *spans, size_t n)
{
    const verify_options *o = x->v->o;
    const file_model *m = &x->v->model;
    edgefile_reader *reader = x->v->reader;
    const pipeline_sink sink = {.write = compare_chunk, .state = x, .spans = spans, .n_spans = n};
    engine_result made;
    engine_job job;
    int status;

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
    job.watch = (engine_watch){.tick = show_made, .state = x};
    status = engine_run(&job, &sink, &made);
    if (status == ENGINE_OK) {
        x->made = made.edges;
        x->stream_edges = made.stream_edges;
    } else if (status != ENGINE_STOPPED) {
        const bool scarce = strcmp(engine_field(), "memory") == 0;
        char text[sizeof x->text];

        snprintf(text, sizeof text, "%s%s", scarce ? "--memory: " : "", engine_detail());
        fail(x, status == ENGINE_ERR_JOB && !scarce ? VERIFY_WRONG : VERIFY_FAILED, text);
    }
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

/* Reads all edges; src and dst have room for a piece. */
static void read_edges(comparison *x, void *src, void *dst)
{
    const bool csr = x->rows > 0;
    uint64_t row = 0, n;
    edge last, e;

    for (uint64_t at = 0; at < x->all && interrupt_signal() == 0; at += n) {
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
            return;
        }
        x->fingerprint += rmat_fingerprint(src, dst, n, x->id_bytes);
        for (uint64_t i = 0; i < n && x->v->maker != NULL; i++, last = e) {
            const char *broken;

            e = (edge){edge_id(src, i, x->id_bytes), edge_id(dst, i, x->id_bytes)};
            broken = broken_promise(&x->v->model, e, at + i > 0 ? &last : NULL);
            if (broken != NULL) {
                note(&x->edges, at + i, 1, "%s", broken);
            }
        }
        x->edges.looked_at += n;
        progress_update(&x->bar, x->edges.looked_at);
    }
}

/* --- The results as text --- */

/* For a sorted graph: whether it has as many edges, and takes as many edges of the stream, as the
 * file says. */
static void report_count(verify_file *v, const comparison *x)
{
    const model_order *order = &v->model.order;

    if (x->stream_edges != order->stream_edges) {
        verify_say(v, VERIFY_WRONG, "count",
                   "stream_edges is %" PRIu64 ", expected %" PRIu64
                   ": the edges are made of this number of the stream",
                   order->stream_edges, x->stream_edges);
    } else if (x->made != x->all) {
        verify_say(v, VERIFY_WRONG, "count",
                   "%" PRIu64 " edges, expected %" PRIu64 " of the first %" PRIu64 " of the stream",
                   x->all, x->made, order->stream_edges);
    } else {
        verify_say(v, VERIFY_OK, "count",
                   "the first %" PRIu64 " edges of the stream are %" PRIu64 "%s",
                   order->stream_edges, x->made, order->unique ? " distinct ones" : "");
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
    } else if (f->looked_at < x->all && x->made >= x->all) {
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

/* --- The choice of edges --- */

/* The chunks of a sample at equal distances, the first and the last among them, or all edges; *n of
 * them.  NULL: memory is exhausted. */
static pipeline_span *choose_spans(const verify_options *o, uint64_t edges, size_t *n)
{
    const uint64_t chunks = edges / CHUNK + (edges % CHUNK != 0);
    const bool sample = o->sample > 0 && o->sample < chunks;
    pipeline_span *spans;

    *n = sample ? (size_t)o->sample : 1;
    spans = calloc(*n, sizeof *spans);
    if (spans != NULL && !sample) {
        spans[0].count = edges;
    }
    for (size_t k = 0; spans != NULL && sample && k < *n; k++) {
        spans[k].first = CHUNK * (uint64_t)((unsigned __int128)k * (chunks - 1) / (*n - 1));
        spans[k].count = edges - spans[k].first < CHUNK ? edges - spans[k].first : CHUNK;
    }
    return spans;
}

/* Makes the edges again or reads them. */
static void check_edges(comparison *x)
{
    const verify_file *v = x->v;
    size_t n;
    pipeline_span *spans = choose_spans(v->o, x->all, &n);
    uint64_t *memory = malloc(2 * PIECE * sizeof *memory);

    progress_start(&x->bar, x->all, (x->rows > 0 ? 1 : 2) * x->id_bytes + (x->weights ? 4 : 0),
                   v->o->quiet);
    if (spans == NULL || memory == NULL) {
        fail(x, VERIFY_FAILED, "memory is exhausted");
    } else if (v->has_model) {
        make_again(x, spans, n);
    } else {
        read_edges(x, memory, memory + PIECE);
    }
    progress_end(&x->bar);
    free(memory);
    free(spans);
}

int verify_edges(verify_file *v)
{
    comparison x = {.v = v,
                    .all = edgefile_edges(v->reader),
                    .rows = edgefile_rows(v->reader),
                    .id_bytes = edgefile_id_bytes(v->reader),
                    .weights = v->has_weights};
    uint64_t attribute = 0;
    const int status = edgefile_get_u64(v->reader, "fingerprint", &attribute);

    pthread_mutex_init(&x.lock, NULL);
    if (status != EDGEFILE_OK) {
        failed_read(&x, status);
    } else {
        check_edges(&x);
    }
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
