/* rmat bench: the speed of this machine, each figure beside the hardware's limit.  Here are its
 * options, which of them belong to which part, and the report of the parts that were requested. */
#include "apps/bench/bench.h"
#include "apps/client/commands.h"
#include "apps/common/clock.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"
#include "apps/engine/ranks/ranks.h"
#include "mpi/dist.h"
#include "rmat/rmat_gapbs.h"
#include "rmat/rmat_gpu.h"
#include <errno.h>
#include <string.h>
#include <time.h>

#ifndef BENCH_HAS_GPU
const bench_backend *const bench_gpu_backend = NULL;
#endif

enum {
    PART,
    SECONDS,
    RUNS,
    BACKEND,
    THREADS,
    DEVICE,
    STREAM,
    SCALE,
    ID_TYPE,
    ISA,
    EDGES,
    DIR,
    SIZE,
    EDGE_FACTOR,
    UNIQUE,
    PERMUTE,
    INTERVALS,
    ENDS,
    MEMORY,
    JSON,
    FORCE,
    HELP,
    OPTIONS
};

static const char *const part_names[] = {"all", "memory", "models", "file", "csr", "ranks", NULL};
static const char *const id_names[] = {"auto", "uint32", "uint64", NULL};

/* In the order of rmat_isa. */
static const char *const isa_names[] = {"all", "generic", "avx2", "avx512", "neon", NULL};

#define AT(field) offsetof(bench_options, field)
#define GENERAL   "What to measure"
#define GRAPHS    "Edges in memory"
#define DISK      "Edges into files"
#define SORTED    "CSR in memory"
#define REPORT    "Report"

/* clang-format off */
static const option table[OPTIONS] = {
    [PART] = {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = part_names, .fallback = "all", .group = GENERAL,
        .help = "what is measured; memory: edges into memory, by CPU and GPU; file: edges into files; all: both of these; models: what "
                "each option of the model costs; csr: sorted graphs in memory; "
                "ranks: what the ranks of mpirun generate together, in memory, beside one of them alone"},
    [SECONDS] = {.name = "seconds", .kind = OPTION_COUNT, .argument = "N", .offset = AT(seconds),
        .min = 1, .max = 3600, .fallback = "60", .group = GENERAL,
        .help = "approximate duration; longer runs use larger files and give steadier figures"},
    [RUNS] = {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = BENCH_MAX_RUNS, .fallback = "3 to 5, by the time; 3 with csr, 5 with ranks",
        .group = GENERAL,
        .help = "number of measurements of each kind, which take turns; the tables show medians"},
    [BACKEND] = OPTION_ROW_BACKEND(bench_options, backend, GENERAL,
        "device that generates the edges; auto: the CPU, and the GPU if there is one; with ranks, the GPU of a rank "
                "if it has one, else its CPU"),
    [THREADS] = OPTION_ROW_THREADS(bench_options, threads, GENERAL, "maximum number of threads"),
    [DEVICE] = OPTION_ROW_DEVICE(bench_options, device, GENERAL, "0",
        "number of the GPU, as `rmat info --devices` lists it"),
    [STREAM] = OPTION_ROW_STREAM(bench_options, stream, GRAPHS,
        "whose edges are generated, as of 'rmat generate'"),
    [SCALE] = {.name = "scale", .kind = OPTION_NUMBERS, .argument = "LIST", .offset = AT(scales),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20,26,30,32,36; 22 with csr, 30 with ranks",
        .group = GRAPHS,
        .help = "scales of the graphs"},
    [ID_TYPE] = {.name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE", .offset = AT(id_type),
        .choices = id_names, .fallback = "auto", .group = GRAPHS,
        .help = "type of a vertex number; auto: both, or with ranks uint32 where it suffices"},
    [ISA] = {.name = "isa", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(isa),
        .choices = isa_names, .fallback = "all", .group = GRAPHS,
        .help = "instruction set of the CPU; all: each that it has, and for models the best one"},
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges),
        .min = 1, .max = (uint64_t)1 << 48, .allowed = "1 to 256Ti",
        .fallback = "by the time", .group = GRAPHS,
        .help = "number of edges of one measurement, or of this rank's part of it, whatever time it takes"},
    [DIR] = {.name = "dir", .kind = OPTION_FOLDER, .argument = "DIR", .offset = AT(dir),
        .fallback = ".", .group = DISK,
        .help = "folder on the disk to be measured; the files in it are removed afterwards"},
    [SIZE] = {.name = "size", .kind = OPTION_COUNT, .argument = "N", .offset = AT(size),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "by the time, at most 4Gi and a tenth of what is free",
        .group = DISK,
        .help = "size of a file in bytes, whatever time it takes"},
    [EDGE_FACTOR] = {.name = "edge-factor", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(edge_factor), .min = 1, .max = 1024, .fallback = "16", .group = SORTED,
        .help = "edges of the stream per vertex"},
    [UNIQUE] = OPTION_ROW_FLAG(bench_options, unique, SORTED, "unique", 0, "keep each edge once"),
    [PERMUTE] = OPTION_ROW_FLAG(bench_options, permute, SORTED, "permute", 0,
        "permute the vertices"),
    [INTERVALS] = {.name = "intervals", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(intervals), .min = 1, .max = 1 << 16, .fallback = "1", .group = SORTED,
        .help = "number of intervals of the sorted order, of about equally many edges each; the "
                "whole stream is generated for each of them; more where these do not fit into memory"},
    [ENDS] = OPTION_ROW_FLAG(bench_options, ends, SORTED, "ends", 0,
        "build only the first and the last interval"),
    [MEMORY] = OPTION_ROW_MEMORY(bench_options, memory, SORTED, "9/10 of what is free",
        "memory for an interval and its CSR, of the GPU or the host"),
    [JSON] = {.name = "json", .kind = OPTION_REPORT, .argument = "FILE", .offset = AT(json),
        .group = REPORT,
        .help = "write all figures as one JSON object; - replaces the tables on standard output"},
    [FORCE] = OPTION_ROW_FORCE(bench_options, force, REPORT,
        "replace the file of --json if it exists"),
    [HELP] = OPTION_ROW_LONG_HELP(bench_options, help, REPORT),
};
/* clang-format on */

const command_line bench_command_line = {
    .command = "bench",
    .synopsis = "bench [OPTION]...",
    .summary =
        "Measure how fast this machine generates edges, in memory and into files, or how fast "
        "the ranks of mpirun do so together. Each figure stands beside its limit: plain writes "
        "to the same memory or disk, measured in turns with it.",
    .options = table,
    .n_options = OPTIONS,
    .common = "part seconds backend scale dir size json help",
    .examples = "rmat bench\n"
                "rmat bench --part memory --scale 30\n"
                "mpirun -n 4 rmat bench --part ranks",
    .notes = "Exit status: 0 success, 1 something could not be measured, 2 wrong usage, 128 + N "
             "stopped by signal N.",
};

#define ONE(part)  (1u << (part))
#define ALL_MEMORY (ONE(PART_ALL) | ONE(PART_MEMORY))
#define ALL_FILES  (ONE(PART_ALL) | ONE(PART_FILE))
#define IN_TIME    (ALL_MEMORY | ONE(PART_MODELS) | ONE(PART_RANKS))
#define SORTING    ONE(PART_CSR)

/* The parts that an option belongs to; 0: all. */
static const unsigned parts_of[OPTIONS] = {
    [SECONDS] = IN_TIME | ONE(PART_FILE),
    [DEVICE] = ~ONE(PART_RANKS),
    [STREAM] = ONE(PART_RANKS) | ONE(PART_FILE),
    [SCALE] = IN_TIME | SORTING,
    [ID_TYPE] = IN_TIME,
    [ISA] = ALL_MEMORY | ONE(PART_MODELS),
    [EDGES] = IN_TIME,
    [DIR] = ALL_FILES,
    [SIZE] = ALL_FILES,
    [EDGE_FACTOR] = SORTING,
    [UNIQUE] = SORTING,
    [PERMUTE] = SORTING,
    [INTERVALS] = SORTING,
    [ENDS] = SORTING,
    [MEMORY] = SORTING,
};

static int wrong_part(int which, int part)
{
    char allowed[256] = "";

    for (int p = 0; part_names[p] != NULL; p++) {
        if (parts_of[which] & ONE(p)) {
            strcat(strcat(allowed, *allowed != '\0' ? ", " : ""), part_names[p]);
        }
    }
    return usage_error("bench", "--%s: given with --part %s, allowed: with --part %s",
                       table[which].name, part_names[part], allowed);
}

static int check_scales(const bench_options *o, bool given)
{
    const int least = o->part == PART_MODELS ? BENCH_MODEL_LEAST_SCALE : 1;
    const int most = o->stream == RMAT_STREAM_GAPBS ? RMAT_GAPBS_MAX_SCALE
                     : o->id_type == 1              ? 32
                     : o->part == PART_CSR          ? 40
                                                    : RMAT_MAX_SCALE;

    if (o->part == PART_RANKS && o->scales.count > 1) {
        return usage_error("bench", "--scale: %d values given with --part %s, allowed: one",
                           o->scales.count, part_names[o->part]);
    }
    for (int s = 0; s < o->scales.count && given; s++) {
        if (o->scales.item[s] < least || o->scales.item[s] > most) {
            return usage_error("bench", "--scale: '%d' given with --part %s%s, allowed: %d to %d",
                               o->scales.item[s], part_names[o->part],
                               o->stream == RMAT_STREAM_GAPBS ? " and GAPBS's stream"
                               : o->id_type == 1              ? " and --id-type uint32"
                                                              : "",
                               least, most);
        }
    }
    return EXIT_OK;
}

static int parse_options(int argc, char **argv, bench_options *o)
{
    bool given[OPTIONS_MAX];
    int status;

    *o = (bench_options){.seconds = 60, .edge_factor = 16, .intervals = 1, .dir = "."};
    status = options_parse(&bench_command_line, argc, argv, o, given, NULL);
    if (!given[SCALE]) {
        o->scales = o->part == PART_RANKS ? (option_list){1, {30}}
                    : o->part == PART_CSR ? (option_list){1, {22}}
                                          : (option_list){5, {20, 26, 30, 32, 36}};
    }
    if (o->runs == 0 && o->part >= PART_CSR) {
        o->runs = o->part == PART_CSR ? BENCH_LEAST_RUNS : BENCH_USUAL_RUNS;
    }
    if (status != EXIT_OK || o->help) {
        return status;
    }
    for (int i = 0; i < OPTIONS; i++) {
        if (given[i] && parts_of[i] != 0 && !(parts_of[i] & ONE(o->part))) {
            return wrong_part(i, o->part);
        }
    }
    if (o->stream == RMAT_STREAM_ROWS) { /* it ends, and parts take edges until the time is up */
        return usage_error("bench", "--stream: 'rows' given, allowed: rmat, graph500, gapbs");
    }
    if (o->isa != RMAT_ISA_AUTO && !rmat_cpu_has_isa((rmat_isa)o->isa)) {
        return usage_error("bench",
                           "--isa: '%s' given, allowed: those that `rmat info --devices` lists",
                           isa_names[o->isa]);
    }
    return check_scales(o, given[SCALE]);
}

int bench_stopped(void)
{
    runtime_error("bench", "stopped by %s", interrupt_name(interrupt_signal()));
    return 128 + interrupt_signal();
}

int bench_failed(int status)
{
    const char *cuda = rmat_gpu_error();

    return status == RMAT_OK ? EXIT_OK
                             : runtime_error("bench", "%s%s%s", rmat_strerror(status),
                                             *cuda != '\0' ? ": " : "", cuda);
}

int bench_agree(int status)
{
    char text[MESSAGE_TEXT] = "";

    if (status == EXIT_OK && interrupt_signal() != 0) {
        status = bench_stopped();
    }
    if (status != EXIT_OK) {
        message_take(text);
    }
    if (status == EXIT_RUNTIME && *text != '\0') {
        rank_name(text, sizeof text);
    }
    status = dist_agree(status, text, sizeof text);
    if (status != EXIT_OK && *text != '\0' && dist_rank() == 0) {
        message_print("bench", "%s", text);
    }
    return status;
}

void bench_json_values(json_object *o, const char *key, const double *values, size_t count)
{
    json_object array;

    json_array_begin(&array, o, key);
    for (size_t i = 0; i < count; i++) {
        json_f64(&array, NULL, values[i]);
    }
    json_array_end(&array);
}

void bench_json_stats(json_object *o, const char *key, const char *prefix, bench_stats stats)
{
    char text[64];

    json_f64(o, key, stats.median);
    snprintf(text, sizeof text, "%slowest", prefix);
    json_f64(o, text, stats.min);
    snprintf(text, sizeof text, "%shighest", prefix);
    json_f64(o, text, stats.max);
}

bench_stats bench_stats_of(const double *values, const double *others, size_t count)
{
    double copy[BENCH_MAX_RUNS];

    for (size_t i = 0; i < count; i++) {
        copy[i] = others != NULL ? values[i] / others[i] : values[i];
    }
    return bench_summary(copy, count);
}

static void print_head(const bench_job *job)
{
    char cpu[256], date[32];
    time_t now = time(NULL);

    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    fprintf(job->table, "rmat %s, %s, %d thread%s, %s", rmat_version(), cpu, job->threads,
            job->threads > 1 ? "s" : "", date);
    if (job->o->part != PART_CSR) {
        fprintf(job->table, "; this takes about %d s", (int)job->o->seconds);
    }
    fprintf(job->table, "\n\n");
    fflush(job->table);
    json_string(job->json, "version", rmat_version());
    json_key(job->json, "machine");
    bench_machine_json(job->json->stream);
    json_u64(job->json, "threads", (uint64_t)job->threads);
    if (job->gpu) {
        json_u64(job->json, "gpu_device", (uint64_t)job->device);
    }
}

/* What is to be measured.  GPUs are dealt out to the ranks of a host.  If there are none, why
 * becomes the reason. */
static int find_devices(bench_job *job, char why[DEVICES_TEXT])
{
    const bool ranks = job->o->part == PART_RANKS;
    const int gpus = job->o->backend == RMAT_BACKEND_CPU ? 0 : devices_gpus(why);

    job->gpu = gpus > 0;
    job->cpu = ranks ? gpus == 0 : job->o->backend != RMAT_BACKEND_GPU;
    job->device = gpus > 0 && ranks ? dist_local_rank() % gpus : (int)job->o->device;
    if (!job->gpu && job->o->backend == RMAT_BACKEND_GPU) {
        return runtime_error("bench", "--backend gpu: no GPU can be used: %s", why);
    }
    if (job->gpu && job->device >= gpus) {
        return runtime_error("bench",
                             "--device %d: this machine has no GPU of that number, only 0 to %d",
                             job->device, gpus - 1);
    }
    return EXIT_OK;
}

/* In memory: the processors, then the GPU if there is one. */
static int measure_memory(const bench_job *job, double seconds, const char *why)
{
    const bool has[2] = {job->cpu, job->gpu};
    int status = EXIT_OK;

    seconds /= job->cpu + job->gpu;
    for (int gpu = 0; gpu < 2 && status == EXIT_OK; gpu++) {
        if (has[gpu]) {
            status =
                job->o->part == PART_CSR ? bench_csr(job, gpu) : bench_memory(job, gpu, seconds);
        }
    }
    if (!job->gpu && job->o->backend == RMAT_BACKEND_AUTO && status == EXIT_OK) {
        fprintf(job->table, "gpu none: %s\n\n", why);
        json_string(job->json, "gpu_none", why);
    }
    return status;
}

/* The parts that were requested, which share the time. */
static int measure_parts(bench_job *job)
{
    const bench_part part = (bench_part)job->o->part;
    const double all = (double)job->o->seconds, memory = part == PART_ALL ? 0.4 * all : all;
    char text[BENCH_LOAD_TEXT] = "", why[DEVICES_TEXT] = "";
    double start = clock_seconds();
    bench_load load;
    int status = bench_agree(find_devices(job, why));

    if (status != EXIT_OK) {
        return status;
    }
    print_head(job);
    bench_load_begin(&load);
    if (part == PART_RANKS) {
        status = bench_ranks(job);
    } else if (part != PART_FILE) {
        status = measure_memory(job, memory, why);
    }
    if ((part == PART_ALL || part == PART_FILE) && status == EXIT_OK) {
        status = bench_file(job, part == PART_ALL ? all - memory : all);
    }
    if (status == EXIT_OK) {
        if (dist_size() == 1) { /* else ranks are each other's others */
            bench_load_end(&load, text, job->json);
        }
        json_f64(job->json, "seconds", clock_seconds() - start);
        fprintf(job->table, "%.0f s%s%s\n", clock_seconds() - start, *text ? "; " : "", text);
    }
    return status;
}

/* Measure, with the tables on standard output unless the JSON object goes there.  What ranks other
 * than the first have to say goes nowhere. */
static int write_report(const bench_options *o)
{
    const int threads = o->threads > 0 ? (int)o->threads : dist_processors();
    const bool first = dist_rank() == 0, tables = o->json == NULL || strcmp(o->json, "-") != 0;
    FILE *nowhere = fopen("/dev/null", "w");
    whole_file json = {.stream = NULL};
    json_object object;
    bench_job job = {.o = o,
                     .threads = threads < OPTION_MAX_THREADS ? threads : OPTION_MAX_THREADS,
                     .id_bytes = 4 * o->id_type,
                     .table = first && tables ? stdout : nowhere,
                     .json = &object};
    int opened = EXIT_OK, closed, status;

    if (nowhere == NULL) {
        opened = runtime_error("bench", "/dev/null: %s", strerror(errno));
    } else if (first) {
        opened = whole_file_open(&json, "bench", "json", o->json, o->force, NULL);
    }
    status = bench_agree(opened);
    if (status == EXIT_OK) {
        json_begin(&object, json.stream != NULL ? json.stream : nowhere);
        status = bench_agree(measure_parts(&job));
        json_end(&object);
    }
    closed = first && opened == EXIT_OK ? whole_file_close(&json, status) : status;
    if (nowhere != NULL) {
        fclose(nowhere);
    }
    return status == EXIT_OK ? bench_agree(closed) : status;
}

typedef struct {
    bench_options options;
    int parsed; /* what parse_options() returned */
} bench_command;

/* All ranks do as rank 0 was told, but for --backend, --threads and --edges (mpirun a : b). */
static void share_options(bench_command *c)
{
    const bench_options mine = c->options;

    dist_broadcast(&c->options, sizeof c->options);
    c->options.dir = mine.dir;
    c->options.json = mine.json;
    c->options.backend = mine.backend;
    c->options.threads = mine.threads;
    c->options.edges = mine.edges;
}

static int run_command(bench_command *c)
{
    bench_options *o = &c->options;
    int status = bench_agree(c->parsed);

    if (status != EXIT_OK || o->help) {
        if (status == EXIT_OK && dist_rank() == 0) {
            options_help(&bench_command_line, stdout);
        }
        return status;
    }
    share_options(c);
    if (dist_size() > 1 && o->part != PART_RANKS) {
        return bench_agree(usage_error("bench", "--part: '%s' given on %d ranks, allowed: ranks",
                                       part_names[o->part], dist_size()));
    }
    return write_report(o);
}

int bench_main(int argc, char **argv)
{
    bench_command c;
    int status = dist_start();

    if (status == DIST_OK) {
        interrupt_install();
        message_keep();
        c.parsed = parse_options(argc, argv, &c.options);
        status = run_command(&c);
    } else {
        if (dist_rank() == 0) {
            message_print("bench", "%s", dist_strerror(status));
        }
        status = EXIT_RUNTIME;
    }
    dist_stop();
    return status;
}
