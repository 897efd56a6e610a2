/* A virtual file: which graphs can be one; rank 0 writes it, and no edge is made. */
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "apps/engine/virtual/virtual.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdlib.h>

/* The edges of a virtual file are made one by one, in the order of the stream. */
int engine_check_virtual(const engine_job *job)
{
    const int rows = job->model.rows_scale, cols = job->model.cols_scale;
    const int levels = rows > cols ? rows : cols;

    if (job->format != GRAPHFILE_H5) {
        return engine_refuse("virtual", "given with format %s, allowed: with h5",
                             graphfile_names[job->format]);
    }
    if (job->source != NULL || engine_sorts(job)) {
        return engine_refuse("virtual",
                             "given for a graph that is sorted or whose edges are "
                             "distinct, allowed: for a list in the order in which edges are drawn");
    }
    if (job->model.stream == RMAT_STREAM_KRONECKER) {
        return engine_refuse("virtual", "given with an initiator, allowed: with matrices of 2 x 2");
    }
    if (job->model.levels != NULL && levels > ENGINE_VIRTUAL_LEVELS) {
        return engine_refuse("virtual",
                             "given with a matrix for each of %d levels, allowed: up to %d", levels,
                             ENGINE_VIRTUAL_LEVELS);
    }
    if (job->layout == EDGEFILE_LAYOUT_SHARDED || job->io != EDGEFILE_PATH_AUTO) {
        return engine_refuse("virtual", "given with %s '%s', allowed: with auto",
                             job->io != EDGEFILE_PATH_AUTO ? "io" : "layout",
                             job->io != EDGEFILE_PATH_AUTO ? engine_io_name(job->io)
                                                           : engine_layout_name(job->layout));
    }
    if (job->graph_edges > EDGEFILE_VIRTUAL_MAX) {
        return engine_refuse("virtual",
                             "given for %" PRIu64 " edges, allowed: up to %" PRIu64 " (2^46)",
                             job->graph_edges, EDGEFILE_VIRTUAL_MAX);
    }
    return ENGINE_OK;
}

static int write_it(engine_run *run, uint64_t *bytes)
{
    void *image;
    int status = engine_virtual_image(run->spec, &run->job->model, &image, bytes);

    if (status == EDGEFILE_OK) {
        status = edgefile_virtual_write(run->file, image, *bytes, run->job->replace);
        free(image);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail_file(status);
}

int engine_write_virtual(engine_run *run)
{
    engine_result *r = run->result;
    int status = engine_agree(dist_rank() == 0 ? write_it(run, &r->file_bytes) : ENGINE_OK);

    if (status == ENGINE_OK) {
        dist_broadcast(&r->file_bytes, sizeof r->file_bytes);
        r->edges = r->stream_edges = run->job->graph_edges;
        r->layout = EDGEFILE_LAYOUT_SINGLE;
    }
    return status;
}
