/*
 * Edges into a file, past the page cache, compared with plain writes to the same folder.  Both have
 * the same bytes, number of writers, and preallocation.
 *
 *   edges         what `rmat generate` does: from before the file is created until it is synced and
 *                 has its name
 *   plain writes  no generator, no HDF5; from creating the file to the end of its sync
 */
#include "apps/bench/bench.h"
#include "apps/common/system.h"
#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LEAST  ((uint64_t)1 << 20)
#define USUAL  ((uint64_t)1 << 30)
#define MEMORY ((uint64_t)128 << 20) /* of the buffers, the default of `rmat generate` */

enum { NAME = PATH_MAX + 64 };

static void name_file(char name[NAME], const bench_group *g, const char *suffix)
{
    snprintf(name, NAME, "%s/rmat-bench.%d.%s", g->o->dir, (int)getpid(), suffix);
}

static int file_failed(const char *name, int error)
{
    return error == 0 ? EXIT_OK : runtime_error("bench", "%s: %s", name, strerror(error));
}

/* Writes the same data repeatedly, then syncs; a signal stops it early.  Returns 0 or an errno. */
static int write_and_sync(const bench_group *g, int fd)
{
    atomic_int error = 0; /* of a write that failed */

#pragma omp parallel for num_threads(g->writers) schedule(dynamic, 1)
    for (uint64_t at = 0; at < g->bytes; at += g->chunk) {
        const uint64_t n = g->bytes - at < g->chunk ? g->bytes - at : g->chunk;

        if (atomic_load(&error) == 0 && interrupt_signal() == 0) {
            const ssize_t written = pwrite(fd, g->data, n, (off_t)at);

            if (written != (ssize_t)n) {
                atomic_store(&error, written < 0 ? errno : ENOSPC);
            }
        }
    }
    return error != 0 || fdatasync(fd) == 0 ? error : errno;
}

/* *seconds: the time until the bytes are on the disk, without their removal.  The file has no name
 * while it is written, so nothing is left in any case.  As edge files, it has no reservation in
 * memory or if the file system cannot reserve. */
static int write_plain(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const double start = clock_seconds();
    char name[NAME];
    int fd, error = 0;

    (void)c;
    name_file(name, g, "raw");
    fd = open(name, flags | O_DIRECT, 0666);
    if (fd < 0 && errno == EINVAL) { /* the file system has no direct writes */
        fd = open(name, flags, 0666);
    }
    if (fd < 0 || ftruncate(fd, (off_t)g->bytes) != 0 ||
        (strcmp(edgefile_filesystem(name), "tmpfs") != 0 &&
         fallocate(fd, 0, 0, (off_t)g->bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)) {
        error = errno;
    }
    if (fd >= 0) {
        unlink(name);
        error = error == 0 ? write_and_sync(g, fd) : error;
        *seconds = clock_seconds() - start;
        close(fd);
    }
    *work = (double)g->bytes;
    return file_failed(name, error);
}

static int stop_at_signal(void *state, const engine_progress *now)
{
    (void)state, (void)now;
    return interrupt_signal();
}

static int write_edges(bench_group *g, const bench_case *c, double *work, double *seconds)
{
    const double start = clock_seconds();
    char name[NAME];
    engine_result result;
    engine_job job;
    int status;

    name_file(name, g, "h5");
    engine_job_default(&job);
    bench_config(g, c, &job.model);
    job.edges = g->bytes / (2 * (uint64_t)g->id_bytes);
    job.id_bytes = g->id_bytes;
    job.output = name;
    job.replace = true;
    job.threads = g->threads;
    job.model.device = g->device;
    job.watch.tick = stop_at_signal;
    status = engine_run(&job, NULL, &result);
    *seconds = clock_seconds() - start;
    *work = (double)g->bytes;
    unlink(name);
    return status == ENGINE_OK || status == ENGINE_STOPPED
               ? EXIT_OK
               : runtime_error("bench", "%s", engine_detail());
}

/* The size of a file: the requested size, or at most a tenth of the free space. */
static int choose_bytes(bench_group *g)
{
    const uint64_t unit = 2 * edgefile_alignment(); /* pages of src and as many of dst */
    const bench_options *o = g->o;
    struct statvfs fs;
    uint64_t room;

    if (statvfs(o->dir, &fs) != 0) {
        return file_failed(o->dir, errno);
    }
    room = (uint64_t)fs.f_bavail * fs.f_frsize;
    g->bytes = o->size > 0 ? o->size : room / 10 < USUAL ? room / 10 : USUAL;
    g->bytes = (g->bytes < LEAST ? LEAST : g->bytes) / unit * unit;
    if (g->bytes + LEAST > room) { /* the edge file's metadata is within LEAST */
        return runtime_error(
            "bench", "%s: a file needs %" PRIu64 " bytes, the file system has room for %" PRIu64,
            o->dir, g->bytes + LEAST, room);
    }
    return EXIT_OK;
}

int bench_open_file(bench_group *g)
{
    pipeline_plan plan = {
        .id_bytes = g->id_bytes, .generators = g->threads, .writers = PIPELINE_WRITERS};
    const int status = choose_bytes(g);
    uint64_t word = 1, *words;

    if (status != EXIT_OK) {
        return status;
    }
    bench_add(g, "plain writes", 0, write_plain);
    bench_add(g, "edges", g->threads, write_edges)->limit = 0;
    plan.edges = g->bytes / (2 * (uint64_t)g->id_bytes);
    pipeline_make_plan(&plan, MEMORY, PIPELINE_BUFFER, 0);
    g->writers = plan.writers;
    g->chunk = pipeline_column_bytes(&plan);
    g->data = words = huge_alloc(g->chunk);
    for (uint64_t i = 0; words != NULL && i < g->chunk / sizeof *words; i++) {
        word = word * UINT64_C(6364136223846793005) + 1; /* Knuth's generator */
        words[i] = word;
    }
    return bench_failed(words != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
}
