/* What a job would take: how large the file becomes, whether there is room for it, how much memory.
 */
#include "apps/engine/estimate.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "io/small_file.h"
#include "mpi/dist.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Bytes free to this user where the file is to go.  Returns 0 or an errno. */
static int free_space(const char *output, uint64_t *bytes)
{
    const char *slash = strrchr(output, '/');
    char folder[4096] = ".";
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
static void check_output(engine_estimate *e, const engine_plan *p, const graphfile_spec *spec)
{
    const uint64_t bytes = graphfile_most_bytes(spec, NULL);
    const bool absolute = dist_size() > 1;
    char weights[PATH_MAX];
    int status = EDGEFILE_OK;

    if (strcmp(p->job.output, "-") != 0) {
        status =
            edgefile_could_create(p->job.output, absolute, p->job.replace, bytes + e->sorted_bytes);
    }
    if (status == EDGEFILE_OK && graphfile_table[p->job.format]->traits & GRAPHFILE_WEIGHTS_APART) {
        snprintf(weights, sizeof weights, "%s" GRAPHFILE_WEIGHTS, p->job.output);
        status = edgefile_could_create(weights, absolute, p->job.replace, 0);
    }
    if (status != EDGEFILE_OK) {
        e->output.status = engine_fail_file(status);
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

/* The size of the file, and of the sorted one before it. */
static void find_sizes(engine_estimate *e, const engine_plan *p, const graphfile_spec *spec)
{
    const graphfile_spec sorted = engine_sorted_spec(p, spec);

    if (p->way == ENGINE_CONVERTED) {
        e->sorted_bytes = graphfile_most_bytes(&sorted, NULL);
    }
    e->bytes = graphfile_most_bytes(spec, &e->exact);
}

/* The buffers of a list. */
static void plan_list(engine_estimate *e, const engine_plan *p, engine_backend *backend)
{
    if (p->way == ENGINE_CONVERTED) { /* from generators without the pipeline */
        return;
    }
    /* It cannot fail: engine_make_plan() has seen that a buffer fits. */
    (void)engine_backend_plan(backend, p, p->graph_edges, &e->plan);
    e->buffer_bytes = pipeline_buffer_bytes(&e->plan);
    e->my_device_bytes = backend->device_bytes;
}

/* The intervals and buffers of a sorted graph on this rank. */
static int plan_intervals(engine_estimate *e, const engine_plan *p, engine_backend *backend)
{
    int status = sorted_make_plan(&e->sorted, p, backend);

    if (status == ENGINE_OK &&
        sorted_plan_buffers(&e->sorted, p, backend, e->sorted.share, &e->plan) != 0) {
        status = sorted_fail(backend, RMAT_ERR_NOMEM);
    }
    return status;
}

static int plan_sorted(engine_estimate *e, const engine_plan *p, engine_backend *backend)
{
    const sorted_plan *plan = &e->sorted;
    uint64_t intervals;
    int status = engine_agree(plan_intervals(e, p, backend));

    if (status == ENGINE_OK) {
        status = sorted_join_passes(&e->sorted, p);
    }
    sorted_free_plan(&e->sorted);
    intervals = (uint64_t)plan->intervals * plan->interval_bytes;
    e->buffer_bytes = pipeline_buffer_bytes(&e->plan);
    if (backend->used == RMAT_BACKEND_GPU) {
        e->my_device_bytes = pipeline_gpu_bytes(&e->plan) + intervals;
    } else {
        e->buffer_bytes += intervals;
    }
    return status;
}

int engine_estimate_it(engine_estimate *e, const engine_plan *p, engine_backend *backend,
                       const graphfile_spec *spec)
{
    char place[PATH_MAX];
    struct stat st;
    uint64_t sums[4];
    int status = engine_agree(engine_name_sorted(&p->job, place));

    if (status == ENGINE_OK && p->way != ENGINE_LIST) {
        status = plan_sorted(e, p, backend);
    } else if (status == ENGINE_OK) {
        plan_list(e, p, backend);
    }
    if (status != ENGINE_OK) {
        return status;
    }
    e->backend = backend->used;
    e->device = backend->device;
    sums[0] = e->buffer_bytes;
    sums[1] = e->my_device_bytes;
    sums[2] = e->backend == RMAT_BACKEND_GPU ? 0 : (uint64_t)p->job.threads;
    sums[3] = e->backend == RMAT_BACKEND_GPU;
    dist_sum(sums, 4);
    e->buffer_bytes = sums[0];
    e->device_bytes = sums[1];
    e->threads = dist_size() == 1 ? (uint64_t)p->job.threads : sums[2];
    e->gpu_ranks = sums[3];
    if (dist_rank() == 0) { /* which reports */
        find_sizes(e, p, spec);
        e->exists = strcmp(p->job.output, "-") != 0 && stat(p->job.output, &st) == 0;
        e->room_error = free_space(place, &e->room);
        check_output(e, p, spec);
    }
    dist_broadcast(&e->output, sizeof e->output);
    return ENGINE_OK;
}
