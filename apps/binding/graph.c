/* Graphs for other languages: in memory, by the options of `rmat generate`, of which those for the
 * model and its order count; and in files, as an edge stream of which any range is read. */
#include "apps/binding/graph.h"
#include "alias/alias_gpu.h"
#include "apps/binding/private.h"
#include "apps/binding/python.h"
#include "apps/client/commands.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_stream.h"
#include "apps/generate/options.h"
#include "apps/plot/plot.h"
#include "rmat/rmat_gpu.h"
#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model by options, or the edges of a file. */
struct rmat_graph {
    atomic_int references;
    generate_options options; /* of a file: none but the threads */
    char command[1536];
    const char *format;

    /* Of a file; else NULL. */
    edge_source *file;
    edge_stream *stream;
    engine_source source;
};

/* binding_error(): the text of a status, of whichever library it is. */

static _Thread_local char text[8192];

int binding_fail(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return status;
}

/* A failure of CUDA is explained by CUDA. */
static void explain_status(const char *what, const char *cuda)
{
    snprintf(text, sizeof text, "%s%s%s", what, cuda[0] == '\0' ? "" : ": ", cuda);
}

const char *binding_error(int status)
{
    if (status == BINDING_ERR_NOMEM) {
        return "out of memory";
    }
    if (status <= RMAT_ERR_ARG && status > RMAT_ERR_ARG - 100) {
        explain_status(rmat_strerror(status), status == RMAT_ERR_CUDA ? rmat_gpu_error() : "");
    } else if (status <= ALIAS_ERR_ARG && status > ALIAS_ERR_ARG - 100) {
        explain_status(alias_strerror(status), status == ALIAS_ERR_CUDA ? alias_gpu_error() : "");
    }
    return text;
}

/* Calls: whether they are to end, and with how many threads. */

static _Thread_local const int32_t *watched;

void binding_watch(const int32_t *stop)
{
    watched = stop;
}

int binding_stops(void *stop)
{
    return stop != NULL && __atomic_load_n((const int32_t *)stop, __ATOMIC_RELAXED) != 0;
}

void *binding_watched(void)
{
    return (void *)watched;
}

static int calling_thread_stops(void *state)
{
    (void)state;
    return binding_stops(binding_watched());
}

void binding_one_thread(void)
{
    omp_set_max_active_levels(0);
}

/* In memory. */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_up(void)
{
    message_spell_arguments();
}

static int set_options(rmat_graph *g, uint64_t n, const option_setting *options)
{
    char message[MESSAGE_TEXT] = "";
    int status;

    pthread_once(&once, set_up);
    message_capture(message);
    status = generate_options_set(n, options, &g->options);
    message_capture(NULL);
    return status == EXIT_OK ? BINDING_OK : binding_fail(BINDING_ERR_OPTION, "%s", message);
}

int binding_option_get(const char *command, uint64_t i, binding_option *out)
{
    static const command_line *const lines[] = {&generate_command_line, &convert_command_line,
                                                &stats_command_line, &verify_command_line};

    for (size_t n = 0; n < sizeof lines / sizeof lines[0]; n++) {
        if (strcmp(lines[n]->command, command) == 0 && i < lines[n]->n_options) {
            const option *o = &lines[n]->options[i];

            *out = (binding_option){.name = o->name,
                                    .help = o->help,
                                    .fallback = o->fallback,
                                    .choices = o->choices,
                                    .kind = (int32_t)o->kind,
                                    .scope = (int32_t)o->scope};
            snprintf(out->allowed, sizeof out->allowed, "%s", option_allowed(o, text, sizeof text));
            return BINDING_OK;
        }
    }
    return BINDING_ERR_OPTION;
}

static void tell_model_facts(rmat_graph *g, rmat_graph_facts *facts)
{
    const engine_job *o = &g->options.job;
    const model_order order = {
        o->sorted, false, o->unique, o->graph_edges, o->edges << o->model.symmetrize, o->dedup};
    const bool draws = o->unique && !o->dedup; /* until there are enough */
    model_attrs attrs;

    g->format = "";
    model_attrs_of_job(&attrs, o, o->sorted ? &order : NULL);
    snprintf(g->command, sizeof g->command, "%s", attrs.command);
    *facts = (rmat_graph_facts){.rows = o->model.rows,
                                .cols = o->model.cols,
                                .edges = o->graph_edges,
                                .stream_edges = draws ? 0 : o->edges << o->model.symmetrize,
                                .distinct = draws ? o->edges : 0,
                                .memory = o->memory,
                                .device_memory = o->device_memory,
                                .id_bytes = o->id_bytes,
                                .weights = (int32_t)o->model.weights,
                                .sorted = engine_sorts(o),
                                .unique = o->unique,
                                .edges_known = o->graph_edges_known,
                                .backend = (int32_t)o->model.backend,
                                .device = o->device_count > 0 ? o->devices[0] : -1,
                                .threads = o->threads};
}

int rmat_graph_open(rmat_graph **out, uint64_t n, const option_setting *options,
                    rmat_graph_facts *facts)
{
    rmat_graph *g = calloc(1, sizeof *g);
    int status = g == NULL ? BINDING_ERR_NOMEM : set_options(g, n, options);

    if (status == BINDING_OK) {
        atomic_init(&g->references, 1);
        tell_model_facts(g, facts);
    } else {
        free(g);
        g = NULL;
    }
    *out = g;
    return status;
}

void rmat_graph_retain(rmat_graph *g)
{
    atomic_fetch_add(&g->references, 1);
}

void rmat_graph_close(rmat_graph *g)
{
    if (g != NULL && atomic_fetch_sub(&g->references, 1) == 1) {
        edge_stream_close(g->stream); /* a model has none */
        edge_source_close(g->file);
        free(g);
    }
}

int rmat_graph_generator(const rmat_graph *g, int device, int threads, rmat_gen **out)
{
    rmat_config config = g->options.job.model;

    config.backend = device < 0 ? RMAT_BACKEND_CPU : RMAT_BACKEND_GPU;
    config.device = device;
    config.threads = threads > 0 ? threads : g->options.job.threads;
    config.stop = calling_thread_stops;
    return g->stream != NULL ? rmat_create_from(out, &g->source.edges, &config)
                             : rmat_create(out, &config);
}

int rmat_graph_rows(const rmat_graph *g, rmat_rows **out)
{
    rmat_config config = g->options.job.model;

    *out = NULL;
    if (g->stream != NULL || config.stream != RMAT_STREAM_ROWS || config.symmetrize ||
        config.direction != RMAT_DIRECTED || g->options.job.unique) {
        return binding_fail(
            BINDING_ERR_OPTION,
            "stream: the graph has no rows that can be made alone, allowed: 'rows', "
            "without symmetrize, undirected, simple and dedup");
    }
    config.backend = RMAT_BACKEND_CPU;
    config.threads = g->options.job.threads;
    config.stop = calling_thread_stops;
    return rmat_rows_create(out, &config, config.edges);
}

/* The command line says all of a model but the contents of a file of level matrices. */
int rmat_graph_same(const rmat_graph *a, const rmat_graph *b)
{
    rmat_matrix levels[2][RMAT_MAX_SCALE];

    memset(levels, 0, sizeof levels);
    (void)rmat_levels(&a->options.job.model,
                      levels[0]); /* of a benchmark's stream there are none */
    (void)rmat_levels(&b->options.job.model, levels[1]);
    return strcmp(a->command, b->command) == 0 &&
           memcmp(levels[0], levels[1], sizeof levels[0]) == 0;
}

const char *rmat_graph_command(const rmat_graph *g)
{
    return g->command;
}

const char *rmat_graph_format(const rmat_graph *g)
{
    return g->format;
}

const char *rmat_graph_error(const rmat_graph *g)
{
    return g->stream != NULL ? g->source.error(g->source.edges.state) : "";
}

uint64_t binding_memory(void)
{
    return 2 * sorted_default_memory();
}

/* In files. */

static int open_file(rmat_graph *g, const char *path)
{
    if (edge_source_open(&g->file, path) != ENGINE_OK ||
        edge_stream_open(&g->stream, g->file) != ENGINE_OK) {
        return binding_fail(BINDING_ERR_FILE, "%s", engine_detail());
    }
    g->source = edge_stream_source(g->stream);
    return BINDING_OK;
}

static void tell_file_facts(rmat_graph *g, rmat_graph_facts *facts)
{
    static const rmat_weights kinds[] = {
        [EDGEFILE_NO_WEIGHT] = RMAT_NO_WEIGHTS,
        [EDGEFILE_WEIGHT_F32] = RMAT_WEIGHTS_UNIFORM,
        [EDGEFILE_WEIGHT_I32] = RMAT_WEIGHTS_INT,
    };
    const edge_source_facts *f = edge_source_facts_of(g->file);

    snprintf(g->command, sizeof g->command, "%s", f->made_by);
    g->format = graphfile_names[f->format];
    *facts = (rmat_graph_facts){.rows = f->graph.rows,
                                .cols = f->graph.cols,
                                .edges = f->graph.edges,
                                .stream_edges = f->graph.edges,
                                .id_bytes = f->graph.id_bytes,
                                .weights = (int32_t)kinds[f->graph.weight],
                                .edges_known = 1,
                                .backend = RMAT_BACKEND_CPU,
                                .device = -1,
                                .threads = g->options.job.threads};
}

int rmat_graph_open_file(rmat_graph **out, const char *path, int threads, rmat_graph_facts *facts)
{
    rmat_graph *g = calloc(1, sizeof *g);
    int status = BINDING_ERR_NOMEM;

    *out = NULL;
    if (g == NULL) {
        return status;
    }
    pthread_once(&once, set_up);
    atomic_init(&g->references, 1);
    engine_job_default(&g->options.job);
    g->options.job.threads = threads > 0 ? threads : cpu_usable();
    status = open_file(g, path);
    if (status != BINDING_OK) {
        rmat_graph_close(g);
        return status;
    }
    tell_file_facts(g, facts);
    *out = g;
    return BINDING_OK;
}

/* Degrees that a model makes one expect. */

int binding_degree_bins(uint64_t largest, int step, uint64_t *first)
{
    rmat_bins bins;

    plot_bins_fill(&bins, largest, step);
    memcpy(first, bins.first, ((size_t)bins.count + 1) * sizeof *first);
    return bins.count;
}

int binding_expected_degrees(const rmat_graph *g, uint64_t draws, int kind, const uint64_t *first,
                             int n, double *vertices)
{
    const engine_job *o = &g->options.job;
    rmat_expect_model model = {.drawn = &o->model, .unique = o->unique};
    rmat_bins bins = {.count = n};
    int status;

    if (g->file != NULL) {
        const file_model *made_by = edge_source_facts_of(g->file)->model;

        if (made_by == NULL) {
            return 0;
        }
        model.drawn = &made_by->drawn;
        model.unique = made_by->order.unique;
        draws =
            model.unique ? made_by->order.stream_edges : edge_source_facts_of(g->file)->graph.edges;
    } else if (draws == 0) {
        draws = o->edges << o->model.symmetrize;
    }
    if (rmat_is_official(model.drawn->stream)) {
        return 0;
    }
    model.draws = (double)(draws >> model.drawn->symmetrize);
    memcpy(bins.first, first, ((size_t)n + 1) * sizeof *first);
    status = rmat_expect_degrees(&model, (rmat_degree_kind)kind, &bins, vertices);
    return status == RMAT_OK ? 1 : status;
}
