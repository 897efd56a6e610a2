/*
 * A Chung-Lu graph as an edge source: batches of edges on the CPU, part of a sectioned batch paired
 * with baseline draws; the tables; and the functions that the libraries call.
 */
#include "apps/chung_lu/graph.h"
#include "alias/alias_gpu.h"
#include "apps/common/clock.h"
#include <stdio.h>

enum { MIN_LOG2 = 24, MAX_LOG2 = 28 };

uint64_t chung_lu_batch(uint64_t vertices)
{
    int log2 = MIN_LOG2;

    while (log2 < MAX_LOG2 && (uint64_t)1 << log2 < vertices) {
        log2++;
    }
    return (uint64_t)1 << log2;
}

alias_config chung_lu_table_config(alias_backend backend, int device, int threads)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = backend;
    config.builder = ALIAS_BUILDER_PSA_PLUS;
    config.device = device;
    config.threads = threads;
    return config;
}

uint64_t chung_lu_source_seed(const chung_lu_stream *s)
{
    return s->seed;
}

uint64_t chung_lu_destination_seed(const chung_lu_stream *s)
{
    return ~s->seed;
}

uint64_t chung_lu_batch_count(const chung_lu_stream *s, uint64_t first)
{
    return s->batch == 0 ? 0 : s->edges - first < s->batch ? s->edges - first : s->batch;
}

uint64_t chung_lu_part(const chung_lu_stream *s, uint64_t first, uint64_t count, uint64_t *batch)
{
    uint64_t left = count;

    *batch = 0;
    if (s->batch > 0) {
        *batch = first - first % s->batch;
        left = *batch + s->batch - first;
    }
    return count < left ? count : left;
}

rmat_arrays chung_lu_behind(const rmat_arrays *to, uint64_t done)
{
    const uint64_t bytes = done * (uint64_t)to->id_bytes;

    return (rmat_arrays){(char *)to->src + bytes, (char *)to->dst + bytes, NULL, to->id_bytes};
}

static int draw_baseline(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         int id_bytes, void *out)
{
    return id_bytes == 4 ? alias_sample32(table, seed, first, count, out)
                         : alias_sample64(table, seed, first, count, out);
}

/* Sources that all lie in the batch which begins at `batch`. */
static int draw_of_batch(const alias_table *table, const chung_lu_stream *s, uint64_t batch,
                         uint64_t first, uint64_t count, int id_bytes, void *out)
{
    const uint64_t all = chung_lu_batch_count(s, batch), seed = chung_lu_source_seed(s);

    return id_bytes == 4
               ? alias_sample_sections_part32(table, seed, batch, all, first - batch, count, out)
               : alias_sample_sections_part64(table, seed, batch, all, first - batch, count, out);
}

int chung_lu_edges(const chung_lu_tables *tables, const chung_lu_stream *s, uint64_t first,
                   uint64_t count, const rmat_arrays *to)
{
    int status = ALIAS_OK;

    for (uint64_t done = 0, n; done < count && status == ALIAS_OK; done += n) {
        const uint64_t at = first + done;
        const rmat_arrays here = chung_lu_behind(to, done);
        uint64_t batch;

        n = chung_lu_part(s, at, count - done, &batch);
        status =
            s->batch == 0
                ? draw_baseline(tables->src, chung_lu_source_seed(s), at, n, to->id_bytes, here.src)
                : draw_of_batch(tables->src, s, batch, at, n, to->id_bytes, here.src);
        if (status == ALIAS_OK) {
            status = draw_baseline(tables->dst, chung_lu_destination_seed(s), at, n, to->id_bytes,
                                   here.dst);
        }
    }
    return status;
}

/* Tables. */

void chung_lu_graph_open(chung_lu_graph *g, const chung_lu_stream *stream,
                         const chung_lu_degrees *degrees, int threads)
{
    *g = (chung_lu_graph){.stream = stream, .degrees = degrees, .threads = threads};
    pthread_mutex_init(&g->lock, NULL);
}

static void destroy_tables(chung_lu_tables *t)
{
    if (t->dst != t->src) {
        alias_destroy(t->dst);
    }
    alias_destroy(t->src);
    *t = (chung_lu_tables){NULL, NULL};
}

void chung_lu_graph_close(chung_lu_graph *g)
{
    if (g->gpu != NULL) {
        chung_lu_cuda()->close(g->gpu);
    }
    destroy_tables(&g->device);
    destroy_tables(&g->cpu);
    pthread_mutex_destroy(&g->lock);
}

/* Both or none.  Returns an alias_status. */
static int build_tables(chung_lu_tables *t, const alias_config *config, const chung_lu_graph *g)
{
    const chung_lu_degrees *d = g->degrees;
    int status = alias_create(&t->src, config, d->out, g->stream->vertices, NULL);

    t->dst = t->src;
    if (status == ALIAS_OK && d->in != NULL) {
        status = alias_create(&t->dst, config, d->in, g->stream->vertices, NULL);
    }
    if (status != ALIAS_OK) {
        destroy_tables(t);
    }
    return status;
}

/* Under the lock.  Returns 0, or -1 and why. */
static int build_cpu(chung_lu_graph *g, char *text, size_t size)
{
    const alias_config config = chung_lu_table_config(ALIAS_BACKEND_CPU, -1, g->threads);
    const int status = build_tables(&g->cpu, &config, g);

    if (status != ALIAS_OK) {
        snprintf(text, size, "the alias table: %s", alias_strerror(status));
        return -1;
    }
    alias_set_threads(g->cpu.src, 1); /* the engine's threads draw */
    alias_set_threads(g->cpu.dst, 1);
    return 0;
}

static int build_gpu(chung_lu_graph *g, int device, char *text, size_t size)
{
    const alias_config config = chung_lu_table_config(ALIAS_BACKEND_GPU, device, g->threads);
    const int status = build_tables(&g->device, &config, g);

    if (status != ALIAS_OK) {
        const char *cuda = alias_gpu_error();

        snprintf(text, size, "--backend gpu: %s%s%s", alias_strerror(status), *cuda ? ": " : "",
                 cuda);
        return -1;
    }
    return chung_lu_cuda()->open(&g->gpu, &g->device, g->stream, device, text, size);
}

int chung_lu_graph_prepare(void *graph, rmat_backend backend, int device, char *text, size_t size)
{
    chung_lu_graph *g = graph;
    const double start = clock_seconds();
    int status = 0;

    pthread_mutex_lock(&g->lock);
    if (backend == RMAT_BACKEND_GPU && g->gpu == NULL) {
        status = build_gpu(g, device, text, size);
        g->table_seconds += clock_seconds() - start;
    } else if (backend != RMAT_BACKEND_GPU && g->cpu.src == NULL) {
        status = build_cpu(g, text, size);
        g->table_seconds += clock_seconds() - start;
    }
    pthread_mutex_unlock(&g->lock);
    return status;
}

static int keep_error(chung_lu_graph *g, const char *text)
{
    pthread_mutex_lock(&g->lock);
    if (g->text[0] == '\0') {
        snprintf(g->text, sizeof g->text, "%s", text);
    }
    pthread_mutex_unlock(&g->lock);
    return -1;
}

static int fill_on_cpu(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    chung_lu_graph *g = state;
    char text[sizeof g->text];
    int status;

    /* Another thread may be building the table: then this one waits for it. */
    if (chung_lu_graph_prepare(g, RMAT_BACKEND_CPU, -1, text, sizeof text) != 0) {
        return keep_error(g, text);
    }
    status = chung_lu_edges(&g->cpu, g->stream, first, count, to);
    return status == ALIAS_OK ? 0 : keep_error(g, alias_strerror(status));
}

static int fill_on_gpu(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                       void *stream)
{
    chung_lu_graph *g = state;
    const int status = chung_lu_cuda()->fill(g->gpu, first, count, to, stream);
    const char *cuda = status == ALIAS_OK ? "" : alias_gpu_error();

    return status == ALIAS_OK ? 0 : keep_error(g, *cuda != '\0' ? cuda : alias_strerror(status));
}

static double edge_probability(void *state, uint64_t src, uint64_t dst)
{
    const chung_lu_degrees *d = ((const chung_lu_graph *)state)->degrees;
    const double *in = d->in != NULL ? d->in : d->out;

    return d->out[src] / d->sum * (in[dst] / d->sum);
}

static const char *first_error(void *state)
{
    return ((chung_lu_graph *)state)->text;
}

engine_source chung_lu_source(chung_lu_graph *g)
{
    return (engine_source){.edges = {.rows = g->stream->vertices,
                                     .cols = g->stream->vertices,
                                     .edges = g->stream->edges,
                                     .fill = fill_on_cpu,
                                     .fill_device = fill_on_gpu,
                                     .probability = edge_probability,
                                     .state = g},
                           .csr_option = " --format csr",
                           .prepare = chung_lu_graph_prepare,
                           .error = first_error};
}
