/*
 * rmat verify: one pass over the edges of a file.
 *
 * Each thread takes a piece of the file, generates the same edges or reads them from an interval of
 * the sorted graph, compares the two, and adds up what the other checks need.  It does so in parts
 * that fit into the cache.
 */
#include "apps/common/interrupt.h"
#include "apps/verify/run.h"
#include "rmat/rmat_gpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges whose bits are counted for the fit: they tell as much as all of a larger graph. */
#define FIT_EDGES ((uint64_t)1 << 26)

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
static bool make(edge_run *x, const edge_worker *w, const edge_block *place, edge_block *made)
{
    rmat_arrays to = {w->src, w->dst, w->weight, place->id_bytes};
    int status =
        x->interval != NULL
            ? rmat_interval_read(x->interval, place->first - x->interval_first, place->count, &to)
            : rmat_generate_arrays(x->gen, place->first, place->count, &to);

    *made = (edge_block){place->first, place->count, w->src, w->dst, w->weight, place->id_bytes};
    if (status != RMAT_OK) {
        edge_run_failed(x, status);
    }
    return status == RMAT_OK;
}

/* The edge before the first one of the piece. */
static edge_block before(const edge_piece *p)
{
    return (edge_block){p->edges.first - 1,
                        1,
                        &p->before[0],
                        &p->before[1],
                        p->edges.weight != NULL ? &p->before[2] : NULL,
                        p->edges.id_bytes};
}

/* Is what begins here the rest of a place that was counted with the piece before? */
static bool goes_on(edge_run *x, const edge_worker *w)
{
    edge_block made, last = before(&w->piece);

    return w->piece.has_before &&
           (x->interval == NULL || w->piece.edges.first > x->interval_first) &&
           make(x, w, &last, &made) && edge_differs(&last, &made, 0);
}

uint64_t edge_run_look(edge_run *x, edge_worker *w)
{
    const edge_block *piece = &w->piece.edges;
    uint64_t fingerprint = 0;
    bool differs = false, starts = false;
    edge_block made = {0};

    for (uint64_t at = 0; at < piece->count && !atomic_load(&x->stop); at += VERIFY_BLOCK) {
        edge_block found = part_of(piece, at, VERIFY_BLOCK);

        fingerprint += rmat_fingerprint(found.src, found.dst, found.count, found.id_bytes);
        if (x->model != NULL) {
            scan_edges(&w->tally, x->model, &found);
        }
        if (x->sorted) {
            edge_block last = at > 0 ? part_of(piece, at - 1, 1) : before(&w->piece);

            scan_order(&w->tally, &found, at > 0 || w->piece.has_before ? &last : NULL, x->unique);
        }
        if (x->gen != NULL) {
            edge_block expected, place = part_of(piece, at, x->generated);

            if (at % x->generated == 0 && !make(x, w, &place, &made)) {
                break;
            }
            expected = part_of(&made, at % x->generated, VERIFY_BLOCK);
            starts |= at == 0 && edge_differs(&found, &expected, 0);
            differs = compare_edges(&w->tally, &found, &expected, differs);
            if (x->fit_stride > 0 && found.first / VERIFY_BLOCK % x->fit_stride == 0) {
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

static int open_generator(edge_run *x, const verify_options *options, const rmat_config *drawn,
                          int threads)
{
    rmat_config config = *drawn;
    int status;

    config.threads = threads;
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

void edge_run_begin(edge_run *x, edge_results *results, const verify_options *options,
                    const edge_file *file, const rmat_config *drawn, int generator_threads)
{
    *x = (edge_run){.model = drawn != NULL ? drawn : file->promised,
                    .sorted = file->order != NULL,
                    .unique = file->order != NULL && file->order->unique,
                    .parts = file->parts,
                    .source = {.parts = file->parts,
                               .whole = file->rows > 0 ? options->file : NULL,
                               .id_bytes = file->id_bytes,
                               .weights = file->weights,
                               .rows = {.rows = file->rows},
                               .sample = options->sample,
                               .sample_seed = options->sample_seed},
                    .results = results};
    memset(results, 0, sizeof *results);
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->ended, NULL);
    pieces_begin(&x->source, file->n_parts, options->threads);
    x->generated = options->backend == RMAT_BACKEND_GPU ? x->source.most : VERIFY_BLOCK;
    if (drawn != NULL) {
        open_generator(x, options, drawn, generator_threads);
    }
}

void edge_run_end(edge_run *x)
{
    x->results->sample = x->source.sample;
    x->results->signal =
        x->results->error == NULL && atomic_load(&x->stop) ? interrupt_signal() : 0;
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->ended);
    pieces_end(&x->source);
    rmat_destroy(x->gen);
}

void verify_edges(edge_results *results, const verify_options *options, const rmat_config *model,
                  const edge_file *file)
{
    edge_run x;

    edge_run_begin(&x, results, options, file, model, 1);
    if (results->error == NULL) {
        x.fit_stride = model != NULL && model->stream == RMAT_STREAM_RMAT
                           ? pieces_edges(&x.source) / FIT_EDGES + 1
                           : 0;
        progress_start(&x.bar, pieces_edges(&x.source),
                       2 * file->id_bytes + (file->weights ? 4 : 0), options->quiet);
        edge_run_threads(&x, options->threads);
        progress_end(&x.bar, !atomic_load(&x.stop));
    }
    edge_run_end(&x);
}
