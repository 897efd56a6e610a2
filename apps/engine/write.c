/*
 * engine_start(), engine_write_file() and engine_estimate_file(): one job on all ranks.
 *
 * Every rank does the same: the ranks agree that they were given the same job, open their backends,
 * and make the file, or find out what making it would take.
 */
#include "apps/common/clock.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/estimate.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/resume.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    engine_job job;
    engine_result *result;       /* of a run, or: */
    const engine_target *target; /* of a run without a file, else NULL */
    engine_estimate *estimate;   /* of a dry run */
} call;

static bool started;

int engine_start(void)
{
    int status = DIST_OK;

    if (!started) {
        status = dist_start();
        started = status == DIST_OK;
    }
    return status == DIST_OK ? ENGINE_OK : engine_fail("%s", dist_strerror(status));
}

void engine_stop(void)
{
    dist_stop();
    started = false;
}

int engine_rank(void)
{
    return dist_rank();
}

int engine_ranks(void)
{
    return dist_size();
}

static void tell_backend(engine_result *r, const engine_backend *b)
{
    r->backend = b->used;
    r->device = b->device;
    r->device_bytes = b->device_bytes;
    r->isa = b->isa;
}

static int write_it(call *c, engine_backend *backend, const graphfile_spec *spec, double start)
{
    engine_run run = {.job = &c->job,
                      .backend = backend,
                      .spec = spec,
                      .file = c->job.output,
                      .target = c->target,
                      .result = c->result};
    int status = engine_is_converted(&c->job) ? engine_write_converted(&run)
                 : engine_sorts(&c->job)      ? engine_write_sorted(&run)
                                              : engine_write_list(&run);

    if (status == ENGINE_OK) {
        engine_share_warning(&c->job.watch);
        tell_backend(c->result, backend);
        c->result->threads = c->job.threads;
        c->result->seconds = clock_seconds() - start;
        engine_sum_up(&c->result->totals, c->result);
    }
    return status;
}

/* A job that resumes may be through: then there is nothing to do.  Collective. */
static bool find_complete(call *c, const char *command, double start)
{
    engine_result *r = c->result;
    bool complete = dist_rank() == 0 && engine_is_complete(&c->job, command, r);

    dist_broadcast(&complete, sizeof complete);
    if (complete) {
        dist_broadcast(r, sizeof *r);
        r->threads = c->job.threads;
        r->seconds = clock_seconds() - start;
        engine_sum_up(&r->totals, r);
    }
    return complete;
}

static int run_on_rank(call *c)
{
    const engine_job *o = &c->job;
    double start = clock_seconds();
    engine_backend backend = {0};
    model_attrs attrs;
    char command[sizeof c->result->command], shard[64] = "";
    model_order order = {o->sorted,      o->format == GRAPHFILE_CSR,      o->unique,
                         o->graph_edges, o->edges << o->model.symmetrize, o->dedup};
    /* The attributes that it points to are filled in below. */
    graphfile_spec spec = {.format = o->format,
                           .graph = engine_graph(o, o->graph_edges),
                           .replace = o->replace,
                           .record_seconds = o->checkpoint,
                           .resume = o->resume,
                           .comment = attrs.command,
                           .group = rank_group(),
                           .base = o->base,
                           .attrs = attrs.list,
                           .buffered = o->buffered,
                           .layout = o->layout,
                           .unaligned = engine_sorts(o),
                           .shard = (int)o->shard,
                           .shards = (int)o->shards};
    int status;

    model_attrs_of_job(&attrs, o, o->sorted ? &order : NULL);
    spec.n_attrs = attrs.n;
    if (o->shards > 0) {
        snprintf(shard, sizeof shard, " --shard %" PRIu64 "/%" PRIu64, o->shard, o->shards);
    }
    snprintf(command, sizeof command, "%s%s%s%s", attrs.command,
             engine_is_foreign(o) ? " --format " : "",
             engine_is_foreign(o) ? graphfile_names[o->format] : "", shard);
    status = engine_same_job(o, command, c->estimate != NULL);
    if (status != ENGINE_OK) {
        return status;
    }
    if (c->result != NULL) {
        memset(c->result, 0, sizeof *c->result);
        snprintf(c->result->command, sizeof c->result->command, "%s", command);
    }
    if (c->result != NULL && find_complete(c, attrs.command, start)) {
        return ENGINE_OK;
    }
    status = engine_agree(engine_backend_open(&backend, o));
    if (status == ENGINE_OK) {
        engine_share_warning(&o->watch);
        if (c->estimate != NULL) {
            snprintf(c->estimate->command, sizeof c->estimate->command, "%s", command);
            status = engine_estimate_it(c->estimate, o, &backend, &spec);
        } else {
            status = write_it(c, &backend, &spec, start);
        }
    }
    engine_backend_close(&backend);
    return status;
}

/* All that the libraries can say is that a source failed; it knows why. */
static void explain_source(const engine_source *source)
{
    const char *why =
        source != NULL && source->error != NULL ? source->error(source->edges.state) : "";
    char text[ENGINE_TEXT];

    if (*why != '\0') {
        snprintf(text, sizeof text, "%s", why);
        engine_set_detail("", text);
    }
}

static int run_call(call *c)
{
    int status = engine_start();

    if (status == ENGINE_OK) {
        status = engine_agree(engine_complete(&c->job));
    }
    if (status == ENGINE_OK) {
        status = run_on_rank(c);
    }
    if (status == ENGINE_ERR_RUN || status == ENGINE_ERR_RANK) {
        explain_source(c->job.source);
    }
    return status;
}

int engine_write_file(const engine_job *job, engine_result *result)
{
    call c = {.job = *job, .result = result};

    return run_call(&c);
}

int engine_make_edges(const engine_job *job, const engine_target *target, engine_result *result)
{
    call c = {.job = *job, .target = target, .result = result};

    return run_call(&c);
}

int engine_estimate_file(const engine_job *job, engine_estimate *estimate)
{
    call c = {.job = *job, .estimate = estimate};

    memset(estimate, 0, sizeof *estimate);
    return run_call(&c);
}

/*
 * A list of edges: from NAME.partial to the finished file, on all ranks, through a pipeline.
 *
 * Where the place of an edge follows from its number, each rank begins with its own share of the
 * list, and ranks that finish early take over work from slower ones.  In other formats the place
 * depends on all edges before it: there ranks write in rounds, in each of them as many edges as the
 * others, those of a rank behind those of lower ranks.
 */

/* Of the pipeline: shows how many edges all ranks have done, besides those that were there. */
static int report_list(void *argument, uint64_t done)
{
    engine_meter *meter = argument;
    uint64_t all = done;

    dist_work_report(done);
    if (dist_size() > 1) {
        all = dist_rank() == 0 ? dist_work_done() : 0;
    }
    return engine_meter_tick(meter, (double)all, all);
}

static int share_out(const engine_job *o)
{
    char text[ENGINE_TEXT];

    if (rank_work_begin(o->graph_edges, o->id_bytes, o->weight, text, sizeof text) != 0) {
        return engine_fail("%s", text);
    }
    return ENGINE_OK;
}

/* What became of a pipeline on this rank. */
static int end_of(const pipeline_result *result, const engine_meter *meter)
{
    return result->error != NULL ? engine_fail("%s", result->error)
           : result->stopped     ? engine_stop_with(meter->stopped)
                                 : ENGINE_OK;
}

int engine_commit(graphfile_writer **writer, engine_run *run)
{
    engine_result *result = run->result;
    graphfile_committed done;
    double start = clock_seconds();
    int status = graphfile_commit(writer, &done);

    if (status != EDGEFILE_OK) { /* the same on all ranks, and so is its text */
        return engine_fail_graphfile(status);
    }
    result->commit_seconds = clock_seconds() - start;
    result->file_bytes = done.bytes;
    if (graphfile_table[run->spec->format]->traits & GRAPHFILE_EDGEFILE) {
        result->fingerprint = done.fingerprint;
    }
    engine_share_warning(&run->job->watch);
    return ENGINE_OK;
}

/* Edges into the file, until all ranks are done. */
static int write_list_edges(engine_run *run, const pipeline_plan *plan, graphfile_writer *writer)
{
    const engine_job *o = run->job;
    engine_result *r = run->result;
    engine_meter meter =
        engine_meter_of(&o->watch, "", r->edges, engine_edge_bytes(&run->spec->graph, o->format));
    const pipeline_sink sink =
        run->target != NULL ? run->target->sink : pipeline_to_file(writer, o->format);
    engine_remainder remainder = {.writer = writer,
                                  .target = run->target,
                                  .source = dist_size() > 1 ? &rank_work_source : NULL,
                                  .edges = r->edges};
    const pipeline_source source = {engine_remainder_next, &remainder};
    double start = clock_seconds();
    pipeline_result result;
    uint64_t edges;
    int status;

    engine_range(o, &remainder.begin, &edges);
    meter.before = (double)r->resumed_edges;
    if (run->spec->format == GRAPHFILE_CSR) {
        engine_run_rows(run, writer, plan, &source, &sink, report_list, &meter, &result);
    } else {
        pipeline_run(plan, &source, &run->backend->producer, &sink, report_list, &meter, &result);
    }
    r->stream_seconds = clock_seconds() - start;
    r->rank_edges = result.done;
    r->fingerprint = result.fingerprint;
    status = engine_own(end_of(&result, &meter));
    if (status == ENGINE_OK) {
        report_list(&meter, result.done);
        dist_work_end();
    }
    return status;
}

/* How far a round is.  Ranks do about the same, so that rank 0 speaks for all. */
typedef struct {
    engine_meter meter;
    uint64_t before, end; /* edges before the round, and after it */
} round_progress;

static int report_round(void *state, uint64_t done)
{
    round_progress *p = state;
    const uint64_t all = p->before + done * (uint64_t)dist_size();
    const uint64_t now = all < p->end ? all : p->end;

    return engine_meter_tick(&p->meter, (double)now, now);
}

static uint64_t within(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* This rank's edges [first, end) of a round.  The pipeline cuts them at multiples of its chunk,
 * where rounds begin too, but perhaps for the first one of a file that is resumed.  Collective. */
static int write_round(engine_run *run, const pipeline_plan *plan, graphfile_writer *writer,
                       uint64_t first, uint64_t end, round_progress *progress)
{
    engine_result *r = run->result;
    const uint64_t begin = r->resumed_edges;
    engine_remainder span = {.begin = first, .edges = end - first};
    const pipeline_source source = {engine_remainder_next, &span};
    pipeline_sink sink = pipeline_to_file(writer, run->job->format);
    pipeline_result result = {.error = NULL};
    int status;

    graphfile_resumed(writer, &sink.number);
    sink.number += first / plan->chunk - begin / plan->chunk;
    if (first < end) {
        pipeline_run(plan, &source, &run->backend->producer, &sink, report_round, progress,
                     &result);
    }
    if (report_round(progress, result.done) != 0) { /* a round may be shorter than a tick */
        result.stopped = true;
    }
    r->rank_edges += result.done;
    r->fingerprint += result.fingerprint;
    status = engine_agree(end_of(&result, &progress->meter));
    if (status == ENGINE_OK && graphfile_end_round(writer) != EDGEFILE_OK) {
        status = engine_fail("%s", edgefile_detail());
    }
    return status;
}

static int write_in_rounds(engine_run *run, const pipeline_plan *plan, graphfile_writer *writer,
                           uint64_t share)
{
    const engine_job *o = run->job;
    engine_result *r = run->result;
    const uint64_t begin = r->resumed_edges, edges = r->edges;
    const uint64_t all = share * (uint64_t)dist_size(), mine = share * (uint64_t)dist_rank();
    round_progress progress = {
        .meter =
            engine_meter_of(&o->watch, "", edges, engine_edge_bytes(&run->spec->graph, o->format))};
    const double start = clock_seconds();
    int status = ENGINE_OK;

    progress.meter.before = (double)begin;
    for (uint64_t at = begin / all * all; at < edges && status == ENGINE_OK; at += all) {
        progress.before = within(at, begin, edges);
        progress.end = within(at + all, begin, edges);
        status = write_round(run, plan, writer, within(at + mine, begin, edges),
                             within(at + mine + share, begin, edges), &progress);
    }
    r->stream_seconds = clock_seconds() - start;
    return status;
}

static int create_list(engine_run *run, graphfile_writer **writer)
{
    engine_result *r = run->result;
    int status = graphfile_create(writer, run->file, run->spec);

    if (status != EDGEFILE_OK) {
        return engine_fail_graphfile(status);
    }
    r->layout = graphfile_used_layout(*writer);
    r->resumed_edges = graphfile_resumed(*writer, NULL);
    return dist_size() > 1 && !engine_in_rounds(run->job) ? share_out(run->job) : ENGINE_OK;
}

int engine_write_list(engine_run *run)
{
    const engine_job *o = run->job;
    engine_result *r = run->result;
    graphfile_writer *writer = NULL;
    pipeline_plan plan;
    uint64_t first, share = 0, made;
    int status = run->target == NULL ? create_list(run, &writer) : ENGINE_OK;

    if (status != ENGINE_OK && writer == NULL) {
        return status;
    }
    engine_range(o, &first, &r->edges);
    if (writer != NULL && engine_in_rounds(o)) {
        share = format_round_edges(o->threads);
    }
    /* It cannot fail: engine_complete() has seen that a buffer fits. */
    (void)engine_backend_plan(run->backend, o, share > 0 ? share * (uint64_t)dist_size() : r->edges,
                              &plan);
    if (run->target != NULL) { /* it wants the sources, and takes as long as making the edges */
        plan.csr = false;
        pipeline_add_encoders(&plan, pipeline_encoders(o->threads), o->memory);
    }
    r->buffer_bytes = pipeline_buffer_bytes(&plan);
    r->chunk = plan.chunk;
    r->stream_edges = r->edges;
    if (status == ENGINE_OK) {
        status = share > 0 ? write_in_rounds(run, &plan, writer, share)
                           : write_list_edges(run, &plan, writer);
    }
    made = r->fingerprint;
    if (status == ENGINE_OK && writer != NULL) {
        status = engine_commit(&writer, run);
    } else if (status != ENGINE_ERR_RANK) { /* else engine_abandon() removes what is there */
        engine_give_up(o, &writer);
    }
    if (status == ENGINE_OK) {
        uint64_t sums[2] = {engine_backend_redraws(run->backend), made};

        dist_sum(sums, 2);
        r->redraws = sums[0];
        r->fingerprint = engine_is_foreign(o) ? sums[1] : r->fingerprint;
    }
    return status;
}
