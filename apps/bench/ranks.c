/*
 * bench_ranks - the rate of several processes together, beside the rate of one of them alone.
 *
 *   mpirun -n 4 bench_ranks --backend gpu --dir /scratch
 *
 * Tables go to standard output, and one JSON object with all figures to --json FILE.  Ranks may
 * differ in --backend, --threads and --edges (mpirun a : b); the other options of rank 0 apply to
 * all.
 */
#include "apps/bench/ranks.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef enum { PART_ALL, PART_MEMORY, PART_HOST, PART_FILE } ranks_part;
enum { BACKEND_CPU, BACKEND_GPU };

typedef struct {
    uint64_t scale, seconds, edges, bytes, runs, threads;
    int backend, part, id_bits;
    const char *dir, *json;
    bool force, help;
} raw_values;

static const char *const part_names[] = {"all", "memory", "host", "file", NULL};
static const char *const backend_names[] = {"cpu", "gpu", NULL};
static const char *const id_names[] = {"auto", "32", "64", NULL};

#define AT(field) offsetof(raw_values, field)

/* clang-format off */
static const option table[] = {
    {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = part_names, .fallback = "all", .group = "Options",
        .help = "edges into the memory of GPUs or hosts; into host memory through the pipeline of "
                "`rmat generate`; into files beside plain writes; or all"},
    {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(backend),
        .choices = backend_names, .fallback = "cpu", .group = "Options",
        .help = "of this rank; GPUs are dealt out to the ranks of a host in turn"},
    {.name = "threads", .kind = OPTION_COUNT, .argument = "N", .offset = AT(threads), .min = 0,
        .max = OPTION_MAX_THREADS, .fallback = "0", .group = "Options",
        .help = "of this rank; 0: its share of the processors that it may use"},
    {.name = "scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(scale), .min = 1,
        .max = RMAT_MAX_SCALE, .fallback = "30", .group = "Options", .help = "of the graph"},
    {.name = "id-bits", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(id_bits),
        .choices = id_names, .fallback = "auto", .group = "Options",
        .help = "width of a vertex id; auto: 32 where it suffices"},
    {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = RANKS_MAX_RUNS, .fallback = "5", .group = "Options",
        .help = "measurements of each kind; the table shows medians"},
    {.name = "seconds", .kind = OPTION_COUNT, .argument = "N", .offset = AT(seconds), .min = 1,
        .max = 3600, .fallback = "1", .group = "Options",
        .help = "of one measurement without files, about"},
    {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges), .min = 1,
        .max = (uint64_t)1 << 48, .allowed = "1 to 256Ti", .group = "Options",
        .help = "of this rank in one measurement without files, whatever time it takes"},
    {.name = "bytes", .kind = OPTION_COUNT, .argument = "N", .offset = AT(bytes),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "1Gi", .group = "Options", .help = "of each rank in a file"},
    {.name = "dir", .kind = OPTION_FOLDER, .argument = "DIR", .offset = AT(dir), .fallback = ".",
        .group = "Options", .help = "folder for the files, shared by all ranks; they are removed"},
    {.name = "json", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(json),
        .group = "Options", .help = "all figures as one JSON object"},
    OPTION_ROW_FORCE(raw_values, force, "Options", "replace the file of --json if it exists"),
    OPTION_ROW_HELP(raw_values, help, "Options"),
};
/* clang-format on */

static const command_line line = {
    .command = "bench_ranks",
    .synopsis = "bench_ranks [OPTION]...",
    .summary = "Measure what the ranks of mpirun make together, beside what one makes alone: "
               "100 % is as many times one rank's rate as there are ranks.",
    .options = table,
    .n_options = sizeof table / sizeof table[0],
    .notes = "A program of its own: mpirun -n 4 build/apps/bench_ranks. Exit status: 0, 1 "
             "something could not be measured, 2 wrong usage.",
};

static int open_generator(ranks_job *job, char *text, size_t size)
{
    char why[DEVICES_TEXT];
    rmat_config config;
    int status;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = job->scale;
    config.backend = job->backend;
    config.threads = 1;
    if (job->backend == RMAT_BACKEND_GPU) {
        int gpus = devices_gpus(why);

        if (gpus == 0) {
            snprintf(text, size, "no GPU: %s", why);
            return -1;
        }
        job->device = config.device = dist_local_rank() % gpus;
    }
    status = rmat_create(&job->gen, &config);
    if (status != RMAT_OK) {
        snprintf(text, size, "%s%s%s", rmat_strerror(status), *rmat_gpu_error() ? ": " : "",
                 rmat_gpu_error());
    }
    return status == RMAT_OK ? 0 : -1;
}

static int measure(ranks_job *job, ranks_part part)
{
    int status = EXIT_OK;

    if (job->table != NULL && part != PART_FILE) {
        fprintf(job->table, "%-8s %17s %17s  efficiency\n", "", "one rank", "all ranks");
    }
    if (part == PART_ALL || part == PART_MEMORY) {
        status = ranks_memory(job);
    }
    if (status == EXIT_OK && (part == PART_ALL || part == PART_HOST)) {
        status = ranks_host(job);
    }
    if (status == EXIT_OK && (part == PART_ALL || part == PART_FILE)) {
        status = ranks_file(job);
    }
    return status;
}

/* What all ranks have to agree on: as rank 0 was told. */
typedef struct {
    uint64_t scale, seconds, bytes, runs;
    int part, id_bits;
    char dir[PATH_MAX];
} common_values;

static void share(raw_values *raw, common_values *c)
{
    *c = (common_values){.scale = raw->scale,
                         .seconds = raw->seconds,
                         .bytes = raw->bytes,
                         .runs = raw->runs,
                         .part = raw->part,
                         .id_bits = raw->id_bits};
    snprintf(c->dir, sizeof c->dir, "%s", raw->dir);
    dist_broadcast(c, sizeof *c);
}

static int bench(raw_values *raw, FILE *json_stream)
{
    common_values common;
    ranks_job job;
    json_object json;
    char text[RANKS_TEXT] = "";
    int status;

    share(raw, &common);
    job = (ranks_job){.backend = raw->backend == BACKEND_GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU,
                      .threads = raw->threads > 0 ? (int)raw->threads : dist_processors(),
                      .scale = (int)common.scale,
                      .id_bytes =
                          common.id_bits == 2 || (common.id_bits == 0 && common.scale > 32) ? 8 : 4,
                      .seconds = common.seconds,
                      .edges = raw->edges,
                      .runs = common.runs,
                      .bytes = common.bytes,
                      .dir = common.dir,
                      .device = -1,
                      .table = dist_rank() == 0 ? stdout : NULL,
                      .json = &json};
    json_begin(&json, json_stream);
    json_string(&json, "benchmark", "bench_ranks");
    status = ranks_agree(open_generator(&job, text, sizeof text), text);
    status = status ? status : ranks_report(&job);
    status = status ? status : measure(&job, (ranks_part)common.part);
    json_end(&json);
    rmat_destroy(job.gen);
    return status;
}

typedef struct {
    raw_values raw;
    int parsed; /* what options_parse() returned */
} ranks_command;

/* One rank's complaint about its options is enough for all to stop. */
static int check_options(const ranks_command *c)
{
    char text[MESSAGE_TEXT];
    int status;

    message_take(text);
    status = dist_agree(c->parsed, text, sizeof text, NULL);
    if (status != EXIT_OK && dist_rank() == 0) {
        message_print("bench_ranks", "%s", text);
    }
    return status;
}

/* Rank 0 writes the report when all is measured; what the others print to theirs is dropped. */
static int report(raw_values *raw)
{
    FILE *nowhere = fopen("/dev/null", "w");
    char text[MESSAGE_TEXT] = "/dev/null cannot be opened";
    whole_file json = {0};
    int status = nowhere != NULL ? EXIT_OK : EXIT_RUNTIME;

    if (status == EXIT_OK && dist_rank() == 0) {
        status = whole_file_open(&json, "bench_ranks", "json", raw->json, raw->force, NULL);
        message_take(text);
    }
    text[RANKS_TEXT - 1] = '\0';
    status = ranks_agree(status == EXIT_OK ? 0 : -1, text);
    if (status == EXIT_OK) {
        status = bench(raw, json.stream != NULL ? json.stream : nowhere);
    }
    if (whole_file_close(&json, status) != status) {
        message_take(text);
        message_print("bench_ranks", "%s", text);
        status = EXIT_RUNTIME;
    }
    if (nowhere != NULL) {
        fclose(nowhere);
    }
    return status;
}

static int body(void *argument)
{
    ranks_command *c = argument;
    int status = check_options(c);

    if (status == EXIT_OK && c->raw.help) {
        if (dist_rank() == 0) {
            options_help(&line, stdout);
        }
        return EXIT_OK;
    }
    return status ? status : report(&c->raw);
}

static void lost(const char *text)
{
    message_print("bench_ranks", "%s", text);
}

int main(int argc, char **argv)
{
    ranks_command c = {
        .raw = {.scale = 30, .seconds = 1, .bytes = (uint64_t)1 << 30, .runs = 5, .dir = "."}};
    bool given[OPTIONS_MAX];
    int status = dist_start();

    if (status != DIST_OK) {
        return runtime_error("bench_ranks", "%s", dist_strerror(status));
    }
    interrupt_install();
    message_keep();
    c.parsed = options_parse(&line, argc - 1, argv + 1, &c.raw, given, NULL);
    if (c.parsed == EXIT_OK && c.raw.id_bits == 1 && c.raw.scale > 32) {
        c.parsed = usage_error("bench_ranks",
                               "--id-bits: '32' is too few for --scale %d, allowed: "
                               "auto, 64",
                               (int)c.raw.scale);
    }
    status = dist_run(body, &c, RANKS_TIMEOUT, lost);
    if (status < 0) {
        message_print("bench_ranks", "%s", dist_strerror(status));
        status = EXIT_RUNTIME;
    }
    dist_stop();
    return status;
}
