/*
 * A run of the pipeline: threads of the producer and of the writers, and the thread that called,
 * which feeds spans, ticks, and waits for the end.
 *
 * Chunks go round: empty -> claimed by a producer -> full -> written -> empty.  All lists are under
 * one lock, which is held for moments only; a chunk takes milliseconds.  When a producer fails, the
 * fallback takes over what has been claimed but not submitted.
 */
#include "apps/common/huge_alloc.h"
#include "apps/engine/pipeline/private.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICK_NANOSECONDS = 100000000 };

/* Under the lock. */
static void stop(pipeline *p)
{
    if (!atomic_exchange(&p->stop, true) && p->sink != NULL && p->sink->stop != NULL) {
        p->sink->stop(p->sink->state);
    }
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

    while ((c = pipeline_next_to_write(p)) != NULL) {
        const char *error = p->sink->write(p->sink->state, p->plan, c);

        if (error != NULL) {
            fail(p, error);
            break;
        }
        pipeline_finish(p, c);
    }
    return end(p, false);
}

static void *feed(void *argument)
{
    pipeline *p = begin(argument);

    pipeline_feed(p);
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
    if (p->sink != NULL && error == 0) {
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

static void init(pipeline *p)
{
    pthread_condattr_t monotonic;

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
                 const pipeline_sink *sink, pipeline_tick tick, void *argument,
                 pipeline_result *result)
{
    pipeline p = {.plan = plan,
                  .source = source,
                  .producer = producer,
                  .fallback = fallback,
                  .sink = sink,
                  .result = result,
                  .now = {0, source == NULL ? plan->edges : 0},
                  .fed = source == NULL};
    int most = 1 + producer->threads + plan->writers + (fallback != NULL ? fallback->threads : 0);
    pipeline_chunk *chunks = calloc((size_t)plan->buffers, sizeof *chunks);

    memset(result, 0, sizeof *result);
    init(&p);
    p.threads = calloc((size_t)most, sizeof *p.threads);
    p.memory = huge_alloc(pipeline_buffer_bytes(plan)); /* of all buffers at once */
    if (p.threads == NULL || chunks == NULL || p.memory == NULL) {
        fail(&p, "memory is exhausted");
    } else {
        pipeline_chunks_init(&p, chunks);
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
