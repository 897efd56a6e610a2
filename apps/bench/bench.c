/* rmat bench: the speed of this machine, each figure beside the hardware's limit. */
#include "apps/bench/bench.h"
#include "apps/bench/command.h"
#include "apps/bench/load.h"
#include "apps/common/clock.h"
#include "apps/common/cpu.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

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
    if (status == EXIT_RUNTIME && *text != '\0' && strncmp(text, "rank ", 5) != 0) {
        rank_name(text, sizeof text); /* edge files have said it */
    }
    status = dist_agree(status, text, sizeof text, NULL);
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
    const bool ranks = job->o->part >= PART_RANKS;
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
    const bool models = job->o->part == PART_MODELS, csr = job->o->part == PART_CSR;
    int status = EXIT_OK;

    seconds /= job->cpu + job->gpu;
    if (job->cpu) {
        status = csr ? bench_csr(job, false) : bench_cpu(job, models, seconds);
    }
    if (job->gpu && status == EXIT_OK) {
        status = csr ? bench_csr(job, true) : bench_gpu(job, models, seconds);
    }
    if (!job->gpu && job->o->backend == RMAT_BACKEND_AUTO && status == EXIT_OK) {
        fprintf(job->table, "gpu none: %s\n\n", why);
        json_string(job->json, "gpu_none", why);
    }
    return status;
}

/* The parts that were requested, which share the time. */
static int measure(bench_job *job)
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
    if (part >= PART_RANKS) {
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
static int report(const bench_options *o)
{
    const int threads = o->threads > 0 ? (int)o->threads : dist_processors();
    const bool first = dist_rank() == 0, tables = o->json == NULL || strcmp(o->json, "-") != 0;
    FILE *nowhere = fopen("/dev/null", "w");
    whole_file json = {.stream = NULL};
    json_object object;
    bench_job job = {.o = o,
                     .threads = threads < OPTION_MAX_THREADS ? threads : OPTION_MAX_THREADS,
                     .id_bytes = 4 * o->id_type,
                     .isa = (rmat_isa)o->isa,
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
        status = bench_agree(measure(&job));
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
    int parsed;         /* what bench_options_parse() returned */
    char dir[PATH_MAX]; /* as rank 0 was told */
} bench_command;

/* All ranks do as rank 0 was told, but for --backend, --threads and --edges (mpirun a : b). */
static void share(bench_command *c)
{
    const bench_options mine = c->options;

    snprintf(c->dir, sizeof c->dir, "%s", mine.dir);
    dist_broadcast(&c->options, sizeof c->options);
    dist_broadcast(c->dir, sizeof c->dir);
    c->options.dir = c->dir;
    c->options.json = mine.json;
    c->options.backend = mine.backend;
    c->options.threads = mine.threads;
    c->options.edges = mine.edges;
}

static int body(void *argument)
{
    bench_command *c = argument;
    bench_options *o = &c->options;
    int status = bench_agree(c->parsed);

    if (status != EXIT_OK || o->help) {
        if (status == EXIT_OK && dist_rank() == 0) {
            options_help(&bench_command_line, stdout);
        }
        return status;
    }
    share(c);
    if (dist_size() > 1 && o->part < PART_RANKS) {
        return bench_agree(usage_error("bench", "--part: '%s' given on %d ranks, allowed: ranks",
                                       bench_part_names[o->part], dist_size()));
    }
    return report(o);
}

void bench_lost(const char *text)
{
    message_print("bench", "%s", text);
}

int bench_main(int argc, char **argv)
{
    bench_command c;
    int status = dist_start();

    if (status == DIST_OK) {
        interrupt_install();
        message_keep();
        c.parsed = bench_options_parse(argc, argv, &c.options);
        status = dist_run(body, &c, BENCH_TIMEOUT, bench_lost);
    }
    if (status < 0) {
        if (dist_rank() == 0) {
            message_print("bench", "%s", dist_strerror(status));
        }
        status = EXIT_RUNTIME;
    }
    dist_stop();
    return status;
}
