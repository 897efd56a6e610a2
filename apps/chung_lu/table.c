/* The options of chung_lu, as tables for parsing, --help and the manual page. */
#include "apps/chung_lu/table.h"
#include "apps/chung_lu/chung_lu.h"
#include "apps/common/from_option.h"

static const char *const id_bits_names[] = {"auto", "32", "64", NULL};
/* As engine_io_names and engine_layout_names. */
static const char *const io_names[] = {
    "auto", "direct", "positional", "hdf5", "hdf5-independent", "hdf5-collective", NULL};
static const char *const layout_names[] = {"auto", "single", "sharded", NULL};

#define MODEL     "Model (these options alone decide which edges come out)"
#define OUT       "Output"
#define RUNNING   "Running (none of these changes the file)"
#define AT(field) offsetof(chung_lu_values, field)

/* clang-format off */
const option chung_lu_table[N_OPTIONS] = {
    [DEGREES] = {.name = "degrees", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(degrees),
        .group = MODEL,
        .help = "expected degrees: text, one number on a line, the first that of vertex 0; # begins a comment, "
                "lines without a number are skipped"},
    [POWER_LAW] = {.name = "power-law", .kind = OPTION_TEXT, .argument = "EXPONENT",
        .offset = AT(power_law), .allowed = "above 1, up to 1000", .fallback = "2.5", .group = MODEL,
        .help = "instead: expected degrees such that the number of vertices of degree d falls as d^-EXPONENT; "
                "vertex 0 has the highest"},
    [VERTICES] = {.name = "vertices", .kind = OPTION_COUNT, .argument = "N", .offset = AT(vertices),
        .min = 1, .max = CHUNG_LU_MAX_VERTICES, .allowed = "1 to 1099511627776 (2^40)", .fallback = "1Mi",
        .group = MODEL, .help = "of a power law"},
    [MIN_DEGREE] = {.name = "min-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(min_degree), .allowed = "0.001 to 1e15", .fallback = "1", .group = MODEL,
        .help = "where the power law begins"},
    [MAX_DEGREE] = {.name = "max-degree", .kind = OPTION_TEXT, .argument = "X",
        .offset = AT(max_degree), .allowed = "--min-degree to 1e15", .group = MODEL,
        .help = "where it ends; if this is --min-degree all vertices are alike; by default "
                "--min-degree times N^(1/(EXPONENT-1)), but at most N - 1"},
    [LIKE] = {.name = "like", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(like),
        .group = MODEL,
        .help = "instead: the degrees of a graph, in a format of --from; sources are drawn in proportion to its "
                "out-degrees, destinations to its in-degrees, with --symmetrize, --simple or --undirected both to the "
                "sum, and vertices without edges have none"},
    [MULTIPLY] = {.name = "multiply", .kind = OPTION_COUNT, .argument = "K", .offset = AT(multiply),
        .min = 1, .max = 1000000000, .fallback = "1", .group = MODEL,
        .help = "of --like: K copies of its n vertices; v, v + n, v + 2 n, ... have the degrees of its vertex v"},
    [FROM] = {.name = "from", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(from),
        .choices = graphfile_names, .allowed = FROM_ALLOWED,
        .fallback = "recognised by its contents, else by its suffix", .group = MODEL,
        .help = "format of the file of --like"},
    [DATASETS] = OPTION_ROW_DATASETS(chung_lu_values, datasets, MODEL, "the file of --like"),
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges), .min = 0,
        .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .fallback = "half the sum of the degrees; of --like K times its edges, or half of them with --symmetrize or --simple", .group = MODEL,
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
    [COLUMNS] = OPTION_ROW_COLUMNS(chung_lu_values, columns, OUT),
    [COMPRESS] = OPTION_ROW_COMPRESS(chung_lu_values, compress, OUT),
    [ENCODING] = EDGE_ROW_ENCODING(chung_lu_values, encoding, OUT),
    [ROW_GROUP] = EDGE_ROW_ROW_GROUP(chung_lu_values, row_group, OUT),
    [ID_TYPE] = EDGE_ROW_ID_TYPE(chung_lu_values, id_type, OUT,
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
    [BACKEND] = OPTION_ROW_BACKEND(chung_lu_values, backend, RUNNING,
        "who makes the edges; auto: a GPU if there is one and the graph is large enough to start it"),
    [DEVICE] = OPTION_ROW_DEVICE(chung_lu_values, device, RUNNING, "ranks of a host take its GPUs in turn",
        "which GPU"),
    [THREADS] = OPTION_ROW_THREADS(chung_lu_values, threads, RUNNING, "CPU threads of each rank"),
    [MEMORY] = OPTION_ROW_MEMORY(chung_lu_values, memory, RUNNING, "half of what is available",
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
    [HELP] = OPTION_ROW_HELP(chung_lu_values, help, RUNNING),
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
    .options = chung_lu_table,
    .n_options = N_OPTIONS,
    .borrowed = edge_options,
    .n_borrowed = EDGE_OPTIONS,
    .borrowed_offset = AT(graph),
    .borrowed_group = "Graph (what becomes of the edges)",
    .notes =
        "The degree of a vertex counts the edges that begin at it and those that end at it; on "
        "average it has half of its degree of each. With --like the two are counted apart. A graph "
        "of a format that does not state the number of its vertices has those up to its highest "
        "id. "
        "The edges are no more ordered than needed to "
        "make them fast: within each batch of 16 M edges or more the sources ascend roughly, and "
        "the destinations are in no order. Do not take the first few for a sample of all.\n"
        "Counts take suffixes: K, M, G, T, P are powers of 1000, Ki, Mi, Gi, Ti, Pi powers of "
        "1024.\n"
        "Exit status: 0, 1 the graph could not be made, 2 wrong usage, 128 + N stopped by signal "
        "N; the file is there only after 0.",
};
