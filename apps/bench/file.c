/*
 * Edges into a file by backend, past the page cache and through it, compared with plain writes to
 * the same folder.  Both have the same bytes, number of writers, and preallocation.
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

enum { PLAIN, EDGES, BUFFERED };

typedef struct {
    uint64_t bytes;
    uint64_t *data; /* of a plain write; random, so that compression in the disk gains nothing */
    uint64_t chunk; /* its bytes */
    int writers;
    char name[PATH_MAX + 64], plain_name[PATH_MAX + 64];
} file_state;

static int file_failed(const char *name, int error)
{
    return error == 0 ? EXIT_OK : runtime_error("bench", "%s: %s", name, strerror(error));
}

/* --- Plain writes --- */

/* Makes an empty file of this length, as edge files are made: without a reservation in memory or if
 * the file system cannot reserve.  Returns 0 or an errno. */
static int reserve_file(const char *name, int fd, uint64_t bytes)
{
    const bool memory = strcmp(edgefile_filesystem(name), "tmpfs") == 0;

    if (ftruncate(fd, (off_t)bytes) != 0 || (!memory && fallocate(fd, 0, 0, (off_t)bytes) != 0 &&
                                             errno != EOPNOTSUPP && errno != ENOSYS)) {
        return errno;
    }
    return 0;
}

/* Writes the same data repeatedly, then syncs; a signal stops it early.  Returns 0 or an errno. */
static int write_and_sync(const file_state *s, int fd)
{
    atomic_int error = 0; /* of a write that failed */

#pragma omp parallel for num_threads(s->writers) schedule(dynamic, 1)
    for (uint64_t at = 0; at < s->bytes; at += s->chunk) {
        const uint64_t n = s->bytes - at < s->chunk ? s->bytes - at : s->chunk;

        if (atomic_load(&error) == 0 && interrupt_signal() == 0) {
            const ssize_t written = pwrite(fd, s->data, n, (off_t)at);

            if (written != (ssize_t)n) {
                atomic_store(&error, written < 0 ? errno : ENOSPC);
            }
        }
    }
    return error != 0 || fdatasync(fd) == 0 ? error : errno;
}

/* *seconds: the time until the bytes are on the disk, without their removal.  The file has no name
 * while it is written, so nothing is left in any case. */
static int write_plain(const file_state *s, double *seconds)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const double start = clock_seconds();
    int fd = open(s->plain_name, flags | O_DIRECT, 0666), error;

    if (fd < 0 && errno == EINVAL) { /* the file system has no direct writes */
        fd = open(s->plain_name, flags, 0666);
    }
    error = fd < 0 ? errno : reserve_file(s->plain_name, fd, s->bytes);
    unlink(s->plain_name);
    if (error == 0) {
        error = write_and_sync(s, fd);
    }
    *seconds = clock_seconds() - start;
    if (fd >= 0) {
        close(fd);
    }
    return file_failed(s->plain_name, error);
}

/* --- Edge files --- */

static int stop_at_signal(void *state, const engine_progress *now)
{
    (void)state, (void)now;
    return interrupt_signal();
}

static int write_edges(const bench_group *g, const bench_case *c, double *seconds)
{
    const file_state *s = g->state;
    const double start = clock_seconds();
    engine_result result;
    engine_job job;
    int status;

    engine_job_default(&job);
    bench_config(g, c, &job.model);
    job.edges = s->bytes / (2 * (uint64_t)g->id_bytes);
    job.id_bytes = g->id_bytes;
    job.output = s->name;
    job.replace = true;
    job.buffered = c->kind == BUFFERED;
    job.threads = g->job->threads;
    job.model.device = g->job->device;
    job.watch.tick = stop_at_signal;
    status = engine_run(&job, NULL, &result);
    *seconds = clock_seconds() - start;
    unlink(s->name);
    return status == ENGINE_OK || status == ENGINE_STOPPED
               ? EXIT_OK
               : runtime_error("bench", "%s", engine_detail());
}

static int measure_file(bench_group *g, const bench_case *c, bench_sample *sample)
{
    const file_state *s = g->state;

    sample->work = (double)s->bytes;
    return c->kind == PLAIN ? write_plain(s, &sample->seconds)
                            : write_edges(g, c, &sample->seconds);
}

/* --- Beginning and end --- */

/* The size of a file: the requested size, or at most a tenth of the free space. */
static int choose_bytes(const bench_options *o, uint64_t *bytes)
{
    const uint64_t unit = 2 * edgefile_alignment(); /* pages of src and as many of dst */
    struct statvfs fs;
    uint64_t room;

    if (statvfs(o->dir, &fs) != 0) {
        return file_failed(o->dir, errno);
    }
    room = (uint64_t)fs.f_bavail * fs.f_frsize;
    *bytes = o->size > 0 ? o->size : room / 10 < USUAL ? room / 10 : USUAL;
    *bytes = (*bytes < LEAST ? LEAST : *bytes) / unit * unit;
    if (*bytes + LEAST > room) { /* the edge file's metadata is within LEAST */
        return runtime_error(
            "bench", "%s: a file needs %" PRIu64 " bytes, the file system has room for %" PRIu64,
            o->dir, *bytes + LEAST, room);
    }
    return EXIT_OK;
}

static int open_file(bench_group *g)
{
    file_state *s = g->state = calloc(1, sizeof *s);
    int status = s != NULL ? choose_bytes(g->job->o, &s->bytes) : bench_failed(RMAT_ERR_NOMEM);
    const char *dir = g->job->o->dir;
    pipeline_plan plan = {.edges = s != NULL ? s->bytes / (2 * (uint64_t)g->id_bytes) : 0,
                          .id_bytes = g->id_bytes,
                          .generators = g->job->threads,
                          .writers = PIPELINE_WRITERS};
    uint64_t word = 1;

    if (status != EXIT_OK) {
        return status;
    }
    bench_add(g, "plain writes", PLAIN, 0);
    bench_add(g, "edges", EDGES, g->job->threads)->limit = 0;
    if (!g->gpu) {
        bench_add(g, "edges, page cache", BUFFERED, g->job->threads)->limit = 0;
    }
    snprintf(s->name, sizeof s->name, "%s/rmat-bench.%d.h5", dir, (int)getpid());
    snprintf(s->plain_name, sizeof s->plain_name, "%s/rmat-bench.%d.raw", dir, (int)getpid());
    pipeline_make_plan(&plan, MEMORY, PIPELINE_BUFFER, 0);
    s->writers = plan.writers;
    s->chunk = pipeline_column_bytes(&plan);
    s->data = huge_alloc(s->chunk);
    for (uint64_t i = 0; s->data != NULL && i < s->chunk / sizeof *s->data; i++) {
        word = word * UINT64_C(6364136223846793005) + 1; /* Knuth's generator */
        s->data[i] = word;
    }
    return bench_failed(s->data != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
}

static void close_file(bench_group *g)
{
    file_state *s = g->state;

    if (s != NULL) {
        free(s->data);
    }
    free(s);
}

const bench_room bench_file = {"B/s", true, open_file, measure_file, close_file};
