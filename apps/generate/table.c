/* The options of `rmat generate`: one table for parsing, help, manual page and completion. */
#include "apps/generate/table.h"
#include "apps/client/edge_options.h"
#include "apps/engine/engine.h"
#include "apps/generate/command.h"
#include "datasets/presets.h"
#include "io/graphfile.h"
#include "rmat/rmat.h"

#define PRESET_NAME(name, a, b, c, d, factor, scale) name,
#define CLASS_NAME(name, scale)                      name,

static const char *const preset_names[] = {RMAT_PRESETS(PRESET_NAME) NULL};
static const char *const class_names[] = {RMAT_CLASSES(CLASS_NAME) NULL};
/* In the order of rmat_direction, from RMAT_LOWER on. */
static const char *const undirected_names[] = {"lower", "upper", NULL};
static const char *const id_bits_names[] = {"auto", "32", "64", NULL};
/* In the order of rmat_backend and rmat_isa. */
static const char *const backend_names[] = {"auto", "cpu", "gpu", NULL};
static const char *const fallback_names[] = {"none", "cpu", NULL};
static const char *const isa_names[] = {"auto", "generic", "avx2", "avx512", "neon", NULL};

#define MAX_VERTICES  ((uint64_t)1 << RMAT_MAX_SCALE)
#define VERTEX_COUNTS "2 to 4611686018427387904 (2^62)"

#define MODEL     "Model (these options alone decide which edges come out)"
#define OUTPUT    "Output"
#define RUNNING   "Running"
#define ADVANCED  "Advanced (none of them changes the file)"
#define AT(field) offsetof(generate_values, field)

/* clang-format off */
const option generate_table[GENERATE_N_OPTIONS] = {
    [GENERATE_STREAM] = {.name = "stream", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(stream), .choices = option_streams, .fallback = "rmat", .group = MODEL,
        .help = "whose edges: rmat, this program's own, of any model; or, bit for bit, for results to be compared "
                "with others, those of a benchmark's program: of Graph500's reference generator (graph500), or of "
                "GAPBS's -g built by GCC 11 or later (gapbs), 7 to 10 (gapbs-gcc7) or earlier (gapbs-gcc4). Theirs "
                "is one model: --scale or --class, --edge-factor or --edges, and the seeds are left to choose. "
                "--weights uniform, or int:1:255, are the weights of the benchmark"},
    [GENERATE_SCALE] = {.name = "scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(scale),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20", .group = MODEL,
        .help = "2^N source and 2^N destination vertices; some presets have a scale of their own"},
    [GENERATE_ROWS_SCALE] = {.name = "rows-scale", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(rows_scale), .min = 1, .max = RMAT_MAX_SCALE, .group = MODEL,
        .help = "2^N source vertices; --scale, --vertices, --cols or --cols-scale says the other side"},
    [GENERATE_COLS_SCALE] = {.name = "cols-scale", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(cols_scale), .min = 1, .max = RMAT_MAX_SCALE, .group = MODEL,
        .help = "2^N destination vertices; with one of these for the source side"},
    [GENERATE_VERTICES] = {.name = "vertices", .kind = OPTION_COUNT, .argument = "N", .offset = AT(vertices),
        .min = 2, .max = MAX_VERTICES, .allowed = VERTEX_COUNTS, .group = MODEL,
        .help = "N source and N destination vertices, any number: the model of the next power of two, given "
                "that no vertex is N or above"},
    [GENERATE_ROWS] = {.name = "rows", .kind = OPTION_COUNT, .argument = "N", .offset = AT(rows),
        .min = 2, .max = MAX_VERTICES, .allowed = VERTEX_COUNTS, .group = MODEL,
        .help = "N source vertices, any number; with an option for the other side"},
    [GENERATE_COLS] = {.name = "cols", .kind = OPTION_COUNT, .argument = "N", .offset = AT(cols),
        .min = 2, .max = MAX_VERTICES, .allowed = VERTEX_COUNTS, .group = MODEL,
        .help = "N destination vertices, any number; with an option for the other side"},
    [GENERATE_EDGE_FACTOR] = {.name = "edge-factor", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(edge_factor), .min = 1, .max = (uint64_t)1 << 40,
        .allowed = "1 to 1099511627776 (2^40), at most 2^62 edges in all", .fallback = "16",
        .group = MODEL,
        .help = "edges per source vertex; some presets have another default"},
    [GENERATE_EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges),
        .min = 0, .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .group = MODEL,
        .help = "number of edges, instead of --edge-factor; with --symmetrize not counting reverse ones"},
    [GENERATE_FIRST] = {.name = "first", .kind = OPTION_COUNT, .argument = "I", .offset = AT(first),
        .min = 0, .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .fallback = "0", .group = MODEL,
        .help = "a slice: the list from its edge I on, which begins with edge 0; with --symmetrize not counting "
                "reverse ones"},
    [GENERATE_COUNT] = {.name = "count", .kind = OPTION_COUNT, .argument = "N", .offset = AT(count),
        .min = 0, .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .group = MODEL,
        .help = "a slice: this many edges, in place of all that follow; slices one behind the other make the list"},
    [GENERATE_PRESET] = {.name = "preset", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(preset),
        .choices = preset_names, .fallback = "graph500", .group = MODEL,
        .help = "probabilities, edge factor and perhaps scale of a benchmark or a paper; graph500 and gapbs-kron "
                "imply --permute, as those benchmarks do, but have other edges than the benchmarks' own programs, "
                "which --stream makes, and are made several times as fast; sources: datasets/presets.h"},
    [GENERATE_CLASS] = {.name = "class", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(size_class),
        .choices = class_names, .group = MODEL,
        .help = "size of graph500: scale 26, 29, 32, 36, 39 or 42; implies --preset graph500"},
    [GENERATE_A] = {.name = "a", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(a), .fallback = "0.57",
        .group = MODEL,
        .help = "probability of the quadrant source bit 0, destination bit 0 at each level"},
    [GENERATE_B] = {.name = "b", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(b), .fallback = "0.19",
        .group = MODEL,
        .help = "the same of source bit 0, destination bit 1"},
    [GENERATE_C] = {.name = "c", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(c), .fallback = "0.19",
        .group = MODEL,
        .help = "the same of source bit 1, destination bit 0"},
    [GENERATE_D] = {.name = "d", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(d),
        .fallback = "1-a-b-c", .group = MODEL,
        .help = "the same of both bits 1; the four add up to 1 within 1e-9"},
    [GENERATE_LEVEL_MATRICES] = {.name = "level-matrices", .kind = OPTION_FILE, .argument = "FILE",
        .offset = AT(level_matrices), .group = MODEL,
        .help = "a matrix for each level instead: text, a b c d on a line, the most significant level "
                "first, # begins a comment"},
    [GENERATE_NOISE] = {.name = "noise", .kind = OPTION_FRACTION, .argument = "X", .offset = AT(noise),
        .allowed = "0 to min((a+d)/2, b, c) of every level", .fallback = "0", .group = MODEL,
        .help = "noisy SKG: mu, drawn from [-X, X) for each level, is added to b and c, and 2 mu taken from "
                "a and d; 0.1 smooths the degree distribution"},
    [GENERATE_PERMUTE] = {.name = "permute", .kind = OPTION_FLAG, .offset = AT(permute), .group = MODEL,
        .help = "pseudorandom numbers for the vertices; else low numbers have high degrees"},
    [GENERATE_NO_PERMUTE] = {.name = "no-permute", .kind = OPTION_FLAG, .offset = AT(no_permute),
        .group = MODEL,
        .help = "vertex numbers as the model draws them, where a preset implies --permute"},
    [GENERATE_NO_SELF_LOOPS] = {.name = "no-self-loops", .kind = OPTION_FLAG, .offset = AT(no_self_loops),
        .group = MODEL,
        .help = "loops are drawn again until they are none"},
    [GENERATE_UNDIRECTED] = {.name = "undirected", .kind = OPTION_CHOICE, .argument = "HALF",
        .offset = AT(undirected), .choices = undirected_names, .group = MODEL,
        .help = "edges are turned round so that source >= destination (lower), or <= (upper)"},
    [GENERATE_SYMMETRIZE] = {.name = "symmetrize", .kind = OPTION_FLAG, .offset = AT(symmetrize),
        .group = MODEL,
        .help = "behind each edge its reverse, twice as many edges in all"},
    [GENERATE_UNIQUE] = {.name = "unique", .kind = OPTION_FLAG, .offset = AT(unique), .group = MODEL,
        .help = "no edge twice: exactly as many distinct ones as are asked for, the first of the list that "
                "there would be without end; with --symmetrize so many pairs of vertices, and a loop has no "
                "reverse; sorted"},
    [GENERATE_DEDUP] = {.name = "dedup", .kind = OPTION_FLAG, .offset = AT(dedup), .group = MODEL,
        .help = "no edge twice: as many edges are drawn as are asked for, and copies dropped, as Graph500, "
                "GAPBS and KaGen do; sorted"},
    [GENERATE_SIMPLE] = {.name = "simple", .kind = OPTION_FLAG, .offset = AT(simple), .group = MODEL,
        .help = "a simple undirected graph, each edge in both directions: --no-self-loops --symmetrize "
                "--dedup"},
    [GENERATE_WEIGHTS] = {.name = "weights", .kind = OPTION_TEXT, .argument = "KIND", .offset = AT(weights),
        .allowed = "none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX)",
        .fallback = "none", .group = MODEL,
        .help = "a third dataset, weight: float32 in [0, 1), or int32; copies and the reverse of an edge "
                "have the same"},
    [GENERATE_SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "1; 2 with --stream graph500, 27491095 with gapbs", .group = MODEL,
        .help = "decimal, or hexadecimal as 0x..."},
    [GENERATE_SEED2] = {.name = "seed2", .kind = OPTION_U64, .argument = "N", .offset = AT(seed2),
        .fallback = "3", .group = MODEL,
        .help = "the second seed of --stream graph500, its userseed2"},
    [GENERATE_FORMAT] = {.name = "format", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(format),
        .choices = graphfile_names, .fallback = "h5, or what FILE's suffix says", .group = OUTPUT,
        .help = "HDF5: a list of edges, src, dst, weight (h5), or compressed sparse rows: pointers_to_1, indices_1, "
                "values (csr), which are sorted; binsparse 0.1 with --unique. Or a format of other programs, see "
                "below"},
    [GENERATE_COLUMNS] = OPTION_ROW_COLUMNS(generate_values, columns, OUTPUT),
    [GENERATE_COMPRESS] = OPTION_ROW_COMPRESS(generate_values, compress, OUTPUT),
    [GENERATE_ENCODING] = EDGE_ROW_ENCODING(generate_values, encoding, OUTPUT),
    [GENERATE_ROW_GROUP] = EDGE_ROW_ROW_GROUP(generate_values, row_group, OUTPUT),
    [GENERATE_SORTED] = {.name = "sorted", .kind = OPTION_FLAG, .offset = AT(sorted), .group = OUTPUT,
        .help = "edges by source, then by destination; made interval by interval, each from one pass over all "
                "edges, in the memory that there is"},
    [GENERATE_ID_TYPE] = EDGE_ROW_ID_TYPE(generate_values, id_type, OUTPUT,
        "uint32 up to 2^32 vertices, uint64 beyond; in parquet int32 up to 2^31, int64 beyond"),
    [GENERATE_ID_BITS] = {.name = "id-bits", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(id_bits),
        .choices = id_bits_names, .fallback = "auto", .group = OUTPUT,
        .help = "in place of --id-type the width alone, of the same formats: unsigned, but in parquet signed"},
    [GENERATE_FILE_NAME] = {.name = "output", .letter = 'o', .kind = OPTION_REPORT, .argument = "FILE",
        .offset = AT(output), .fallback = "graph.h5, or graph with the format's suffix", .group = OUTPUT,
        .help = "file to make; FILE.partial until it is complete; - is standard output, for text and "
                "pairs of integers"},
    [GENERATE_FORCE] = {.name = "force", .kind = OPTION_FLAG, .offset = AT(force), .group = OUTPUT,
        .help = "replace FILE if it exists, once the new one is complete"},
    [GENERATE_RESUME] = {.name = "resume", .kind = OPTION_FLAG, .offset = AT(resume), .group = OUTPUT,
        .help = "go on with FILE.partial, if a run of the same command, on however many ranks, left one with a "
                "record of what is on the disk; else begin. For h5, csr, and lists in el, wel, tsv, csv, mtx, gr, "
                "bin32, bin64"},
    [GENERATE_KEEP_PARTIAL] = {.name = "keep-partial", .kind = OPTION_FLAG, .offset = AT(keep_partial),
        .group = OUTPUT,
        .help = "when stopped by a signal, or after an error, keep FILE.partial for --resume, where else it is "
                "removed; after a signal the exit status is 75"},
    [GENERATE_VIRTUAL] = {.name = "virtual", .kind = OPTION_FLAG, .offset = AT(is_virtual), .group = OUTPUT,
        .help = "an HDF5 file that has the model in place of the edges, at most 5 MB up to 10^12 of them: HDF5 makes "
                "them when they are read, with the plug-in in the folder that 'rmat info --plugin-path' prints; of a "
                "list that is not sorted"},
    [GENERATE_LAYOUT] = {.name = "layout", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(layout),
        .choices = engine_layout_names, .fallback = "auto", .group = OUTPUT,
        .help = "one file (single), or a file of each rank in the folder FILE.shards, which FILE puts "
                "together (sharded): both read as the same datasets"},
    [GENERATE_SHARD] = {.name = "shard", .kind = OPTION_TEXT, .argument = "K/N", .offset = AT(shard),
        .allowed = "K from 0 to N - 1, N from 1 to 16777216 (2^24)", .group = OUTPUT,
        .help = "make only shard K of N, in FILE.shards: a job of its own, which needs none of the others, for a "
                "list in h5; 'rmat join FILE' puts all N together, as --layout sharded on N ranks does"},
    [GENERATE_DRY_RUN] = {.name = "dry-run", .kind = OPTION_FLAG, .offset = AT(dry_run), .group = OUTPUT,
        .help = "say how large the file would be and how long it would take, and make none"},
    [GENERATE_STATISTICS] = {.name = "statistics", .kind = OPTION_FLAG, .offset = AT(statistics), .group = OUTPUT,
        .help = "make no file: count the edges as they are made, in the quadrants of each level of the recursion and "
                "of neighbouring ones, with chi-squared; loops, redraws, fingerprint. Any number of edges, on all "
                "ranks; 'rmat stats --merge' adds up the JSON objects of several slices"},
    [GENERATE_DEGREES_OF] = {.name = "degrees-of", .kind = OPTION_TEXT, .argument = "LIST",
        .offset = AT(degrees_of), .allowed = "up to 16 vertices of the graph with commas between them", .group = OUTPUT,
        .help = "with --statistics: count the edges of these vertices, too"},
    [GENERATE_JSON] = {.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .group = OUTPUT,
        .help = "summary on standard output as one JSON object"},
    [GENERATE_QUIET] = {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = AT(quiet),
        .group = OUTPUT,
        .help = "no progress, and no summary unless --json asks for it"},
    [GENERATE_THREADS] = {.name = "threads", .kind = OPTION_COUNT, .argument = "N", .offset = AT(threads),
        .min = 0, .max = MAX_THREADS, .fallback = "0", .group = RUNNING,
        .help = "threads of each rank that generate edges; 0: one per processor that it may use, shared "
                "with the host's other ranks"},
    [GENERATE_BACKEND] = {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(backend), .choices = backend_names, .fallback = "auto", .group = RUNNING,
        .help = "what generates the edges, which are the same; auto: the GPU where it is done "
                "sooner, because few threads would not keep a fast disk busy"},
    [GENERATE_DEVICE] = {.name = "device", .kind = OPTION_COUNT, .argument = "N", .offset = AT(device),
        .min = 0, .max = MAX_DEVICE, .group = RUNNING,
        .help = "which GPU makes them, if one does, by CUDA's numbers"},
    [GENERATE_DEVICES] = {.name = "devices", .kind = OPTION_LIST, .argument = "LIST", .offset = AT(devices),
        .max = MAX_DEVICE, .fallback = "all", .group = RUNNING,
        .help = "GPUs that are dealt out in turn to the ranks of a host; one rank alone takes the "
                "first"},
    [GENERATE_FALLBACK] = {.name = "fallback", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(fallback), .choices = fallback_names,
        .fallback = "cpu with --backend auto, else none", .group = RUNNING,
        .help = "what goes on where the GPU fails, with the edges that are missing"},
    [GENERATE_TIMEOUT] = {.name = "timeout", .kind = OPTION_COUNT, .argument = "SECONDS",
        .offset = AT(timeout), .min = 1, .max = MAX_TIMEOUT, .fallback = "60", .group = RUNNING,
        .help = "give up when nothing was heard of a rank for so long"},
    [GENERATE_HELP] = {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .offset = AT(help),
        .group = RUNNING,
        .help = "this text"},
    [GENERATE_PATH] = {.name = "io", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(path),
        .choices = engine_io_names, .fallback = "auto", .group = ADVANCED,
        .help = "write past the page cache (direct), through it (positional), or by the HDF5 "
                "library: alone, or by a parallel one, every rank for itself or all at once"},
    [GENERATE_ISA] = {.name = "isa", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(isa),
        .choices = isa_names, .fallback = "auto", .group = ADVANCED,
        .help = "instruction set of the CPU backend"},
    [GENERATE_CHUNK] = {.name = "chunk", .kind = OPTION_COUNT, .argument = "N", .offset = AT(chunk),
        .min = 1, .max = (uint64_t)1 << 30, .allowed = "1 to 1073741824 (2^30)",
        .fallback = "by --memory", .group = ADVANCED,
        .help = "edges per buffer"},
    [GENERATE_MEMORY] = {.name = "memory", .kind = OPTION_COUNT, .argument = "N", .offset = AT(memory),
        .min = OPTION_MIN_MEMORY, .max = OPTION_MAX_MEMORY, .allowed = OPTION_ALLOWED_MEMORY,
        .fallback = "128Mi, or half of what is available for sorted graphs", .group = ADVANCED,
        .help = "bytes for all buffers of a rank together, and for the intervals of a sorted graph unless a GPU "
                "makes them"},
    [GENERATE_DEVICE_MEMORY] = {.name = "device-memory", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(device_memory), .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50,
        .allowed = "1Mi to 1024Ti", .fallback = "9/10 of what is free", .group = ADVANCED,
        .help = "bytes of a rank's GPU for the intervals of a sorted graph"},
    [GENERATE_CHECKPOINT] = {.name = "checkpoint", .kind = OPTION_FRACTION, .argument = "SECONDS",
        .offset = AT(checkpoint), .max = MAX_TIMEOUT, .fallback = "30", .group = ADVANCED,
        .help = "how often to sync what is written and to record it for --resume; 0: never"},
};
/* clang-format on */

const command_line generate_command_line = {
    .command = "generate",
    .synopsis = "generate [OPTION]...",
    .summary = "Write an R-MAT graph to an HDF5 file: datasets src and dst, and weight if wanted, "
               "one element per edge; or, sorted, as CSR; or to a file of another format. "
               "Without options: Graph500's graph of scale 20. Under mpirun or srun all ranks "
               "write the one graph together.",
    .options = generate_table,
    .n_options = GENERATE_N_OPTIONS,
    .notes =
        "The section FORMATS of 'rmat man' describes each format, its suffix and what it needs. "
        "For "
        "sg and wsg, and where several ranks write a sorted graph in another format than h5 and "
        "csr or with --compress, the graph is sorted in FILE.sorted.partial first, an HDF5 file "
        "that is removed at the end: the disk needs room for both.\n\n"
        "Counts take a suffix: K M G T P are powers of 1000, Ki Mi Gi Ti Pi powers of 1024; "
        "--edges 16G "
        "is 16000000000. An option given twice: the last one counts. Exit status: 0 the file is "
        "complete, 1 it could not be made, 2 wrong usage, 128 + N stopped by signal N, "
        "75 stopped with --keep-partial.",
};
