/*
 * rmat bench --part ranks: the rate of several processes together, beside the rate of one of them
 * alone.
 *
 * Ranks may differ in --backend, --threads and --edges (mpirun a : b); the other options of rank 0
 * apply to all.
 */
#include "apps/bench/ranks.h"
#include "apps/bench/command.h"
#include "apps/common/cpu.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/whole_file.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ranks_agree(int status)
{
    char text[MESSAGE_TEXT] = "";

    if (status == EXIT_OK && interrupt_signal() != 0) {
        status = bench_stopped();
    }
    if (status != EXIT_OK) {
        message_take(text);
    }
    if (status == EXIT_RUNTIME && strncmp(text, "rank ", 5) != 0) { /* edge files say it */
        rank_name(text, sizeof text);
    }
    status = dist_agree(status, text, sizeof text, NULL);
    if (status != EXIT_OK && dist_rank() == 0) {
        message_print("bench", "%s", text);
    }
    return status;
}

static int open_generator(ranks_job *r)
{
    char why[DEVICES_TEXT] = "";
    int gpus = r->job->o->backend == RMAT_BACKEND_CPU ? 0 : devices_gpus(why);
    rmat_config config;

    if (gpus == 0 && r->job->o->backend == RMAT_BACKEND_GPU) {
        return runtime_error("bench", "--backend gpu: no GPU can be used: %s", why);
    }
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = r->scale;
    config.threads = 1;
    config.backend = gpus > 0 ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    r->maker.gpu = gpus > 0;
    if (gpus > 0) { /* they are dealt out to the ranks of a host */
        r->device = config.device = dist_local_rank() % gpus;
    }
    return bench_failed(rmat_create(&r->maker.gen, &config));
}

typedef struct {
    char host[128], cpu[128], gpu[DEVICES_TEXT];
    int threads, device;
} rank_info;

static rank_info describe(const ranks_job *r)
{
    rank_info me = {.threads = r->job->threads, .device = r->device};
    char why[DEVICES_TEXT];
    device_gpu gpu;

    cpu_model(me.cpu, sizeof me.cpu);
    gethostname(me.host, sizeof me.host - 1);
    if (r->device >= 0 && devices_gpu(r->device, &gpu, why)) {
        memcpy(me.gpu, gpu.name, sizeof me.gpu);
    }
    return me;
}

/* Which ranks there are: the head of the table, and of the JSON object. */
static void print_ranks(const ranks_job *r, const rank_info *all)
{
    const bench_job *job = r->job;
    json_object ranks;

    fprintf(job->table, "%d rank%s on %d host%s, scale %d, %d-bit ids, median of %d\n", dist_size(),
            dist_size() > 1 ? "s" : "", dist_host_count(), dist_host_count() > 1 ? "s" : "",
            r->scale, 8 * r->maker.id_bytes, (int)job->o->runs);
    json_string(job->json, "version", rmat_version());
    json_string(job->json, "mpi", dist_library());
    json_u64(job->json, "hosts", (uint64_t)dist_host_count());
    json_u64(job->json, "scale", (uint64_t)r->scale);
    json_u64(job->json, "id_bits", 8 * (uint64_t)r->maker.id_bytes);
    json_u64(job->json, "turns", job->o->runs);
    json_key(job->json, "machine");
    bench_machine_json(job->json->stream);
    json_array_begin(&ranks, job->json, "ranks");
    for (int i = 0; i < dist_size(); i++) {
        const rank_info *rank = &all[i];
        json_object o;

        if (i < RANKS_ALONE) {
            fprintf(job->table, "  %d: %s, %d thread%s%s%s%s\n", i, rank->host, rank->threads,
                    rank->threads > 1 ? "s" : "", *rank->gpu ? ", " : "", rank->gpu,
                    i + 1 == RANKS_ALONE && i + 1 < dist_size() ? ", ..." : "");
        }
        json_object_begin(&o, &ranks, NULL);
        json_string(&o, "host", rank->host);
        json_string(&o, "cpu", rank->cpu);
        json_u64(&o, "threads", (uint64_t)rank->threads);
        if (*rank->gpu != '\0') {
            json_string(&o, "gpu", rank->gpu);
            json_u64(&o, "device", (uint64_t)rank->device);
        }
        json_object_end(&o);
    }
    json_array_end(&ranks);
}

static int measure(ranks_job *r)
{
    static int (*const parts[])(const ranks_job *) = {ranks_memory, ranks_host, ranks_file};
    const int part = r->job->o->part;
    const int first = part == PART_RANKS ? 0 : part - PART_RANKS_MEMORY;
    const int last = part == PART_RANKS ? 2 : first, ranks = dist_size();
    const double rounds = (double)r->job->o->runs * (ranks < RANKS_ALONE ? ranks + 1 : RANKS_ALONE);
    rank_info *all = calloc((size_t)ranks, sizeof *all), me = describe(r);
    int status = ranks_agree(all != NULL ? EXIT_OK : bench_failed(RMAT_ERR_NOMEM));

    if (status == EXIT_OK) {
        dist_gather(&me, sizeof me, all);
        print_ranks(r, all);
        if (first < 2) {
            fprintf(r->job->table, "%-8s %17s %17s  efficiency\n", "", "one rank", "all ranks");
        }
    }
    free(all);
    r->slice = (double)r->job->o->seconds / rounds / (part == PART_RANKS ? 2 : 1);
    for (int p = first; p <= last && status == EXIT_OK; p++) {
        status = parts[p](r);
    }
    return status;
}

/* Rank 0 writes the report when all is measured; the others have theirs go to `nowhere`. */
static int report(const bench_options *o, FILE *nowhere)
{
    const bool first = dist_rank() == 0;
    const int scale = o->scales.item[0];
    bool wide = o->id_bits == 2 || (o->id_bits == 0 && scale > 32);
    json_object object;
    bench_job job = {.o = o,
                     .threads = o->threads > 0 ? (int)o->threads : dist_processors(),
                     .table = nowhere,
                     .json = &object};
    ranks_job r = {.job = &job, .device = -1, .scale = scale};
    whole_file json = {0};
    int status = EXIT_OK, closed = EXIT_OK;
    bool opened = false;

    r.maker = (bench_maker){.threads = job.threads, .id_bytes = wide ? 8 : 4};
    if (first) {
        status = whole_file_open(&json, "bench", "json", o->json, o->force, NULL);
        opened = status == EXIT_OK;
        job.table = o->json != NULL && strcmp(o->json, "-") == 0 ? nowhere : stdout;
    }
    status = ranks_agree(status);
    json_begin(&object, json.stream != NULL ? json.stream : nowhere);
    if (status == EXIT_OK) {
        status = ranks_agree(open_generator(&r));
    }
    if (status == EXIT_OK) {
        status = measure(&r);
    }
    json_end(&object);
    rmat_destroy(r.maker.gen);
    if (opened) {
        closed = whole_file_close(&json, status);
    }
    return status == EXIT_OK ? ranks_agree(closed) : status;
}

typedef struct {
    bench_options options;
    int parsed; /* what bench_options_parse() returned */
} ranks_command;

/* What all ranks have to agree on: as rank 0 was told. */
typedef struct {
    bench_options options;
    char dir[PATH_MAX];
} common_options;

static void share(bench_options *o, common_options *common)
{
    const bench_options mine = *o;

    common->options = mine;
    snprintf(common->dir, sizeof common->dir, "%s", mine.dir);
    dist_broadcast(common, sizeof *common);
    *o = common->options;
    o->dir = common->dir;
    o->json = mine.json;
    o->backend = mine.backend;
    o->threads = mine.threads;
    o->edges = mine.edges;
    o->runs = o->runs > 0 ? o->runs : BENCH_USUAL_RUNS;
    o->size = o->size > 0 ? o->size : (uint64_t)1 << 30;
}

static int body(void *argument)
{
    ranks_command *c = argument;
    bench_options *o = &c->options;
    common_options common = {.dir = ""};
    FILE *nowhere;
    int status = ranks_agree(c->parsed);

    if (status != EXIT_OK || o->help) {
        if (status == EXIT_OK && dist_rank() == 0) {
            options_help(&bench_command_line, stdout);
        }
        return status;
    }
    share(o, &common);
    if (o->part < PART_RANKS) {
        return ranks_agree(usage_error("bench",
                                       "--part: '%s' given on %d ranks, allowed: ranks, "
                                       "ranks-memory, ranks-host, ranks-file",
                                       bench_part_names[o->part], dist_size()));
    }
    nowhere = fopen("/dev/null", "w");
    status = ranks_agree(
        nowhere != NULL ? EXIT_OK : runtime_error("bench", "/dev/null: %s", strerror(errno)));
    if (status == EXIT_OK) {
        status = report(o, nowhere);
    }
    if (nowhere != NULL) {
        fclose(nowhere);
    }
    return status;
}

static void lost(const char *text)
{
    message_print("bench", "%s", text);
}

int bench_ranks(const bench_options *o, int parsed)
{
    ranks_command c = {*o, parsed};
    int status;

    interrupt_install();
    message_keep();
    status = dist_run(body, &c, RANKS_TIMEOUT, lost);
    if (status < 0) {
        message_print("bench", "%s", dist_strerror(status));
        status = EXIT_RUNTIME;
    }
    return status;
}
