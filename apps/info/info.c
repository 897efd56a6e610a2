/* rmat info: shows a graph's file, its attributes and first edges, and the machine's processors and
 * GPUs. */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include "rmat/rmat.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Attributes. */

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

/* Reads all attributes, so that edgefile_unanswered() reports a failure. */
static void read_attributes(edgefile_reader *r)
{
    char text[4096];
    uint64_t u;
    double x;

    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        switch (attributes[i].as) {
        case SHOW_TEXT:
            edgefile_get_string(r, attributes[i].name, text, sizeof text);
            break;
        case SHOW_F64:
            edgefile_get_f64(r, attributes[i].name, &x);
            break;
        default:
            edgefile_get_u64(r, attributes[i].name, &u);
        }
    }
}

/* Facts: a member of a JSON object, or without one a line on standard output. */
static void show_text(json_object *json, const char *name, const char *text)
{
    if (json != NULL) {
        json_string(json, name, text);
    } else {
        text_line(stdout, "%-16s %s", name, text);
    }
}

static void show_number(json_object *json, const char *name, uint64_t value)
{
    if (json != NULL) {
        json_u64(json, name, value);
    } else {
        printf("%-16s %" PRIu64 "\n", name, value);
    }
}

static void show_attribute(edgefile_reader *r, const char *name, show_as as, json_object *json)
{
    char text[4096], number[NUMBER_TEXT];
    uint64_t u = 0;
    double x = 0;

    if ((as == SHOW_TEXT  ? edgefile_get_string(r, name, text, sizeof text)
         : as == SHOW_F64 ? edgefile_get_f64(r, name, &x)
                          : edgefile_get_u64(r, name, &u)) != EDGEFILE_OK) {
        return;
    }
    if (as == SHOW_TEXT) {
        show_text(json, name, text);
    } else if (as == SHOW_U64) {
        show_number(json, name, u);
    } else if (as == SHOW_F64 && json != NULL) {
        json_f64(json, name, x);
    } else if (as == SHOW_F64) {
        printf("%-16s %s\n", name, format_double(number, x));
    } else if (json != NULL) {
        json_hex(json, name, u);
    } else {
        printf("%-16s 0x%016" PRIx64 "\n", name, u);
    }
}

/* One array of four numbers per level. */
static void json_matrices(json_object *json, const char *name, const double *m, uint64_t levels)
{
    json_object all;

    json_array_begin(&all, json, name);
    for (uint64_t l = 0; l < levels; l++) {
        json_f64_list(&all, NULL, m + 4 * l, 4);
    }
    json_array_end(&all);
}

/* One line per level. */
static void print_matrices(const char *name, const double *m, uint64_t levels)
{
    char number[4][NUMBER_TEXT];

    for (uint64_t l = 0; l < levels; l++) {
        for (int k = 0; k < 4; k++) {
            format_double(number[k], m[4 * l + (uint64_t)k]);
        }
        printf("%-16s %s %s %s %s\n", l > 0 ? "" : name, number[0], number[1], number[2],
               number[3]);
    }
}

static void show_matrices(edgefile_reader *r, json_object *json)
{
    const char *name = "matrices";
    double m[4 * RMAT_MAX_SCALE];
    uint64_t count = 0;

    if (edgefile_get_f64s(r, name, m, 4 * RMAT_MAX_SCALE, &count) != EDGEFILE_OK || count == 0 ||
        count > 4 * RMAT_MAX_SCALE) {
        return;
    }
    if (json != NULL) {
        json_matrices(json, name, m, count / 4);
    } else {
        print_matrices(name, m, count / 4);
    }
}

/* Shows the attributes that exist, as lines on standard output or in a JSON object. */
static void show_attributes(edgefile_reader *r, json_object *json)
{
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        show_attribute(r, attributes[i].name, attributes[i].as, json);
    }
    show_matrices(r, json);
}

/* The command. */

enum { MAX_SHOWN = 1000000 };

typedef struct {
    uint64_t shown;
    bool devices, json, help;
} info_options;

enum { EDGES, DEVICES, JSON, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N",
        .offset = offsetof(info_options, shown), .max = MAX_SHOWN, .fallback = "5",
        .group = "Options",
        .help = "print the first N edges, and for CSR also the first N + 1 pointers"},
    [DEVICES] = OPTION_ROW_FLAG(info_options, devices, "Options", "devices", 0,
        "print this machine's processors and GPUs, and which of them this build can use; without FILE"),
    [JSON] = OPTION_ROW_JSON(info_options, json, "Options", "print one JSON object"),
    [HELP] = OPTION_ROW_HELP(info_options, help, "Options"),
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
    .n_options = N_OPTIONS,
    .examples = "rmat info g.h5\n"
                "rmat info g.h5 c.h5 --json\n"
                "rmat info --devices",
    .notes = "Exit status: 0 success, 1 the file is missing, damaged or not the file of a graph, 2 "
             "wrong usage.",
};

static uint64_t id_element(const void *array, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* The first edges: ids, and weights and pointers if the file has them. */
typedef struct {
    void *src, *dst, *weight;
    uint64_t *pointers;
    uint64_t count, n_pointers;
    int id_bytes;
    edgefile_weight kind;
} some_edges;

static void free_edges(some_edges *e)
{
    free(e->src);
    free(e->dst);
    free(e->weight);
    free(e->pointers);
}

/* Nine digits distinguish any two floats. */
static const char *weight_text(char text[NUMBER_TEXT], const some_edges *e, uint64_t i)
{
    if (e->kind == EDGEFILE_WEIGHT_I32) {
        snprintf(text, NUMBER_TEXT, "%" PRId32, ((const int32_t *)e->weight)[i]);
    } else {
        snprintf(text, NUMBER_TEXT, "%.9g", (double)((const float *)e->weight)[i]);
    }
    return text;
}

static void json_edges(const some_edges *e, json_object *json)
{
    json_object all, edge;

    json_array_begin(&all, json, "first_edges");
    for (uint64_t i = 0; i < e->count; i++) {
        json_array_begin(&edge, &all, NULL);
        json_u64(&edge, NULL, id_element(e->src, i, e->id_bytes));
        json_u64(&edge, NULL, id_element(e->dst, i, e->id_bytes));
        if (e->kind != EDGEFILE_NO_WEIGHT) {
            char text[NUMBER_TEXT];

            json_key(&edge, NULL);
            fputs(weight_text(text, e, i), edge.stream);
        }
        json_array_end(&edge);
    }
    json_array_end(&all);
}

static void print_edges(const some_edges *e)
{
    if (e->count > 0) {
        printf("first edges\n");
    }
    for (uint64_t i = 0; i < e->count; i++) {
        printf("  %" PRIu64 " %" PRIu64, id_element(e->src, i, e->id_bytes),
               id_element(e->dst, i, e->id_bytes));
        if (e->kind != EDGEFILE_NO_WEIGHT) {
            char text[NUMBER_TEXT];

            printf(" %s", weight_text(text, e, i));
        }
        printf("\n");
    }
}

static void print_pointers(const some_edges *e)
{
    printf("first pointers\n ");
    for (uint64_t i = 0; i < e->n_pointers; i++) {
        printf(" %" PRIu64, e->pointers[i]);
    }
    printf("\n");
}

static void show_contents(const some_edges *e, json_object *json)
{
    if (e->n_pointers > 0 && json != NULL) {
        json_u64_list(json, "first_pointers", e->pointers, e->n_pointers);
    } else if (e->n_pointers > 0) {
        print_pointers(e);
    }
    if (json != NULL) {
        json_edges(e, json);
    } else {
        print_edges(e);
    }
}

/* Computes the sources of CSR's edges from its row pointers. */
static int read_rows(edgefile_reader *r, const char *name, uint64_t most, some_edges *e)
{
    uint64_t rows = edgefile_rows(r), near = 0;
    int status;

    e->n_pointers = most == 0 ? 0 : (most < rows ? most : rows) + 1;
    e->pointers = malloc((size_t)(e->n_pointers + 1) * sizeof *e->pointers);
    if (e->pointers == NULL) {
        return runtime_error("info", "memory is exhausted");
    }
    status = edgefile_read_pointers(r, 0, e->n_pointers, e->pointers);
    if (status == EDGEFILE_OK) {
        status = csr_rows(r, 0, e->count, e->src, &near);
    }
    if (status == EDGEFILE_ERR_RANGE) {
        return runtime_error("info", "%s: dataset 'pointers_to_1' is not in order", name);
    }
    return status == EDGEFILE_OK ? EXIT_OK : runtime_error("info", "%s", edgefile_detail());
}

static int read_edges(edgefile_reader *r, const char *name, uint64_t most, some_edges *e)
{
    bool csr = edgefile_format_of(r) == EDGEFILE_CSR;
    size_t room;

    e->count = most < edgefile_edges(r) ? most : edgefile_edges(r);
    e->id_bytes = edgefile_id_bytes(r);
    e->kind = edgefile_weight_of(r);
    room = (size_t)e->count + 1;
    e->src = malloc(room * (size_t)e->id_bytes);
    e->dst = malloc(room * (size_t)e->id_bytes);
    e->weight = malloc(room * 4);
    if (e->src == NULL || e->dst == NULL || e->weight == NULL) {
        return runtime_error("info", "memory is exhausted");
    }
    if (edgefile_read(r, 0, e->count, csr ? NULL : e->src, e->dst,
                      e->kind != EDGEFILE_NO_WEIGHT ? e->weight : NULL) != EDGEFILE_OK) {
        return runtime_error("info", "%s", edgefile_detail());
    }
    return csr ? read_rows(r, name, most, e) : EXIT_OK;
}

static void show_head(json_object *json, const char *name)
{
    char size[NUMBER_TEXT];
    struct stat st = {0};

    (void)stat(name, &st);
    if (json != NULL) {
        json_begin(json, stdout);
        json_string(json, "file", name);
        json_u64(json, "file_bytes", (uint64_t)st.st_size);
    } else {
        text_line(stdout, "%-16s %s (%s)", "file", name, format_bytes(size, (double)st.st_size));
    }
}

static void show_sizes(json_object *json, uint64_t edges, const some_edges *e, bool signed_ids)
{
    static const char *const weights[] = {"none", "float32", "int32"};
    char id_type[16];

    snprintf(id_type, sizeof id_type, "%sint%d", signed_ids ? "" : "u", e->id_bytes * 8);
    show_number(json, "edges", edges);
    show_number(json, "id_bits", (uint64_t)e->id_bytes * 8);
    show_text(json, "id_type", id_type);
    show_text(json, "weight_type", weights[e->kind]);
}

/* Shows one file, for each_file(); state: info_options. */
static int show_file(const char *name, const void *state)
{
    const info_options *options = state;
    edgefile_reader *r = NULL;
    some_edges e = {0};
    json_object object, *json = options->json ? &object : NULL;
    int status;

    if (edgefile_open(&r, name) != EDGEFILE_OK) {
        return runtime_error("info", "%s", edgefile_detail());
    }
    /* Everything is read before anything is printed: an error leaves standard output empty. */
    status = read_edges(r, name, options->shown, &e);
    if (status != EXIT_OK) {
        goto done;
    }
    read_attributes(r);
    if (edgefile_unanswered(r) != EDGEFILE_OK) {
        status = runtime_error("info", "%s", edgefile_detail());
        goto done;
    }
    show_head(json, name);
    show_sizes(json, edgefile_edges(r), &e, edgefile_signed_ids(r));
    show_attributes(r, json);
    show_contents(&e, json);
    if (json != NULL) {
        json_end(json);
    }
    if (edgefile_unanswered(r) != EDGEFILE_OK) {
        status = runtime_error("info", "%s", edgefile_detail());
    }
done:
    free_edges(&e);
    edgefile_close(r);
    return status;
}

/* --devices: the processors and GPUs of this machine, and the libraries of this build. */

/* The number of hardware threads that are the first of their core. */
static int cpu_cores(void)
{
    long threads = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);
    int cores = 0;

    for (long i = 0; i < threads; i++) {
        char name[96];
        long first;
        FILE *file;

        snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%ld/topology/thread_siblings_list",
                 i);
        file = fopen(name, "r");
        if (file != NULL) {
            cores += fscanf(file, "%ld", &first) == 1 && first == i;
            fclose(file);
        }
    }
    return cores > 0 ? cores : online > 0 ? (int)online : 1;
}

static uint64_t memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static void print_gpu(int index)
{
    char why[DEVICES_TEXT], total[NUMBER_TEXT], available[NUMBER_TEXT];
    device_gpu gpu;

    if (devices_gpu(index, &gpu, why)) {
        printf("gpu %-12d %s, %s (%s free), compute capability %d.%d\n", index, gpu.name,
               format_bytes(total, (double)gpu.memory), format_bytes(available, (double)gpu.free),
               gpu.major, gpu.minor);
    } else {
        printf("gpu %-12d not usable: %s\n", index, why);
    }
}

/* The first release of HDF5 that mends every vulnerability which RELIABILITY.md counts.  A
 * distribution may have mended an older one without changing its number. */
#define HDF5_MENDED       "2.2.0"
#define HDF5_MENDED_MAJOR 2
#define HDF5_MENDED_MINOR 2

static bool hdf5_is_vulnerable(const char *version)
{
    unsigned major = 0, minor = 0;

    return sscanf(version, "%u.%u", &major, &minor) != 2 || major < HDF5_MENDED_MAJOR ||
           (major == HDF5_MENDED_MAJOR && minor < HDF5_MENDED_MINOR);
}

static void print_devices(void)
{
    char text[DEVICES_TEXT], memory[NUMBER_TEXT], hdf5[EDGEFILE_HDF5_VERSION];
    const char *mpi = dist_library(), *cuda;
    int gpus;

    cpu_model(text, sizeof text);
    printf("%-16s %s\n", "cpu", text);
    printf("%-16s %d of the machine\n", "cores", cpu_cores());
    printf("%-16s %d that this process may use\n", "threads", cpu_usable());
    printf("%-16s ", "instruction sets");
    devices_isas(stdout, " ");
    printf("\n%-16s %s\n", "memory", format_bytes(memory, (double)memory_bytes()));
    gpus = devices_gpus(text);
    printf("%-16s %s%s\n", gpus > 0 ? "gpu driver" : "gpu", gpus > 0 ? "" : "none: ", text);
    for (int i = 0; i < gpus; i++) {
        print_gpu(i);
    }
    cuda = devices_cuda_version();
    printf("%-16s %s\n", "cuda", cuda != NULL ? cuda : "not in this build");
    printf("%-16s %s\n", "mpi", *mpi != '\0' ? mpi : "not in this build");
    if (edgefile_hdf5_version(hdf5) == EDGEFILE_OK) {
        printf("%-16s %s%s\n", "hdf5", hdf5,
               hdf5_is_vulnerable(hdf5) ? "; before " HDF5_MENDED
                                          " HDF5 has known vulnerabilities (RELIABILITY.md)"
                                        : "");
    } else {
        printf("%-16s %s\n", "hdf5", "not in this build");
    }
}

static void print_gpu_json(json_object *gpus, int index)
{
    char why[DEVICES_TEXT], capability[32];
    device_gpu gpu;
    json_object item;

    json_object_begin(&item, gpus, NULL);
    json_u64(&item, "index", (uint64_t)index);
    if (devices_gpu(index, &gpu, why)) {
        json_string(&item, "name", gpu.name);
        json_u64(&item, "memory_bytes", gpu.memory);
        json_u64(&item, "free_bytes", gpu.free);
        snprintf(capability, sizeof capability, "%d.%d", gpu.major, gpu.minor);
        json_string(&item, "compute_capability", capability);
    } else {
        json_string(&item, "error", why);
    }
    json_object_end(&item);
}

static void print_devices_json(void)
{
    char text[DEVICES_TEXT], hdf5[EDGEFILE_HDF5_VERSION];
    const char *mpi = dist_library();
    json_object json, list;
    bool found;
    int gpus;

    json_begin(&json, stdout);
    cpu_model(text, sizeof text);
    json_string(&json, "cpu", text);
    json_u64(&json, "cores", (uint64_t)cpu_cores());
    json_u64(&json, "threads", (uint64_t)cpu_usable());
    json_array_begin(&list, &json, "instruction_sets");
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        if (rmat_cpu_has_isa(isa)) {
            json_string(&list, NULL, rmat_isa_name(isa));
        }
    }
    json_array_end(&list);
    json_u64(&json, "memory_bytes", memory_bytes());
    gpus = devices_gpus(text);
    json_string(&json, "gpu_driver", gpus > 0 ? text : NULL);
    json_string(&json, "gpu_none", gpus > 0 ? NULL : text);
    json_array_begin(&list, &json, "gpus");
    for (int i = 0; i < gpus; i++) {
        print_gpu_json(&list, i);
    }
    json_array_end(&list);
    json_string(&json, "cuda", devices_cuda_version());
    json_string(&json, "mpi", *mpi != '\0' ? mpi : NULL);
    found = edgefile_hdf5_version(hdf5) == EDGEFILE_OK;
    json_string(&json, "hdf5", found ? hdf5 : NULL);
    json_bool(&json, "hdf5_vulnerable", found && hdf5_is_vulnerable(hdf5));
    json_end(&json);
}

/* --devices. */
static void show_devices(bool json)
{
    if (json) {
        print_devices_json();
    } else {
        print_devices();
    }
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
        if (files[0] != NULL || given[EDGES]) {
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
