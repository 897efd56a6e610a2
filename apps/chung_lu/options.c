/* The options of chung_lu. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/degrees.h"
#include "apps/common/cpu.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/option_rows.h"
#include "io/graphfile.h"
#include "rmat/rmat.h"

typedef struct {
    const char *degrees, *power_law, *min_degree, *max_degree, *average_degree, *output;
    uint64_t vertices, edges, seed, device, threads, repeat;
    int id_bits, backend, path;
    bool force, no_file, dry_run, json, quiet, help, version, man;
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
    IO,
    HELP,
    VERSION,
    MAN,
    N_OPTIONS
};

static const char *const id_bits_names[] = {"auto", "32", "64", NULL};
/* In the order of alias_backend and edgefile_path. */
static const char *const backend_names[] = {"auto", "cpu", "gpu", NULL};
static const char *const path_names[] = {"auto", "direct", "positional", "hdf5", NULL};

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
    [ID_BITS] = {.name = "id-bits", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(id_bits),
        .choices = id_bits_names, .fallback = "auto", .group = OUT,
        .help = "width of vertex ids in the file; auto: 32 up to 2^32 vertices"},
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_FILE, .argument = "FILE",
        .offset = AT(output), .fallback = "graph.h5", .group = OUT,
        .help = "the HDF5 file to write: the same format as that of rmat generate"},
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
    [BACKEND] = {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(backend),
        .choices = backend_names, .fallback = "auto", .group = RUNNING,
        .help = "who makes the edges; auto: a GPU if there is one and the graph is large enough to start it"},
    [DEVICE] = {.name = "device", .kind = OPTION_COUNT, .argument = "N", .offset = AT(device),
        .max = OPTION_MAX_DEVICE, .fallback = "0", .group = RUNNING, .help = "which GPU"},
    [THREADS] = {.name = "threads", .kind = OPTION_COUNT, .argument = "N", .offset = AT(threads),
        .max = OPTION_MAX_THREADS, .fallback = "0", .group = RUNNING,
        .help = "of the CPU; 0: one per processor that the process may use"},
    [IO] = {.name = "io", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(path),
        .choices = path_names, .fallback = "auto", .group = RUNNING,
        .help = "how to write: direct (O_DIRECT), positional (page cache), hdf5 (the library); auto: direct "
                "where the file system can"},
    [HELP] = {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .offset = AT(help),
        .group = RUNNING, .help = "this text"},
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
    .notes =
        "The degree of a vertex counts the edges that begin at it and those that end at it; on "
        "average it has half of its degree of each. The edges are no more ordered than needed to "
        "make them fast: within each batch of 16 M edges or more the sources ascend roughly, and "
        "the destinations are in no order. Do not take the first few for a sample of all.\n"
        "Counts take suffixes: K, M, G, T, P are powers of 1000, Ki, Mi, Gi, Ti, Pi powers of "
        "1024.\n"
        "Exit status: 0, 1 the graph could not be made, 2 wrong usage, 130 or 143 stopped by "
        "SIGINT or SIGTERM; the file is there only after 0.",
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
    o->seed = raw->seed;
    o->id_bytes = raw->id_bits * 4;
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

/* A suffix that names another format, or none that is known, would only mislead. */
static int check_output(const char *output)
{
    int format = GRAPHFILE_H5;

    if (graphfile_format_of_name(output, &format) != EDGEFILE_OK) {
        return usage_error("", "--output: %s", edgefile_detail());
    }
    return format < 0 || format == GRAPHFILE_H5
               ? EXIT_OK
               : usage_error("",
                             "--output: '%s' names the format %s, allowed: HDF5, of which 'rmat "
                             "convert' makes the others",
                             output, graphfile_table[format]->name);
}

static int resolve(const values *raw, const bool *given, chung_lu_options *o)
{
    static const int of_file[] = {OUTPUT, FORCE, IO, DRY_RUN};

    for (size_t i = 0; i < sizeof of_file / sizeof of_file[0]; i++) {
        if (given[NO_FILE] && given[of_file[i]]) {
            return error_pair(NO_FILE, of_file[i]);
        }
    }
    if (given[REPEAT] && !given[NO_FILE]) {
        return usage_error("", "--repeat: given without --no-file, allowed: with it");
    }
    if (!raw->no_file && check_output(raw->output) != EXIT_OK) {
        return EXIT_USAGE;
    }
    o->backend = (alias_backend)raw->backend;
    if (given[DEVICE] && o->backend == ALIAS_BACKEND_CPU) {
        return usage_error(
            "", "--device: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    o->device = (int)raw->device;
    o->threads = raw->threads > 0 ? (int)raw->threads : cpu_usable();
    o->path = (edgefile_path)raw->path;
    o->repeat = raw->repeat;
    return resolve_model(raw, given, o);
}

int chung_lu_options_parse(int argc, char **argv, chung_lu_options *out)
{
    values raw = {.power_law = "2.5",
                  .min_degree = "1",
                  .vertices = 1 << 20,
                  .seed = 1,
                  .repeat = 5,
                  .output = "graph.h5"};
    bool given[OPTIONS_MAX];
    int status = options_parse(&chung_lu_command_line, argc, argv, &raw, given, NULL);

    *out = (chung_lu_options){.output = raw.output,
                              .force = raw.force,
                              .no_file = raw.no_file,
                              .dry_run = raw.dry_run,
                              .json = raw.json,
                              .quiet = raw.quiet,
                              .help = raw.help,
                              .version = raw.version,
                              .man = raw.man};
    return status != EXIT_OK || raw.help || raw.version || raw.man ? status
                                                                   : resolve(&raw, given, out);
}
