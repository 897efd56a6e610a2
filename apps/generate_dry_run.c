/* --dry-run: sizes from arithmetic, speed from running the pipeline without a file for a moment, on
 * all ranks at once. */
#include "apps/clock.h"
#include "apps/generate.h"
#include "apps/generate_describe.h"
#include "apps/generate_ranks.h"
#include "apps/json.h"
#include "apps/message.h"
#include "apps/numbers.h"
#include "mpi/dist.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define MEASURE_SECONDS    0.1
#define ASSUMED_WRITE_RATE 1e9 /* bytes per second */
#define MEASURE_EDGES      ((uint64_t)1 << 40)

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
static double measure(const generate_options *o, generate_backend *backend)
{
    stopwatch watch = {clock_seconds(), 0, backend->used == RMAT_BACKEND_GPU};
    pipeline_plan plan;
    pipeline_result result;

    generate_backend_plan(backend, o, MEASURE_EDGES, o->path, &plan);
    pipeline_run(&plan, NULL, &backend->producer, backend->fallback, NULL, time_is_up, &watch,
                 &result);
    if (result.error != NULL) {
        runtime_error("generate", "%s", result.error);
        return -1;
    }
    if (result.fell_back) {
        snprintf(backend->gpu_failed, sizeof backend->gpu_failed, "%s", result.fall_text);
        generate_backend_without_gpu(backend);
        return measure(o, backend);
    }
    return (double)(result.done - watch.done) / (clock_seconds() - watch.start);
}

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

typedef struct {
    const generate_options *options;
    const generate_backend *backend;
    const char *command;
    pipeline_plan plan;
    uint64_t bytes, room;
    int room_error; /* errno where the room is unknown */
    bool exists;
    uint64_t buffer_bytes, device_bytes, threads, gpu_ranks; /* of all ranks */
    double rate, generating, writing, seconds;
} estimate;

static void print_json(const estimate *e)
{
    const generate_options *o = e->options;
    json_object j;

    json_begin(&j, stdout);
    json_bool(&j, "dry_run", true);
    json_string(&j, "file", o->output);
    json_bool(&j, "file_exists", e->exists);
    json_u64(&j, "file_bytes", e->bytes);
    if (e->room_error == 0) {
        json_u64(&j, "free_bytes", e->room);
    }
    json_bool(&j, "fits", e->room_error == 0 && e->bytes <= e->room);
    generate_json_model(&j, o);
    json_string(&j, "command", e->command);
    json_u64(&j, "ranks", (uint64_t)dist_size());
    json_u64(&j, "hosts", (uint64_t)dist_host_count());
    json_string(&j, "layout", generate_layout_name(o->layout));
    if (o->layout != EDGEFILE_LAYOUT_AUTO) { /* else it depends on the file system */
        json_u64(&j, "files", o->layout == EDGEFILE_LAYOUT_SHARDED ? (uint64_t)dist_size() + 1 : 1);
    }
    json_string(&j, "file_system", edgefile_filesystem(o->output));
    json_string(&j, "backend",
                e->gpu_ranks == 0                      ? "cpu"
                : e->gpu_ranks < (uint64_t)dist_size() ? "mixed"
                                                       : "gpu");
    if (e->backend->gpu_failed[0] != '\0') {
        json_string(&j, "gpu_failed", e->backend->gpu_failed);
    }
    json_u64(&j, "threads", e->threads);
    json_u64(&j, "chunk_edges", e->plan.chunk);
    json_u64(&j, "buffer_bytes", pipeline_buffer_bytes(&e->plan));
    json_u64(&j, "device_bytes", e->backend->device_bytes);
    json_u64(&j, "all_buffer_bytes", e->buffer_bytes);
    json_u64(&j, "all_device_bytes", e->device_bytes);
    json_f64(&j, "measured_edges_per_second", e->rate);
    json_f64(&j, "assumed_write_bytes_per_second", ASSUMED_WRITE_RATE);
    json_f64(&j, "generate_seconds", e->generating);
    json_f64(&j, "write_seconds", e->writing);
    json_f64(&j, "estimated_seconds", e->seconds);
    json_end(&j);
}

static const char *seconds_text(char text[NUMBER_TEXT], double seconds)
{
    if (seconds < 60) {
        snprintf(text, NUMBER_TEXT, "%.2f s", seconds);
        return text;
    }
    return format_duration(text, seconds);
}

static void print_lines(const estimate *e)
{
    const generate_options *o = e->options;
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT];

    printf("dry run, nothing is written\n");
    printf("file         %s%s\n", o->output,
           !e->exists ? ""
           : o->force ? " (exists, would be replaced)"
                      : " (exists, needs --force)");
    generate_print_model(o);
    if (o->layout == EDGEFILE_LAYOUT_SHARDED) {
        printf("layout       sharded: %d file%s in %s.shards, on %s\n", dist_size(),
               dist_size() == 1 ? "" : "s", o->output, edgefile_filesystem(o->output));
    } else if (dist_size() > 1) {
        printf("layout       %s, on %s\n",
               o->layout == EDGEFILE_LAYOUT_SINGLE ? "single: 1 file" : "auto",
               edgefile_filesystem(o->output));
    }
    printf("file size    %" PRIu64 " bytes (%sB)\n", e->bytes, format_si(x, (double)e->bytes));
    if (e->room_error != 0) {
        printf("free space   unknown: %s\n", strerror(e->room_error));
    } else {
        printf("free space   %sB%s\n", format_si(x, (double)e->room),
               e->bytes <= e->room ? "" : ", too little");
    }
    printf("buffers      %sB, %d of %" PRIu64 " edges each\n",
           format_si(x, (double)pipeline_buffer_bytes(&e->plan)), e->plan.buffers, e->plan.chunk);
    if (e->backend->used == RMAT_BACKEND_GPU) {
        printf("on the gpu   %sB, %d chunks in flight\n",
               format_si(x, (double)e->backend->device_bytes), e->plan.generators);
    }
    format_si(x, e->rate);
    if (dist_size() > 1) {
        printf("in all       %sB of buffers", format_si(y, (double)e->buffer_bytes));
        if (e->device_bytes > 0) {
            printf(", %sB on gpus", format_si(y, (double)e->device_bytes));
        }
        putchar('\n');
        printf("ranks        %d on %d host%s, %" PRIu64 " by gpu, %" PRIu64
               " threads, measured %s edges/s into memory\n",
               dist_size(), dist_host_count(), dist_host_count() == 1 ? "" : "s", e->gpu_ranks,
               e->threads, x);
    } else if (e->backend->used == RMAT_BACKEND_GPU) {
        printf("gpu          %d, measured %s edges/s into memory\n", e->backend->device, x);
    } else {
        printf("threads      %d, measured %s edges/s into memory\n", o->threads, x);
    }
    if (e->backend->gpu_failed[0] != '\0') {
        printf("gpu          not used: %s\n", e->backend->gpu_failed);
    }
    printf("time         about %s: generating %s, beside it writing %s if the disk takes 1 GB/s\n",
           seconds_text(x, e->seconds), seconds_text(y, e->generating),
           seconds_text(z, e->writing));
}

/* On all ranks at once, for they share processors and GPUs.  Returns an exit code. */
static int measure_all(estimate *e, generate_backend *backend)
{
    const generate_options *o = e->options;
    double mine = measure(o, backend);
    int status = generate_agree(mine < 0 ? EXIT_RUNTIME : EXIT_OK);
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    uint64_t sums[5];

    if (status != EXIT_OK) {
        return status;
    }
    generate_backend_plan(backend, o, o->edges, o->path, &e->plan);
    sums[0] = (uint64_t)mine;
    sums[1] = pipeline_buffer_bytes(&e->plan);
    sums[2] = backend->device_bytes;
    sums[3] = gpu ? 0 : (uint64_t)o->threads;
    sums[4] = gpu;
    dist_sum(sums, 5);
    e->rate = dist_size() == 1 ? mine : (double)sums[0];
    e->buffer_bytes = sums[1];
    e->device_bytes = sums[2];
    e->threads = dist_size() == 1 ? (uint64_t)o->threads : sums[3];
    e->gpu_ranks = sums[4];
    return EXIT_OK;
}

int generate_dry_run(const generate_options *options, generate_backend *backend,
                     const edgefile_spec *spec, const char *command)
{
    estimate e = {
        .options = options, .backend = backend, .command = command, .bytes = edgefile_bytes(spec)};
    struct stat st;
    int status;

    e.exists = stat(options->output, &st) == 0;
    e.room_error = free_space(options->output, &e.room);
    status = measure_all(&e, backend);
    if (status != EXIT_OK || dist_rank() != 0) {
        return status;
    }
    e.generating = (double)options->edges / e.rate;
    e.writing = (double)e.bytes / ASSUMED_WRITE_RATE;
    e.seconds = fmax(e.generating, e.writing);
    if (options->json) {
        print_json(&e);
    } else if (!options->quiet) {
        print_lines(&e);
    }
    return EXIT_OK;
}
