/* What a job would take: how large the file becomes, whether there is room for it, how long. */
#include "apps/engine/estimate/estimate.h"
#include "apps/common/clock.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/resume.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "io/small_file.h"
#include "mpi/dist.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Bytes free to this user where the file is to go.  The folder of a shard may be missing yet: then
 * where that is to go.  Returns 0 or an errno. */
static int free_space(const char *output, bool shard, uint64_t *bytes)
{
    const char *slash = strrchr(output, '/');
    char folder[4096] = ".";
    struct statvfs fs;

    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", slash == output ? 1 : (int)(slash - output),
                 output);
    }
    if (statvfs(folder, &fs) != 0) {
        return shard && errno == ENOENT ? free_space(folder, false, bytes) : errno;
    }
    *bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    return 0;
}

/* By several ranks: from the sorted file before it, or from generators without the pipeline. */
static void estimate_compressing(engine_estimate *e, const graphfile_spec *spec)
{
    const graphfile_spec plain = engine_sorted_spec(e->job, spec);

    if (engine_sorts(e->job)) {
        e->sorted_bytes = graphfile_bytes(&plain);
        e->converting = (double)e->sorted_bytes / ASSUMED_WRITE_RATE;
        e->seconds += e->converting;
    } else {
        e->plan.buffers = 0;
        e->buffer_bytes = e->device_bytes = 0;
    }
}

/* Could the file be made, by the checks that a run makes before it writes?  On rank 0.  A shard's
 * folder, where it is missing, is made by the run. */
static int check_output(engine_estimate *e, const graphfile_spec *spec)
{
    const engine_job *job = e->job;
    const uint64_t bytes = e->bytes + e->sorted_bytes;
    const char *slash = strrchr(job->output, '/');
    const bool several = dist_size() > 1, replace = job->replace;
    char name[PATH_MAX];
    int status = EDGEFILE_OK;

    snprintf(name, sizeof name, "%s", job->output);
    if (job->shards > 0 && slash != NULL) {
        name[slash - job->output] = '\0';
        snprintf(name, sizeof name, "%s", access(name, F_OK) == 0 ? job->output : name);
    }
    if (strcmp(name, "-") != 0 && !engine_is_foreign(job)) {
        status = edgefile_could_create(name, several, replace, graphfile_bytes(spec));
    }
    if (strcmp(name, "-") != 0 && status == EDGEFILE_OK) {
        status = edgefile_could_create(name, several, replace, bytes);
    }
    if (status == EDGEFILE_ERR_EXISTS && engine_is_complete(job, e->command, NULL)) {
        status = EDGEFILE_OK;
    }
    if (status != EDGEFILE_OK) {
        e->output.status = engine_fail_file(status);
        e->output.exists = status == EDGEFILE_ERR_EXISTS;
        snprintf(e->output.detail, sizeof e->output.detail, "%s", edgefile_detail());
    }
    return ENGINE_OK;
}

int engine_estimate_end(const engine_estimate *e)
{
    if (e->output.status != ENGINE_OK) {
        engine_set_detail(e->output.exists ? "replace" : "", e->output.detail);
    }
    return e->output.status;
}

int engine_estimate_it(engine_estimate *e, engine_backend *backend, const graphfile_spec *spec)
{
    const engine_job *job = e->job;
    const graphfile_spec hdf5 = engine_is_foreign(job) ? engine_sorted_spec(job, spec) : *spec;
    const bool single = job->layout != EDGEFILE_LAYOUT_SHARDED && job->shards == 0;
    char place[PATH_MAX];
    struct stat st;
    int exact, status = engine_agree(engine_name_sorted(job, place));

    if (status != ENGINE_OK) {
        return status;
    }
    e->bytes = graphfile_bytes(&hdf5);
    if (dist_rank() == 0 && single && !hdf5.compress) {
        graphfile_measure(&hdf5, NULL, &e->bytes, &exact); /* or it stays about that */
    }
    e->exists = strcmp(job->output, "-") != 0 && stat(job->output, &st) == 0;
    e->room_error = free_space(place, job->shards > 0, &e->room);
    e->exact = single && !hdf5.compress;
    if (hdf5.compress && status == ENGINE_OK) {
        status = engine_agree(engine_estimate_bytes(e, backend));
    }
    status = status != ENGINE_OK      ? status
             : engine_sorts(job)      ? engine_estimate_sorted(e, backend)
             : engine_is_foreign(job) ? ENGINE_OK
                                      : engine_estimate_list(e, backend);
    if (status == ENGINE_OK && engine_is_foreign(job)) {
        status = engine_agree(engine_estimate_format(e, backend));
    }
    if (status == ENGINE_OK && !engine_is_foreign(job) && engine_is_converted(job)) {
        estimate_compressing(e, spec);
    }
    if (status == ENGINE_OK && engine_is_foreign(job) && !engine_sorts(job)) {
        uint64_t sums[] = {e->threads, e->gpu_ranks};

        dist_sum(sums, 2);
        e->threads = sums[0];
        e->gpu_ranks = sums[1];
    }
    if (status == ENGINE_OK) {
        status = engine_agree(dist_rank() == 0 ? check_output(e, spec) : ENGINE_OK);
    }
    if (status == ENGINE_OK) { /* rank 0 has measured the file, and its folder is the one */
        uint64_t facts[] = {e->bytes, e->sorted_bytes, e->room, (uint64_t)e->room_error};

        dist_broadcast(facts, sizeof facts);
        e->bytes = facts[0];
        e->sorted_bytes = facts[1];
        e->room = facts[2];
        e->room_error = (int)facts[3];
        dist_broadcast(&e->output, sizeof e->output);
    }
    e->backend = backend->used;
    e->device = backend->device;
    snprintf(e->gpu_failed, sizeof e->gpu_failed, "%s", backend->gpu_failed);
    return status;
}

/* How fast a list is made: the pipeline without a file for a moment, on all ranks at once, for they
 * share processors and GPUs. */

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
    /* The first edges by rows, of few vertices, are faster made than most. */
    engine_remainder second_half = {.begin = o->graph_edges / 2,
                                    .edges = o->graph_edges - o->graph_edges / 2};
    const pipeline_source source = {engine_remainder_next, &second_half};
    pipeline_plan plan;
    pipeline_result result;

    engine_backend_plan(backend, o, engine_has_source(o) ? o->graph_edges : MEASURE_EDGES, &plan);
    pipeline_run(&plan, o->model.stream == RMAT_STREAM_ROWS ? &source : NULL, &backend->producer,
                 backend->fallback, NULL, time_is_up, &watch, &result);
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
    engine_backend_plan(backend, o, edges, &e->plan);
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
