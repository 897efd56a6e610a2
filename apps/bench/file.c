/*
 * Edges into a file by backend, past the page cache and through it, beside what the folder takes:
 * as many bytes in plain writes, by as many writers at once, into a file that is preallocated in
 * the same way.
 *
 *   edges  through the pipeline into an edge file, as `rmat generate` does it: from before the file
 *          is created to the end of the commit (synced and renamed)
 *   raw    no generator, no HDF5; from creating the file to the end of its sync
 *
 * All kinds take turns, every other turn backwards, and a ratio is that of one turn, because the
 * speed of disks varies over time.
 */
#include "apps/bench/bench.h"
#include "apps/common/clock.h"
#include "apps/common/huge_alloc.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MOST   ((uint64_t)4 << 30)
#define LEAST  ((uint64_t)1 << 20)
#define PROBE  ((uint64_t)128 << 20) /* of the turn that warms up */
#define MEMORY ((uint64_t)128 << 20) /* of the buffers, the default of `rmat generate` */

enum { SCALE = 30, ID_BYTES = 4 }; /* of the graph of one process */
enum { RAW, KINDS = 4 };           /* the plain kind is the first one */

/* The kind that is compared with raw writes most comes next to them. */
static const struct file_kind {
    const char *name, *buffered; /* buffered: where the file system refuses O_DIRECT */
    bool gpu;
    bool cached; /* through the page cache */
} kinds[KINDS] = {
    [RAW] = {.name = "raw O_DIRECT", .buffered = "raw, buffered"},
    {.name = "gpu direct", .buffered = "gpu positional", .gpu = true},
    {.name = "cpu direct"},
    {.name = "cpu positional", .cached = true},
};

typedef struct {
    const bench_job *job;
    rmat_gen *gen[2];   /* by CPU, by GPU; one thread per call.  NULL: none */
    bool direct;        /* the folder takes O_DIRECT */
    void *data;         /* of a plain write: edges, so that a disk that compresses gains nothing */
    pipeline_plan plan; /* of plain writes */
    char name[PATH_MAX + 64], raw_name[PATH_MAX + 64];
    uint64_t fingerprint; /* of the last edge file */

    bool known[KINDS]; /* can be written here */
    int runs;
    double rates[KINDS][BENCH_MAX_RUNS]; /* bytes per second */
} file_bench;

static const char *name_of(const file_bench *b, int kind)
{
    const struct file_kind *k = &kinds[kind];

    return b->direct || k->buffered == NULL ? k->name : k->buffered;
}

/* The most bytes up to `bytes` that are whole edges, and that O_DIRECT can write: pages of src and
 * as many of dst. */
static uint64_t whole_bytes(uint64_t bytes)
{
    const uint64_t unit = 2 * edgefile_alignment();

    return bytes / unit * unit;
}

/* --- Plain writes --- */

/* Make an empty file so long, as edge files do: no reservation where the file system knows none,
 * nor in memory.  0 or an errno. */
static int reserve_file(const char *name, int fd, uint64_t bytes)
{
    const bool memory = strcmp(edgefile_filesystem(name), "tmpfs") == 0;

    if (ftruncate(fd, (off_t)bytes) != 0 || (!memory && fallocate(fd, 0, 0, (off_t)bytes) != 0 &&
                                             errno != EOPNOTSUPP && errno != ENOSYS)) {
        return errno;
    }
    return 0;
}

/* Write so many bytes, always the same data, then sync; a signal stops it early.  0 or an errno. */
static int write_and_sync(const file_bench *b, int fd, uint64_t bytes)
{
    const uint64_t chunk = (uint64_t)ID_BYTES * b->plan.chunk;
    uint64_t all = 0;
    atomic_int error = 0; /* of a write that failed */

#pragma omp parallel for num_threads(b->plan.writers) schedule(dynamic, 1) reduction(+ : all)
    for (uint64_t at = 0; at < bytes; at += chunk) {
        uint64_t n = bytes - at < chunk ? bytes - at : chunk;
        ssize_t written = 0;

        if (atomic_load(&error) == 0 && interrupt_signal() == 0) {
            written = pwrite(fd, b->data, n, (off_t)at);
        }
        if (written < 0) {
            atomic_store(&error, errno);
        } else {
            all += (uint64_t)written;
        }
    }
    if (error == 0 && interrupt_signal() == 0 && all != bytes) {
        return ENOSPC;
    }
    return error != 0 || fdatasync(fd) == 0 ? error : errno;
}

/* *done: when the bytes were on the disk; removing them takes time, too.  The file has no name
 * while it is written, so that nothing is left behind, whatever happens. */
static int write_raw(const file_bench *b, uint64_t bytes, double *done)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (b->direct ? O_DIRECT : 0);
    const int fd = open(b->raw_name, flags, 0666);
    int error = fd < 0 ? errno : reserve_file(b->raw_name, fd, bytes);

    unlink(b->raw_name);
    if (error == 0) {
        error = write_and_sync(b, fd, bytes);
    }
    *done = clock_seconds();
    if (fd >= 0) {
        close(fd);
    }
    return error == 0 ? EXIT_OK : runtime_error("bench", "%s: %s", b->raw_name, strerror(error));
}

/* --- Edge files --- */

static int stop_at_signal(void *argument, uint64_t done)
{
    (void)argument, (void)done;
    return interrupt_signal();
}

/* Fill the writer with edges [0, edges).  EXIT_OK also if a signal stopped it. */
static int fill_writer(const file_bench *b, bool gpu, uint64_t edges, graphfile_writer *writer)
{
    const pipeline_sink sink = pipeline_to_file(writer, GRAPHFILE_H5);
    pipeline_plan plan;
    pipeline_producer producer;
    pipeline_result result;

    if (gpu) {
        pipeline_gpu_make_plan(&plan, edges, ID_BYTES, 0, 0, MEMORY);
        producer = pipeline_gpu(b->gen[true]);
    } else {
        pipeline_make_plan(&plan, edges, ID_BYTES, 0, b->job->threads, 0, MEMORY);
        producer = pipeline_cpu(b->gen[false], plan.generators);
    }
    if (pipeline_run(&plan, NULL, &producer, &sink, stop_at_signal, NULL, &result) == 0 ||
        result.stopped) {
        return EXIT_OK;
    }
    return runtime_error("bench", "%s",
                         result.error != NULL ? result.error : "not all edges were made");
}

static int write_edges(file_bench *b, const struct file_kind *kind, uint64_t bytes)
{
    const uint64_t edges = bytes / (2 * ID_BYTES);
    const graphfile_spec spec = {.format = GRAPHFILE_H5,
                                 .graph = {.edges = edges, .id_bytes = ID_BYTES},
                                 .replace = 1,
                                 .buffered = kind->cached};
    graphfile_committed done;
    graphfile_writer *writer;
    int status;

    if (graphfile_create(&writer, b->name, &spec) != EDGEFILE_OK) {
        return runtime_error("bench", "%s", edgefile_detail());
    }
    status = fill_writer(b, kind->gpu, edges, writer);
    if (status != EXIT_OK || interrupt_signal() != 0) {
        graphfile_abort(&writer);
        return status;
    }
    if (graphfile_commit(&writer, &done) != EDGEFILE_OK) {
        return runtime_error("bench", "%s", edgefile_detail());
    }
    b->fingerprint = done.fingerprint;
    return EXIT_OK;
}

/* --- Turns --- */

/* Write so many bytes once. */
static int measure_kind(file_bench *b, int kind, uint64_t bytes, double *rate)
{
    const double begin = clock_seconds();
    double done;
    int status;

    if (kind == RAW) {
        status = write_raw(b, bytes, &done);
    } else {
        status = write_edges(b, &kinds[kind], bytes);
        done = clock_seconds();
    }
    unlink(b->name);
    *rate = (double)bytes / (done - begin);
    return status == EXIT_OK && interrupt_signal() != 0 ? bench_stopped() : status;
}

/* Write every kind once; all edge files must have the same edges. */
static int take_turn(file_bench *b, uint64_t bytes, int run)
{
    uint64_t expected = 0;
    int status = EXIT_OK;

    for (int i = 0; i < KINDS && status == EXIT_OK; i++) {
        int kind = run % 2 == 0 ? i : KINDS - 1 - i;

        if (!b->known[kind]) {
            continue;
        }
        status = measure_kind(b, kind, bytes, &b->rates[kind][run]);
        if (status != EXIT_OK || kind == RAW) {
            continue;
        }
        expected = expected == 0 ? b->fingerprint : expected;
        if (b->fingerprint != expected) {
            status = runtime_error("bench", "%s: wrote other edges than the other ways did",
                                   name_of(b, kind));
        }
    }
    return status;
}

static void print_kind(const file_bench *b, int kind, json_object *rows)
{
    const double *rates = b->rates[kind], *raw = b->rates[RAW];
    const size_t runs = (size_t)b->runs;
    const bench_stats rate = bench_stats_of(rates, NULL, runs),
                      ratio = bench_stats_of(rates, raw, runs);
    FILE *out = b->job->table;
    json_object row;

    json_object_begin(&row, rows, NULL);
    json_string(&row, "path", name_of(b, kind));
    bench_json_values(&row, "runs", rates, runs);
    bench_json_stats(&row, "bytes_per_second", "", rate);
    bench_json_stats(&row, "ratio", "ratio_", ratio);
    json_object_end(&row);
    fprintf(out, "%-18s %7.2f %7.2f %7.2f", name_of(b, kind), 1e-9 * rate.median, 1e-9 * rate.min,
            1e-9 * rate.max);
    if (kind != RAW) {
        fprintf(out, " %7.0f %% %4.0f-%.0f %%", 100 * ratio.median, 100 * ratio.min,
                100 * ratio.max);
    }
    fprintf(out, "\n");
}

static void print_kinds(const file_bench *b, uint64_t bytes)
{
    const bench_job *job = b->job;
    char text[NUMBER_TEXT];
    json_object rows;

    text_line(job->table, "GB/s into a file of %s in %s, scale %d, %d-bit ids, median of %d",
              format_bytes(text, (double)bytes), job->o->dir, SCALE, 8 * ID_BYTES, b->runs);
    fprintf(job->table, "%-18s %7s %7s %7s %9s\n", "", "median", "lowest", "highest", "of raw");
    json_string(job->json, "filesystem", edgefile_filesystem(job->o->dir));
    json_u64(job->json, "file_bytes", bytes);
    json_u64(job->json, "file_turns", (uint64_t)b->runs);
    json_u64(job->json, "generators", (uint64_t)b->plan.generators);
    json_u64(job->json, "writers", (uint64_t)b->plan.writers);
    json_u64(job->json, "write_bytes", ID_BYTES * b->plan.chunk);
    json_array_begin(&rows, job->json, "file");
    for (int kind = 0; kind < KINDS; kind++) {
        if (b->known[kind]) {
            print_kind(b, kind, &rows);
        }
    }
    json_array_end(&rows);
    fprintf(job->table, "%s\n",
            b->direct ? "" : "This file system has no direct writes (O_DIRECT).\n");
}

/* The size of a file for which the time is enough, by the turn that warmed up. */
static uint64_t bytes_in(const file_bench *b, double seconds, uint64_t most)
{
    double seconds_per_byte = 0;
    uint64_t fits;

    for (int kind = 0; kind < KINDS; kind++) {
        seconds_per_byte += b->known[kind] ? 1 / b->rates[kind][0] : 0;
    }
    fits = whole_bytes((uint64_t)(seconds / BENCH_LEAST_RUNS / seconds_per_byte));
    fits = fits > LEAST ? fits : whole_bytes(LEAST);
    return fits < most ? fits : most;
}

static int measure_kinds(file_bench *b, uint64_t bytes, double seconds)
{
    const int asked = (int)b->job->o->runs, most = asked > 0 ? asked : BENCH_USUAL_RUNS;
    double start = clock_seconds(), first;
    int status = take_turn(b, bytes < PROBE ? bytes : PROBE, 0);

    if (status == EXIT_OK && b->job->o->size == 0) {
        bytes = bytes_in(b, seconds, bytes);
    }
    first = clock_seconds();
    /* Another turn if there is time for it. */
    while (status == EXIT_OK && b->runs < most) {
        double now = clock_seconds();

        if (asked == 0 && b->runs >= BENCH_LEAST_RUNS &&
            now - start + (now - first) / b->runs >= seconds) {
            break;
        }
        status = take_turn(b, bytes, b->runs++);
    }
    if (status == EXIT_OK) {
        print_kinds(b, bytes);
    }
    return status;
}

/* --- Beginning and end --- */

static int open_generator(file_bench *b, bool gpu)
{
    rmat_config config;

    rmat_config_default(&config);
    config.stream = (rmat_stream)b->job->o->stream;
    config.rows_scale = config.cols_scale = SCALE;
    config.backend = gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.threads = 1; /* the pipeline's generators are the threads */
    config.device = b->job->device;
    return bench_failed(rmat_create(&b->gen[gpu], &config));
}

/* Names, and what plain writes write. */
static int prepare_writes(file_bench *b, uint64_t bytes)
{
    const rmat_gen *gen = b->gen[false] != NULL ? b->gen[false] : b->gen[true];
    rmat_arrays to = {.id_bytes = ID_BYTES};

    snprintf(b->name, sizeof b->name, "%s/rmat-bench.%d.h5", b->job->o->dir, (int)getpid());
    snprintf(b->raw_name, sizeof b->raw_name, "%s/rmat-bench.%d.raw", b->job->o->dir,
             (int)getpid());
    pipeline_make_plan(&b->plan, bytes / (2 * ID_BYTES), ID_BYTES, 0, b->job->threads, 0, MEMORY);
    b->data = huge_alloc(ID_BYTES * b->plan.chunk);
    if (b->data == NULL) {
        return bench_failed(RMAT_ERR_NOMEM);
    }
    to.src = b->data;
    to.dst = (char *)b->data + b->plan.chunk / 2 * ID_BYTES;
    return bench_failed(rmat_generate_arrays(gen, 0, b->plan.chunk / 2, &to));
}

/* Find out whether the folder takes O_DIRECT, and which kinds can be written here. */
static int choose_kinds(file_bench *b)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_DIRECT;
    const int fd = open(b->raw_name, flags, 0666);

    b->direct = fd >= 0;
    if (fd < 0 && errno != EINVAL) {
        return runtime_error("bench", "%s: %s", b->raw_name, strerror(errno));
    }
    unlink(b->raw_name); /* a refused O_DIRECT may have left it */
    if (fd >= 0) {
        close(fd);
    }
    b->known[RAW] = true;
    for (int kind = RAW + 1; kind < KINDS; kind++) {
        const struct file_kind *k = &kinds[kind];

        /* Without O_DIRECT both kinds of the CPU would be the same. */
        b->known[kind] = b->gen[k->gpu] != NULL && (k->gpu || k->cached || b->direct);
    }
    return EXIT_OK;
}

/* Set *bytes to the size of a file: what was asked for, or at most a tenth of what is free. */
static int choose_bytes(const bench_job *job, uint64_t *bytes)
{
    struct statvfs fs;
    uint64_t room;

    if (statvfs(job->o->dir, &fs) != 0) {
        return runtime_error("bench", "%s: %s", job->o->dir, strerror(errno));
    }
    room = (uint64_t)fs.f_bavail * fs.f_frsize;
    *bytes = job->o->size > 0 ? job->o->size : room / 10 < MOST ? room / 10 : MOST;
    *bytes = *bytes < LEAST ? LEAST : *bytes;
    if (*bytes + LEAST > room) { /* the edge file's metadata is within LEAST */
        return runtime_error(
            "bench", "%s: a file needs %" PRIu64 " bytes, the file system has room for %" PRIu64,
            job->o->dir, *bytes + LEAST, room);
    }
    *bytes = whole_bytes(*bytes);
    return EXIT_OK;
}

int bench_file(const bench_job *job, double seconds)
{
    file_bench *b = calloc(1, sizeof *b);
    uint64_t bytes = 0;
    int status = b != NULL ? choose_bytes(job, &bytes) : bench_failed(RMAT_ERR_NOMEM);

    if (b == NULL) {
        return status;
    }
    b->job = job;
    if (status == EXIT_OK && job->cpu) {
        status = open_generator(b, false);
    }
    if (status == EXIT_OK && job->gpu) {
        status = open_generator(b, true);
    }
    if (status == EXIT_OK) {
        status = prepare_writes(b, bytes);
    }
    if (status == EXIT_OK) {
        status = choose_kinds(b);
    }
    if (status == EXIT_OK) {
        status = measure_kinds(b, bytes, seconds);
    }
    rmat_destroy(b->gen[false]);
    rmat_destroy(b->gen[true]);
    free(b->data);
    free(b);
    return status;
}
