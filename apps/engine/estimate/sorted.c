/* How fast a sorted graph is made: a pass over the stream makes and tests all of it, and keeps and
 * sorts a part.  Both are measured with intervals, on all ranks at once. */
#include "apps/engine/estimate/estimate.h"
#include "apps/engine/ranks/ranks.h"
#include "mpi/dist.h"
#include <math.h>
#include <stdio.h>

/* An exit code, after a line on stderr if it is not ENGINE_OK. */
static int make_plan(engine_estimate *e, const engine_backend *backend)
{
    int status = sorted_plan_again(&e->sorted, e->job, backend);

    if (status == ENGINE_OK &&
        sorted_plan_buffers(&e->sorted, e->job, backend, e->sorted.share, &e->plan) != 0) {
        status = sorted_fail(backend, RMAT_ERR_NOMEM);
    }
    return status;
}

/* Likewise. */
static int measure(engine_estimate *e, engine_backend *backend)
{
    const engine_job *o = e->job;
    int status = sorted_measure(o, backend, &e->sorted, &e->costs);

    status = sorted_fail(backend, status);
    if (status == ENGINE_OK || backend->used == RMAT_BACKEND_CPU || !o->fall_back) {
        return status;
    }
    snprintf(backend->gpu_failed, sizeof backend->gpu_failed, "intervals: %.900s", engine_detail());
    engine_backend_without_gpu(backend);
    status = make_plan(e, backend);
    return status == ENGINE_OK ? measure(e, backend) : status;
}

static void add_up(engine_estimate *e, const engine_backend *backend)
{
    const sorted_plan *plan = &e->sorted;
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    uint64_t intervals = (uint64_t)plan->intervals * plan->interval_bytes;
    uint64_t sums[] = {pipeline_buffer_bytes(&e->plan) + (gpu ? 0 : intervals) +
                           plan->exchange_bytes,
                       gpu ? pipeline_gpu_bytes(&e->plan) + intervals + plan->exchange_bytes : 0,
                       gpu ? 0 : (uint64_t)e->job->threads, gpu};

    e->my_device_bytes = sums[1];
    dist_sum(sums, 4);
    e->buffer_bytes = sums[0];
    e->device_bytes = sums[1];
    e->threads = dist_size() == 1 ? (uint64_t)e->job->threads : sums[2];
    e->gpu_ranks = sums[3];
}

void engine_estimate_writing(engine_estimate *e, double seconds)
{
    e->writing = seconds;
    e->seconds = e->counting +
                 (e->sorted.intervals > 1 ? fmax(e->generating, seconds) : e->generating + seconds);
}

int engine_estimate_sorted(engine_estimate *e, engine_backend *backend)
{
    int status = engine_agree(make_plan(e, backend));

    if (status == ENGINE_OK) { /* no rank looks for memory while others have some for this */
        status = engine_agree(measure(e, backend));
    }
    if (status == ENGINE_OK) {
        status = sorted_choose(&e->sorted, e->job, backend, true, &e->costs);
    }
    sorted_free_plan(&e->sorted);
    if (status != ENGINE_OK) {
        return status;
    }
    add_up(e, backend);
    e->rate = 1 / e->costs.test;
    e->sort_rate = 1 / e->costs.keep;
    sorted_seconds(&e->sorted, e->job, backend, &e->costs, &e->counting, &e->generating);
    engine_estimate_writing(e, (double)e->bytes / ASSUMED_WRITE_RATE);
    return ENGINE_OK;
}
