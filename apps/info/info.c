/* rmat info: what an edge file says about itself, and its first edges; or what there is to work
 * with. */
#include "apps/common/devices.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/option_rows.h"
#include "apps/engine/source/csr_rows.h"
#include "apps/info/attributes.h"
#include "apps/info/command.h"
#include "io/edgefile.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_SHOWN = 1000000 };

typedef struct {
    uint64_t shown;
    bool devices, json, help;
} info_options;

/* By name, for the rules between options. */
enum { EDGES, DEVICES, JSON, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N",
        .offset = offsetof(info_options, shown), .max = MAX_SHOWN, .fallback = "5",
        .group = "Options",
        .help = "show the first N edges; of a CSR file, the first N + 1 pointers too"},
    [DEVICES] = OPTION_ROW_FLAG(info_options, devices, "Options", "devices", 0,
        "show this machine's processors and GPUs, and what this build can use, instead of a FILE"),
    [JSON] = OPTION_ROW_JSON(info_options, json, "Options",
        "print one JSON object on standard output"),
    [HELP] = OPTION_ROW_HELP(info_options, help, "Options"),
};
/* clang-format on */

const command_line info_command_line = {
    .command = "info",
    .synopsis = "info FILE [OPTION]...\n       rmat info --devices [--json]",
    .summary = "Print what an edge file contains: sizes, model, seed, fingerprint, versions, the "
               "command that makes it again, and its first edges.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .notes = "Exit status: 0, 1 the file is missing, damaged or not an edge file, 2 wrong usage.",
};

static uint64_t element(const void *array, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* Ids, and weights and pointers where there are any. */
typedef struct {
    void *src, *dst, *weight;
    uint64_t *pointers;
    uint64_t count, n_pointers;
    int id_bytes;
    edgefile_weight kind;
} some_edges;

static const char *weight_text(char text[NUMBER_TEXT], const some_edges *e, uint64_t i)
{
    if (e->kind == EDGEFILE_WEIGHT_I32) {
        snprintf(text, NUMBER_TEXT, "%" PRId32, ((const int32_t *)e->weight)[i]);
    } else {
        snprintf(text, NUMBER_TEXT, "%.9g", (double)((const float *)e->weight)[i]);
    }
    return text;
}

static void show_edges(const some_edges *e, json_object *json)
{
    char weight[NUMBER_TEXT];

    if (json != NULL) {
        json_key(json, "first_edges");
        fputs("[", json->stream);
    } else if (e->count > 0) {
        printf("first edges\n");
    }
    for (uint64_t i = 0; i < e->count; i++) {
        uint64_t u = element(e->src, i, e->id_bytes), v = element(e->dst, i, e->id_bytes);

        if (json != NULL) {
            fprintf(json->stream, "%s[%" PRIu64 ", %" PRIu64, i > 0 ? ", " : "", u, v);
        } else {
            printf("  %" PRIu64 " %" PRIu64, u, v);
        }
        if (e->kind != EDGEFILE_NO_WEIGHT) {
            fprintf(json != NULL ? json->stream : stdout, "%s%s", json != NULL ? ", " : " ",
                    weight_text(weight, e, i));
        }
        fputs(json != NULL ? "]" : "\n", json != NULL ? json->stream : stdout);
    }
    if (json != NULL) {
        fputs("]", json->stream);
    }
}

static void show_pointers(const some_edges *e, json_object *json)
{
    if (e->n_pointers == 0) {
        return;
    }
    if (json != NULL) {
        json_key(json, "first_pointers");
    } else {
        printf("first pointers\n ");
    }
    for (uint64_t i = 0; i < e->n_pointers; i++) {
        fprintf(json != NULL ? json->stream : stdout, "%s%" PRIu64,
                json == NULL ? " "
                : i == 0     ? "["
                             : ", ",
                e->pointers[i]);
    }
    fputs(json != NULL ? "]" : "\n", json != NULL ? json->stream : stdout);
}

/* "single", "sharded" for a master, "shard" for one of its shards. */
static const char *layout_of(edgefile_reader *r)
{
    uint64_t shard;

    return edgefile_shards(r) > 0                                ? "sharded"
           : edgefile_get_u64(r, "shard", &shard) == EDGEFILE_OK ? "shard"
                                                                 : "single";
}

/* What CSR has for sources. */
static int read_rows(edgefile_reader *r, const char *name, uint64_t most, some_edges *e)
{
    uint64_t rows = edgefile_rows(r);
    int status;

    e->n_pointers = most == 0 ? 0 : (most < rows ? most : rows) + 1;
    e->pointers = malloc((size_t)(e->n_pointers + 1) * sizeof *e->pointers);
    if (e->pointers == NULL) {
        return runtime_error("info", "memory is exhausted");
    }
    status = edgefile_read_pointers(r, 0, e->n_pointers, e->pointers);
    if (status == EDGEFILE_OK) {
        status = csr_rows(r, 0, e->count, e->src);
    }
    if (status == EDGEFILE_ERR_FORMAT) {
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

static int info(const char *name, const info_options *options)
{
    static const char *const weights[] = {"none", "float32", "int32"};
    edgefile_reader *r = NULL;
    some_edges e = {0};
    json_object object, *json = options->json ? &object : NULL;
    char size[NUMBER_TEXT];
    struct stat st;
    int status;

    if (edgefile_open(&r, name) != EDGEFILE_OK) {
        return runtime_error("info", "%s", edgefile_detail());
    }
    /* Before anything is printed: a file that cannot be read leaves nothing on stdout. */
    status = read_edges(r, name, options->shown, &e);
    if (status != EXIT_OK) {
        goto done;
    }
    if (stat(name, &st) != 0) {
        st.st_size = 0;
    }
    if (json != NULL) {
        json_begin(json, stdout);
        json_string(json, "file", name);
        json_u64(json, "file_bytes", (uint64_t)st.st_size);
        json_u64(json, "edges", edgefile_edges(r));
        json_u64(json, "id_bits", (uint64_t)e.id_bytes * 8);
        json_string(json, "weight_type", weights[e.kind]);
        json_string(json, "layout", layout_of(r));
    } else {
        printf("%-16s %s (%sB)\n", "file", name, format_si(size, (double)st.st_size));
        printf("%-16s %" PRIu64 "\n", "edges", edgefile_edges(r));
        printf("%-16s %d\n", "id_bits", e.id_bytes * 8);
        printf("%-16s %s\n", "weight_type", weights[e.kind]);
        printf("%-16s %s\n", "layout", layout_of(r));
    }
    info_attributes(r, json);
    show_pointers(&e, json);
    show_edges(&e, json);
    if (json != NULL) {
        json_end(json);
    }
done:
    free(e.src);
    free(e.dst);
    free(e.weight);
    free(e.pointers);
    edgefile_close(r);
    return status;
}

int info_main(int argc, char **argv)
{
    info_options options = {.shown = 5};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    int status = options_parse(&info_command_line, argc, argv, &options, given, &name);

    if (status != EXIT_OK) {
        return status;
    }
    if (options.help) {
        options_help(&info_command_line, stdout);
        return EXIT_OK;
    }
    if (options.devices) {
        if (name != NULL || given[EDGES]) {
            return usage_error("info", "--devices: given together with %s, allowed: either",
                               name != NULL ? "a FILE" : "--edges");
        }
        devices_show(options.json);
        return EXIT_OK;
    }
    if (name == NULL) {
        return usage_error("info", "FILE missing, allowed: the path of an edge file");
    }
    return info(name, &options);
}
