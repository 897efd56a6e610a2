#include "apps/generate/options.h"
#include "apps/common/cpu.h"
#include "apps/common/message.h"
#include "apps/engine/pipeline/pipeline.h"
#include "apps/generate/command.h"
#include "apps/generate/describe.h"
#include "apps/generate/model.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MEMORY ((uint64_t)128 << 20)
#define MAX_CSR_ROWS   ((uint64_t)1 << 40)

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

/* Sorted or not, and what only one of the two has. */
static int resolve_order(const generate_values *raw, const bool *given, generate_options *out)
{
    char rows[NUMBER_TEXT];
    int status;

    out->unique = raw->unique;
    status = generate_resolve_format(raw, given, out);
    if (status != EXIT_OK) {
        return status;
    }
    if (given[DEVICE_MEMORY] && out->model.backend == RMAT_BACKEND_CPU) {
        return usage_error("generate",
                           "--device-memory: given with --backend cpu, allowed: with --backend "
                           "auto or gpu");
    }
    if (given[DEVICE_MEMORY] && !out->sorted) {
        return usage_error("generate",
                           "--device-memory: given for a graph that is not sorted, allowed: with "
                           "--sorted, --unique or --format csr");
    }
    if (out->file_format != GRAPHFILE_CSR) {
        return EXIT_OK;
    }
    if (raw->layout == EDGEFILE_LAYOUT_SHARDED) {
        return usage_error("generate",
                           "--layout: 'sharded' given with --format csr, allowed: auto, single");
    }
    if (raw->path == EDGEFILE_PATH_COLLECTIVE) {
        return usage_error(
            "generate", "--io: 'hdf5-collective' given with --format csr, allowed: auto, direct, "
                        "positional, hdf5, hdf5-independent");
    }
    if (out->model.rows > MAX_CSR_ROWS) {
        return usage_error("generate",
                           "--format: 'csr' given with %s source vertices, allowed: up to 2^40, as "
                           "there are 8 bytes for each",
                           format_vertices(rows, out->model.rows));
    }
    return EXIT_OK;
}

/* Does a chunk fit into its buffer?  Sorted graphs leave most of the memory to blocks. */
static int check_chunk(const generate_options *o)
{
    uint64_t least = (uint64_t)1 << 20, most = (uint64_t)1 << 30, share = o->memory;
    char with[64] = "";

    if (o->sorted) {
        share = o->memory / 8 > least ? o->memory / 8 : least;
        share = o->memory == 0 || share > most ? most : share;
    }
    most = pipeline_max_chunk(share, o->id_bytes, generate_weight_bytes(o));
    if (o->chunk <= most) {
        return EXIT_OK;
    }
    if (o->memory > 0) {
        snprintf(with, sizeof with, " with --memory %" PRIu64, o->memory);
    }
    return usage_error("generate",
                       "--chunk: '%" PRIu64 "' is out of range%s%s, allowed: 1 to %" PRIu64,
                       o->chunk, with, o->sorted ? " for a sorted graph" : "", most);
}

static int resolve(const generate_values *raw, const bool *given, generate_options *out)
{
    int status;

    rmat_config_default(&out->model);
    memset(out->levels, 0, sizeof out->levels);
    out->model.backend = (rmat_backend)raw->backend;
    out->model.isa = (rmat_isa)raw->isa;
    out->model.threads = 1;
    if (given[DEVICE] && given[DEVICES]) {
        return generate_error_pair(DEVICE, DEVICES);
    }
    if ((given[DEVICE] || given[DEVICES]) && out->model.backend == RMAT_BACKEND_CPU) {
        return usage_error("generate",
                           "--%s: given with --backend cpu, allowed: with --backend auto or gpu",
                           generate_table[given[DEVICE] ? DEVICE : DEVICES].name);
    }
    if ((status = generate_resolve_model(raw, given, out)) != EXIT_OK ||
        (status = resolve_id_bytes(raw->id_bits, &out->model, &out->id_bytes)) != EXIT_OK ||
        (status = resolve_order(raw, given, out)) != EXIT_OK) {
        return status;
    }
    out->threads = raw->threads > 0  ? (int)raw->threads
                   : dist_size() > 1 ? dist_processors()
                                     : cpu_usable();
    if (out->threads > MAX_THREADS) {
        out->threads = MAX_THREADS;
    }
    if (out->unique && (status = generate_check_unique(given, out)) != EXIT_OK) {
        return status;
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
    out->memory = out->sorted && !given[MEMORY] ? 0 : raw->memory;
    out->device_memory = raw->device_memory;
    return check_chunk(out);
}

int generate_options_parse(int argc, char **argv, generate_options *out)
{
    generate_values raw = {
        .scale = 20, .seed = 1, .timeout = 60, .memory = DEFAULT_MEMORY, .weights = "none"};
    bool given[OPTIONS_MAX];
    int status = options_parse(&generate_command_line, argc, argv, &raw, given, NULL);

    out->timeout = (double)raw.timeout; /* needed even after an error */
    out->output = raw.output != NULL ? raw.output : "graph.h5";
    out->force = raw.force;
    out->dry_run = raw.dry_run;
    out->quiet = raw.quiet;
    out->json = raw.json;
    out->help = raw.help;
    return status != EXIT_OK || raw.help ? status : resolve(&raw, given, out);
}

int generate_memory_error(const generate_options *o, rmat_backend used, uint64_t least)
{
    bool gpu = used == RMAT_BACKEND_GPU;
    uint64_t given = gpu ? o->device_memory : o->memory;

    if (given != 0) {
        return usage_error("generate",
                           "--%s: '%" PRIu64 "' is too little for this graph sorted, allowed: "
                           "%" PRIu64 " or more",
                           gpu ? "device-memory" : "memory", given, least);
    }
    return usage_error(
        "generate", "--%s: too little is free for this graph sorted, allowed: %" PRIu64 " or more",
        gpu ? "device-memory" : "memory", least);
}

int generate_weight_bytes(const generate_options *options)
{
    return options->weight == EDGEFILE_NO_WEIGHT ? 0 : 4;
}

const char *generate_path_name(edgefile_path path)
{
    return generate_table[PATH].choices[path];
}

const char *generate_layout_name(edgefile_layout layout)
{
    return generate_table[LAYOUT].choices[layout];
}
