/* The options of chung_lu. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/degrees.h"
#include "apps/common/cpu.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/option_rows.h"
#include "mpi/dist.h"
#include <string.h>

typedef struct {
    const char *degrees, *power_law, *min_degree, *max_degree, *average_degree, *columns, *output;
    uint64_t vertices, edges, seed, device, threads, repeat, memory, device_memory;
    int id_type, id_bits, backend, path, format, layout;
    bool compress, unique, force, no_file, dry_run, json, quiet, help, version, man;
    edge_values graph;
} values;

/* By name, for the rules between options. */
enum {
    DEGREES,
    POWER_LAW,
    VERTICES,
    MIN_DEGREE,
    MAX_DEGREE,
    EDGES,
    AVERAGE_DEGREE,
    SEED,
    UNIQUE,
    FORMAT,
    COLUMNS,
    COMPRESS,
    ID_TYPE,
    ID_BITS,
    OUTPUT,
    FORCE,
    NO_FILE,
    REPEAT,
    DRY_RUN,
    JSON,
    QUIET,
    BACKEND,
    DEVICE,
    THREADS,
    MEMORY,
    DEVICE_MEMORY,
    IO,
    LAYOUT,
    HELP,
    VERSION,
    MAN,
    N_OPTIONS
};

static const char *const id_bits_names[] = {"auto", "32", "64", NULL};
/* As engine_io_names and engine_layout_names. */
static const char *const io_names[] = {
    "auto", "direct", "positional", "hdf5", "hdf5-independent", "hdf5-collective", NULL};
static const char *const layout_names[] = {"auto", "single", "sharded", NULL};

#define MODEL     "Model (these options alone decide which edges come out)"
#define OUT       "Output"
#define RUNNING   "Running (none of these changes the file)"
#define AT(field) offsetof(values, field)

#define MAX_VERTICES ((uint64_t)1 << 40)
#define DEGREE_RANGE "above 0, up to 1e15"
#define LEAST_DEGREE 1e-3

/* clang-format off */
static const option table[N_OPTIONS] = {
    [DEGREES] = {.name = "degrees", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(degrees),
        .group = MODEL,
        .help = "expected degrees: text, one number on a line, the first that of vertex 0; # begins a comment, "
                "lines without a number are skipped"},
    [POWER_LAW] = {.name = "power-law", .kind = OPTION_TEXT, .argument = "EXPONENT",
        .offset = AT(power_law), .allowed = "above 1, up to 1000", .fallback = "2.5", .group = MODEL,
        .help = "instead: expected degrees such that the number of vertices of degree d falls as d^-EXPONENT; "
                "vertex 0 has the highest"},
    [VERTICES] = {.name = "vertices", .kind = OPTION_COUNT, .argument = "N", .offset = AT(vertices),
        .min = 1, .max = MAX_VERTICES, .allowed = "1 to 1099511627776 (2^40)", .fallback = "1Mi",
        .group = MODEL, .help = "of a power law"},
    [MIN_DEGREE] = {.name = "min-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(min_degree), .allowed = "0.001 to 1e15", .fallback = "1", .group = MODEL,
        .help = "where the power law begins"},
    [MAX_DEGREE] = {.name = "max-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(max_degree), .allowed = "--min-degree to 1e15", .group = MODEL,
        .help = "where it ends; if this is --min-degree all vertices are alike; by default "
                "--min-degree times N^(1/(EXPONENT-1)), but at most N - 1"},
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges), .min = 0,
        .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .fallback = "half the sum of the degrees", .group = MODEL,
        .help = "number of edges; with another than the default the degrees are the given ones times a common "
                "factor"},
    [AVERAGE_DEGREE] = {.name = "average-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(average_degree), .allowed = DEGREE_RANGE, .group = MODEL,
        .help = "instead of --edges: X N / 2 edges"},
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "1", .group = MODEL, .help = "decimal, or hexadecimal after 0x"},
    [UNIQUE] = {.name = "unique", .kind = OPTION_FLAG, .offset = AT(unique), .group = MODEL,
        .help = "draw until --edges of them are distinct, and keep each once; with --symmetrize so many pairs of "
                "vertices"},
    [FORMAT] = {.name = "format", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(format),
        .choices = graphfile_names, .fallback = "h5, or what FILE's suffix says", .group = OUT,
        .help = "as of 'rmat generate'"},
    [COLUMNS] = OPTION_ROW_COLUMNS(values, columns, OUT),
    [COMPRESS] = OPTION_ROW_COMPRESS(values, compress, OUT),
    [ID_TYPE] = EDGE_ROW_ID_TYPE(values, id_type, OUT,
        "uint32 up to 2^32 vertices, uint64 beyond; in parquet int32 up to 2^31, int64 beyond"),
    [ID_BITS] = {.name = "id-bits", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(id_bits),
        .choices = id_bits_names, .fallback = "auto", .group = OUT,
        .help = "in place of --id-type the width alone, of the same formats: unsigned, but in parquet signed"},
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_REPORT, .argument = "FILE",
        .offset = AT(output), .fallback = "graph with the suffix of the format", .group = OUT,
        .help = "the file to write; - is standard output, for text and pairs of integers"},
    [FORCE] = {.name = "force", .kind = OPTION_FLAG, .offset = AT(force), .group = OUT,
        .help = "replace FILE if it exists, when the new one is complete"},
    [NO_FILE] = {.name = "no-file", .kind = OPTION_FLAG, .offset = AT(no_file), .group = OUT,
        .help = "make the edges in memory, several times, and say how fast; a GPU keeps them in its memory, as "
                "many as fit, a CPU in a few buffers"},
    [REPEAT] = {.name = "repeat", .kind = OPTION_COUNT, .argument = "N", .offset = AT(repeat),
        .min = 1, .max = 1000, .fallback = "5", .group = OUT,
        .help = "of --no-file: median of N times, after one that does not count"},
    [DRY_RUN] = {.name = "dry-run", .kind = OPTION_FLAG, .offset = AT(dry_run), .group = OUT,
        .help = "say what would be made, and in how much memory; write nothing"},
    [JSON] = {.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .group = OUT,
        .help = "print the summary as one JSON object on standard output"},
    [QUIET] = {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = AT(quiet),
        .group = OUT, .help = "no progress and no summary; --json still prints its object"},
    [BACKEND] = OPTION_ROW_BACKEND(values, backend, RUNNING,
        "who makes the edges; auto: a GPU if there is one and the graph is large enough to start it"),
    [DEVICE] = OPTION_ROW_DEVICE(values, device, RUNNING, "ranks of a host take its GPUs in turn",
        "which GPU"),
    [THREADS] = OPTION_ROW_THREADS(values, threads, RUNNING, "CPU threads of each rank"),
    [MEMORY] = OPTION_ROW_MEMORY(values, memory, RUNNING, "half of what is available",
        "host memory of each rank for a sorted graph; with less, edges are made more often"),
    [DEVICE_MEMORY] = {.name = "device-memory", .kind = OPTION_COUNT, .argument = "BYTES",
        .offset = AT(device_memory), .min = OPTION_MIN_MEMORY, .max = OPTION_MAX_MEMORY,
        .allowed = OPTION_ALLOWED_MEMORY, .fallback = "most of what is free", .group = RUNNING,
        .help = "the same of GPU memory"},
    [IO] = {.name = "io", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(path),
        .choices = io_names, .fallback = "auto", .group = RUNNING,
        .help = "how to write HDF5: direct (O_DIRECT), positional (page cache), or through the library; auto: "
                "direct where the file system can"},
    [LAYOUT] = {.name = "layout", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(layout),
        .choices = layout_names, .fallback = "auto", .group = RUNNING,
        .help = "of HDF5: one file (single), or one of each rank and a master (sharded)"},
    [HELP] = OPTION_ROW_HELP(values, help, RUNNING),
    [VERSION] = {.name = "version", .kind = OPTION_FLAG, .offset = AT(version), .group = RUNNING,
        .help = "the version"},
    [MAN] = {.name = "man", .kind = OPTION_FLAG, .offset = AT(man), .group = RUNNING,
        .help = "the manual page, in roff: chung_lu --man | man -l -"},
};
/* clang-format on */

const command_line chung_lu_command_line = {
    .command = "",
    .program = "chung_lu",
    .synopsis = "[OPTION]...",
    .summary = "Generate a Chung-Lu graph: both end points of each edge are drawn independently, "
               "in proportion to given degrees, so that each vertex has its degree on average. "
               "Loops and copies of edges are possible.",
    .options = table,
    .n_options = N_OPTIONS,
    .borrowed = edge_options,
    .n_borrowed = EDGE_OPTIONS,
    .borrowed_offset = AT(graph),
    .borrowed_group = "Graph (what becomes of the edges)",
    .notes =
        "The degree of a vertex counts the edges that begin at it and those that end at it; on "
        "average it has half of its degree of each. The edges are no more ordered than needed to "
        "make them fast: within each batch of 16 M edges or more the sources ascend roughly, and "
        "the destinations are in no order. Do not take the first few for a sample of all.\n"
        "Counts take suffixes: K, M, G, T, P are powers of 1000, Ki, Mi, Gi, Ti, Pi powers of "
        "1024.\n"
        "Exit status: 0, 1 the graph could not be made, 2 wrong usage, 128 + N stopped by signal "
        "N; the file is there only after 0.",
};

static int error_pair(int a, int b)
{
    return usage_error("", "--%s: given together with --%s, allowed: one of them", table[a].name,
                       table[b].name);
}

/* A number in (above, most], or with least in [least, most]. */
static int number(int which, const char *text, double above, double least, double most,
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

static int resolve_model(const values *raw, const bool *given, chung_lu_options *o)
{
    static const int of_law[] = {POWER_LAW, VERTICES, MIN_DEGREE, MAX_DEGREE};
    int status;

    for (size_t i = 0; i < sizeof of_law / sizeof of_law[0]; i++) {
        if (given[DEGREES] && given[of_law[i]]) {
            return error_pair(DEGREES, of_law[i]);
        }
    }
    if (given[EDGES] && given[AVERAGE_DEGREE]) {
        return error_pair(EDGES, AVERAGE_DEGREE);
    }
    o->degrees = raw->degrees;
    o->vertices = raw->degrees != NULL ? 0 : raw->vertices;
    o->edges = raw->edges;
    o->edges_given = given[EDGES];
    o->job.model.seed = raw->seed;
    status = number(POWER_LAW, raw->power_law, 1, 1, 1000, &o->exponent);
    if (status == EXIT_OK) {
        status =
            number(MIN_DEGREE, raw->min_degree, 0, LEAST_DEGREE, DEGREES_MAX_VALUE, &o->min_degree);
    }
    if (status == EXIT_OK && given[MAX_DEGREE]) {
        status = number(MAX_DEGREE, raw->max_degree, 0, o->min_degree, DEGREES_MAX_VALUE,
                        &o->max_degree);
    }
    if (status == EXIT_OK && given[AVERAGE_DEGREE]) {
        status = number(AVERAGE_DEGREE, raw->average_degree, 0, 0, DEGREES_MAX_VALUE,
                        &o->average_degree);
    }
    return status;
}

/* Which format, and what it asks of the graph. */
static int resolve_format(const values *raw, const bool *given, chung_lu_options *o)
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
        return usage_error("", "--output: '-' given with --format %s, allowed: with text and pairs",
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
    o->job.columns = raw->columns;
    o->job.compress = raw->compress;
    if (raw->unique && (raw->graph.dedup || raw->graph.simple)) {
        return usage_error("", "--unique: given together with --%s, allowed: one of them",
                           raw->graph.dedup ? "dedup" : "simple");
    }
    return EXIT_OK;
}

static int resolve(const values *raw, const bool *given, chung_lu_options *o)
{
    static const int of_file[] = {OUTPUT,  FORCE,  IO,     LAYOUT,   FORMAT, COLUMNS,
                                  DRY_RUN, UNIQUE, MEMORY, COMPRESS, ID_TYPE};

    for (size_t i = 0; i < sizeof of_file / sizeof of_file[0]; i++) {
        if (given[NO_FILE] && given[of_file[i]]) {
            return error_pair(NO_FILE, of_file[i]);
        }
    }
    if (given[REPEAT] && !given[NO_FILE]) {
        return usage_error("", "--repeat: given without --no-file, allowed: with it");
    }
    if (raw->no_file && engine_ranks() > 1) {
        return usage_error("", "--no-file: given on %d ranks, allowed: in one process",
                           engine_ranks());
    }
    if (raw->no_file && edge_options_any(&raw->graph)) {
        return usage_error("", "--no-file: given with options of the graph, allowed: without them");
    }
    if (given[ID_TYPE] && given[ID_BITS]) {
        return error_pair(ID_TYPE, ID_BITS);
    }
    engine_id_type(raw->id_type, &o->job.id_bytes, &o->job.id_sign);
    if (given[ID_BITS]) {
        o->job.id_bytes = raw->id_bits * 4;
    }
    if (resolve_format(raw, given, o) != EXIT_OK) {
        return EXIT_USAGE;
    }
    o->job.model.backend = (rmat_backend)raw->backend;
    if (given[DEVICE] && o->job.model.backend == RMAT_BACKEND_CPU) {
        return usage_error(
            "", "--device: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    o->job.device_count = given[DEVICE] ? 1 : 0;
    o->job.devices[0] = (int)raw->device;
    o->job.threads = raw->threads > 0     ? (int)raw->threads
                     : engine_ranks() > 1 ? dist_processors()
                                          : cpu_usable();
    o->job.fall_back = o->job.model.backend == RMAT_BACKEND_AUTO;
    o->job.io = (edgefile_path)raw->path;
    o->job.layout = (edgefile_layout)raw->layout;
    o->job.memory = raw->memory;
    o->job.device_memory = raw->device_memory;
    o->graph = raw->graph;
    o->unique = raw->unique;
    o->repeat = raw->repeat;
    return resolve_model(raw, given, o);
}

int chung_lu_options_parse(int argc, char **argv, chung_lu_options *out)
{
    values raw = {
        .power_law = "2.5", .min_degree = "1", .vertices = 1 << 20, .seed = 1, .repeat = 5};
    bool given[OPTIONS_MAX];
    int status = options_parse(&chung_lu_command_line, argc, argv, &raw, given, NULL);

    *out = (chung_lu_options){.no_file = raw.no_file,
                              .dry_run = raw.dry_run,
                              .json = raw.json,
                              .quiet = raw.quiet,
                              .help = raw.help,
                              .version = raw.version,
                              .man = raw.man};
    engine_job_default(&out->job);
    out->job.output = raw.output != NULL ? raw.output : "graph.h5";
    out->job.replace = raw.force;
    return status != EXIT_OK || raw.help || raw.version || raw.man ? status
                                                                   : resolve(&raw, given, out);
}
