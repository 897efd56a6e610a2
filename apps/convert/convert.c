/*
 * rmat convert: writes a graph in another format, with ids of another type, or sorted.
 *
 * Edges that keep their order go directly from the reader to the writer of the format.  To sort
 * them, the file becomes the source of an engine job.
 */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define GRAPH   "Graph"
#define RUNNING "Running"

typedef struct {
    int to, id_type; /* to: -1 at first: the suffix of OUT says it */
    uint64_t threads, memory;
    bool sorted, force, json, quiet, help;
} convert_values;

/* A conversion: the request, the graph of IN, and the result. */
typedef struct {
    convert_values v;
    const char *in, *out;
    unsigned traits; /* of OUT's format */
    client c;
    edge_source *source;
    const edge_source_facts *facts;
    uint64_t edges, bytes; /* of OUT */
    double seconds;
} conversion;

/* clang-format off */
static const option table[] = {
    OPTION_ROW(convert_values, to, GRAPH, "to", CHOICE, .argument = "NAME", .choices = graphfile_names,
        .fallback = "by the suffix of OUT", .help = "format of OUT; csr and formats that require an order are sorted"),
    EDGE_ROW_ID_TYPE(convert_values, id_type, GRAPH, "as in IN"),
    OPTION_ROW_FLAG(convert_values, sorted, GRAPH, "sorted", 0,
        "sort the edges by source, then by destination"),
    OPTION_ROW_FORCE(convert_values, force, RUNNING,
        "replace OUT if it exists, once the new one is complete; print a binary format to a terminal"),
    OPTION_ROW_JSON(convert_values, json, RUNNING, "print the summary as one JSON object"),
    OPTION_ROW_MEMORY(convert_values, memory, RUNNING, "half of the available memory",
        "memory for sorting, and for the in-neighbors of sg and wsg; with less memory, IN is read more often"),
    OPTION_ROW_QUIET(convert_values, quiet, RUNNING,
        "print no progress, and no summary except that of --json"),
    OPTION_ROW_THREADS(convert_values, threads, RUNNING, "number of threads"),
    OPTION_ROW_LONG_HELP(convert_values, help, RUNNING),
};
/* clang-format on */

const command_line convert_command_line = {
    .command = "convert",
    .synopsis = "convert IN OUT [OPTION]...",
    .summary = "Convert a graph from an HDF5 file of rmat to another format.",
    .operand = "IN OUT",
    .options = table,
    .n_options = sizeof table / sizeof *table,
    .common = "to sorted force quiet help",
    .examples = "rmat convert g.h5 g.el\n"
                "rmat convert g.h5 rows.h5 --to csr\n"
                "rmat convert g.h5 - --to mtx | gzip > g.mtx.gz",
    .notes =
        "IN is a list of edges or CSR in HDF5, as 'rmat generate' and the C library write them. "
        "The page apps/doc/FORMATS.md describes the formats of OUT.\n"
        "\n"
        "For sg and wsg, edges that are sorted pass through OUT.sorted.partial, an HDF5 file, so "
        "the disk needs room for both files.\n"
        "\n"
        "OUT - is standard output and needs --to. It is for text and pairs of integers, and the "
        "summary goes to standard error.\n"
        "\n"
        "Exit status: 0 the file is complete, 1 it could not be made (without a message if the "
        "reader closed the pipe early), 2 wrong usage or a graph that the format cannot represent, "
        "128 + N stopped by signal N.",
};

/* --- The request --- */

/* Whether OUT is standard output. */
static bool is_pipe(const conversion *x)
{
    return strcmp(x->out, "-") == 0;
}

/* Finds the format of OUT, and checks that it can go there. */
static int resolve_to(conversion *x)
{
    char list[256];

    if (x->v.to < 0 && graphfile_format_of_name(x->out, &x->v.to) != EDGEFILE_OK) {
        return usage_error("convert", "OUT %s; --to takes any name", edgefile_detail());
    }
    graphfile_list(is_pipe(x) ? GRAPHFILE_PIPE : 0, list, sizeof list);
    if (x->v.to < 0) {
        return usage_error(
            "convert", "--to: missing, because the name '%s' does not tell the format, allowed: %s",
            x->out, list);
    }
    x->traits = graphfile_table[x->v.to]->traits;
    if (is_pipe(x) && !(x->traits & GRAPHFILE_PIPE)) {
        return usage_error("convert",
                           "--to: '%s' cannot be written to standard output, allowed: %s",
                           graphfile_table[x->v.to]->name, list);
    }
    return client_check_terminal("convert", "OUT", x->out, (graphfile_format)x->v.to, x->v.force);
}

static int refuse_same(const conversion *x)
{
    const char *out = is_pipe(x) ? "/dev/stdout" : x->out;
    char weights[PATH_MAX] = "";

    if (x->traits & GRAPHFILE_WEIGHTS_APART) {
        snprintf(weights, sizeof weights, "%s" GRAPHFILE_WEIGHTS, x->out);
    }
    if (whole_file_is_input(out, x->in) || whole_file_is_input(weights, x->in)) {
        return usage_error("convert", "OUT '%s' is the same file as IN, allowed: another file",
                           whole_file_is_input(out, x->in) ? x->out : weights);
    }
    return EXIT_OK;
}

/* --- The summary --- */

static void print_json(FILE *to, const conversion *x, const char *lost)
{
    json_object j;

    json_begin(&j, to);
    json_string(&j, "in", x->in);
    json_string(&j, "out", x->out);
    json_string(&j, "from", graphfile_table[x->facts->format]->name);
    json_string(&j, "to", graphfile_table[x->v.to]->name);
    json_u64(&j, "edges", x->edges);
    json_u64(&j, "file_bytes", x->bytes);
    json_string(&j, "not_kept", lost);
    json_f64(&j, "seconds", x->seconds);
    json_f64(&j, "edges_per_second", (double)x->edges / x->seconds);
    json_f64(&j, "bytes_per_second", (double)x->bytes / x->seconds);
    json_end(&j);
}

static void print_lines(FILE *to, const conversion *x, const char *lost)
{
    const graphfile_graph *g = &x->facts->graph;
    char size[NUMBER_TEXT], rate[NUMBER_TEXT], bytes[NUMBER_TEXT];

    text_line(to, "file         %s (%s)", x->out, format_bytes(size, (double)x->bytes));
    text_line(to, "from         %s (%s)", x->in, graphfile_table[x->facts->format]->name);
    fprintf(to, "format       %s: %s\n", graphfile_table[x->v.to]->name,
            graphfile_table[x->v.to]->help);
    if (g->rows == g->cols) {
        fprintf(to, "vertices     %" PRIu64 "\n", g->rows);
    } else {
        fprintf(to, "vertices     %" PRIu64 " sources, %" PRIu64 " destinations\n", g->rows,
                g->cols);
    }
    fprintf(to, "edges        %" PRIu64 "\n", x->edges);
    if (*lost != '\0') {
        fprintf(to, "not kept     %s\n", lost);
    }
    fprintf(to, "time         %.3f s\n", x->seconds);
    fprintf(to, "rate         %s edges/s, %s/s\n", format_si(rate, (double)x->edges / x->seconds),
            format_bytes(bytes, (double)x->bytes / x->seconds));
}

/* --- Sorted edges --- */

/* Sorts the edges in an engine job.  Returns an engine_status. */
static int write_sorted(conversion *x)
{
    const graphfile_graph *g = &x->facts->graph;
    engine_source source = edge_source_for_engine(x->source);
    model_attrs attrs;
    engine_result made = {.edges = 0};
    engine_job job;
    int status;

    model_attrs_foreign(&attrs, g);
    if (*x->facts->made_by != '\0') {
        attrs.list[attrs.n++] = (edgefile_attr){"source", EDGEFILE_STRING, 1, x->facts->made_by};
    }
    source.attrs = attrs.list;
    source.n_attrs = attrs.n;
    source.command = FOREIGN_COMMAND;
    source.csr_option = " --to csr";
    engine_job_default(&job);
    job.source = &source;
    job.model.backend = RMAT_BACKEND_CPU;
    job.edges = source.edges.edges;
    job.format = (graphfile_format)x->v.to;
    job.sorted = true;
    job.output = x->out;
    engine_id_type(x->v.id_type, &job.id_bytes, &job.id_sign);
    if (job.id_bytes == 0 && g->signed_ids && (x->traits & GRAPHFILE_SIGNED_IDS)) {
        job.id_bytes = g->id_bytes; /* signed ids stay signed */
        job.id_sign = ENGINE_SIGNED;
    }
    job.replace = x->v.force;
    job.threads = (int)x->v.threads;
    job.memory = x->v.memory;
    job.watch = x->c.watch;
    status = engine_run(&job, NULL, &made);
    x->edges = made.edges;
    x->bytes = made.file_bytes;
    return status;
}

/* --- The conversion --- */

/* Returns an exit code. */
static int write_edges(conversion *x)
{
    const char *made_by = x->facts->made_by;
    const bool sorts = x->v.sorted || x->v.to == GRAPHFILE_CSR ||
                       ((x->traits & GRAPHFILE_NEEDS_SORTED) && !x->facts->graph.sorted);
    const graphfile_spec spec = {.format = (graphfile_format)x->v.to,
                                 .replace = x->v.force,
                                 .comment = *made_by != '\0' ? made_by : "rmat convert"};
    format_options options = {.spec = &spec,
                              .threads = cpu_threads(x->v.threads),
                              .memory = x->v.memory,
                              .watch = &x->c.watch};
    int status;

    if (sorts) {
        status = write_sorted(x);
    } else {
        engine_id_type(x->v.id_type, &options.id_bytes, &options.id_sign);
        x->edges = x->facts->graph.edges;
        status = format_write(x->source, x->out, &options, &x->bytes);
    }
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "format") == 0) {
        const char *missing = client_missing_option(spec.format, &x->facts->graph);

        client_clear(&x->c);
        return usage_error("convert", "--to: %s%s%s%s", engine_detail(),
                           missing != NULL ? "; 'rmat generate " : "",
                           missing != NULL ? missing : "",
                           missing != NULL ? "' makes such a graph" : "");
    }
    return client_end(&x->c, status, x->out);
}

static int convert_file(conversion *x)
{
    const double start = clock_seconds();
    int status;

    client_begin(&x->c, "convert", NULL, x->v.quiet);
    status = client_fail("convert", edge_source_open(&x->source, x->in), x->out);
    if (status == EXIT_OK) {
        x->facts = edge_source_facts_of(x->source);
        status = write_edges(x);
    }
    if (status == EXIT_OK && (x->v.json || !x->v.quiet)) {
        x->seconds = clock_seconds() - start;
        (x->v.json ? print_json
                   : print_lines)(is_pipe(x) ? stderr : stdout, x,
                                  format_lost(&x->facts->graph, (graphfile_format)x->v.to));
    }
    edge_source_close(x->source);
    return status;
}

int convert_main(int argc, char **argv)
{
    conversion x = {.v.to = -1};
    bool given[OPTIONS_MAX];
    const char *operand[2] = {NULL, NULL};
    int status;

    if (one_process_parse(&convert_command_line, argc, argv, &x.v, given, operand, &status)) {
        x.in = operand[0];
        x.out = operand[1];
        status = x.out != NULL ? resolve_to(&x)
                               : usage_error("convert", "%s missing, allowed: IN OUT",
                                             x.in == NULL ? "IN" : "OUT");
        status = status == EXIT_OK ? refuse_same(&x) : status;
        status = status == EXIT_OK ? convert_file(&x) : status;
    }
    dist_stop();
    return status;
}
