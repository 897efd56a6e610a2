/* rmat stats: statistics of the edges and degrees of a graph. */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/stats/report.h"
#include "mpi/dist.h"

enum { MAX_TOP = 10000 };

typedef struct {
    uint64_t top, memory, threads;
    const char *degrees;
    bool fast, force, json, quiet, help;
} stats_values;

enum { FAST, TOP, DEGREES, FORCE, JSON, MEMORY, THREADS, QUIET, HELP, N_OPTIONS };

#define AT(field) offsetof(stats_values, field)
#define GRAPH     "Graph"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [FAST] = {.name = "fast", .kind = OPTION_FLAG, .offset = AT(fast), .group = GRAPH,
        .help = "omit duplicates and reciprocity, which take most of the time and memory"},
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
    [MEMORY] = OPTION_ROW_MEMORY(stats_values, memory, RUNNING, "half of the available memory",
        "memory for counters and sorting; with less memory, FILE is read more often"),
    [THREADS] = OPTION_ROW_THREADS(stats_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(stats_values, quiet, RUNNING, "print no progress"),
    [HELP] = OPTION_ROW_LONG_HELP(stats_values, help, RUNNING),
};
/* clang-format on */

const command_line stats_command_line = {
    .command = "stats",
    .synopsis = "stats FILE... [OPTION]...",
    .summary = "Print statistics of a graph: isolated vertices, self loops, duplicate edges, "
               "degrees, and reciprocity. Time and memory grow with the number of vertices, too. "
               "Several files are several graphs, each with a report of its "
               "own.",
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
        "In a graph with different numbers of rows and columns, sources and destinations are\n"
        "different vertices: it has no loops, no total degree and no reciprocity.\n"
        "The report does not depend on --memory and --threads.  The file of --degrees is created\n"
        "whole or not at all.",
};

/* The steps of a report, shown as one progress bar. */
typedef struct {
    const engine_watch *to;
    const char *phase;
    int step, steps;
} step_watch;

static int show_step(void *state, const engine_progress *p)
{
    const step_watch *w = state;
    engine_progress all = *p;

    all.phase = w->phase;
    all.share = (w->step + p->share) / w->steps;
    all.done = 0;
    return w->to->tick(w->to->state, &all);
}

/* Returns an engine_status. */
static int count(edge_source *source, const degree_options *options, const engine_watch *to,
                 stats_report *r)
{
    const graphfile_graph *g = &r->facts->graph;
    step_watch w = {to, "counting degrees", 0, !r->pairs ? 1 : g->rows == g->cols ? 3 : 2};
    const engine_watch watch = {.tick = show_step, .state = &w};
    int status = count_degrees(source, options, &watch, &r->degrees, &r->edges);

    if (status == ENGINE_OK && ++w.step < w.steps) {
        w.phase = "finding duplicates";
        status = count_distinct(source, options, &watch, &r->edges);
    }
    if (status == ENGINE_OK && ++w.step < w.steps) {
        w.phase = "finding reverse edges";
        status = count_mutual(source, options, &watch, &r->edges);
    }
    return status;
}

static int print_reports(const stats_report *r, const stats_values *o, whole_file *degrees,
                         int status)
{
    if (status == EXIT_OK && degrees->stream != NULL) {
        stats_print_degrees(r, degrees->stream,
                            graphfile_format_of(o->degrees) == GRAPHFILE_CSV ? ',' : '\t');
    }
    status = whole_file_close(degrees, status);
    if (status == EXIT_OK && o->json) {
        stats_print_json(r);
    } else if (status == EXIT_OK) {
        stats_print(r);
    }
    return status;
}

/* Reports one file, for each_file(); values: stats_values. */
static int count_file(const char *name, const void *values)
{
    const stats_values *o = values;
    const int threads = cpu_threads(o->threads);
    const degree_options options = {"stats", name, threads, o->memory, o->top, o->quiet};
    stats_report r = {.name = name, .pairs = !o->fast};
    client watcher;
    edge_source *source;
    whole_file degrees;
    int status = edge_source_open(&source, name);

    if (status != ENGINE_OK) {
        return client_fail("stats", status, NULL);
    }
    r.facts = edge_source_facts_of(source);
    status = whole_file_open(&degrees, "stats", "degrees", o->degrees, o->force, name);
    if (status == EXIT_OK) {
        client_begin(&watcher, "stats", NULL, o->quiet);
        status = count(source, &options, &watcher.watch, &r);
        status = client_end(&watcher, status, NULL);
        status = print_reports(&r, o, &degrees, status);
        degree_counts_free(&r.degrees);
    }
    edge_source_close(source);
    return status;
}

int stats_main(int argc, char **argv)
{
    stats_values values = {.top = 10};
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* parsing moves the file names to its front */
    int status;

    if (!one_process_parse(&stats_command_line, argc, argv, &values, given, files, &status)) {
        dist_stop();
        return status;
    }
    if (files[0] == NULL) {
        status = usage_error("stats", "FILE missing, allowed: the path of a graph");
    } else if (files[1] != NULL && given[DEGREES]) {
        status = usage_error("stats", "--degrees: given with several files, allowed: with one");
    } else {
        interrupt_install(); /* before --degrees creates a partial file */
        status = each_file(files, values.json, false, count_file, &values);
    }
    dist_stop();
    return status;
}
