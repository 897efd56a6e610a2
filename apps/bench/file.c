/*
 * Edges into files, by a GPU and by write path, beside raw writes to the same disk (see
 * apps/bench/disk.h).  They take turns, and a ratio is that of one turn: disks change their mind.
 */
#include "apps/bench/bench.h"
#include "apps/bench/disk.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#define MOST  ((uint64_t)4 << 30)
#define LEAST ((uint64_t)1 << 20)
#define PROBE ((uint64_t)128 << 20)

enum { LEAST_TURNS = 3 };

/* As the table shows them. */
enum { GPU, DIRECT, POSITIONAL, HDF5, RAW, KINDS };

static const struct {
    const char *name, *buffered; /* buffered: where the file system takes no O_DIRECT; NULL: not */
    rmat_backend backend;
    edgefile_path path;
} kinds[KINDS] = {
    [GPU] = {"gpu direct", "gpu positional", RMAT_BACKEND_GPU, EDGEFILE_PATH_AUTO},
    [DIRECT] = {"cpu direct", NULL, RMAT_BACKEND_CPU, EDGEFILE_PATH_DIRECT},
    [POSITIONAL] = {"cpu positional", "cpu positional", RMAT_BACKEND_CPU, EDGEFILE_PATH_POSITIONAL},
    [HDF5] = {"cpu hdf5", "cpu hdf5", RMAT_BACKEND_CPU, EDGEFILE_PATH_HDF5},
    [RAW] = {.name = "raw O_DIRECT", .buffered = "raw, buffered"},
};

typedef struct {
    const bench_job *job;
    bench_disk disk;
    bool direct; /* the file system takes O_DIRECT */
    int turns;
    double rates[KINDS][BENCH_MAX_TURNS]; /* bytes per second */
} file_bench;

static int failed(const file_bench *b)
{
    return b->disk.error[0] != '\0' ? runtime_error("bench", "%s", b->disk.error) : bench_stopped();
}

static int write_once(file_bench *b, int kind, double *rate)
{
    edgefile_path path = kinds[kind].path;
    double seconds;

    if ((kind == RAW
             ? bench_disk_write_raw(&b->disk, b->direct, &seconds)
             : bench_disk_write_edges(&b->disk, kinds[kind].backend, &path, &seconds)) != 0) {
        return failed(b);
    }
    *rate = (double)bench_disk_bytes(&b->disk) / seconds;
    return EXIT_OK;
}

/* The most that a file may take: what was asked for, or a tenth of what is free. */
static int most_bytes(const bench_job *job, uint64_t *bytes)
{
    struct statvfs fs;
    uint64_t room;

    if (statvfs(job->dir, &fs) != 0) {
        return runtime_error("bench", "%s: %s", job->dir, strerror(errno));
    }
    room = (uint64_t)fs.f_bavail * fs.f_frsize;
    *bytes = job->size > 0 ? job->size : room / 10 < MOST ? room / 10 : MOST;
    if (*bytes < LEAST) {
        *bytes = LEAST;
    }
    if (*bytes + LEAST > room) { /* the edge file's metadata is within LEAST */
        return runtime_error(
            "bench", "%s: a file needs %" PRIu64 " bytes, the file system has room for %" PRIu64,
            job->dir, *bytes + LEAST, room);
    }
    return EXIT_OK;
}

static const char *name_of(const file_bench *b, int kind)
{
    return b->direct ? kinds[kind].name : kinds[kind].buffered;
}

static bool measured(const file_bench *b, int kind)
{
    return name_of(b, kind) != NULL && (kind != GPU || b->disk.gpu_gen != NULL);
}

/* Everything once, into the given column; what raw writes are compared with most, next to them. */
static int take_turn(file_bench *b, int turn)
{
    int status = EXIT_OK;

    for (int i = 0; i < KINDS && status == EXIT_OK; i++) {
        int kind = (RAW + i) % KINDS;

        if (measured(b, kind)) {
            status = write_once(b, kind, &b->rates[kind][turn]);
        }
    }
    return status;
}

/* One turn with small files warms up, and says for how much the time is enough. */
static int choose_size(file_bench *b, double seconds)
{
    uint64_t most = b->disk.edges, fits;
    double seconds_per_byte = 0;
    int direct = bench_disk_takes_direct(&b->disk), status;

    if (direct < 0) {
        return failed(b);
    }
    b->direct = direct == 1;
    if (most > bench_disk_edges_of(PROBE)) {
        b->disk.edges = bench_disk_edges_of(PROBE);
    }
    status = take_turn(b, 0);
    for (int kind = 0; kind < KINDS && status == EXIT_OK; kind++) {
        seconds_per_byte += measured(b, kind) ? 1 / b->rates[kind][0] : 0;
    }
    if (b->job->size > 0) {
        b->disk.edges = most;
    } else if (status == EXIT_OK) {
        fits = bench_disk_edges_of((uint64_t)(seconds / LEAST_TURNS / seconds_per_byte));
        fits = fits > bench_disk_edges_of(LEAST) ? fits : bench_disk_edges_of(LEAST);
        b->disk.edges = fits < most ? fits : most;
    }
    return status;
}

static int measure(file_bench *b, double seconds)
{
    double start = clock_seconds(), spent = 0;
    int status = EXIT_OK;

    /* Another turn if there is time for it. */
    while (status == EXIT_OK && b->turns < BENCH_MAX_TURNS &&
           (b->turns < LEAST_TURNS || spent + spent / b->turns < seconds)) {
        status = take_turn(b, b->turns++);
        spent = clock_seconds() - start;
    }
    return status;
}

static void print_kind(const file_bench *b, int kind, json_object *rows)
{
    const char *name = name_of(b, kind);
    double rates[BENCH_MAX_TURNS], ratios[BENCH_MAX_TURNS];
    bench_stats rate, ratio;
    json_object row;

    for (int t = 0; t < b->turns; t++) {
        rates[t] = b->rates[kind][t];
        ratios[t] = b->rates[kind][t] / b->rates[RAW][t];
    }
    rate = bench_summary(rates, (size_t)b->turns);
    ratio = bench_summary(ratios, (size_t)b->turns);
    fprintf(b->job->table, "%-15s %7.2f %7.2f %7.2f", name, 1e-9 * rate.median, 1e-9 * rate.min,
            1e-9 * rate.max);
    if (kind == RAW) {
        fprintf(b->job->table, "\n");
    } else {
        fprintf(b->job->table, " %7.0f %% %4.0f-%.0f %%\n", 100 * ratio.median, 100 * ratio.min,
                100 * ratio.max);
    }
    json_object_begin(&row, rows, NULL);
    json_string(&row, "path", name);
    json_f64(&row, "bytes_per_second", rate.median);
    json_f64(&row, "lowest", rate.min);
    json_f64(&row, "highest", rate.max);
    json_f64(&row, "ratio", ratio.median);
    json_f64(&row, "ratio_lowest", ratio.min);
    json_f64(&row, "ratio_highest", ratio.max);
    json_object_end(&row);
}

static void print(const file_bench *b)
{
    char bytes[NUMBER_TEXT];
    json_object rows;

    format_si(bytes, (double)bench_disk_bytes(&b->disk));
    fprintf(b->job->table,
            "GB/s into a file of %sB in %s, scale %d, 32-bit ids, median of %d\n"
            "%-15s %7s %7s %7s %9s\n",
            bytes, b->job->dir, BENCH_DISK_SCALE, b->turns, "", "median", "lowest", "highest",
            "of raw");
    json_u64(b->job->json, "file_bytes", bench_disk_bytes(&b->disk));
    json_u64(b->job->json, "file_turns", (uint64_t)b->turns);
    json_array_begin(&rows, b->job->json, "file");
    for (int kind = 0; kind < KINDS; kind++) {
        if (measured(b, kind)) {
            print_kind(b, kind, &rows);
        }
    }
    json_array_end(&rows);
    if (!b->direct) {
        fprintf(b->job->table, "%-15s not on this file system\n", kinds[DIRECT].name);
    }
    fprintf(b->job->table, "\n");
}

int bench_file(const bench_job *job, double seconds)
{
    file_bench b = {.job = job};
    double start = clock_seconds();
    uint64_t bytes = 0;
    int status = most_bytes(job, &bytes);

    if (status != EXIT_OK) {
        return status;
    }
    if (bench_disk_open(&b.disk, job->dir, "rmat-bench", bytes, job->threads) != 0 ||
        (job->gpus > 0 && bench_disk_open_gpu(&b.disk, job->device) != 0)) {
        status = failed(&b);
        goto done;
    }
    status = choose_size(&b, seconds);
    if (status == EXIT_OK) {
        status = measure(&b, seconds - (clock_seconds() - start));
    }
    if (status == EXIT_OK) {
        print(&b);
    }
done:
    bench_disk_close(&b.disk);
    return status;
}
