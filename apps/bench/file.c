/*
 * Edges into files by backend, layout and write path, beside what the folder takes: as many bytes
 * of as many processes at the same time in plain writes, into one file or one each.
 *
 * All kinds take turns, every other turn backwards, and a ratio is that of one turn: disks change
 * their mind.
 */
#include "apps/bench/file.h"
#include "apps/bench/ranks.h"
#include "apps/common/clock.h"
#include "apps/common/numbers.h"
#include "apps/common/text.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define MOST  ((uint64_t)4 << 30)
#define LEAST ((uint64_t)1 << 20)
#define PROBE ((uint64_t)128 << 20) /* of the turn that warms up */

#define SINGLE(way)  .layout = EDGEFILE_LAYOUT_SINGLE, .path = EDGEFILE_PATH_##way
#define SHARDED(way) .layout = EDGEFILE_LAYOUT_SHARDED, .path = EDGEFILE_PATH_##way

/* The kinds of one process. The kind that is compared with raw writes most comes next to them. */
static const file_kind lone_kinds[] = {
    {"raw O_DIRECT", "raw, buffered", .raw = true, .own = true},
    {"gpu direct", "gpu positional", .gpu = true, SINGLE(AUTO)},
    {"cpu direct", SINGLE(DIRECT)},
    {"cpu positional", SINGLE(POSITIONAL)},
    {"cpu hdf5", SINGLE(HDF5)},
    {.name = NULL},
};

enum { ONE, OWN, ALONE, MOST_KINDS = 10 }; /* indices of the plain kinds */

static const file_kind rank_kinds[MOST_KINDS + 1] = {
    [ONE] = {"raw, one file", .raw = true},
    [OWN] = {"raw, own files", .raw = true, .own = true},
    [ALONE] = {"rank 0 alone, raw", .raw = true, .own = true, .alone = true},
    {"rank 0 alone", .alone = true, SINGLE(AUTO)},
    {"single direct", SINGLE(DIRECT)},
    {"single positional", SINGLE(POSITIONAL)},
    {"single hdf5", SINGLE(HDF5)},
    {"sharded direct", SHARDED(DIRECT)},
    {"sharded positional", SHARDED(POSITIONAL)},
    {"sharded hdf5", SHARDED(HDF5)},
};

typedef struct {
    bench_files files;
    const file_kind *kinds, *kind; /* all, and the one that is written now */
    int n_kinds, runs;
    bool known[MOST_KINDS];                   /* to be had here */
    double rates[MOST_KINDS][BENCH_MAX_RUNS]; /* bytes per second */
} file_bench;

/* The plain writes that a kind is compared with. */
static int raw_of(const file_bench *b, int kind)
{
    const file_kind *k = &b->kinds[kind];

    if (k->raw || b->kinds == lone_kinds) {
        return k->raw ? kind : 0;
    }
    return k->alone ? ALONE : k->layout == EDGEFILE_LAYOUT_SHARDED ? OWN : ONE;
}

static int write_kind(ranks_work *w, uint64_t amount)
{
    file_bench *b = w->state;

    return files_write(&b->files, b->kind, amount, &w->done);
}

static int measure(file_bench *b, int kind, uint64_t bytes, double *rate)
{
    ranks_work work = {.run = write_kind, .state = b, .amount = bytes};
    int status;

    b->kind = &b->kinds[kind];
    status = ranks_round(&work, b->kind->alone ? 0 : -1, rate);
    files_remove(&b->files);
    return status;
}

/* Every kind once, small, to warm up; all edge files of all ranks must have the same edges. */
static int warm_up(file_bench *b, uint64_t bytes)
{
    uint64_t expected = 0;
    int status = EXIT_OK;

    for (int kind = 0; kind < b->n_kinds && status == EXIT_OK; kind++) {
        const file_kind *k = &b->kinds[kind];

        if (!b->known[kind]) {
            continue;
        }
        status = measure(b, kind, bytes < PROBE ? bytes : PROBE, &b->rates[kind][0]);
        if (status != EXIT_OK || k->raw || k->alone) {
            continue;
        }
        expected = expected == 0 ? b->files.fingerprint : expected;
        status = bench_agree(
            b->files.fingerprint == expected
                ? EXIT_OK
                : runtime_error("bench", "%s: wrote other edges than the other ways did", k->name));
    }
    return status;
}

static int take_turn(file_bench *b, uint64_t bytes, int run)
{
    int status = EXIT_OK;

    for (int i = 0; i < b->n_kinds && status == EXIT_OK; i++) {
        int kind = run % 2 == 0 ? i : b->n_kinds - 1 - i;

        if (b->known[kind]) {
            status = measure(b, kind, bytes, &b->rates[kind][run]);
        }
    }
    return status;
}

static const char *name_of(const file_bench *b, int kind)
{
    const file_kind *k = &b->kinds[kind];

    return b->files.direct || k->buffered == NULL ? k->name : k->buffered;
}

static void print_row(const file_bench *b, int kind, json_object *rows)
{
    const double *rates = b->rates[kind], *raw = b->rates[raw_of(b, kind)];
    const size_t runs = (size_t)b->runs;
    const bench_stats rate = bench_stats_of(rates, NULL, runs),
                      ratio = bench_stats_of(rates, raw, runs);
    FILE *out = b->files.job->table;
    json_object row;

    json_object_begin(&row, rows, NULL);
    json_string(&row, "path", name_of(b, kind));
    bench_json_values(&row, "runs", rates, runs);
    bench_json_stats(&row, "bytes_per_second", "", rate);
    bench_json_stats(&row, "ratio", "ratio_", ratio);
    json_object_end(&row);
    fprintf(out, "%-18s %7.2f %7.2f %7.2f", name_of(b, kind), 1e-9 * rate.median, 1e-9 * rate.min,
            1e-9 * rate.max);
    if (rates != raw) {
        fprintf(out, " %7.0f %% %4.0f-%.0f %%", 100 * ratio.median, 100 * ratio.min,
                100 * ratio.max);
    }
    fprintf(out, "\n");
}

static void print(const file_bench *b, uint64_t bytes)
{
    const bench_job *job = b->files.job;
    const bool lone = b->kinds == lone_kinds;
    const char *system = edgefile_filesystem(job->o->dir);
    char text[NUMBER_TEXT];
    json_object rows;

    text_line(job->table, "GB/s into %s of %s%s in %s, %s%s, median of %d",
              lone ? "a file" : "files", format_bytes(text, (double)bytes),
              lone ? "" : " of each rank", job->o->dir, lone ? "scale 30" : system,
              lone ? ", 32-bit ids" : "", b->runs);
    fprintf(job->table, "%-18s %7s %7s %7s %9s\n", "", "median", "lowest", "highest", "of raw");
    json_string(job->json, "filesystem", system);
    json_u64(job->json, lone ? "file_bytes" : "bytes_of_each_rank", bytes);
    json_u64(job->json, "file_turns", (uint64_t)b->runs);
    json_u64(job->json, "generators", (uint64_t)b->files.plan.generators);
    json_u64(job->json, "writers", (uint64_t)b->files.plan.writers);
    json_u64(job->json, "write_bytes", (uint64_t)b->files.plan.id_bytes * b->files.plan.chunk);
    json_array_begin(&rows, job->json, lone ? "file" : "ranks_file");
    for (int kind = 0; kind < b->n_kinds; kind++) {
        if (b->known[kind]) {
            print_row(b, kind, &rows);
        }
    }
    json_array_end(&rows);
    fprintf(job->table, "%s\n",
            b->files.direct ? "" : "This file system has no direct writes (O_DIRECT).\n");
}

/* Find out which kinds can be written here. A single rank has nobody to share a file with. */
static void choose_kinds(file_bench *b)
{
    const edgefile_group *group = b->files.group;
    const bool several = dist_size() > 1;
    const bool mpi = RMAT_HDF5_PARALLEL && group != NULL && group->communicator != NULL;
    uint64_t without_direct = !b->files.direct;

    dist_sum(&without_direct, 1);
    b->files.direct = without_direct == 0;
    b->kinds = b->files.job->o->part < PART_RANKS ? lone_kinds : rank_kinds;
    for (const file_kind *k = b->kinds; k->name != NULL; k++) {
        bool parallel = b->kinds == rank_kinds && several && k->path == EDGEFILE_PATH_HDF5 &&
                        k->layout == EDGEFILE_LAYOUT_SINGLE;
        bool of_ranks = k->own || k->alone || k->layout == EDGEFILE_LAYOUT_SHARDED;

        b->known[b->n_kinds++] = (k->raw || b->files.makers[k->gpu].gen != NULL) &&
                                 (k->path != EDGEFILE_PATH_DIRECT || b->files.direct) &&
                                 (!parallel || mpi) &&
                                 (several || b->kinds == lone_kinds || !of_ranks);
    }
}

/* Set *bytes to the size of a file of one process: what was asked for, or at most a tenth of what
 * is free. */
static int most_bytes(const bench_job *job, uint64_t *bytes)
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
    *bytes = files_bytes(*bytes);
    return EXIT_OK;
}

/* The size of a file for which the time is enough, by the turn that warmed up. */
static uint64_t bytes_in(const file_bench *b, double seconds, uint64_t most)
{
    double seconds_per_byte = 0;
    uint64_t fits;

    for (int kind = 0; kind < b->n_kinds; kind++) {
        seconds_per_byte += b->known[kind] ? 1 / b->rates[kind][0] : 0;
    }
    fits = files_bytes((uint64_t)(seconds / BENCH_LEAST_RUNS / seconds_per_byte));
    fits = fits > LEAST ? fits : files_bytes(LEAST);
    return fits < most ? fits : most;
}

static int run(file_bench *b, uint64_t bytes, double seconds)
{
    const int asked = (int)b->files.job->o->runs, most = asked > 0 ? asked : BENCH_USUAL_RUNS;
    double start = clock_seconds(), first;
    int status = warm_up(b, bytes);

    if (status == EXIT_OK && b->files.job->o->size == 0) {
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
        print(b, bytes);
    }
    return status;
}

int bench_file(const bench_job *job, double seconds)
{
    const bool ranks = job->o->part >= PART_RANKS;
    file_bench *b = calloc(1, sizeof *b);
    uint64_t bytes = job->o->size;
    int status = bench_agree(b != NULL ? EXIT_OK : bench_failed(RMAT_ERR_NOMEM));

    if (status == EXIT_OK) {
        b->files.job = job;
        b->files.group = rank_group(bench_lost, BENCH_TIMEOUT);
        status = ranks ? EXIT_OK : most_bytes(job, &bytes);
    }
    if (status == EXIT_OK) {
        status = files_open_makers(&b->files);
    }
    status = bench_agree(status);
    status = bench_agree(status == EXIT_OK ? files_open(&b->files, bytes) : status);
    if (status == EXIT_OK) {
        choose_kinds(b);
        status = run(b, bytes, seconds);
    }
    if (b != NULL) {
        files_close(&b->files);
    }
    free(b);
    return status;
}
