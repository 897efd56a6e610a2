/* rmat stats: what a graph is like. */
#include "apps/cli/commands.h"
#include "apps/client/client.h"
#include "apps/common/cpu.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/stats/report.h"
#include "mpi/dist.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 4096, MAX_TOP = 10000, PATH_TEXT = 4096 };

typedef struct {
    int from;
    uint64_t vertices, top, memory, threads;
    const char *degrees;
    bool fast, json, quiet, help;
} stats_values;

enum { FROM, VERTICES, FAST, TOP, DEGREES, JSON, MEMORY, THREADS, QUIET, HELP, N_OPTIONS };

#define AT(field) offsetof(stats_values, field)
#define GRAPH     "Graph"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [FROM] = {.name = "from", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(from),
        .choices = graphfile_names, .fallback = "what FILE begins with, else its suffix",
        .group = GRAPH,
        .help = "format of FILE; those that rmat writes only are refused"},
    [VERTICES] = {.name = "vertices", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(vertices), .min = 1, .max = (uint64_t)1 << 62,
        .allowed = "1 to 4611686018427387904 (2^62)",
        .fallback = "as FILE says, or its highest id and 1", .group = GRAPH,
        .help = "where FILE is not HDF5 and may not name all"},
    [FAST] = {.name = "fast", .kind = OPTION_FLAG, .offset = AT(fast), .group = GRAPH,
        .help = "without duplicates and reciprocity, which take most of time and memory"},
    [TOP] = {.name = "top", .kind = OPTION_COUNT, .argument = "K", .offset = AT(top),
        .min = 0, .max = MAX_TOP, .fallback = "10", .group = GRAPH,
        .help = "vertices with the highest degrees to name"},
    [DEGREES] = {.name = "degrees", .kind = OPTION_FILE, .argument = "TSV",
        .offset = AT(degrees), .group = GRAPH,
        .help = "write how many vertices have each degree: degree, out, in, total"},
    [JSON] = {.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .group = GRAPH,
        .help = "one JSON object, with how many vertices have each degree"},
    [MEMORY] = {.name = "memory", .kind = OPTION_COUNT, .argument = "BYTES",
        .offset = AT(memory), .min = 1, .max = UINT64_MAX,
        .allowed = "a number of bytes, with K, M, G, T (1000) or Ki, Mi, Gi, Ti (1024)",
        .fallback = "half of what is available", .group = RUNNING,
        .help = "memory for tables and edges; with less, FILE is read more often"},
    [THREADS] = {.name = "threads", .kind = OPTION_COUNT, .argument = "N", .offset = AT(threads),
        .min = 0, .max = MAX_THREADS, .fallback = "0", .group = RUNNING,
        .help = "threads; 0: one per processor that it may use"},
    [QUIET] = {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = AT(quiet),
        .group = RUNNING, .help = "no progress"},
    [HELP] = {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .offset = AT(help),
        .group = RUNNING, .help = "this text"},
};
/* clang-format on */

const command_line stats_command_line = {
    .command = "stats",
    .synopsis = "stats FILE [OPTION]...",
    .summary = "Count what a graph is like: vertices without edges, self loops, duplicate edges, "
               "degrees, reciprocity, and the quadrants of each level of the recursion.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .notes =
        "sources, destinations: vertices with an edge from or to them.  isolated: with none.\n"
        "duplicates: copies of an edge beyond the first; distinct: edges without them.\n"
        "degrees: duplicates count, a loop counts in both directions; total: out and in.  Mean,\n"
        "minimum and percentiles are those of vertices with a degree above 0.\n"
        "reciprocity: of the distinct edges that are no loops, the share whose reverse is there\n"
        "too; 1 for undirected graphs with both directions.\n"
        "levels: shares of edges by the bit of source and destination, a: 0 0, b: 0 1, c: 1 0,\n"
        "d: 1 1; level 0 is the most significant bit.  A permutation is undone where the file\n"
        "says which; beside them what its model makes one expect.\n"
        "With other numbers of rows than of columns, sources and destinations are different\n"
        "vertices: then there are no loops, no total degree and no reciprocity.\n"
        "The report does not depend on --memory and --threads.  FILE '-' is standard input and\n"
        "needs --from.",
};

/* The table of degrees, under another name until it is complete. */
typedef struct {
    const char *name;
    char partial[PATH_TEXT];
    FILE *file;
} degree_file;

static int open_degrees(degree_file *d, const char *name)
{
    *d = (degree_file){.name = name};
    if (name == NULL) {
        return EXIT_OK;
    }
    if (snprintf(d->partial, sizeof d->partial, "%s.partial", name) >= (int)sizeof d->partial) {
        errno = ENAMETOOLONG;
    } else {
        d->file = fopen(d->partial, "we");
    }
    return d->file != NULL ? EXIT_OK
                           : runtime_error("stats", "--degrees: %s: %s", name, strerror(errno));
}

static int close_degrees(degree_file *d, const stats_graph *g, int status)
{
    bool good;

    if (d->file == NULL) {
        return status;
    }
    if (status == EXIT_OK) {
        stats_print_degrees(g, d->file);
    }
    good = !ferror(d->file);
    good = fclose(d->file) == 0 && good;
    if (status == EXIT_OK && (!good || rename(d->partial, d->name) != 0)) {
        status = runtime_error("stats", "--degrees: %s: %s", d->name, strerror(errno));
    }
    if (status != EXIT_OK) {
        unlink(d->partial);
    }
    return status;
}

static int report(const edge_source *source, const char *name, const stats_values *o,
                  const stats_results *results, degree_file *degrees, int status)
{
    const stats_graph g = {name, edge_source_facts_of(source), results, !o->fast};

    status = close_degrees(degrees, &g, status);
    if (status == EXIT_OK && o->json) {
        stats_print_json(&g);
    } else if (status == EXIT_OK) {
        stats_print(&g);
    }
    return status;
}

/* Our files say how many vertices there are. */
static int check_source(const edge_source *source, const bool *given)
{
    const graphfile_format format = edge_source_facts_of(source)->format;

    if (given[VERTICES] && (format == GRAPHFILE_H5 || format == GRAPHFILE_CSR)) {
        return usage_error("stats", "--vertices: given for HDF5, allowed: for other formats");
    }
    return EXIT_OK;
}

static int stats(const char *name, const stats_values *o, const bool *given)
{
    const int threads = o->threads != 0 ? (int)o->threads : cpu_usable();
    edge_source_options options = {.format = given[FROM] ? o->from : -1,
                                   .rows = o->vertices,
                                   .cols = o->vertices,
                                   .threads = threads};
    const stats_job job = {
        .options = {"stats", name, threads, o->memory, o->top, o->quiet},
        .pairs = !o->fast,
        .levels = true,
    };
    edge_source *source;
    stats_results results;
    degree_file degrees;
    client c;
    int status;

    client_begin(&c, "stats", o->quiet);
    options.watch = &c.watch;
    status = edge_source_open(&source, name, &options);
    if (status != ENGINE_OK) {
        return client_end(&c, status, NULL, 0, 0);
    }
    client_clear(&c);
    status = check_source(source, given);
    if (status == EXIT_OK) {
        status = open_degrees(&degrees, o->degrees);
    }
    if (status == EXIT_OK) {
        status = stats_run(source, &job, &results);
        status = report(source, name, o, &results, &degrees, status);
        degree_counts_free(&results.degrees);
    }
    edge_source_close(source);
    return status;
}

static int check(const char *name, const stats_values *o, const bool *given)
{
    const bool ours = o->from == GRAPHFILE_H5 || o->from == GRAPHFILE_CSR;

    if (name == NULL) {
        return usage_error("stats", "FILE missing, allowed: the path of a graph");
    }
    if (!given[FROM]) {
        return strcmp(name, "-") != 0
                   ? EXIT_OK
                   : usage_error("stats", "--from: missing, standard input needs it");
    }
    if (!ours && !(graphfile_table[o->from].traits & GRAPHFILE_READS)) {
        return usage_error("stats", "--from: '%s' is not read, only written",
                           graphfile_table[o->from].name);
    }
    if (ours && strcmp(name, "-") == 0) {
        return usage_error("stats", "--from: '%s' cannot be read from standard input",
                           graphfile_table[o->from].name);
    }
    return EXIT_OK;
}

int stats_main(int argc, char **argv)
{
    stats_values values = {.top = 10};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status = one_process("stats", "counts");

    if (status == EXIT_OK) {
        status = options_parse(&stats_command_line, argc, argv, &values, given, &name);
    }
    if (status == EXIT_OK && values.help) {
        options_help(&stats_command_line, stdout);
    } else if (status == EXIT_OK) {
        status = check(name, &values, given);
        if (status == EXIT_OK) {
            status = stats(name, &values, given);
        }
    }
    dist_stop();
    return status;
}
