/* rmat info: the attributes of an edge file. */
#include "apps/info/attributes.h"
#include "apps/common/numbers.h"
#include "apps/common/text.h"
#include "rmat/rmat.h"
#include <inttypes.h>

/* The attributes in the order of the output.  A file need not have all of them. */
typedef enum { SHOW_TEXT, SHOW_U64, SHOW_F64, SHOW_HEX } show_as;

static const struct {
    const char *name;
    show_as as;
} attributes[] = {
    {"model", SHOW_TEXT},
    {"shards", SHOW_U64},
    {"shard_folder", SHOW_TEXT},
    {"shard", SHOW_U64},
    {"first_edge", SHOW_U64},
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
    {"like", SHOW_TEXT},
    {"like_fingerprint", SHOW_HEX},
    {"multiply", SHOW_U64},
    {"exponent", SHOW_F64},
    {"min_degree", SHOW_F64},
    {"max_degree", SHOW_F64},
    {"seed", SHOW_U64},
    {"seed2", SHOW_U64},
    {"first", SHOW_U64},
    {"batch", SHOW_U64},
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

void info_attributes_read(edgefile_reader *r)
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
            text_line(stdout, "%-16s %s", name, text);
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

/* One array of four numbers per level. */
static void matrices_json(json_object *json, const char *name, const double *m, uint64_t levels)
{
    json_object all, one;

    json_array_begin(&all, json, name);
    for (uint64_t l = 0; l < levels; l++) {
        json_array_begin(&one, &all, NULL);
        for (int k = 0; k < 4; k++) {
            json_f64(&one, NULL, m[4 * l + (uint64_t)k]);
        }
        json_array_end(&one);
    }
    json_array_end(&all);
}

/* One line per level. */
static void matrices_text(const char *name, const double *m, uint64_t levels)
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
        matrices_json(json, name, m, count / 4);
    } else {
        matrices_text(name, m, count / 4);
    }
}

void info_attributes(edgefile_reader *r, json_object *json)
{
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        show_attribute(r, attributes[i].name, attributes[i].as, json);
    }
    show_matrices(r, json);
}
