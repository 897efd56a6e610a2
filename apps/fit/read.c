/*
 * A graph is read and examined.
 *
 * The edges come from an engine's source, which may fail with a text of its own, and whose reading
 * can be stopped: both go through a source that is put before it.
 */
#include "apps/common/numbers.h"
#include "apps/engine/meter.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include "apps/fit/compact.h"
#include "apps/fit/fit.h"
#include "rmat/rmat_gpu.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    const engine_source *from;
    engine_watch watch;
    engine_meter meter;
    _Atomic uint64_t done;
    _Atomic int stop;    /* what the watch returned */
    atomic_flag telling; /* one thread at a time calls it */
} watched;

/* Whether the watch wants an end, while edges are read and while they are sorted and counted. */
static int stop(void *state)
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

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    watched *w = state;
    atomic_fetch_add(&w->done, count);
    return stop(w) == 0 ? w->from->edges.fill(w->from->edges.state, first, count, to) : -1;
}

static uint64_t piece_end(void *state, uint64_t first)
{
    const watched *w = state;

    return w->from->edges.piece_end(w->from->edges.state, first);
}

static rmat_source watched_source(watched *w)
{
    rmat_source s = w->from->edges;

    s.weights = RMAT_NO_WEIGHTS;
    s.fill = fill;
    s.fill_device = NULL;
    s.piece_end = w->from->edges.piece_end != NULL ? piece_end : NULL;
    s.probability = NULL;
    s.state = w;
    return s;
}

/* What a function of rmat/ returned, as an engine_status. */
static int failed(const watched *w, int status)
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
static int check(const rmat_source *s)
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

static int examine(watched *w, const rmat_source *s, const fit_options *o, fit_report *r)
{
    const rmat_fit_input input = {.edges = o->edges,
                                  .backend = r->backend,
                                  .device = o->device,
                                  .threads = o->threads,
                                  .memory = memory_of(o),
                                  .stop = stop,
                                  .stop_state = w,
                                  .out = r->out,
                                  .in = r->in};
    int status;

    atomic_store(&w->done, 0);
    status = rmat_fit_examine(&r->graph, s, &input);
    if (status != RMAT_OK && fit_falls_back(o, r, &w->watch, status)) {
        return examine(w, s, o, r);
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
    int status = check(&s);

    if (status != ENGINE_OK) {
        return status;
    }
    if (o->vertices > s.rows) {
        s.rows = s.cols = o->vertices;
    }
    if (s.rows < 2) {
        return engine_fail("the graph has one vertex, but a fit needs two or more");
    }
    if (fit_has_holes(&s)) {
        r->ids = s.rows;
        status = fit_compact_open(&compact, &s, o->threads);
        s = fit_compact_source(&compact);
    }
    if (status == RMAT_OK && o->chung_lu) {
        status = allocate_degrees(r, s.rows);
    }
    status = status == RMAT_OK ? examine(&w, &s, o, r) : status;
    fit_compact_close(&compact);
    if (status == RMAT_ERR_NOMEM && bytes_of(&s, r) > memory_of(o)) {
        return no_memory(o, bytes_of(&s, r));
    }
    return failed(&w, status);
}
