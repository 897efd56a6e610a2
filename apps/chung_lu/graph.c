/* A Chung-Lu graph as an edge source: its tables, and the functions that the libraries call. */
#include "apps/chung_lu/graph.h"
#include "alias/alias_gpu.h"
#include "apps/common/clock.h"
#include <stdio.h>
#include <string.h>

void chung_lu_graph_open(chung_lu_graph *g, const chung_lu_stream *stream,
                         const chung_lu_degrees *degrees, int threads)
{
    memset(g, 0, sizeof *g);
    g->stream = stream;
    g->degrees = degrees;
    g->threads = threads;
    pthread_mutex_init(&g->lock, NULL);
}

static void destroy(chung_lu_tables *t)
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
    destroy(&g->device);
    destroy(&g->cpu);
    pthread_mutex_destroy(&g->lock);
}

/* Both or none.  Returns an alias_status. */
static int build(chung_lu_tables *t, const alias_config *config, const chung_lu_graph *g)
{
    const chung_lu_degrees *d = g->degrees;
    int status = alias_create(&t->src, config, d->out, g->stream->vertices, NULL);

    t->dst = t->src;
    if (status == ALIAS_OK && d->in != NULL) {
        status = alias_create(&t->dst, config, d->in, g->stream->vertices, NULL);
    }
    if (status != ALIAS_OK) {
        destroy(t);
    }
    return status;
}

/* Under the lock.  Returns 0, or -1 and why. */
static int build_cpu(chung_lu_graph *g, char *text, size_t size)
{
    const alias_config config = chung_lu_table_config(ALIAS_BACKEND_CPU, -1, g->threads);
    const int status = build(&g->cpu, &config, g);

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
    const int status = build(&g->device, &config, g);

    if (status != ALIAS_OK) {
        const char *cuda = alias_gpu_error();

        snprintf(text, size, "--backend gpu: %s%s%s", alias_strerror(status), *cuda ? ": " : "",
                 cuda);
        return -1;
    }
    return chung_lu_cuda()->open(&g->gpu, &g->device, g->stream, device, text, size);
}

int chung_lu_graph_prepare(chung_lu_graph *g, rmat_backend backend, int device, char *text,
                           size_t size)
{
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

static int prepare(void *state, rmat_backend backend, int device, char *text, size_t size)
{
    return chung_lu_graph_prepare(state, backend, device, text, size);
}

static int failed(chung_lu_graph *g, const char *text)
{
    pthread_mutex_lock(&g->lock);
    if (g->text[0] == '\0') {
        snprintf(g->text, sizeof g->text, "%s", text);
    }
    pthread_mutex_unlock(&g->lock);
    return -1;
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    chung_lu_graph *g = state;
    char text[sizeof g->text];
    int status;

    /* Another thread may be building the table: then this one waits for it. */
    if (chung_lu_graph_prepare(g, RMAT_BACKEND_CPU, -1, text, sizeof text) != 0) {
        return failed(g, text);
    }
    status = chung_lu_edges(&g->cpu, g->stream, first, count, to);
    return status == ALIAS_OK ? 0 : failed(g, alias_strerror(status));
}

static int fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                       void *stream)
{
    chung_lu_graph *g = state;
    const int status = chung_lu_cuda()->fill(g->gpu, first, count, to, stream);
    const char *cuda = status == ALIAS_OK ? "" : alias_gpu_error();

    return status == ALIAS_OK ? 0 : failed(g, *cuda != '\0' ? cuda : alias_strerror(status));
}

static double probability(void *state, uint64_t src, uint64_t dst)
{
    const chung_lu_degrees *d = ((const chung_lu_graph *)state)->degrees;
    const double *in = d->in != NULL ? d->in : d->out;

    return d->out[src] / d->sum * (in[dst] / d->sum);
}

static const char *error(void *state)
{
    return ((chung_lu_graph *)state)->text;
}

engine_source chung_lu_source(chung_lu_graph *g)
{
    return (engine_source){.edges = {.rows = g->stream->vertices,
                                     .cols = g->stream->vertices,
                                     .edges = g->stream->edges,
                                     .fill = fill,
                                     .fill_device = fill_device,
                                     .probability = probability,
                                     .state = g},
                           .csr_option = " --format csr",
                           .prepare = prepare,
                           .error = error};
}
