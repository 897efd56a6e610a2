/* rmat stats: statistics of the edges and degrees of a graph. */
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/common/devices.h"
#include "apps/common/interrupt.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "apps/common/whole_file.h"
#include "apps/stats/report.h"
#include "mpi/dist.h"
#include <stdlib.h>

enum { MAX_TOP = 10000 };

typedef struct {
    int backend;
    uint64_t top, device, memory, threads;
    const char *degrees;
    bool fast, levels, force, json, quiet, help;
} stats_values;

enum {
    FAST,
    LEVELS,
    TOP,
    DEGREES,
    FORCE,
    JSON,
    BACKEND,
    DEVICE,
    MEMORY,
    THREADS,
    QUIET,
    HELP,
    N_OPTIONS
};

#define AT(field) offsetof(stats_values, field)
#define GRAPH     "Graph"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [FAST] = {.name = "fast", .kind = OPTION_FLAG, .offset = AT(fast), .group = GRAPH,
        .help = "omit duplicates and reciprocity, which take most of the time and memory"},
    [LEVELS] = OPTION_ROW_FLAG(stats_values, levels, GRAPH, "levels", 0,
        "count the quadrants of each level of the recursion also if FILE names no R-MAT model"),
    [TOP] = {.name = "top", .kind = OPTION_COUNT, .argument = "K", .offset = AT(top),
        .min = 0, .max = MAX_TOP, .fallback = "10", .group = GRAPH,
        .help = "list the K vertices of the highest degrees"},
    [DEGREES] = {.name = "degrees", .kind = OPTION_FILE, .argument = "FILE",
        .offset = AT(degrees), .group = GRAPH,
        .help = "write a table of the number of vertices of each degree: degree, out, in, total; with commas if the name ends "
                "with .csv, else with tabs"},
    [FORCE] = OPTION_ROW_FORCE(stats_values, force, GRAPH,
        "replace the file of --degrees if it exists"),
    [JSON] = OPTION_ROW_JSON(stats_values, json, GRAPH,
        "print one JSON object, which includes the number of vertices of each degree"),
    [BACKEND] = OPTION_ROW_BACKEND(stats_values, backend, RUNNING,
        "device that counts; auto: a GPU, if there is one and the graph is so large that starting it pays off"),
    [DEVICE] = OPTION_ROW_DEVICE(stats_values, device, RUNNING, "the first one", "number of the GPU, as CUDA counts "
        "them"),
    [MEMORY] = OPTION_ROW_MEMORY(stats_values, memory, RUNNING,
        "half of what is available, and 9/10 of a GPU's free memory",
        "memory for tables and edges; with less memory, FILE is read more often"),
    [THREADS] = OPTION_ROW_THREADS(stats_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(stats_values, quiet, RUNNING, "print no progress"),
    [HELP] = OPTION_ROW_LONG_HELP(stats_values, help, RUNNING),
};
/* clang-format on */

const command_line stats_command_line = {
    .command = "stats",
    .synopsis = "stats FILE... [OPTION]...",
    .summary =
        "Print statistics of a graph: isolated vertices, self loops, duplicate edges, "
        "degrees, reciprocity, and the quadrants of each level of the recursion. Several files "
        "are several graphs, each with a report of its own.",
    .operand = "FILE",
    .many = true,
    .options = table,
    .n_options = N_OPTIONS,
    .common = "fast top degrees json quiet help",
    .examples = "rmat stats g.h5\n"
                "rmat stats g.h5 --fast --top 3\n"
                "rmat stats g.h5 --degrees degrees.tsv",
    .notes =
        "sources, destinations: vertices with an outgoing or an incoming edge.\n"
        "isolated: vertices without any edge.\n"
        "duplicates: copies of an edge beyond the first; distinct: edges without these copies.\n"
        "degrees: duplicates count, and a loop counts as outgoing and as incoming; total is the "
        "sum\n"
        "of both.  Mean, minimum and percentiles are over the vertices of a degree above 0.\n"
        "reciprocity: share of the distinct edges, without loops, whose reverse exists too; 1 for\n"
        "undirected graphs that are stored in both directions.\n"
        "levels: shares of the edges by one bit of source and destination, a: 0 0, b: 0 1, c: 1 "
        "0,\n"
        "d: 1 1; level 0 is the most significant bit.  They are counted if the file names its "
        "R-MAT\n"
        "model, and with --levels; a permutation is undone first, and the expected shares stand\n"
        "beside the observed ones.\n"
        "In a graph with different numbers of rows and columns, sources and destinations are\n"
        "different vertices: it has no loops, no total degree and no reciprocity.\n"
        "The report does not depend on --backend, --memory and --threads.  The file of "
        "--degrees is created whole or not at all.",
};

static int print_reports(const edge_source *source, const char *name, const stats_values *o,
                         const stats_results *results, whole_file *degrees, int status)
{
    const stats_graph g = {name, edge_source_facts_of(source), results, !o->fast};

    if (status == EXIT_OK && degrees->stream != NULL) {
        stats_print_degrees(&g, degrees->stream,
                            graphfile_format_of(o->degrees) == GRAPHFILE_CSV ? ',' : '\t');
    }
    status = whole_file_close(degrees, status);
    if (status == EXIT_OK && o->json) {
        stats_print_json(&g);
    } else if (status == EXIT_OK) {
        stats_print(&g);
    }
    return status;
}

/* One of each_file(), with stats_values. */
static int count_file(const char *name, const void *values)
{
    const stats_values *o = values;
    const int threads = o->threads != 0 ? (int)o->threads : cpu_usable();
    stats_job job = {
        .options = {"stats", name, threads, o->memory, o->top, o->quiet},
        .pairs = !o->fast,
        .backend = (rmat_backend)o->backend,
        .device = (int)o->device,
    };
    const file_model *model;
    edge_source *source;
    stats_results results;
    whole_file degrees;
    int status = edge_source_open(&source, name);

    if (status != ENGINE_OK) {
        return client_fail("stats", status, NULL);
    }
    model = edge_source_facts_of(source)->model;
    job.levels = o->levels || (model != NULL && !rmat_is_official(model->given.stream));
    status = whole_file_open(&degrees, "stats", "degrees", o->degrees, o->force, name);
    if (status == EXIT_OK) {
        status = stats_run(source, &job, &results);
        status = print_reports(source, name, o, &results, &degrees, status);
        degree_counts_free(&results.degrees);
    }
    edge_source_close(source);
    return status;
}

int stats_main(int argc, char **argv)
{
    stats_values values = {.top = 10};
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* they move to its front */
    int status;

    if (!one_process_parse(&stats_command_line, "counts", argc, argv, &values, given, files,
                           &status)) {
        dist_stop();
        return status;
    }
    if (files[0] == NULL) {
        status = usage_error("stats", "FILE missing, allowed: the path of a graph");
    } else if (files[1] != NULL && given[DEGREES]) {
        status = usage_error("stats", "--degrees: given with several files, allowed: with one");
    } else {
        interrupt_install(); /* before there is a partial file of --degrees */
        status = each_file(files, values.json, false, count_file, &values);
    }
    dist_stop();
    return status;
}
