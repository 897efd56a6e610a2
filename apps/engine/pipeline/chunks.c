/* Chunks on their way: from an empty buffer to a maker, to a writer, and back; and the spans that
 * they are cut from. */
#include "apps/engine/pipeline/private.h"

/* append() to is_any_to_write(): under the lock. */

static void append(pipeline_list *l, pipeline_chunk *c)
{
    c->next = NULL;
    *l->tail = c;
    l->tail = &c->next;
}

/* The oldest, or NULL. */
static pipeline_chunk *take(pipeline_list *l)
{
    pipeline_chunk *c = l->head;

    if (c != NULL) {
        l->head = c->next;
        if (l->head == NULL) {
            l->tail = &l->head;
        }
    }
    return c;
}

/* Is there an edge that nobody claimed yet? */
static bool any_unclaimed(pipeline *p)
{
    if (p->now.next == p->now.end && p->ahead.next < p->ahead.end) {
        p->now = p->ahead;
        p->ahead = (pipeline_span){0, 0};
        pthread_cond_signal(&p->to_feed);
    }
    return p->now.next < p->now.end;
}

/* The next edges of the span, at most a chunk of them, into this buffer.  They end where a run from
 * 0 on would have a chunk end: where the file has whole pages. */
static void claim_edges(pipeline *p, pipeline_chunk *c)
{
    uint64_t left = p->now.end - p->now.next;
    uint64_t room = p->plan->chunk - (p->now.next & ~PIPELINE_POINTERS) % p->plan->chunk;

    c->first = p->now.next;
    c->count = left < room ? left : room;
    c->number = p->claimed++;
    p->now.next += c->count;
    if (p->fed && !any_unclaimed(p)) {
        pthread_cond_broadcast(&p->to_make); /* nothing left to wait for */
    }
}

/* Before those of higher numbers. */
static void insert(pipeline_list *l, pipeline_chunk *c)
{
    pipeline_chunk **at = &l->head;

    while (*at != NULL && (*at)->number < c->number) {
        at = &(*at)->next;
    }
    c->next = *at;
    *at = c;
    if (c->next == NULL) {
        l->tail = &c->next;
    }
}

static bool is_any_to_write(const pipeline *p)
{
    const pipeline_chunk *c = p->full.head;

    return c != NULL && (!p->sink->in_order || c->number == p->given);
}

void pipeline_chunks_init(pipeline *p, pipeline_chunk *chunks)
{
    size_t column = pipeline_column_bytes(p->plan), chunk = pipeline_chunk_bytes(p->plan);

    p->empty.tail = &p->empty.head;
    p->returned.tail = &p->returned.head;
    p->full.tail = &p->full.head;
    for (int i = 0; i < p->plan->buffers; i++) {
        char *memory = (char *)p->memory + chunk * (size_t)i;

        chunks[i].src = p->plan->csr ? NULL : memory;
        chunks[i].dst = p->plan->csr ? memory : memory + column;
        chunks[i].weight = p->plan->weight_bytes > 0 ? (char *)chunks[i].dst + column : NULL;
        append(&p->empty, &chunks[i]);
    }
}

pipeline_chunk *pipeline_claim(pipeline *p, bool wait)
{
    pipeline_chunk *c = NULL;

    pthread_mutex_lock(&p->lock);
    while (wait && !atomic_load(&p->stop) && p->returned.head == NULL &&
           (any_unclaimed(p) ? p->empty.head == NULL : !p->fed)) {
        pthread_cond_wait(&p->to_make, &p->lock);
    }
    if (!atomic_load(&p->stop)) {
        c = take(&p->returned);
        if (c == NULL && any_unclaimed(p) && (c = take(&p->empty)) != NULL) {
            claim_edges(p, c);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return c;
}

void pipeline_finish(pipeline *p, pipeline_chunk *c)
{
    pthread_mutex_lock(&p->lock);
    p->result->done += pipeline_is_pointers(c->first) ? 0 : c->count;
    p->result->fingerprint += c->fingerprint;
    append(&p->empty, c);
    pthread_cond_signal(&p->to_make);
    pthread_mutex_unlock(&p->lock);
}

void pipeline_submit(pipeline *p, pipeline_chunk *chunk)
{
    if (p->sink == NULL) {
        pipeline_finish(p, chunk);
        return;
    }
    pthread_mutex_lock(&p->lock);
    if (p->sink->in_order) {
        insert(&p->full, chunk);
    } else {
        append(&p->full, chunk);
    }
    if (is_any_to_write(p)) {
        pthread_cond_signal(&p->to_write);
    }
    pthread_mutex_unlock(&p->lock);
}

void pipeline_return(pipeline *p, pipeline_chunk *chunk)
{
    pthread_mutex_lock(&p->lock);
    append(&p->returned, chunk);
    pthread_cond_signal(&p->to_make);
    pthread_mutex_unlock(&p->lock);
}

bool pipeline_stopped(const pipeline *p)
{
    return atomic_load(&p->stop);
}

const pipeline_plan *pipeline_plan_of(const pipeline *p)
{
    return p->plan;
}

void *pipeline_memory(const pipeline *p)
{
    return p->memory;
}

pipeline_chunk *pipeline_next_to_write(pipeline *p)
{
    pipeline_chunk *c = NULL;

    pthread_mutex_lock(&p->lock);
    while (!is_any_to_write(p) && !atomic_load(&p->stop) && p->making > 0) {
        pthread_cond_wait(&p->to_write, &p->lock);
    }
    if (!atomic_load(&p->stop)) {
        c = take(&p->full);
    }
    if (c != NULL) {
        p->given = c->number + 1;
    }
    if (is_any_to_write(p)) {
        pthread_cond_signal(&p->to_write);
    }
    pthread_mutex_unlock(&p->lock);
    return c;
}

void pipeline_feed(pipeline *p)
{
    int more = 1;

    while (more != 0) {
        uint64_t first = 0, count = 0;

        pthread_mutex_lock(&p->lock);
        while (p->ahead.next < p->ahead.end && !atomic_load(&p->stop)) {
            pthread_cond_wait(&p->to_feed, &p->lock);
        }
        pthread_mutex_unlock(&p->lock);
        more = atomic_load(&p->stop) ? 0 : p->source->next(p->source->state, &first, &count);
        pthread_mutex_lock(&p->lock);
        if (more == 1) {
            p->ahead = (pipeline_span){first, first + count};
        }
        if (more >= 0) {
            p->fed = more == 0;
            pthread_cond_broadcast(&p->to_make);
        }
        pthread_mutex_unlock(&p->lock);
    }
}
