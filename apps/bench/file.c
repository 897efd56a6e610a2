/*
 * Edges into files, by a GPU and by write path, beside raw writes to the same disk (see
 * apps/bench/disk.h).  They take turns, and a ratio is that of one turn: disks change their mind.
 */
#include "apps/bench/bench.h"
#include "apps/bench/disk.h"
#include "apps/common/clock.h"
#include "apps/common/numbers.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>

#define MOST  ((uint64_t)4 << 30)
#define LEAST ((uint64_t)1 << 20)
#define PROBE ((uint64_t)128 << 20)

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
    int runs;
    double rates[KINDS][BENCH_MAX_RUNS]; /* bytes per second */
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

    if (statvfs(job->o->dir, &fs) != 0) {
        return runtime_error("bench", "%s: %s", job->o->dir, strerror(errno));
    }
    room = (uint64_t)fs.f_bavail * fs.f_frsize;
    *bytes = job->o->size > 0 ? job->o->size : room / 10 < MOST ? room / 10 : MOST;
    if (*bytes < LEAST) {
        *bytes = LEAST;
    }
    if (*bytes + LEAST > room) { /* the edge file's metadata is within LEAST */
        return runtime_error(
            "bench", "%s: a file needs %" PRIu64 " bytes, the file system has room for %" PRIu64,
            job->o->dir, *bytes + LEAST, room);
    }
    return EXIT_OK;
}

static const char *name_of(const file_bench *b, int kind)
{
    return b->direct ? kinds[kind].name : kinds[kind].buffered;
}

static bool measured(const file_bench *b, int kind)
{
    if (kind == RAW) {
        return true;
    }
    return kind == GPU ? b->job->gpu
                       : b->job->o->backend != RMAT_BACKEND_GPU && name_of(b, kind) != NULL;
}

/* Everything once; what raw writes are compared with most, next to them.  Every other turn is
 * backwards, so that none always comes after the same. */
static int take_turn(file_bench *b, int run)
{
    int status = EXIT_OK;

    for (int i = 0; i < KINDS && status == EXIT_OK; i++) {
        int kind = (RAW + (run % 2 == 0 ? i : KINDS - i)) % KINDS;

        if (measured(b, kind)) {
            status = write_once(b, kind, &b->rates[kind][run]);
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
    if (b->job->o->size > 0) {
        b->disk.edges = most;
    } else if (status == EXIT_OK) {
        fits = bench_disk_edges_of((uint64_t)(seconds / BENCH_LEAST_RUNS / seconds_per_byte));
        fits = fits > bench_disk_edges_of(LEAST) ? fits : bench_disk_edges_of(LEAST);
        b->disk.edges = fits < most ? fits : most;
    }
    return status;
}

static int measure(file_bench *b, double seconds)
{
    double start = clock_seconds(), spent = 0;
    const int asked = (int)b->job->o->runs, least = asked > 0 ? asked : BENCH_LEAST_RUNS,
              most = asked > 0 ? asked : BENCH_USUAL_RUNS;
    int status = EXIT_OK;

    /* Another turn if there is time for it. */
    while (status == EXIT_OK && b->runs < most &&
           (b->runs < least || spent + spent / b->runs < seconds)) {
        status = take_turn(b, b->runs++);
        spent = clock_seconds() - start;
    }
    return status;
}

void bench_file_row(const bench_job *job, json_object *rows, const char *name, const double *rates,
                    const double *raw, int runs)
{
    double sorted[BENCH_MAX_RUNS], ratios[BENCH_MAX_RUNS];
    bench_stats rate, ratio;
    json_object row, values;

    json_object_begin(&row, rows, NULL);
    json_string(&row, "path", name);
    json_array_begin(&values, &row, "runs");
    for (int run = 0; run < runs; run++) {
        sorted[run] = rates[run];
        ratios[run] = rates[run] / raw[run];
        json_f64(&values, NULL, rates[run]);
    }
    json_array_end(&values);
    rate = bench_summary(sorted, (size_t)runs);
    ratio = bench_summary(ratios, (size_t)runs);
    fprintf(job->table, "%-18s %7.2f %7.2f %7.2f", name, 1e-9 * rate.median, 1e-9 * rate.min,
            1e-9 * rate.max);
    if (rates != raw) {
        fprintf(job->table, " %7.0f %% %4.0f-%.0f %%", 100 * ratio.median, 100 * ratio.min,
                100 * ratio.max);
    }
    fprintf(job->table, "\n");
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
            "%-18s %7s %7s %7s %9s\n",
            bytes, b->job->o->dir, BENCH_DISK_SCALE, b->runs, "", "median", "lowest", "highest",
            "of raw");
    json_u64(b->job->json, "file_bytes", bench_disk_bytes(&b->disk));
    json_u64(b->job->json, "file_turns", (uint64_t)b->runs);
    json_u64(b->job->json, "generators", (uint64_t)b->disk.plan.generators);
    json_u64(b->job->json, "writers", (uint64_t)b->disk.plan.writers);
    json_u64(b->job->json, "write_bytes", BENCH_DISK_ID_BYTES * b->disk.plan.chunk);
    json_array_begin(&rows, b->job->json, "file");
    for (int kind = 0; kind < KINDS; kind++) {
        if (measured(b, kind)) {
            bench_file_row(b->job, &rows, name_of(b, kind), b->rates[kind], b->rates[RAW], b->runs);
        }
    }
    json_array_end(&rows);
    if (!b->direct) {
        fprintf(b->job->table, "%-18s not on this file system\n", kinds[DIRECT].name);
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
    if (bench_disk_open(&b.disk, job->o->dir, "rmat-bench", bytes, job->threads) != 0 ||
        (job->gpu && bench_disk_open_gpu(&b.disk, (int)job->o->device) != 0)) {
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
