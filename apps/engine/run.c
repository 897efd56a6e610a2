/*
 * run.c - engine_run_plan() and engine_estimate_plan(): one job on all ranks.
 *
 * Every rank takes the same steps.  The ranks check that they have the same job, open their
 * backends, and make the file or estimate it.
 */
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/job.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/try.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool alone; /* the last job failed on this rank, and not on others */

int engine_start(void)
{
    const int status = dist_start();

    return status == DIST_OK ? ENGINE_OK : engine_fail("%s", dist_strerror(status));
}

void engine_stop(void)
{
    if (alone) {
        edgefile_abandon();
        dist_abort(1);
    }
    dist_stop();
}

int engine_rank(void)
{
    return dist_rank();
}

int engine_ranks(void)
{
    return dist_size();
}

/* A job that all ranks were given alike, with the backend that makes its edges here and what
 * describes its file. */
typedef struct {
    engine_backend backend;
    model_attrs attrs;
    graphfile_spec spec; /* points to attrs */
    engine_work work;    /* points to all of them */
} prepared;

/* Collective.  finish() in either case. */
static int prepare(prepared *x, const engine_plan *p, char command[ENGINE_COMMAND], bool dry_run)
{
    const engine_job *job = &p->job;

    x->backend.gen = NULL;
    model_attrs_of_plan(&x->attrs, p, job->format, p->graph_edges,
                        job->edges << job->model.symmetrize);
    x->spec = (graphfile_spec){.format = job->format,
                               .graph = p->graph,
                               .replace = job->replace,
                               .comment = x->attrs.command,
                               .group = rank_group(),
                               .attrs = x->attrs.list,
                               .n_attrs = x->attrs.n,
                               .buffered = job->buffered,
                               .unaligned = p->way != ENGINE_LIST};
    snprintf(command, ENGINE_COMMAND, "%s%s%s", x->attrs.command, p->foreign ? " --format " : "",
             p->foreign ? graphfile_names[job->format] : "");
    x->work =
        (engine_work){.plan = p, .backend = &x->backend, .spec = &x->spec, .file = job->output};
    RMAT_OR_RETURN(engine_same_job(job, command, dry_run));
    RMAT_OR_RETURN(engine_agree(engine_backend_open(&x->backend, p)));
    engine_warn(&job->watch, x->backend.warning);
    return ENGINE_OK;
}

/* Bytes of the GPU's memory, if it is used, with those of the intervals. */
static uint64_t device_bytes(const engine_backend *b, uint64_t interval_bytes)
{
    return b->used == RMAT_BACKEND_GPU ? pipeline_gpu_bytes(&b->buffers) + interval_bytes : 0;
}

/* The libraries can only say that a source failed; the source knows why. */
static int finish(prepared *x, const engine_source *source, int status)
{
    rmat_destroy(x->backend.gen);
    if (source != NULL && source->error != NULL &&
        (status == ENGINE_ERR_RUN || status == ENGINE_ERR_RANK)) {
        const char *why = source->error(source->edges.state);

        if (*why != '\0') {
            engine_set_detail("", why);
        }
    }
    alone = status == ENGINE_ERR_RANK || (status == ENGINE_STOPPED && dist_size() > 1);
    return status;
}

int engine_run_plan(const engine_plan *p, const engine_sink *sink, engine_result *result)
{
    static int (*const ways[])(engine_work *) = {[ENGINE_LIST] = engine_write_list,
                                                 [ENGINE_SORTED] = engine_write_sorted,
                                                 [ENGINE_CONVERTED] = engine_write_converted};
    const double start = clock_seconds();
    uint64_t sums[2];
    prepared x;
    int status;

    *result = (engine_result){.threads = p->job.threads};
    status = prepare(&x, p, result->command, false);
    if (status == ENGINE_OK) {
        x.work.sink = sink;
        x.work.result = result;
        status = ways[p->way](&x.work);
    }
    if (status == ENGINE_OK) {
        const engine_backend *b = &x.backend;

        result->chunk = b->buffers.chunk;
        result->buffer_bytes = pipeline_buffer_bytes(&b->buffers);
        result->device_bytes = device_bytes(b, result->interval_bytes);
        result->backend = b->used;
        result->device = b->device;
        result->isa = b->isa;
        result->seconds = clock_seconds() - start;
        sums[0] = b->used == RMAT_BACKEND_GPU;
        sums[1] = sums[0] ? 0 : (uint64_t)p->job.threads;
        dist_sum(sums, 2);
        result->totals =
            (engine_totals){dist_size(), dist_host_count(), (int)sums[0], (int)sums[1]};
    }
    return finish(&x, p->job.source, status);
}

int engine_run(const engine_job *job, const engine_sink *sink, engine_result *result)
{
    engine_plan plan;

    RMAT_OR_RETURN(engine_start());
    RMAT_OR_RETURN(engine_agree(engine_make_plan(&plan, job)));
    return engine_run_plan(&plan, sink, result);
}

int engine_check_output(const engine_job *job, uint64_t bytes)
{
    const bool absolute = dist_size() > 1;
    char weights[PATH_MAX];
    int status = EDGEFILE_OK;

    if (dist_rank() == 0 && strcmp(job->output, "-") != 0) {
        status = edgefile_could_create(job->output, absolute, job->replace, bytes);
        if (status == EDGEFILE_OK &&
            graphfile_table[job->format]->traits & GRAPHFILE_WEIGHTS_APART) {
            snprintf(weights, sizeof weights, "%s" GRAPHFILE_WEIGHTS, job->output);
            status = edgefile_could_create(weights, absolute, job->replace, 0);
        }
    }
    return engine_agree(engine_file_status(status));
}

/* The intervals and buffers of a sorted graph on this rank. */
static int plan_sorted(engine_estimate *e, const engine_plan *p, engine_backend *b)
{
    sorted_plan plan;
    const int status = sorted_make_plan(&plan, p, b, false);

    rmat_sample_destroy(plan.sample);
    e->stream_edges = plan.stream_edges;
    e->passes = (plan.passes + plan.counting) / plan.per_stream;
    e->counting_passes = plan.counting / plan.per_stream;
    e->intervals = plan.passes;
    e->intervals_at_once = plan.intervals;
    e->interval_bytes = (uint64_t)plan.intervals * plan.interval_bytes;
    e->interval_edges = plan.interval_edges;
    return status;
}

int engine_estimate_plan(const engine_plan *p, engine_estimate *e)
{
    const engine_job *job = &p->job;
    graphfile_spec sorted;
    struct stat st;
    prepared x;
    int status;

    *e = (engine_estimate){.bytes = 0};
    status = prepare(&x, p, e->command, true);
    if (status == ENGINE_OK) {
        status = p->way == ENGINE_LIST ? engine_plan_list_buffers(p, &x.backend, false)
                                       : plan_sorted(e, p, &x.backend);
    }
    if (status == ENGINE_OK) {
        sorted = engine_sorted_spec(p, &x.spec);
        e->backend = x.backend.used;
        e->device = x.backend.device;
        e->buffers = x.backend.buffers;
        e->device_bytes = device_bytes(&x.backend, e->interval_bytes);
        e->sorted_bytes = p->way == ENGINE_CONVERTED ? graphfile_most_bytes(&sorted, NULL) : 0;
        e->bytes = graphfile_most_bytes(&x.spec, &e->exact);
        e->exists = strcmp(job->output, "-") != 0 && stat(job->output, &st) == 0;
        status = engine_check_output(job, e->bytes + e->sorted_bytes);
    } else {
        e->command[0] = '\0';
    }
    return finish(&x, job->source, status);
}

/* Checks the fingerprint of a source if the job does not change its edges.  Collective. */
static int check_source(const engine_work *work)
{
    const engine_plan *p = work->plan;
    const engine_source *s = p->job.source;
    uint64_t made = work->result->fingerprint;

    if (s == NULL || s->check == NULL || !p->graph_edges_known ||
        !rmat_is_as_drawn(&p->job.model)) {
        return ENGINE_OK;
    }
    dist_sum(&made, 1);
    return s->check(s->edges.state, made) == 0 ? ENGINE_OK
                                               : engine_fail("%s", rmat_strerror(RMAT_ERR_SOURCE));
}

int engine_end_file(graphfile_writer **writer, const engine_work *work, int status)
{
    const double start = clock_seconds();
    engine_result *result = work->result;
    graphfile_committed done = {.bytes = 0};

    if (*writer == NULL) {
        return status;
    }
    if (status == ENGINE_OK) {
        status = check_source(work);
    }
    if (status == ENGINE_OK) { /* then the status is the same on all ranks, and so is its text */
        status = engine_file_status(graphfile_commit(writer, &done));
    }
    if (status != ENGINE_ERR_RANK) { /* else edgefile_abandon() removes what is there */
        graphfile_abort(writer);
    }
    result->commit_seconds = clock_seconds() - start;
    result->file_bytes = done.bytes;
    if (graphfile_table[work->spec->format]->traits & GRAPHFILE_EDGEFILE) {
        result->fingerprint = done.fingerprint;
    }
    return status;
}
