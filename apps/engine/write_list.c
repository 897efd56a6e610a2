/*
 * A list of edges: from NAME.partial to the finished file, on all ranks.
 *
 * Each rank begins with its own share of the list and hands in edges through a pipeline.  Ranks
 * that finish early take over work from slower ones.
 */
#include "apps/common/clock.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/ranks/rank_work.h"
#include "apps/engine/resume.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <stdlib.h>

int engine_pass_on(int reason)
{
    if (reason != 0) {
        dist_request_stop(reason);
    }
    return dist_stopping();
}

/* Of the pipeline: shows how many edges all ranks have done, besides those that were there. */
static int tick(void *argument, uint64_t done)
{
    engine_meter *meter = argument;
    uint64_t all = done;

    dist_work_report(done);
    if (dist_size() > 1) {
        all = dist_rank() == 0 ? dist_work_done() : 0;
    }
    return engine_pass_on(engine_meter_tick(meter, (double)all, all));
}

static int share_out(const graphfile_writer *writer, const engine_job *o)
{
    char text[ENGINE_TEXT];

    if (rank_work_begin(writer, o->graph_edges, o->id_bytes, o->weight, text, sizeof text) != 0) {
        return engine_fail("%s", text);
    }
    return ENGINE_OK;
}

int engine_end_writes(int status)
{
    if (status != ENGINE_OK) {
        dist_request_stop(ENGINE_FAILED);
    }
    dist_work_end();
    return engine_agree(engine_early_end(status));
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
    result->compared = done;
    if (graphfile_table[run->spec->format]->traits & GRAPHFILE_EDGEFILE) {
        result->fingerprint = done.fingerprint;
    }
    engine_share_warning(&run->job->watch);
    return ENGINE_OK;
}

/* Edges into the file, until all ranks are done. */
static int fill(engine_run *run, const pipeline_plan *plan, graphfile_writer *writer)
{
    const engine_job *o = run->job;
    engine_result *r = run->result;
    engine_meter meter =
        engine_meter_of(&o->watch, "", r->edges, 2 * o->id_bytes + engine_weight_bytes(o));
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
    pipeline_run(plan, &source, &run->backend->producer, run->backend->fallback, &sink, tick,
                 &meter, &result);
    r->stream_seconds = clock_seconds() - start;
    r->rank_edges = result.done;
    r->fell_back = result.fell_back;
    tick(&meter, result.done);
    status = engine_end_writes(result.error != NULL ? engine_fail("%s", result.error) : ENGINE_OK);
    if (status == ENGINE_OK && result.fell_back) {
        engine_note_warning("%s; the CPU generated the rest", result.fall_text);
    }
    return status;
}

static int create_list(engine_run *run, graphfile_writer **writer)
{
    engine_result *r = run->result;
    int status = graphfile_create(writer, run->file, run->spec);

    if (status != EDGEFILE_OK) {
        return engine_fail_graphfile(status);
    }
    r->io = graphfile_used_path(*writer);
    r->layout = graphfile_used_layout(*writer);
    r->resumed_edges = graphfile_resumed(*writer, NULL);
    return dist_size() > 1 ? share_out(*writer, run->job) : ENGINE_OK;
}

int engine_write_list(engine_run *run)
{
    const engine_job *o = run->job;
    engine_result *r = run->result;
    graphfile_writer *writer = NULL;
    pipeline_plan plan;
    uint64_t first;
    int status = run->target == NULL ? create_list(run, &writer) : ENGINE_OK;

    if (status != ENGINE_OK && writer == NULL) {
        return status;
    }
    engine_range(o, &first, &r->edges);
    engine_backend_plan(run->backend, o, r->edges, r->io, &plan);
    if (run->target != NULL) { /* what becomes of the edges takes as long as making them */
        pipeline_add_encoders(&plan, pipeline_encoders(o->threads), o->memory);
    }
    r->buffer_bytes = pipeline_buffer_bytes(&plan);
    r->chunk = plan.chunk;
    r->stream_edges = r->edges;
    if (status == ENGINE_OK) {
        status = fill(run, &plan, writer);
    }
    if (status == ENGINE_OK && writer != NULL) {
        status = engine_commit(&writer, run);
    } else {
        engine_give_up(o, &writer);
    }
    if (status == ENGINE_OK) {
        r->redraws = engine_backend_redraws(run->backend);
        dist_sum(&r->redraws, 1);
    }
    return status;
}
