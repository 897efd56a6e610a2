/* rmat fit: the R-MAT model whose graphs are most like a given one. */
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "apps/engine/source/edge_stream.h"
#include "apps/fit/fit.h"
#include "mpi/dist.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    reading_values reading;
    int backend, directed;
    uint64_t vertices, multiply, time, seed, device, threads, memory;
    const char *plot, *generate;
    bool densify, no_chung_lu, force, json, quiet, help;
} fit_values;

enum {
    READING_OPTIONS,
    VERTICES,
    DIRECTED,
    MULTIPLY,
    DENSIFY,
    NO_CHUNG_LU,
    PLOT,
    GENERATE,
    FORCE,
    JSON,
    SEED,
    TIME,
    BACKEND,
    DEVICE,
    MEMORY,
    THREADS,
    QUIET,
    HELP,
    N_OPTIONS
};

#define AT(field) offsetof(fit_values, field)
#define GRAPH     "Graph"
#define OUT       "Report"
#define RUNNING   "Running"

enum { MOST_WORDS = 64 };

static const char *const answers[] = {"yes", "no", NULL};

/* clang-format off */
static const option table[N_OPTIONS] = {
    READING_ROWS(fit_values, reading, GRAPH, "FILE"),
    [VERTICES] = {.name = "vertices", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(vertices), .min = 2, .max = (uint64_t)1 << 32,
        .allowed = "2 to 4294967296 (2^32), not fewer than FILE has",
        .fallback = "as FILE says, if the model can have that many; else fitted", .group = GRAPH,
        .help = "number of vertices, isolated ones included"},
    [DIRECTED] = {.name = "directed", .kind = OPTION_CHOICE, .argument = "ANSWER", .offset = AT(directed),
        .choices = answers, .fallback = "as the edges show", .group = GRAPH,
        .help = "whether edges have a direction. By default they have none where each has its reverse, or where all "
                "sources are greater (or all are less) than their destinations. no: each edge is listed once, some "
                "with the smaller vertex first and some with the greater one"},
    [MULTIPLY] = {.name = "multiply", .kind = OPTION_COUNT, .argument = "K",
        .offset = AT(multiply), .min = 1, .max = 1000000000, .fallback = "1, 10 and 1000",
        .group = OUT,
        .help = "print the commands for a graph of K times as many vertices and edges"},
    [DENSIFY] = {.name = "densify", .kind = OPTION_FLAG, .offset = AT(densify), .group = OUT,
        .help = "let the number of edges grow faster than that of vertices, as the model's recursion implies: for m "
                "edges and L levels, a graph with twice the vertices has m^(1/L) times the edges. Without this "
                "option both grow by the same factor, and the mean degree stays the same"},
    [NO_CHUNG_LU] = {.name = "no-chung-lu", .kind = OPTION_FLAG, .offset = AT(no_chung_lu),
        .group = OUT, .help = "do not compare with a graph of the same expected degrees"},
    [PLOT] = {.name = "plot", .kind = OPTION_FILE, .argument = "PICTURE", .offset = AT(plot),
        .allowed = "a name that ends with .png, .svg or .pdf", .group = OUT,
        .help = "draw the degree distributions of the graph and of both models; needs gnuplot"},
    [GENERATE] = {.name = "generate", .kind = OPTION_FILE, .argument = "OUT", .offset = AT(generate),
        .group = OUT,
        .help = "make the graph of the first command that is printed, in the file OUT, whose suffix tells the format"},
    [FORCE] = OPTION_ROW_FORCE(fit_values, force, OUT, "replace PICTURE and OUT if they exist"),
    [JSON] = OPTION_ROW_JSON(fit_values, json, OUT, "print one JSON object"),
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "1", .group = RUNNING, .help = "seed of the simulated graphs"},
    [TIME] = {.name = "time", .kind = OPTION_COUNT, .argument = "SECONDS", .offset = AT(time),
        .min = 1, .max = 1000000, .fallback = "60", .group = RUNNING,
        .help = "time limit of the fit, after FILE was read. The graph that is being simulated when the time is over "
                "is the last one; errors are then rough"},
    [BACKEND] = OPTION_ROW_BACKEND(fit_values, backend, RUNNING,
        "device that simulates graphs; auto: a GPU, if there is one and the graph is so large that starting it pays "
                "off"),
    [DEVICE] = OPTION_ROW_DEVICE(fit_values, device, RUNNING, "the first one", "number of the GPU, as CUDA counts "
        "them"),
    [MEMORY] = OPTION_ROW_MEMORY(fit_values, memory, RUNNING, "what is available",
        "memory that the graph must fit into: it takes 18 bytes for each edge, or 36 if it is undirected and each "
                "edge is listed once, and 13 for each vertex; with a GPU, 8 for each edge"),
    [THREADS] = OPTION_ROW_THREADS(fit_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(fit_values, quiet, RUNNING, "print no progress"),
    [HELP] = OPTION_ROW_LONG_HELP(fit_values, help, RUNNING),
};
/* clang-format on */

const command_line fit_command_line = {
    .command = "fit",
    .synopsis = "fit FILE [OPTION]...",
    .summary = "Find the R-MAT model whose graphs are most similar to a given graph, report how "
               "similar they are, "
               "and print the command that makes such a graph, of the same size or larger.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "from directed multiply plot json time quiet help",
    .examples = "rmat fit g.h5\n"
                "rmat fit list.tsv --multiply 1000 --generate like.h5\n"
                "rmat fit g.h5 --time 10 --plot fit.png",
    .notes =
        "FILE is any graph that 'rmat convert' reads; '-' is standard input and needs --from.\n"
        "error: the standard error, estimated by fitting simulated graphs of the fitted model.\n"
        "distances between degree distributions are those of Kolmogorov and Smirnov: the largest "
        "difference between\n"
        "the shares of vertices of degree k or less, among those with an edge; 0 is the best, 1 "
        "the\n"
        "worst.  A model suits well below 0.05, roughly below 0.15.\n"
        "Neither model reproduces clusters, communities or paths.\n"
        "The same FILE, seed and version give the same parameters, if the time limit is not "
        "reached.",
};

/* The name as a shell takes it, with the options that reading it needs. */
static void describe_input(char text[FIT_COMMAND], const char *name, const reading_values *r)
{
    bool plain = true;

    for (const char *at = name; *at != '\0'; at++) {
        plain = plain && (isalnum((unsigned char)*at) || strchr("_./+-:,@%=~^", *at) != NULL);
    }
    snprintf(text, FIT_COMMAND, "%s%s%s%s%s%s%s%s%s%s", plain ? "" : "'", name, plain ? "" : "'",
             r->from >= 0 ? " --from " : "", r->from >= 0 ? graphfile_names[r->from] : "",
             r->base > 0 ? " --from-base 1" : "", r->weights >= 0 ? " --weight-type " : "",
             r->weights >= 0 ? option_weight_types[r->weights] : "",
             r->datasets != NULL ? " --datasets " : "", r->datasets != NULL ? r->datasets : "");
}

/* --generate: runs the first command of the report, for the file OUT. */
static int generate_first(const fit_report *r, const fit_values *v)
{
    char text[FIT_COMMAND], *rest = text, *words[MOST_WORDS];
    int n = 0;

    if (fit_first_command(text, r) == NULL) {
        return runtime_error("fit", "--generate: the graph is beyond 2^62 vertices or edges");
    }
    while (n < MOST_WORDS - 2 && (words[n] = strsep(&rest, " ")) != NULL) {
        n++;
    }
    words[n - 1] = (char *)v->generate;
    if (v->force) {
        words[n++] = (char *)"--force";
    }
    if (v->quiet || v->json) {
        words[n++] = (char *)"--quiet";
    }
    return generate_main(n - 2, words + 2); /* behind "rmat generate" */
}

static int print_report(const fit_report *report, const fit_values *v, fit_picture *picture,
                        int status)
{
    status = fit_picture_close(picture, report, status);
    if (status == EXIT_OK && v->json) {
        fit_print_json(report, stdout);
    } else if (status == EXIT_OK) {
        fit_print(report);
    }
    return status == EXIT_OK && v->generate != NULL ? generate_first(report, v) : status;
}

static int check_vertices(const edge_source *source, const fit_values *v, const bool *given)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;

    if (given[VERTICES] && v->vertices < g->rows) {
        return usage_error("fit", "--vertices: '%llu' is out of range, allowed: %llu or more",
                           (unsigned long long)v->vertices, (unsigned long long)g->rows);
    }
    return EXIT_OK;
}

/* The source is open. */
static int fit_source(edge_source *source, const fit_values *v, const bool *given, client *c,
                      fit_report *report)
{
    const fit_options options = {.vertices = v->vertices,
                                 .memory = v->memory,
                                 .multiply = v->multiply,
                                 .seed = v->seed,
                                 .time = (double)v->time,
                                 .backend = (rmat_backend)v->backend,
                                 .device = given[DEVICE] ? (int)v->device : -1,
                                 .threads = v->threads != 0 ? (int)v->threads : cpu_usable(),
                                 .edges = !given[DIRECTED]   ? RMAT_FIT_AUTO
                                          : v->directed == 0 ? RMAT_FIT_DIRECTED
                                                             : RMAT_FIT_UNDIRECTED,
                                 .densify = v->densify,
                                 .chung_lu = !v->no_chung_lu};
    char input[FIT_COMMAND];
    fit_picture picture;
    edge_stream *stream;
    engine_source edges;
    int status = check_vertices(source, v, given);

    if (status == EXIT_OK) {
        status = fit_picture_open(&picture, v->plot, v->force, report->name);
    }
    if (status != EXIT_OK) {
        return status;
    }
    describe_input(input, report->name, &v->reading);
    report->like = strcmp(report->name, "-") == 0 ? NULL : input;
    status = edge_stream_open(&stream, source);
    if (status == ENGINE_OK) {
        edges = edge_stream_source(stream);
        status = fit_run(&edges, &options, &c->watch, report);
        edge_stream_close(stream);
    }
    client_clear(c);
    status = client_end(c, status, NULL, 0, 0);
    return print_report(report, v, &picture, status);
}

static int fit_file(const char *name, const fit_values *v, const bool *given)
{
    edge_source_options options = {READING(v->reading),
                                   .threads = v->threads != 0 ? (int)v->threads : cpu_usable()};
    fit_report *report = calloc(1, sizeof *report);
    edge_source *source;
    client c;
    int status;

    if (report == NULL) {
        return runtime_error("fit", "memory is exhausted");
    }
    client_begin(&c, "fit", NULL, v->quiet);
    options.watch = &c.watch;
    status = edge_source_open(&source, name, &options);
    if (status != ENGINE_OK) {
        free(report);
        return client_end(&c, status, NULL, 0, 0);
    }
    client_clear(&c);
    report->name = name;
    report->format = graphfile_table[edge_source_facts_of(source)->format]->name;
    status = fit_source(source, v, given, &c, report);
    edge_source_close(source);
    free(report);
    return status;
}

static int check_options(const fit_values *v, const bool *given)
{
    int format;

    if (given[DEVICE] && v->backend == RMAT_BACKEND_CPU) {
        return usage_error(
            "fit", "--device: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    if (given[FORCE] && !given[PLOT] && !given[GENERATE]) {
        return usage_error("fit", "--force: given alone, allowed: with --plot or --generate");
    }
    if (given[GENERATE] && graphfile_format_of_name(v->generate, &format) != EDGEFILE_OK) {
        return usage_error("fit", "--generate: %s", edgefile_detail());
    }
    return given[GENERATE] && !v->force && access(v->generate, F_OK) == 0
               ? runtime_error("fit", "%s: already exists, --force replaces it", v->generate)
               : EXIT_OK;
}

int fit_main(int argc, char **argv)
{
    fit_values values = {.reading = READING_DEFAULT, .seed = 1, .time = 60};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status = one_process("fit", "fits");

    if (status == EXIT_OK) {
        status = options_parse(&fit_command_line, argc, argv, &values, given, &name);
    }
    if (status == EXIT_OK && values.help) {
        options_help(&fit_command_line, stdout);
    } else if (status == EXIT_OK && name == NULL) {
        status = usage_error("fit", "FILE missing, allowed: the path of a graph");
    } else if (status == EXIT_OK) {
        status = from_option_check("fit", name, &values.reading);
        status = status == EXIT_OK ? check_options(&values, given) : status;
        status = status == EXIT_OK ? fit_file(name, &values, given) : status;
    }
    dist_stop();
    return status;
}
