/* Graphs in memory: the options of `rmat generate`, taken for their model and its order alone. */
#include "apps/binding/graph.h"
#include "apps/binding/graph_private.h"
#include "apps/binding/private.h"
#include "apps/common/message.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/sorted/plan.h"
#include "apps/generate/command.h"
#include "apps/generate/options.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The parser keeps its message for the whole process. */
static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER;

/* Is this word an option, in full or by its letter? */
static bool is_option(const char *word, const option *o)
{
    const size_t length = strlen(o->name);

    if (word[0] == '-' && word[1] != '-') {
        return o->letter != '\0' && word[1] == o->letter;
    }
    return strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, length) == 0 &&
           (word[2 + length] == '\0' || word[2 + length] == '=');
}

/* Is it one about files?  What is no option at all is left to the parser. */
static bool is_for_files(const char *word)
{
    for (size_t i = 0; i < generate_command_line.n_options; i++) {
        const option *o = &generate_command_line.options[i];

        if (is_option(word, o)) {
            return !o->in_memory;
        }
    }
    return false;
}

static int parse(rmat_graph *g, int argc, const char *const *argv)
{
    char message[MESSAGE_TEXT], **words = calloc((size_t)argc + 1, sizeof *words);
    int status = BINDING_OK;

    if (words == NULL) {
        return BINDING_ERR_NOMEM;
    }
    for (int i = 0; i < argc && status == BINDING_OK; i++) {
        if (is_for_files(argv[i])) {
            status = binding_fail(BINDING_ERR_OPTION,
                                  "%s: given for a graph in memory, allowed: when it is written to "
                                  "a file",
                                  argv[i]);
        }
        words[i] = (char *)argv[i]; /* the parser does not change it */
    }
    if (status == BINDING_OK) {
        pthread_mutex_lock(&parser);
        message_keep();
        if (generate_options_parse(argc, words, &g->options) != EXIT_OK) {
            message_take(message);
            status = binding_fail(BINDING_ERR_OPTION, "%s", message);
        }
        pthread_mutex_unlock(&parser);
    }
    free(words);
    return status;
}

static void tell(rmat_graph *g, rmat_graph_facts *facts)
{
    const engine_job *o = &g->options.job;
    const model_order order = {
        o->sorted, false, o->unique, o->graph_edges, o->edges << o->model.symmetrize, o->dedup};
    model_attrs attrs;

    g->format = "";
    model_attrs_of_job(&attrs, o, o->sorted ? &order : NULL);
    snprintf(g->command, sizeof g->command, "%s", attrs.command);
    *facts = (rmat_graph_facts){.rows = o->model.rows,
                                .cols = o->model.cols,
                                .edges = o->graph_edges,
                                .stream_edges =
                                    o->unique && !o->dedup ? 0 : o->edges << o->model.symmetrize,
                                .memory = o->memory,
                                .device_memory = o->device_memory,
                                .id_bytes = o->id_bytes,
                                .weights = (int32_t)o->model.weights,
                                .sorted = o->sorted,
                                .unique = o->unique && !o->dedup,
                                .dedup = o->dedup,
                                .backend = (int32_t)o->model.backend,
                                .device = o->device_count > 0 ? o->devices[0] : -1,
                                .threads = o->threads};
}

int rmat_graph_open(rmat_graph **out, int argc, const char *const *argv, rmat_graph_facts *facts)
{
    rmat_graph *g = calloc(1, sizeof *g);
    int status = g == NULL ? BINDING_ERR_NOMEM : parse(g, argc, argv);

    if (status == BINDING_OK) {
        atomic_init(&g->references, 1);
        tell(g, facts);
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
        binding_close_file(g);
        free(g);
    }
}

int rmat_graph_generator(const rmat_graph *g, int device, int threads, rmat_gen **out)
{
    rmat_config config = g->options.job.model;

    config.backend = device < 0 ? RMAT_BACKEND_CPU : RMAT_BACKEND_GPU;
    config.device = device;
    config.threads = threads > 0 ? threads : g->options.job.threads;
    return g->stream != NULL ? rmat_create_from(out, &g->source.edges, &config)
                             : rmat_create(out, &config);
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
