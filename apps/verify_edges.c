/*
 * rmat verify: the edges, once through.  Each thread takes a piece of the file, makes the same
 * edges, compares, and sums up what the other checks need, block by block while a block is in the
 * cache.
 */
#include "apps/interrupt.h"
#include "apps/progress.h"
#include "apps/verify_pieces.h"
#include "rmat/rmat_gpu.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges whose bits are counted for the fit: they tell as much as all of a larger graph. */
#define FIT_EDGES ((uint64_t)1 << 26)

typedef struct {
    const rmat_config *model; /* NULL: unknown */
    rmat_gen *gen;            /* or NULL */
    verify_part *parts;
    piece_source source;
    uint64_t generated;  /* edges made at a time */
    uint64_t fit_stride; /* blocks from one that is counted to the next */

    pthread_mutex_t lock; /* guards these: */
    pthread_cond_t ended;
    int running;
    edge_results *results;

    atomic_bool stop;
    _Atomic uint64_t done;
} edge_run;

typedef struct {
    edge_tally tally;
    edge_piece piece;
    void *src, *dst, *weight; /* made */
} worker;

static void fail(edge_run *x, const char *text)
{
    pthread_mutex_lock(&x->lock);
    if (x->results->error == NULL) {
        snprintf(x->results->text, sizeof x->results->text, "%s", text);
        x->results->error = x->results->text;
    }
    pthread_mutex_unlock(&x->lock);
    atomic_store(&x->stop, true);
}

static const void *offset(const void *array, uint64_t i, int bytes)
{
    return array == NULL ? NULL : (const char *)array + i * (uint64_t)bytes;
}

static edge_block part_of(const edge_block *b, uint64_t at, uint64_t most)
{
    return (edge_block){b->first + at,
                        b->count - at < most ? b->count - at : most,
                        offset(b->src, at, b->id_bytes),
                        offset(b->dst, at, b->id_bytes),
                        offset(b->weight, at, 4),
                        b->id_bytes};
}

/* Those that should be in the place of these, in the worker's memory. */
static bool make(edge_run *x, const worker *w, const edge_block *place, edge_block *made)
{
    rmat_arrays to = {w->src, w->dst, w->weight, place->id_bytes};
    int status = rmat_generate_arrays(x->gen, place->first, place->count, &to);

    *made = (edge_block){place->first, place->count, w->src, w->dst, w->weight, place->id_bytes};
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        fail(x, *cuda ? cuda : rmat_strerror(status));
    }
    return status == RMAT_OK;
}

/* Is what begins here the rest of a place that was counted with the piece before? */
static bool goes_on(edge_run *x, const worker *w)
{
    const edge_piece *p = &w->piece;
    edge_block made, before = {p->edges.first - 1,
                               1,
                               &p->before[0],
                               &p->before[1],
                               p->edges.weight != NULL ? &p->before[2] : NULL,
                               p->edges.id_bytes};

    return p->has_before && make(x, w, &before, &made) && edge_differs(&before, &made, 0);
}

/* Returns the fingerprint. */
static uint64_t look_at(edge_run *x, worker *w)
{
    const edge_block *piece = &w->piece.edges;
    uint64_t fingerprint = 0;
    bool differs = false, starts = false;
    edge_block made = {0};

    for (uint64_t at = 0; at < piece->count && !atomic_load(&x->stop); at += VERIFY_BLOCK) {
        edge_block found = part_of(piece, at, VERIFY_BLOCK);

        fingerprint += rmat_fingerprint(found.src, found.dst, found.count, found.id_bytes);
        if (x->gen != NULL) {
            edge_block expected, place = part_of(piece, at, x->generated);

            if (at % x->generated == 0 && !make(x, w, &place, &made)) {
                break;
            }
            expected = part_of(&made, at % x->generated, VERIFY_BLOCK);
            scan_edges(&w->tally, x->model, &found);
            starts |= at == 0 && edge_differs(&found, &expected, 0);
            differs = compare_edges(&w->tally, &found, &expected, differs);
            if (found.first / VERIFY_BLOCK % x->fit_stride == 0) {
                fit_add(&w->tally.fit, x->gen, x->model, &found);
            }
        }
        w->tally.edges += found.count;
        atomic_fetch_add(&x->done, found.count);
    }
    if (starts && goes_on(x, w)) {
        w->tally.places--;
    }
    return fingerprint;
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

static bool allocate(const edge_run *x, worker *w)
{
    w->src = malloc(x->generated * (uint64_t)x->source.id_bytes);
    w->dst = malloc(x->generated * (uint64_t)x->source.id_bytes);
    w->weight = x->source.weights ? malloc(x->generated * 4) : NULL;
    return piece_allocate(&w->piece, &x->source) && w->src != NULL && w->dst != NULL &&
           (!x->source.weights || w->weight != NULL);
}

static void look_at_all(edge_run *x, worker *w)
{
    int got = 0;

    while (!atomic_load(&x->stop) && (got = piece_next(&x->source, &w->piece)) > 0) {
        uint64_t fingerprint = look_at(x, w);

        pthread_mutex_lock(&x->lock);
        x->parts[w->piece.part].found += fingerprint;
        pthread_mutex_unlock(&x->lock);
    }
    if (got < 0) {
        fail(x, edgefile_detail());
    }
}

static void *work(void *argument)
{
    edge_run *x = argument;
    worker *w = calloc(1, sizeof *w);

    if (w == NULL || !allocate(x, w)) {
        fail(x, "memory is exhausted");
    } else {
        look_at_all(x, w);
    }
    pthread_mutex_lock(&x->lock);
    if (w != NULL) {
        merge(x->results, &w->tally);
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
static void await(edge_run *x, progress *bar)
{
    pthread_mutex_lock(&x->lock);
    while (x->running > 0) {
        struct timespec soon;

        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 100000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&x->ended, &x->lock, &soon);
        if (interrupt_signal() != 0) {
            atomic_store(&x->stop, true);
        }
        progress_update(bar, atomic_load(&x->done));
    }
    pthread_mutex_unlock(&x->lock);
}

static void run_threads(edge_run *x, int threads, progress *bar)
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
        fail(x, "no thread can be started");
    }
    await(x, bar);
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    free(ids);
}

static int open_generator(edge_run *x, const verify_options *options)
{
    rmat_config config = *x->model;
    int status;

    config.threads = 1;
    config.backend = options->backend;
    config.device = options->device;
    status = rmat_create(&x->gen, &config);
    if (status != RMAT_OK) {
        const char *cuda = rmat_gpu_error();

        snprintf(x->results->text, sizeof x->results->text, "--backend %s: %s%s%s",
                 options->backend == RMAT_BACKEND_GPU ? "gpu" : "cpu", rmat_strerror(status),
                 *cuda ? ": " : "", cuda);
        x->results->error = x->results->text;
    }
    return status;
}

void verify_edges(edge_results *results, const verify_options *options, const rmat_config *model,
                  verify_part *parts, int n_parts, int id_bytes, bool weights)
{
    edge_run x = {.model = model,
                  .parts = parts,
                  .source = {.parts = parts,
                             .id_bytes = id_bytes,
                             .weights = weights,
                             .sample = options->sample,
                             .sample_seed = options->sample_seed},
                  .results = results};
    progress bar;

    memset(results, 0, sizeof *results);
    if (model != NULL && open_generator(&x, options) != RMAT_OK) {
        return;
    }
    pieces_begin(&x.source, n_parts, options->threads);
    results->sample = x.source.sample;
    x.generated = options->backend == RMAT_BACKEND_GPU ? x.source.most : VERIFY_BLOCK;
    x.fit_stride = pieces_edges(&x.source) / FIT_EDGES + 1;
    pthread_mutex_init(&x.lock, NULL);
    pthread_cond_init(&x.ended, NULL);
    progress_start(&bar, pieces_edges(&x.source), 2 * id_bytes + (weights ? 4 : 0), options->quiet);
    run_threads(&x, options->threads, &bar);
    progress_end(&bar, !atomic_load(&x.stop));
    results->signal = results->error == NULL && atomic_load(&x.stop) ? interrupt_signal() : 0;
    pthread_mutex_destroy(&x.lock);
    pthread_cond_destroy(&x.ended);
    pieces_end(&x.source);
    rmat_destroy(x.gen);
}
