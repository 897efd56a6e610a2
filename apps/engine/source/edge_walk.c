/* All edges of a source once, piece by piece, by several threads. */
#include "apps/common/clock.h"
#include "apps/engine/source/edge_source.h"
#include "apps/engine/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    edge_source *source;
    const edge_walk_body *body;
    char text[EDGE_WALK_TEXT]; /* what failed first */
    bool failed;
    int reason;   /* 0, or why the watch wants to stop */
    uint64_t end; /* of the pieces */
    atomic_bool stop;
    _Atomic uint64_t done;

    pthread_mutex_t lock; /* guards these, and result: */
    pthread_cond_t ended;
    uint64_t next;
    int running, numbered;
} walk;

/* text NULL: no failure of ours. */
static void end_early(walk *x, const char *text)
{
    bool first;

    pthread_mutex_lock(&x->lock);
    /* What fails because the others were stopped is no reason. */
    if (text != NULL && !atomic_load(&x->stop)) {
        snprintf(x->text, sizeof x->text, "%s", text);
        x->failed = true;
    }
    first = !atomic_exchange(&x->stop, true);
    pthread_mutex_unlock(&x->lock);
    if (first && x->body->stop != NULL) {
        x->body->stop(x->body->state);
    }
}

static bool claim(walk *x, edge_piece_memory *m)
{
    bool got;

    pthread_mutex_lock(&x->lock);
    got = x->next < x->end && !atomic_load(&x->stop);
    if (got) {
        m->number = x->next++;
    }
    pthread_mutex_unlock(&x->lock);
    return got;
}

static void visit_all(walk *x, int thread, edge_piece_memory *m)
{
    char text[EDGE_WALK_TEXT];

    while (claim(x, m)) {
        if (edge_source_read(x->source, m, text, sizeof text) != 0 ||
            x->body->visit(x->body->state, thread, m, text, sizeof text) != 0) {
            end_early(x, text);
            return;
        }
        atomic_fetch_add(&x->done, m->edges.count);
    }
}

static void *work(void *argument)
{
    walk *x = argument;
    edge_piece_memory m = {0};
    int thread;

    pthread_mutex_lock(&x->lock);
    thread = x->numbered++;
    pthread_mutex_unlock(&x->lock);
    if (edge_piece_allocate(&m, x->source)) {
        visit_all(x, thread, &m);
    } else {
        end_early(x, "memory is exhausted");
    }
    edge_piece_free(&m);
    pthread_mutex_lock(&x->lock);
    x->running--;
    pthread_cond_signal(&x->ended);
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* Until the last thread is through; the watch is asked once at least, however fast they are. */
static void await(walk *x, engine_meter *meter)
{
    bool through;

    pthread_mutex_lock(&x->lock);
    do {
        if (x->running > 0) {
            clock_wait(&x->ended, &x->lock);
        }
        through = x->running == 0;
        if (x->reason == 0) {
            uint64_t done = atomic_load(&x->done);

            x->reason = engine_meter_tick(meter, (double)done, done);
        }
        if (x->reason != 0 && !atomic_load(&x->stop)) {
            pthread_mutex_unlock(&x->lock);
            end_early(x, NULL);
            pthread_mutex_lock(&x->lock);
        }
    } while (!through);
    pthread_mutex_unlock(&x->lock);
}

static void run_threads(walk *x, int threads, engine_meter *meter)
{
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    int started = 0;

    x->running = ids != NULL ? threads : 0;
    while (ids != NULL && started < threads && pthread_create(&ids[started], NULL, work, x) == 0) {
        started++;
    }
    pthread_mutex_lock(&x->lock);
    x->running -= ids != NULL ? threads - started : 0; /* fewer will do */
    pthread_mutex_unlock(&x->lock);
    if (started == 0) {
        end_early(x, "no thread can be started");
    }
    await(x, meter);
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    free(ids);
}

int edge_walk(edge_source *s, int threads, const edge_walk_body *body, engine_meter *meter)
{
    return edge_walk_some(s, 0, edge_source_facts_of(s)->pieces, threads, body, meter);
}

int edge_walk_some(edge_source *s, uint64_t first, uint64_t end, int threads,
                   const edge_walk_body *body, engine_meter *meter)
{
    walk x = {.source = s, .body = body, .next = first, .end = end};

    pthread_mutex_init(&x.lock, NULL);
    pthread_cond_init(&x.ended, NULL);
    run_threads(&x, threads, meter);
    pthread_mutex_destroy(&x.lock);
    pthread_cond_destroy(&x.ended);
    return x.failed        ? engine_fail("%s", x.text)
           : x.reason != 0 ? engine_stop_with(x.reason)
                           : ENGINE_OK;
}
