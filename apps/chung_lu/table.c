/* The options of chung_lu, as tables for parsing, --help and the manual page. */
#include "apps/chung_lu/table.h"
#include "apps/chung_lu/chung_lu.h"
#include "apps/common/from_option.h"

#define MODEL     "Model (these options alone decide which edges come out)"
#define OUT       "Output"
#define RUNNING   "Running (none of these changes the file)"
#define AT(field) offsetof(chung_lu_values, field)

/* clang-format off */
const option chung_lu_table[N_OPTIONS] = {
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
    [FROM] = {.name = "from", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(from),
        .choices = graphfile_names, .allowed = FROM_ALLOWED,
        .fallback = "recognised by its contents, else by its suffix", .group = MODEL,
        .help = "format of the file of --like"},
    [DATASETS] = OPTION_ROW_DATASETS(chung_lu_values, datasets, MODEL, "the file of --like"),
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
    [UNIQUE] = {.name = "unique", .kind = OPTION_FLAG, .offset = AT(unique), .group = MODEL,
        .help = "make exactly --edges distinct edges; draw until that many different ones have occurred, and keep "
                "one of each. With --symmetrize, pairs of vertices are counted"},
    [FORMAT] = {.name = "format", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(format),
        .choices = graphfile_names, .fallback = "h5, or what FILE's suffix says", .group = OUT,
        .help = "format of FILE, as of 'rmat generate'"},
    [COLUMNS] = OPTION_ROW_COLUMNS(chung_lu_values, columns, OUT),
    [COMPRESS] = OPTION_ROW_COMPRESS(chung_lu_values, compress, OUT),
    [ENCODING] = EDGE_ROW_ENCODING(chung_lu_values, encoding, OUT),
    [ROW_GROUP] = EDGE_ROW_ROW_GROUP(chung_lu_values, row_group, OUT),
    [ID_TYPE] = EDGE_ROW_ID_TYPE(chung_lu_values, id_type, OUT,
        "uint32 up to 2^32 vertices, uint64 beyond; in parquet int32 up to 2^31, int64 beyond"),
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_REPORT, .argument = "FILE",
        .offset = AT(output), .fallback = "graph with the suffix of the format", .group = OUT,
        .help = "the file to write; - is standard output, for text and pairs of integers"},
    [FORCE] = {.name = "force", .kind = OPTION_FLAG, .offset = AT(force), .group = OUT,
        .help = "replace FILE if it exists, once the new one is complete; print a binary format to a terminal"},
    [DRY_RUN] = {.name = "dry-run", .kind = OPTION_FLAG, .offset = AT(dry_run), .group = OUT,
        .help = "print what would be made, and how much memory it would take, without writing it"},
    [JSON] = {.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .group = OUT,
        .help = "print the summary as one JSON object on standard output"},
    [QUIET] = {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = AT(quiet),
        .group = OUT, .help = "print no progress, and no summary unless --json asks for it"},
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
    [VERSION] = {.name = "version", .kind = OPTION_FLAG, .offset = AT(version), .group = RUNNING,
        .help = "print the version"},
    [MAN] = {.name = "man", .kind = OPTION_FLAG, .offset = AT(man), .group = RUNNING,
        .help = "print the manual page in roff: chung_lu --man | man -l -"},
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
    .options = chung_lu_table,
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
