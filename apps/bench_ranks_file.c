/*
 * Edges of all ranks into one graph, by layout and write path, beside what the folder takes: as
 * many bytes of as many processes at the same time in plain writes, into one file or one each.
 *
 * An edge file counts from before it is created to the end of its commit, as `rmat generate` does
 * it, spans shared out by speed included; the plain files likewise, preallocated and synced.  All
 * kinds take turns, every other turn backwards, and a ratio is that of one turn.
 */
#include "apps/bench_disk.h"
#include "apps/bench_ranks.h"
#include "apps/bench_raw.h"
#include "apps/interrupt.h"
#include "apps/message.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WARM_UP ((uint64_t)64 << 20)

enum { RAW_ONE, RAW_OWN, RAW_ALONE, FIRST_EDGES, KINDS = FIRST_EDGES + 9 };

/* raw: what it is compared with.  group: all ranks write it; else rank 0 alone does. */
static const struct {
    const char *name;
    int raw;
    bool group;
    edgefile_layout layout;
    edgefile_path path;
} kinds[KINDS] = {
    [RAW_ONE] = {.name = "raw, one file", .group = true},
    [RAW_OWN] = {.name = "raw, own files", .group = true},
    [RAW_ALONE] = {.name = "rank 0 alone, raw"},
    {"rank 0 alone", RAW_ALONE, false, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_AUTO},
    {"single auto", RAW_ONE, true, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_AUTO},
    {"single direct", RAW_ONE, true, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_DIRECT},
    {"single positional", RAW_ONE, true, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_POSITIONAL},
    {"single independent", RAW_ONE, true, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_INDEPENDENT},
    {"single collective", RAW_ONE, true, EDGEFILE_LAYOUT_SINGLE, EDGEFILE_PATH_COLLECTIVE},
    {"sharded direct", RAW_OWN, true, EDGEFILE_LAYOUT_SHARDED, EDGEFILE_PATH_DIRECT},
    {"sharded positional", RAW_OWN, true, EDGEFILE_LAYOUT_SHARDED, EDGEFILE_PATH_POSITIONAL},
    {"sharded hdf5", RAW_OWN, true, EDGEFILE_LAYOUT_SHARDED, EDGEFILE_PATH_HDF5},
};

typedef struct {
    const ranks_job *job;
    bench_disk disk; /* of this rank's plain file */
    bool direct;
    char name[PATH_MAX + 64], raw_name[PATH_MAX + 64]; /* of the files shared by all */
    edgefile_group group;
    int kind;             /* that is written now */
    uint64_t fingerprint; /* of the last edge file */
    bool known[KINDS];    /* to be had here */
    double rates[KINDS][RANKS_MAX_RUNS];
} file_bench;

static void broadcast(void *state, void *data, size_t bytes)
{
    (void)state;
    dist_broadcast(data, bytes);
}

static void sum(void *state, uint64_t *values, size_t count)
{
    (void)state;
    dist_sum(values, count);
}

static int agree_on(void *state, int status, char *detail, size_t size)
{
    (void)state;
    return dist_agree(status, detail, size, NULL);
}

/* Everybody's range of one file; rank 0 makes it. */
static int write_raw_one(file_bench *b, uint64_t bytes, char *text, size_t size)
{
    int flags = O_WRONLY | O_CLOEXEC | (b->direct ? O_DIRECT : 0), fd = -1, error = 0;
    uint64_t barrier = 0;

    if (dist_rank() == 0) {
        fd = open(b->raw_name, flags | O_CREAT | O_TRUNC, 0666);
        error = fd < 0 ? errno : bench_raw_reserve(fd, bytes * (uint64_t)dist_size());
    }
    dist_sum(&barrier, 1);
    if (dist_rank() != 0 && (fd = open(b->raw_name, flags)) < 0) {
        error = errno;
    }
    if (error == 0) {
        error = bench_raw_write(fd, b->disk.data, bytes * (uint64_t)dist_rank(), bytes,
                                BENCH_DISK_ID_BYTES * b->disk.plan.chunk, b->disk.plan.writers);
    }
    if (fd >= 0) {
        close(fd);
    }
    dist_sum(&barrier, 1);
    if (dist_rank() == 0) {
        unlink(b->raw_name);
    }
    if (error != 0) {
        snprintf(text, size, "%s: %s", b->raw_name, strerror(error));
    }
    return error == 0 ? 0 : -1;
}

static int write_raw_own(file_bench *b, uint64_t bytes, char *text, size_t size)
{
    double seconds;

    b->disk.edges = bench_disk_edges_of(bytes);
    if (bench_disk_write_raw(&b->disk, b->direct, &seconds) != 0) {
        snprintf(text, size, "%s", b->disk.error);
        return b->disk.error[0] != '\0' ? -1 : 0; /* ranks_agree() knows of the signal */
    }
    return 0;
}

static int next_span(void *state, uint64_t *first, uint64_t *count)
{
    (void)state;
    return dist_work_next(first, count);
}

static int report_work(void *argument, uint64_t done)
{
    (void)argument;
    dist_work_report(done);
    return interrupt_signal() != 0 ? interrupt_signal() : dist_stopping();
}

/* Share out the edges as `rmat generate` does. */
static int begin_work(uint64_t edges, int id_bytes)
{
    uint64_t *starts = malloc(((size_t)dist_size() + 1) * sizeof *starts), count;

    if (starts == NULL) {
        return -1;
    }
    for (int r = 0; r < dist_size(); r++) {
        edgefile_shard_range(edges, id_bytes, dist_size(), r, &starts[r], &count);
    }
    starts[dist_size()] = edges;
    dist_work_begin(starts, edgefile_unit(edges, id_bytes), 1);
    free(starts);
    return 0;
}

/* Fills the file; 0, or -1 and why. */
static int stream(file_bench *b, edgefile_writer *writer, uint64_t edges, char *text, size_t size)
{
    bool group = kinds[b->kind].group;
    pipeline_source source = {.next = next_span};
    pipeline_plan plan;
    pipeline_producer producer = ranks_producer(b->job, edges / (group ? (uint64_t)dist_size() : 1),
                                                edgefile_used_path(writer), &plan);
    pipeline_result result;
    int status = pipeline_run(&plan, group ? &source : NULL, &producer, NULL, writer,
                              group ? report_work : ranks_tick, NULL, &result);

    if (status != 0 && !result.stopped) {
        snprintf(text, size, "%s", result.error != NULL ? result.error : "not all edges were made");
    }
    if (status != 0 && group) {
        dist_request_stop(1);
    }
    return status;
}

static int write_edges(file_bench *b, uint64_t bytes, char *text, size_t size)
{
    int id_bytes = b->job->id_bytes, status;
    bool group = kinds[b->kind].group;
    uint64_t edges = bytes / (2 * (uint64_t)id_bytes) * (group ? (uint64_t)dist_size() : 1);
    edgefile_spec spec = {.edges = edges,
                          .id_bytes = id_bytes,
                          .path = kinds[b->kind].path,
                          .layout = kinds[b->kind].layout,
                          .replace = 1,
                          .group = group ? &b->group : NULL};
    edgefile_writer *writer;

    status = edgefile_create(&writer, b->name, &spec);
    if (status != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
        return status;
    }
    status = group ? begin_work(edges, id_bytes) : 0;
    status = status ? status : stream(b, writer, edges, text, size);
    if (group) {
        if (edgefile_drain(writer, status != 0) != EDGEFILE_OK && status == 0) {
            snprintf(text, size, "%s", edgefile_detail());
            status = -1;
        }
        dist_work_end();
        status = dist_agree(status, text, size, NULL);
    }
    if (status != 0) {
        edgefile_abort(&writer);
        return interrupt_signal() != 0 ? 0 : status;
    }
    status = edgefile_commit(&writer, &b->fingerprint);
    if (status != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
    }
    return status;
}

/* The file and its shards, if it has some. */
static void remove_edges(const file_bench *b)
{
    char shard[sizeof b->name + 32];

    if (dist_rank() != 0) {
        return;
    }
    unlink(b->name);
    for (int k = 0; k < dist_size(); k++) {
        snprintf(shard, sizeof shard, "%s.shards/%05d.h5", b->name, k);
        unlink(shard);
    }
    snprintf(shard, sizeof shard, "%s.shards", b->name);
    rmdir(shard);
}

static int write_one(ranks_work *w, uint64_t amount, char *text, size_t size)
{
    file_bench *b = w->state;

    switch (b->kind) {
    case RAW_ONE:
        return write_raw_one(b, amount, text, size);
    case RAW_OWN:
    case RAW_ALONE:
        return write_raw_own(b, amount, text, size);
    default:
        return write_edges(b, amount, text, size);
    }
}

static int measure(file_bench *b, int kind, uint64_t bytes, double *rate)
{
    ranks_work work = {.run = write_one, .state = b, .amount = bytes};
    uint64_t amount;
    double seconds;
    int status;

    b->kind = kind;
    status = ranks_round(b->job, &work, kinds[kind].group ? -1 : 0, &amount, &seconds);
    if (status == EXIT_OK) {
        *rate = (double)amount / seconds;
    }
    remove_edges(b);
    return status;
}

/* Every kind once, small, to warm up; all edge files of all ranks must have the same edges. */
static int warm_up(file_bench *b)
{
    uint64_t bytes = b->job->bytes < WARM_UP ? b->job->bytes : WARM_UP, expected = 0;
    int status = EXIT_OK;

    for (int kind = 0; kind < KINDS && status == EXIT_OK; kind++) {
        char text[RANKS_TEXT] = "";

        if (!b->known[kind]) {
            continue;
        }
        status = measure(b, kind, bytes, &b->rates[kind][0]);
        if (status != EXIT_OK || kind < FIRST_EDGES || !kinds[kind].group) {
            continue;
        }
        expected = expected == 0 ? b->fingerprint : expected;
        if (b->fingerprint != expected) {
            snprintf(text, sizeof text, "%s: other edges than by the other ways", kinds[kind].name);
        }
        status = ranks_agree(*text != '\0' ? -1 : 0, text);
    }
    return status;
}

static void print_kind(const file_bench *b, int kind)
{
    double rates[RANKS_MAX_RUNS], ratios[RANKS_MAX_RUNS];
    uint64_t runs = b->job->runs;
    bench_stats rate, ratio;
    json_object row;

    json_begin(&row, b->job->json->stream);
    json_string(&row, "kind", kinds[kind].name);
    ranks_print_runs(&row, "bytes_per_second", b->rates[kind], runs);
    for (uint64_t run = 0; run < runs; run++) {
        rates[run] = b->rates[kind][run];
        ratios[run] = rates[run] / b->rates[kinds[kind].raw][run];
    }
    rate = bench_summary(rates, runs);
    json_f64(&row, "median", rate.median);
    fprintf(b->job->table, "%-18s %7.2f %7.2f %7.2f", kinds[kind].name, 1e-9 * rate.median,
            1e-9 * rate.min, 1e-9 * rate.max);
    if (kind >= FIRST_EDGES) {
        ratio = bench_summary(ratios, runs);
        fprintf(b->job->table, " %7.0f %% %4.0f-%.0f %%", 100 * ratio.median, 100 * ratio.min,
                100 * ratio.max);
        json_f64(&row, "ratio", ratio.median);
        json_f64(&row, "ratio_lowest", ratio.min);
        json_f64(&row, "ratio_highest", ratio.max);
    }
    fprintf(b->job->table, "\n");
    json_end(&row);
}

static void print(const file_bench *b)
{
    bool first = true;

    fprintf(b->job->table, "\nGB/s into %s (%s), %.3g GB of each rank\n%-18s %7s %7s %7s %9s\n",
            b->job->dir, edgefile_filesystem(b->job->dir), 1e-9 * (double)b->job->bytes, "",
            "median", "lowest", "highest", "of raw");
    json_string(b->job->json, "filesystem", edgefile_filesystem(b->job->dir));
    json_u64(b->job->json, "bytes_of_each_rank", b->job->bytes);
    json_key(b->job->json, "file");
    for (int kind = 0; kind < KINDS; kind++) {
        if (b->known[kind]) {
            fputs(first ? "[\n  " : ",\n  ", b->job->json->stream);
            print_kind(b, kind);
            first = false;
        }
    }
    fputs("]", b->job->json->stream);
}

static int prepare(file_bench *b, char *text, size_t size)
{
    char prefix[32];
    int direct;

    snprintf(prefix, sizeof prefix, "bench_ranks.%d", dist_rank());
    if (bench_disk_open(&b->disk, b->job->dir, prefix, b->job->bytes, b->job->threads) != 0 ||
        (direct = bench_disk_takes_direct(&b->disk)) < 0) {
        snprintf(text, size, "%s", b->disk.error);
        return -1;
    }
    b->direct = direct == 1;
    return 0;
}

/* What can be written here. */
static void choose_kinds(file_bench *b)
{
    uint64_t without_direct = !b->direct;

    dist_sum(&without_direct, 1);
    b->direct = without_direct == 0;
    for (int kind = 0; kind < KINDS; kind++) {
        edgefile_path path = kinds[kind].path;

        b->known[kind] = (path != EDGEFILE_PATH_DIRECT || b->direct) &&
                         ((path != EDGEFILE_PATH_INDEPENDENT && path != EDGEFILE_PATH_COLLECTIVE) ||
                          b->group.communicator != NULL);
    }
}

int ranks_file(ranks_job *job)
{
    file_bench *b = calloc(1, sizeof *b);
    char text[RANKS_TEXT] = "memory is exhausted";
    int status = ranks_agree(b == NULL ? -1 : 0, text);

    if (status != EXIT_OK) {
        return status;
    }
    b->job = job;
    b->group = (edgefile_group){.rank = dist_rank(),
                                .size = dist_size(),
                                .hosts = dist_host_count(),
                                .broadcast = broadcast,
                                .sum = sum,
                                .agree = agree_on,
                                .communicator = dist_communicator()};
    status = ranks_agree(prepare(b, text, sizeof text), text);
    if (status == EXIT_OK) {
        memcpy(b->name, b->disk.name, sizeof b->name);
        memcpy(b->raw_name, b->disk.raw_name, sizeof b->raw_name);
        dist_broadcast(b->name, sizeof b->name);
        dist_broadcast(b->raw_name, sizeof b->raw_name);
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
    bench_disk_close(&b->disk);
    free(b);
    return status;
}
