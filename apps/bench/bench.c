/* rmat bench: the speed of this machine, each figure beside the hardware's limit. */
#include "apps/bench/bench.h"
#include "apps/bench/command.h"
#include "apps/bench/load.h"
#include "apps/common/clock.h"
#include "apps/common/cpu.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "apps/common/options.h"
#include "apps/common/whole_file.h"
#include "mpi/dist.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

typedef enum { PART_ALL, PART_MEMORY, PART_FILE } bench_part;

typedef struct {
    uint64_t seconds, threads, device, size;
    int part;
    const char *dir, *json;
    bool force, help;
} raw_values;

static const char *const part_names[] = {"all", "memory", "file", NULL};

#define AT(field) offsetof(raw_values, field)

/* clang-format off */
static const option table[] = {
    {.name = "seconds", .kind = OPTION_COUNT, .argument = "N", .offset = AT(seconds), .min = 1,
        .max = 3600, .fallback = "60", .group = "Options",
        .help = "duration, approximately; longer runs use larger files and give steadier figures"},
    {.name = "part", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(part),
        .choices = part_names, .fallback = "all", .group = "Options",
        .help = "what to measure: edges in memory, by CPU and GPU; edges into files; or both"},
    OPTION_ROW_THREADS(raw_values, threads, "Options", "maximum number of threads"),
    OPTION_ROW_DEVICE(raw_values, device, "Options", "0",
        "number of the GPU, as `rmat info --devices` lists it"),
    {.name = "dir", .kind = OPTION_FOLDER, .argument = "DIR", .offset = AT(dir), .fallback = ".",
        .group = "Options",
        .help = "folder on the disk to be measured; the files in it are removed afterwards"},
    {.name = "size", .kind = OPTION_COUNT, .argument = "N", .offset = AT(size),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "by the time, at most 4Gi and a tenth of what is free", .group = "Options",
        .help = "size of a file in bytes, whatever time it takes"},
    {.name = "json", .kind = OPTION_REPORT, .argument = "FILE", .offset = AT(json),
        .group = "Options",
        .help = "write all figures as one JSON object; - replaces the tables on standard output"},
    OPTION_ROW_FORCE(raw_values, force, "Options", "replace the file of --json if it exists"),
    OPTION_ROW_HELP(raw_values, help, "Options"),
};
/* clang-format on */

const command_line bench_command_line = {
    .command = "bench",
    .synopsis = "bench [OPTION]...",
    .summary =
        "Measure how fast this machine generates edges, in memory and into files. Each figure "
        "stands beside its limit: plain writes to the same memory or disk, measured in turns "
        "with it.",
    .options = table,
    .n_options = sizeof table / sizeof table[0],
    .notes = "Exit status: 0, 1 something could not be measured, 2 wrong usage, 129, 130 or 143 "
             "stopped by SIGHUP, SIGINT or SIGTERM.",
};

int bench_stopped(void)
{
    runtime_error("bench", "stopped by %s", interrupt_name(interrupt_signal()));
    return 128 + interrupt_signal();
}

static void print_head(const bench_job *job)
{
    char cpu[256], date[32];
    time_t now = time(NULL);

    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    fprintf(job->table, "rmat %s, %s, %d thread%s, %s; this takes about %.0f s\n\n", rmat_version(),
            cpu, job->threads, job->threads > 1 ? "s" : "", date, job->seconds);
    fflush(job->table);
}

/* The processors, then the GPU if there is one. */
static int measure_memory(const bench_job *job, double seconds, const char *why)
{
    int status = bench_memory(job, job->gpus > 0 ? seconds / 2 : seconds);

    if (status != EXIT_OK) {
        return status;
    }
    if (job->gpus > 0) {
        return bench_gpu(job, seconds / 2);
    }
    fprintf(job->table, "gpu none: %s\n\n", why);
    json_string(job->json, "gpu_none", why);
    return EXIT_OK;
}

/* The parts that were requested, which share the time. */
static int measure(bench_job *job, bench_part part)
{
    double memory = part == PART_FILE ? 0 : part == PART_MEMORY ? 1 : 0.4;
    bench_load load;
    char text[BENCH_LOAD_TEXT], why[DEVICES_TEXT];
    double start = clock_seconds();
    int status = EXIT_OK;

    print_head(job);
    job->gpus = devices_gpus(why);
    if (job->gpus > 0 && job->device >= job->gpus) {
        return runtime_error("bench", "--device %d: there is no GPU of that number, but 0 to %d",
                             job->device, job->gpus - 1);
    }
    json_string(job->json, "version", rmat_version());
    json_key(job->json, "machine");
    bench_machine_json(job->json->stream);
    json_u64(job->json, "threads", (uint64_t)job->threads);
    bench_load_begin(&load);
    if (part != PART_FILE) {
        status = measure_memory(job, job->seconds * memory, why);
    }
    if (part != PART_MEMORY && status == EXIT_OK) {
        status = bench_file(job, job->seconds * (1 - memory));
    }
    if (status == EXIT_OK) {
        bench_load_end(&load, text, job->json);
        json_f64(job->json, "seconds", clock_seconds() - start);
        fprintf(job->table, "%.0f s; %s\n", clock_seconds() - start, text);
    }
    return status;
}

/* Measure, with the tables on standard output unless the JSON object goes there. */
static int report(bench_job *job, const raw_values *raw, whole_file *json, FILE *nowhere)
{
    json_object object;
    int status;

    job->table = raw->json != NULL && strcmp(raw->json, "-") == 0 ? nowhere : stdout;
    job->json = &object;
    json_begin(&object, json->stream != NULL ? json->stream : nowhere);
    status = measure(job, (bench_part)raw->part);
    json_end(&object);
    return status;
}

static int bench(const raw_values *raw)
{
    int usable = cpu_usable(), status;
    bench_job job = {.seconds = (double)raw->seconds,
                     .threads = raw->threads > 0              ? (int)raw->threads
                                : usable > OPTION_MAX_THREADS ? OPTION_MAX_THREADS
                                                              : usable,
                     .device = (int)raw->device,
                     .size = raw->size,
                     .dir = raw->dir};
    FILE *nowhere = fopen("/dev/null", "w");
    whole_file json;

    if (nowhere == NULL) {
        return runtime_error("bench", "/dev/null: %s", strerror(errno));
    }
    interrupt_install();
    status = whole_file_open(&json, "bench", "json", raw->json, raw->force, NULL);
    if (status == EXIT_OK) {
        status = whole_file_close(&json, report(&job, raw, &json, nowhere));
    }
    fclose(nowhere);
    return status;
}

int bench_main(int argc, char **argv)
{
    raw_values raw = {.seconds = 60, .dir = "."};
    bool given[OPTIONS_MAX];
    int status = one_process("bench", "measures");

    if (status == EXIT_OK) {
        status = options_parse(&bench_command_line, argc, argv, &raw, given, NULL);
    }
    if (status == EXIT_OK && raw.help) {
        options_help(&bench_command_line, stdout);
    } else if (status == EXIT_OK) {
        status = bench(&raw);
    }
    dist_stop();
    return status;
}
