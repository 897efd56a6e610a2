/*
 * make.c - counts the edges of the ranks, makes intervals, each in one pass over the stream, and
 * passes them to the pipeline one after another, as spans of row pointers and of edges.
 *
 * The pipeline requests spans from a separate thread, one span ahead.  So if there is memory for
 * two intervals, the next one is made while chunks of the previous one are filled and written.
 */
#include "apps/common/system.h"
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <pthread.h>
#include <stdlib.h>

/* --- The edges of the ranks --- */

/* Edges that are counted at a time, so that progress shows; host memory for an edge that a search
 * finds, while the list of these grows. */
enum { COUNT_SLICE = 1 << 29, NEW_BYTES = 48 };

/* Adds up what the ranks have: r->starts and r->edges.  Collective. */
static void add_up(sorted_run *r, uint64_t mine)
{
    uint64_t sum = 0;

    dist_gather(&mine, sizeof mine, r->starts);
    for (int k = 0; k <= dist_size(); k++) {
        uint64_t count = k < dist_size() ? r->starts[k] : 0;

        r->starts[k] = sum;
        sum += count;
    }
    r->edges = sum;
}

/* At the end of what all ranks did: the sums of values.  Collective. */
static int sum_up(void *run, int status, uint64_t *values, size_t n)
{
    status = sorted_end(run, status);
    if (status == ENGINE_OK) {
        dist_sum(values, n);
    }
    return status;
}

/* Makes all parts.  One that is all that a rank has is kept. */
static int make_all(sorted_run *r)
{
    uint64_t edges = 0;
    int status = RMAT_OK;

    for (uint64_t i = 0; i < r->parts.n && status == RMAT_OK; i++) {
        status =
            rmat_interval_make_part(r->intervals[0], &r->parts, i, r->edges, r->goal->job.unique);
        edges += rmat_interval_edges(r->intervals[0]);
    }
    r->only_part_made = r->parts.n == 1;
    status = sorted_end(r, status);
    if (status == ENGINE_OK) {
        add_up(r, edges);
    }
    return status;
}

/* Counts the edges of each rank in an additional pass over the stream.  Each rank makes a part of
 * the stream.  A stream in order is counted without making edges. */
static int count_all(sorted_run *r)
{
    const uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank();
    const uint64_t end = (uint64_t)((unsigned __int128)r->edges * (rank + 1) / ranks);
    uint64_t at = (uint64_t)((unsigned __int128)r->edges * rank / ranks), n;
    uint64_t *counts = calloc(2 * ranks, sizeof *counts), *more = counts + ranks;
    int status = counts != NULL ? RMAT_OK : RMAT_ERR_NOMEM;

    r->counted.intervals = 1;
    for (; at < end && status == RMAT_OK; at += n) {
        n = end - at < COUNT_SLICE ? end - at : COUNT_SLICE;
        status = rmat_count_cells(r->gen, at, n, ranks + 1, r->bounds, more);
        for (uint64_t k = 0; k < ranks; k++) {
            counts[k] += more[k];
        }
        r->counted.edges += n;
        if (status == RMAT_OK && sorted_stop(NULL)) {
            status = RMAT_ERR_STOPPED;
        }
    }
    status = sum_up(r, status, counts, ranks);
    if (status == ENGINE_OK) {
        add_up(r, counts[rank]);
    }
    free(counts);
    return status;
}

/* Searches for the number of draws with so many distinct edges. */
static int search_draws(sorted_run *r)
{
    rmat_search s = {.interval = r->intervals[0],
                     .parts = &r->parts,
                     .sample = dist_rank() == 0 ? r->plan.sample : NULL,
                     .window = r->plan.window,
                     .most = r->plan.buffer_bytes / NEW_BYTES + RMAT_INTERVAL_LEAST_EDGES,
                     .ranks = (uint64_t)dist_size(),
                     .sum = sum_up,
                     .state = r};
    const int status = rmat_search_unique(&s);

    if (status == ENGINE_OK) {
        r->draws = s.draws;
        r->only_part_made = s.made;
        if (!s.made) {
            r->plan.counting = sorted_work(r).intervals;
        }
        add_up(r, s.edges);
    }
    return status;
}

int sorted_count(sorted_run *r)
{
    const engine_job *o = &r->goal->job;
    const bool unknown = dist_size() > 1 || r->goal->drops_loops;

    if (o->unique && !o->dedup && o->edges > 0) {
        return search_draws(r);
    }
    r->draws = o->edges;
    r->edges = sorted_stream(r, r->draws);
    r->starts[dist_size()] = r->edges;
    if (o->unique || (unknown && r->plan.passes == 1 && !r->plan.in_order)) {
        return make_all(r);
    }
    return unknown ? count_all(r) : ENGINE_OK;
}

/* --- Intervals as spans of the pipeline --- */

/* An interval in memory, and what of the file comes from it. */
typedef struct {
    rmat_interval *interval;
    uint64_t first, edges;    /* of the graph */
    uint64_t first_row, rows; /* whose pointers it has */
    uint64_t left;            /* edges and pointers that are not in the pipeline's buffers yet */
} slot;

typedef struct {
    sorted_run *run;
    slot slots[SORTED_INTERVALS];
    uint64_t made;          /* parts */
    uint64_t first;         /* edge of the graph after these parts */
    slot *last;             /* the last slot that was made; NULL: none yet */
    bool pointers, edges;   /* its pointers, its edges were passed on */
    pthread_mutex_t lock;   /* guards the slots */
    pthread_cond_t changed; /* signaled when a slot is empty */
} intervals;

/* So many elements of the slot are in buffers, or are not wanted. */
static void reduce(intervals *s, slot *of, uint64_t count)
{
    pthread_mutex_lock(&s->lock);
    of->left -= count;
    if (of->left == 0) {
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Makes the next part in an empty slot; the first part may exist already. */
static int make_next(intervals *s)
{
    sorted_run *r = s->run;
    const uint64_t i = s->made++;
    slot *to = &s->slots[i % (uint64_t)r->plan.intervals];
    int status = RMAT_OK;

    pthread_mutex_lock(&s->lock);
    while (to->left > 0 && !r->pipeline->stop) {
        clock_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    if (r->pipeline->stop) {
        return RMAT_ERR_STOPPED;
    }
    if (i > 0 || !r->only_part_made) {
        status = rmat_interval_make_part(to->interval, &r->parts, i, sorted_stream(r, r->draws),
                                         r->goal->job.unique);
    }
    if (status != RMAT_OK) {
        return status;
    }
    pthread_mutex_lock(&s->lock);
    to->first = s->first;
    to->edges = rmat_interval_edges(to->interval);
    to->rows = 0;
    if (r->format == GRAPHFILE_CSR) {
        /* The part gives the pointers of rows whose first cell lies in it.  After the last row
         * comes the number of all edges. */
        const rmat_cell *c = &r->parts.cells[i];
        const bool last = c[1].src == r->goal->job.model.rows && c[0].src < c[1].src;

        to->first_row = c[0].src + (c[0].dst > 0);
        to->rows = c[1].src + (c[1].dst > 0 || last) - to->first_row;
    }
    to->left = to->edges + to->rows;
    pthread_mutex_unlock(&s->lock);
    s->first += to->edges;
    s->last = to;
    s->pointers = s->edges = false;
    return RMAT_OK;
}

/* The next span of the last slot: its pointers, if it has any, then its edges. */
static bool next_span(intervals *s, pipeline_span *span)
{
    const slot *of = s->last;

    if (!s->pointers) {
        s->pointers = true;
        if (of->rows > 0) {
            *span = (pipeline_span){PIPELINE_POINTERS, of->first_row, of->rows};
            return true;
        }
    }
    *span = (pipeline_span){PIPELINE_EDGES, of->first, s->edges ? 0 : of->edges};
    s->edges = true;
    return span->count > 0;
}

static bool next(void *state, pipeline *p, pipeline_span *span)
{
    intervals *s = state;
    int status = RMAT_OK;

    s->run->pipeline = p;
    sorted_under_way(s->run);
    while (status == RMAT_OK) {
        if (s->last != NULL && next_span(s, span)) {
            return true;
        }
        if (s->made == s->run->parts.n) { /* more, where one was cut in two */
            return false;
        }
        status = make_next(s);
    }
    if (status != RMAT_ERR_STOPPED) {
        sorted_fail(s->run->backend, status);
        pipeline_fail(p, "%s", engine_detail());
    }
    return false;
}

/* The slot that a span is of.  It does not change before the span is filled. */
static slot *slot_of(intervals *s, const pipeline_span *what)
{
    const bool pointers = what->kind == PIPELINE_POINTERS;
    slot *of = s->slots;

    pthread_mutex_lock(&s->lock);
    while (what->first - (pointers ? of->first_row : of->first) >=
           (pointers ? of->rows : of->edges)) {
        of++;
    }
    pthread_mutex_unlock(&s->lock);
    return of;
}

static void note_filled(void *state, const pipeline_span *what)
{
    reduce(state, slot_of(state, what), what->count);
}

/* On a GPU into its memory, in a stream. */
static int fill(void *state, const pipeline_span *what, const rmat_arrays *to, void *stream)
{
    const bool gpu = ((intervals *)state)->run->backend->used == RMAT_BACKEND_GPU;
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

int sorted_run_pipeline(sorted_run *r, const pipeline_sink *sink, pipeline_tick tick,
                        pipeline_result *result)
{
    intervals s = {.run = r,
                   .first = r->starts[dist_rank()],
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER};
    const pipeline_source source = {.next = next, .state = &s};
    pipeline_producer producer = engine_producer(r->backend);
    int status;

    producer.state = &s;
    producer.fill = fill;
    producer.filled = note_filled;
    for (int i = 0; i < r->plan.intervals; i++) {
        s.slots[i].interval = r->intervals[i];
    }
    status = pipeline_run(&r->backend->buffers, &source, &producer, sink, tick, r, result);
    pthread_mutex_destroy(&s.lock);
    pthread_cond_destroy(&s.changed);
    return status;
}
