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

#define MODEL     "Model (only these options decide the edges)"
#define OUTPUT    "Output"
#define RUNNING   "Running"
#define ADVANCED  "Advanced (none of them changes the file)"
#define AT(field) offsetof(generate_options, field)

/* clang-format off */
static const option table[] = {
    {.name = "stream", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(job.model.stream), .choices = stream_names, .allowed = "rmat, rows, graph500, gapbs",
        .fallback = "rmat", .group = MODEL,
        .help = "edges of this program (rmat), of the same law but row by row and so sorted (rows), or, bit for bit, of a "
                "benchmark's program (graph500, gapbs)"},
    {.name = "scale", .kind = OPTION_PAIR, .argument = "N[xM]", .offset = AT(scale),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20", .group = MODEL,
        .help = "2^N source and 2^M destination vertices; N alone is for both"},
    {.name = "vertices", .kind = OPTION_PAIR, .argument = "N[xM]", .offset = AT(vertices),
        .min = 2, .max = (uint64_t)1 << RMAT_MAX_SCALE, .group = MODEL,
        .help = "N source and M destination vertices; N alone is for both"},
    {.name = "edge-factor", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(edge_factor), .min = 1, .max = (uint64_t)1 << 40,
        .allowed = "1 to 1099511627776 (2^40), at most 2^62 edges", .fallback = "16",
        .group = MODEL,
        .help = "edges per source vertex; some presets have another default"},
    {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(job.edges),
        .min = 0, .max = RMAT_MAX_EDGES, .group = MODEL,
        .help = "number of edges instead of --edge-factor, without reverse edges"},
    {.name = "first", .kind = OPTION_COUNT, .argument = "I", .offset = AT(job.model.first),
        .min = 0, .max = RMAT_MAX_EDGES, .fallback = "0", .group = MODEL,
        .help = "make a slice of the list from edge I on, counted without reverse edges"},
    {.name = "count", .kind = OPTION_COUNT, .argument = "N", .offset = AT(count),
        .min = 0, .max = RMAT_MAX_EDGES, .group = MODEL,
        .help = "make a slice of N edges; consecutive slices together are the whole list"},
    {.name = "preset", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(preset),
        .choices = preset_names, .fallback = "graph500", .group = MODEL,
        .help = "probabilities, edge factor and in some cases scale of a benchmark or a paper; graph500 and "
                "gapbs-kron imply --permute"},
    {.name = "a", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(job.model.matrix.a), .fallback = "0.57",
        .group = MODEL,
        .help = "probability of the quadrant with source bit 0 and destination bit 0"},
    {.name = "b", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(job.model.matrix.b), .fallback = "0.19",
        .group = MODEL,
        .help = "probability of the quadrant with source bit 0 and destination bit 1"},
    {.name = "c", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(job.model.matrix.c), .fallback = "0.19",
        .group = MODEL,
        .help = "probability of the quadrant with source bit 1 and destination bit 0"},
    {.name = "d", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(job.model.matrix.d),
        .fallback = "1-a-b-c", .group = MODEL,
        .help = "probability of the quadrant with both bits 1; the four must add up to 1 within 1e-9"},
    {.name = "level-matrices", .kind = OPTION_FILE, .argument = "FILE",
        .offset = AT(level_matrices), .allowed = "the path of a file", .group = MODEL,
        .help = "text file instead of --a --b --c --d: a line has a, b, c and d of a level, the most significant "
                "first; # begins a comment"},
    {.name = "noise", .kind = OPTION_FRACTION, .argument = "X", .offset = AT(job.model.noise),
        .allowed = "0 to min((a+d)/2, b, c) of every level", .fallback = "0", .group = MODEL,
        .help = "noise of the probabilities; 0.1 smooths the degree distribution"},
    {.name = "permute", .kind = OPTION_FLAG, .offset = AT(permute), .group = MODEL,
        .help = "permute the vertex numbers; otherwise low numbers have high degrees"},
    {.name = "no-self-loops", .kind = OPTION_FLAG, .offset = AT(no_self_loops),
        .group = MODEL,
        .help = "draw again any edge whose two ends are the same vertex"},
    {.name = "undirected", .kind = OPTION_CHOICE, .argument = "HALF",
        .offset = AT(undirected), .choices = undirected_names, .group = MODEL,
        .help = "swap the ends of edges so that source >= destination (lower) or <= (upper)"},
    {.name = "symmetrize", .kind = OPTION_FLAG, .offset = AT(symmetrize),
        .group = MODEL,
        .help = "write the reverse of each edge after it"},
    {.name = "unique", .kind = OPTION_FLAG, .offset = AT(job.unique), .group = MODEL,
        .help = "make exactly --edges distinct edges; with --symmetrize pairs of vertices; implies --sorted"},
    {.name = "dedup", .kind = OPTION_FLAG, .offset = AT(job.dedup), .group = MODEL,
        .help = "draw --edges edges and remove the duplicates; implies --sorted"},
    {.name = "simple", .kind = OPTION_FLAG, .offset = AT(simple), .group = MODEL,
        .help = "make a simple undirected graph with each edge in both directions; short for --no-self-loops "
                "--symmetrize --dedup"},
    {.name = "weights", .kind = OPTION_TEXT, .argument = "KIND", .offset = AT(weights),
        .allowed = GENERATE_WEIGHTS_ALLOWED,
        .fallback = "none", .group = MODEL,
        .help = "add weights, float32 or int32, which an edge shares with its duplicates and its reverse"},
    {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(job.model.seed),
        .fallback = "1; 2 with --stream graph500, 27491095 with gapbs", .group = MODEL,
        .help = "seed of the random numbers, decimal or 0x and hexadecimal"},
    {.name = "seed2", .kind = OPTION_U64, .argument = "N", .offset = AT(job.model.seed2),
        .fallback = "3", .group = MODEL,
        .help = "second seed of --stream graph500 (userseed2)"},
    {.name = "format", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(job.format),
        .choices = graphfile_names, .fallback = "h5, or that of FILE's suffix", .group = OUTPUT,
        .help = "format of FILE: in HDF5 a list of edges (h5) or CSR (csr), or another one"},
    {.name = "sorted", .kind = OPTION_FLAG, .offset = AT(job.sorted), .group = OUTPUT,
        .help = "sort the edges by source, then by destination"},
    EDGE_ROW_ID_TYPE(generate_options, id_type, OUTPUT,
        "uint32 while it suffices, then uint64"),
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .argument = "FILE",
        .offset = AT(job.output), .fallback = "graph.h5, or with the suffix of --format", .group = OUTPUT,
        .help = "file to write; FILE.partial until it is complete; - is standard output"},
    OPTION_ROW_FORCE(generate_options, job.replace, OUTPUT,
        "replace FILE if it exists, once the new one is complete; print a binary format to a terminal"),
    {.name = "dry-run", .kind = OPTION_FLAG, .offset = AT(dry_run), .group = OUTPUT,
        .help = "print the size of the file and the memory; write nothing"},
    OPTION_ROW_JSON(generate_options, json, OUTPUT,
        "print the summary as one JSON object on standard output"),
    OPTION_ROW_QUIET(generate_options, quiet, OUTPUT,
        "print no progress, and no summary except that of --json"),
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
    const bool sized =
        options_given(&generate_command_line, o->given, "scale vertices preset") != NULL;

    if (factor > MANY_EDGES && !sized && !o->quiet && dist_rank() == 0) {
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
    if (o->as_gapbs) {
        rmat_destroy(o->gapbs);
    }
    return status;
}

int generate_main(int argc, char **argv)
{
    generate_options options;
    int status = engine_start();

    if (status != ENGINE_OK) {
        return client_fail("generate", status, NULL);
    }
    client_keep();
    status = client_parsed("generate", generate_parse(argc, argv, &options));
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
