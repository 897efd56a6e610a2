/* status.c - the last failure of each thread, the progress of a job, and agreement between the
 * ranks of a job on failures, warnings and the job itself. */
#include "apps/common/message.h"
#include "apps/engine/job.h"
#include "mpi/dist.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local struct {
    char field[32], detail[ENGINE_TEXT];
} last;
static _Thread_local int stop_reason;

void engine_set_detail(const char *field, const char *text)
{
    snprintf(last.detail, sizeof last.detail, "%s", text);
    snprintf(last.field, sizeof last.field, "%s", field);
}

int engine_say(int status, const char *field, const char *format, ...)
{
    char text[ENGINE_TEXT]; /* an argument may be the detail itself */
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    engine_set_detail(field, text);
    return status;
}

int engine_file_status(int status)
{
    if (status == EDGEFILE_OK) {
        return ENGINE_OK;
    }
    engine_set_detail(status == EDGEFILE_ERR_EXISTS ? "replace" : "",
                      status == EDGEFILE_ERR_PEER ? "" : edgefile_detail());
    return ENGINE_ERR_RUN;
}

int engine_stop_with(int reason)
{
    engine_set_detail("", "stopped");
    stop_reason = reason;
    return ENGINE_STOPPED;
}

int engine_stop_reason(void)
{
    return stop_reason;
}

const char *engine_detail(void)
{
    return last.detail;
}

const char *engine_field(void)
{
    return last.field;
}

/* How far a job is: steps of work into a share of the whole. */

engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes)
{
    return (engine_meter){
        .watch = watch, .now = {phase, 0, 0, edges, edge_bytes}, .work = (double)edges};
}

double engine_edge_bytes(const graphfile_spec *spec)
{
    const uint64_t edges = spec->graph.edges > 0 ? spec->graph.edges : 1;

    return (double)graphfile_most_bytes(spec, NULL) / (double)edges;
}

int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges)
{
    double share = meter->work > 0 ? (meter->before + steps) / meter->work : 1;
    int reason;

    if (meter->watch == NULL || meter->watch->tick == NULL) {
        return ENGINE_OK;
    }
    meter->now.share = share < 1 ? share : 1;
    meter->now.done = edges;
    reason = meter->watch->tick(meter->watch->state, &meter->now);
    return reason != 0 ? engine_stop_with(reason) : ENGINE_OK;
}

/* The ranks. */

void engine_prefix_rank(char *text, size_t size)
{
    char host[256] = "?", rest[2 * ENGINE_TEXT];

    if (dist_size() > 1) {
        gethostname(host, sizeof host - 1);
        snprintf(rest, sizeof rest, "%s", text);
        snprintf(text, size, "rank %d on host %s: ", dist_rank(), host);
        text_append(text, size, "%s", rest);
    }
}

int engine_agree(int status)
{
    if (status == ENGINE_ERR_RANK || status == ENGINE_STOPPED) {
        return status;
    }
    if (status == ENGINE_ERR_RUN && last.detail[0] != '\0') {
        engine_prefix_rank(last.detail, sizeof last.detail);
    }
    return dist_agree(status, (char *)&last, sizeof last);
}

int engine_rank_status(int status)
{
    if (status != ENGINE_ERR_RUN || dist_size() == 1) {
        return status;
    }
    engine_prefix_rank(last.detail, sizeof last.detail);
    last.field[0] = '\0';
    return ENGINE_ERR_RANK;
}

void engine_warn(const engine_watch *watch, const char *warning)
{
    char text[ENGINE_TEXT];

    snprintf(text, sizeof text, "%s", warning);
    if (text[0] != '\0') {
        engine_prefix_rank(text, sizeof text);
    }
    if (dist_agree(text[0] != '\0', text, sizeof text) != 0 && dist_rank() == 0 &&
        watch->warn != NULL) {
        watch->warn(watch->state, text);
    }
}

int engine_same_job(const engine_job *job, const char *command, bool dry_run)
{
    const rmat_config *m = &job->model;
    const int levels = m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale;
    const unsigned char *bytes = (const unsigned char *)m->levels;
    char mine[2 * ENGINE_TEXT], first[2 * ENGINE_TEXT] = "";
    uint64_t hash =
        14695981039346656037u; /* FNV-1a: the command says FILE, whatever the matrices */

    if (dist_size() == 1) {
        return ENGINE_OK;
    }
    for (size_t i = 0; bytes != NULL && i < (size_t)levels * sizeof *m->levels; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    snprintf(mine, sizeof mine, "%s%s%s --output %s", command, job->replace ? " --force" : "",
             dry_run ? " --dry-run" : "", job->output);
    if (bytes != NULL) {
        text_append(mine, sizeof mine, " (FILE: 0x%016" PRIx64 ")", hash);
    }
    text_append(mine, sizeof mine, " by rmat %s", rmat_version());
    memcpy(first, mine, sizeof first);
    dist_broadcast(first, sizeof first);
    return engine_agree(strcmp(first, mine) == 0
                            ? ENGINE_OK
                            : engine_refuse("graph",
                                            "'%s' on rank %d, '%s' on rank 0, allowed: the same on "
                                            "all ranks",
                                            mine, dist_rank(), first));
}

/* The ranks of the job as the callbacks that edgefile.h wants of processes that write together. */

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

static int agree(void *state, int status, char *text, size_t size)
{
    (void)state;
    if (status != EDGEFILE_OK) {
        engine_prefix_rank(text, size);
    }
    return dist_agree(status, text, size);
}

/* From here on the file may get its name at any time: what asks to stop comes too late. */
static void publishing(void *state)
{
    (void)state;
    dist_hold_poll(1);
}

const edgefile_group *rank_group(void)
{
    static edgefile_group group;

    if (dist_size() == 1) {
        return NULL;
    }
    group = (edgefile_group){.rank = dist_rank(),
                             .size = dist_size(),
                             .hosts = dist_host_count(),
                             .broadcast = broadcast,
                             .sum = sum,
                             .agree = agree,
                             .publishing = publishing};
    return &group;
}
