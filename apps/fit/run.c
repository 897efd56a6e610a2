/*
 * A graph is examined and fitted.
 *
 * The edges come from an engine's source, which may fail with a text of its own, and whose reading
 * can be stopped: both go through a source that is put before it.
 */
#include "apps/common/clock.h"
#include "apps/common/numbers.h"
#include "apps/engine/meter.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include "apps/fit/compact.h"
#include "apps/fit/fit.h"
#include "rmat/rmat_gpu.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#define GPU_EDGES ((uint64_t)4 << 20) /* from here on a GPU is worth its start */

typedef struct {
    const engine_source *from;
    engine_meter meter;
    _Atomic uint64_t done;
    _Atomic int stop;    /* what the watch returned */
    atomic_flag telling; /* one thread at a time calls it */
} watched;

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    watched *w = state;
    const uint64_t done = atomic_fetch_add(&w->done, count);

    if (!atomic_flag_test_and_set(&w->telling)) {
        const int reason = engine_meter_tick(&w->meter, (double)done, 0);

        if (reason != 0) {
            atomic_store(&w->stop, reason);
        }
        atomic_flag_clear(&w->telling);
    }
    return atomic_load(&w->stop) == 0 ? w->from->edges.fill(w->from->edges.state, first, count, to)
                                      : -1;
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
static int check(const rmat_source *s, const fit_options *o)
{
    if (s->rows != s->cols) {
        return engine_fail("the graph has %" PRIu64 " source and %" PRIu64
                           " destination vertices, a fit needs them to be the same",
                           s->rows, s->cols);
    }
    if (s->edges == 0) {
        return engine_fail("the graph has no edges, there is nothing to fit");
    }
    if (s->edges >= RMAT_SHAPE_MOST_EDGES) {
        return engine_fail("the graph has %" PRIu64 " edges, a fit takes fewer than 2^32",
                           s->edges);
    }
    if (rmat_fit_bytes(s->rows, s->edges) > memory_of(o) && !fit_has_holes(s)) {
        return no_memory(o, rmat_fit_bytes(s->rows, s->edges));
    }
    return ENGINE_OK;
}

static int examine(watched *w, const fit_options *o, fit_report *r)
{
    rmat_source s = watched_source(w);
    fit_compact compact = {.ids = NULL};
    int status;

    if (o->vertices > s.rows) {
        s.rows = s.cols = o->vertices;
    }
    status = check(&s, o);
    if (status != ENGINE_OK) {
        return status;
    }
    if (fit_has_holes(&s)) {
        r->ids = s.rows;
        status = fit_compact_open(&compact, &s, o->threads);
        s = fit_compact_source(&compact);
    }
    if (status == RMAT_OK) {
        atomic_store(&w->done, 0);
        status = rmat_fit_examine(&r->graph, &s, o->edges, memory_of(o), o->threads);
    }
    fit_compact_close(&compact);
    if (status == RMAT_ERR_NOMEM && rmat_fit_bytes(s.rows, 2 * s.edges) > memory_of(o)) {
        return no_memory(o, rmat_fit_bytes(s.rows, 2 * s.edges));
    }
    return failed(w, status);
}

/* For rmat_fit_options.tick. */
typedef struct {
    const engine_watch *watch;
    double end; /* time; 0: none */
    int stop;
} ticking;

static int tick(void *state, double share)
{
    ticking *t = state;
    const engine_progress now = {.phase = "fitting", .share = share};

    if (t->watch->tick != NULL) {
        t->stop = t->watch->tick(t->watch->state, &now);
    }
    return t->stop != 0 || (t->end > 0 && clock_seconds() > t->end);
}

static int fit_on(rmat_backend backend, ticking *t, const fit_options *o, fit_report *r)
{
    rmat_fit_options options;

    rmat_fit_options_default(&options);
    options.backend = r->backend = backend;
    options.threads = o->threads;
    options.device = backend == RMAT_BACKEND_GPU ? o->device : -1;
    options.seed = o->seed;
    options.vertices_fixed = o->vertices > 0;
    options.tick = tick;
    options.state = t;
    return rmat_fit(&r->graph, &options, &r->fit);
}

static int fit(const engine_watch *watch, const fit_options *o, fit_report *r)
{
    const bool choose = o->backend == RMAT_BACKEND_AUTO;
    const bool gpu = o->backend == RMAT_BACKEND_GPU ||
                     (choose && r->graph.shape.edges >= GPU_EDGES && rmat_gpu_count() > 0);
    ticking t = {watch, o->time > 0 ? clock_seconds() + o->time : 0, 0};
    int status = fit_on(gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU, &t, o, r);

    if (gpu && choose && (status == RMAT_ERR_CUDA || status == RMAT_ERR_NOMEM)) {
        char text[FIT_TEXT];

        snprintf(text, sizeof text, "the GPU cannot be used (%s), the CPU fits", rmat_gpu_error());
        if (watch->warn != NULL) {
            watch->warn(watch->state, text);
        }
        status = fit_on(RMAT_BACKEND_CPU, &t, o, r);
    }
    if (t.stop != 0) {
        return engine_stop_with(t.stop);
    }
    if (status == RMAT_ERR_CUDA) {
        return engine_fail("%s: %s", rmat_strerror(status), rmat_gpu_error());
    }
    return status == RMAT_OK ? ENGINE_OK : engine_fail("%s", rmat_strerror(status));
}

int fit_run(const engine_source *source, const fit_options *options, const engine_watch *watch,
            fit_report *report)
{
    watched w = {.from = source,
                 .meter = engine_meter_of(watch, "reading", source->edges.edges, 8),
                 .telling = ATOMIC_FLAG_INIT};
    const double start = clock_seconds();
    int status;

    report->edges = source->edges.edges;
    report->options = options;
    status = examine(&w, options, report);
    report->read_seconds = clock_seconds() - start;
    if (status == ENGINE_OK) {
        status = fit(watch, options, report);
        report->fit_seconds = clock_seconds() - start - report->read_seconds;
    }
    if (status == ENGINE_OK) {
        fit_judge(report);
    }
    return status;
}
