/* Intervals as the pipeline takes them: spans of row pointers and of edges, and the filling of
 * chunks. */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <time.h>

enum { WAIT_NANOSECONDS = 50000000 };

/* Under the lock: the next slot to give out, after a short wait; NULL: none yet. */
static sorted_slot *next_part(sorted_run *r)
{
    struct timespec until;

    if (r->given == r->begun && !r->ended) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += WAIT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&r->changed, &r->lock, &until);
    }
    return r->given < r->begun ? &r->slots[r->given % (uint64_t)r->plan.intervals] : NULL;
}

/* Under the lock: all of it is in the pipeline's buffers, the memory is free. */
static void end_part(sorted_run *r, sorted_slot *slot)
{
    if (slot->given && slot->left == 0) {
        slot->made = false;
        pthread_cond_broadcast(&r->changed);
    }
}

/* Under the lock: the next span of the slot: its pointers, if it has any, then its edges. */
static bool next_span(sorted_source *s, sorted_slot *slot, pipeline_span *span)
{
    const uint64_t begin = slot->first + s->at;

    if (!s->pointers) {
        s->pointers = true;
        if (sorted_pointers(s->run, slot) > 0) {
            *span =
                (pipeline_span){PIPELINE_POINTERS, slot->first_row, sorted_pointers(s->run, slot)};
            return true;
        }
    }
    *span = engine_wanted(s->run->sink, begin, slot->first + slot->edges);
    s->at += span->first - begin + span->count;
    slot->left -= span->first - begin;
    return span->count > 0;
}

int sorted_source_next(void *source, pipeline_span *span)
{
    sorted_source *s = source;
    sorted_run *r = s->run;
    sorted_slot *slot;
    int more = -1;

    pthread_mutex_lock(&r->lock);
    while (more < 0 && (slot = next_part(r)) != NULL) {
        if (next_span(s, slot, span)) {
            more = 1;
        } else {
            slot->given = true;
            r->given++;
            s->pointers = false;
            s->at = 0;
            end_part(r, slot);
        }
    }
    if (more < 0 && r->ended && r->given == r->begun) {
        more = 0;
    }
    pthread_mutex_unlock(&r->lock);
    return more;
}

static bool has_span(const sorted_slot *slot, const pipeline_span *what)
{
    return slot->made &&
           (what->kind == PIPELINE_POINTERS
                ? what->first >= slot->first_row && what->first < slot->end_row
                : what->first >= slot->first && what->first - slot->first < slot->edges);
}

static sorted_slot *slot_of(sorted_run *r, const pipeline_span *what)
{
    sorted_slot *slot = r->slots;

    while (!has_span(slot, what)) {
        slot++;
    }
    return slot;
}

/* A slot with spans that are not filled yet does not change. */
static const sorted_slot *locked_slot_of(sorted_run *r, const pipeline_span *what)
{
    const sorted_slot *slot;

    pthread_mutex_lock(&r->lock);
    slot = slot_of(r, what);
    pthread_mutex_unlock(&r->lock);
    return slot;
}

static void note_filled(void *run, const pipeline_span *what)
{
    sorted_run *r = run;
    sorted_slot *slot;

    pthread_mutex_lock(&r->lock);
    slot = slot_of(r, what);
    slot->left -= what->count;
    end_part(r, slot);
    pthread_mutex_unlock(&r->lock);
}

static int fill(void *run, const pipeline_span *what, const rmat_arrays *to, uint64_t *fingerprint)
{
    const sorted_slot *slot = locked_slot_of(run, what);
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
    const sorted_slot *slot = locked_slot_of(run, what);
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
                         .cpu = {fill, note_filled, r},
                         .gpu = {fill_device, note_filled, r, rmat_used_device(r->gen)}};
}

pipeline_producer sorted_producer(const sorted_source *s, const pipeline_plan *buffers)
{
    return s->run->backend->used == RMAT_BACKEND_GPU
               ? pipeline_gpu_filled(&s->gpu)
               : pipeline_cpu_filled(&s->cpu, buffers->generators);
}
