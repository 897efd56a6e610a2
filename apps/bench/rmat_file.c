/*
 * Into a file, beside what the disk can do: edge files, by the CPU and perhaps a GPU, and raw ones
 * (see apps/bench/disk.h) take turns; what counts is the ratio within a turn, for disks change
 * their mind.
 */
#include "apps/bench/disk.h"
#include "apps/bench/rmat.h"
#include "apps/bench/util.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include <inttypes.h>
#include <stdlib.h>

enum { SCALE = BENCH_DISK_SCALE, ID_BYTES = BENCH_DISK_ID_BYTES };
enum { CPU, RAW, GPU, KINDS }; /* raw next to both */

#define WARM_UP ((uint64_t)256 << 20)

typedef struct {
    const bench_options *options;
    bench_disk disk;
    edgefile_path path;     /* what the file's came to; the raw one takes the same */
    double *seconds[KINDS]; /* [run]; NULL: not measured */
    double *ratio[KINDS];   /* to raw, in the same turn */
} file_bench;

static int failed(const char *why)
{
    fprintf(stderr, "bench_rmat: %s\n", why);
    return EXIT_RUNTIME;
}

static int stopped(void)
{
    fprintf(stderr, "bench_rmat: stopped by a signal\n");
    return 128 + interrupt_signal();
}

static int prepare(file_bench *b, bool gpu)
{
    const bench_options *o = b->options;
    uint64_t most = 1;

    for (size_t i = 0; i < o->n_threads; i++) {
        most = o->threads[i] > most ? o->threads[i] : most;
    }
    if (bench_disk_open(&b->disk, o->dir, "bench_rmat", o->file_bytes, (int)most) != 0 ||
        (gpu && bench_disk_open_gpu(&b->disk, -1) != 0)) {
        return failed(b->disk.error);
    }
    for (int kind = 0; kind < (gpu ? KINDS : GPU); kind++) {
        b->seconds[kind] = calloc(o->runs, sizeof *b->seconds[kind]);
        b->ratio[kind] = calloc(o->runs, sizeof *b->ratio[kind]);
        if (b->seconds[kind] == NULL || b->ratio[kind] == NULL) {
            return failed("memory is exhausted");
        }
    }
    return EXIT_OK;
}

static void release(file_bench *b)
{
    bench_disk_close(&b->disk);
    for (int kind = 0; kind < KINDS; kind++) {
        free(b->seconds[kind]);
        free(b->ratio[kind]);
    }
}

static int write_once(file_bench *b, int kind, double *seconds)
{
    edgefile_path path = EDGEFILE_PATH_AUTO;
    int error;

    if (kind == RAW) {
        error = bench_disk_write_raw(&b->disk, b->path == EDGEFILE_PATH_DIRECT, seconds);
    } else {
        error = bench_disk_write_edges(&b->disk, kind == GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU,
                                       &path, seconds);
        b->path = path;
    }
    if (error == 0) {
        return EXIT_OK;
    }
    return b->disk.error[0] != '\0' ? failed(b->disk.error) : stopped();
}

/* Every other turn backwards, so that none always comes after the same. */
static int take_turn(file_bench *b, uint64_t run, bool backwards)
{
    int status = EXIT_OK;

    for (int i = 0; i < KINDS && status == EXIT_OK; i++) {
        int kind = backwards ? KINDS - 1 - i : i;

        if (b->seconds[kind] != NULL) {
            status = write_once(b, kind, &b->seconds[kind][run]);
        }
    }
    for (int kind = 0; kind < KINDS; kind++) {
        if (b->seconds[kind] != NULL) {
            b->ratio[kind][run] = b->seconds[RAW][run] / b->seconds[kind][run];
        }
    }
    return status;
}

/* The first turn is not kept, and shorter. */
static int warm_up(file_bench *b)
{
    uint64_t edges = b->disk.edges, fewer = bench_disk_edges_of(WARM_UP);
    int status;

    b->disk.edges = edges < fewer ? edges : fewer;
    status = take_turn(b, 0, false);
    b->disk.edges = edges;
    return status;
}

static void print_row(const file_bench *b, const char *name, double gigabytes,
                      const double seconds[KINDS], const double ratio[KINDS])
{
    fprintf(stderr, "%-6s  %6.3f %6.3f %6.3f", name, gigabytes / seconds[CPU],
            gigabytes / seconds[RAW], ratio[CPU]);
    if (b->seconds[GPU] != NULL) {
        fprintf(stderr, "  %6.3f %6.3f", gigabytes / seconds[GPU], ratio[GPU]);
    }
}

static void print_runs(FILE *json, const char *name, const double *values, uint64_t runs)
{
    fprintf(json, ", \"%s\": [", name);
    for (uint64_t run = 0; run < runs; run++) {
        fprintf(json, "%s%.6f", run > 0 ? ", " : "", values[run]);
    }
    fprintf(json, "]");
}

/* Sorts the values of one kind. */
static void print_kind(const file_bench *b, FILE *json, int kind, double *seconds, double *ratio)
{
    static const struct {
        const char *seconds, *rate, *ratios, *ratio;
    } names[KINDS] = {
        [CPU] = {"file_seconds", "file_bytes_per_second", "ratios", "ratio"},
        [RAW] = {"raw_seconds", "raw_bytes_per_second", NULL, NULL},
        [GPU] = {"gpu_seconds", "gpu_bytes_per_second", "gpu_ratios", "gpu_ratio"},
    };
    uint64_t runs = b->options->runs;
    bench_stats s, r;

    print_runs(json, names[kind].seconds, b->seconds[kind], runs);
    if (kind != RAW) {
        print_runs(json, names[kind].ratios, b->ratio[kind], runs);
    }
    s = bench_summary(b->seconds[kind], runs);
    r = bench_summary(b->ratio[kind], runs);
    *seconds = s.median;
    *ratio = r.median;
    fprintf(json, ", \"%s\": %.0f", names[kind].rate,
            (double)bench_disk_bytes(&b->disk) / s.median);
    if (kind != RAW) {
        fprintf(json, ", \"%s_min\": %.4f, \"%s_median\": %.4f, \"%s_max\": %.4f",
                names[kind].ratio, r.min, names[kind].ratio, r.median, names[kind].ratio, r.max);
    }
}

static void print_results(const file_bench *b, FILE *json)
{
    double bytes = (double)bench_disk_bytes(&b->disk), seconds[KINDS], ratio[KINDS];
    const char *path = b->path == EDGEFILE_PATH_DIRECT ? "direct" : "positional";

    fprintf(json,
            ",\n\"file\": {\"scale\": %d, \"id_bits\": %d, \"bytes\": %.0f, \"io\": \"%s\", "
            "\"generators\": %d, \"writers\": %d, \"write_bytes\": %" PRIu64,
            SCALE, 8 * ID_BYTES, bytes, path, b->disk.plan.generators, b->disk.plan.writers,
            ID_BYTES * b->disk.plan.chunk);
    for (int kind = 0; kind < KINDS; kind++) {
        if (b->seconds[kind] != NULL) {
            print_kind(b, json, kind, &seconds[kind], &ratio[kind]);
        }
    }
    fprintf(json, "}");
    print_row(b, "median", 1e-9 * bytes, seconds, ratio);
    fprintf(stderr, "   %s writes, %d at once, %" PRIu64 " bytes each\n", path,
            b->disk.plan.writers, ID_BYTES * b->disk.plan.chunk);
}

static void print_turn(const file_bench *b, uint64_t run, double gigabytes)
{
    double seconds[KINDS] = {0}, ratio[KINDS] = {0};
    char name[32];

    for (int kind = 0; kind < KINDS; kind++) {
        if (b->seconds[kind] != NULL) {
            seconds[kind] = b->seconds[kind][run];
            ratio[kind] = b->ratio[kind][run];
        }
    }
    snprintf(name, sizeof name, "%6" PRIu64, run + 1);
    print_row(b, name, gigabytes, seconds, ratio);
    fprintf(stderr, "\n");
}

int bench_rmat_file(const bench_options *o, bool gpu, FILE *json)
{
    file_bench b = {.options = o};
    int status = prepare(&b, gpu);
    double gigabytes = 1e-9 * (double)bench_disk_bytes(&b.disk);

    if (status != EXIT_OK) {
        goto done;
    }
    interrupt_install();
    fprintf(stderr,
            "To file, scale %d, %d-bit ids, %.3f GB, GB/s\n"
            "turn      file    raw  ratio%s\n",
            SCALE, 8 * ID_BYTES, gigabytes, gpu ? "     gpu  ratio" : "");
    status = warm_up(&b);
    for (uint64_t run = 0; run < o->runs && status == EXIT_OK; run++) {
        status = take_turn(&b, run, run % 2 == 1);
        if (status == EXIT_OK) {
            print_turn(&b, run, gigabytes);
        }
    }
    if (status == EXIT_OK) {
        print_results(&b, json);
    }
done:
    release(&b);
    return status;
}
