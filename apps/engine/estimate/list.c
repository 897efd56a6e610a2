/* How fast a list is made: the pipeline without a file for a moment, on all ranks at once, for they
 * share processors and GPUs. */
#include "apps/common/clock.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <math.h>
#include <stdio.h>

#define MEASURE_EDGES ((uint64_t)1 << 40)

typedef struct {
    double start;
    uint64_t done;   /* at the start */
    bool setting_up; /* buffers are pinned, and so on: the time does not count yet */
} stopwatch;

static int time_is_up(void *argument, uint64_t done)
{
    stopwatch *w = argument;

    if (w->setting_up) {
        *w = (stopwatch){clock_seconds(), done, done == 0};
        return 0;
    }
    return done > w->done && clock_seconds() - w->start >= MEASURE_SECONDS * 0.9;
}

/* Edges per second of this rank into memory; negative after a failure. */
static double measure(const engine_job *o, engine_backend *backend)
{
    stopwatch watch = {clock_seconds(), 0, backend->used == RMAT_BACKEND_GPU};
    pipeline_plan plan;
    pipeline_result result;

    engine_backend_plan(backend, o, engine_has_source(o) ? o->graph_edges : MEASURE_EDGES, o->io,
                        &plan);
    pipeline_run(&plan, NULL, &backend->producer, backend->fallback, NULL, time_is_up, &watch,
                 &result);
    if (result.error != NULL) {
        engine_fail("%s", result.error);
        return -1;
    }
    if (result.fell_back) {
        snprintf(backend->gpu_failed, sizeof backend->gpu_failed, "%s", result.fall_text);
        engine_backend_without_gpu(backend);
        return measure(o, backend);
    }
    return (double)(result.done - watch.done) / (clock_seconds() - watch.start);
}

int engine_estimate_list(engine_estimate *e, engine_backend *backend)
{
    const engine_job *o = e->job;
    double mine = measure(o, backend);
    int status = engine_agree(mine < 0 ? ENGINE_ERR_RUN : ENGINE_OK);
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    uint64_t sums[5], first, edges;

    if (status != ENGINE_OK) {
        return status;
    }
    engine_range(o, &first, &edges);
    engine_backend_plan(backend, o, edges, o->io, &e->plan);
    sums[0] = (uint64_t)mine;
    sums[1] = pipeline_buffer_bytes(&e->plan);
    sums[2] = backend->device_bytes;
    sums[3] = gpu ? 0 : (uint64_t)o->threads;
    sums[4] = gpu;
    dist_sum(sums, 5);
    e->rate = dist_size() == 1 ? mine : (double)sums[0];
    e->my_device_bytes = backend->device_bytes;
    e->buffer_bytes = sums[1];
    e->device_bytes = sums[2];
    e->threads = dist_size() == 1 ? (uint64_t)o->threads : sums[3];
    e->gpu_ranks = sums[4];
    e->generating = (double)edges / e->rate;
    e->writing = (double)e->bytes / ASSUMED_WRITE_RATE;
    e->seconds = fmax(e->generating, e->writing);
    return ENGINE_OK;
}
