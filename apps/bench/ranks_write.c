/* One write by all ranks: into a common file, into files of their own, or into a graph. */
#include "apps/bench/ranks.h"
#include "apps/bench/raw.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/engine/ranks/rank_work.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* own: a file for this rank, else its range of one file, which rank 0 makes. */
static int write_raw(const ranks_files *f, bool own, uint64_t bytes, double *done)
{
    const int flags = O_WRONLY | O_CLOEXEC | (f->direct ? O_DIRECT : 0);
    const char *name = own ? f->disk.raw_name : f->raw_name;
    const uint64_t ranks = own ? 1 : (uint64_t)dist_size(), rank = own ? 0 : (uint64_t)dist_rank();
    uint64_t barrier = 0;
    int fd = -1, error = 0;

    bytes = 2 * BENCH_DISK_ID_BYTES * bench_disk_edges_of(bytes); /* as O_DIRECT takes it */
    if (rank == 0) {
        fd = open(name, flags | O_CREAT | O_TRUNC, 0666);
        error = fd < 0 ? errno : bench_raw_reserve(fd, bytes * ranks);
    }
    if (own) {
        unlink(name); /* nothing is left behind, whatever happens */
    } else {
        dist_sum(&barrier, 1);
    }
    if (rank != 0 && (fd = open(name, flags)) < 0) {
        error = errno;
    }
    if (error == 0) {
        error = bench_raw_write(fd, f->disk.data, bytes * rank, bytes,
                                BENCH_DISK_ID_BYTES * f->disk.plan.chunk, f->disk.plan.writers);
    }
    *done = clock_seconds();
    if (!own) {
        dist_sum(&barrier, 1);
        unlink(name);
    }
    if (fd >= 0) {
        close(fd);
    }
    return error == 0 ? EXIT_OK : runtime_error("bench", "%s: %s", name, strerror(error));
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

/* This rank's part of the file, or all of it. */
static int fill(const ranks_files *f, edgefile_writer *writer, uint64_t edges, bool shared)
{
    pipeline_result result;
    int status = bench_fill(&f->job->maker, edges, edgefile_used_path(writer),
                            shared ? &rank_work_source : NULL, writer,
                            shared ? shared_tick : bench_tick, &result);

    if (shared) {
        dist_work_report(result.done);
    }
    if (status == 0 || result.stopped) {
        return EXIT_OK;
    }
    if (shared) {
        dist_request_stop(-1);
    }
    return runtime_error("bench", "%s",
                         result.error != NULL ? result.error : "not all edges were made");
}

/* All ranks' parts of the file, until all are done. */
static int fill_together(const ranks_files *f, edgefile_writer *writer, uint64_t edges)
{
    char text[MESSAGE_TEXT];
    int status = EXIT_OK;

    if (rank_work_begin(writer, edges, f->job->maker.id_bytes, EDGEFILE_NO_WEIGHT, text,
                        sizeof text) != 0) {
        return runtime_error("bench", "%s", text);
    }
    status = fill(f, writer, edges, true);
    if (edgefile_drain(writer, status != EXIT_OK || dist_stopping() != 0) != EDGEFILE_OK &&
        status == EXIT_OK) {
        status = runtime_error("bench", "%s", edgefile_detail());
        dist_request_stop(-1); /* so that no rank commits the file */
    }
    dist_work_end();
    return status;
}

static int write_edges(ranks_files *f, const ranks_kind *kind, uint64_t bytes)
{
    const bool shared = !kind->alone && f->group != NULL;
    const int id_bytes = f->job->maker.id_bytes;
    edgefile_spec spec = {.edges = bytes / (2 * (uint64_t)id_bytes) *
                                   (shared ? (uint64_t)dist_size() : 1),
                          .id_bytes = id_bytes,
                          .path = kind->path,
                          .layout = kind->layout,
                          .replace = 1,
                          .group = shared ? f->group : NULL};
    edgefile_writer *writer;
    int status;

    if (edgefile_create(&writer, f->name, &spec) != EDGEFILE_OK) {
        return runtime_error("bench", "%s: %s", kind->name, edgefile_detail());
    }
    status = shared ? fill_together(f, writer, spec.edges) : fill(f, writer, spec.edges, false);
    if (status != EXIT_OK || interrupt_signal() != 0 || (shared && dist_stopping() != 0)) {
        edgefile_abort(&writer);
        return status;
    }
    return edgefile_commit(&writer, &f->fingerprint) == EDGEFILE_OK
               ? EXIT_OK
               : runtime_error("bench", "%s: %s", kind->name, edgefile_detail());
}

int ranks_write(ranks_files *f, const ranks_kind *kind, uint64_t bytes, double *done)
{
    int status;

    if (kind->raw) {
        return write_raw(f, kind->own, bytes, done);
    }
    status = write_edges(f, kind, bytes);
    *done = clock_seconds();
    return status;
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
