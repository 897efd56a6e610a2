/* bench_ranks: one write by all ranks, into a common file, into files of their own or into a graph.
 */
#include "apps/bench/ranks_write.h"
#include "apps/bench/raw.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/engine/ranks/rank_work.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everybody's range of one file; rank 0 makes it. */
static int write_raw_one(const ranks_files *f, uint64_t bytes, double *done, char *text,
                         size_t size)
{
    int flags = O_WRONLY | O_CLOEXEC | (f->direct ? O_DIRECT : 0), fd = -1, error = 0;
    uint64_t barrier = 0;

    bytes = 2 * BENCH_DISK_ID_BYTES * bench_disk_edges_of(bytes); /* as O_DIRECT takes it */
    if (dist_rank() == 0) {
        fd = open(f->raw_name, flags | O_CREAT | O_TRUNC, 0666);
        error = fd < 0 ? errno : bench_raw_reserve(fd, bytes * (uint64_t)dist_size());
    }
    dist_sum(&barrier, 1);
    if (dist_rank() != 0 && (fd = open(f->raw_name, flags)) < 0) {
        error = errno;
    }
    if (error == 0) {
        error = bench_raw_write(fd, f->disk.data, bytes * (uint64_t)dist_rank(), bytes,
                                BENCH_DISK_ID_BYTES * f->disk.plan.chunk, f->disk.plan.writers);
    }
    *done = clock_seconds();
    dist_sum(&barrier, 1);
    if (dist_rank() == 0) {
        unlink(f->raw_name);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (error != 0) {
        snprintf(text, size, "%s: %s", f->raw_name, strerror(error));
    }
    return error == 0 ? 0 : -1;
}

static int write_raw_own(ranks_files *f, uint64_t bytes, double *done, char *text, size_t size)
{
    double start = clock_seconds(), seconds;

    f->disk.edges = bench_disk_edges_of(bytes);
    if (bench_disk_write_raw(&f->disk, f->direct, &seconds) != 0) {
        snprintf(text, size, "%s", f->disk.error);
        return f->disk.error[0] != '\0' ? -1 : 0; /* ranks_agree() knows of the signal */
    }
    *done = start + seconds;
    return 0;
}

static int shared_tick(void *argument, uint64_t done)
{
    (void)argument;
    if (interrupt_signal() != 0) {
        dist_request_stop(interrupt_signal());
    }
    dist_work_report(done);
    return dist_stopping();
}

/* Fills the file; 0, or -1 and why. */
static int stream(const ranks_files *f, edgefile_writer *writer, uint64_t edges, bool shared,
                  char *text, size_t size)
{
    pipeline_plan plan;
    pipeline_producer producer = ranks_producer(f->job, edges, edgefile_used_path(writer), &plan);
    pipeline_result result;
    int status = pipeline_run(&plan, shared ? &rank_work_source : NULL, &producer, NULL, writer,
                              shared ? shared_tick : ranks_tick, NULL, &result);

    if (shared) {
        dist_work_report(result.done);
    }
    if (status != 0 && !result.stopped) {
        snprintf(text, size, "%s", result.error != NULL ? result.error : "not all edges were made");
        if (shared) {
            dist_request_stop(-1);
        }
        return -1;
    }
    return 0;
}

/* All ranks' part of the file, until all are done. */
static int stream_together(const ranks_files *f, edgefile_writer *writer, uint64_t edges,
                           char *text, size_t size)
{
    int status = rank_work_begin(writer, edges, f->job->id_bytes, EDGEFILE_NO_WEIGHT, text, size);

    if (status != 0) {
        return status;
    }
    status = stream(f, writer, edges, true, text, size);
    if (edgefile_drain(writer, status != 0 || dist_stopping() != 0) != EDGEFILE_OK && status == 0) {
        snprintf(text, size, "%s", edgefile_detail());
        status = -1;
    }
    status = dist_agree(status, text, size, NULL);
    dist_work_end();
    return status;
}

static int write_edges(ranks_files *f, const ranks_kind *kind, uint64_t bytes, char *text,
                       size_t size)
{
    int id_bytes = f->job->id_bytes, status;
    bool shared = !kind->alone && f->group != NULL;
    uint64_t ranks = shared ? (uint64_t)dist_size() : 1;
    edgefile_spec spec = {.edges = bytes / (2 * (uint64_t)id_bytes) * ranks,
                          .id_bytes = id_bytes,
                          .path = kind->path,
                          .layout = kind->layout,
                          .replace = 1,
                          .group = shared ? f->group : NULL};
    edgefile_writer *writer;

    if (edgefile_create(&writer, f->name, &spec) != EDGEFILE_OK) {
        snprintf(text, size, "%s: %s", kind->name, edgefile_detail());
        return -1;
    }
    status = shared ? stream_together(f, writer, spec.edges, text, size)
                    : stream(f, writer, spec.edges, false, text, size);
    if (status != 0 || interrupt_signal() != 0 || (shared && dist_stopping() != 0)) {
        edgefile_abort(&writer);
        return status;
    }
    if (edgefile_commit(&writer, &f->fingerprint) != EDGEFILE_OK) {
        snprintf(text, size, "%s: %s", kind->name, edgefile_detail());
        return -1;
    }
    return 0;
}

void ranks_remove(const ranks_files *f)
{
    char shard[sizeof f->name + 32];

    if (dist_rank() != 0) {
        return;
    }
    unlink(f->name);
    for (int k = 0; k < dist_size(); k++) {
        snprintf(shard, sizeof shard, "%s.shards/%05d.h5", f->name, k);
        unlink(shard);
    }
    snprintf(shard, sizeof shard, "%s.shards", f->name);
    rmdir(shard);
}

int ranks_write(ranks_files *f, const ranks_kind *kind, uint64_t bytes, double *done, char *text,
                size_t size)
{
    int status;

    switch (kind->way) {
    case RANKS_RAW_ONE:
        return write_raw_one(f, bytes, done, text, size);
    case RANKS_RAW_OWN:
        return write_raw_own(f, bytes, done, text, size);
    default:
        status = write_edges(f, kind, bytes, text, size);
        *done = clock_seconds();
        return status;
    }
}
