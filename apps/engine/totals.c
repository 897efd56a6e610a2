/* What the ranks have done, gathered for the summary. */
#include "apps/common/devices.h"
#include "apps/engine/ranks/rank_group.h"
#include "apps/engine/run.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of one rank. */
typedef struct {
    uint64_t edges;
    double seconds;
    uint64_t gpu; /* a number for the GPU that was used, 0: none */
    int threads;  /* 0: the CPU made nothing */
    int fell_back, gpu_failed;
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

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts the numbers. */
static int count_distinct(uint64_t *numbers, int n)
{
    int distinct = 0;

    qsort(numbers, (size_t)n, sizeof *numbers, compare);
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
        t->fell_back += r->fell_back;
        t->gpu_failed += r->gpu_failed;
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
                   .threads = !gpu || s->fell_back ? s->threads : 0,
                   .fell_back = s->fell_back,
                   .gpu_failed = s->gpu_failed[0] != '\0'};
    report *reports = calloc((size_t)dist_size(), sizeof *reports);
    uint64_t *gpus = calloc((size_t)dist_size(), sizeof *gpus), missing;

    memset(t, 0, sizeof *t);
    t->ranks = dist_size();
    t->hosts = dist_host_count();
    snprintf(t->gpu_failed_text, sizeof t->gpu_failed_text, "%s", s->gpu_failed);
    if (mine.gpu_failed) {
        rank_name(t->gpu_failed_text, sizeof t->gpu_failed_text);
    }
    dist_agree(mine.gpu_failed, t->gpu_failed_text, sizeof t->gpu_failed_text, NULL);
    missing = reports == NULL || gpus == NULL;
    dist_sum(&missing, 1);
    if (missing == 0) {
        dist_gather(&mine, sizeof mine, reports);
        add_up(t, reports, gpus);
    }
    free(reports);
    free(gpus);
}
