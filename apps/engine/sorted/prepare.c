/* Before a sorted graph is made: memory for intervals, and where they begin. */
#include "apps/engine/ranks/agree.h"
#include "apps/engine/sorted/run.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sorted_free_intervals(sorted_run *r)
{
    for (int i = 0; i < SORTED_SLOTS; i++) {
        rmat_interval_destroy(r->slots[i].interval);
        r->slots[i].interval = NULL;
    }
}

/* Returns an engine_status. */
static int plan(sorted_run *r)
{
    uint64_t least = 0;
    int status;

    sorted_free_plan(&r->plan);
    status = sorted_make_plan(&r->plan, r->job, r->backend, &least);
    if (status == RMAT_ERR_FULL) {
        return engine_memory_error(r->job, r->backend->used, least);
    }
    if (status == RMAT_ERR_DRAWS) { /* of a source; models are checked before */
        return engine_refuse(
            "edges",
            "'%" PRIu64 "' is out of range: the graph does not have that many distinct edges, or "
            "drawing them would take too long, allowed: fewer",
            r->job->edges);
    }
    if (sorted_failed(r, status) != RMAT_OK) {
        return engine_fail("%s", r->text);
    }
    return ENGINE_OK;
}

/* The GPU has failed, and r->text says how. */
static int plan_without_gpu(sorted_run *r)
{
    sorted_free_intervals(r);
    snprintf(r->backend->gpu_failed, sizeof r->backend->gpu_failed, "intervals: %.900s", r->text);
    engine_backend_without_gpu(r->backend);
    return plan(r);
}

static bool may_fall_back(const sorted_run *r)
{
    return r->backend->used == RMAT_BACKEND_GPU && r->job->fall_back;
}

static int allocate(sorted_run *r)
{
    int status = RMAT_OK;

    r->gen = r->backend->used == RMAT_BACKEND_GPU ? r->backend->gpu_gen : r->backend->sorting_gen;
    for (int i = 0; i < r->plan.intervals && status == RMAT_OK; i++) {
        status = rmat_interval_create(&r->slots[i].interval, r->gen, r->plan.interval_bytes);
    }
    return sorted_failed(r, status);
}

/* No rank looks how much memory there is once another has taken its part. */
int sorted_get_memory(sorted_run *r)
{
    int status = plan(r);

    if (status == ENGINE_ERR_RUN && may_fall_back(r)) {
        status = plan_without_gpu(r);
    }
    status = engine_agree(status);
    if (status != ENGINE_OK) {
        return status;
    }
    status = allocate(r);
    if (status != RMAT_OK && may_fall_back(r)) {
        status = plan_without_gpu(r);
        if (status == ENGINE_OK && allocate(r) != RMAT_OK) {
            status = engine_fail("%s", r->text);
        }
    } else if (status != RMAT_OK) {
        status = engine_fail("memory for intervals: %s", r->text);
    }
    return engine_agree(status);
}

int sorted_cut(sorted_run *r)
{
    uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank(), passes = 0, parts;
    uint64_t *all = calloc(ranks, sizeof *all);
    rmat_cell *cells = NULL;
    int status = RMAT_OK;

    r->starts = calloc(ranks + 1, sizeof *r->starts);
    r->bounds = calloc(ranks + 1, sizeof *r->bounds);
    if (all == NULL || r->starts == NULL || r->bounds == NULL) {
        status = RMAT_ERR_NOMEM;
    }
    status = sorted_agree(r, sorted_failed(r, status));
    if (status != ENGINE_OK) {
        goto done;
    }
    dist_gather(&r->plan.passes, sizeof r->plan.passes, all);
    for (uint64_t k = 0; k < ranks; k++) {
        passes = all[k] > passes ? all[k] : passes;
    }
    sorted_plan_passes(&r->plan, r->job, passes);
    parts = ranks * passes;
    cells = calloc(parts + 1, sizeof *cells);
    r->cuts = (sorted_cuts){calloc(passes + 1, sizeof *r->cuts.cells), passes};
    status = cells == NULL || r->cuts.cells == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    if (status == RMAT_OK && parts == 1) {
        cells[1] = (rmat_cell){r->job->model.rows, 0};
    } else if (status == RMAT_OK && rank == 0) {
        double draws = (double)(r->plan.stream_edges >> r->job->model.symmetrize);

        status = rmat_sample_cut(r->plan.sample, draws > 0 ? draws : 1,
                                 sorted_by_distinct(&r->plan, r->job), parts, cells);
    }
    status = sorted_agree(r, sorted_failed(r, status));
    if (status == ENGINE_OK) {
        dist_broadcast(cells, (parts + 1) * sizeof *cells);
        memcpy(r->cuts.cells, &cells[rank * passes], (passes + 1) * sizeof *cells);
        for (uint64_t k = 0; k <= ranks; k++) {
            r->bounds[k] = cells[k * passes];
        }
    }
done:
    free(all);
    free(cells);
    return status;
}
