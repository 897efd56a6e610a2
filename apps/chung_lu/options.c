/* The options of chung_lu: the table for parsing, --help and the manual page, what they ask for,
 * and the rules between them. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/degrees.h"
#include "apps/client/client.h"
#include "apps/client/edge_options.h"
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "mpi/dist.h"
#include <string.h>

#define DEGREE_RANGE "above 0, up to 1e15"
#define LEAST_DEGREE 1e-3

/* What the options store, before they are put together. */
typedef struct {
    const char *degrees, *like, *power_law, *min_degree, *max_degree, *average_degree, *columns,
        *output;
    uint64_t multiply, vertices, edges, seed, threads, memory, device_memory, row_group, base;
    reading_values reading;
    int id_type, encoding, backend, path, format, layout;
    bool compress, unique, force, dry_run, json, quiet, help, version, man;
    option_list devices;
    edge_values graph;
} chung_lu_values;

/* clang-format off */
enum {
    DEGREES, POWER_LAW, VERTICES, MIN_DEGREE, MAX_DEGREE, LIKE, MULTIPLY, FROM, FROM_BASE, WEIGHT_TYPE, DATASETS, EDGES,
    AVERAGE_DEGREE, SEED, UNIQUE, FORMAT, COLUMNS, BASE, COMPRESS, ENCODING, ROW_GROUP, ID_TYPE, OUTPUT,
    FORCE, DRY_RUN, JSON, QUIET, BACKEND, DEVICES, THREADS, MEMORY, DEVICE_MEMORY, IO, LAYOUT,
    HELP, VERSION, MAN, N_OPTIONS
};

#define MODEL     "Model (these options alone decide which edges come out)"
#define OUT       "Output"
#define RUNNING   "Running (none of these changes the file)"
#define AT(field) offsetof(chung_lu_values, field)

static const option table[N_OPTIONS] = {
    [DEGREES] = {.name = "degrees", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(degrees),
        .group = MODEL,
        .help = "read the expected degrees from a text file with one number per line, starting with that of vertex "
                "0; # begins a comment, and lines without a number are skipped"},
    [POWER_LAW] = {.name = "power-law", .kind = OPTION_TEXT, .argument = "EXPONENT",
        .offset = AT(power_law), .allowed = "above 1, up to 1000", .fallback = "2.5", .group = MODEL,
        .help = "make the expected degrees follow a power law: the number of vertices of degree d falls as "
                "d^-EXPONENT, and vertex 0 has the highest degree"},
    [VERTICES] = {.name = "vertices", .kind = OPTION_COUNT, .argument = "N", .offset = AT(vertices),
        .min = 1, .max = CHUNG_LU_MAX_VERTICES, .allowed = "1 to 1099511627776 (2^40)", .fallback = "1Mi",
        .group = MODEL, .help = "number of vertices of a power law"},
    [MIN_DEGREE] = {.name = "min-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(min_degree), .allowed = "0.001 to 1e15", .fallback = "1", .group = MODEL,
        .help = "lowest degree of the power law"},
    [MAX_DEGREE] = {.name = "max-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(max_degree), .allowed = "--min-degree to 1e15", .group = MODEL,
        .help = "highest degree of the power law; if it equals --min-degree, all vertices have the same expected "
                "degree. By default it is --min-degree times N^(1/(EXPONENT-1)), but at most N - 1"},
    [LIKE] = {.name = "like", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(like),
        .group = MODEL,
        .help = "take the degrees of the graph in FILE, of a format that --from lists. Sources are drawn in "
                "proportion to its out-degrees and destinations in proportion to its in-degrees; with --symmetrize, "
                "--simple or --undirected, both in proportion to the sum of the two. Vertices without edges get none"},
    [MULTIPLY] = {.name = "multiply", .kind = OPTION_COUNT, .argument = "K", .offset = AT(multiply),
        .min = 1, .max = 1000000000, .fallback = "1", .group = MODEL,
        .help = "make K copies of the n vertices of --like: the vertices v, v + n, v + 2 n, ... have the degrees of "
                "its vertex v"},
    [FROM] = READING_FROM(chung_lu_values, reading, MODEL, "the file of --like"),
    READING_ROWS_TOLD(chung_lu_values, reading, MODEL, "the file of --like"),
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges), .min = 0,
        .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .fallback = "half the sum of the degrees; with --like, K times its number of edges, or half of that with "
                "--symmetrize or --simple", .group = MODEL,
        .help = "number of edges; if it differs from the default, all degrees are multiplied by a common factor"},
    [AVERAGE_DEGREE] = {.name = "average-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(average_degree), .allowed = DEGREE_RANGE, .group = MODEL,
        .help = "mean degree, instead of --edges: X N / 2 edges"},
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "1", .group = MODEL, .help = "seed of the random numbers, in decimal, or in hexadecimal after 0x"},
    [UNIQUE] = OPTION_ROW_FLAG(chung_lu_values, unique, MODEL, "unique", 0,
        "make exactly --edges distinct edges; draw until that many different ones have occurred, and keep "
                "one of each. With --symmetrize, pairs of vertices are counted"),
    [FORMAT] = {.name = "format", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(format),
        .choices = graphfile_names, .fallback = "h5, or what FILE's suffix says", .group = OUT,
        .help = "format of FILE, as of 'rmat generate'"},
    [COLUMNS] = OPTION_ROW_COLUMNS(chung_lu_values, columns, OUT),
    [BASE] = OPTION_ROW_BASE(chung_lu_values, base, OUT),
    [COMPRESS] = OPTION_ROW_COMPRESS(chung_lu_values, compress, OUT),
    [ENCODING] = EDGE_ROW_ENCODING(chung_lu_values, encoding, OUT),
    [ROW_GROUP] = EDGE_ROW_ROW_GROUP(chung_lu_values, row_group, OUT),
    [ID_TYPE] = EDGE_ROW_ID_TYPE(chung_lu_values, id_type, OUT,
        "uint32 up to 2^32 vertices, uint64 beyond; in parquet int32 up to 2^31, int64 beyond"),
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_REPORT, .argument = "FILE",
        .offset = AT(output), .fallback = "graph with the suffix of the format", .group = OUT,
        .help = "the file to write; text is compressed if the name ends with .gz or .zst; - is standard output, for text "
                "and pairs of integers"},
    [FORCE] = OPTION_ROW_FLAG(chung_lu_values, force, OUT, "force", 0,
        "replace FILE if it exists, once the new one is complete; print a binary format to a terminal"),
    [DRY_RUN] = OPTION_ROW_FLAG(chung_lu_values, dry_run, OUT, "dry-run", 0,
        "print what would be made, and how much memory it would take, without writing it"),
    [JSON] = OPTION_ROW_FLAG(chung_lu_values, json, OUT, "json", 0,
        "print the summary as one JSON object on standard output"),
    [QUIET] = OPTION_ROW_FLAG(chung_lu_values, quiet, OUT, "quiet", 'q',
        "print no progress, and no summary unless --json asks for it"),
    [BACKEND] = OPTION_ROW_BACKEND(chung_lu_values, backend, RUNNING,
        "device that generates the edges; auto: a GPU, if there is one and the graph is so large that starting it "
                "pays off"),
    [DEVICES] = OPTION_ROW_DEVICES(chung_lu_values, devices, RUNNING,
        "numbers of the GPUs to use, as CUDA counts them. The ranks of a host take them in turn; a single rank uses "
        "the first one"),
    [THREADS] = OPTION_ROW_THREADS(chung_lu_values, threads, RUNNING, "CPU threads of each rank"),
    [MEMORY] = OPTION_ROW_MEMORY(chung_lu_values, memory, RUNNING, "half of what is available",
        "host memory of each rank for a sorted graph; with less memory, edges are generated more often; and, by "
        "default all that is available, for the vertices of --like"),
    [DEVICE_MEMORY] = {.name = "device-memory", .kind = OPTION_COUNT, .argument = "BYTES",
        .offset = AT(device_memory), .min = OPTION_MIN_MEMORY, .max = OPTION_MAX_MEMORY,
        .allowed = OPTION_ALLOWED_MEMORY, .fallback = "most of what is free", .group = RUNNING,
        .help = "GPU memory of each rank for a sorted graph"},
    [IO] = EDGE_ROW_IO(chung_lu_values, path, RUNNING),
    [LAYOUT] = {.name = "layout", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(layout),
        .choices = engine_layout_names, .fallback = "auto", .group = RUNNING,
        .help = "write HDF5 as one file (single), or as one file per rank and a master that joins them (sharded)"},
    [HELP] = OPTION_ROW_LONG_HELP(chung_lu_values, help, RUNNING),
    [VERSION] = OPTION_ROW_FLAG(chung_lu_values, version, RUNNING, "version", 0,
        "print the version"),
    [MAN] = OPTION_ROW_FLAG(chung_lu_values, man, RUNNING, "man", 0,
        "print the manual page in roff: chung_lu --man | man -l -"),
};
/* clang-format on */

const command_line chung_lu_command_line = {
    .command = "",
    .program = "chung_lu",
    .synopsis = "[OPTION]...",
    .summary =
        "Generate a Chung-Lu graph: both end points of each edge are drawn independently, "
        "in proportion to given degrees, so that each vertex has its given degree on average. "
        "Self loops and duplicate edges can occur.",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "degrees power-law vertices like multiply edges average-degree simple seed format "
              "output force dry-run help",
    .examples = "chung_lu --power-law 2.2 --vertices 1M --average-degree 32 -o cl.h5\n"
                "chung_lu --like g.h5 --multiply 10 -o like.h5\n"
                "chung_lu --degrees degrees.txt --simple -o simple.h5",
    .borrowed = edge_options,
    .n_borrowed = EDGE_OPTIONS,
    .borrowed_offset = AT(graph),
    .borrowed_group = "Graph (what is done with the edges)",
    .notes = "The degree of a vertex counts the edges that begin at it and those that end at it; "
             "on average, half of a "
             "vertex's degree are outgoing and half are incoming edges. With --like, the two are "
             "counted "
             "separately. If a format does not state the number of vertices, it is the highest id "
             "plus 1. "
             "Within each batch of 16 M edges or more, the sources ascend roughly, because that is "
             "faster to generate, "
             "and the destinations are in no order. The first edges of a file are therefore no "
             "random sample of "
             "the graph.\n"
             "Counts take suffixes: K, M, G, T, P are powers of 1000, Ki, Mi, Gi, Ti, Pi powers of "
             "1024.\n"
             "Exit status: 0 the file is complete, 1 it could not be made, 2 wrong usage, 128 + N "
             "stopped by signal N.",
};

static int error_pair(int a, int b)
{
    return usage_error("", "--%s: given together with --%s, allowed: one of them", table[a].name,
                       table[b].name);
}

/* A number in (above, most], or with least in [least, most]. */
static int resolve_number(int which, const char *text, double above, double least, double most,
                          double *value)
{
    number_status status = parse_double(text, value);

    if (status == NUMBER_MALFORMED) {
        return usage_error("", "--%s: '%s' is not a number, allowed: %s", table[which].name, text,
                           table[which].allowed);
    }
    if (status != NUMBER_OK || !(*value > above && *value >= least && *value <= most)) {
        return usage_error("", "--%s: '%s' is out of range, allowed: %s", table[which].name, text,
                           table[which].allowed);
    }
    return EXIT_OK;
}

static int resolve_like(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    static const int of_like[] = {MULTIPLY, FROM, FROM_BASE, WEIGHT_TYPE, DATASETS};

    for (size_t i = 0; i < sizeof of_like / sizeof of_like[0]; i++) {
        if (given[of_like[i]] && !given[LIKE]) {
            return usage_error("", "--%s: given without --like, allowed: with it",
                               table[of_like[i]].name);
        }
    }
    o->like =
        (chung_lu_like){.name = raw->like, .reading = raw->reading, .multiply = raw->multiply};
    return given[LIKE] ? from_option_check("", raw->like, &raw->reading) : EXIT_OK;
}

static int resolve_model(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    static const int others[] = {DEGREES, POWER_LAW, VERTICES, MIN_DEGREE, MAX_DEGREE};
    int status;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (given[LIKE] && given[others[i]]) {
            return error_pair(LIKE, others[i]);
        }
        if (given[DEGREES] && i > 0 && given[others[i]]) {
            return error_pair(DEGREES, others[i]);
        }
    }
    if (given[EDGES] && given[AVERAGE_DEGREE]) {
        return error_pair(EDGES, AVERAGE_DEGREE);
    }
    o->degrees = raw->degrees;
    o->vertices = raw->degrees != NULL || raw->like != NULL ? 0 : raw->vertices;
    o->edges = raw->edges;
    o->edges_given = given[EDGES];
    o->job.model.seed = raw->seed;
    status = resolve_like(raw, given, o);
    if (status == EXIT_OK) {
        status = resolve_number(POWER_LAW, raw->power_law, 1, 1, 1000, &o->exponent);
    }
    if (status == EXIT_OK) {
        status = resolve_number(MIN_DEGREE, raw->min_degree, 0, LEAST_DEGREE, DEGREES_MAX_VALUE,
                                &o->min_degree);
    }
    if (status == EXIT_OK && given[MAX_DEGREE]) {
        status = resolve_number(MAX_DEGREE, raw->max_degree, 0, o->min_degree, DEGREES_MAX_VALUE,
                                &o->max_degree);
    }
    if (status == EXIT_OK && given[AVERAGE_DEGREE]) {
        status = resolve_number(AVERAGE_DEGREE, raw->average_degree, 0, 0, DEGREES_MAX_VALUE,
                                &o->average_degree);
    }
    return status;
}

/* Which format, and what it asks of the graph. */
static int resolve_format(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    int format = raw->format, by_name = -1;

    if (!given[FORMAT] && given[OUTPUT] && strcmp(raw->output, "-") != 0) {
        if (graphfile_format_of_name(raw->output, &by_name) != EDGEFILE_OK) {
            return usage_error("", "--output: %s; --format takes any name", edgefile_detail());
        }
        format = by_name >= 0 ? by_name : format;
    }
    o->job.format = (graphfile_format)format;
    if (!given[OUTPUT]) {
        graphfile_default_name(o->job.format, o->default_output, sizeof o->default_output);
        o->job.output = o->default_output;
    } else if (strcmp(raw->output, "-") == 0 &&
               !(graphfile_table[format]->traits & GRAPHFILE_PIPE)) {
        return usage_error(
            "", "--output: '-' given with --format %s, allowed: with text and pairs of integers",
            graphfile_names[format]);
    }
    if (raw->graph.weights != NULL && !edge_options_weights(raw->graph.weights, &o->job.model)) {
        return usage_error("", "--weights: '%s' is unknown, allowed: %s", raw->graph.weights,
                           EDGE_WEIGHTS_ALLOWED);
    }
    if (raw->graph.weights != NULL &&
        edge_options_fit_weights("", "format", raw->graph.weights, &o->job.model, o->job.format) !=
            EXIT_OK) {
        return EXIT_USAGE;
    }
    if (client_check_terminal("", "--output", o->job.output, o->job.format,
                              raw->force || raw->dry_run) != EXIT_OK) {
        return EXIT_USAGE;
    }
    o->job.columns = raw->columns;
    o->job.compress = raw->compress;
    o->job.encoding = (graphfile_encoding)raw->encoding;
    o->job.row_group = raw->row_group;
    o->job.base = (unsigned)raw->base;
    if (raw->unique && (raw->graph.dedup || raw->graph.simple)) {
        return usage_error("", "--unique: given together with --%s, allowed: one of them",
                           raw->graph.dedup ? "dedup" : "simple");
    }
    return EXIT_OK;
}

static int resolve_options(const chung_lu_values *raw, const bool *given, chung_lu_options *o)
{
    engine_id_type(raw->id_type, &o->job.id_bytes, &o->job.id_sign);
    if (resolve_format(raw, given, o) != EXIT_OK) {
        return EXIT_USAGE;
    }
    o->job.model.backend = (rmat_backend)raw->backend;
    if (given[DEVICES] && o->job.model.backend == RMAT_BACKEND_CPU) {
        return usage_error(
            "", "--devices: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    o->job.device_count = raw->devices.count;
    memcpy(o->job.devices, raw->devices.item, sizeof o->job.devices);
    o->job.threads = raw->threads > 0     ? (int)raw->threads
                     : engine_ranks() > 1 ? dist_processors()
                                          : cpu_usable();
    o->job.fall_back = o->job.model.backend == RMAT_BACKEND_AUTO;
    o->job.io = (edgefile_path)raw->path;
    o->job.layout = (edgefile_layout)raw->layout;
    client_obey_tests(&o->job);
    o->job.memory = raw->memory;
    o->job.device_memory = raw->device_memory;
    o->graph = raw->graph;
    o->unique = raw->unique;
    return resolve_model(raw, given, o);
}

int chung_lu_options_parse(int argc, char **argv, chung_lu_options *out)
{
    chung_lu_values raw = {.reading = READING_DEFAULT,
                           .multiply = 1,
                           .power_law = "2.5",
                           .min_degree = "1",
                           .vertices = 1 << 20,
                           .seed = 1};
    bool given[OPTIONS_MAX];
    int status = options_parse(&chung_lu_command_line, argc, argv, &raw, given, NULL);

    *out = (chung_lu_options){.dry_run = raw.dry_run,
                              .json = raw.json,
                              .quiet = raw.quiet,
                              .help = raw.help,
                              .version = raw.version,
                              .man = raw.man};
    engine_job_default(&out->job);
    out->job.output = raw.output != NULL ? raw.output : "graph.h5";
    out->job.replace = raw.force;
    return status != EXIT_OK || raw.help || raw.version || raw.man
               ? status
               : resolve_options(&raw, given, out);
}
