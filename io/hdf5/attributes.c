/*
 * attributes.c - attributes of the root group.
 *
 * Strings have a fixed length and lie inside the object header, which has a checksum.  Numbers of
 * other widths or byte orders are read if no value can be lost.
 */
#include "io/hdf5.h"

#include <string.h>

static hid_t string_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    if (type >= 0 && (H5Tset_size(type, size) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static int write_attr(hid_t file, const char *path, const edgefile_attr *attr)
{
    hsize_t length = attr->count;
    hid_t type = attr->type == EDGEFILE_STRING ? string_type(strlen(attr->value) + 1)
                 : attr->type == EDGEFILE_F64  ? H5Tcopy(H5T_NATIVE_DOUBLE)
                                               : H5Tcopy(H5T_NATIVE_UINT64);
    hid_t space = length == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, NULL);
    hid_t id = -1;
    int st = EDGEFILE_OK;

    if (type >= 0 && space >= 0) {
        id = H5Acreate2(file, attr->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    }
    if (id < 0 || H5Awrite(id, type, attr->value) < 0 || H5Aclose(id) < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, attr->name);
    }
    H5Sclose(space);
    H5Tclose(type);
    return st;
}

int edgefile_attrs_write(hid_t file, const char *path, const edgefile_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        EDGEFILE_TRY(write_attr(file, path, &attrs[i]));
    }
    return EDGEFILE_OK;
}

/* Whether no value of an attribute of this type can be lost. */
static bool fits(hid_t type, edgefile_type want)
{
    const H5T_class_t kind = H5Tget_class(type);
    const size_t size = H5Tget_size(type);

    switch (want) {
    case EDGEFILE_U64:
        return kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE && size <= sizeof(uint64_t);
    case EDGEFILE_F64:
        return kind == H5T_FLOAT && size <= sizeof(double);
    default:
        return kind == H5T_STRING && H5Tis_variable_str(type) == 0;
    }
}

/* Reads an open attribute.  HDF5 cuts longer strings and terminates them. */
static bool read_value(hid_t id, hid_t stored, edgefile_type want, void *value, size_t size)
{
    hid_t type = want == EDGEFILE_STRING ? string_type(size)
                 : want == EDGEFILE_F64  ? H5Tcopy(H5T_NATIVE_DOUBLE)
                                         : H5Tcopy(H5T_NATIVE_UINT64);
    bool done =
        type >= 0 && (want != EDGEFILE_STRING || H5Tset_cset(type, H5Tget_cset(stored)) >= 0);

    done = done && H5Aread(id, type, value) >= 0;
    H5Tclose(type);
    return done;
}

int edgefile_attr_read(const edgefile_reader *r, const char *name, edgefile_type want, void *value,
                       uint64_t size, uint64_t *count)
{
    static const char *const words[] = {"an unsigned integer", "a floating-point number",
                                        "a string of fixed length"};
    const htri_t exists = H5Aexists(r->file, name);
    hsize_t length = 0;
    hid_t id, type, space;
    int st = EDGEFILE_OK;

    if (exists == 0) {
        return edgefile_fail(EDGEFILE_ERR_ATTR, "%s: attribute '%s' is missing", r->name, name);
    }
    id = exists > 0 ? H5Aopen(r->file, name, H5P_DEFAULT) : -1;
    type = H5Aget_type(id);
    space = H5Aget_space(id);
    if (id < 0 || type < 0 || space < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, r->name, name);
    } else if (!fits(type, want) || H5Sget_simple_extent_ndims(space) != (count != NULL) ||
               H5Sget_simple_extent_type(space) == H5S_NULL) {
        st = edgefile_fail(EDGEFILE_ERR_ATTR, "%s: attribute '%s' is not %s", r->name, name,
                           count != NULL ? "a 1-D array of floating-point numbers" : words[want]);
    } else if (count != NULL) {
        H5Sget_simple_extent_dims(space, &length, NULL);
        *count = length;
    }
    if (st == EDGEFILE_OK && (count == NULL || length <= size) &&
        !read_value(id, type, want, value, size)) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, r->name, name);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(id);
    return st;
}

/* Keeps the error, unless the attribute or the caller caused it. */
static int get(edgefile_reader *r, const char *name, edgefile_type want, void *value, uint64_t size,
               uint64_t *count)
{
    int st;

    if (r == NULL || name == NULL || (value == NULL && (count == NULL || size > 0))) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "reader, name or value is NULL");
    }
    edgefile_hdf5_begin();
    st = edgefile_attr_read(r, name, want, value, size, count);
    edgefile_hdf5_end();
    if (st != EDGEFILE_OK && st != EDGEFILE_ERR_ATTR && r->unanswered == EDGEFILE_OK) {
        r->unanswered = st;
        r->unanswered_text = strdup(edgefile_detail());
    }
    return st;
}

int edgefile_get_u64(edgefile_reader *r, const char *name, uint64_t *value)
{
    return get(r, name, EDGEFILE_U64, value, 0, NULL);
}

int edgefile_get_f64(edgefile_reader *r, const char *name, double *value)
{
    return get(r, name, EDGEFILE_F64, value, 0, NULL);
}

int edgefile_get_string(edgefile_reader *r, const char *name, char *value, size_t size)
{
    return get(r, name, EDGEFILE_STRING, size > 0 ? value : NULL, size, NULL);
}

int edgefile_get_f64s(edgefile_reader *r, const char *name, double *values, uint64_t capacity,
                      uint64_t *count)
{
    return count == NULL ? edgefile_fail(EDGEFILE_ERR_ARG, "count is NULL")
                         : get(r, name, EDGEFILE_F64, values, capacity, count);
}
