/* What a job would take: how large the file becomes, whether there is room for it, how much memory.
 */
#include "apps/engine/run.h"
#include "apps/engine/sorted/plan.h"
#include "io/small_file.h"
#include "mpi/dist.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Bytes free to this user where the file is to go.  Returns 0 or an errno. */
static int free_space(const char *output, uint64_t *bytes)
{
    const char *slash = strrchr(output, '/');
    char folder[PATH_MAX] = ".";
    struct statvfs fs;

    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", slash == output ? 1 : (int)(slash - output),
                 output);
    }
    if (statvfs(folder, &fs) != 0) {
        return errno;
    }
    *bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    return 0;
}

/* Could the file be made, by the checks that a run makes before it writes? */
static void check_output(engine_estimate *e, const engine_job *o, const graphfile_spec *spec)
{
    const uint64_t bytes = graphfile_most_bytes(spec, NULL) + e->sorted_bytes;
    const bool absolute = dist_size() > 1;
    char weights[PATH_MAX];
    int status = EDGEFILE_OK;

    if (strcmp(o->output, "-") != 0) {
        status = edgefile_could_create(o->output, absolute, o->replace, bytes);
    }
    if (status == EDGEFILE_OK && graphfile_table[o->format]->traits & GRAPHFILE_WEIGHTS_APART) {
        snprintf(weights, sizeof weights, "%s" GRAPHFILE_WEIGHTS, o->output);
        status = edgefile_could_create(weights, absolute, o->replace, 0);
    }
    if (status != EDGEFILE_OK) {
        e->output.status = engine_file_status(status);
        e->output.exists = status == EDGEFILE_ERR_EXISTS;
        snprintf(e->output.detail, sizeof e->output.detail, "%s", edgefile_detail());
    }
}

int engine_estimate_end(const engine_estimate *e)
{
    if (e->output.status != ENGINE_OK) {
        engine_set_detail(e->output.exists ? "replace" : "", e->output.detail);
    }
    return e->output.status;
}

/* The intervals and buffers of a sorted graph on this rank. */
static int plan_sorted(engine_estimate *e, const engine_plan *p, engine_backend *backend)
{
    sorted_plan plan = {.sample = NULL};
    uint64_t bytes;
    int status = sorted_make_plan(&plan, p, backend);

    if (status == ENGINE_OK &&
        sorted_plan_buffers(&plan, p, backend, plan.share, &e->buffers) != 0) {
        status = sorted_fail(backend, RMAT_ERR_NOMEM);
    }
    status = engine_agree(status);
    if (status == ENGINE_OK) {
        status = sorted_join_passes(&plan, p);
    }
    sorted_free_plan(&plan);
    bytes = (uint64_t)plan.intervals * plan.interval_bytes;
    e->stream_edges = plan.stream_edges;
    e->passes = sorted_plan_stream(&plan, plan.passes + plan.counting);
    e->counting_passes = sorted_plan_stream(&plan, plan.counting);
    e->intervals = plan.passes;
    e->intervals_at_once = plan.intervals;
    e->interval_bytes = bytes;
    e->interval_edges = plan.interval_edges;
    e->all_bytes = pipeline_buffer_bytes(&e->buffers);
    if (backend->used == RMAT_BACKEND_GPU) {
        e->device_bytes = pipeline_gpu_bytes(&e->buffers) + bytes;
    } else {
        e->all_bytes += bytes;
    }
    return status;
}

int engine_estimate_work(engine_estimate *e, const engine_work *work)
{
    const engine_plan *p = work->plan;
    engine_backend *backend = work->backend;
    const bool gpu = backend->used == RMAT_BACKEND_GPU;
    const graphfile_spec sorted = engine_sorted_spec(p, work->spec);
    char place[PATH_MAX];
    struct stat st;
    uint64_t sums[4];
    int status = engine_agree(engine_name_sorted(&p->job, place));

    if (status == ENGINE_OK && p->way != ENGINE_LIST) {
        status = plan_sorted(e, p, backend);
    } else if (status == ENGINE_OK) {
        engine_backend_plan(backend, p, p->graph_edges, &e->buffers);
        e->all_bytes = pipeline_buffer_bytes(&e->buffers);
        e->device_bytes = backend->device_bytes;
    }
    if (status != ENGINE_OK) {
        return status;
    }
    e->backend = backend->used;
    e->device = backend->device;
    sums[0] = e->all_bytes;
    sums[1] = e->device_bytes;
    sums[2] = gpu && dist_size() > 1 ? 0 : (uint64_t)p->job.threads;
    sums[3] = gpu;
    dist_sum(sums, 4);
    e->all_bytes = sums[0];
    e->all_device_bytes = sums[1];
    e->threads = sums[2];
    e->gpu_ranks = sums[3];
    if (dist_rank() == 0) { /* which reports */
        e->sorted_bytes = p->way == ENGINE_CONVERTED ? graphfile_most_bytes(&sorted, NULL) : 0;
        e->bytes = graphfile_most_bytes(work->spec, &e->exact);
        e->exists = strcmp(p->job.output, "-") != 0 && stat(p->job.output, &st) == 0;
        e->room_error = free_space(place, &e->room);
        check_output(e, &p->job, work->spec);
    }
    dist_broadcast(&e->output, sizeof e->output);
    return ENGINE_OK;
}
