/* What a job would take: how large the file becomes, whether there is room for it, how long. */
#include "apps/engine/estimate/estimate.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/status.h"
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

int engine_estimate_it(engine_estimate *e, engine_backend *backend, const edgefile_spec *spec)
{
    const engine_job *job = e->job;
    char place[PATH_MAX];
    struct stat st;
    int status = engine_agree(engine_name_sorted(job, place));

    if (status != ENGINE_OK) {
        return status;
    }
    e->bytes = edgefile_bytes(spec);
    if (dist_rank() == 0 && job->layout != EDGEFILE_LAYOUT_SHARDED) {
        edgefile_measure(spec, &e->bytes); /* or it stays about that */
    }
    e->exists = strcmp(job->output, "-") != 0 && stat(job->output, &st) == 0;
    e->room_error = free_space(place, &e->room);
    e->exact = 1;
    status = job->sorted              ? engine_estimate_sorted(e, backend)
             : engine_is_foreign(job) ? ENGINE_OK
                                      : engine_estimate_list(e, backend);
    if (status == ENGINE_OK && engine_is_foreign(job)) {
        status = engine_agree(engine_estimate_format(e, backend));
    }
    if (status == ENGINE_OK) { /* rank 0 has measured the file, and its folder is the one */
        uint64_t facts[] = {e->bytes, e->sorted_bytes, e->room, (uint64_t)e->room_error};

        dist_broadcast(facts, sizeof facts);
        e->bytes = facts[0];
        e->sorted_bytes = facts[1];
        e->room = facts[2];
        e->room_error = (int)facts[3];
    }
    e->backend = backend->used;
    e->device = backend->device;
    snprintf(e->gpu_failed, sizeof e->gpu_failed, "%s", backend->gpu_failed);
    return status;
}
