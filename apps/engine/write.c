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
static bool alone; /* the last job failed on this rank, and not on others */

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
    if (alone) {
        engine_abandon();
        dist_abort(1);
    }
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

static int write_list(engine_run *run); /* below */

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
                                              : write_list(&run);

    if (status == ENGINE_OK) {
        engine_share_warning(&c->job.watch);
        tell_backend(c->result, backend);
        c->result->threads = c->job.threads;
        c->result->seconds = clock_seconds() - start;
        engine_sum_up(&c->result->totals, c->result);
    }
    return status;
}

static int run_on_rank(call *c)
{
    const engine_job *o = &c->job;
    double start = clock_seconds();
    engine_backend backend = {0};
    model_attrs attrs;
    char command[sizeof c->result->command];
    model_order order = {o->sorted,      o->format == GRAPHFILE_CSR,      o->unique,
                         o->graph_edges, o->edges << o->model.symmetrize, o->dedup};
    /* The attributes that it points to are filled in below. */
    graphfile_spec spec = {.format = o->format,
                           .graph = engine_graph(o, o->graph_edges),
                           .replace = o->replace,
                           .comment = attrs.command,
                           .group = rank_group(),
                           .base = o->base,
                           .attrs = attrs.list,
                           .buffered = o->buffered,
                           .unaligned = engine_sorts(o)};
    int status;

    model_attrs_of_job(&attrs, o, o->sorted ? &order : NULL);
    spec.n_attrs = attrs.n;
    snprintf(command, sizeof command, "%s%s%s", attrs.command,
             engine_is_foreign(o) ? " --format " : "",
             engine_is_foreign(o) ? graphfile_names[o->format] : "");
    status = engine_same_job(o, command, c->estimate != NULL);
    if (status != ENGINE_OK) {
        return status;
    }
    if (c->result != NULL) {
        memset(c->result, 0, sizeof *c->result);
        snprintf(c->result->command, sizeof c->result->command, "%s", command);
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
    alone = status == ENGINE_ERR_RANK || (status == ENGINE_STOPPED && dist_size() > 1);
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

/* Of the pipeline: shows how many edges all ranks have done. */
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

/* The first span that ends behind the edge; n_spans: none does. */
static size_t span_behind(const engine_target *t, uint64_t edge)
{
    size_t low = 0, high = t->n_spans;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (t->spans[middle].first + t->spans[middle].count > edge) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void engine_wanted(const engine_target *target, uint64_t *first, uint64_t *count)
{
    const uint64_t end = *first + *count;
    size_t i;

    if (target == NULL || target->spans == NULL) {
        return;
    }
    i = span_behind(target, *first);
    if (i == target->n_spans || target->spans[i].first >= end) {
        *first = end;
        *count = 0;
    } else {
        const engine_span *s = &target->spans[i];

        *first = s->first > *first ? s->first : *first;
        *count = (s->first + s->count < end ? s->first + s->count : end) - *first;
    }
}

/* Edges [at, end), as far as a target, if there is one, wants them.  The state of a
 * pipeline_source. */
typedef struct {
    uint64_t at, end;
    const engine_target *target;
} some_edges;

static int next_span(void *state, pipeline_span *span)
{
    some_edges *left = state;

    *span = (pipeline_span){PIPELINE_EDGES, left->at, left->end - left->at};
    engine_wanted(left->target, &span->first, &span->count);
    left->at = span->first + span->count;
    return span->count > 0;
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
    some_edges all = {0, r->edges, run->target};
    const pipeline_source source =
        dist_size() > 1 ? rank_work_source : (pipeline_source){next_span, &all};
    double start = clock_seconds();
    pipeline_result result;
    int status;

    if (run->spec->format == GRAPHFILE_CSR) {
        engine_run_rows(run, plan, &source, &sink, report_list, &meter, &result);
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

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* This rank's edges [first, end) of a round.  The pipeline cuts them at multiples of its chunk,
 * where rounds begin too.  Collective. */
static int write_round(engine_run *run, const pipeline_plan *plan, graphfile_writer *writer,
                       uint64_t first, uint64_t end, round_progress *progress)
{
    engine_result *r = run->result;
    some_edges span = {first, end, NULL};
    const pipeline_source source = {next_span, &span};
    pipeline_sink sink = pipeline_to_file(writer, run->job->format);
    pipeline_result result = {.error = NULL};
    int status;

    sink.number = first / plan->chunk;
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
    const uint64_t edges = r->edges;
    const uint64_t all = share * (uint64_t)dist_size(), mine = share * (uint64_t)dist_rank();
    round_progress progress = {
        .meter =
            engine_meter_of(&o->watch, "", edges, engine_edge_bytes(&run->spec->graph, o->format))};
    const double start = clock_seconds();
    int status = ENGINE_OK;

    for (uint64_t at = 0; at < edges && status == ENGINE_OK; at += all) {
        progress.before = at;
        progress.end = least(at + all, edges);
        status = write_round(run, plan, writer, least(at + mine, edges),
                             least(at + mine + share, edges), &progress);
    }
    r->stream_seconds = clock_seconds() - start;
    return status;
}

static int create_list(engine_run *run, graphfile_writer **writer)
{
    int status = graphfile_create(writer, run->file, run->spec);

    if (status != EDGEFILE_OK) {
        return engine_fail_graphfile(status);
    }
    return dist_size() > 1 && !engine_in_rounds(run->job) ? share_out(run->job) : ENGINE_OK;
}

static int write_list(engine_run *run)
{
    const engine_job *o = run->job;
    engine_result *r = run->result;
    graphfile_writer *writer = NULL;
    pipeline_plan plan;
    uint64_t share = 0, made;
    int status = run->target == NULL ? create_list(run, &writer) : ENGINE_OK;

    if (status != ENGINE_OK && writer == NULL) {
        return status;
    }
    r->edges = o->graph_edges;
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
        graphfile_abort(&writer);
    }
    if (status == ENGINE_OK) {
        uint64_t sums[2] = {engine_backend_redraws(run->backend), made};

        dist_sum(sums, 2);
        r->redraws = sums[0];
        r->fingerprint = engine_is_foreign(o) ? sums[1] : r->fingerprint;
    }
    return status;
}
