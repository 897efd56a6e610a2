/* rmat roots: the vertices from which Graph500's benchmark searches. */
#include "apps/client/client.h"
#include "apps/common/cpu.h"
#include "apps/common/from_option.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "apps/roots/command.h"
#include "apps/roots/select.h"
#include "mpi/dist.h"
#include "rmat/rmat_graph500.h"
#include <inttypes.h>
#include <stdlib.h>

enum { MOST_KEYS = 65536 };

typedef struct {
    int from;
    uint64_t count, scale, seed, seed2, threads;
    const char *datasets;
    bool json, quiet, help;
} roots_values;

enum { COUNT, FROM, DATASETS, SCALE, SEED, SEED2, JSON, THREADS, QUIET, HELP, N_OPTIONS };

#define AT(field) offsetof(roots_values, field)
#define KEYS      "Search keys"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [COUNT] = {.name = "count", .kind = OPTION_COUNT, .argument = "N", .offset = AT(count),
        .min = 1, .max = MOST_KEYS, .fallback = "64", .group = KEYS,
        .help = "number of search keys"},
    [FROM] = {.name = "from", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(from),
        .choices = graphfile_names, .allowed = FROM_ALLOWED,
        .fallback = "recognised by the contents of FILE, else by its suffix", .group = KEYS,
        .help = "format of FILE"},
    [DATASETS] = OPTION_ROW_DATASETS(roots_values, datasets, KEYS, "FILE"),
    [SCALE] = {.name = "scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(scale),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "the smallest one that suffices for FILE's vertices",
        .group = KEYS,
        .help = "choose the keys from 2^N vertices"},
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "that of FILE if its stream is graph500, else 2", .group = KEYS,
        .help = "first seed of the benchmark, which it calls userseed1"},
    [SEED2] = {.name = "seed2", .kind = OPTION_U64, .argument = "N", .offset = AT(seed2),
        .fallback = "that of FILE if its stream is graph500, else 3", .group = KEYS,
        .help = "second seed of the benchmark, which it calls userseed2"},
    [JSON] = OPTION_ROW_JSON(roots_values, json, KEYS, "print one JSON object"),
    [THREADS] = OPTION_ROW_THREADS(roots_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(roots_values, quiet, RUNNING, "print no progress"),
    [HELP] = OPTION_ROW_LONG_HELP(roots_values, help, RUNNING),
};
/* clang-format on */

const command_line roots_command_line = {
    .command = "roots",
    .synopsis = "roots FILE [OPTION]...",
    .summary = "Print the search keys of Graph500's benchmark, one on a line: the vertices from "
               "which its breadth-first searches and shortest paths start. They are drawn at "
               "random; isolated vertices and repetitions are skipped, as in the benchmark's "
               "reference code.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "count from scale seed json quiet help",
    .examples = "rmat roots g.h5\n"
                "rmat roots g.h5 --count 8 --json\n"
                "rmat roots list.tsv --quiet",
    .notes = "FILE is any graph that 'rmat convert' reads; a vertex whose only edges are loops is "
             "isolated.\nFILE '-' is standard input and needs --from.",
};

static void print(const roots_job *job, const char *name, bool json)
{
    json_object object, keys;

    if (!json) {
        for (uint64_t i = 0; i < job->count; i++) {
            printf("%" PRIu64 "\n", job->keys[i]);
        }
        return;
    }
    json_begin(&object, stdout);
    json_string(&object, "file", name);
    json_u64(&object, "scale", (uint64_t)job->scale);
    json_u64(&object, "seed", job->seeds[0]);
    json_u64(&object, "seed2", job->seeds[1]);
    json_u64(&object, "candidates", job->candidates);
    json_array_begin(&keys, &object, "roots");
    for (uint64_t i = 0; i < job->count; i++) {
        json_u64(&keys, NULL, job->keys[i]);
    }
    json_array_end(&keys);
    json_end(&object);
}

/* What the file says where no option does. */
static void complete(roots_job *job, const edge_source_facts *f, const bool *given)
{
    const uint64_t vertices = f->graph.rows > f->graph.cols ? f->graph.rows : f->graph.cols;
    const rmat_config *model = f->model != NULL ? &f->model->given : NULL;

    if (!given[SCALE]) {
        job->scale = rmat_scale_of(vertices);
    }
    if (model != NULL && model->stream == RMAT_STREAM_GRAPH500) {
        job->seeds[0] = given[SEED] ? job->seeds[0] : model->seed;
        job->seeds[1] = given[SEED2] ? job->seeds[1] : model->seed2;
    }
}

static int roots(const char *name, const roots_values *o, const bool *given)
{
    roots_job job = {.scale = (int)o->scale,
                     .threads = o->threads != 0 ? (int)o->threads : cpu_usable(),
                     .seeds = {o->seed, o->seed2},
                     .count = o->count};
    edge_source_options options = {
        .format = given[FROM] ? o->from : -1, .datasets = o->datasets, .threads = job.threads};
    const graphfile_graph *graph;
    edge_source *source;
    client c;
    int status;

    client_begin(&c, "roots", NULL, o->quiet);
    options.watch = &c.watch;
    status = edge_source_open(&source, name, &options);
    if (status != ENGINE_OK) {
        return client_end(&c, status, NULL, 0, 0);
    }
    graph = &edge_source_facts_of(source)->graph;
    complete(&job, edge_source_facts_of(source), given);
    job.keys = malloc(job.count * sizeof *job.keys);
    if (job.keys == NULL) {
        client_clear(&c);
        status = runtime_error("roots", "memory is exhausted");
    } else {
        status = roots_select(source, &job, &c);
        status = client_end(&c, status, NULL, graph->edges, 2 * graph->id_bytes);
    }
    if (status == EXIT_OK) {
        print(&job, name, o->json);
    }
    free(job.keys);
    edge_source_close(source);
    return status;
}

int roots_main(int argc, char **argv)
{
    roots_values values = {.count = 64, .seed = RMAT_GRAPH500_SEED1, .seed2 = RMAT_GRAPH500_SEED2};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status;
    const bool goes_on =
        one_process_parse(&roots_command_line, "reads", argc, argv, &values, given, &name, &status);

    if (goes_on && name == NULL) {
        status = usage_error("roots", "FILE missing, allowed: the path of a graph");
    } else if (goes_on) {
        status = from_option_check("roots", name, given[FROM], values.from, values.datasets);
        if (status == EXIT_OK) {
            status = roots(name, &values, given);
        }
    }
    dist_stop();
    return status;
}
