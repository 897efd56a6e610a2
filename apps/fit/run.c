/* A graph is read and fitted. */
#include "apps/common/clock.h"
#include "apps/engine/status.h"
#include "apps/fit/fit.h"
#include "rmat/rmat_gpu.h"
#include <stdio.h>
#include <stdlib.h>

#define GPU_EDGES ((uint64_t)4 << 20) /* from here on a GPU is worth its start */

/* For rmat_fit_options.tick. */
typedef struct {
    const engine_watch *watch;
    double end;   /* time; 0: none */
    double share; /* of the fit that is done */
    int stop;
} ticking;

/* In the middle of a simulated graph, which time that runs out does not end. */
static int stop(void *state)
{
    ticking *t = state;
    const engine_progress now = {.phase = "fitting", .share = t->share};

    if (t->stop == 0 && t->watch->tick != NULL) {
        t->stop = t->watch->tick(t->watch->state, &now);
    }
    return t->stop != 0;
}

static int tick(void *state, double share)
{
    ticking *t = state;

    t->share = share;
    return stop(state) || (t->end > 0 && clock_seconds() > t->end);
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

static int fit(ticking *t, fit_report *r)
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
    options.tick = tick;
    options.state = t;
    options.stop = stop;
    options.stop_state = t;
    status = rmat_fit(&r->graph, &options, &r->fit);
    if (t->stop != 0) {
        return engine_stop_with(t->stop);
    }
    if (status != RMAT_OK && fit_falls_back(o, r, t->watch, status)) {
        return fit(t, r);
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
        status = fit(&t, report);
        if (status == ENGINE_OK && report->out != NULL) {
            /* That it fails is no failure of the fit. */
            (void)fit_chung_lu(report, stop, &t, report->no_chung_lu);
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
