/* Intervals as the pipeline takes them: spans of row pointers and of edges, and the filling of
 * chunks. */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <time.h>

enum { WAIT_NANOSECONDS = 50000000 };

static uint64_t pointer_width(const sorted_run *r)
{
    return 8 / (uint64_t)r->job->id_bytes;
}

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

/* Under the lock: the pointers of the slot, if it has any. */
static bool give_pointers(const sorted_run *r, const sorted_slot *slot, uint64_t *first,
                          uint64_t *count)
{
    const uint64_t width = pointer_width(r);

    if (r->format != GRAPHFILE_CSR || slot->first_row >= slot->end_row) {
        return false;
    }
    *first = PIPELINE_POINTERS + slot->first_row * width;
    *count = (slot->end_row - slot->first_row) * width;
    return true;
}

/* Under the lock: the next span of the slot. */
static bool next_span(sorted_source *s, sorted_slot *slot, uint64_t *first, uint64_t *count)
{
    const uint64_t begin = slot->first + s->at;

    if (!s->pointers) {
        s->pointers = true;
        if (give_pointers(s->run, slot, first, count)) {
            return true;
        }
    }
    *first = begin;
    *count = slot->edges - s->at;
    engine_wanted(s->run->target, first, count);
    s->at += *first - begin + *count;
    slot->left -= *first - begin;
    return *count > 0;
}

int sorted_source_next(void *source, uint64_t *first, uint64_t *count)
{
    sorted_source *s = source;
    sorted_run *r = s->run;
    sorted_slot *slot;
    int more = -1;

    pthread_mutex_lock(&r->lock);
    while (more < 0 && (slot = next_part(r)) != NULL) {
        if (next_span(s, slot, first, count)) {
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

static bool has_item(const sorted_run *r, const sorted_slot *slot, uint64_t item)
{
    uint64_t row = (item - PIPELINE_POINTERS) / pointer_width(r);

    return slot->made &&
           (pipeline_is_pointers(item) ? row >= slot->first_row && row < slot->end_row
                                       : item >= slot->first && item - slot->first < slot->edges);
}

static sorted_slot *part_of(sorted_run *r, uint64_t item)
{
    sorted_slot *slot = r->slots;

    while (!has_item(r, slot, item)) {
        slot++;
    }
    return slot;
}

/* A slot with items that are not filled yet does not change. */
static const sorted_slot *locked_part_of(sorted_run *r, uint64_t item)
{
    const sorted_slot *slot;

    pthread_mutex_lock(&r->lock);
    slot = part_of(r, item);
    pthread_mutex_unlock(&r->lock);
    return slot;
}

static void note_filled(void *run, uint64_t first, uint64_t count)
{
    sorted_run *r = run;
    sorted_slot *slot;

    pthread_mutex_lock(&r->lock);
    slot = part_of(r, first);
    slot->left -= count;
    end_part(r, slot);
    pthread_mutex_unlock(&r->lock);
}

static int fill_items(void *run, uint64_t first, uint64_t count, const rmat_arrays *to,
                      uint64_t *fingerprint)
{
    sorted_run *r = run;
    const sorted_slot *slot = locked_part_of(r, first);
    uint64_t width = pointer_width(r);
    int status;

    if (pipeline_is_pointers(first)) {
        return rmat_interval_pointers(slot->interval, (first - PIPELINE_POINTERS) / width,
                                      count / width, slot->first, to->dst);
    }
    status = rmat_interval_read(slot->interval, first - slot->first, count, to);
    if (status == RMAT_OK) {
        *fingerprint = rmat_fingerprint(to->src, to->dst, count, to->id_bytes);
    }
    return status;
}

static int fill_items_device(void *run, uint64_t first, uint64_t count, const rmat_arrays *to,
                             uint64_t *fingerprint, void *stream)
{
    sorted_run *r = run;
    const sorted_slot *slot = locked_part_of(r, first);
    uint64_t width = pointer_width(r);
    int status;

    if (pipeline_is_pointers(first)) {
        return rmat_interval_pointers_device(slot->interval, (first - PIPELINE_POINTERS) / width,
                                             count / width, slot->first, to->dst, stream);
    }
    status = rmat_interval_read_device(slot->interval, first - slot->first, count, to, stream);
    return status == RMAT_OK
               ? rmat_fingerprint_device(to->src, to->dst, count, to->id_bytes, fingerprint, stream)
               : status;
}

void sorted_source_init(sorted_source *s, sorted_run *r)
{
    *s = (sorted_source){.run = r,
                         .cpu = {fill_items, note_filled, r},
                         .gpu = {fill_items_device, note_filled, r, rmat_used_device(r->gen)}};
}

pipeline_producer sorted_producer(const sorted_source *s, const pipeline_plan *buffers)
{
    return s->run->backend->used == RMAT_BACKEND_GPU
               ? pipeline_gpu_filled(&s->gpu)
               : pipeline_cpu_filled(&s->cpu, buffers->generators);
}
