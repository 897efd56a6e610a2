/*
 * Edges of all ranks into one graph, by layout and write path, beside what the folder takes: as
 * many bytes of as many processes at the same time in plain writes, into one file or one each.
 *
 * An edge file counts from before it is created to the end of its commit, as `rmat generate` does
 * it, spans shared out by speed included; the plain files likewise, preallocated and synced.  All
 * kinds take turns, every other turn backwards, and a ratio is that of one turn.
 */
#include "apps/bench/ranks_write.h"
#include "apps/common/message.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <string.h>

#define WARM_UP ((uint64_t)64 << 20)

enum { ONE, OWN, ALONE, FIRST_EDGES, KINDS = FIRST_EDGES + 8 };

static const ranks_kind kinds[KINDS] = {
    [ONE] = {"raw, one file", RANKS_RAW_ONE, false, 0, 0},
    [OWN] = {"raw, own files", RANKS_RAW_OWN, false, 0, 0},
    [ALONE] = {"rank 0 alone, raw", RANKS_RAW_OWN, true, 0, 0},
    {"rank 0 alone", RANKS_EDGES, true, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_AUTO},
    {"single direct", RANKS_EDGES, false, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_DIRECT},
    {"single positional", RANKS_EDGES, false, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_POSITIONAL},
    {"single independent", RANKS_EDGES, false, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_INDEPENDENT},
    {"single collective", RANKS_EDGES, false, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_COLLECTIVE},
    {"sharded direct", RANKS_EDGES, false, EDGEFILE_LAYOUT_SHARDED, EDGEFILE_PATH_DIRECT},
    {"sharded positional", RANKS_EDGES, false, EDGEFILE_LAYOUT_SHARDED, EDGEFILE_PATH_POSITIONAL},
    {"sharded hdf5", RANKS_EDGES, false, EDGEFILE_LAYOUT_SHARDED, EDGEFILE_PATH_HDF5},
};

typedef struct {
    ranks_files files;
    const ranks_kind *kind; /* that is written now */
    bool known[KINDS];      /* to be had here */
    double rates[KINDS][RANKS_MAX_RUNS];
} file_bench;

/* The plain writes that a kind is compared with. */
static int raw_of(int kind)
{
    return kinds[kind].alone ? ALONE : kinds[kind].layout == EDGEFILE_LAYOUT_SHARDED ? OWN : ONE;
}

static int write_kind(ranks_work *w, uint64_t amount, char *text, size_t size)
{
    file_bench *b = w->state;

    return ranks_write(&b->files, b->kind, amount, &w->done, text, size);
}

static int measure(file_bench *b, int kind, uint64_t bytes, double *rate)
{
    ranks_work work = {.run = write_kind, .state = b, .amount = bytes};
    uint64_t amount;
    double seconds;
    int status;

    b->kind = &kinds[kind];
    status = ranks_round(b->files.job, &work, kinds[kind].alone ? 0 : -1, &amount, &seconds);
    if (status == EXIT_OK) {
        *rate = (double)amount / seconds;
    }
    ranks_remove(&b->files);
    return status;
}

/* Every kind once, small, to warm up; all edge files of all ranks must have the same edges. */
static int warm_up(file_bench *b)
{
    uint64_t bytes = b->files.job->bytes < WARM_UP ? b->files.job->bytes : WARM_UP, expected = 0;
    int status = EXIT_OK;

    for (int kind = 0; kind < KINDS && status == EXIT_OK; kind++) {
        char text[RANKS_TEXT] = "";

        if (!b->known[kind]) {
            continue;
        }
        status = measure(b, kind, bytes, &b->rates[kind][0]);
        if (status != EXIT_OK || kind < FIRST_EDGES || kinds[kind].alone) {
            continue;
        }
        expected = expected == 0 ? b->files.fingerprint : expected;
        if (b->files.fingerprint != expected) {
            snprintf(text, sizeof text, "%s: other edges than by the other ways", kinds[kind].name);
        }
        status = ranks_agree(*text != '\0' ? -1 : 0, text);
    }
    return status;
}

static void print_kind(const file_bench *b, int kind)
{
    double rates[RANKS_MAX_RUNS], ratios[RANKS_MAX_RUNS];
    uint64_t runs = b->files.job->runs;
    bench_stats rate, ratio;
    json_object row;

    json_begin(&row, b->files.job->json->stream);
    json_string(&row, "kind", kinds[kind].name);
    ranks_print_runs(&row, "bytes_per_second", b->rates[kind], runs);
    for (uint64_t run = 0; run < runs; run++) {
        rates[run] = b->rates[kind][run];
        ratios[run] = rates[run] / b->rates[raw_of(kind)][run];
    }
    rate = bench_summary(rates, runs);
    json_f64(&row, "median", rate.median);
    fprintf(b->files.job->table, "%-18s %7.2f %7.2f %7.2f", kinds[kind].name, 1e-9 * rate.median,
            1e-9 * rate.min, 1e-9 * rate.max);
    if (kind >= FIRST_EDGES) {
        ratio = bench_summary(ratios, runs);
        fprintf(b->files.job->table, " %7.0f %% %4.0f-%.0f %%", 100 * ratio.median, 100 * ratio.min,
                100 * ratio.max);
        json_f64(&row, "ratio", ratio.median);
        json_f64(&row, "ratio_lowest", ratio.min);
        json_f64(&row, "ratio_highest", ratio.max);
    }
    fprintf(b->files.job->table, "\n");
    json_end(&row);
}

static void print(const file_bench *b)
{
    bool first = true;

    fprintf(b->files.job->table,
            "\nGB/s into %s (%s), %.3g GB of each rank\n%-18s %7s %7s %7s %9s\n", b->files.job->dir,
            edgefile_filesystem(b->files.job->dir), 1e-9 * (double)b->files.job->bytes, "",
            "median", "lowest", "highest", "of raw");
    json_string(b->files.job->json, "filesystem", edgefile_filesystem(b->files.job->dir));
    json_u64(b->files.job->json, "bytes_of_each_rank", b->files.job->bytes);
    json_key(b->files.job->json, "file");
    for (int kind = 0; kind < KINDS; kind++) {
        if (b->known[kind]) {
            fputs(first ? "[\n  " : ",\n  ", b->files.job->json->stream);
            print_kind(b, kind);
            first = false;
        }
    }
    fputs("]", b->files.job->json->stream);
}

static int prepare(file_bench *b, char *text, size_t size)
{
    ranks_files *f = &b->files;
    char prefix[32];
    int direct;

    snprintf(prefix, sizeof prefix, "bench_ranks.%d", dist_rank());
    if (bench_disk_open(&f->disk, f->job->dir, prefix, f->job->bytes, f->job->threads) != 0 ||
        (direct = bench_disk_takes_direct(&f->disk)) < 0) {
        snprintf(text, size, "%s", f->disk.error);
        return -1;
    }
    f->direct = direct == 1;
    memcpy(f->name, f->disk.name, sizeof f->name);
    memcpy(f->raw_name, f->disk.raw_name, sizeof f->raw_name);
    return 0;
}

/* What can be written here.  One rank has nobody to share with. */
static void choose_kinds(file_bench *b)
{
    uint64_t without_direct = !b->files.direct;
    bool several = dist_size() > 1;

    dist_sum(&without_direct, 1);
    b->files.direct = without_direct == 0;
    for (int kind = 0; kind < KINDS; kind++) {
        edgefile_path path = kinds[kind].path;
        bool parallel = path == EDGEFILE_PATH_INDEPENDENT || path == EDGEFILE_PATH_COLLECTIVE;

        b->known[kind] = (path != EDGEFILE_PATH_DIRECT || b->files.direct) &&
                         (!parallel || (RMAT_HDF5_PARALLEL && b->files.group != NULL &&
                                        b->files.group->communicator != NULL)) &&
                         (several || (kind != OWN && !kinds[kind].alone &&
                                      kinds[kind].layout != EDGEFILE_LAYOUT_SHARDED));
    }
}

static void lost(const char *text)
{
    message_print("", "%s", text);
}

int ranks_file(ranks_job *job)
{
    file_bench *b = calloc(1, sizeof *b);
    char text[RANKS_TEXT] = "memory is exhausted";
    int status = ranks_agree(b == NULL ? -1 : 0, text);

    if (status != EXIT_OK) {
        free(b);
        return status;
    }
    b->files.job = job;
    b->files.group = rank_group(lost, RANKS_TIMEOUT);
    status = ranks_agree(prepare(b, text, sizeof text), text);
    if (status == EXIT_OK) {
        dist_broadcast(b->files.name, sizeof b->files.name);
        dist_broadcast(b->files.raw_name, sizeof b->files.raw_name);
        choose_kinds(b);
        status = warm_up(b);
    }
    for (uint64_t run = 0; run < job->runs && status == EXIT_OK; run++) {
        for (int i = 0; i < KINDS && status == EXIT_OK; i++) {
            int kind = run % 2 == 0 ? i : KINDS - 1 - i;

            if (b->known[kind]) {
                status = measure(b, kind, job->bytes, &b->rates[kind][run]);
            }
        }
    }
    if (status == EXIT_OK && job->table != NULL) {
        print(b);
    }
    bench_disk_close(&b->files.disk);
    free(b);
    return status;
}
