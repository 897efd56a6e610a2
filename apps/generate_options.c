#include "apps/generate_options.h"
#include "apps/commands.h"
#include "apps/cpu.h"
#include "apps/message.h"
#include "apps/pipeline.h"
#include "datasets/presets.h"
#include <inttypes.h>
#include <math.h>

enum { MAX_THREADS = 4096, MAX_DEVICE = 1023 };

#define DEFAULT_MEMORY ((uint64_t)128 << 20)

/* What the options store, before they are put together. */
typedef struct {
    uint64_t scale, rows_scale, cols_scale, edge_factor, edges, seed, threads, device, chunk,
        memory;
    double a, b, c, d;
    int preset, id_bits, backend, fallback, path, isa;
    const char *output;
    bool force, dry_run, quiet, json, help;
} raw_values;

#define PRESET_NAME(name, a, b, c, d, factor) #name,
#define PRESET_ROW(name, a, b, c, d, factor)  {{a, b, c, d}, factor},

static const char *const preset_names[] = {RMAT_PRESETS(PRESET_NAME) NULL};
static const struct {
    rmat_matrix matrix;
    uint64_t edge_factor;
} presets[] = {RMAT_PRESETS(PRESET_ROW)};

static const char *const id_bits_names[] = {"auto", "32", "64", NULL};
/* In the order of rmat_backend, rmat_isa and edgefile_path. */
static const char *const backend_names[] = {"auto", "cpu", "gpu", NULL};
static const char *const fallback_names[] = {"none", "cpu", NULL};
static const char *const isa_names[] = {"auto", "generic", "avx2", "avx512", NULL};
static const char *const path_names[] = {"auto", "direct", "positional", "hdf5", NULL};

#define MODEL     "Model (these options alone decide which edges come out)"
#define OUTPUT    "Output"
#define RUNNING   "Running"
#define ADVANCED  "Advanced (none of them changes the file)"
#define AT(field) offsetof(raw_values, field)

/* By name, for the rules between options. */
/* clang-format off */
enum {
    SCALE, ROWS, COLS, EDGE_FACTOR, EDGES, PRESET, A, B, C, D, SEED, ID_BITS, FILE_NAME, FORCE,
    DRY_RUN, JSON, QUIET, THREADS, BACKEND, DEVICE, FALLBACK, HELP, PATH, ISA, CHUNK, MEMORY, N_OPTIONS
};

static const option table[N_OPTIONS] = {
    [SCALE] = {.name = "scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(scale),
        .min = 1, .max = RMAT_MAX_SCALE, .fallback = "20", .group = MODEL,
        .help = "2^N source and 2^N destination vertices"},
    [ROWS] = {.name = "rows-scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(rows_scale),
        .min = 1, .max = RMAT_MAX_SCALE, .group = MODEL,
        .help = "2^N source vertices; with --cols-scale, or instead of what --scale says"},
    [COLS] = {.name = "cols-scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(cols_scale),
        .min = 1, .max = RMAT_MAX_SCALE, .group = MODEL,
        .help = "2^N destination vertices; with --rows-scale, or instead of what --scale says"},
    [EDGE_FACTOR] = {.name = "edge-factor", .kind = OPTION_COUNT, .argument = "N",
        .offset = AT(edge_factor), .min = 1, .max = (uint64_t)1 << 40,
        .allowed = "1 to 1099511627776 (2^40), at most 2^62 edges in all", .fallback = "16",
        .group = MODEL,
        .help = "edges per source vertex"},
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edges),
        .min = 0, .max = RMAT_MAX_EDGES, .allowed = "0 to 4611686018427387904 (2^62)",
        .group = MODEL,
        .help = "number of edges, instead of --edge-factor"},
    [PRESET] = {.name = "preset", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(preset),
        .choices = preset_names, .fallback = "graph500", .group = MODEL,
        .help = "named probabilities and edge factor"},
    [A] = {.name = "a", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(a), .fallback = "0.57",
        .group = MODEL,
        .help = "probability of the quadrant source bit 0, destination bit 0 at each level"},
    [B] = {.name = "b", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(b), .fallback = "0.19",
        .group = MODEL,
        .help = "the same of source bit 0, destination bit 1"},
    [C] = {.name = "c", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(c), .fallback = "0.19",
        .group = MODEL,
        .help = "the same of source bit 1, destination bit 0"},
    [D] = {.name = "d", .kind = OPTION_FRACTION, .argument = "P", .offset = AT(d),
        .fallback = "1-a-b-c", .group = MODEL,
        .help = "the same of both bits 1; the four add up to 1 within 1e-9"},
    [SEED] = {.name = "seed", .kind = OPTION_U64, .argument = "N", .offset = AT(seed),
        .fallback = "1", .group = MODEL,
        .help = "decimal, or hexadecimal as 0x..."},
    [ID_BITS] = {.name = "id-bits", .kind = OPTION_CHOICE, .argument = "N", .offset = AT(id_bits),
        .choices = id_bits_names, .fallback = "auto", .group = OUTPUT,
        .help = "width of a vertex number; auto is 32 up to 2^32 vertices, 64 beyond"},
    [FILE_NAME] = {.name = "output", .letter = 'o', .kind = OPTION_FILE, .argument = "FILE",
        .offset = AT(output), .fallback = "graph.h5", .group = OUTPUT,
        .help = "HDF5 file to make; FILE.partial until it is complete"},
    [FORCE] = {.name = "force", .kind = OPTION_FLAG, .offset = AT(force), .group = OUTPUT,
        .help = "replace FILE if it exists, once the new one is complete"},
    [DRY_RUN] = {.name = "dry-run", .kind = OPTION_FLAG, .offset = AT(dry_run), .group = OUTPUT,
        .help = "say how large the file would be and how long it would take, and make none"},
    [JSON] = {.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .group = OUTPUT,
        .help = "summary on standard output as one JSON object"},
    [QUIET] = {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = AT(quiet),
        .group = OUTPUT,
        .help = "no progress, and no summary unless --json asks for it"},
    [THREADS] = {.name = "threads", .kind = OPTION_COUNT, .argument = "N", .offset = AT(threads),
        .min = 0, .max = MAX_THREADS, .fallback = "0", .group = RUNNING,
        .help = "threads that generate edges; 0: one per processor that the process may use"},
    [BACKEND] = {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(backend), .choices = backend_names, .fallback = "auto", .group = RUNNING,
        .help = "what generates the edges, which are the same; auto: the GPU where it is done "
                "sooner, because few threads would not keep a fast disk busy"},
    [DEVICE] = {.name = "device", .kind = OPTION_COUNT, .argument = "N", .offset = AT(device),
        .min = 0, .max = MAX_DEVICE, .fallback = "0", .group = RUNNING,
        .help = "which GPU makes them, if one does, by CUDA's numbers"},
    [FALLBACK] = {.name = "fallback", .kind = OPTION_CHOICE, .argument = "NAME",
        .offset = AT(fallback), .choices = fallback_names,
        .fallback = "cpu with --backend auto, else none", .group = RUNNING,
        .help = "what goes on where the GPU fails, with the edges that are missing"},
    [HELP] = {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .offset = AT(help),
        .group = RUNNING,
        .help = "this text"},
    [PATH] = {.name = "io", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(path),
        .choices = path_names, .fallback = "auto", .group = ADVANCED,
        .help = "write past the page cache (direct), through it (positional), or by the HDF5 "
               "library alone"},
    [ISA] = {.name = "isa", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(isa),
        .choices = isa_names, .fallback = "auto", .group = ADVANCED,
        .help = "instruction set of the CPU backend"},
    [CHUNK] = {.name = "chunk", .kind = OPTION_COUNT, .argument = "N", .offset = AT(chunk),
        .min = 1, .max = (uint64_t)1 << 30, .allowed = "1 to 1073741824 (2^30)",
        .fallback = "by --memory", .group = ADVANCED,
        .help = "edges per buffer"},
    [MEMORY] = {.name = "memory", .kind = OPTION_COUNT, .argument = "N", .offset = AT(memory),
        .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50, .allowed = "1Mi to 1024Ti",
        .fallback = "128Mi", .group = ADVANCED,
        .help = "bytes for all buffers together"},
};
/* clang-format on */

const command_line generate_command_line = {
    .command = "generate",
    .synopsis = "generate [OPTION]...",
    .summary = "Write an R-MAT graph to an HDF5 file: datasets src and dst, one element per edge. "
               "Without options: Graph500's graph of scale 20.",
    .options = table,
    .n_options = N_OPTIONS,
    .notes =
        "Counts take a suffix: K M G T P are powers of 1000, Ki Mi Gi Ti Pi powers of 1024; "
        "--edges 16G "
        "is 16000000000. An option given twice: the last one counts. Exit status: 0 the file is "
        "complete, 1 it could not be made, 2 wrong usage, 130 or 143 stopped by SIGINT or SIGTERM.",
};

static int error_pair(const char *one, const char *other)
{
    return usage_error("generate", "--%s: given together with --%s, allowed: either", one, other);
}

static int resolve_scales(const raw_values *raw, const bool *given, rmat_config *model)
{
    if (given[ROWS] && given[COLS] && given[SCALE]) {
        return usage_error("generate",
                           "--scale: given together with --rows-scale and --cols-scale, "
                           "allowed: two of the three");
    }
    if (given[ROWS] != given[COLS] && !given[SCALE]) {
        return usage_error("generate", "--%s: given alone, allowed: together with --%s or --scale",
                           table[given[ROWS] ? ROWS : COLS].name,
                           table[given[ROWS] ? COLS : ROWS].name);
    }
    model->rows_scale = (int)(given[ROWS] ? raw->rows_scale : raw->scale);
    model->cols_scale = (int)(given[COLS] ? raw->cols_scale : raw->scale);
    return EXIT_OK;
}

static int resolve_matrix(const raw_values *raw, const bool *given, rmat_matrix *matrix)
{
    double sum;

    if (!given[A] && !given[B] && !given[C] && !given[D]) {
        *matrix = presets[raw->preset].matrix;
        return EXIT_OK;
    }
    for (int i = A; i <= D; i++) {
        if (given[i] && given[PRESET]) {
            return error_pair(table[i].name, "preset");
        }
    }
    for (int i = A; i <= C; i++) {
        if (!given[i]) {
            return usage_error("generate",
                               "--%s: missing, allowed: --a, --b and --c together, or none "
                               "of --a --b --c --d",
                               table[i].name);
        }
    }
    *matrix = (rmat_matrix){raw->a, raw->b, raw->c, raw->d};
    if (!given[D]) {
        /* To 15 decimals: 1 - 0.57 - 0.19 - 0.19 shall be the same 0.05 that one can type. */
        matrix->d = rint((1 - raw->a - raw->b - raw->c) * 1e15) / 1e15;
        if (matrix->d < 0 && matrix->d > -1e-9) {
            matrix->d = 0;
        }
    }
    sum = matrix->a + matrix->b + matrix->c + (given[D] ? matrix->d : 0);
    if (matrix->d < 0 || (given[D] && fabs(sum - 1) > 1e-9)) {
        return usage_error("generate",
                           "--a --b --c%s: the sum '%.12g' is out of range, allowed: %s",
                           given[D] ? " --d" : "", sum, given[D] ? "1 within 1e-9" : "0 to 1");
    }
    return EXIT_OK;
}

static int resolve_edges(const raw_values *raw, const bool *given, int rows_scale, uint64_t *edges)
{
    uint64_t factor = given[EDGE_FACTOR] ? raw->edge_factor : presets[raw->preset].edge_factor;
    uint64_t most = RMAT_MAX_EDGES >> rows_scale;

    if (given[EDGES] && given[EDGE_FACTOR]) {
        return error_pair("edges", "edge-factor");
    }
    if (given[EDGES]) {
        *edges = raw->edges;
        return EXIT_OK;
    }
    if (factor > most) {
        return usage_error("generate",
                           "--edge-factor: '%" PRIu64 "' is out of range with 2^%d source "
                           "vertices, allowed: 1 to %" PRIu64 ", or --edges",
                           factor, rows_scale, most);
    }
    *edges = factor << rows_scale;
    return EXIT_OK;
}

static int resolve_id_bytes(int choice, const rmat_config *model, int *id_bytes)
{
    int fits = model->rows_scale <= 32 && model->cols_scale <= 32;

    if (choice == 1 && !fits) {
        return usage_error("generate",
                           "--id-bits: '32' is out of range with 2^%d vertices, allowed: "
                           "auto, 64",
                           model->rows_scale > model->cols_scale ? model->rows_scale
                                                                 : model->cols_scale);
    }
    *id_bytes = choice == 0 ? (fits ? 4 : 8) : choice == 1 ? 4 : 8;
    return EXIT_OK;
}

static int resolve(const raw_values *raw, const bool *given, generate_options *out)
{
    pipeline_plan plan;
    int status;

    rmat_config_default(&out->model);
    out->model.seed = raw->seed;
    out->model.backend = (rmat_backend)raw->backend;
    out->model.isa = (rmat_isa)raw->isa;
    out->model.threads = 1;
    if (given[DEVICE] && out->model.backend == RMAT_BACKEND_CPU) {
        return usage_error(
            "generate", "--device: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    if ((status = resolve_scales(raw, given, &out->model)) != EXIT_OK ||
        (status = resolve_matrix(raw, given, &out->model.matrix)) != EXIT_OK ||
        (status = resolve_edges(raw, given, out->model.rows_scale, &out->edges)) != EXIT_OK ||
        (status = resolve_id_bytes(raw->id_bits, &out->model, &out->id_bytes)) != EXIT_OK) {
        return status;
    }
    out->threads = raw->threads > 0 ? (int)raw->threads : cpu_usable();
    if (out->threads > MAX_THREADS) {
        out->threads = MAX_THREADS;
    }
    out->device = (int)raw->device;
    /* AUTO never was a promise of a GPU. */
    out->fall_back = given[FALLBACK] ? raw->fallback != 0 : out->model.backend == RMAT_BACKEND_AUTO;
    out->path = (edgefile_path)raw->path;
    out->chunk = raw->chunk;
    out->memory = raw->memory;
    if (pipeline_make_plan(&plan, out->edges, out->id_bytes, out->threads, out->path, out->chunk,
                           out->memory) != 0) {
        return usage_error("generate",
                           "--chunk: '%" PRIu64 "' is out of range with --memory %" PRIu64
                           ", allowed: 1 to %" PRIu64,
                           out->chunk, out->memory, pipeline_max_chunk(out->memory, out->id_bytes));
    }
    return EXIT_OK;
}

int generate_options_parse(int argc, char **argv, generate_options *out)
{
    raw_values raw = {.scale = 20, .seed = 1, .memory = DEFAULT_MEMORY, .output = "graph.h5"};
    bool given[OPTIONS_MAX];
    int status = options_parse(&generate_command_line, argc, argv, &raw, given, NULL);

    out->output = raw.output;
    out->force = raw.force;
    out->dry_run = raw.dry_run;
    out->quiet = raw.quiet;
    out->json = raw.json;
    out->help = raw.help;
    return status != EXIT_OK || raw.help ? status : resolve(&raw, given, out);
}
