/*
 * Into a file, beside what the disk can do.
 *
 *   file  edges through the pipeline into an edge file, as `rmat generate` does it: from creating
 *         the file to the end of the commit (synced and renamed)
 *   raw   as many bytes into a plain file, preallocated in the same way: as many writers and bytes
 *         per write, O_DIRECT, no generator, no HDF5; from creating the file to the end of its sync
 *
 * They take turns; what counts is the ratio within a turn, for disks change their mind.
 */
#include "apps/bench_rmat.h"
#include "apps/bench_util.h"
#include "apps/huge_alloc.h"
#include "apps/interrupt.h"
#include "apps/message.h"
#include "apps/pipeline.h"
#include "io/edgefile.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY ((uint64_t)128 << 20) /* of the buffers, the default of `rmat generate` */

enum { SCALE = 30, ID_BYTES = 4 };

typedef struct {
    const bench_options *options;
    pipeline_plan plan;
    rmat_gen *gen;
    char name[PATH_MAX + 64], raw_name[PATH_MAX + 64];
    edgefile_path path;         /* what the file's came to; the raw one takes the same */
    void *data;                 /* one write of the raw file */
    double *file, *raw, *ratio; /* [run] */
} file_bench;

typedef struct {
    const file_bench *bench;
    int fd;
    uint64_t bytes, chunk;
    atomic_uint_fast64_t next;
    atomic_int error; /* errno of the first failure */
} raw_file;

static int failed(const char *what, const char *why)
{
    fprintf(stderr, "bench_rmat: %s: %s\n", what, why);
    return EXIT_RUNTIME;
}

static int tick(void *argument, uint64_t done)
{
    (void)argument;
    (void)done;
    return interrupt_signal();
}

static int stopped(void)
{
    fprintf(stderr, "bench_rmat: stopped by a signal\n");
    return 128 + interrupt_signal();
}

static int file_once(file_bench *b, double *seconds)
{
    edgefile_spec spec = {
        .edges = b->plan.edges, .id_bytes = ID_BYTES, .path = EDGEFILE_PATH_AUTO, .replace = 1};
    edgefile_writer *writer;
    pipeline_result result;
    double start = bench_now();

    if (edgefile_create(&writer, b->name, &spec) != EDGEFILE_OK) {
        return failed("file", edgefile_detail());
    }
    b->path = edgefile_used_path(writer);
    if (pipeline_run(&b->plan, b->gen, writer, tick, NULL, &result) != 0) {
        edgefile_abort(&writer);
        return result.error != NULL ? failed("file", result.error) : stopped();
    }
    if (edgefile_commit(&writer, result.fingerprint) != EDGEFILE_OK) {
        return failed("file", edgefile_detail());
    }
    *seconds = bench_now() - start;
    unlink(b->name);
    return EXIT_OK;
}

static void *raw_writer(void *argument)
{
    raw_file *r = argument;
    uint64_t at;

    while ((at = atomic_fetch_add(&r->next, r->chunk)) < r->bytes && atomic_load(&r->error) == 0 &&
           interrupt_signal() == 0) {
        uint64_t n = r->bytes - at < r->chunk ? r->bytes - at : r->chunk;
        ssize_t written = pwrite(r->fd, r->bench->data, n, (off_t)at);

        if (written != (ssize_t)n) {
            atomic_store(&r->error, written < 0 ? errno : ENOSPC);
        }
    }
    return NULL;
}

/* Preallocate, write, sync.  Returns 0 or an errno. */
static int raw_write(raw_file *r, int writers)
{
    pthread_t threads[PIPELINE_WRITERS];
    int started = 0;

    /* As edge files do: no reservation where the file system knows none. */
    if (ftruncate(r->fd, (off_t)r->bytes) != 0 ||
        (fallocate(r->fd, 0, 0, (off_t)r->bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)) {
        return errno;
    }
    while (started < writers && pthread_create(&threads[started], NULL, raw_writer, r) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    if (started < writers) {
        return EAGAIN;
    }
    return r->error != 0 || fdatasync(r->fd) == 0 ? r->error : errno;
}

static int raw_once(file_bench *b, double *seconds)
{
    int direct = b->path == EDGEFILE_PATH_DIRECT ? O_DIRECT : 0;
    double start = bench_now();
    raw_file r = {.bench = b,
                  .fd = open(b->raw_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | direct, 0666),
                  .bytes = 2 * ID_BYTES * b->plan.edges,
                  .chunk = ID_BYTES * b->plan.chunk};
    int error;

    if (r.fd < 0) {
        return failed(b->raw_name, strerror(errno));
    }
    error = raw_write(&r, b->plan.writers);
    *seconds = bench_now() - start;
    close(r.fd);
    unlink(b->raw_name);
    return error != 0 ? failed(b->raw_name, strerror(error)) : interrupt_signal() ? stopped() : 0;
}

static int prepare(file_bench *b)
{
    const bench_options *o = b->options;
    size_t unit = edgefile_alignment();
    uint64_t most = 1;
    rmat_config config;
    int status;

    for (size_t i = 0; i < o->n_threads; i++) {
        most = o->threads[i] > most ? o->threads[i] : most;
    }
    /* Whole pages, or the raw file's end could not be written by O_DIRECT. */
    pipeline_make_plan(&b->plan, o->file_bytes / (2 * unit) * unit / ID_BYTES, ID_BYTES, (int)most,
                       EDGEFILE_PATH_AUTO, 0, MEMORY);
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = SCALE;
    config.backend = RMAT_BACKEND_CPU;
    config.threads = 1; /* the pipeline's generators are the threads */
    status = rmat_create(&b->gen, &config);
    if (status != RMAT_OK) {
        return failed("file", rmat_strerror(status));
    }
    snprintf(b->name, sizeof b->name, "%s/bench_rmat.%d.h5", o->dir, (int)getpid());
    snprintf(b->raw_name, sizeof b->raw_name, "%s/bench_rmat.%d.raw", o->dir, (int)getpid());
    b->file = calloc(o->runs, sizeof *b->file);
    b->raw = calloc(o->runs, sizeof *b->raw);
    b->ratio = calloc(o->runs, sizeof *b->ratio);
    b->data = huge_alloc(ID_BYTES * b->plan.chunk);
    if (b->file == NULL || b->raw == NULL || b->ratio == NULL || b->data == NULL) {
        return failed("file", "memory is exhausted");
    }
    /* Real edges: a disk that compresses gains nothing. */
    rmat_generate32(b->gen, 0, b->plan.chunk / 2, b->data, (uint32_t *)b->data + b->plan.chunk / 2);
    return EXIT_OK;
}

static void print_runs(FILE *json, const char *name, const double *values, uint64_t runs)
{
    fprintf(json, ", \"%s\": [", name);
    for (uint64_t run = 0; run < runs; run++) {
        fprintf(json, "%s%.6f", run > 0 ? ", " : "", values[run]);
    }
    fprintf(json, "]");
}

static void print_results(file_bench *b, FILE *json)
{
    uint64_t runs = b->options->runs;
    double bytes = 2.0 * ID_BYTES * (double)b->plan.edges;
    const char *path = b->path == EDGEFILE_PATH_DIRECT ? "direct" : "positional";
    bench_stats file, raw, ratio;

    fprintf(json,
            ",\n\"file\": {\"scale\": %d, \"id_bits\": %d, \"bytes\": %.0f, \"io\": \"%s\", "
            "\"generators\": %d, \"writers\": %d, \"write_bytes\": %" PRIu64,
            SCALE, 8 * ID_BYTES, bytes, path, b->plan.generators, b->plan.writers,
            ID_BYTES * b->plan.chunk);
    print_runs(json, "file_seconds", b->file, runs);
    print_runs(json, "raw_seconds", b->raw, runs);
    print_runs(json, "ratios", b->ratio, runs);
    file = bench_summary(b->file, runs);
    raw = bench_summary(b->raw, runs);
    ratio = bench_summary(b->ratio, runs);
    fprintf(json,
            ", \"file_bytes_per_second\": %.0f, \"raw_bytes_per_second\": %.0f, "
            "\"ratio_min\": %.4f, \"ratio_median\": %.4f, \"ratio_max\": %.4f}",
            bytes / file.median, bytes / raw.median, ratio.min, ratio.median, ratio.max);
    fprintf(stderr, "median  %6.3f %6.3f %6.3f   %s writes, %d at once, %" PRIu64 " bytes each\n",
            1e-9 * bytes / file.median, 1e-9 * bytes / raw.median, ratio.median, path,
            b->plan.writers, ID_BYTES * b->plan.chunk);
}

int bench_rmat_file(const bench_options *o, FILE *json)
{
    file_bench b = {.options = o};
    int status = prepare(&b);

    if (status != EXIT_OK) {
        goto done;
    }
    interrupt_install();
    fprintf(stderr,
            "To file, scale %d, %d-bit ids, %.3f GB, GB/s\n"
            "turn      file    raw  ratio\n",
            SCALE, 8 * ID_BYTES, 2e-9 * ID_BYTES * (double)b.plan.edges);
    for (uint64_t turn = 0; turn <= o->runs && status == EXIT_OK; turn++) {
        uint64_t run = turn > 0 ? turn - 1 : 0; /* the first one warms up */
        double gigabytes = 2e-9 * ID_BYTES * (double)b.plan.edges;

        status = file_once(&b, &b.file[run]);
        if (status == EXIT_OK) {
            status = raw_once(&b, &b.raw[run]);
        }
        if (status == EXIT_OK && turn > 0) {
            b.ratio[run] = b.raw[run] / b.file[run];
            fprintf(stderr, "%6" PRIu64 "  %6.3f %6.3f %6.3f\n", turn, gigabytes / b.file[run],
                    gigabytes / b.raw[run], b.ratio[run]);
        }
    }
    if (status == EXIT_OK) {
        print_results(&b, json);
    }
done:
    rmat_destroy(b.gen);
    free(b.data);
    free(b.file);
    free(b.raw);
    free(b.ratio);
    return status;
}
