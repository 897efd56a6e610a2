/*
 * A graph is read and examined.
 *
 * The edges come from an engine's source, which may fail with a text of its own, and whose reading
 * can be stopped: both go through a source that is put before it.
 *
 * Vertices whose numbers have large holes between them, as hashes have, are numbered anew, in the
 * same order, from 0 on.  Their numbers are the rows of a sorted graph that has one column and, for
 * every edge of the graph, two: the sorting is that of rmat_interval.h.  A number is found again by
 * bisection.
 */
#include "apps/common/numbers.h"
#include "apps/engine/meter.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include "apps/fit/fit.h"
#include "rmat/rmat_interval.h"
#include "rmat/rmat_source.h"
#include "rmat/try.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Vertices without holes. */

typedef struct {
    rmat_source from;
    uint64_t *ids; /* the numbers that occur, in order */
    uint64_t n;
} fit_compact;

/* Numbers for each end of an edge, from which on they are found anew; and those that do no harm. */
#define HOLES    ((uint64_t)8)
#define HARMLESS ((uint64_t)1 << 20)

/* Do so many vertices leave most numbers without an edge? */
static int has_holes(const rmat_source *source)
{
    const uint64_t n = source->rows > source->cols ? source->rows : source->cols;

    return n > HARMLESS && n / HOLES > 2 * source->edges;
}

/* The ends of edges as edges: of edge i, 2 i and 2 i + 1. */
static int fill_ends(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_compact *c = state;
    const uint64_t from = first / 2, n = (first + count + 1) / 2 - from;
    uint64_t *src = malloc(2 * n * sizeof *src);
    const rmat_arrays edges = {src, src + n, NULL, 8};
    int status = src == NULL || c->from.fill(c->from.state, from, n, &edges) != 0;

    for (uint64_t i = 0; i < count && status == 0; i++) {
        const uint64_t end = first + i;
        const uint64_t id = end % 2 == 0 ? src[end / 2 - from] : src[n + end / 2 - from];

        ((uint64_t *)to->src)[i] = id;
        ((uint64_t *)to->dst)[i] = 0;
    }
    free(src);
    return status;
}

static uint64_t ends_piece(void *state, uint64_t first)
{
    const fit_compact *c = state;

    return 2 * c->from.piece_end(c->from.state, first / 2);
}

/* All ids, in a sorted interval. */
static int find_ids(const rmat_gen *gen, uint64_t ends, rmat_interval **interval)
{
    const rmat_cell first = {0, 0}, end = {(uint64_t)1 << RMAT_MAX_SCALE, 0};
    const uint64_t room = ends > RMAT_INTERVAL_LEAST_EDGES ? ends : RMAT_INTERVAL_LEAST_EDGES;
    uint64_t bytes;
    int st;

    RMAT_TRY(rmat_interval_bytes(gen, room, &bytes));
    RMAT_TRY(rmat_interval_create(interval, gen, bytes));
    RMAT_TRY(rmat_interval_begin(*interval, &first, &end, 1));
    RMAT_TRY(rmat_interval_add(*interval, 0, ends));
    RMAT_TRY(rmat_interval_sort(*interval));
done:
    return st;
}

/* Finds the numbers, in one pass over the edges.  Returns an rmat_status; *c is to be closed in any
 * case.  What *from points to must outlive *c. */
static int compact_open(fit_compact *c, const rmat_source *from, int threads)
{
    const uint64_t ends = 2 * from->edges;
    const rmat_source source = {.rows = (uint64_t)1 << RMAT_MAX_SCALE,
                                .cols = 1,
                                .edges = ends,
                                .fill = fill_ends,
                                .piece_end = from->piece_end != NULL ? ends_piece : NULL,
                                .state = c};
    rmat_interval *interval = NULL;
    rmat_arrays to = {.id_bytes = 8};
    rmat_gen *gen = NULL;
    rmat_config config;
    int st;

    memset(c, 0, sizeof *c);
    c->from = *from;
    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_CPU;
    config.threads = threads;
    RMAT_TRY(rmat_create_from(&gen, &source, &config));
    RMAT_TRY(find_ids(gen, ends, &interval));
    c->n = rmat_interval_edges(interval);
    to.src = c->ids = malloc((c->n + 1) * sizeof *c->ids);
    if (c->ids == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    RMAT_TRY(rmat_interval_read(interval, 0, c->n, &to));
done:
    rmat_interval_destroy(interval);
    rmat_destroy(gen);
    return st;
}

static void compact_close(fit_compact *c)
{
    free(c->ids);
    c->ids = NULL;
}

static uint64_t number_of(const fit_compact *c, uint64_t id)
{
    uint64_t low = 0, high = c->n - 1;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (c->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int fill_compact(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const fit_compact *c = state;
    uint64_t *src = malloc(2 * count * sizeof *src), *dst = src + count;
    const rmat_arrays edges = {src, dst, NULL, 8};
    int status = src == NULL || c->from.fill(c->from.state, first, count, &edges) != 0;

    for (uint64_t i = 0; i < count && status == 0; i++) {
        const uint64_t u = number_of(c, src[i]), v = number_of(c, dst[i]);

        if (to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = (uint32_t)u;
            ((uint32_t *)to->dst)[i] = (uint32_t)v;
        } else {
            ((uint64_t *)to->src)[i] = u;
            ((uint64_t *)to->dst)[i] = v;
        }
    }
    free(src);
    return status;
}

static uint64_t compact_piece_end(void *state, uint64_t first)
{
    const fit_compact *c = state;

    return c->from.piece_end(c->from.state, first);
}

/* The same edges with the new numbers; its state is c. */
static rmat_source compact_source(fit_compact *c)
{
    return (rmat_source){.rows = c->n,
                         .cols = c->n,
                         .edges = c->from.edges,
                         .fill = fill_compact,
                         .piece_end = c->from.piece_end != NULL ? compact_piece_end : NULL,
                         .state = c};
}

/* Reading that can be stopped. */

typedef struct {
    const engine_source *from;
    engine_watch watch;
    engine_meter meter;
    _Atomic uint64_t done;
    _Atomic int stop;    /* what the watch returned */
    atomic_flag telling; /* one thread at a time calls it */
} watched;

/* Whether the watch wants an end, while edges are read and while they are sorted and counted. */
static int stop_reading(void *state)
{
    watched *w = state;

    if (!atomic_flag_test_and_set(&w->telling)) {
        const int reason = engine_meter_tick(&w->meter, (double)atomic_load(&w->done), 0);

        if (reason != 0) {
            atomic_store(&w->stop, reason);
        }
        atomic_flag_clear(&w->telling);
    }
    return atomic_load(&w->stop) != 0;
}

static int fill_watched(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    watched *w = state;
    atomic_fetch_add(&w->done, count);
    return stop_reading(w) == 0 ? w->from->edges.fill(w->from->edges.state, first, count, to) : -1;
}

static uint64_t watched_piece_end(void *state, uint64_t first)
{
    const watched *w = state;

    return w->from->edges.piece_end(w->from->edges.state, first);
}

static rmat_source watched_source(watched *w)
{
    rmat_source s = w->from->edges;

    s.weights = RMAT_NO_WEIGHTS;
    s.fill = fill_watched;
    s.fill_device = NULL;
    s.piece_end = w->from->edges.piece_end != NULL ? watched_piece_end : NULL;
    s.probability = NULL;
    s.state = w;
    return s;
}

/* What a function of rmat/ returned, as an engine_status. */
static int reading_failed(const watched *w, int status)
{
    const char *text = "";

    if (status == RMAT_OK) {
        return ENGINE_OK;
    }
    if (w->stop != 0) {
        return engine_stop_with(w->stop);
    }
    if (status == RMAT_ERR_SOURCE && w->from->error != NULL) {
        text = w->from->error(w->from->edges.state);
    }
    return engine_fail("%s", *text != '\0'              ? text
                             : status == RMAT_ERR_NOMEM ? "memory is exhausted"
                                                        : rmat_strerror(status));
}

static uint64_t memory_of(const fit_options *o)
{
    return o->memory > 0 ? o->memory : 2 * sorted_default_memory();
}

static int no_memory(const fit_options *o, uint64_t bytes)
{
    char needed[NUMBER_TEXT], there[NUMBER_TEXT];

    format_bytes(needed, (double)bytes);
    format_bytes(there, (double)memory_of(o));
    return o->memory > 0
               ? engine_refuse("memory", "%s are too few for this graph, allowed: %s or more",
                               there, needed)
               : engine_fail("the graph takes %s of memory, %s are available", needed, there);
}

/* Is there a graph at all, and can it be held? */
static int check_graph(const rmat_source *s)
{
    if (s->rows != s->cols) {
        return engine_fail("the graph has %" PRIu64 " source and %" PRIu64
                           " destination vertices, a fit needs them to be the same",
                           s->rows, s->cols);
    }
    if (s->edges == 0) {
        return engine_fail("the graph has no edges, so there is nothing to fit");
    }
    if (s->edges >= RMAT_SHAPE_MOST_EDGES) {
        return engine_fail("the graph has %" PRIu64 " edges, a fit takes fewer than 2^32",
                           s->edges);
    }
    return ENGINE_OK;
}

static int examine_graph(watched *w, const rmat_source *s, const fit_options *o, fit_report *r)
{
    const rmat_fit_input input = {.edges = o->edges,
                                  .backend = r->backend,
                                  .device = o->device,
                                  .threads = o->threads,
                                  .memory = memory_of(o),
                                  .stop = stop_reading,
                                  .stop_state = w,
                                  .out = r->out,
                                  .in = r->in};
    int status;

    atomic_store(&w->done, 0);
    status = rmat_fit_examine(&r->graph, s, &input);
    if (status != RMAT_OK && fit_falls_back(o, r, &w->watch, status)) {
        return examine_graph(w, s, o, r);
    }
    return status;
}

static int allocate_degrees(fit_report *r, uint64_t vertices)
{
    r->out = malloc(vertices * sizeof *r->out);
    r->in = malloc(vertices * sizeof *r->in);
    return r->out != NULL && r->in != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

/* The bytes that were too many. */
static uint64_t bytes_of(const rmat_source *s, const fit_report *r)
{
    const uint64_t once =
        r->backend == RMAT_BACKEND_GPU ? 8 * s->edges : rmat_fit_bytes(s->rows, s->edges);

    return once > memory_of(r->options) ? once : rmat_fit_bytes(s->rows, 2 * s->edges);
}

int fit_read(const engine_source *source, const engine_watch *watch, fit_report *r)
{
    const fit_options *o = r->options;
    watched w = {.from = source,
                 .watch = *watch,
                 .meter = engine_meter_of(watch, "reading", source->edges.edges, 8),
                 .telling = ATOMIC_FLAG_INIT};
    rmat_source s = watched_source(&w);
    fit_compact compact = {.ids = NULL};
    int status = check_graph(&s);

    if (status != ENGINE_OK) {
        return status;
    }
    if (o->vertices > s.rows) {
        s.rows = s.cols = o->vertices;
    }
    if (s.rows < 2) {
        return engine_fail("the graph has one vertex, but a fit needs two or more");
    }
    if (has_holes(&s)) {
        r->ids = s.rows;
        status = compact_open(&compact, &s, o->threads);
        s = compact_source(&compact);
    }
    if (status == RMAT_OK && o->chung_lu) {
        status = allocate_degrees(r, s.rows);
    }
    status = status == RMAT_OK ? examine_graph(&w, &s, o, r) : status;
    compact_close(&compact);
    if (status == RMAT_ERR_NOMEM && bytes_of(&s, r) > memory_of(o)) {
        return no_memory(o, bytes_of(&s, r));
    }
    return reading_failed(&w, status);
}
