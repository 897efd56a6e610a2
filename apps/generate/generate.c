/* generate.c - rmat generate: the table of its options, for parsing and help, and its run, on one
 * rank or on many. */
#include "apps/generate/generate.h"
#include "apps/client/client.h"
#include "datasets/presets.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <string.h>

#define PRESET_NAME(name, a, b, c, d, factor, scale) name,

static const char *const preset_names[] = {RMAT_PRESETS(PRESET_NAME) NULL};
/* In the order of rmat_stream. */
static const char *const stream_names[] = {"rmat", "graph500", "gapbs", "rows", NULL};
/* In the order of rmat_direction, from RMAT_LOWER on. */
static const char *const undirected_names[] = {"lower", "upper", NULL};

#define MODEL    "Model (only these options decide the edges)"
#define OUTPUT   "Output"
#define RUNNING  "Running"
#define ADVANCED "Advanced (none of them changes the file)"

/* clang-format off */
#define ROW(word, of_kind, value, member, heading, ...) \
    OPTION_ROW(generate_options, member, heading, word, of_kind, .argument = value, __VA_ARGS__)
#define FLAG(word, member, heading, text) OPTION_ROW_FLAG(generate_options, member, heading, word, 0, text)
#define PROBABILITY(letter, standard, bits) \
    ROW(#letter, FRACTION, "P", job.model.matrix.letter, MODEL, .fallback = standard, \
        .help = "probability of the quadrant with " bits)

static const option table[] = {
    ROW("stream", CHOICE, "NAME", job.model.stream, MODEL, .choices = stream_names, .fallback = "rmat",
        .allowed = "rmat, rows, graph500, gapbs",
        .help = "edges of this program (rmat), of the same law but row by row and so sorted (rows), or, bit for bit, of a "
                "benchmark's program (graph500, gapbs)"),
    ROW("scale", PAIR, "N[xM]", scale, MODEL, .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20",
        .help = "2^N source and 2^M destination vertices; N alone is for both"),
    ROW("vertices", PAIR, "N[xM]", vertices, MODEL, .min = 2, .max = (uint64_t)1 << RMAT_MAX_SCALE,
        .help = "N source and M destination vertices; N alone is for both"),
    ROW("edge-factor", COUNT, "N", edge_factor, MODEL, .min = 1, .max = (uint64_t)1 << 40, .fallback = "16",
        .allowed = "1 to 1099511627776 (2^40), at most 2^62 edges",
        .help = "edges per source vertex; some presets have another default"),
    ROW("edges", COUNT, "N", job.edges, MODEL, .max = RMAT_MAX_EDGES,
        .help = "number of edges instead of --edge-factor, without reverse edges"),
    ROW("first", COUNT, "I", job.model.first, MODEL, .max = RMAT_MAX_EDGES, .fallback = "0",
        .help = "make a slice of the list from edge I on, counted without reverse edges"),
    ROW("count", COUNT, "N", count, MODEL, .max = RMAT_MAX_EDGES,
        .help = "make a slice of N edges; consecutive slices together are the whole list"),
    ROW("preset", CHOICE, "NAME", preset, MODEL, .choices = preset_names, .fallback = "graph500",
        .help = "probabilities, edge factor and in some cases scale of a benchmark or a paper; graph500 and "
                "gapbs-kron imply --permute"),
    PROBABILITY(a, "0.57", "source bit 0 and destination bit 0"),
    PROBABILITY(b, "0.19", "source bit 0 and destination bit 1"),
    PROBABILITY(c, "0.19", "source bit 1 and destination bit 0"),
    PROBABILITY(d, "1-a-b-c", "both bits 1; the four must add up to 1 within 1e-9"),
    ROW("level-matrices", FILE, "FILE", level_matrices, MODEL, .allowed = "the path of a file",
        .help = "text file instead of --a --b --c --d: a line has a, b, c and d of a level, the most significant "
                "first; # begins a comment"),
    ROW("noise", FRACTION, "X", job.model.noise, MODEL, .fallback = "0",
        .allowed = "0 to min((a+d)/2, b, c) of every level",
        .help = "noise of the probabilities; 0.1 smooths the degree distribution"),
    ROW("seed", U64, "N", job.model.seed, MODEL, .fallback = "1; 2 with --stream graph500, 27491095 with gapbs",
        .help = "seed of the random numbers, decimal or 0x and hexadecimal"),
    ROW("seed2", U64, "N", job.model.seed2, MODEL, .fallback = "3",
        .help = "second seed of --stream graph500 (userseed2)"),
    FLAG("permute", permute, MODEL, "permute the vertex numbers; otherwise low numbers have high degrees"),
    FLAG("no-self-loops", no_self_loops, MODEL, "draw again any edge whose two ends are the same vertex"),
    ROW("undirected", CHOICE, "HALF", undirected, MODEL, .choices = undirected_names,
        .help = "swap the ends of edges so that source >= destination (lower) or <= (upper)"),
    FLAG("symmetrize", symmetrize, MODEL, "write the reverse of each edge after it"),
    FLAG("unique", job.unique, MODEL,
        "make exactly --edges distinct edges; with --symmetrize pairs of vertices; implies --sorted"),
    FLAG("dedup", job.dedup, MODEL, "draw --edges edges and remove the duplicates; implies --sorted"),
    FLAG("simple", simple, MODEL,
        "make a simple undirected graph with each edge in both directions; short for --no-self-loops "
        "--symmetrize --dedup"),
    ROW("weights", TEXT, "KIND", weights, MODEL, .allowed = GENERATE_WEIGHTS_ALLOWED, .fallback = "none",
        .help = "add weights, float32 or int32, which an edge shares with its duplicates and its reverse"),
    ROW("format", CHOICE, "NAME", job.format, OUTPUT, .choices = graphfile_names, .fallback = "h5, or that of FILE's suffix",
        .help = "format of FILE: in HDF5 a list of edges (h5) or CSR (csr), or another one"),
    FLAG("sorted", job.sorted, OUTPUT, "sort the edges by source, then by destination"),
    EDGE_ROW_ID_TYPE(generate_options, id_type, OUTPUT, "uint32 while it suffices, then uint64"),
    ROW("output", FILE, "FILE", job.output, OUTPUT, .letter = 'o', .fallback = "graph.h5, or with the suffix of --format",
        .help = "file to write; FILE.partial until it is complete; - is standard output"),
    OPTION_ROW_FORCE(generate_options, job.replace, OUTPUT,
        "replace FILE if it exists, once the new one is complete; print a binary format to a terminal"),
    FLAG("dry-run", dry_run, OUTPUT, "print the size of the file and the memory; write nothing"),
    OPTION_ROW_JSON(generate_options, json, OUTPUT, "print the summary as one JSON object on standard output"),
    OPTION_ROW_QUIET(generate_options, quiet, OUTPUT, "print no progress, and no summary except that of --json"),
    OPTION_ROW_THREADS(generate_options, threads, RUNNING, "threads of each rank that generate edges"),
    OPTION_ROW_BACKEND(generate_options, job.model.backend, RUNNING,
        "device that generates the edges; auto: the GPU if it is likely to finish sooner"),
    OPTION_ROW_LONG_HELP(generate_options, help, RUNNING),
    OPTION_ROW_MEMORY(generate_options, job.memory, ADVANCED,
        "128Mi for a list; to sort, half of the available memory, or 9/10 of a GPU's",
        "memory of a rank in bytes, for the intervals of a sorted graph and for buffers"),
};
/* clang-format on */

const command_line generate_command_line = {
    .command = "generate",
    .synopsis = "generate [OPTION]...",
    .summary = "Write an R-MAT graph to a file: a list of edges or CSR in HDF5, or another format. "
               "Without options, the graph is that of Graph500 with scale 20. Under mpirun or "
               "srun, all ranks write one graph together.",
    .options = table,
    .n_options = sizeof table / sizeof *table,
    .common = "scale edge-factor seed permute simple unique format output force help",
    .examples = "rmat generate --scale 20 --permute -o g.h5\n"
                "rmat generate --scale 20 --format csr --unique -o m.h5\n"
                "rmat generate --scale 24 --dry-run",
    .notes =
        "apps/doc/FORMATS.md describes the formats. For sg and wsg, and where several ranks write "
        "a sorted graph in another format than h5 and csr, the graph is first sorted in "
        "FILE.sorted.partial, so the disk needs room for both files.\n\n"
        "Counts take a suffix: K M G T P are powers of 1000, Ki Mi Gi Ti Pi powers of 1024. If an "
        "option is given twice, the last one counts. Exit status: 0 the file is complete, 1 it "
        "could not be made, 2 wrong usage, 128 + N stopped by signal N.",
};

enum { MANY_EDGES = 256 }; /* of a vertex */

/* If only the number of edges is given, the user seldom means a graph of 2^20 vertices. */
static void note_scale(const generate_options *o)
{
    const uint64_t factor = o->job.edges / o->job.model.rows;
    const char *sized = options_given(&generate_command_line, o->given, "scale vertices preset");

    if (factor > MANY_EDGES && sized == NULL && !o->quiet && dist_rank() == 0) {
        message_print("generate",
                      "note: --scale is 20, its default, which makes %" PRIu64
                      " edges for each vertex",
                      factor);
    }
}

static int run_job(generate_options *o)
{
    client c;
    engine_result result = {0};
    engine_estimate estimate;
    int status;

    client_begin(&c, "generate", o->dry_run ? NULL : o->job.output, o->quiet);
    o->job.watch = o->plan.job.watch = c.watch;
    note_scale(o);
    if (o->dry_run) {
        status = engine_estimate_plan(&o->plan, &estimate);
        if (estimate.command[0] != '\0' && dist_rank() == 0) {
            generate_print_estimate(o, &estimate);
        }
        return client_end(&c, status, o->job.output);
    }
    status = o->as_gapbs ? generate_gapbs_open(o) : ENGINE_OK;
    if (status == ENGINE_OK) {
        status = engine_run_plan(&o->plan, NULL, &result);
    }
    status = client_end(&c, status, o->job.output);
    if (status == EXIT_OK && dist_rank() == 0) {
        generate_print_summary(o, &result);
    }
    rmat_destroy(o->gapbs);
    return status;
}

int generate_main(int argc, char **argv)
{
    generate_options options;
    int status = engine_start();

    if (status != ENGINE_OK) {
        return client_fail("generate", status, NULL);
    }
    client_keep_message();
    status = client_agree("generate", generate_parse(argc, argv, &options));
    if (status == EXIT_OK && options.help) {
        if (dist_rank() == 0) {
            options_help(&generate_command_line, stdout);
        }
    } else if (status == EXIT_OK) {
        status = run_job(&options);
    }
    engine_stop();
    return status;
}
