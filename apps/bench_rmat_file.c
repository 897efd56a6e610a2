/*
 * Into a file, beside what the disk can do: edge files and raw ones (see bench_disk.h) take turns;
 * what counts is the ratio within a turn, for disks change their mind.
 */
#include "apps/bench_disk.h"
#include "apps/bench_rmat.h"
#include "apps/bench_util.h"
#include "apps/interrupt.h"
#include "apps/message.h"
#include <inttypes.h>
#include <stdlib.h>

enum { SCALE = BENCH_DISK_SCALE, ID_BYTES = BENCH_DISK_ID_BYTES };

typedef struct {
    const bench_options *options;
    bench_disk disk;
    edgefile_path path;         /* what the file's came to; the raw one takes the same */
    double *file, *raw, *ratio; /* [run] */
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

static int prepare(file_bench *b)
{
    const bench_options *o = b->options;
    uint64_t most = 1;

    for (size_t i = 0; i < o->n_threads; i++) {
        most = o->threads[i] > most ? o->threads[i] : most;
    }
    if (bench_disk_open(&b->disk, o->dir, "bench_rmat", o->file_bytes, (int)most) != 0) {
        return failed(b->disk.error);
    }
    b->file = calloc(o->runs, sizeof *b->file);
    b->raw = calloc(o->runs, sizeof *b->raw);
    b->ratio = calloc(o->runs, sizeof *b->ratio);
    if (b->file == NULL || b->raw == NULL || b->ratio == NULL) {
        return failed("memory is exhausted");
    }
    return EXIT_OK;
}

static int turn_once(file_bench *b, double *file, double *raw)
{
    b->path = EDGEFILE_PATH_AUTO;
    if (bench_disk_write_edges(&b->disk, &b->path, file) == 0 &&
        bench_disk_write_raw(&b->disk, b->path == EDGEFILE_PATH_DIRECT, raw) == 0) {
        return EXIT_OK;
    }
    return b->disk.error[0] != '\0' ? failed(b->disk.error) : stopped();
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
    double bytes = (double)bench_disk_bytes(&b->disk);
    const char *path = b->path == EDGEFILE_PATH_DIRECT ? "direct" : "positional";
    bench_stats file, raw, ratio;

    fprintf(json,
            ",\n\"file\": {\"scale\": %d, \"id_bits\": %d, \"bytes\": %.0f, \"io\": \"%s\", "
            "\"generators\": %d, \"writers\": %d, \"write_bytes\": %" PRIu64,
            SCALE, 8 * ID_BYTES, bytes, path, b->disk.plan.generators, b->disk.plan.writers,
            ID_BYTES * b->disk.plan.chunk);
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
            b->disk.plan.writers, ID_BYTES * b->disk.plan.chunk);
}

int bench_rmat_file(const bench_options *o, FILE *json)
{
    file_bench b = {.options = o};
    int status = prepare(&b);
    double gigabytes = 1e-9 * (double)bench_disk_bytes(&b.disk);

    if (status != EXIT_OK) {
        goto done;
    }
    interrupt_install();
    fprintf(stderr,
            "To file, scale %d, %d-bit ids, %.3f GB, GB/s\n"
            "turn      file    raw  ratio\n",
            SCALE, 8 * ID_BYTES, gigabytes);
    for (uint64_t turn = 0; turn <= o->runs && status == EXIT_OK; turn++) {
        uint64_t run = turn > 0 ? turn - 1 : 0; /* the first one warms up */

        status = turn_once(&b, &b.file[run], &b.raw[run]);
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
    bench_disk_close(&b.disk);
    free(b.file);
    free(b.raw);
    free(b.ratio);
    return status;
}
