/* rmat verify: the attributes of files without an R-MAT model.  They must state their vertices and
 * the command that wrote them. */
#include "apps/engine/attributes/model_attrs.h"
#include "apps/verify/verify.h"
#include <inttypes.h>
#include <string.h>

const char *foreign_maker(edgefile_reader *r, char text[FOREIGN_MAKER])
{
    char model[FOREIGN_MAKER];

    if (edgefile_get_string(r, "generator", text, FOREIGN_MAKER) != EDGEFILE_OK) {
        return NULL;
    }
    if (strcmp(text, FOREIGN_CONVERT) == 0) {
        return text;
    }
    text[strcspn(text, " ")] = '\0'; /* a version follows */
    return strcmp(text, "rmat") != 0 &&
                   edgefile_get_string(r, "model", model, sizeof model) == EDGEFILE_OK
               ? text
               : NULL;
}

static bool has_any(edgefile_reader *r, const char *name)
{
    char text[FOREIGN_MAKER];
    uint64_t integer, count;
    double number;

    return edgefile_get_u64(r, name, &integer) == EDGEFILE_OK ||
           edgefile_get_f64(r, name, &number) == EDGEFILE_OK ||
           edgefile_get_string(r, name, text, sizeof text) == EDGEFILE_OK ||
           edgefile_get_f64s(r, name, NULL, 0, &count) == EDGEFILE_OK;
}

/* An attribute that this file has, and none by that maker; NULL: there is none. */
static const char *foreign_surplus(edgefile_reader *r, const char *maker)
{
    static const char *const names[] = {"stream_version", "a", "b", "c", "d", "matrices", "noise"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (has_any(r, names[i])) {
            return names[i];
        }
    }
    return strcmp(maker, FOREIGN_CONVERT) == 0 && has_any(r, "seed") && !has_any(r, "permute") &&
                   !has_any(r, "weights")
               ? "seed"
               : NULL;
}

enum { TEXT = 1024 };

static const char check[] = "attributes";

static uint64_t get_vertices_number(verify_report *report, edgefile_reader *r, const char *name,
                                    uint64_t least, uint64_t most)
{
    uint64_t value = least;

    if (edgefile_get_u64(r, name, &value) != EDGEFILE_OK) {
        verify_blame(report, r, check, "%s", edgefile_detail_of(r));
        value = least;
    } else if (value < least || value > most) {
        verify_blame(report, r, check, "%s is %" PRIu64 ", allowed: %" PRIu64 " to %" PRIu64, name,
                     value, least, most);
        value = least;
    }
    return value;
}

/* Returns the vertices, and the scale that has room for them. */
static uint64_t get_vertices(verify_report *report, edgefile_reader *r, const char *name,
                             const char *scale_name)
{
    const int narrow = edgefile_signed_ids(r) ? 31 : 32;
    const uint64_t most = (uint64_t)1 << (edgefile_id_bytes(r) == 4 ? narrow : RMAT_MAX_SCALE);
    const int before = report->wrong;
    uint64_t vertices = get_vertices_number(report, r, name, 1, most);
    uint64_t scale = get_vertices_number(report, r, scale_name, 0, RMAT_MAX_SCALE), least = 0;

    while ((uint64_t)1 << least < vertices) {
        least++;
    }
    if (report->wrong == before && scale != least) {
        verify_blame(report, r, check, "%s is %" PRIu64 ", expected %" PRIu64 ", as %s is %" PRIu64,
                     scale_name, scale, least, name, vertices);
    }
    return vertices;
}

static void check_command(verify_report *report, edgefile_reader *r, const char *maker)
{
    char text[TEXT];
    const size_t length = strlen(maker);

    if (edgefile_get_string(r, "command", text, sizeof text) != EDGEFILE_OK) {
        verify_blame(report, r, check, "attribute 'command' is missing");
    } else if (strncmp(text, maker, length) != 0 || text[length] != ' ') {
        verify_blame(report, r, check,
                     "command is '%s', expected '%s ...', to agree with the attribute generator",
                     text, maker);
    }
}

static uint64_t flag(edgefile_reader *r, const char *name, uint64_t otherwise)
{
    uint64_t value;

    return edgefile_get_u64(r, name, &value) == EDGEFILE_OK ? value : otherwise;
}

/* Reads the promises about edges that were changed before they were written. */
static void read_promises(edgefile_reader *r, file_model *m)
{
    const bool csr = edgefile_format_of(r) == EDGEFILE_CSR;
    rmat_config *c = &m->drawn;
    char text[16] = "";

    m->order.csr = csr;
    m->order.sorted = csr || (edgefile_get_string(r, "order", text, sizeof text) == EDGEFILE_OK &&
                              strcmp(text, "sorted") == 0);
    m->order.unique = m->order.sorted && flag(r, "unique", 0) == 1;
    c->no_self_loops = flag(r, "self_loops", 1) == 0;
    c->symmetrize = flag(r, "symmetrize", 0) == 1;
    if (edgefile_get_string(r, "direction", text, sizeof text) == EDGEFILE_OK) {
        c->direction = strcmp(text, "lower") == 0   ? RMAT_LOWER
                       : strcmp(text, "upper") == 0 ? RMAT_UPPER
                                                    : RMAT_DIRECTED;
    }
    if (c->symmetrize && m->order.sorted) { /* both directions, in any order */
        c->symmetrize = 0;
        c->direction = RMAT_DIRECTED;
    }
}

void verify_foreign(verify_report *report, edgefile_reader *r, const char *maker, file_model *model)
{
    rmat_config *ids = &model->drawn;
    const int before = report->wrong;
    const char *surplus = foreign_surplus(r, maker);

    memset(model, 0, sizeof *model);
    rmat_config_default(ids);
    ids->rows_scale = ids->cols_scale = RMAT_MAX_SCALE;
    ids->rows = get_vertices(report, r, "num_rows", "rows_scale");
    ids->cols = get_vertices(report, r, "num_cols", "cols_scale");
    read_promises(r, model);
    check_command(report, r, maker);
    if (surplus != NULL) {
        verify_blame(report, r, check, "%s exists, which files of '%s' do not have", surplus,
                     maker);
    }
    if (report->wrong == before) {
        verify_ok(report, check,
                  "all attributes exist, and agree with each other and with the datasets");
    }
}
