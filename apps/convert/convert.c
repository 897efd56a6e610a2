/*
 * rmat convert: reads a graph in one format and writes it in another.
 *
 * Unchanged edges go directly from the reader to the writer of the format.  To sort, permute,
 * symmetrize or otherwise change them, the file becomes the source of an engine job.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/job.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
enum {
    TO, ID_TYPE, SEED, FORCE, JSON, MEMORY, QUIET, THREADS, HELP,
    PERMUTE, NO_SELF_LOOPS, UNDIRECTED, SYMMETRIZE, SORTED, DEDUP, SIMPLE, WEIGHTS, N_OPTIONS
};
/* clang-format on */

#define AT(field) offsetof(convert_values, field)
#define FORMATS   "Formats"
#define RUNNING   "Running"
#define GRAPH     "Graph (what is done with the edges)"

typedef struct {
    int to, id_type;
    int undirected; /* 0: not given, else an rmat_direction */
    uint64_t threads, memory, seed;
    const char *weights; /* NULL: not given */
    bool force, json, quiet, help, permute, no_self_loops, symmetrize, sorted, dedup, simple;
} convert_values;

/* What came of it. */
typedef struct {
    uint64_t edges, bytes; /* of OUT */
    double seconds;
} conversion;

/* From a file to another. */
typedef struct {
    const char *in, *out;
    int to;
    const convert_values *values;
} convert_request;

/* In the order of rmat_direction; the first needs no option value. */
static const char *const halves[] = {"both", "lower", "upper", NULL};

/* clang-format off */
static const option table[N_OPTIONS] = {
    [TO] = {.name = "to", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(to),
        .choices = graphfile_names, .fallback = "by the suffix of OUT", .group = FORMATS,
        .help = "format of OUT; csr and formats that require an order are sorted"},
    [ID_TYPE] = EDGE_ROW_ID_TYPE(convert_values, id_type, FORMATS,
        "as in IN"),
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "1", .group = RUNNING, .help = "seed of the random numbers of --permute and --weights"},
    [FORCE] = OPTION_ROW_FORCE(convert_values, force, RUNNING,
        "replace OUT if it exists, once the new one is complete; print a binary format to a terminal"),
    [JSON] = OPTION_ROW_JSON(convert_values, json, RUNNING,
        "print the summary as one JSON object"),
    [MEMORY] = OPTION_ROW_MEMORY(convert_values, memory, RUNNING, "half of the available memory",
        "memory for sorting, and for the in-neighbors of sg and wsg; with less memory, IN is read more often"),
    [QUIET] = OPTION_ROW_QUIET(convert_values, quiet, RUNNING,
        "print no progress, and no summary except that of --json"),
    [THREADS] = OPTION_ROW_THREADS(convert_values, threads, RUNNING, "number of threads"),
    [HELP] = OPTION_ROW_LONG_HELP(convert_values, help, RUNNING),
    [PERMUTE] = OPTION_ROW_FLAG(convert_values, permute, GRAPH, "permute", 0,
        "permute the vertex numbers pseudorandomly"),
    [NO_SELF_LOOPS] = OPTION_ROW_FLAG(convert_values, no_self_loops, GRAPH, "no-self-loops", 0,
        "remove edges whose two ends are the same vertex; implies --sorted"),
    [UNDIRECTED] = {.name = "undirected", .kind = OPTION_CHOICE, .argument = "HALF",
        .offset = AT(undirected), .choices = halves, .group = GRAPH,
        .help = "swap source and destination of an edge where necessary, so that source >= destination (lower) "
                "or source <= destination (upper); both: leave them as they are"},
    [SYMMETRIZE] = OPTION_ROW_FLAG(convert_values, symmetrize, GRAPH, "symmetrize", 0,
        "write the reverse of each edge after it"),
    [SORTED] = OPTION_ROW_FLAG(convert_values, sorted, GRAPH, "sorted", 0,
        "sort the edges by source, then by destination"),
    [DEDUP] = OPTION_ROW_FLAG(convert_values, dedup, GRAPH, "dedup", 0,
        "remove duplicates of an edge, keeping the least of their weights; implies --sorted"),
    [SIMPLE] = OPTION_ROW_FLAG(convert_values, simple, GRAPH, "simple", 0,
        "make a simple undirected graph with each edge in both directions; short for --no-self-loops "
        "--symmetrize --dedup"),
    [WEIGHTS] = {.name = "weights", .kind = OPTION_TEXT, .argument = "KIND", .offset = AT(weights),
        .allowed = EDGE_WEIGHTS_ALLOWED, .fallback = "keep those that the edges have", .group = GRAPH,
        .help = "replace the weights of the edges, or remove them (none)"},
};
/* clang-format on */

const command_line convert_command_line = {
    .command = "convert",
    .synopsis = "convert IN OUT [OPTION]...",
    .summary = "Convert a graph from an HDF5 file of rmat to another format.",
    .operand = "IN OUT",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "to permute no-self-loops symmetrize dedup simple weights force quiet help",
    .examples = "rmat convert g.h5 g.el\n"
                "rmat convert g.h5 simple.h5 --to csr --simple\n"
                "rmat convert g.h5 - --to mtx | gzip > g.mtx.gz",
    .notes =
        "IN is a list of edges or CSR in HDF5, as 'rmat generate' and the C library write them. "
        "The page apps/doc/FORMATS.md describes the formats of OUT.\n"
        "\n"
        "For sg and wsg, edges that are changed or sorted pass through OUT.sorted.partial, an HDF5 "
        "file that is removed at the end, so the disk needs room for both files.\n"
        "\n"
        "OUT - is standard output and needs --to. It is for text and pairs of integers, and the "
        "summary goes to standard error.\n"
        "\n"
        "Exit status: 0 the file is complete, 1 it could not be made (without a message if the "
        "reader closed the pipe early), 2 wrong usage or a graph that the format cannot represent, "
        "128 + N stopped by signal N.",
};

/* Checks that OUT can have the requested type of ids. */
static int check_ids(const convert_request *r)
{
    engine_sign sign;
    int bytes, status;

    engine_id_type(r->values->id_type, &bytes, &sign);
    status = engine_check_ids((graphfile_format)r->to, bytes, sign, 0);
    return status == ENGINE_OK ? EXIT_OK : client_fail("convert", status, NULL);
}

static int resolve_to(convert_request *r, const bool *given)
{
    char list[256];

    r->to = r->values->to;
    if (!given[TO] && graphfile_format_of_name(r->out, &r->to) != EDGEFILE_OK) {
        return usage_error("convert", "OUT %s; --to takes any name", edgefile_detail());
    }
    if (r->to < 0 && strcmp(r->out, "-") == 0) {
        graphfile_list(GRAPHFILE_PIPE, list, sizeof list);
        return usage_error("convert", "--to: missing, standard output needs it, allowed: %s", list);
    }
    if (r->to < 0) {
        graphfile_list(0, list, sizeof list);
        return usage_error(
            "convert", "--to: missing, because the name '%s' does not tell the format, allowed: %s",
            r->out, list);
    }
    if (strcmp(r->out, "-") == 0 && !(graphfile_table[r->to]->traits & GRAPHFILE_PIPE)) {
        graphfile_list(GRAPHFILE_PIPE, list, sizeof list);
        return usage_error("convert",
                           "--to: '%s' cannot be written to standard output, allowed: %s",
                           graphfile_table[r->to]->name, list);
    }
    if (client_check_terminal("convert", "OUT", r->out, (graphfile_format)r->to,
                              r->values->force) != EXIT_OK) {
        return EXIT_USAGE;
    }
    return check_ids(r);
}

/* Checks that the format keeps new weights, and that --seed comes with random weights. */
static int check_random(const convert_request *r, const bool *given)
{
    const convert_values *v = r->values;
    rmat_config model = {.weights = RMAT_NO_WEIGHTS};

    if (given[SEED] && !v->permute && v->weights == NULL) {
        return usage_error(
            "convert", "--seed: '%" PRIu64 "' given alone, allowed: with --permute or --weights",
            r->values->seed);
    }
    if (v->weights == NULL) {
        return EXIT_OK;
    }
    if (edge_options_weights("convert", v->weights, &model) != EXIT_OK) {
        return EXIT_USAGE;
    }
    return edge_options_fit_weights("convert", "to", v->weights, &model, (graphfile_format)r->to);
}

static int refuse_same(const convert_request *r)
{
    const char *out = strcmp(r->out, "-") == 0 ? "/dev/stdout" : r->out;
    char weights[PATH_MAX] = "";

    if (graphfile_table[r->to]->traits & GRAPHFILE_WEIGHTS_APART) {
        snprintf(weights, sizeof weights, "%s" GRAPHFILE_WEIGHTS, r->out);
    }
    if (whole_file_is_input(out, r->in) || whole_file_is_input(weights, r->in)) {
        return usage_error("convert", "OUT '%s' is the same file as IN, allowed: another file",
                           whole_file_is_input(out, r->in) ? r->out : weights);
    }
    return EXIT_OK;
}

static int resolve_request(convert_request *r, const bool *given)
{
    int status = EXIT_OK;

    if (r->out == NULL) {
        return usage_error("convert", "%s missing, allowed: IN OUT", r->in == NULL ? "IN" : "OUT");
    }
    status = resolve_to(r, given);
    if (status == EXIT_OK) {
        status = check_random(r, given);
    }
    return status == EXIT_OK ? refuse_same(r) : status;
}

static void print_summary_json(FILE *to, const convert_request *r, const edge_source_facts *f,
                               const conversion *s)
{
    json_object j;

    json_begin(&j, to);
    json_string(&j, "in", r->in);
    json_string(&j, "out", r->out);
    json_string(&j, "from", graphfile_table[f->format]->name);
    json_string(&j, "to", graphfile_table[r->to]->name);
    json_u64(&j, "edges", s->edges);
    json_u64(&j, "file_bytes", s->bytes);
    json_string(&j, "not_kept", format_lost(&f->graph, (graphfile_format)r->to));
    json_f64(&j, "seconds", s->seconds);
    json_f64(&j, "edges_per_second", (double)s->edges / s->seconds);
    json_f64(&j, "bytes_per_second", (double)s->bytes / s->seconds);
    json_end(&j);
}

/* Explains the number of edges in OUT if it may differ from that of IN. */
static void print_changes(FILE *to, const convert_values *v, const graphfile_graph *in,
                          const conversion *s)
{
    const bool loops = v->no_self_loops || v->simple, copies = v->dedup || v->simple;
    const bool pairs = v->symmetrize || v->simple;
    const uint64_t all = in->edges << pairs;

    if (!loops && !copies && !pairs) {
        return;
    }
    fprintf(to, "read         %" PRIu64 " edges\n", in->edges);
    if (pairs) {
        fprintf(to, "added        %" PRIu64 " reverse edges\n", in->edges);
    }
    if (loops || copies) {
        fprintf(to, "dropped      %" PRIu64 " %s\n", all - s->edges,
                !loops    ? "copies of edges"
                : !copies ? "self-loops"
                          : "self-loops and copies of edges");
    }
}

static void print_summary_lines(FILE *to, const convert_request *r, const edge_source_facts *in,
                                const conversion *s)
{
    const graphfile_graph *g = &in->graph;
    const char *lost = format_lost(g, (graphfile_format)r->to);
    char size[NUMBER_TEXT], rate[NUMBER_TEXT], bytes[NUMBER_TEXT];

    text_line(to, "file         %s (%s)", r->out, format_bytes(size, (double)s->bytes));
    text_line(to, "from         %s (%s)", r->in, graphfile_table[in->format]->name);
    fprintf(to, "format       %s: %s\n", graphfile_table[r->to]->name,
            graphfile_table[r->to]->help);
    if (g->rows == g->cols) {
        fprintf(to, "vertices     %" PRIu64 "\n", g->rows);
    } else {
        fprintf(to, "vertices     %" PRIu64 " sources, %" PRIu64 " destinations\n", g->rows,
                g->cols);
    }
    fprintf(to, "edges        %" PRIu64 "\n", s->edges);
    print_changes(to, r->values, g, s);
    if (*lost != '\0') {
        fprintf(to, "not kept     %s\n", lost);
    }
    fprintf(to, "time         %.3f s\n", s->seconds);
    fprintf(to, "rate         %s edges/s, %s/s\n", format_si(rate, (double)s->edges / s->seconds),
            format_bytes(bytes, (double)s->bytes / s->seconds));
}

/* The options that make a graph that the format can hold. */
static const char *hint_at_options(const convert_request *r, const graphfile_graph *g)
{
    const unsigned traits = graphfile_table[r->to]->traits;

    if (((traits & GRAPHFILE_NEEDS_WEIGHTS) && g->weight == EDGEFILE_NO_WEIGHT) ||
        ((traits & GRAPHFILE_INT_WEIGHTS) && g->weight == EDGEFILE_WEIGHT_F32)) {
        return traits & GRAPHFILE_INT_WEIGHTS ? "; --weights int:1:100 makes them"
                                              : "; --weights uniform makes them";
    }
    return traits & GRAPHFILE_NEEDS_SIMPLE && !r->values->simple && g->rows == g->cols
               ? "; --simple makes one"
               : "";
}

/* Ends the progress bar, and returns the exit code after a message in terms of options. */
static int end_conversion(client *c, int status, const convert_request *r, const graphfile_graph *g)
{
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "format") == 0) {
        client_clear(c);
        return usage_error("convert", "--to: %s%s", engine_detail(), hint_at_options(r, g));
    }
    return client_end(c, status, r->out);
}

/* Edges that are permuted, turned, symmetrized, sorted or freed of copies. */

enum { COMMAND = 96 };

/* The state of the job's source. */
typedef struct {
    model_attrs attrs;
    char command[COMMAND];
} description;

/* Whether the output has other edges than the file, or another order. */
static bool is_changed(const convert_request *r, const graphfile_graph *graph)
{
    const unsigned traits = graphfile_table[r->to]->traits;
    const convert_values *v = r->values;

    return v->permute || v->no_self_loops || v->undirected != 0 || v->symmetrize || v->sorted ||
           v->dedup || v->simple || v->weights != NULL || r->to == GRAPHFILE_CSR ||
           ((traits & GRAPHFILE_NEEDS_SORTED) && !graph->sorted);
}

static void describe_source(description *d, const convert_request *r, const edge_source_facts *f,
                            engine_source *source)
{
    const convert_values *v = r->values;
    const bool random = v->permute || v->weights != NULL;
    model_attrs *a = &d->attrs;

    snprintf(d->command, sizeof d->command, FOREIGN_COMMAND);
    model_attrs_foreign(a, &f->graph);
    if (*f->made_by != '\0') {
        a->list[a->n++] = (edgefile_attr){"source", EDGEFILE_STRING, 1, f->made_by};
    }
    if (random) {
        snprintf(d->command, sizeof d->command, FOREIGN_COMMAND " --seed %" PRIu64, v->seed);
        a->list[a->n++] = (edgefile_attr){"seed", EDGEFILE_U64, 1, &v->seed};
    }
    source->attrs = a->list;
    source->n_attrs = a->n;
    source->command = d->command;
    source->csr_option = " --to csr";
}

/* Applies the options that change edges.  With --weights, the edges' own weights are dropped. */
static int apply_options(const convert_values *v, engine_job *job)
{
    const rmat_source *s = &job->source->edges;
    rmat_config *m = &job->model;

    m->permute = v->permute;
    m->no_self_loops = v->no_self_loops || v->simple;
    m->symmetrize = v->symmetrize || v->simple;
    m->direction = (rmat_direction)v->undirected;
    job->sorted = v->sorted;
    job->dedup = v->dedup || v->simple;
    if (s->rows != s->cols &&
        (m->no_self_loops || m->symmetrize || m->direction != RMAT_DIRECTED)) {
        return usage_error("convert",
                           "--%s: given with %" PRIu64 " source and %" PRIu64
                           " destination vertices, allowed: with equal numbers of both",
                           v->simple          ? "simple"
                           : m->no_self_loops ? "no-self-loops"
                           : m->symmetrize    ? "symmetrize"
                                              : "undirected",
                           s->rows, s->cols);
    }
    return v->weights != NULL ? edge_options_weights("convert", v->weights, m) : EXIT_OK;
}

/* Signed ids stay signed, if the format can hold them. */
static void choose_id_type(const convert_request *r, const graphfile_graph *g, engine_job *job)
{
    engine_id_type(r->values->id_type, &job->id_bytes, &job->id_sign);
    if (job->id_bytes == 0 && g->signed_ids &&
        graphfile_table[job->format]->traits & GRAPHFILE_SIGNED_IDS) {
        job->id_bytes = g->id_bytes;
        job->id_sign = ENGINE_SIGNED;
    }
}

static int run_change(const convert_request *r, const edge_source_facts *f,
                      const engine_source *source, client *c, int threads, conversion *result)
{
    engine_result made;
    engine_job job;
    int status;

    engine_job_default(&job);
    job.source = source;
    job.model.backend = RMAT_BACKEND_CPU;
    job.model.seed = r->values->seed;
    job.edges = source->edges.edges;
    job.format = (graphfile_format)r->to;
    job.output = r->out;
    choose_id_type(r, &f->graph, &job);
    job.replace = r->values->force;
    job.threads = threads;
    job.memory = r->values->memory;
    job.watch = c->watch;
    status = apply_options(r->values, &job);
    if (status != EXIT_OK) {
        client_clear(c);
        return status;
    }
    status = engine_run(&job, NULL, &made);
    if (status == ENGINE_OK) {
        *result = (conversion){.edges = made.edges, .bytes = made.file_bytes};
    }
    return end_conversion(c, status, r, &f->graph);
}

/* Writes the file's edges, changed and sorted by the options.  Returns an exit code. */
static int write_changed(const convert_request *r, edge_source *source, client *c, int threads,
                         conversion *result)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    engine_source edges = edge_source_for_engine(source);
    description d;

    if (r->values->weights != NULL) {
        edges.edges.weights = RMAT_NO_WEIGHTS; /* other weights are given, or none */
    }
    describe_source(&d, r, f, &edges);
    return run_change(r, f, &edges, c, threads, result);
}

/* Writes the edges unchanged or changed. */
static int write_edges(const convert_request *r, edge_source *source, client *c, int threads,
                       conversion *result)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    const char *made_by = f->made_by;
    const graphfile_spec spec = {.format = (graphfile_format)r->to,
                                 .replace = r->values->force,
                                 .comment = *made_by != '\0' ? made_by : "rmat convert"};
    format_options options = {
        .spec = &spec, .threads = threads, .memory = r->values->memory, .watch = &c->watch};

    engine_id_type(r->values->id_type, &options.id_bytes, &options.id_sign);
    if (is_changed(r, &f->graph)) {
        return write_changed(r, source, c, threads, result);
    }
    result->edges = f->graph.edges;
    return end_conversion(c, format_write(source, r->out, &options, &result->bytes), r, &f->graph);
}

static int convert_file(const convert_request *r)
{
    const convert_values *v = r->values;
    const int threads = cpu_threads(v->threads);
    const double start = clock_seconds();
    FILE *to = strcmp(r->out, "-") == 0 ? stderr : stdout;
    conversion summary = {0};
    edge_source *source;
    client c;
    int status;

    client_begin(&c, "convert", NULL, v->quiet);
    status = client_fail("convert", edge_source_open(&source, r->in), r->out);
    if (status == EXIT_OK) {
        status = write_edges(r, source, &c, threads, &summary);
    }
    if (status == EXIT_OK) {
        const edge_source_facts *in = edge_source_facts_of(source);

        summary.seconds = clock_seconds() - start;
        if (v->json) {
            print_summary_json(to, r, in, &summary);
        } else if (!v->quiet) {
            print_summary_lines(to, r, in, &summary);
        }
    }
    edge_source_close(source);
    return status;
}

int convert_main(int argc, char **argv)
{
    convert_values values = {.seed = 1};
    bool given[OPTIONS_MAX];
    const char *operand[2] = {NULL, NULL};
    int status;

    if (one_process_parse(&convert_command_line, argc, argv, &values, given, operand, &status)) {
        convert_request r = {operand[0], operand[1], -1, &values};

        status = resolve_request(&r, given);
        if (status == EXIT_OK) {
            status = convert_file(&r);
        }
    }
    dist_stop();
    return status;
}
