/*
 * pipeline.c - the sizes of the buffers; a run of the pipeline, with threads of the producer, of
 * the writers and of the source, and the calling thread, which ticks and waits for the end; and the
 * producer on the CPU.
 *
 * Chunks form a cycle: empty -> claimed by a producer -> full -> written -> empty.  One lock
 * protects all lists.  It is held only briefly, while a chunk takes milliseconds.
 */
#include "apps/engine/pipeline/pipeline.h"
#include "apps/common/system.h"
#include "apps/engine/job.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The number and the size of the buffers --- */

enum { MIN_CHUNK = 1 << 14 };

static size_t padded(uint64_t chunk, int bytes)
{
    size_t align = edgefile_alignment();

    return ((size_t)chunk * (size_t)bytes + align - 1) / align * align;
}

size_t pipeline_column_bytes(const pipeline_plan *plan)
{
    return padded(plan->chunk, plan->id_bytes);
}

size_t pipeline_chunk_bytes(const pipeline_plan *plan)
{
    return (plan->csr ? 1 : 2) * padded(plan->chunk, plan->id_bytes) +
           padded(plan->chunk, plan->weight_bytes);
}

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan)
{
    return (uint64_t)pipeline_chunk_bytes(plan) * (uint64_t)plan->buffers;
}

static int at_most(int count, uint64_t most)
{
    return (uint64_t)count < most ? count : (int)most;
}

int pipeline_make_plan(pipeline_plan *plan, uint64_t memory, uint64_t largest, int most)
{
    const uint64_t ids = (plan->csr ? 1 : 2) * (uint64_t)plan->id_bytes;
    const int needed = plan->generators + plan->writers + 1;
    uint64_t bytes, chunks;

    if (plan->chunk == 0) {
        const uint64_t part = memory / (uint64_t)needed, share = part < largest ? part : largest;

        /* A power of two: each column of a chunk then begins on a page of the file, too.  Halve
         * until the buffers fit, and until a small graph has work for everyone. */
        plan->chunk = largest / ids;
        while (plan->chunk > MIN_CHUNK &&
               (plan->chunk * (ids + (uint64_t)plan->weight_bytes) > share ||
                plan->edges / plan->chunk < (uint64_t)needed)) {
            plan->chunk /= 2;
        }
    }
    bytes = pipeline_chunk_bytes(plan);
    if (bytes > memory) {
        return RMAT_ERR_NOMEM;
    }
    chunks = plan->edges / plan->chunk + (plan->edges % plan->chunk != 0);
    chunks = chunks == 0 ? 1 : chunks < memory / bytes ? chunks : memory / bytes;
    plan->generators = at_most(plan->generators, chunks);
    plan->writers = at_most(plan->writers, chunks);
    plan->buffers = at_most(most > needed ? most : needed, chunks);
    return 0;
}

/* --- A run --- */

/* Under the lock. */
static void stop_pipeline(pipeline *p)
{
    if (!atomic_exchange(&p->stop, true) && p->sink->stop != NULL) {
        p->sink->stop(p->sink->state);
    }
    pthread_cond_broadcast(&p->to_make);
    pthread_cond_broadcast(&p->to_write);
    pthread_cond_broadcast(&p->to_feed);
}

/* The first message wins; everyone stops.  What fails because the run was stopped has not failed.
 */
void pipeline_fail(pipeline *p, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&p->lock);
    if (p->status == ENGINE_OK) {
        vsnprintf(p->error, sizeof p->error, format, arguments);
        p->status = ENGINE_ERR_RUN;
    }
    va_end(arguments);
    stop_pipeline(p);
    pthread_mutex_unlock(&p->lock);
}

/* Chunks on their way: from an empty buffer to a maker, to a writer, and back; and the spans that
 * they are cut from.  skip_unwanted() to is_any_to_write(): under the lock. */

/* Leaves out edges at the beginning of the current span. */
static void skip_unwanted(pipeline *p)
{
    const pipeline_span *s = p->sink->spans;
    const size_t n = p->sink->n_spans;
    pipeline_span skipped = p->now;

    if (s == NULL || p->now.kind != PIPELINE_EDGES) {
        return;
    }
    while (p->wanted < n && s[p->wanted].first + s[p->wanted].count <= p->now.first) {
        p->wanted++;
    }
    s += p->wanted;
    if (p->wanted < n && s->first < p->now.first + p->now.count) {
        skipped.count = s->first > p->now.first ? s->first - p->now.first : 0;
    }
    p->now.first += skipped.count;
    p->now.count -= skipped.count;
    if (skipped.count > 0 && p->producer->filled != NULL) {
        p->producer->filled(p->producer->state, &skipped);
    }
}

/* Returns whether anything is not claimed yet. */
static bool any_unclaimed(pipeline *p)
{
    skip_unwanted(p);
    while (p->now.count == 0 && p->ahead.count > 0) {
        p->now = p->ahead;
        p->ahead.count = 0;
        pthread_cond_signal(&p->to_feed);
        skip_unwanted(p);
    }
    return p->now.count > 0;
}

static bool is_any_to_write(const pipeline *p)
{
    return p->full != NULL && (!p->sink->in_order || p->full->number == p->given);
}

/* Cuts the memory into buffers, all of them empty. */
static void make_buffers(pipeline *p)
{
    const size_t column = pipeline_column_bytes(p->plan), bytes = pipeline_chunk_bytes(p->plan);

    for (int i = 0; i < p->plan->buffers; i++) {
        pipeline_chunk *c = &p->chunks[i];

        c->memory = (char *)p->memory + bytes * (size_t)i;
        c->src = p->plan->csr ? NULL : c->memory;
        c->dst = p->plan->csr ? c->memory : (char *)c->memory + column;
        c->weight = p->plan->weight_bytes > 0 ? (char *)c->dst + column : NULL;
        c->next = p->empty;
        p->empty = c;
    }
}

pipeline_chunk *pipeline_claim(pipeline *p, bool wait)
{
    pipeline_chunk *c = NULL;

    pthread_mutex_lock(&p->lock);
    while (wait && !atomic_load(&p->stop) && (any_unclaimed(p) ? p->empty == NULL : !p->fed)) {
        pthread_cond_wait(&p->to_make, &p->lock);
    }
    if (!atomic_load(&p->stop) && any_unclaimed(p) && p->empty != NULL) {
        /* The beginning of the span, at most a chunk of it.  It ends where a run from 0 on would
         * have a chunk end: where the file has whole pages. */
        const bool edges = p->now.kind == PIPELINE_EDGES;
        const uint64_t most =
            edges ? p->plan->chunk : p->plan->chunk * (uint64_t)p->plan->id_bytes / 8;
        uint64_t room = most - p->now.first % most;

        if (edges && p->sink->spans != NULL) {
            const pipeline_span *s = &p->sink->spans[p->wanted];
            const uint64_t wanted = s->first + s->count - p->now.first;

            room = wanted < room ? wanted : room;
        }
        c = p->empty;
        p->empty = c->next;
        c->what = p->now;
        c->what.count = p->now.count < room ? p->now.count : room;
        c->number = p->claimed++;
        p->now.first += c->what.count;
        p->now.count -= c->what.count;
        if (p->fed && !any_unclaimed(p)) {
            pthread_cond_broadcast(&p->to_make); /* nothing left to wait for */
        }
    }
    pthread_mutex_unlock(&p->lock);
    return c;
}

/* Its edges go where they belong, and the buffer is free. */
static void write_chunk(pipeline *p, pipeline_chunk *c)
{
    const char *error = p->sink->write(p->sink->state, c);

    if (error != NULL) {
        pipeline_fail(p, "%s", error);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->result->done += c->what.kind == PIPELINE_EDGES ? c->what.count : 0;
    p->result->fingerprint += c->fingerprint;
    c->next = p->empty;
    p->empty = c;
    pthread_cond_signal(&p->to_make);
    pthread_mutex_unlock(&p->lock);
}

void pipeline_submit(pipeline *p, pipeline_chunk *chunk)
{
    pipeline_chunk **at = &p->full;

    if (p->plan->writers == 0) {
        write_chunk(p, chunk);
        return;
    }
    pthread_mutex_lock(&p->lock);
    while (*at != NULL && (*at)->number < chunk->number) {
        at = &(*at)->next;
    }
    chunk->next = *at;
    *at = chunk;
    if (is_any_to_write(p)) {
        pthread_cond_signal(&p->to_write);
    }
    pthread_mutex_unlock(&p->lock);
}

/* The next chunk to write, waiting for one.  NULL: stopped, or none will ever come. */
static pipeline_chunk *next_to_write(pipeline *p)
{
    pipeline_chunk *c = NULL;

    pthread_mutex_lock(&p->lock);
    while (!is_any_to_write(p) && !atomic_load(&p->stop) && p->making > 0) {
        pthread_cond_wait(&p->to_write, &p->lock);
    }
    if (!atomic_load(&p->stop) && p->full != NULL) {
        c = p->full;
        p->full = c->next;
        p->given = c->number + 1;
    }
    if (is_any_to_write(p)) {
        pthread_cond_signal(&p->to_write);
    }
    pthread_mutex_unlock(&p->lock);
    return c;
}

/* --- The threads --- */

/* Asks the source for a span whenever none is ahead, until it has no more. */
static void feed_spans(pipeline *p)
{
    bool more = true;

    while (more) {
        pipeline_span span = {.count = 0};

        pthread_mutex_lock(&p->lock);
        while (p->ahead.count > 0 && !atomic_load(&p->stop)) {
            pthread_cond_wait(&p->to_feed, &p->lock);
        }
        pthread_mutex_unlock(&p->lock);
        more = !atomic_load(&p->stop) && p->source->next(p->source->state, p, &span);
        pthread_mutex_lock(&p->lock);
        if (more) {
            p->ahead = span;
        }
        p->fed = !more;
        pthread_cond_broadcast(&p->to_make);
        pthread_mutex_unlock(&p->lock);
    }
}

/* The first threads, the helpers, write and feed.  The later ones make, and need not be as many as
 * the producer wants. */
static void *take_part(void *argument)
{
    pipeline *p = argument;
    pipeline_chunk *c;
    int place;

    /* The lock is held until all threads are there: to start them beside many busy ones takes
     * long. */
    pthread_mutex_lock(&p->lock);
    place = p->present++;
    pthread_mutex_unlock(&p->lock);
    if (place >= p->helpers) {
        p->producer->run(p);
    } else if (place < p->plan->writers) {
        while ((c = next_to_write(p)) != NULL) {
            write_chunk(p, c);
        }
    } else {
        feed_spans(p);
    }
    pthread_mutex_lock(&p->lock);
    p->making -= place >= p->helpers;
    p->running--;
    pthread_cond_broadcast(&p->to_write);
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals stay with the main thread. */
static void start_threads(pipeline *p)
{
    sigset_t all, before;
    int error = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&p->lock);
    while (error == 0 && p->started < p->helpers + p->producer->threads) {
        error = pthread_create(&p->threads[p->started], NULL, take_part, p);
        p->started += error == 0;
    }
    p->running = p->started;
    p->making = p->started - p->helpers;
    pthread_mutex_unlock(&p->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (p->started <= p->helpers) {
        pipeline_fail(p, "%s", strerror(error));
    }
}

/* Ticks until the last thread has ended. */
static void supervise(pipeline *p, pipeline_tick tick, void *argument)
{
    pthread_mutex_lock(&p->lock);
    while (p->running > 0) {
        clock_wait(&p->ended, &p->lock);
        if (p->running > 0 && !atomic_load(&p->stop)) {
            const uint64_t done = p->result->done;
            int stops;

            pthread_mutex_unlock(&p->lock);
            stops = tick(argument, done);
            pthread_mutex_lock(&p->lock);
            if (stops && p->status == ENGINE_OK) {
                p->status = ENGINE_STOPPED;
                stop_pipeline(p);
            }
        }
    }
    pthread_mutex_unlock(&p->lock);
}

int pipeline_run(const pipeline_plan *plan, const pipeline_source *source,
                 const pipeline_producer *producer, const pipeline_sink *sink, pipeline_tick tick,
                 void *argument, pipeline_result *result)
{
    pipeline p = {.plan = plan,
                  .source = source,
                  .producer = producer,
                  .sink = sink,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .to_make = PTHREAD_COND_INITIALIZER,
                  .to_write = PTHREAD_COND_INITIALIZER,
                  .to_feed = PTHREAD_COND_INITIALIZER,
                  .ended = PTHREAD_COND_INITIALIZER,
                  .result = result,
                  .now = source->first,
                  .fed = source->next == NULL,
                  .claimed = sink->number,
                  .given = sink->number,
                  .helpers = plan->writers + (source->next != NULL)};

    p.threads = calloc((size_t)(p.helpers + producer->threads), sizeof *p.threads);
    p.chunks = calloc((size_t)plan->buffers, sizeof *p.chunks);
    p.memory = huge_alloc(pipeline_buffer_bytes(plan));
    if (p.threads == NULL || p.chunks == NULL || p.memory == NULL) {
        pipeline_fail(&p, "memory is exhausted");
    } else {
        make_buffers(&p);
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
    free(p.chunks);
    free(p.threads);
    return p.status == ENGINE_ERR_RUN ? engine_fail("%s", p.error) : p.status;
}

/* --- The producer on the CPU --- */

/* Piece by piece, while the piece is in the cache.  src: where sources go that the file does not
 * have. */
static int fill_chunk(const pipeline *p, pipeline_chunk *c, void *src)
{
    const int id_bytes = p->plan->id_bytes;
    const bool edges = c->what.kind == PIPELINE_EDGES;
    const uint64_t width = edges ? (uint64_t)id_bytes : 8;

    c->fingerprint = 0;
    for (uint64_t at = 0; at < c->what.count && !p->stop; at += PIPELINE_BLOCK) {
        const uint64_t left = c->what.count - at;
        const pipeline_span what = {c->what.kind, c->what.first + at,
                                    left < PIPELINE_BLOCK ? left : PIPELINE_BLOCK};
        rmat_arrays piece = {src, (char *)c->dst + at * width, NULL, id_bytes};
        int status;

        if (c->src != NULL) {
            piece.src = (char *)c->src + at * width;
        }
        if (c->weight != NULL) {
            piece.weight = (char *)c->weight + at * 4;
        }
        status = p->producer->fill(p->producer->state, &what, &piece, NULL);
        if (status != RMAT_OK) {
            return status;
        }
        if (edges) {
            c->fingerprint += rmat_fingerprint(piece.src, piece.dst, what.count, id_bytes);
        }
    }
    return RMAT_OK;
}

static void run_cpu(pipeline *p)
{
    void *src = p->plan->csr ? malloc(PIPELINE_BLOCK * (size_t)p->plan->id_bytes) : NULL;
    int status = p->plan->csr && src == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    pipeline_chunk *c;

    while (status == RMAT_OK && (c = pipeline_claim(p, true)) != NULL) {
        status = fill_chunk(p, c, src);
        if (status != RMAT_OK || p->stop) {
            break;
        }
        if (p->producer->filled != NULL) {
            p->producer->filled(p->producer->state, &c->what);
        }
        pipeline_submit(p, c);
    }
    free(src);
    if (status != RMAT_OK) {
        pipeline_fail(p, "%s", rmat_strerror(status));
    }
}

static int generate(void *gen, const pipeline_span *what, const rmat_arrays *to, void *unused)
{
    (void)unused;
    return rmat_generate_arrays(gen, what->first, what->count, to);
}

pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads)
{
    return (pipeline_producer){
        .run = run_cpu, .state = (void *)gen, .threads = threads, .fill = generate};
}
