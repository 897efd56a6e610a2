/*
 * write.c - writes the file of a sorted graph, on all ranks.
 *
 * First it does everything that may fail: memory, GPU, the file.  Then, if necessary, it searches
 * the stream for the number of edges of each rank.  At last it makes the intervals, each in one
 * pass over the stream, and passes them to the pipeline one after another, as spans of row pointers
 * and of edges.
 *
 * The pipeline requests spans from a separate thread, one span ahead.  So if there is memory for
 * two intervals, the next one is made while chunks of the previous one are filled and written.
 */
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges that are counted at a time, so that progress shows; host memory for an edge that a search
 * finds, while the list of these grows. */
enum { INTERVALS = 2, COUNT_SLICE = 1 << 29, NEW_BYTES = 48 };

/* An interval in memory, and what of the file comes from it. */
typedef struct {
    rmat_interval *interval;
    uint64_t first, edges;    /* of the graph */
    uint64_t first_row, rows; /* whose pointers it has */
    uint64_t left;            /* edges and pointers that are not in the pipeline's buffers yet */
} slot;

typedef struct {
    engine_work *work;
    const engine_plan *goal; /* of the work */
    sorted_plan plan;
    rmat_parts parts;           /* of this rank */
    rmat_cell *bounds;          /* of the ranks: [dist_size() + 1] */
    uint64_t *starts;           /* first edges of the ranks: [dist_size() + 1] */
    uint64_t draws;             /* for unique edges: the number of draws, once it is known */
    uint64_t edges;             /* of the graph, once it is known */
    rmat_interval_work counted; /* the pass that counts the edges of the ranks */
    graphfile_writer *writer;   /* once there is a file */
    model_attrs attrs;          /* of that file, where the number of its edges shows late */
    engine_meter meter;
    char phase[64];

    slot slots[INTERVALS];
    bool only_part_made;      /* slots[0] has this rank's only part, ready to be written */
    uint64_t made;            /* parts */
    slot *last;               /* the last slot that was made; NULL: none yet */
    uint64_t at;              /* edge of the graph after those that were passed on */
    const pipeline *pipeline; /* receives the intervals, once it runs */
    pthread_mutex_t lock;     /* guards the slots */
    pthread_cond_t changed;   /* signaled when a slot is empty */
} sorted_run;

/* Edges of the stream that the graph is made of. */
static uint64_t stream_edges(const sorted_run *r)
{
    return r->draws << r->goal->job.model.symmetrize;
}

/* Ends a part of the run on this rank, with this rmat_status.  Returns an engine_status; a failure
 * is this rank's own. */
static int end_part(const sorted_run *r, int status)
{
    /* The meter has kept what stopped it. */
    return engine_rank_status(status == RMAT_ERR_STOPPED
                                  ? ENGINE_STOPPED
                                  : engine_backend_status(r->work->backend, status));
}

/* --- Progress --- */

/* The work of this rank so far, with the current pass. */
static rmat_interval_work work_of(const sorted_run *r)
{
    rmat_interval_work all = r->counted;

    for (int i = 0; i < r->plan.intervals; i++) {
        const rmat_interval_work work = rmat_interval_work_of(r->slots[i].interval);

        all.intervals += work.intervals;
        all.edges += work.edges;
    }
    return all;
}

/* As planned, or more where an interval was cut in two or the window was missed. */
static uint64_t passes_in_all(const sorted_run *r)
{
    const uint64_t planned = r->parts.n + r->plan.counting, pass = work_of(r).intervals;

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
    const rmat_interval_work work = work_of(r);
    const double weight =
        r->work->backend->used == RMAT_BACKEND_GPU ? WRITE_STEPS_GPU : WRITE_STEPS_CPU;
    const double edges = (double)(r->edges > 0 ? r->edges : r->goal->graph_edges);
    const double ranks = dist_size();
    const double share = r->plan.in_order ? 1 / ((double)r->plan.passes * ranks) : 1;
    const uint64_t stream = r->draws > 0 ? stream_edges(r) : r->plan.stream_edges;
    const uint64_t passes = passes_in_all(r);

    snprintf(r->phase, sizeof r->phase,
             r->plan.in_order ? "part %" PRIu64 " of %" PRIu64
                              : "pass %" PRIu64 " of %" PRIu64 " over the stream",
             work.intervals, passes);
    r->meter.now.phase = done > 0 ? "" : r->phase;
    r->meter.now.edges = (uint64_t)edges;
    r->meter.work = (double)passes * share * (double)stream + weight * edges / ranks;
    return engine_meter_tick(&r->meter, (double)work.edges + weight * (double)done / ranks, done);
}

/* The run whose intervals are being made; jobs run one after another. */
static sorted_run *under_way;

int sorted_stop(void *unused)
{
    (void)unused;
    if (under_way == NULL) {
        return 0;
    }
    return under_way->pipeline != NULL ? under_way->pipeline->stop
                                       : show_progress(under_way, 0) != 0;
}

/* --- Memory and parts --- */

/* Allocates the intervals, and cuts the order into parts, for as many passes as the rank that needs
 * the most.  No rank looks how much memory there is once another has taken its part.  Collective.
 * Returns an engine_status, the same on all ranks. */
static int prepare(sorted_run *r)
{
    const uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank();
    uint64_t passes;
    rmat_cell *cells;
    int status = sorted_make_plan(&r->plan, r->goal, r->work->backend, r->work->sink != NULL), made;

    if (status != ENGINE_OK) {
        return status;
    }
    passes = r->plan.passes;
    cells = calloc(ranks * passes + 1, sizeof *cells);
    r->starts = calloc(ranks + 1, sizeof *r->starts);
    r->bounds = calloc(ranks + 1, sizeof *r->bounds);
    r->parts = (rmat_parts){calloc(passes + 1, sizeof *cells), passes};
    made = cells == NULL || r->starts == NULL || r->bounds == NULL || r->parts.cells == NULL
               ? RMAT_ERR_NOMEM
               : RMAT_OK;
    for (int i = 0; i < r->plan.intervals && made == RMAT_OK; i++) {
        made = rmat_interval_create(&r->slots[i].interval, r->plan.gen, r->plan.interval_bytes);
    }
    if (engine_backend_status(r->work->backend, made) != ENGINE_OK) {
        status = engine_fail("memory for intervals: %s", engine_detail());
    }
    status = engine_agree(status);
    if (status == ENGINE_OK && rank == 0) { /* for all ranks */
        status = end_part(r, sorted_cut(&r->plan, r->goal, ranks * passes, cells));
    }
    if (status == ENGINE_OK) {
        dist_broadcast(cells, (ranks * passes + 1) * sizeof *cells);
        memcpy(r->parts.cells, &cells[rank * passes], (passes + 1) * sizeof *cells);
        for (uint64_t k = 0; k <= ranks; k++) {
            r->bounds[k] = cells[k * passes];
        }
    }
    free(cells);
    return status;
}

/* --- The number of draws of the graph (draws), and the edges of each rank (starts, edges).
 * Collective.  The functions return as end_part(). --- */

/* At the end of what all ranks did: the sums of values. */
static int sum_up(void *run, int status, uint64_t *values, size_t n)
{
    status = end_part(run, status);
    if (status == ENGINE_OK) {
        dist_sum(values, n);
    }
    return status;
}

/* starts[k + 1] has the edges of rank k that this rank has counted. */
static int add_up(sorted_run *r, int status)
{
    const int ranks = dist_size();

    status = sum_up(r, status, &r->starts[1], (size_t)ranks);
    for (int k = 0; k < ranks; k++) {
        r->starts[k + 1] += r->starts[k];
    }
    r->edges = r->starts[ranks];
    return status;
}

static int make_part(sorted_run *r, slot *to, uint64_t i)
{
    return rmat_interval_make_part(to->interval, &r->parts, i, stream_edges(r),
                                   r->goal->job.unique);
}

/* Makes all parts.  One that is all that a rank has is kept. */
static int make_all(sorted_run *r)
{
    int status = RMAT_OK;

    for (uint64_t i = 0; i < r->parts.n && status == RMAT_OK; i++) {
        status = make_part(r, &r->slots[0], i);
        r->starts[dist_rank() + 1] += rmat_interval_edges(r->slots[0].interval);
    }
    r->only_part_made = r->parts.n == 1;
    return add_up(r, status);
}

/* Counts the edges of each rank in an additional pass over the stream.  Each rank makes a part of
 * the stream.  A stream in order is counted without making edges. */
static int count_all(sorted_run *r)
{
    const uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank();
    const uint64_t end = (uint64_t)((unsigned __int128)r->edges * (rank + 1) / ranks);
    uint64_t at = (uint64_t)((unsigned __int128)r->edges * rank / ranks), n;
    uint64_t *counts = calloc(ranks, sizeof *counts);
    int status = counts != NULL ? RMAT_OK : RMAT_ERR_NOMEM;

    r->counted.intervals = 1;
    for (; at < end && status == RMAT_OK; at += n) {
        n = end - at < COUNT_SLICE ? end - at : COUNT_SLICE;
        status = rmat_count_cells(r->plan.gen, at, n, ranks + 1, r->bounds, counts);
        for (uint64_t k = 0; k < ranks; k++) {
            r->starts[k + 1] += counts[k];
        }
        r->counted.edges += n;
        if (status == RMAT_OK && sorted_stop(NULL)) {
            status = RMAT_ERR_STOPPED;
        }
    }
    free(counts);
    return add_up(r, status);
}

/* Searches for the number of draws with so many distinct edges. */
static int search_draws(sorted_run *r)
{
    rmat_search s = {.interval = r->slots[0].interval,
                     .parts = &r->parts,
                     .sample = dist_rank() == 0 ? r->plan.sample : NULL,
                     .window = r->plan.window,
                     .most = r->plan.buffer_bytes / NEW_BYTES + RMAT_INTERVAL_LEAST_EDGES,
                     .ranks = (uint64_t)dist_size(),
                     .sum = sum_up,
                     .state = r};
    const int status = rmat_search_unique(&s);

    if (status != ENGINE_OK) {
        return status;
    }
    r->draws = s.draws;
    r->only_part_made = s.made;
    if (!s.made) {
        r->plan.counting = work_of(r).intervals;
    }
    r->starts[dist_rank() + 1] = s.edges;
    return add_up(r, RMAT_OK);
}

static int count(sorted_run *r)
{
    const engine_job *o = &r->goal->job;
    const bool unknown = dist_size() > 1 || r->goal->drops_loops;

    if (r->goal->draws && o->edges > 0) {
        return search_draws(r);
    }
    r->draws = o->edges;
    r->edges = stream_edges(r);
    if (o->unique || (unknown && r->plan.passes == 1 && !r->plan.in_order)) {
        return make_all(r);
    }
    if (unknown) {
        return count_all(r);
    }
    r->starts[1] = r->edges;
    return ENGINE_OK;
}

/* --- Intervals as spans of the pipeline --- */

/* Makes the next part in an empty slot; the first part may exist already. */
static int make_next(sorted_run *r)
{
    const uint64_t i = r->made++;
    slot *to = &r->slots[i % (uint64_t)r->plan.intervals];
    int status = RMAT_OK;

    pthread_mutex_lock(&r->lock);
    while (to->left > 0 && !r->pipeline->stop) {
        clock_wait(&r->changed, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    if (r->pipeline->stop) {
        return RMAT_ERR_STOPPED;
    }
    if (i > 0 || !r->only_part_made) {
        status = make_part(r, to, i);
    }
    if (status != RMAT_OK) {
        return status;
    }
    pthread_mutex_lock(&r->lock);
    *to = (slot){
        .interval = to->interval, .first = r->at, .edges = rmat_interval_edges(to->interval)};
    if (r->work->spec->format == GRAPHFILE_CSR) {
        /* The part gives the pointers of rows whose first cell lies in it.  After the last row
         * comes the number of all edges. */
        const rmat_cell *c = &r->parts.cells[i];
        const bool last = c[1].src == r->goal->job.model.rows && c[0].src < c[1].src;

        to->first_row = c[0].src + (c[0].dst > 0);
        to->rows = c[1].src + (c[1].dst > 0 || last) - to->first_row;
    }
    to->left = to->edges + to->rows;
    pthread_mutex_unlock(&r->lock);
    r->last = to;
    return RMAT_OK;
}

/* Of each part the pointers, if it has any, then the edges: a pipeline_source. */
static bool next(void *state, pipeline *p, pipeline_span *span)
{
    sorted_run *r = state;
    int status = RMAT_OK;

    r->pipeline = p;
    while (status == RMAT_OK) {
        if (r->last != NULL && r->at == r->last->first && r->last->edges > 0) {
            *span = (pipeline_span){PIPELINE_EDGES, r->at, r->last->edges};
            r->at += r->last->edges;
            return true;
        }
        if (r->made == r->parts.n) { /* more, where one was cut in two */
            return false;
        }
        status = make_next(r);
        if (status == RMAT_OK && r->last->rows > 0) {
            *span = (pipeline_span){PIPELINE_POINTERS, r->last->first_row, r->last->rows};
            return true;
        }
    }
    if (status != RMAT_ERR_STOPPED) {
        engine_backend_status(r->work->backend, status);
        pipeline_fail(p, "%s", engine_detail());
    }
    return false;
}

/* The slot that a span is of.  It does not change before the span is filled. */
static slot *slot_of(sorted_run *r, const pipeline_span *what)
{
    const bool pointers = what->kind == PIPELINE_POINTERS;
    slot *of = r->slots;

    pthread_mutex_lock(&r->lock);
    while (what->first - (pointers ? of->first_row : of->first) >=
           (pointers ? of->rows : of->edges)) {
        of++;
    }
    pthread_mutex_unlock(&r->lock);
    return of;
}

/* These are in a buffer, or not wanted. */
static void note_filled(void *state, const pipeline_span *what)
{
    sorted_run *r = state;
    slot *of = slot_of(r, what);

    pthread_mutex_lock(&r->lock);
    of->left -= what->count;
    if (of->left == 0) {
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
}

/* On a GPU into its memory, in a stream. */
static int fill(void *state, const pipeline_span *what, const rmat_arrays *to, void *stream)
{
    const bool gpu = ((sorted_run *)state)->work->backend->used == RMAT_BACKEND_GPU;
    const slot *of = slot_of(state, what);
    const rmat_interval *b = of->interval;

    if (what->kind == PIPELINE_POINTERS) {
        return gpu ? rmat_interval_pointers_device(b, what->first, what->count, of->first, to->dst,
                                                   stream)
                   : rmat_interval_pointers(b, what->first, what->count, of->first, to->dst);
    }
    return gpu ? rmat_interval_read_device(b, what->first - of->first, what->count, to, stream)
               : rmat_interval_read(b, what->first - of->first, what->count, to);
}

/* --- The file --- */

/* A file of the graph with what is known of it by now, edges and draws.  Collective. */
static int create_known(sorted_run *r)
{
    graphfile_spec known = *r->work->spec;

    model_attrs_of_plan(&r->attrs, r->goal, known.format, r->edges, stream_edges(r));
    known.graph.edges = r->edges;
    known.attrs = r->attrs.list;
    known.n_attrs = r->attrs.n;
    return engine_file_status(graphfile_create(&r->writer, r->work->file, &known));
}

/* Before the work: whether there can be such a file.  One whose length is not known yet, for loops
 * have no reverse, is tried with the most loops, and made again later; a pipe cannot be tried. */
static int create_early(sorted_run *r)
{
    const engine_plan *p = r->goal;
    const engine_job *o = &p->job;
    const uint64_t loops = o->dedup || p->drops_loops ? 0
                           : o->edges < o->model.rows ? o->edges
                                                      : o->model.rows;
    int status;

    if (r->work->sink != NULL || (!p->graph_edges_known && strcmp(o->output, "-") == 0)) {
        return ENGINE_OK;
    }
    if (p->graph_edges_known) {
        return engine_file_status(graphfile_create(&r->writer, r->work->file, r->work->spec));
    }
    r->edges = p->graph_edges - loops;
    r->draws = o->edges;
    status = create_known(r);
    graphfile_abort(&r->writer);
    r->edges = r->draws = 0;
    return status;
}

static int report_written(void *run, uint64_t done)
{
    dist_work_report(done);
    return show_progress(run, dist_size() > 1 ? dist_work_done() : done);
}

/* Intervals into the file or the sink, until all ranks are done. */
static int write_intervals(sorted_run *r)
{
    const engine_work *work = r->work;
    const pipeline_sink sink =
        work->sink != NULL ? *work->sink : pipeline_to_file(r->writer, work->spec->format);
    const pipeline_source source = {.next = next, .state = r};
    pipeline_producer producer = engine_producer(work->backend);
    pipeline_result done = {.done = 0};
    int status;

    if (dist_size() > 1 && (status = dist_work_begin(r->starts, 1)) != DIST_OK) {
        return engine_fail("%s", dist_strerror(status));
    }
    producer.state = r;
    producer.fill = fill;
    producer.filled = note_filled;
    r->at = r->starts[dist_rank()];
    status = engine_rank_status(
        pipeline_run(&work->backend->buffers, &source, &producer, &sink, report_written, r, &done));
    work->result->fingerprint = done.fingerprint; /* of an HDF5 file, all ranks' comes later */
    if (status == ENGINE_OK) {
        report_written(r, done.done);
        dist_work_end();
    }
    return status;
}

/* Everything but the memory's end. */
static int write_file(sorted_run *r)
{
    const engine_work *work = r->work;
    const engine_sink *sink = work->sink;
    const double start = clock_seconds();
    int status;

    r->meter = engine_meter_of(&r->goal->job.watch, "", r->goal->graph_edges,
                               engine_edge_bytes(work->spec));
    under_way = r;
    status = count(r);
    if (status == ENGINE_OK && r->writer == NULL && sink == NULL) {
        status = create_known(r);
    }
    if (status == ENGINE_OK) {
        /* Of CSR, pointers are wanted even if edges are not. */
        const bool counted_only = sink != NULL && sink->spans != NULL && sink->n_spans == 0 &&
                                  work->spec->format != GRAPHFILE_CSR;

        work->result->edges = r->edges;
        work->result->stream_edges = stream_edges(r);
        work->result->interval_bytes = r->plan.interval_bytes * (uint64_t)r->plan.intervals;
        status = counted_only ? ENGINE_OK : write_intervals(r);
        work->result->passes = passes_in_all(r) / r->plan.per_stream;
    }
    under_way = NULL;
    work->result->stream_seconds = clock_seconds() - start;
    return status;
}

int engine_write_sorted(engine_work *work)
{
    sorted_run r = {.work = work,
                    .goal = work->plan,
                    .lock = PTHREAD_MUTEX_INITIALIZER,
                    .changed = PTHREAD_COND_INITIALIZER};
    int status = prepare(&r);

    status = status == ENGINE_OK ? create_early(&r) : status;
    status = status == ENGINE_OK ? write_file(&r) : status;
    if (status == ENGINE_OK && r.writer != NULL &&
        graphfile_table[work->spec->format]->traits & GRAPHFILE_EDGEFILE) {
        graphfile_set_u64(r.writer, "stream_edges", stream_edges(&r));
    }
    status = engine_end_file(&r.writer, work, status);
    for (int i = 0; i < INTERVALS; i++) {
        rmat_interval_destroy(r.slots[i].interval);
    }
    rmat_sample_destroy(r.plan.sample);
    free(r.parts.cells);
    free(r.bounds);
    free(r.starts);
    pthread_mutex_destroy(&r.lock);
    pthread_cond_destroy(&r.changed);
    return status;
}
