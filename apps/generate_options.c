#include "apps/generate_options.h"
#include "apps/commands.h"
#include "apps/cpu.h"
#include "apps/generate_table.h"
#include "apps/message.h"
#include "apps/pipeline.h"
#include "datasets/presets.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <math.h>

#define DEFAULT_MEMORY ((uint64_t)128 << 20)

#define PRESET_ROW(name, a, b, c, d, factor) {{a, b, c, d}, factor},

static const struct {
    rmat_matrix matrix;
    uint64_t edge_factor;
} presets[] = {RMAT_PRESETS(PRESET_ROW)};

static int error_pair(const char *one, const char *other)
{
    return usage_error("generate", "--%s: given together with --%s, allowed: either", one, other);
}

static int resolve_scales(const generate_values *raw, const bool *given, rmat_config *model)
{
    if (given[ROWS] && given[COLS] && given[SCALE]) {
        return usage_error("generate",
                           "--scale: given together with --rows-scale and --cols-scale, "
                           "allowed: two of the three");
    }
    if (given[ROWS] != given[COLS] && !given[SCALE]) {
        return usage_error("generate", "--%s: given alone, allowed: together with --%s or --scale",
                           generate_table[given[ROWS] ? ROWS : COLS].name,
                           generate_table[given[ROWS] ? COLS : ROWS].name);
    }
    model->rows_scale = (int)(given[ROWS] ? raw->rows_scale : raw->scale);
    model->cols_scale = (int)(given[COLS] ? raw->cols_scale : raw->scale);
    return EXIT_OK;
}

static int resolve_matrix(const generate_values *raw, const bool *given, rmat_matrix *matrix)
{
    double sum;

    if (!given[A] && !given[B] && !given[C] && !given[D]) {
        *matrix = presets[raw->preset].matrix;
        return EXIT_OK;
    }
    for (int i = A; i <= D; i++) {
        if (given[i] && given[PRESET]) {
            return error_pair(generate_table[i].name, "preset");
        }
    }
    for (int i = A; i <= C; i++) {
        if (!given[i]) {
            return usage_error("generate",
                               "--%s: missing, allowed: --a, --b and --c together, or none "
                               "of --a --b --c --d",
                               generate_table[i].name);
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

static int resolve_edges(const generate_values *raw, const bool *given, int rows_scale,
                         uint64_t *edges)
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

static int resolve(const generate_values *raw, const bool *given, generate_options *out)
{
    pipeline_plan plan;
    int status;

    rmat_config_default(&out->model);
    out->model.seed = raw->seed;
    out->model.backend = (rmat_backend)raw->backend;
    out->model.isa = (rmat_isa)raw->isa;
    out->model.threads = 1;
    if (given[DEVICE] && given[DEVICES]) {
        return error_pair("device", "devices");
    }
    if ((given[DEVICE] || given[DEVICES]) && out->model.backend == RMAT_BACKEND_CPU) {
        return usage_error("generate",
                           "--%s: given with --backend cpu, allowed: with --backend auto or gpu",
                           generate_table[given[DEVICE] ? DEVICE : DEVICES].name);
    }
    if ((status = resolve_scales(raw, given, &out->model)) != EXIT_OK ||
        (status = resolve_matrix(raw, given, &out->model.matrix)) != EXIT_OK ||
        (status = resolve_edges(raw, given, out->model.rows_scale, &out->edges)) != EXIT_OK ||
        (status = resolve_id_bytes(raw->id_bits, &out->model, &out->id_bytes)) != EXIT_OK) {
        return status;
    }
    out->threads = raw->threads > 0  ? (int)raw->threads
                   : dist_size() > 1 ? dist_processors()
                                     : cpu_usable();
    if (out->threads > MAX_THREADS) {
        out->threads = MAX_THREADS;
    }
    out->devices = raw->devices;
    if (given[DEVICE]) {
        out->devices = (option_list){1, {(int)raw->device}};
    }
    out->layout = (edgefile_layout)raw->layout;
    /* AUTO never was a promise of a GPU. */
    out->fall_back = given[FALLBACK] ? raw->fallback != 0 : out->model.backend == RMAT_BACKEND_AUTO;
    out->path = (edgefile_path)raw->path;
    if (raw->path > EDGEFILE_PATH_HDF5 && raw->layout == EDGEFILE_LAYOUT_SHARDED) {
        return usage_error("generate",
                           "--io: '%s' given with --layout sharded, allowed: with one file",
                           generate_path_name(out->path));
    }
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
    generate_values raw = {
        .scale = 20, .seed = 1, .timeout = 60, .memory = DEFAULT_MEMORY, .output = "graph.h5"};
    bool given[OPTIONS_MAX];
    int status = options_parse(&generate_command_line, argc, argv, &raw, given, NULL);

    out->timeout = (double)raw.timeout; /* needed even after an error */
    out->output = raw.output;
    out->force = raw.force;
    out->dry_run = raw.dry_run;
    out->quiet = raw.quiet;
    out->json = raw.json;
    out->help = raw.help;
    return status != EXIT_OK || raw.help ? status : resolve(&raw, given, out);
}

const char *generate_path_name(edgefile_path path)
{
    return generate_table[PATH].choices[path];
}

const char *generate_layout_name(edgefile_layout layout)
{
    return generate_table[LAYOUT].choices[layout];
}
