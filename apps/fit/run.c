/*
 * A graph is read and fitted, and compared with two graphs: one of the fitted model, and one with
 * the expected degrees of the graph, as `chung_lu --like` makes it.
 */
#include "apps/chung_lu/graph.h"
#include "apps/common/clock.h"
#include "apps/engine/status.h"
#include "apps/fit/fit.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_sample.h"
#include "rmat/rmat_source.h"
#include <stdio.h>
#include <stdlib.h>

#define GPU_EDGES ((uint64_t)4 << 20) /* from here on a GPU is worth its start */

/* The graph of expected degrees. */

static int weights_of(const fit_report *r, chung_lu_degrees *degrees)
{
    const uint64_t n = r->graph.shape.vertices;
    const bool directed = r->graph.listed == RMAT_LISTED_DIRECTED;

    *degrees = (chung_lu_degrees){.out = malloc(n * sizeof *degrees->out),
                                  .in = directed ? malloc(n * sizeof *degrees->in) : NULL,
                                  .sum = (double)r->graph.shape.edges};
    if (degrees->out == NULL || (directed && degrees->in == NULL)) {
        return RMAT_ERR_NOMEM;
    }
#pragma omp parallel for schedule(static) num_threads(r->options->threads)
    for (uint64_t v = 0; v < n; v++) {
        degrees->out[v] = r->out[v];
        if (directed) {
            degrees->in[v] = r->in[v];
        }
    }
    return RMAT_OK;
}

enum { MOST_DRAWS = 32 }; /* for each edge: what takes more is not worth the memory */

/* Draws among which about so many are distinct. */
static int draws_for(const rmat_gen *gen, uint64_t distinct, uint64_t *draws)
{
    rmat_sample *sample;
    rmat_window window;
    int status = rmat_sample_create_from(&sample, gen, 0);

    if (status == RMAT_OK) {
        status = rmat_window_first(sample, distinct, &window);
        rmat_sample_destroy(sample);
    }
    *draws = status == RMAT_OK ? window.low + (window.high - window.low) / 2 : 0;
    if (*draws / MOST_DRAWS > distinct) {
        status = RMAT_ERR_DRAWS;
    }
    return status;
}

static int measure_chung_lu(fit_report *r, chung_lu_graph *g, const rmat_config *config)
{
    const engine_source source = chung_lu_source(g);
    const bool distinct = r->graph.shape.copies == 0;
    uint64_t edges = r->fit.edges;
    rmat_gen *gen;
    int status = rmat_create_from(&gen, &source.edges, config);

    if (status != RMAT_OK) {
        return status;
    }
    if (distinct) {
        status = draws_for(gen, edges, &edges);
    }
    if (status == RMAT_OK) {
        status = rmat_shape_of(gen, edges << config->symmetrize, distinct, 1, &r->chung_lu);
    }
    rmat_destroy(gen);
    return status;
}

/* The shape of a graph with the expected degrees of the report's, made alike.  stop, stop_state: as
 * in rmat_config.  Returns an rmat_status, with `text` saying more where it is not 0. */
static int fit_chung_lu(fit_report *r, int (*stop)(void *state), void *stop_state,
                        char text[FIT_TEXT])
{
    const uint64_t vertices = r->graph.shape.vertices;
    const bool distinct = r->graph.shape.copies == 0;
    const chung_lu_stream stream = {.vertices = vertices,
                                    .edges = distinct ? RMAT_MAX_EDGES / 2 : r->fit.edges,
                                    .seed = r->options->seed,
                                    .batch = distinct ? 0 : chung_lu_batch(vertices),
                                    .id_bytes = 4};
    chung_lu_degrees degrees;
    chung_lu_graph g;
    rmat_config config;
    int status = weights_of(r, &degrees);

    rmat_config_default(&config);
    config.backend = r->backend;
    if (r->backend == RMAT_BACKEND_GPU) {
        config.device = r->options->device > 0 ? r->options->device : 0;
    }
    config.threads = r->options->threads;
    config.stop = stop;
    config.stop_state = stop_state;
    config.symmetrize = r->graph.listed != RMAT_LISTED_DIRECTED;
    config.no_self_loops = r->graph.shape.loops == 0;
    chung_lu_graph_open(&g, &stream, &degrees, config.threads);
    if (status == RMAT_OK &&
        chung_lu_graph_prepare(&g, config.backend, config.device, text, FIT_TEXT) != 0) {
        status = RMAT_ERR_SOURCE;
    }
    if (status == RMAT_OK) {
        status = measure_chung_lu(r, &g, &config);
    }
    if (status != RMAT_OK && text[0] == '\0') {
        snprintf(text, FIT_TEXT, "%.250s",
                 status == RMAT_ERR_SOURCE && g.text[0] != '\0' ? g.text : rmat_strerror(status));
    }
    r->chung_lu.edges = status == RMAT_OK ? r->chung_lu.edges : 0;
    chung_lu_graph_close(&g);
    free(degrees.out);
    free(degrees.in);
    return status;
}

/* The fit. */

/* For rmat_fit_options.tick. */
typedef struct {
    const engine_watch *watch;
    double end;   /* time; 0: none */
    double share; /* of the fit that is done */
    int stop;
} ticking;

/* In the middle of a simulated graph, which time that runs out does not end. */
static int stop_fit(void *state)
{
    ticking *t = state;
    const engine_progress now = {.phase = "fitting", .share = t->share};

    if (t->stop == 0 && t->watch->tick != NULL) {
        t->stop = t->watch->tick(t->watch->state, &now);
    }
    return t->stop != 0;
}

static int tick_fit(void *state, double share)
{
    ticking *t = state;

    t->share = share;
    return stop_fit(state) || (t->end > 0 && clock_seconds() > t->end);
}

bool fit_falls_back(const fit_options *o, fit_report *r, const engine_watch *watch, int status)
{
    char text[FIT_TEXT];

    if (o->backend != RMAT_BACKEND_AUTO || r->backend != RMAT_BACKEND_GPU ||
        (status != RMAT_ERR_CUDA && status != RMAT_ERR_NOMEM)) {
        return false;
    }
    snprintf(text, sizeof text, "the GPU cannot be used (%s), so the CPU continues",
             rmat_gpu_error());
    if (watch->warn != NULL) {
        watch->warn(watch->state, text);
    }
    r->backend = RMAT_BACKEND_CPU;
    return true;
}

static int fit_model(ticking *t, fit_report *r)
{
    const fit_options *o = r->options;
    rmat_fit_options options;
    int status;

    rmat_fit_options_default(&options);
    options.backend = r->backend;
    options.threads = o->threads;
    options.device = r->backend == RMAT_BACKEND_GPU ? o->device : -1;
    options.seed = o->seed;
    options.vertices_fixed = o->vertices > 0;
    options.tick = tick_fit;
    options.state = t;
    options.stop = stop_fit;
    options.stop_state = t;
    status = rmat_fit(&r->graph, &options, &r->fit);
    if (t->stop != 0) {
        return engine_stop_with(t->stop);
    }
    if (status != RMAT_OK && fit_falls_back(o, r, t->watch, status)) {
        return fit_model(t, r);
    }
    if (status == RMAT_ERR_CUDA) {
        return engine_fail("%s: %s", rmat_strerror(status), rmat_gpu_error());
    }
    return status == RMAT_OK ? ENGINE_OK : engine_fail("%s", rmat_strerror(status));
}

int fit_run(const engine_source *source, const fit_options *options, const engine_watch *watch,
            fit_report *report)
{
    const bool large = source->edges.edges >= GPU_EDGES;
    const double start = clock_seconds();
    ticking t = {.watch = watch};
    int status;

    report->edges = source->edges.edges;
    report->options = options;
    report->backend = options->backend;
    if (report->backend == RMAT_BACKEND_AUTO) {
        report->backend = large && rmat_gpu_count() > 0 ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    }
    status = fit_read(source, watch, report);
    report->read_seconds = clock_seconds() - start;
    if (status == ENGINE_OK) {
        t.end = options->time > 0 ? clock_seconds() + options->time : 0;
        status = fit_model(&t, report);
        if (status == ENGINE_OK && report->out != NULL) {
            /* That it fails is no failure of the fit. */
            (void)fit_chung_lu(report, stop_fit, &t, report->no_chung_lu);
            status = t.stop != 0 ? engine_stop_with(t.stop) : ENGINE_OK;
        }
        report->fit_seconds = clock_seconds() - start - report->read_seconds;
    }
    free(report->out);
    free(report->in);
    report->out = report->in = NULL;
    if (status == ENGINE_OK) {
        fit_judge(report);
    }
    return status;
}
