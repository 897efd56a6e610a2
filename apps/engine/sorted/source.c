/*
 * Intervals as the pipeline takes them: spans of row pointers and of edges, and the filling of
 * chunks.
 *
 * The pipeline asks for spans from a thread of its own and one ahead, so that the interval which
 * such a call makes is in the making while chunks of the one before are filled and written, if
 * there is memory for two.
 */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <time.h>

enum { WAIT_NANOSECONDS = 50000000 };

/* Waits until the slot's last interval is in the pipeline's buffers; false: the run stops. */
static bool wait_for(sorted_run *r, const sorted_slot *slot)
{
    struct timespec until;

    pthread_mutex_lock(&r->lock);
    while (slot->left > 0 && !pipeline_stopped(r->pipeline)) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += WAIT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&r->changed, &r->lock, &until);
    }
    pthread_mutex_unlock(&r->lock);
    return !pipeline_stopped(r->pipeline);
}

static int count_made(void *run, uint64_t made)
{
    sorted_run *r = run;

    r->made += made;
    return pipeline_stopped(r->pipeline);
}

/* Rows whose first cell lies in interval i have their pointers from it; behind the last row comes
 * the number of all edges. */
static void set_rows(const sorted_run *r, uint64_t i, sorted_slot *slot)
{
    const rmat_cell *first = &r->cuts.cells[i], *end = &r->cuts.cells[i + 1];
    bool last = end->src == r->goal->job.model.rows;

    slot->first_row = first->src + (first->dst > 0);
    slot->end_row = end->src + (end->dst > 0 || (last && first->src < end->src));
}

/* The next interval, in a slot of which nothing is left; the first may be made already.  Returns 0,
 * an rmat_status of which r->text tells, or SORTED_STOPPED. */
static int make_next(sorted_source *s)
{
    sorted_run *r = s->run;
    const uint64_t i = s->intervals++;
    sorted_slot *slot = &r->slots[i % (uint64_t)r->plan.intervals];

    if (!wait_for(r, slot)) {
        return SORTED_STOPPED;
    }
    if (i > 0 || !r->kept) {
        r->pass++;
        int status =
            sorted_make_interval(r, slot->interval, i, sorted_stream(r, r->draws), count_made);

        if (status != RMAT_OK) {
            return sorted_failed(r, status);
        }
    }
    pthread_mutex_lock(&r->lock);
    set_rows(r, i, slot);
    slot->first = s->first;
    slot->edges = rmat_interval_edges(slot->interval);
    slot->left = slot->edges + sorted_pointers(r, slot);
    pthread_mutex_unlock(&r->lock);
    s->first += slot->edges;
    s->slot = slot;
    s->pointers = false;
    s->at = 0;
    return RMAT_OK;
}

/* So many elements of the slot are in buffers, or are not wanted. */
static void reduce(sorted_run *r, sorted_slot *slot, uint64_t count)
{
    pthread_mutex_lock(&r->lock);
    slot->left -= count;
    if (slot->left == 0) {
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
}

/* The next span of the slot: its pointers, if it has any, then its edges. */
static bool next_span(sorted_source *s, pipeline_span *span)
{
    sorted_slot *slot = s->slot;
    const uint64_t begin = slot->first + s->at, rows = sorted_pointers(s->run, slot);

    if (!s->pointers) {
        s->pointers = true;
        if (rows > 0) {
            *span = (pipeline_span){PIPELINE_POINTERS, slot->first_row, rows};
            return true;
        }
    }
    *span = engine_wanted(s->run->sink, begin, slot->first + slot->edges);
    s->at += span->first - begin + span->count;
    reduce(s->run, slot, span->first - begin);
    return span->count > 0;
}

int sorted_source_next(void *source, pipeline *p, pipeline_span *span)
{
    sorted_source *s = source;
    int status = RMAT_OK;

    s->run->pipeline = p;
    while (status == RMAT_OK) {
        if (s->slot != NULL && next_span(s, span)) {
            return 1;
        }
        if (s->intervals == s->run->cuts.n) { /* more, where one was cut in two */
            return 0;
        }
        status = make_next(s);
    }
    if (status < 0) {
        pipeline_fail(p, s->run->text);
    }
    return 0;
}

static bool has_span(const sorted_slot *slot, const pipeline_span *what)
{
    return what->kind == PIPELINE_POINTERS
               ? what->first >= slot->first_row && what->first < slot->end_row
               : what->first >= slot->first && what->first - slot->first < slot->edges;
}

/* It does not change before the span is filled. */
static sorted_slot *slot_of(sorted_run *r, const pipeline_span *what)
{
    sorted_slot *slot = r->slots;

    pthread_mutex_lock(&r->lock);
    while (!has_span(slot, what)) {
        slot++;
    }
    pthread_mutex_unlock(&r->lock);
    return slot;
}

static void note_filled(void *run, const pipeline_span *what)
{
    reduce(run, slot_of(run, what), what->count);
}

static int fill(void *run, const pipeline_span *what, const rmat_arrays *to, uint64_t *fingerprint)
{
    const sorted_slot *slot = slot_of(run, what);
    int status;

    if (what->kind == PIPELINE_POINTERS) {
        return rmat_interval_pointers(slot->interval, what->first, what->count, slot->first,
                                      to->dst);
    }
    status = rmat_interval_read(slot->interval, what->first - slot->first, what->count, to);
    if (status == RMAT_OK) {
        *fingerprint = rmat_fingerprint(to->src, to->dst, what->count, to->id_bytes);
    }
    return status;
}

static int fill_device(void *run, const pipeline_span *what, const rmat_arrays *to,
                       uint64_t *fingerprint, void *stream)
{
    const sorted_slot *slot = slot_of(run, what);
    int status;

    if (what->kind == PIPELINE_POINTERS) {
        return rmat_interval_pointers_device(slot->interval, what->first, what->count, slot->first,
                                             to->dst, stream);
    }
    status = rmat_interval_read_device(slot->interval, what->first - slot->first, what->count, to,
                                       stream);
    return status == RMAT_OK ? rmat_fingerprint_device(to->src, to->dst, what->count, to->id_bytes,
                                                       fingerprint, stream)
                             : status;
}

void sorted_source_init(sorted_source *s, sorted_run *r)
{
    *s = (sorted_source){.run = r,
                         .first = r->starts[dist_rank()],
                         .cpu = {fill, note_filled, r},
                         .gpu = {fill_device, note_filled, r, rmat_used_device(r->gen)}};
}

pipeline_producer sorted_producer(const sorted_source *s, const pipeline_plan *buffers)
{
    return s->run->backend->used == RMAT_BACKEND_GPU
               ? pipeline_gpu_filled(&s->gpu)
               : pipeline_cpu_filled(&s->cpu, buffers->generators);
}
