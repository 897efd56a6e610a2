/* graph.c - graphs for other languages, described by the options of `rmat generate`, except those
 * about files; and GPU memory for arrays, from a pool that keeps some of the freed memory. */
#include "apps/binding/graph.h"
#include "alias/alias_gpu.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/sorted/plan.h"
#include "apps/generate/generate.h"
#include "rmat/rmat_gpu.h"
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef RMAT_HAVE_CUDA
#include "alias/gpu/device.h"
#include <cuda_runtime_api.h>
#endif

struct rmat_graph {
    generate_options options;
};

/* binding_error(): the text of a status, of whichever library it is. */

static _Thread_local char text[8192];

__attribute__((format(printf, 2, 3))) static int fail(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return status;
}

const char *binding_error(int status)
{
    const char *what = NULL, *cuda = "";

    if (status == BINDING_ERR_NOMEM) {
        return "out of memory";
    }
    if (status <= RMAT_ERR_ARG && status > RMAT_ERR_ARG - 100) {
        what = rmat_strerror(status);
        cuda = status == RMAT_ERR_CUDA ? rmat_gpu_error() : "";
    } else if (status <= ALIAS_ERR_ARG && status > ALIAS_ERR_ARG - 100) {
        what = alias_strerror(status);
        cuda = status == ALIAS_ERR_CUDA ? alias_gpu_error() : "";
    }
    if (what != NULL) {
        fail(status, "%s%s%s", what, cuda[0] == '\0' ? "" : ": ", cuda);
    }
    return text;
}

/* Calls: whether they are to end, and with how many threads. */

static _Thread_local const int32_t *watched;

void binding_watch(const int32_t *stop)
{
    watched = stop;
}

static int calling_thread_stops(void *state)
{
    (void)state;
    return watched != NULL && __atomic_load_n(watched, __ATOMIC_RELAXED) != 0;
}

void binding_one_thread(void)
{
    omp_set_max_active_levels(0);
}

/* Graphs. */

static void tell_facts(const rmat_graph *g, rmat_graph_facts *facts)
{
    const engine_plan *p = &g->options.plan;
    const engine_job *o = &p->job;
    model_attrs attrs;

    model_attrs_of_plan(&attrs, p, GRAPHFILE_H5, p->graph_edges, o->edges << o->model.symmetrize);
    *facts = (rmat_graph_facts){.rows = o->model.rows,
                                .cols = o->model.cols,
                                .edges = p->graph_edges,
                                .stream_edges = p->draws ? 0 : o->edges << o->model.symmetrize,
                                .distinct = p->draws ? o->edges : 0,
                                .memory = g->options.job.memory,
                                .weights = (int32_t)o->model.weights,
                                .sorted = p->way != ENGINE_LIST,
                                .unique = o->unique,
                                .edges_known = p->graph_edges_known,
                                .backend = (int32_t)o->model.backend,
                                .permuted = o->model.permute};
    snprintf(facts->command, sizeof facts->command, "%s", attrs.command);
}

int rmat_graph_open(rmat_graph **out, int n, char **options, rmat_graph_facts *facts)
{
    /* Numbers are read and written with a decimal point, whatever locale the program has set. */
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    char message[MESSAGE_TEXT] = "--help: it makes no graph, allowed: options of a graph";
    rmat_graph *g = *out = calloc(1, sizeof *g);
    int status = BINDING_ERR_NOMEM;

    message_capture(message);
    if (g != NULL && generate_parse(n, options, &g->options) == EXIT_OK && !g->options.help) {
        tell_facts(g, facts);
        status = BINDING_OK;
    } else if (g != NULL) {
        status = fail(BINDING_ERR_OPTION, "%s", message);
        free(g);
        *out = NULL;
    }
    message_capture(NULL);
    uselocale(before);
    freelocale(c);
    return status;
}

void rmat_graph_close(rmat_graph *g)
{
    free(g);
}

/* device -1: the CPU. */
static rmat_config config_of(const rmat_graph *g, int device)
{
    rmat_config config = g->options.plan.job.model;

    config.backend = device < 0 ? RMAT_BACKEND_CPU : RMAT_BACKEND_GPU;
    config.device = device;
    config.threads = g->options.plan.job.threads;
    config.stop = calling_thread_stops;
    return config;
}

int rmat_graph_generator(const rmat_graph *g, int device, rmat_gen **out)
{
    const rmat_config config = config_of(g, device);

    return rmat_create(out, &config);
}

int rmat_graph_rows(const rmat_graph *g, rmat_rows **out)
{
    const rmat_config config = config_of(g, -1);

    *out = NULL;
    if (config.stream != RMAT_STREAM_ROWS || config.symmetrize ||
        config.direction != RMAT_DIRECTED || g->options.plan.job.unique) {
        return fail(BINDING_ERR_OPTION,
                    "stream: the graph has no rows that can be made alone, allowed: 'rows', "
                    "without symmetrize, undirected, simple and dedup");
    }
    return rmat_rows_create(out, &config, config.edges);
}

uint64_t binding_memory(void)
{
    return 2 * sorted_default_memory();
}

/* Alias tables. */

int binding_table_masses(const alias_table *table, uint64_t *masses)
{
    const uint64_t n = alias_size(table), capacity = (uint64_t)1 << alias_log2_capacity(table);

    memset(masses, 0, n * sizeof *masses);
    for (uint64_t i = 0; i < n; i++) {
        alias_row row;
        const int status = alias_get_row(table, i, &row);

        if (status != ALIAS_OK) {
            return status;
        }
        masses[i] += row.threshold;
        masses[row.alias] += capacity - row.threshold;
    }
    return ALIAS_OK;
}

/* GPU memory. */

#ifdef RMAT_HAVE_CUDA

enum { GPUS = 1024 }; /* more than any machine has */

/* Memory that stays with the pool when blocks are freed, for those that come next: asking the
 * driver again takes longer than making the edges. */
#define POOL_KEEPS ((uint64_t)2 << 30)

static cudaMemPool_t pools[GPUS];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

/* From a pool of our own: the settings of the default one are the application's. */
int binding_allocate(void **data, int device, uint64_t bytes)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice,
                                     .location.id = device};
    uint64_t keep = POOL_KEEPS;
    int before, st = alias_gpu_enter(device, &before);

    *data = NULL;
    if (st != ALIAS_OK) {
        return fail(BINDING_ERR_CUDA, "device %d: %s", device, alias_strerror(st));
    }
    pthread_mutex_lock(&pools_lock);
    if (pools[device] == NULL) {
        ALIAS_GPU_TRY(cudaMemPoolCreate(&pools[device], &props));
        ALIAS_GPU_TRY(
            cudaMemPoolSetAttribute(pools[device], cudaMemPoolAttrReleaseThreshold, &keep));
    }
    ALIAS_GPU_TRY(cudaMallocFromPoolAsync(data, bytes > 0 ? bytes : 1, pools[device], NULL));
done:
    pthread_mutex_unlock(&pools_lock);
    alias_gpu_leave(before);
    return st;
}

void binding_free(void *data, int device)
{
    int before;

    if (alias_gpu_enter(device, &before) == ALIAS_OK) {
        /* Nobody knows which streams have used the memory, so it is freed after all work of the
         * GPU.  Where the process ends the driver may be gone already. */
        (void)cudaFree(data);
        (void)cudaGetLastError();
        alias_gpu_leave(before);
    }
}

int binding_wait(int device)
{
    int before, status;

    ALIAS_OR_RETURN(alias_gpu_enter(device, &before));
    status = alias_gpu_status(cudaStreamSynchronize(NULL));
    alias_gpu_leave(before);
    return status;
}

int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device)
{
    int before, status;

    ALIAS_OR_RETURN(alias_gpu_enter(device, &before));
    status = alias_gpu_status(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    alias_gpu_leave(before);
    return status;
}

#endif
