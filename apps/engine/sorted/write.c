/*
 * write.c - writes the file of a sorted graph, on all ranks.
 *
 * First it does everything that may fail: memory, GPU, the file.  Then, if necessary, it searches
 * the stream for the number of edges of each rank.  At last the intervals go through the pipeline,
 * one after another.
 */
#include "apps/common/system.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rmat_interval_work sorted_work(const sorted_run *r)
{
    rmat_interval_work all = r->counted;

    for (int i = 0; i < SORTED_INTERVALS && r->intervals[i] != NULL; i++) {
        const rmat_interval_work work = rmat_interval_work_of(r->intervals[i]);

        all.intervals += work.intervals;
        all.edges += work.edges;
    }
    return all;
}

/* As planned, or more where an interval was cut in two or the window was missed. */
static uint64_t passes_in_all(const sorted_run *r)
{
    const uint64_t making = r->parts.n > r->plan.passes ? r->parts.n : r->plan.passes;
    const uint64_t planned = making + r->plan.counting, pass = sorted_work(r).intervals;

    return pass > planned ? pass : planned;
}

/* Writing and sorting an edge takes about as long as making this number of edges of the stream. */
#define WRITE_STEPS_CPU 4.0
#define WRITE_STEPS_GPU 60.0

/*
 * One bar over all passes.  A pass makes the whole stream, unless it is in order; what is written
 * is weighed against that. Ranks do about the same, so that rank 0 speaks for all.
 */
static int show_progress(sorted_run *r, uint64_t done)
{
    const double weight = r->backend->used == RMAT_BACKEND_GPU ? WRITE_STEPS_GPU : WRITE_STEPS_CPU;
    const double edges = (double)(r->edges > 0 ? r->edges : r->goal->graph_edges);
    const double ranks = dist_size();
    const double share = r->plan.in_order ? 1 / ((double)r->plan.passes * ranks) : 1;
    uint64_t stream = r->draws > 0 ? sorted_stream(r, r->draws) : r->plan.stream_edges;

    snprintf(r->phase, sizeof r->phase,
             r->plan.in_order ? "part %" PRIu64 " of %" PRIu64
                              : "pass %" PRIu64 " of %" PRIu64 " over the stream",
             sorted_work(r).intervals, passes_in_all(r));
    r->meter.now.phase = done > 0 ? "" : r->phase;
    r->meter.now.edges = (uint64_t)edges;
    r->meter.work = (double)passes_in_all(r) * share * (double)stream + weight * edges / ranks;
    return engine_meter_tick(&r->meter,
                             (double)sorted_work(r).edges + weight * (double)done / ranks, done);
}

/* The run that this thread's calls of rmat/ are part of. */
static _Thread_local sorted_run *under_way;

void sorted_under_way(sorted_run *r)
{
    under_way = r;
}

int sorted_stop(void *unused)
{
    (void)unused;
    if (under_way == NULL) {
        return 0;
    }
    return under_way->pipeline != NULL ? under_way->pipeline->stop
                                       : show_progress(under_way, 0) != 0;
}

int sorted_end(const sorted_run *r, int status)
{
    /* The meter has kept what stopped it. */
    return engine_rank_status(status == RMAT_ERR_STOPPED ? ENGINE_STOPPED
                                                         : sorted_fail(r->backend, status));
}

/* Is nothing wanted but the number of edges?  Of CSR, pointers are. */
static bool is_counted_only(const sorted_run *r)
{
    return r->sink != NULL && r->sink->spans != NULL && r->sink->n_spans == 0 &&
           r->format != GRAPHFILE_CSR;
}

/* The file of a graph whose number of edges was not known from the start: with what is known by
 * now, r->edges and r->draws.  Collective. */
static int create_file(sorted_run *r, const engine_work *run)
{
    graphfile_spec known = *run->spec;

    model_attrs_of_plan(&r->attrs, r->goal, r->format, r->edges, sorted_stream(r, r->draws));
    known.graph.edges = r->edges;
    known.attrs = r->attrs.list;
    known.n_attrs = r->attrs.n;
    return engine_file_status(graphfile_create(&r->writer, run->file, &known));
}

/* Before the work: whether there can be such a file.  One whose length is not known yet, for loops
 * have no reverse, is tried with the most loops, and made again later; a pipe cannot be tried. */
static int create_early(sorted_run *r, const engine_work *run)
{
    const engine_plan *p = r->goal;
    const engine_job *o = &p->job;
    const uint64_t loops = o->dedup || p->drops_loops ? 0
                           : o->edges < o->model.rows ? o->edges
                                                      : o->model.rows;
    int status;

    if (run->sink != NULL || (!p->graph_edges_known && strcmp(o->output, "-") == 0)) {
        return ENGINE_OK;
    }
    if (p->graph_edges_known) {
        return engine_file_status(graphfile_create(&r->writer, run->file, run->spec));
    }
    r->edges = p->graph_edges - loops;
    r->draws = o->edges;
    status = create_file(r, run);
    graphfile_abort(&r->writer);
    r->edges = r->draws = 0;
    return status;
}

static int report_written(void *run, uint64_t done)
{
    sorted_run *r = run;

    dist_work_report(done);
    return show_progress(r, dist_size() > 1 ? dist_work_done() : done);
}

/* Intervals into the file, until all ranks are done. */
static int write_intervals(sorted_run *r, engine_work *run)
{
    const pipeline_sink sink = r->sink != NULL ? *r->sink : pipeline_to_file(r->writer, r->format);
    pipeline_plan *buffers = &r->backend->buffers;
    pipeline_result result = {.done = 0};
    int begun, status;

    status = sorted_fail(
        r->backend, sorted_plan_buffers(&r->plan, r->goal, r->backend, r->sink != NULL, buffers));
    if (dist_size() > 1 && (begun = dist_work_begin(r->starts, 1)) != DIST_OK) {
        return engine_fail("%s", dist_strerror(begun));
    }
    if (status == ENGINE_OK) {
        status = sorted_run_pipeline(r, &sink, report_written, &result);
        run->result->fingerprint = result.fingerprint; /* of an HDF5 file, all ranks' comes later */
    }
    status = engine_rank_status(status);
    if (status == ENGINE_OK) {
        report_written(r, result.done);
        dist_work_end();
    }
    return status;
}

/* Everything but the memory's end. */
static int write_file(sorted_run *r, engine_work *run)
{
    const engine_job *o = &r->goal->job;
    double start;
    int status = sorted_prepare(r);

    if (status == ENGINE_OK) {
        status = create_early(r, run);
    }
    if (status != ENGINE_OK) {
        return status;
    }
    start = clock_seconds();
    r->meter = engine_meter_of(&o->watch, "", r->goal->graph_edges, engine_edge_bytes(run->spec));
    sorted_under_way(r);
    status = sorted_count(r);
    sorted_under_way(NULL);
    if (status == ENGINE_OK && r->writer == NULL && r->sink == NULL) {
        status = create_file(r, run);
    }
    if (status == ENGINE_OK) {
        run->result->edges = r->edges;
        run->result->stream_edges = sorted_stream(r, r->draws);
        run->result->interval_bytes = r->plan.interval_bytes * (uint64_t)r->plan.intervals;
        status = is_counted_only(r) ? ENGINE_OK : write_intervals(r, run);
        run->result->passes = sorted_plan_stream(&r->plan, passes_in_all(r));
    }
    run->result->stream_seconds = clock_seconds() - start;
    return status;
}

int engine_write_sorted(engine_work *run)
{
    sorted_run r = {
        .goal = run->plan, .backend = run->backend, .sink = run->sink, .format = run->spec->format};
    int status = write_file(&r, run);

    if (status == ENGINE_OK && r.writer != NULL &&
        graphfile_table[r.format]->traits & GRAPHFILE_EDGEFILE) {
        graphfile_set_u64(r.writer, "stream_edges", run->result->stream_edges);
    }
    status = engine_end_file(&r.writer, run, status);
    for (int i = 0; i < SORTED_INTERVALS; i++) {
        rmat_interval_destroy(r.intervals[i]);
    }
    sorted_free_plan(&r.plan);
    free(r.parts.cells);
    free(r.bounds);
    free(r.starts);
    return status;
}
