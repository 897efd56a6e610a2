/* rmat info: what an edge file says about itself, and its first edges; or what there is to work
 * with. */
#include "apps/commands.h"
#include "apps/devices.h"
#include "apps/json.h"
#include "apps/message.h"
#include "apps/numbers.h"
#include "apps/options.h"
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

static const option table[N_OPTIONS] = {
    [EDGES] = {.name = "edges",
               .kind = OPTION_COUNT,
               .argument = "N",
               .offset = offsetof(info_options, shown),
               .max = MAX_SHOWN,
               .fallback = "5",
               .group = "Options",
               .help = "show the first N edges"},
    [DEVICES] =
        {.name = "devices",
         .kind = OPTION_FLAG,
         .offset = offsetof(info_options, devices),
         .group = "Options",
         .help =
             "show this machine's processors and GPUs, and what this build can use, instead of a "
             "FILE"},
    [JSON] = {.name = "json",
              .kind = OPTION_FLAG,
              .offset = offsetof(info_options, json),
              .group = "Options",
              .help = "one JSON object on standard output"},
    [HELP] = {.name = "help",
              .letter = 'h',
              .kind = OPTION_FLAG,
              .offset = offsetof(info_options, help),
              .group = "Options",
              .help = "this text"},
};

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

/* Attributes in the order shown.  A file of another program may lack any of them. */
typedef enum { SHOW_TEXT, SHOW_U64, SHOW_F64, SHOW_HEX } show_as;

static const struct {
    const char *name;
    show_as as;
} attributes[] = {
    {"shards", SHOW_U64},
    {"shard_folder", SHOW_TEXT},
    {"shard", SHOW_U64},
    {"first_edge", SHOW_U64},
    {"num_rows", SHOW_U64},
    {"num_cols", SHOW_U64},
    {"rows_scale", SHOW_U64},
    {"cols_scale", SHOW_U64},
    {"a", SHOW_F64},
    {"b", SHOW_F64},
    {"c", SHOW_F64},
    {"d", SHOW_F64},
    {"seed", SHOW_U64},
    {"fingerprint", SHOW_HEX},
    {"generator", SHOW_TEXT},
    {"library_version", SHOW_TEXT},
    {"stream_version", SHOW_U64},
    {"format_version", SHOW_U64},
    {"command", SHOW_TEXT},
};

/* What a stranger's file says must not steer the terminal. */
static const char *printable(char *text)
{
    for (char *s = text; *s != '\0'; s++) {
        if ((unsigned char)*s < 32 || *s == 127) {
            *s = '?';
        }
    }
    return text;
}

static void show_attribute(edgefile_reader *r, const char *name, show_as as, json_object *json)
{
    char text[4096], number[NUMBER_TEXT];
    uint64_t u = 0;
    double x = 0;

    if (as == SHOW_TEXT) {
        if (edgefile_get_string(r, name, text, sizeof text) != EDGEFILE_OK) {
            return;
        }
    } else if ((as == SHOW_F64 ? edgefile_get_f64(r, name, &x) : edgefile_get_u64(r, name, &u)) !=
               EDGEFILE_OK) {
        return;
    }
    if (json == NULL) {
        switch (as) {
        case SHOW_TEXT:
            printf("%-16s %s\n", name, printable(text));
            break;
        case SHOW_U64:
            printf("%-16s %" PRIu64 "\n", name, u);
            break;
        case SHOW_F64:
            printf("%-16s %s\n", name, format_double(number, x));
            break;
        case SHOW_HEX:
            printf("%-16s 0x%016" PRIx64 "\n", name, u);
            break;
        }
        return;
    }
    switch (as) {
    case SHOW_TEXT:
        json_string(json, name, text);
        break;
    case SHOW_U64:
        json_u64(json, name, u);
        break;
    case SHOW_F64:
        json_f64(json, name, x);
        break;
    case SHOW_HEX:
        json_hex(json, name, u);
        break;
    }
}

static uint64_t element(const void *array, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static void show_edges(const void *src, const void *dst, uint64_t count, int id_bytes,
                       json_object *json)
{
    if (json != NULL) {
        json_key(json, "first_edges");
        fputs("[", json->stream);
    } else if (count > 0) {
        printf("first edges\n");
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t u = element(src, i, id_bytes), v = element(dst, i, id_bytes);

        if (json != NULL) {
            fprintf(json->stream, "%s[%" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", u, v);
        } else {
            printf("  %" PRIu64 " %" PRIu64 "\n", u, v);
        }
    }
    if (json != NULL) {
        fputs("]", json->stream);
    }
}

/* "single", "sharded" for a master, "shard" for one of its shards. */
static const char *layout_of(edgefile_reader *r)
{
    uint64_t shard;

    return edgefile_shards(r) > 0                                ? "sharded"
           : edgefile_get_u64(r, "shard", &shard) == EDGEFILE_OK ? "shard"
                                                                 : "single";
}

static int info(const char *name, const info_options *options)
{
    edgefile_reader *r = NULL;
    void *src = NULL, *dst = NULL;
    int status = EXIT_RUNTIME, id_bytes;
    uint64_t edges, count;
    json_object object, *json = options->json ? &object : NULL;
    char size[NUMBER_TEXT];
    struct stat st;

    if (edgefile_open(&r, name) != EDGEFILE_OK) {
        return runtime_error("info", "%s", edgefile_detail());
    }
    edges = edgefile_edges(r);
    id_bytes = edgefile_id_bytes(r);
    count = options->shown < edges ? options->shown : edges;
    src = malloc(((size_t)count + 1) * (size_t)id_bytes);
    dst = malloc(((size_t)count + 1) * (size_t)id_bytes);
    if (src == NULL || dst == NULL) {
        runtime_error("info", "memory is exhausted");
        goto done;
    }
    /* Before anything is printed: a file that cannot be read leaves nothing on stdout. */
    if (edgefile_read(r, 0, count, src, dst, NULL) != EDGEFILE_OK) {
        runtime_error("info", "%s", edgefile_detail());
        goto done;
    }
    if (stat(name, &st) != 0) {
        st.st_size = 0;
    }
    if (json != NULL) {
        json_begin(json, stdout);
        json_string(json, "file", name);
        json_u64(json, "file_bytes", (uint64_t)st.st_size);
        json_u64(json, "edges", edges);
        json_u64(json, "id_bits", (uint64_t)id_bytes * 8);
        json_string(json, "layout", layout_of(r));
    } else {
        printf("%-16s %s (%sB)\n", "file", name, format_si(size, (double)st.st_size));
        printf("%-16s %" PRIu64 "\n", "edges", edges);
        printf("%-16s %d\n", "id_bits", id_bytes * 8);
        printf("%-16s %s\n", "layout", layout_of(r));
    }
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        show_attribute(r, attributes[i].name, attributes[i].as, json);
    }
    show_edges(src, dst, count, id_bytes, json);
    if (json != NULL) {
        json_end(json);
    }
    status = EXIT_OK;
done:
    free(src);
    free(dst);
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
