/* Edge files whose edges no R-MAT model makes: who made them, and which attributes they have. */
#include "apps/engine/attributes/foreign.h"
#include "rmat/rmat.h"
#include <stdbool.h>
#include <string.h>

enum { TEXT = 64 };

static void put(foreign_attrs *a, const char *name, edgefile_type type, const void *value)
{
    a->list[a->n++] = (edgefile_attr){name, type, 1, value};
}

void foreign_attrs_fill(foreign_attrs *a, const graphfile_graph *g)
{
    const uint64_t vertices[2] = {g->rows, g->cols};

    for (int i = 0; i < 2; i++) {
        a->vertices[i] = vertices[i] > 0 ? vertices[i] : 1;
        for (a->scale[i] = 0; (uint64_t)1 << a->scale[i] < a->vertices[i]; a->scale[i]++) {
        }
    }
    a->n = 0;
    put(a, "generator", EDGEFILE_STRING, FOREIGN_CONVERT);
    put(a, "library_version", EDGEFILE_STRING, rmat_version());
    put(a, "rows_scale", EDGEFILE_U64, &a->scale[0]);
    put(a, "cols_scale", EDGEFILE_U64, &a->scale[1]);
    put(a, "num_rows", EDGEFILE_U64, &a->vertices[0]);
    put(a, "num_cols", EDGEFILE_U64, &a->vertices[1]);
}

const char *foreign_maker(edgefile_reader *r, char text[FOREIGN_MAKER])
{
    char model[TEXT];

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

static bool is_there(edgefile_reader *r, const char *name)
{
    char text[TEXT];
    uint64_t integer, count;
    double number;

    return edgefile_get_u64(r, name, &integer) == EDGEFILE_OK ||
           edgefile_get_f64(r, name, &number) == EDGEFILE_OK ||
           edgefile_get_string(r, name, text, sizeof text) == EDGEFILE_OK ||
           edgefile_get_f64s(r, name, NULL, 0, &count) == EDGEFILE_OK;
}

const char *foreign_surplus(edgefile_reader *r, const char *maker)
{
    static const char *const names[] = {"stream_version", "a", "b", "c", "d", "matrices", "noise"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_there(r, names[i])) {
            return names[i];
        }
    }
    return strcmp(maker, FOREIGN_CONVERT) == 0 && is_there(r, "seed") && !is_there(r, "permute") &&
                   !is_there(r, "weights")
               ? "seed"
               : NULL;
}
