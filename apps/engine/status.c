/* What went wrong in the last call of the engine, kept for each thread; how far a job is (meter.h);
 * what all ranks did together (run.h). */
#include "apps/engine/status.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "apps/engine/engine.h"
#include "apps/engine/meter.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/run.h"
#include "mpi/dist.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char detail[ENGINE_TEXT];
static _Thread_local char field[ENGINE_FIELD];
static _Thread_local int stop_reason;
static _Thread_local char warning[ENGINE_TEXT];

int engine_fail(const char *format, ...)
{
    char text[ENGINE_TEXT]; /* an argument may be the detail itself */
    va_list arguments;

    va_start(arguments, format);
    message_format(text, sizeof text, format, arguments);
    va_end(arguments);
    engine_set_detail("", text);
    return ENGINE_ERR_RUN;
}

int engine_refuse(const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message_format(detail, sizeof detail, format, arguments);
    va_end(arguments);
    snprintf(field, sizeof field, "%s", name);
    return ENGINE_ERR_JOB;
}

void engine_set_detail(const char *name, const char *text)
{
    snprintf(detail, sizeof detail, "%s", text);
    snprintf(field, sizeof field, "%s", name);
}

int engine_fail_file(int status)
{
    engine_set_detail(status == EDGEFILE_ERR_EXISTS ? "replace" : "", edgefile_detail());
    return ENGINE_ERR_RUN;
}

int engine_fail_graphfile(int status)
{
    return status == EDGEFILE_ERR_PEER ? engine_fail("%s", "") : engine_fail_file(status);
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

void engine_note_warning(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
}

void engine_take_warning(char text[ENGINE_TEXT])
{
    snprintf(text, ENGINE_TEXT, "%s", warning);
    warning[0] = '\0';
}

const char *engine_detail(void)
{
    return detail;
}

const char *engine_field(void)
{
    return field;
}

/* How far a job is: steps of work into a share of the whole. */

engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes)
{
    return (engine_meter){
        .watch = watch, .now = {phase, 0, 0, edges, edge_bytes}, .work = (double)edges};
}

double engine_edge_bytes(const graphfile_graph *g, graphfile_format format)
{
    const bool weights =
        g->weight != EDGEFILE_NO_WEIGHT && graphfile_table[format]->traits & GRAPHFILE_HAS_WEIGHTS;
    double digits = 1;

    if (graphfile_table[format]->traits & GRAPHFILE_TEXT) {
        for (uint64_t v = g->rows; v >= 10; v /= 10) {
            digits++;
        }
        return 2 * digits + 2 + (!weights ? 0 : g->weight == EDGEFILE_WEIGHT_F32 ? 11 : 4);
    }
    if (format == GRAPHFILE_CSR) {
        return g->id_bytes + (weights ? 4 : 0) +
               8 * (double)g->rows / (double)(g->edges > 0 ? g->edges : 1);
    }
    return 2 * g->id_bytes + (weights ? 4 : 0);
}

int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges)
{
    double share = meter->work > 0 ? (meter->before + steps) / meter->work : 1;

    if (meter->watch == NULL || meter->watch->tick == NULL) {
        return 0;
    }
    meter->now.share = share < 1 ? share : 1;
    meter->now.done = edges;
    meter->stopped = meter->watch->tick(meter->watch->state, &meter->now);
    return meter->stopped;
}

/* What the ranks have done, gathered for the summary. */

/* Of one rank. */
typedef struct {
    uint64_t edges;
    double seconds;
    uint64_t gpu; /* a number for the GPU that was used, 0: none */
    int threads;  /* 0: the CPU made nothing */
} report;

/* The same GPU has the same number on all ranks of its host, whatever each may call it. */
static uint64_t gpu_number(int device)
{
    char host[256] = "", why[DEVICES_TEXT];
    device_gpu gpu = {.bus = (uint64_t)device};
    uint64_t hash = 14695981039346656037u;

    gethostname(host, sizeof host - 1);
    for (const char *s = host; *s != '\0'; s++) {
        hash = (hash ^ (unsigned char)*s) * 1099511628211u;
    }
    devices_gpu(device, &gpu, why);
    return (hash ^ gpu.bus) * 1099511628211u | 1;
}

static int compare_gpus(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts the numbers. */
static int count_distinct(uint64_t *numbers, int n)
{
    int distinct = 0;

    qsort(numbers, (size_t)n, sizeof *numbers, compare_gpus);
    for (int i = 0; i < n; i++) {
        distinct += i == 0 || numbers[i] != numbers[i - 1];
    }
    return distinct;
}

static double rate(const engine_share *s)
{
    return s->seconds > 0 ? (double)s->edges / s->seconds : 0;
}

static void add_up(engine_totals *t, const report *reports, uint64_t *gpus)
{
    for (int i = 0; i < t->ranks; i++) {
        const report *r = &reports[i];
        engine_share share = {i, r->edges, r->seconds};

        t->threads += r->threads;
        if (r->gpu != 0) {
            gpus[t->gpu_ranks++] = r->gpu;
        }
        if (r->edges > 0 && (t->fastest.edges == 0 || rate(&share) > rate(&t->fastest))) {
            t->fastest = share;
        }
        if (r->edges > 0 && (t->slowest.edges == 0 || rate(&share) < rate(&t->slowest))) {
            t->slowest = share;
        }
    }
    t->gpus = count_distinct(gpus, t->gpu_ranks);
}

void engine_sum_up(engine_totals *t, const engine_result *s)
{
    bool gpu = s->backend == RMAT_BACKEND_GPU;
    report mine = {.edges = s->rank_edges,
                   .seconds = s->stream_seconds,
                   .gpu = gpu ? gpu_number(s->device) : 0,
                   .threads = gpu ? 0 : s->threads};
    report *reports = calloc((size_t)dist_size(), sizeof *reports);
    uint64_t *gpus = calloc((size_t)dist_size(), sizeof *gpus), missing;

    memset(t, 0, sizeof *t);
    t->ranks = dist_size();
    t->hosts = dist_host_count();
    missing = reports == NULL || gpus == NULL;
    dist_sum(&missing, 1);
    if (missing == 0) {
        dist_gather(&mine, sizeof mine, reports);
        add_up(t, reports, gpus);
    }
    free(reports);
    free(gpus);
}
