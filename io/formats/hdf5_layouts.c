/*
 * hdf5_layouts.c - which datasets of an HDF5 file hold a graph.
 *
 * The names that the caller chose; else those of rmat's own files, whoever rewrote these since
 * (h5repack, h5py); else PyTorch-BigGraph's; else what the attribute `binsparse` describes; else
 * the names src, dst and weight.
 *
 * Binsparse 0.1 describes a matrix in JSON: its format, COO or CSR, its shape, and whether one
 * value stands for all.  The keys lie inside of an object "binsparse", or beside it.
 */
#include "io/formats/hdf5_read.h"
#include "io/private.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

enum { JSON_BYTES = 1 << 16 };

static void set_names(hdf5_layout *l, const char *src, const char *dst, const char *weight)
{
    const char *const names[] = {src, dst, weight};

    for (int i = 0; i < HDF5_COLUMNS; i++) {
        snprintf(l->name[i], sizeof l->name[i], "%s", names[i]);
    }
}

static bool has(hid_t file, const char *name)
{
    return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

/* Of rmat's own files: the attributes must agree with the datasets, as in any of these. */
static int find_ours(const graphfile_reader *r, hid_t file, const char *format, hdf5_layout *l)
{
    uint64_t version, complete;

    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "format_version", &version));
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "complete", &complete));
    if (version != EDGEFILE_FORMAT_VERSION || complete != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: is not complete, or of another version of the format", r->name);
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "edges", &l->edges));
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "num_rows", &l->shape[0]));
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "num_cols", &l->shape[1]));
    if (l->shape[0] > GRAPHFILE_HIGHEST + 1 || l->shape[1] > GRAPHFILE_HIGHEST + 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: num_rows is %" PRIu64 " and num_cols is %" PRIu64
                             ", expected up to 2^62",
                             r->name, l->shape[0], l->shape[1]);
    }
    if (strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0) {
        set_names(l, "pointers_to_1", "indices_1", "values");
        l->is_csr = true;
    } else {
        set_names(l, "src", "dst", has(file, "weight") ? "weight" : "");
    }
    return EDGEFILE_OK;
}

static int bad_description(const graphfile_reader *r, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'binsparse': %s", r->name, what);
}

static bool get_text(json_object *from, const char *key, const char **text)
{
    json_object *value;

    if (!json_object_object_get_ex(from, key, &value) ||
        !json_object_is_type(value, json_type_string)) {
        return false;
    }
    *text = json_object_get_string(value);
    return true;
}

/* A number of vertices. */
static bool get_size(json_object *from, size_t i, uint64_t *size)
{
    json_object *value = json_object_array_get_idx(from, i);
    const int64_t n = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;

    *size = (uint64_t)n;
    return n >= 0 && *size <= GRAPHFILE_HIGHEST + 1;
}

static int parse_description(const graphfile_reader *r, json_object *all, hdf5_layout *l)
{
    const char *format = "", *values = "", *structure = "general";
    json_object *keys = all, *shape, *types;

    if (json_object_object_get_ex(all, "binsparse", &keys)) {
        keys = json_object_is_type(keys, json_type_object) ? keys : all;
    } else {
        keys = all;
    }
    (void)get_text(keys, "format", &format);
    (void)get_text(keys, "structure", &structure);
    if (strcmp(format, "COO") == 0 || strcmp(format, "COOR") == 0) {
        set_names(l, "indices_0", "indices_1", "values");
    } else if (strcmp(format, "CSR") == 0) {
        set_names(l, "pointers_to_1", "indices_1", "values");
        l->is_csr = true;
    } else {
        return bad_description(r, "unknown format, expected COO, COOR or CSR");
    }
    if (strcmp(structure, "general") != 0) {
        return bad_description(r, "only part of the entries is stored, expected all of them");
    }
    if (!json_object_object_get_ex(keys, "shape", &shape) ||
        !json_object_is_type(shape, json_type_array) || json_object_array_length(shape) != 2 ||
        !get_size(shape, 0, &l->shape[0]) || !get_size(shape, 1, &l->shape[1])) {
        return bad_description(r, "no 'shape' of two numbers up to 2^62");
    }
    if (json_object_object_get_ex(keys, "data_types", &types) &&
        json_object_is_type(types, json_type_object)) {
        (void)get_text(types, "values", &values);
    }
    l->one_weight = strncmp(values, "iso[", 4) == 0;
    return EDGEFILE_OK;
}

static int find_binsparse(const graphfile_reader *r, hid_t file, hdf5_layout *l)
{
    static char text[JSON_BYTES]; /* the lock of edgefile_hdf5_begin() guards it */
    json_object *all;
    int st;

    EDGEFILE_TRY(edgefile_attr_read_string(file, r->name, "binsparse", text, sizeof text));
    all = json_tokener_parse(text);
    st = json_object_is_type(all, json_type_object)
             ? parse_description(r, all, l)
             : bad_description(r, "is not an object in JSON");
    json_object_put(all);
    return st;
}

int graphfile_hdf5_layout(const graphfile_reader *r, hid_t file, hdf5_layout *l)
{
    const bool any = r->about == graphfile_descriptors[GRAPHFILE_H5];
    char format[sizeof EDGEFILE_FORMAT_NAME + 1] = "";
    int n;

    *l = (hdf5_layout){.edges = UINT64_MAX};
    if (r->datasets != NULL) {
        n = graphfile_split_columns(l->name, r->datasets);
        l->name[HDF5_WEIGHT][0] = n == HDF5_COLUMNS ? l->name[HDF5_WEIGHT][0] : '\0';
        return EDGEFILE_OK;
    }
    if (any &&
        edgefile_attr_read_string(file, r->name, "format", format, sizeof format) == EDGEFILE_OK &&
        (strcmp(format, EDGEFILE_FORMAT_NAME) == 0 ||
         strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0)) {
        return find_ours(r, file, format, l);
    }
    if (r->about == graphfile_descriptors[GRAPHFILE_PBG] ||
        (any && has(file, "lhs") && has(file, "rhs") && !has(file, "src"))) {
        set_names(l, "lhs", "rhs", has(file, "weight") ? "weight" : "");
        return EDGEFILE_OK;
    }
    if (r->about == graphfile_descriptors[GRAPHFILE_BINSPARSE] ||
        (any && H5Aexists(file, "binsparse") > 0)) {
        return find_binsparse(r, file, l);
    }
    set_names(l, "src", "dst", has(file, "weight") ? "weight" : "");
    return EDGEFILE_OK;
}
