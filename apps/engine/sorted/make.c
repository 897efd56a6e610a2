/*
 * make.c - makes intervals, each in one pass over the stream, and passes them to the pipeline one
 * after another, as spans of row pointers and of edges.
 *
 * The pipeline requests spans from a separate thread, one span ahead.  So if there is memory for
 * two intervals, the next one is made while chunks of the previous one are filled and written.
 */
#include "apps/common/system.h"
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- An interval --- */

/* The stream is made in slices, so that the caller can be asked whether to go on: longer and longer
 * ones, until they take so long. */
enum { FIRST_SLICE = 1 << 20, MAX_SLICE = 1 << 30 };
#define SLICE_SECONDS 0.05

/* Part i ends at the cell, and one more begins there. */
static int cut_at(sorted_run *r, uint64_t i, const rmat_cell *cell)
{
    rmat_cell *more = realloc(r->cells, (r->parts + 2) * sizeof *more);

    if (more == NULL) {
        return RMAT_ERR_NOMEM;
    }
    r->cells = more;
    memmove(more + i + 2, more + i + 1, (r->parts - i) * sizeof *more);
    more[i + 1] = *cell;
    r->parts++;
    return RMAT_OK;
}

int sorted_pieces(sorted_run *r, uint64_t first, uint64_t end,
                  int (*work)(void *state, uint64_t first, uint64_t count), void *state)
{
    uint64_t slice = FIRST_SLICE, made = 0;
    int status = RMAT_OK;

    for (uint64_t at = first; status == RMAT_OK && at < end; at += made) {
        double start = clock_seconds();

        if (sorted_tick(r, made)) {
            return RMAT_ERR_STOPPED;
        }
        made = end - at < slice ? end - at : slice;
        status = work(state, at, made);
        if (slice < MAX_SLICE && clock_seconds() - start < SLICE_SECONDS) {
            slice *= 2;
        }
    }
    return status == RMAT_OK && sorted_tick(r, made) ? RMAT_ERR_STOPPED : status;
}

static int add_edges(void *interval, uint64_t first, uint64_t count)
{
    return rmat_interval_add(interval, first, count);
}

static int make_part(sorted_run *r, rmat_interval *b, uint64_t i, uint64_t stream)
{
    const rmat_cell *c = &r->cells[i], cells[] = {{0, 0}, c[0], c[1]};
    uint64_t range[] = {0, stream}; /* before its edges, and how many there may be */
    int status = rmat_interval_begin(b, &c[0], &c[1], r->goal->job.unique);

    if (c[0].src == c[1].src && c[0].dst == c[1].dst) {
        range[1] = 0;
    } else if (status == RMAT_OK && r->plan.in_order) {
        status = rmat_count_cells(r->gen, 0, stream, 3, cells, range);
    }
    if (status == RMAT_OK) {
        status = sorted_pieces(r, range[0], range[0] + range[1], add_edges, b);
    }
    return status == RMAT_OK ? rmat_interval_sort(b) : status;
}

int sorted_make(sorted_run *r, rmat_interval *b, uint64_t i, uint64_t stream)
{
    rmat_cell middle;
    int status;

    r->pass++;
    while ((status = make_part(r, b, i, stream)) == RMAT_ERR_FULL) {
        status = rmat_interval_middle(b, &middle);
        if (status == RMAT_OK) {
            status = cut_at(r, i, &middle);
        }
        if (status != RMAT_OK) {
            break;
        }
    }
    return status;
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
    bool pointers;          /* its pointers were passed on */
    uint64_t at;            /* number of its edges that were passed on */
    pthread_mutex_t lock;   /* guards the slots */
    pthread_cond_t changed; /* signaled when a slot is empty */
} intervals;

/* Waits until the slot's last interval is in the pipeline's buffers; false: the run stops. */
static bool wait_for(intervals *s, const slot *of)
{
    const pipeline *p = s->run->pipeline;

    pthread_mutex_lock(&s->lock);
    while (of->left > 0 && !p->stop) {
        clock_wait(&s->changed, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return !p->stop;
}

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
    const rmat_cell *first, *end;
    int status = RMAT_OK;

    if (!wait_for(s, to)) {
        return RMAT_ERR_STOPPED;
    }
    if (i > 0 || !r->only_part_made) {
        status = sorted_make(r, to->interval, i, sorted_stream(r, r->draws));
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
        first = &r->cells[i];
        end = &r->cells[i + 1];
        to->first_row = first->src + (first->dst > 0);
        to->rows =
            end->src +
            (end->dst > 0 || (end->src == r->goal->job.model.rows && first->src < end->src)) -
            to->first_row;
    }
    to->left = to->edges + to->rows;
    pthread_mutex_unlock(&s->lock);
    s->first += to->edges;
    s->last = to;
    s->pointers = false;
    s->at = 0;
    return RMAT_OK;
}

/* The next span of the last slot: its pointers, if it has any, then its edges. */
static bool next_span(intervals *s, pipeline_span *span)
{
    slot *of = s->last;
    const uint64_t begin = of->first + s->at;

    if (!s->pointers) {
        s->pointers = true;
        if (of->rows > 0) {
            *span = (pipeline_span){PIPELINE_POINTERS, of->first_row, of->rows};
            return true;
        }
    }
    *span = engine_wanted(s->run->sink, begin, of->first + of->edges);
    s->at += span->first - begin + span->count;
    reduce(s, of, span->first - begin);
    return span->count > 0;
}

static int next(void *state, pipeline *p, pipeline_span *span)
{
    intervals *s = state;
    int status = RMAT_OK;

    s->run->pipeline = p;
    sorted_under_way(s->run);
    while (status == RMAT_OK) {
        if (s->last != NULL && next_span(s, span)) {
            return 1;
        }
        if (s->made == s->run->parts) { /* more, where one was cut in two */
            return 0;
        }
        status = make_next(s);
    }
    if (status != RMAT_ERR_STOPPED) {
        sorted_fail(s->run->backend, status);
        pipeline_fail(p, engine_detail());
    }
    return 0;
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

static int fill(void *state, const pipeline_span *what, const rmat_arrays *to,
                uint64_t *fingerprint, void *unused)
{
    const slot *of = slot_of(state, what);
    int status;

    (void)unused;
    if (what->kind == PIPELINE_POINTERS) {
        return rmat_interval_pointers(of->interval, what->first, what->count, of->first, to->dst);
    }
    status = rmat_interval_read(of->interval, what->first - of->first, what->count, to);
    if (status == RMAT_OK) {
        *fingerprint = rmat_fingerprint(to->src, to->dst, what->count, to->id_bytes);
    }
    return status;
}

static int fill_device(void *state, const pipeline_span *what, const rmat_arrays *to,
                       uint64_t *fingerprint, void *stream)
{
    const slot *of = slot_of(state, what);
    int status;

    if (what->kind == PIPELINE_POINTERS) {
        return rmat_interval_pointers_device(of->interval, what->first, what->count, of->first,
                                             to->dst, stream);
    }
    status =
        rmat_interval_read_device(of->interval, what->first - of->first, what->count, to, stream);
    return status == RMAT_OK ? rmat_fingerprint_device(to->src, to->dst, what->count, to->id_bytes,
                                                       fingerprint, stream)
                             : status;
}

void sorted_run_pipeline(sorted_run *r, const pipeline_plan *buffers, const pipeline_sink *sink,
                         pipeline_tick tick, pipeline_result *result)
{
    intervals s = {.run = r,
                   .first = r->starts[dist_rank()],
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER};
    const pipeline_source source = {.next = next, .state = &s};
    const bool gpu = r->backend->used == RMAT_BACKEND_GPU;
    pipeline_producer producer =
        gpu ? pipeline_gpu(r->gen) : pipeline_cpu(r->gen, buffers->generators);

    producer.state = &s;
    producer.fill = gpu ? fill_device : fill;
    producer.filled = note_filled;
    for (int i = 0; i < r->plan.intervals; i++) {
        s.slots[i].interval = r->intervals[i];
    }
    pipeline_run(buffers, &source, &producer, sink, tick, r, result);
    pthread_mutex_destroy(&s.lock);
    pthread_cond_destroy(&s.changed);
}
