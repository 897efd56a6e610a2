#include "apps/pipeline.h"
#include "apps/huge_alloc.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICK_NANOSECONDS = 100000000 };

typedef struct {
    pipeline_chunk *head, **tail;
} list;

typedef struct {
    uint64_t next, end; /* edges */
} span;

struct pipeline {
    const pipeline_plan *plan;
    const pipeline_source *source; /* or NULL */
    const pipeline_producer *producer, *fallback;
    edgefile_writer *writer;
    void *memory;     /* of all buffers */
    atomic_bool stop; /* written under the lock */

    pthread_mutex_t lock; /* guards all below, and result */
    pthread_cond_t to_make, to_write, to_feed, ended;
    pipeline_result *result;
    span now, ahead;            /* what nobody claimed yet */
    bool fed;                   /* no span comes after these */
    list empty, returned, full; /* returned: claimed once, and still to be made */
    int making, running;        /* producers' threads, and threads in all, that have not ended */
    pthread_t *threads;
    int started; /* of them */
};

/* The functions down to stop() are called under the lock. */

static void append(list *l, pipeline_chunk *c)
{
    c->next = NULL;
    *l->tail = c;
    l->tail = &c->next;
}

/* The oldest, or NULL. */
static pipeline_chunk *take(list *l)
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

static void stop(pipeline *p)
{
    atomic_store(&p->stop, true);
    pthread_cond_broadcast(&p->to_make);
    pthread_cond_broadcast(&p->to_write);
    pthread_cond_broadcast(&p->to_feed);
}

/* The first message wins; everyone stops. */
static void fail(pipeline *p, const char *message)
{
    pthread_mutex_lock(&p->lock);
    if (p->result->error == NULL) {
        snprintf(p->result->text, sizeof p->result->text, "%s", message);
        p->result->error = p->result->text;
    }
    stop(p);
    pthread_mutex_unlock(&p->lock);
}

/* Its edges are where they belong, or were not wanted; the buffer is free. */
static void finish(pipeline *p, pipeline_chunk *c)
{
    pthread_mutex_lock(&p->lock);
    p->result->done += c->count;
    p->result->fingerprint += c->fingerprint;
    append(&p->empty, c);
    pthread_cond_signal(&p->to_make);
    pthread_mutex_unlock(&p->lock);
}

/* Is there an edge that nobody claimed yet?  Under the lock. */
static bool any_unclaimed(pipeline *p)
{
    if (p->now.next == p->now.end && p->ahead.next < p->ahead.end) {
        p->now = p->ahead;
        p->ahead = (span){0, 0};
        pthread_cond_signal(&p->to_feed);
    }
    return p->now.next < p->now.end;
}

/* The next edges of the span, at most a chunk of them, into this buffer.  Under the lock. */
static void claim_edges(pipeline *p, pipeline_chunk *c)
{
    uint64_t left = p->now.end - p->now.next;

    c->first = p->now.next;
    c->count = left < p->plan->chunk ? left : p->plan->chunk;
    p->now.next += c->count;
    if (p->fed && !any_unclaimed(p)) {
        pthread_cond_broadcast(&p->to_make); /* nothing left to wait for */
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

void pipeline_submit(pipeline *p, pipeline_chunk *chunk)
{
    if (p->writer == NULL) {
        finish(p, chunk);
        return;
    }
    pthread_mutex_lock(&p->lock);
    append(&p->full, chunk);
    pthread_cond_signal(&p->to_write);
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

/* The oldest chunk to write, waiting for one.  NULL: stopped, or none will ever come. */
static pipeline_chunk *next_to_write(pipeline *p)
{
    pipeline_chunk *c = NULL;

    pthread_mutex_lock(&p->lock);
    while (p->full.head == NULL && !atomic_load(&p->stop) && p->making > 0) {
        pthread_cond_wait(&p->to_write, &p->lock);
    }
    if (!atomic_load(&p->stop)) {
        c = take(&p->full);
    }
    pthread_mutex_unlock(&p->lock);
    return c;
}

/* All threads begin when all are there: to start threads beside many busy ones takes long. */
static pipeline *begin(void *argument)
{
    pipeline *p = argument;

    pthread_mutex_lock(&p->lock);
    pthread_mutex_unlock(&p->lock);
    return p;
}

static void *end(pipeline *p, bool making)
{
    pthread_mutex_lock(&p->lock);
    p->making -= making;
    p->running--;
    pthread_cond_broadcast(&p->to_write);
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *write_out(void *argument)
{
    pipeline *p = begin(argument);
    pipeline_chunk *c;

    while ((c = next_to_write(p)) != NULL) {
        if (edgefile_write(p->writer, c->first, c->count, c->src, c->dst, c->fingerprint) !=
            EDGEFILE_OK) {
            fail(p, edgefile_detail());
            break;
        }
        finish(p, c);
    }
    return end(p, false);
}

/* Ask the source for a span whenever none is ahead. */
static void *feed(void *argument)
{
    pipeline *p = begin(argument);
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
            p->ahead = (span){first, first + count};
        }
        if (more >= 0) {
            p->fed = more == 0;
            pthread_cond_broadcast(&p->to_make);
        }
        pthread_mutex_unlock(&p->lock);
    }
    return end(p, false);
}

/* Up to n threads more, under the lock.  Returns 0 or an errno. */
static int start(pipeline *p, void *(*body)(void *), bool making, int n)
{
    int error = 0;

    for (int i = 0; i < n && error == 0; i++) {
        error = pthread_create(&p->threads[p->started], NULL, body, p);
        if (error == 0) {
            p->started++;
            p->running++;
            p->making += making;
        }
    }
    return error;
}

static void *make_by_fallback(void *argument)
{
    pipeline *p = begin(argument);
    char text[PIPELINE_TEXT] = "";

    if (p->fallback->run(p->fallback->state, p, text, sizeof text) != 0) {
        fail(p, text);
    }
    return end(p, true);
}

/* The first thread of the producer that fails brings in the fallback's others; each becomes one of
 * them, so what it returned is made however many threads the system gives. */
static void bring_in_fallback(pipeline *p, const char *why)
{
    pthread_mutex_lock(&p->lock);
    if (!p->result->fell_back) {
        p->result->fell_back = true;
        snprintf(p->result->fall_text, sizeof p->result->fall_text, "%s", why);
        start(p, make_by_fallback, true, p->fallback->threads - 1);
    }
    pthread_mutex_unlock(&p->lock);
}

static void *make(void *argument)
{
    pipeline *p = begin(argument);
    char text[PIPELINE_TEXT] = "";

    if (p->producer->run(p->producer->state, p, text, sizeof text) != 0) {
        if (p->fallback != NULL && !pipeline_stopped(p)) {
            bring_in_fallback(p, text);
            return make_by_fallback(p);
        }
        fail(p, text);
    }
    return end(p, true);
}

/* Signals stay with the main thread.  Producers last: as many as the system gives will do. */
static void start_threads(pipeline *p)
{
    sigset_t all, before;
    bool none;
    int error = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&p->lock);
    if (p->source != NULL) {
        error = start(p, feed, false, 1);
    }
    if (p->writer != NULL && error == 0) {
        error = start(p, write_out, false, p->plan->writers);
    }
    if (error == 0) {
        error = start(p, make, true, p->producer->threads);
    }
    none = p->making == 0;
    pthread_mutex_unlock(&p->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (none) {
        fail(p, strerror(error));
    }
}

/* Tick until the last thread has ended. */
static void supervise(pipeline *p, pipeline_tick tick, void *argument)
{
    struct timespec wake;

    pthread_mutex_lock(&p->lock);
    while (p->running > 0) {
        clock_gettime(CLOCK_MONOTONIC, &wake);
        wake.tv_nsec += TICK_NANOSECONDS;
        wake.tv_sec += wake.tv_nsec / 1000000000;
        wake.tv_nsec %= 1000000000;
        while (p->running > 0 && pthread_cond_timedwait(&p->ended, &p->lock, &wake) != ETIMEDOUT) {
        }
        if (p->running > 0 && !atomic_load(&p->stop)) {
            uint64_t done = p->result->done;
            int stops;

            pthread_mutex_unlock(&p->lock);
            stops = tick(argument, done);
            pthread_mutex_lock(&p->lock);
            if (stops) {
                p->result->stopped = true;
                stop(p);
            }
        }
    }
    pthread_mutex_unlock(&p->lock);
}

/* All buffers in one allocation.  Returns 0, or -1 if memory is exhausted. */
static int allocate(pipeline *p, pipeline_chunk *chunks)
{
    size_t column = pipeline_column_bytes(p->plan);

    p->memory = huge_alloc(pipeline_buffer_bytes(p->plan));
    for (int i = 0; p->memory != NULL && i < p->plan->buffers; i++) {
        chunks[i].src = (char *)p->memory + 2 * column * (size_t)i;
        chunks[i].dst = (char *)chunks[i].src + column;
        append(&p->empty, &chunks[i]);
    }
    return p->memory != NULL ? 0 : -1;
}

static void init(pipeline *p)
{
    pthread_condattr_t monotonic;

    p->empty.tail = &p->empty.head;
    p->returned.tail = &p->returned.head;
    p->full.tail = &p->full.head;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->to_make, NULL);
    pthread_cond_init(&p->to_write, NULL);
    pthread_cond_init(&p->to_feed, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

int pipeline_run(const pipeline_plan *plan, const pipeline_source *source,
                 const pipeline_producer *producer, const pipeline_producer *fallback,
                 edgefile_writer *writer, pipeline_tick tick, void *argument,
                 pipeline_result *result)
{
    pipeline p = {.plan = plan,
                  .source = source,
                  .producer = producer,
                  .fallback = fallback,
                  .writer = writer,
                  .result = result,
                  .now = {0, source == NULL ? plan->edges : 0},
                  .fed = source == NULL};
    int most = 1 + producer->threads + plan->writers + (fallback != NULL ? fallback->threads : 0);
    pipeline_chunk *chunks = calloc((size_t)plan->buffers, sizeof *chunks);

    memset(result, 0, sizeof *result);
    init(&p);
    p.threads = calloc((size_t)most, sizeof *p.threads);
    if (p.threads == NULL || chunks == NULL || allocate(&p, chunks) != 0) {
        fail(&p, "memory is exhausted");
    } else {
        start_threads(&p);
    }
    supervise(&p, tick, argument);
    for (int i = 0; i < p.started; i++) {
        pthread_join(p.threads[i], NULL);
    }

    pthread_cond_destroy(&p.ended);
    pthread_cond_destroy(&p.to_feed);
    pthread_cond_destroy(&p.to_write);
    pthread_cond_destroy(&p.to_make);
    pthread_mutex_destroy(&p.lock);
    free(p.memory);
    free(chunks);
    free(p.threads);
    return result->error == NULL && !result->stopped ? 0 : -1;
}
