/*
 * rmat verify: has the file the edges that its attributes describe?
 *
 * They become a job of the engine, which makes the graph again (look.h).  Of a list a sample is
 * made alone.  A sample of a sorted graph is made by passes over the stream that keep what lies
 * between the first and the last edge of each chunk (sample.c).  Edges of another generator are
 * only read.
 */
#include "apps/common/interrupt.h"
#include "apps/common/progress.h"
#include "apps/engine/sink.h"
#include "apps/verify/look.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges whose bits are counted for the fit: they tell as much as all of a larger graph. */
#define FIT_EDGES ((uint64_t)1 << 26)

/* A hash value (splitmix64): the same for the same seed. */
static uint64_t scramble(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The chunk that represents part k of `sample` equal parts of the file: the first chunk of the file
 * for the first part, its last chunk for the last part, else a random one. */
static uint64_t sampled_chunk(uint64_t chunks, uint64_t k, uint64_t sample, uint64_t seed)
{
    uint64_t low = (uint64_t)((unsigned __int128)k * chunks / sample);
    uint64_t high = (uint64_t)((unsigned __int128)(k + 1) * chunks / sample);

    return k == 0 ? 0 : k + 1 == sample ? chunks - 1 : low + scramble(seed + k) % (high - low);
}

/* What of the graph is looked at; NULL: memory is exhausted.  *n: so many spans. */
static pipeline_span *choose_spans(const look *x, const verify_options *options, size_t *n)
{
    const uint64_t edges = x->file->edges;
    const uint64_t chunks = edges / VERIFY_CHUNK + (edges % VERIFY_CHUNK != 0);
    const bool sample = options->sample > 0 && options->sample < chunks;
    pipeline_span *spans;

    x->results->sample = sample ? options->sample : 0;
    *n = sample ? (size_t)options->sample : 1;
    spans = calloc(*n, sizeof *spans);
    for (size_t k = 0; spans != NULL && sample && k < *n; k++) {
        const uint64_t at =
            VERIFY_CHUNK * sampled_chunk(chunks, k, options->sample, options->sample_seed);

        spans[k] = (pipeline_span){PIPELINE_EDGES, at,
                                   edges - at < VERIFY_CHUNK ? edges - at : VERIFY_CHUNK};
    }
    if (spans != NULL && !sample) {
        spans[0] = (pipeline_span){PIPELINE_EDGES, 0, edges};
    }
    return spans;
}

static int show_made(void *state, const engine_progress *now)
{
    check_run *c = state;

    progress_show(&c->bar, now->phase, now->share, now->done);
    return interrupt_signal();
}

int check_tick(void *state, uint64_t done)
{
    check_run *c = state;

    progress_update(&c->bar, done);
    return interrupt_signal();
}

static engine_job job_of(check_run *c)
{
    const verify_options *o = c->options;
    const file_model *m = c->model;
    const edge_file *file = c->file;
    engine_job job;

    engine_job_default(&job);
    job.model = m->drawn;
    job.model.backend = o->backend == RMAT_BACKEND_GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    if (o->device >= 0) {
        job.devices[0] = o->device;
        job.device_count = 1;
    }
    job.edges = model_base_edges(file->reader, m);
    job.format = m->order.csr ? GRAPHFILE_CSR : GRAPHFILE_H5;
    job.sorted = m->order.sorted;
    job.unique = m->order.unique && !m->order.dedup;
    job.dedup = m->order.dedup;
    job.id_bytes = file->id_bytes;
    job.id_sign = edgefile_signed_ids(file->reader) ? ENGINE_SIGNED : ENGINE_UNSIGNED;
    job.output = o->file;
    job.threads = o->threads;
    job.memory = m->order.sorted ? o->memory : 0;
    job.watch = (engine_watch){.tick = show_made, .state = c};
    return job;
}

/* The graph is made again.  Edges of the file beyond its end are only read, for the fingerprint. */
static void make_again(check_run *c, const pipeline_span *spans, size_t n)
{
    look *x = &c->look;
    edge_results *r = x->results;
    const engine_job job = job_of(c);
    const engine_sink sink = {look_sink(x), spans, n};
    engine_result made;
    const int status = engine_run(&job, &sink, &made);

    if (status != ENGINE_OK && status != ENGINE_STOPPED && r->error == NULL) {
        const bool memory = strcmp(engine_field(), "memory") == 0;
        char text[ENGINE_TEXT];

        r->impossible = status == ENGINE_ERR_JOB && !memory;
        snprintf(text, sizeof text, "%s%s", memory ? "--memory: " : "", engine_detail());
        look_fail(x, text);
    }
    if (status != ENGINE_OK) {
        return;
    }
    r->made = made.edges;
    r->stream_edges = made.stream_edges;
    r->counted = r->sample == 0;
    if (r->counted && made.edges < c->file->edges) {
        x->model = NULL;
        x->sorted = false;
        look_at_file(x, made.edges, c->file->edges - made.edges, c->options->threads, check_tick,
                     c);
    }
}

/* What is promised of each edge, and which of them show the model. */
static int set_promises(check_run *c)
{
    look *x = &c->look;
    const file_model *m = c->model;
    rmat_config config;
    int status;

    c->promised = m != NULL                   ? m->drawn
                  : c->file->promised != NULL ? *c->file->promised
                                              : (rmat_config){0};
    x->model = m != NULL || c->file->promised != NULL ? &c->promised : NULL;
    x->sorted = m != NULL ? m->order.sorted : c->file->order != NULL;
    x->unique = m != NULL ? m->order.unique : x->sorted && c->file->order->unique;
    if (m == NULL) {
        return RMAT_OK;
    }
    if (m->order.sorted &&
        m->drawn.symmetrize) { /* both directions, but not one behind the other */
        c->promised.symmetrize = 0;
        c->promised.direction = RMAT_DIRECTED;
    }
    config = m->drawn;
    config.threads = 1;
    config.backend = RMAT_BACKEND_CPU;
    status = rmat_create(&x->gen, &config);
    if (status != RMAT_OK) {
        look_fail(x, rmat_strerror(status));
        return status;
    }
    if (rmat_is_official(m->drawn.stream)) {
        x->fit_stride = 0;
    } else if (m->order.sorted || m->drawn.stream == RMAT_STREAM_ROWS) {
        /* all edges or none show the model */
        x->fit_stride = x->results->sample == 0 && !x->unique;
    } else {
        const uint64_t edges =
            x->results->sample > 0 ? x->results->sample * VERIFY_CHUNK : c->file->edges;

        x->fit_stride = edges / FIT_EDGES + 1;
    }
    return RMAT_OK;
}

static void look_at_spans(check_run *c, const pipeline_span *spans, size_t n)
{
    const edge_results *r = c->look.results;
    const bool csr = c->file->rows > 0;
    uint64_t edges = 0;

    for (size_t i = 0; i < n; i++) {
        edges += spans[i].count;
    }
    progress_start(&c->bar, edges, (csr ? 1 : 2) * c->file->id_bytes + (c->file->weights ? 4 : 0),
                   c->options->quiet);
    if (c->model == NULL) {
        for (size_t i = 0; i < n && r->error == NULL && interrupt_signal() == 0; i++) {
            look_at_file(&c->look, spans[i].first, spans[i].count, c->options->threads, check_tick,
                         c);
        }
    } else if (c->model->order.sorted && r->sample > 0) {
        check_sample(c, spans, n);
    } else {
        make_again(c, spans, n);
    }
    progress_end(&c->bar, r->error == NULL && interrupt_signal() == 0);
}

void verify_edges(edge_results *results, const verify_options *options, const file_model *model,
                  const edge_file *file)
{
    check_run c = {.options = options, .model = model, .file = file};
    pipeline_span *spans;
    size_t n;

    memset(results, 0, sizeof *results);
    look_begin(&c.look, results, file);
    spans = choose_spans(&c.look, options, &n);
    if (spans == NULL) {
        look_fail(&c.look, "memory is exhausted");
    } else if (set_promises(&c) == RMAT_OK) {
        look_at_spans(&c, spans, n);
    }
    results->signal = results->error == NULL ? interrupt_signal() : 0;
    look_end(&c.look);
    free(spans);
}
