/*
 * rmat info: shows a graph's file, its attributes and first edges, and the machine's processors and
 * GPUs, as lines or as a JSON object.  Both are printed after everything was read, so that an error
 * leaves standard output empty.
 */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include "rmat/rmat.h"
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The command --- */

enum { MAX_SHOWN = 1000000 };

typedef struct {
    uint64_t shown;
    bool devices, json, help;
} info_options;

/* clang-format off */
static const option table[] = {
    OPTION_ROW(info_options, shown, "Options", "edges", COUNT, .argument = "N", .max = MAX_SHOWN, .fallback = "5",
        .help = "print the first N edges"),
    OPTION_ROW_FLAG(info_options, devices, "Options", "devices", 0,
        "print this machine's processors and GPUs, and which of them this build can use; without FILE"),
    OPTION_ROW_JSON(info_options, json, "Options", "print one JSON object"),
    OPTION_ROW_HELP(info_options, help, "Options"),
};
/* clang-format on */

const command_line info_command_line = {
    .command = "info",
    .synopsis = "info FILE... [OPTION]...\n       rmat info --devices [--json]",
    .summary =
        "Print what an HDF5 file of rmat contains: sizes, model, seed, fingerprint, versions, the "
        "command that generates it, and its first edges.",
    .operand = "FILE",
    .many = true,
    .options = table,
    .n_options = sizeof table / sizeof *table,
    .examples = "rmat info g.h5\n"
                "rmat info g.h5 c.h5 --json\n"
                "rmat info --devices",
    .notes = "Exit status: 0 success, 1 the file is missing, damaged or not the file of a graph, 2 "
             "wrong usage.",
};

/* --- Attributes --- */

/* The attributes in the order of the output.  A file need not have all of them. */
typedef enum { SHOW_TEXT, SHOW_U64, SHOW_F64, SHOW_HEX } show_as;

static const struct {
    const char *name;
    show_as as;
} attributes[] = {
    {"model", SHOW_TEXT},
    {"rows", SHOW_U64},
    {"num_rows", SHOW_U64},
    {"num_cols", SHOW_U64},
    {"rows_scale", SHOW_U64},
    {"cols_scale", SHOW_U64},
    {"a", SHOW_F64},
    {"b", SHOW_F64},
    {"c", SHOW_F64},
    {"d", SHOW_F64},
    {"noise", SHOW_F64},
    {"permute", SHOW_U64},
    {"self_loops", SHOW_U64},
    {"direction", SHOW_TEXT},
    {"symmetrize", SHOW_U64},
    {"weights", SHOW_TEXT},
    {"seed", SHOW_U64},
    {"seed2", SHOW_U64},
    {"first", SHOW_U64},
    {"order", SHOW_TEXT},
    {"unique", SHOW_U64},
    {"dedup", SHOW_U64},
    {"stream_edges", SHOW_U64},
    {"pairs", SHOW_U64},
    {"fingerprint", SHOW_HEX},
    {"generator", SHOW_TEXT},
    {"library_version", SHOW_TEXT},
    {"stream", SHOW_TEXT},
    {"stream_version", SHOW_U64},
    {"format", SHOW_TEXT},
    {"format_version", SHOW_U64},
    {"binsparse", SHOW_TEXT},
    {"command", SHOW_TEXT},
};

static void show_attribute(json_object *r, edgefile_reader *file, const char *name, show_as as)
{
    char text[4096];
    uint64_t u = 0;
    double x = 0;

    if ((as == SHOW_TEXT  ? edgefile_get_string(file, name, text, sizeof text)
         : as == SHOW_F64 ? edgefile_get_f64(file, name, &x)
                          : edgefile_get_u64(file, name, &u)) != EDGEFILE_OK) {
        return;
    }
    if (as == SHOW_TEXT) {
        json_string(r, name, text);
    } else if (as == SHOW_F64) {
        json_f64(r, name, x);
    } else if (as == SHOW_U64) {
        json_u64(r, name, u);
    } else {
        json_hex(r, name, u);
    }
}

/* One array of four numbers, or one line, per level. */
static void show_matrices(json_object *r, edgefile_reader *file)
{
    double m[4 * RMAT_MAX_SCALE];
    uint64_t count = 0;
    json_object all = *r, level;

    if (edgefile_get_f64s(file, "matrices", m, 4 * RMAT_MAX_SCALE, &count) != EDGEFILE_OK ||
        count == 0 || count > 4 * RMAT_MAX_SCALE) {
        return;
    }
    if (!r->lines) {
        json_array_begin(&all, r, "matrices");
    }
    for (uint64_t i = 0; i + 4 <= count; i += 4) {
        json_array_begin(&level, &all, !r->lines ? NULL : i > 0 ? "" : "matrices");
        for (uint64_t k = i; k < i + 4; k++) {
            json_f64(&level, NULL, m[k]);
        }
        json_array_end(&level);
    }
    if (!r->lines) {
        json_array_end(&all);
    }
}

/* --- Edges --- */

/* The first edges: ids, and weights if the file has them. */
typedef struct {
    void *src, *dst, *weight;
    uint64_t count;
} some_edges;

/* Nine digits distinguish any two floats. */
static void show_edges(json_object *r, edgefile_reader *file, const some_edges *e)
{
    const edgefile_weight kind = edgefile_weight_of(file);
    const int bytes = edgefile_id_bytes(file);
    json_object all = *r, edge;

    if (!r->lines) {
        json_array_begin(&all, r, "first_edges");
    } else if (e->count > 0) {
        fprintf(r->stream, "first edges\n");
    }
    for (uint64_t i = 0; i < e->count; i++) {
        json_array_begin(&edge, &all, NULL);
        json_u64(&edge, NULL, edge_id(e->src, i, bytes));
        json_u64(&edge, NULL, edge_id(e->dst, i, bytes));
        if (kind == EDGEFILE_WEIGHT_I32) {
            json_value(&edge, NULL, "%" PRId32, ((const int32_t *)e->weight)[i]);
        } else if (kind == EDGEFILE_WEIGHT_F32) {
            json_value(&edge, NULL, "%.9g", (double)((const float *)e->weight)[i]);
        }
        json_array_end(&edge);
    }
    if (!r->lines) {
        json_array_end(&all);
    }
}

/* Reads the first edges; the sources of CSR's edges follow from its pointers. */
static int read_edges(edgefile_reader *r, const char *name, uint64_t most, some_edges *e)
{
    const bool csr = edgefile_format_of(r) == EDGEFILE_CSR;
    const size_t room = (size_t)most + 1;
    uint64_t near = 0;
    int status;

    e->count = most < edgefile_edges(r) ? most : edgefile_edges(r);
    e->src = malloc(20 * room); /* ids of 8 bytes, and weights */
    if (e->src == NULL) {
        return runtime_error("info", "memory is exhausted");
    }
    e->dst = (char *)e->src + 8 * room;
    e->weight = (char *)e->src + 16 * room;
    status = edgefile_read(r, 0, e->count, csr ? NULL : e->src, e->dst,
                           edgefile_weight_of(r) != EDGEFILE_NO_WEIGHT ? e->weight : NULL);
    if (status == EDGEFILE_OK && csr) {
        status = csr_rows(r, 0, e->count, e->src, &near);
        if (status == EDGEFILE_ERR_RANGE) {
            return runtime_error("info", "%s: dataset 'pointers_to_1' is not in order", name);
        }
    }
    return status == EDGEFILE_OK ? EXIT_OK : runtime_error("info", "%s", edgefile_detail());
}

/* --- A file --- */

static void show_contents(json_object *r, edgefile_reader *file, const char *name,
                          const some_edges *e)
{
    static const char *const weights[] = {"none", "float32", "int32"};
    char text[NUMBER_TEXT];
    struct stat st = {0};

    (void)stat(name, &st);
    if (r->lines) {
        text_line(r->stream, "%-16s %s (%s)", "file", name, format_bytes(text, (double)st.st_size));
    } else {
        json_string(r, "file", name);
        json_u64(r, "file_bytes", st.st_size);
    }
    json_u64(r, "edges", edgefile_edges(file));
    json_u64(r, "id_bits", 8 * edgefile_id_bytes(file));
    snprintf(text, sizeof text, "%sint%d", edgefile_signed_ids(file) ? "" : "u",
             8 * edgefile_id_bytes(file));
    json_string(r, "id_type", text);
    json_string(r, "weight_type", weights[edgefile_weight_of(file)]);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        show_attribute(r, file, attributes[i].name, attributes[i].as);
    }
    show_matrices(r, file);
    show_edges(r, file, e);
}

/* Shows one file, for each_file(); state: info_options. */
static int show_file(const char *name, const void *state)
{
    const info_options *options = state;
    edgefile_reader *file = NULL;
    some_edges e = {0};
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    json_object r;
    int status;

    if (memory == NULL) {
        return runtime_error("info", "memory is exhausted");
    }
    status = edgefile_open(&file, name) == EDGEFILE_OK
                 ? read_edges(file, name, options->shown, &e)
                 : runtime_error("info", "%s", edgefile_detail());
    if (status == EXIT_OK) {
        facts_begin(&r, memory, options->json);
        show_contents(&r, file, name, &e);
        json_end(&r);
        if (edgefile_unanswered(file) != EDGEFILE_OK) {
            status = runtime_error("info", "%s", edgefile_detail());
        }
    }
    fclose(memory);
    if (status == EXIT_OK) {
        fputs(text, stdout);
    }
    free(text);
    free(e.src);
    edgefile_close(file);
    return status;
}

/* --- --devices: the processors and GPUs of this machine, and the libraries of this build --- */

static void show_gpu(json_object *r, json_object *gpus, int index)
{
    char text[DEVICES_TEXT] = "", total[NUMBER_TEXT], available[NUMBER_TEXT];
    device_gpu gpu = {.major = 0};
    const bool usable = devices_gpu(index, &gpu, text);
    json_object item;

    if (r->lines && usable) {
        fprintf(r->stream, "gpu %-12d %s, %s (%s free), compute capability %d.%d\n", index,
                gpu.name, format_bytes(total, (double)gpu.memory),
                format_bytes(available, (double)gpu.free), gpu.major, gpu.minor);
    } else if (r->lines) {
        fprintf(r->stream, "gpu %-12d not usable: %s\n", index, text);
    } else {
        json_object_begin(&item, gpus, NULL);
        json_u64(&item, "index", index);
        if (usable) {
            snprintf(text, sizeof text, "%d.%d", gpu.major, gpu.minor);
            json_string(&item, "name", gpu.name);
            json_u64(&item, "memory_bytes", gpu.memory);
            json_u64(&item, "free_bytes", gpu.free);
            json_string(&item, "compute_capability", text);
        } else {
            json_string(&item, "error", text);
        }
        json_object_end(&item);
    }
}

static void show_gpus(json_object *r)
{
    char text[DEVICES_TEXT];
    const int gpus = devices_gpus(text);
    json_object list;

    if (r->lines) {
        fprintf(r->stream, "%-16s %s%s\n", gpus > 0 ? "gpu driver" : "gpu",
                gpus > 0 ? "" : "none: ", text);
    } else {
        json_string(r, "gpu_driver", gpus > 0 ? text : NULL);
        json_string(r, "gpu_none", gpus > 0 ? NULL : text);
        json_array_begin(&list, r, "gpus");
    }
    for (int i = 0; i < gpus; i++) {
        show_gpu(r, &list, i);
    }
    if (!r->lines) {
        json_array_end(&list);
    }
}

static void show_devices(bool json)
{
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const char *mpi = dist_library();
    char text[DEVICES_TEXT], hdf5[EDGEFILE_HDF5_VERSION];
    const bool has_hdf5 = edgefile_hdf5_version(hdf5) == EDGEFILE_OK;
    const struct {
        const char *name, *version; /* NULL: not in this build */
    } libraries[] = {{"cuda", devices_cuda_version()},
                     {"mpi", *mpi != '\0' ? mpi : NULL},
                     {"hdf5", has_hdf5 ? hdf5 : NULL}};
    json_object r, list;

    facts_begin(&r, stdout, json);
    cpu_model(text, sizeof text);
    json_string(&r, "cpu", text);
    json_u64(&r, "threads", omp_get_num_procs());
    json_array_begin(&list, &r, json ? "instruction_sets" : "instruction sets");
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            json_string(&list, NULL, rmat_isa_name(isa));
        }
    }
    json_array_end(&list);
    if (json) {
        json_u64(&r, "memory_bytes", memory);
    } else {
        json_string(&r, "memory", format_bytes(text, (double)memory));
    }
    show_gpus(&r);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *version = libraries[i].version;

        json_string(&r, libraries[i].name, version != NULL || json ? version : "not in this build");
    }
    json_end(&r);
}

int info_main(int argc, char **argv)
{
    info_options options = {.shown = 5};
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* parsing moves the file names to its front */
    int status = options_parse(&info_command_line, argc, argv, &options, given, files);

    if (status != EXIT_OK) {
        return status;
    }
    if (options.help) {
        options_help(&info_command_line, stdout);
        return EXIT_OK;
    }
    if (options.devices) {
        if (files[0] != NULL || options_given(&info_command_line, given, "edges")) {
            return usage_error("info", "--devices: given together with %s, allowed: one of them",
                               files[0] != NULL ? "a FILE" : "--edges");
        }
        show_devices(options.json);
        return EXIT_OK;
    }
    if (files[0] == NULL) {
        return usage_error("info", "FILE missing, allowed: the path of a graph");
    }
    return each_file(files, options.json, false, show_file, &options);
}
