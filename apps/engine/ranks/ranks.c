/* What the ranks of one job agree on: failures, warnings, the job itself. */
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int engine_agree(int status)
{
    char text[ENGINE_TEXT] = "", field[ENGINE_FIELD] = "";

    if (status == ENGINE_ERR_RANK || status == ENGINE_STOPPED) {
        return status;
    }
    if (status != ENGINE_OK) {
        snprintf(text, sizeof text, "%s", engine_detail());
        snprintf(field, sizeof field, "%s", engine_field());
    }
    if (status == ENGINE_ERR_RUN && *text != '\0') {
        rank_name(text, sizeof text);
    }
    if (dist_agree(status, field, sizeof field) == ENGINE_OK) {
        return ENGINE_OK;
    }
    status = dist_agree(status, text, sizeof text);
    engine_set_detail(field, text);
    return status;
}

int engine_own(int status)
{
    char text[ENGINE_TEXT];

    if (status != ENGINE_ERR_RUN || dist_size() == 1) {
        return status;
    }
    snprintf(text, sizeof text, "%s", engine_detail());
    rank_name(text, sizeof text);
    engine_set_detail("", text);
    return ENGINE_ERR_RANK;
}

void engine_share_warning(const engine_watch *watch)
{
    char text[ENGINE_TEXT];
    uint64_t ranks;
    size_t used;

    engine_take_warning(text);
    ranks = text[0] != '\0';
    dist_sum(&ranks, 1);
    if (ranks == 0) {
        return;
    }
    if (text[0] != '\0') {
        rank_name(text, sizeof text);
    }
    dist_agree(text[0] != '\0', text, sizeof text);
    used = strlen(text);
    if (ranks > 1) {
        snprintf(text + used, sizeof text - used, "; likewise on %" PRIu64 " more rank%s",
                 ranks - 1, ranks == 2 ? "" : "s");
    }
    if (dist_rank() == 0 && watch->warn != NULL) {
        watch->warn(watch->state, text);
    }
}

enum { SAME_ITEMS = 6, SAME_TEXT = 4096 };

int engine_same_job(const engine_job *job, const char *command, bool dry_run)
{
    static const char *const names[SAME_ITEMS] = {"version", "graph",   "output",
                                                  "dry_run", "replace", "base"};
    const char *mine[SAME_ITEMS] = {rmat_version(),
                                    command,
                                    job->output,
                                    dry_run ? "given" : "not given",
                                    job->replace ? "given" : "not given",
                                    job->base == 0 ? "0" : "1"};
    static char first[SAME_ITEMS][SAME_TEXT]; /* rank 0's, and so are the levels */
    rmat_matrix levels[RMAT_MAX_SCALE] = {0}, own[RMAT_MAX_SCALE] = {0};
    const int rows = job->model.rows_scale, cols = job->model.cols_scale;
    int status = ENGINE_OK;

    for (int i = 0; i < SAME_ITEMS; i++) {
        snprintf(first[i], SAME_TEXT, "%s", mine[i]);
    }
    dist_broadcast(first, sizeof first);
    for (int i = 0; i < (rows > cols ? rows : cols) && job->model.levels != NULL; i++) {
        own[i] = job->model.levels[i];
    }
    memcpy(levels, own, sizeof levels);
    dist_broadcast(levels, sizeof levels);
    for (int i = 0; i < SAME_ITEMS && status == ENGINE_OK; i++) {
        if (strncmp(first[i], mine[i], SAME_TEXT - 1) != 0) {
            status = engine_refuse(names[i],
                                   "'%s' on rank %d, '%s' on rank 0, allowed: the same on all "
                                   "ranks",
                                   mine[i], dist_rank(), first[i]);
        }
    }
    /* The command says FILE, whatever the matrices. */
    if (status == ENGINE_OK && memcmp(levels, own, sizeof levels) != 0) {
        status = engine_refuse("level_matrices",
                               "rank %d has other matrices than rank 0, allowed: the same on all "
                               "ranks",
                               dist_rank());
    }
    return engine_agree(status);
}

/* The ranks of the job as the callbacks that edgefile.h wants of processes that write together. */

void rank_name(char *text, size_t size)
{
    char host[256] = "?", name[300];
    size_t length;

    if (dist_size() == 1) {
        return;
    }
    gethostname(host, sizeof host - 1);
    length = (size_t)snprintf(name, sizeof name, "rank %d on host %s: ", dist_rank(), host);
    if (length < size) {
        size_t rest = strnlen(text, size - length - 1);

        memmove(text + length, text, rest);
        text[length + rest] = '\0';
        memcpy(text, name, length);
    }
}

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

static int agree(void *state, int status, char *detail, size_t size)
{
    (void)state;
    if (status != EDGEFILE_OK) {
        rank_name(detail, size);
    }
    return dist_agree(status, detail, size);
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

/* The edges of one file shared out to the ranks of the job. */

static int next_rank_span(void *state, pipeline *p, pipeline_span *span)
{
    (void)state;
    (void)p;
    span->kind = PIPELINE_EDGES;
    return dist_work_next(&span->first, &span->count);
}

const pipeline_source rank_work_source = {next_rank_span, NULL};

int rank_work_begin(uint64_t edges, int id_bytes, edgefile_weight weight, char *text, size_t size)
{
    int ranks = dist_size(), status;
    uint64_t *starts = malloc(((size_t)ranks + 1) * sizeof *starts), count;

    snprintf(text, size, "%s", starts != NULL ? "" : "memory is exhausted");
    status = dist_agree(starts != NULL ? 0 : -1, text, size);
    if (status == 0) {
        for (int k = 0; k < ranks; k++) {
            edgefile_split(edges, id_bytes, weight, ranks, k, &starts[k], &count);
        }
        starts[ranks] = edges;
        status = dist_work_begin(starts, edgefile_unit(edges, id_bytes, weight), 1);
        snprintf(text, size, "%s", dist_strerror(status));
    }
    free(starts);
    return status;
}
