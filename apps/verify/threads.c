/* rmat verify: threads that check one piece of the file after the other. */
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/verify/run.h"
#include "rmat/rmat_gpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end_with(edge_run *x, const char *text, bool damaged)
{
    pthread_mutex_lock(&x->lock);
    if (x->results->error == NULL) {
        snprintf(x->results->text, sizeof x->results->text, "%s", text);
        x->results->error = x->results->text;
        x->results->damaged = damaged;
    }
    pthread_mutex_unlock(&x->lock);
    atomic_store(&x->stop, true);
}

void edge_run_fail(edge_run *x, const char *text)
{
    end_with(x, text, false);
}

void edge_run_unreadable(edge_run *x, int status)
{
    end_with(x, edgefile_detail(), !verify_is_failure(status));
}

void edge_run_failed(edge_run *x, int status)
{
    const char *cuda = rmat_gpu_error();

    edge_run_fail(x, *cuda ? cuda : rmat_strerror(status));
}

static void merge(edge_results *r, const edge_tally *t)
{
    for (int i = 0; i < N_BAD; i++) {
        uint64_t count = r->bad[i].count + t->bad[i].count;

        if (t->bad[i].count > 0 && (r->bad[i].count == 0 || t->bad[i].first < r->bad[i].first)) {
            r->bad[i] = t->bad[i];
        }
        r->bad[i].count = count;
    }
    r->edges += t->edges;
    r->places += t->places;
    r->surplus += t->surplus;
    fit_sum_up(&r->fit, &t->fit);
}

static bool allocate(const edge_run *x, edge_worker *w)
{
    w->src = malloc(x->generated * (uint64_t)x->source.id_bytes);
    w->dst = malloc(x->generated * (uint64_t)x->source.id_bytes);
    w->weight = x->source.weights ? malloc(x->generated * 4) : NULL;
    w->tally.fit.bits = rmat_counter_create(0);
    return piece_allocate(&w->piece, &x->source) && w->src != NULL && w->dst != NULL &&
           (!x->source.weights || w->weight != NULL) && w->tally.fit.bits != NULL;
}

static void look_at_all(edge_run *x, edge_worker *w)
{
    int status = EDGEFILE_OK;

    while (!atomic_load(&x->stop) && (status = piece_next(&x->source, &w->piece)) == EDGEFILE_OK &&
           w->piece.edges.count > 0) {
        uint64_t fingerprint = edge_run_look(x, w);

        pthread_mutex_lock(&x->lock);
        x->parts[w->piece.part].found += fingerprint;
        pthread_mutex_unlock(&x->lock);
    }
    if (status != EDGEFILE_OK) {
        edge_run_unreadable(x, status);
    }
}

static void *work(void *argument)
{
    edge_run *x = argument;
    edge_worker *w = calloc(1, sizeof *w);

    if (w == NULL || !allocate(x, w)) {
        edge_run_fail(x, "memory is exhausted");
    } else {
        look_at_all(x, w);
    }
    pthread_mutex_lock(&x->lock);
    if (w != NULL) {
        merge(x->results, &w->tally);
        rmat_counter_destroy(w->tally.fit.bits);
        piece_free(&w->piece);
        free(w->src);
        free(w->dst);
        free(w->weight);
        free(w);
    }
    x->running--;
    pthread_cond_signal(&x->ended);
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* Until the last thread is through. */
static void await(edge_run *x)
{
    pthread_mutex_lock(&x->lock);
    while (x->running > 0) {
        clock_wait(&x->ended, &x->lock);
        if (interrupt_signal() != 0) {
            atomic_store(&x->stop, true);
        }
        progress_update(&x->bar, atomic_load(&x->done));
    }
    pthread_mutex_unlock(&x->lock);
}

void edge_run_threads(edge_run *x, int threads)
{
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    int started = 0;

    while (ids != NULL && started < threads) {
        pthread_mutex_lock(&x->lock);
        x->running++;
        pthread_mutex_unlock(&x->lock);
        if (pthread_create(&ids[started], NULL, work, x) != 0) {
            pthread_mutex_lock(&x->lock);
            x->running--;
            pthread_mutex_unlock(&x->lock);
            break; /* fewer will do */
        }
        started++;
    }
    if (started == 0) {
        edge_run_fail(x, "no thread can be started");
    }
    await(x);
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    free(ids);
}
