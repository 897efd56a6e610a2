/*
 * Edges of all ranks into one graph, by layout and write path, beside what the folder takes: as
 * many bytes of as many processes at the same time in plain writes, into one file or one each.
 *
 * An edge file counts from before it is created to the end of its commit, as `rmat generate` does
 * it, spans shared out by speed included; the plain files likewise, preallocated and synced.  All
 * kinds take turns, every other turn backwards, and a ratio is that of one turn.
 */
#include "apps/bench/ranks.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <string.h>

#define WARM_UP ((uint64_t)64 << 20)

#define SINGLE(way)  .layout = EDGEFILE_LAYOUT_SINGLE, .path = EDGEFILE_PATH_##way
#define SHARDED(way) .layout = EDGEFILE_LAYOUT_SHARDED, .path = EDGEFILE_PATH_##way

enum { ONE, OWN, ALONE, FIRST_EDGES, KINDS = FIRST_EDGES + 8 };

static const ranks_kind kinds[KINDS] = {
    [ONE] = {"raw, one file", .raw = true},
    [OWN] = {"raw, own files", .raw = true, .own = true},
    [ALONE] = {"rank 0 alone, raw", .raw = true, .own = true, .alone = true},
    {"rank 0 alone", .alone = true, SINGLE(AUTO)},
    {"single direct", SINGLE(DIRECT)},
    {"single positional", SINGLE(POSITIONAL)},
    {"single independent", SINGLE(INDEPENDENT)},
    {"single collective", SINGLE(COLLECTIVE)},
    {"sharded direct", SHARDED(DIRECT)},
    {"sharded positional", SHARDED(POSITIONAL)},
    {"sharded hdf5", SHARDED(HDF5)},
};

typedef struct {
    ranks_files files;
    const ranks_kind *kind; /* that is written now */
    bool known[KINDS];      /* to be had here */
    double rates[KINDS][BENCH_MAX_RUNS];
} file_bench;

/* The plain writes that a kind is compared with. */
static int raw_of(int kind)
{
    if (kinds[kind].raw) {
        return kind;
    }
    return kinds[kind].alone ? ALONE : kinds[kind].layout == EDGEFILE_LAYOUT_SHARDED ? OWN : ONE;
}

static int write_kind(ranks_work *w, uint64_t amount)
{
    file_bench *b = w->state;

    return ranks_write(&b->files, b->kind, amount, &w->done);
}

static int measure(file_bench *b, int kind, uint64_t bytes, double *rate)
{
    ranks_work work = {.run = write_kind, .state = b, .amount = bytes};
    int status;

    b->kind = &kinds[kind];
    status = ranks_round(b->files.job, &work, kinds[kind].alone ? 0 : -1, rate);
    ranks_remove(&b->files);
    return status;
}

/* Every kind once, small, to warm up; all edge files of all ranks must have the same edges. */
static int warm_up(file_bench *b, uint64_t bytes)
{
    uint64_t expected = 0;
    int status = EXIT_OK;

    for (int kind = 0; kind < KINDS && status == EXIT_OK; kind++) {
        if (!b->known[kind]) {
            continue;
        }
        status = measure(b, kind, bytes < WARM_UP ? bytes : WARM_UP, &b->rates[kind][0]);
        if (status != EXIT_OK || kinds[kind].raw || kinds[kind].alone) {
            continue;
        }
        expected = expected == 0 ? b->files.fingerprint : expected;
        status = ranks_agree(b->files.fingerprint == expected
                                 ? EXIT_OK
                                 : runtime_error("bench", "%s: other edges than by the other ways",
                                                 kinds[kind].name));
    }
    return status;
}

static void print(const file_bench *b)
{
    const bench_job *job = b->files.job->job;
    const char *system = edgefile_filesystem(job->o->dir);
    json_object rows;

    fprintf(job->table, "\nGB/s into %s (%s), %.3g GB of each rank\n%-18s %7s %7s %7s %9s\n",
            job->o->dir, system, 1e-9 * (double)job->o->size, "", "median", "lowest", "highest",
            "of raw");
    json_string(job->json, "filesystem", system);
    json_u64(job->json, "bytes_of_each_rank", job->o->size);
    json_array_begin(&rows, job->json, "ranks_file");
    for (int kind = 0; kind < KINDS; kind++) {
        if (b->known[kind]) {
            bench_file_row(job, &rows, kinds[kind].name, b->rates[kind], b->rates[raw_of(kind)],
                           (int)job->o->runs);
        }
    }
    json_array_end(&rows);
}

static int prepare(file_bench *b)
{
    const bench_job *job = b->files.job->job;
    ranks_files *f = &b->files;
    char prefix[32];
    int direct;

    snprintf(prefix, sizeof prefix, "rmat-bench.%d", dist_rank());
    if (bench_disk_open(&f->disk, job->o->dir, prefix, job->o->size, job->threads) != 0 ||
        (direct = bench_disk_takes_direct(&f->disk)) < 0) {
        return runtime_error("bench", "%s", f->disk.error);
    }
    f->direct = direct == 1;
    memcpy(f->name, f->disk.name, sizeof f->name);
    memcpy(f->raw_name, f->disk.raw_name, sizeof f->raw_name);
    return EXIT_OK;
}

/* What can be written here.  One rank has nobody to share with. */
static void choose_kinds(file_bench *b)
{
    const edgefile_group *group = b->files.group;
    uint64_t without_direct = !b->files.direct;
    bool several = dist_size() > 1;

    dist_sum(&without_direct, 1);
    b->files.direct = without_direct == 0;
    for (int kind = 0; kind < KINDS; kind++) {
        edgefile_path path = kinds[kind].path;
        bool parallel = path == EDGEFILE_PATH_INDEPENDENT || path == EDGEFILE_PATH_COLLECTIVE;

        b->known[kind] =
            (path != EDGEFILE_PATH_DIRECT || b->files.direct) &&
            (!parallel || (RMAT_HDF5_PARALLEL && group != NULL && group->communicator != NULL)) &&
            (several || (!kinds[kind].own && !kinds[kind].alone &&
                         kinds[kind].layout != EDGEFILE_LAYOUT_SHARDED));
    }
}

static void lost(const char *text)
{
    message_print("bench", "%s", text);
}

/* All kinds in turns. */
static int take_turns(file_bench *b)
{
    const bench_options *o = b->files.job->job->o;
    int status = warm_up(b, o->size);

    for (uint64_t run = 0; run < o->runs && status == EXIT_OK; run++) {
        for (int i = 0; i < KINDS && status == EXIT_OK; i++) {
            int kind = run % 2 == 0 ? i : KINDS - 1 - i;

            if (b->known[kind]) {
                status = measure(b, kind, o->size, &b->rates[kind][run]);
            }
        }
    }
    return status;
}

int ranks_file(const ranks_job *job)
{
    file_bench *b = calloc(1, sizeof *b);
    int status = ranks_agree(b != NULL ? EXIT_OK : bench_failed(RMAT_ERR_NOMEM));

    if (status == EXIT_OK) {
        b->files.job = job;
        b->files.group = rank_group(lost, RANKS_TIMEOUT);
        status = ranks_agree(prepare(b));
    }
    if (status == EXIT_OK) {
        dist_broadcast(b->files.name, sizeof b->files.name);
        dist_broadcast(b->files.raw_name, sizeof b->files.raw_name);
        choose_kinds(b);
        status = take_turns(b);
    }
    if (status == EXIT_OK) {
        print(b);
    }
    if (b != NULL) {
        bench_disk_close(&b->files.disk);
    }
    free(b);
    return status;
}
