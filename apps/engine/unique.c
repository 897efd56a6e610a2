/*
 * Distinct edges: can the model have so many, and how long would drawing them take?
 *
 * A model with a zero in its matrices has fewer cells than rows times columns.  And as the number
 * of distinct edges comes near to that of all cells, the last ones take more and more draws: an
 * edge of probability p is missing after T draws with probability (1 - p)^T.
 */
#include "apps/engine/job.h"
#include "apps/engine/status.h"
#include "rmat/rmat_sample.h"
#include <inttypes.h>

#define FEW_CELLS ((uint64_t)1 << 12) /* of a sample that takes a millisecond */

static const char *kind(const engine_job *job, uint64_t count)
{
    return job->model.symmetrize ? (count == 1 ? "pair of vertices" : "pairs of vertices")
           : count == 1          ? "edge"
                                 : "edges";
}

static int refuse_draws(const engine_job *job, const rmat_sample *sample)
{
    const double wanted = (double)job->edges;
    double draws = wanted;

    /* Half an edge missing is as good as none. */
    while (draws < 1e30 && rmat_sample_distinct(sample, 2 * draws, NULL) < wanted - 0.5) {
        draws *= 2;
    }
    return engine_refuse("edges",
                         "'%" PRIu64
                         "' is out of range for distinct edges, because so many different %s "
                         "would take more than %.1e draws, allowed: fewer",
                         job->edges, kind(job, job->edges), draws);
}

/* Without a complaint where the sample is small: *too_many then asks for a larger one. */
static int check_draws(const engine_job *job, const rmat_config *model, uint64_t cells,
                       bool *too_many)
{
    rmat_sample *sample;
    rmat_window window;
    int status = rmat_sample_create(&sample, model, cells), result = ENGINE_OK;

    *too_many = false;
    if (status == RMAT_OK) {
        status = rmat_window_first(sample, job->edges, &window);
        *too_many = status == RMAT_ERR_DRAWS;
    }
    if (*too_many && cells == 0) {
        result = refuse_draws(job, sample);
    } else if (status != RMAT_OK && !*too_many) {
        result = engine_refuse("unique", "%s", rmat_strerror(status));
    }
    rmat_sample_destroy(sample);
    return result;
}

int engine_check_unique(const engine_job *job)
{
    rmat_config model = job->model;
    uint64_t possible;
    bool too_many;
    int status;

    model.isa = RMAT_ISA_AUTO; /* whether the processor has the one asked for shows later */
    model.backend = RMAT_BACKEND_CPU;
    model.threads = job->threads;
    status = rmat_support_size(&model, &possible);
    if (status != RMAT_OK) {
        return engine_refuse("unique", "%s", rmat_strerror(status));
    }
    if (job->edges > possible) {
        return engine_refuse("edges",
                             "'%" PRIu64
                             "' is out of range for distinct edges, because the model has %" PRIu64
                             " different %s, allowed: 0 to %" PRIu64,
                             job->edges, possible, kind(job, possible), possible);
    }
    if (job->edges == 0) {
        return ENGINE_OK;
    }
    status = check_draws(job, &model, FEW_CELLS, &too_many);
    return too_many ? check_draws(job, &model, 0, &too_many) : status;
}
