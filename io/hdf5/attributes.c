/*
 * attributes.c - attributes of the root group.
 *
 * Strings are written with a fixed length, inside the object header, which has a checksum.  Strings
 * of fixed and of variable length are read.  Numbers of other widths or byte orders are read if no
 * value can be lost.
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

typedef struct {
    hid_t id, type, space;
} open_attr;

static void close_attr(open_attr *a)
{
    H5Sclose(a->space);
    H5Tclose(a->type);
    H5Aclose(a->id);
}

static bool is_unsigned(hid_t type)
{
    return H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE &&
           H5Tget_size(type) <= sizeof(uint64_t);
}

static bool is_double(hid_t type)
{
    return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) <= sizeof(double);
}

static bool is_string(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING;
}

/* Opens an attribute, which must have this rank and a type that fits() accepts.  `what` describes
 * both in the message. */
static int open_checked(open_attr *a, hid_t file, const char *path, const char *name, int rank,
                        bool (*fits)(hid_t), const char *what)
{
    htri_t exists = H5Aexists(file, name);
    int st = EDGEFILE_OK;

    *a = (open_attr){-1, -1, -1};
    if (exists < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, name);
    }
    if (exists == 0) {
        return edgefile_fail(EDGEFILE_ERR_ATTR, "%s: attribute '%s' is missing", path, name);
    }
    a->id = H5Aopen(file, name, H5P_DEFAULT);
    a->type = H5Aget_type(a->id);
    a->space = H5Aget_space(a->id);
    if (a->id < 0 || a->type < 0 || a->space < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, name);
    } else if (!fits(a->type) || H5Sget_simple_extent_ndims(a->space) != rank ||
               H5Sget_simple_extent_type(a->space) == H5S_NULL) {
        st = edgefile_fail(EDGEFILE_ERR_ATTR, "%s: attribute '%s' is not %s", path, name, what);
    }
    if (st != EDGEFILE_OK) {
        close_attr(a);
    }
    return st;
}

static int read_checked(open_attr *a, const char *path, const char *name, hid_t type, void *value)
{
    int st = EDGEFILE_OK;

    if (H5Aread(a->id, type, value) < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, name);
    }
    close_attr(a);
    return st;
}

int edgefile_attr_read_u64(hid_t file, const char *path, const char *name, uint64_t *value)
{
    open_attr a;
    int st = open_checked(&a, file, path, name, 0, is_unsigned, "an unsigned integer");

    return st != EDGEFILE_OK ? st : read_checked(&a, path, name, H5T_NATIVE_UINT64, value);
}

static int read_variable_string(open_attr *a, const char *path, const char *name, char *value,
                                size_t size)
{
    char *text = NULL;
    hid_t type = string_type(H5T_VARIABLE);
    int st = EDGEFILE_OK;

    if (type < 0 || H5Tset_cset(type, H5Tget_cset(a->type)) < 0 ||
        H5Aread(a->id, type, &text) < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, name);
    } else {
        size_t length = text == NULL ? 0 : strnlen(text, size - 1);
        memcpy(value, text == NULL ? "" : text, length);
        value[length] = '\0';
    }
    H5free_memory(text);
    H5Tclose(type);
    close_attr(a);
    return st;
}

int edgefile_attr_read_string(hid_t file, const char *path, const char *name, char *value,
                              size_t size)
{
    open_attr a;
    hid_t type;
    int st;

    EDGEFILE_TRY(open_checked(&a, file, path, name, 0, is_string, "a string"));
    if (H5Tis_variable_str(a.type) > 0) {
        return read_variable_string(&a, path, name, value, size);
    }
    type = string_type(size); /* HDF5 cuts longer strings and terminates them */
    H5Tset_cset(type, H5Tget_cset(a.type));
    st = read_checked(&a, path, name, type, value);
    H5Tclose(type);
    return st;
}

static int check_get(const edgefile_reader *r, const char *name, const void *value)
{
    if (r == NULL || name == NULL || value == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "reader, name or value is NULL");
    }
    return EDGEFILE_OK;
}

/* Keeps the error, unless the attribute or the caller caused it. */
static int answer(edgefile_reader *r, int st)
{
    if (st != EDGEFILE_OK && st != EDGEFILE_ERR_ATTR && st != EDGEFILE_ERR_ARG &&
        r->unanswered == EDGEFILE_OK) {
        r->unanswered = st;
        r->unanswered_text = strdup(edgefile_detail());
    }
    return st;
}

int edgefile_get_u64(edgefile_reader *r, const char *name, uint64_t *value)
{
    int st;

    EDGEFILE_TRY(check_get(r, name, value));
    edgefile_hdf5_begin();
    st = edgefile_attr_read_u64(r->file, r->name, name, value);
    edgefile_hdf5_end();
    return answer(r, st);
}

int edgefile_get_f64(edgefile_reader *r, const char *name, double *value)
{
    open_attr a;
    int st;

    EDGEFILE_TRY(check_get(r, name, value));
    edgefile_hdf5_begin();
    st = open_checked(&a, r->file, r->name, name, 0, is_double, "a floating-point number");
    if (st == EDGEFILE_OK) {
        st = read_checked(&a, r->name, name, H5T_NATIVE_DOUBLE, value);
    }
    edgefile_hdf5_end();
    return answer(r, st);
}

int edgefile_get_string(edgefile_reader *r, const char *name, char *value, size_t size)
{
    int st;

    EDGEFILE_TRY(check_get(r, name, value));
    if (size == 0) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "no room for the string");
    }
    edgefile_hdf5_begin();
    st = edgefile_attr_read_string(r->file, r->name, name, value, size);
    edgefile_hdf5_end();
    return answer(r, st);
}

int edgefile_get_f64s(edgefile_reader *r, const char *name, double *values, uint64_t capacity,
                      uint64_t *count)
{
    open_attr a;
    hsize_t length;
    int st;

    EDGEFILE_TRY(check_get(r, name, count));
    if (values == NULL && capacity > 0) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "values is NULL");
    }
    edgefile_hdf5_begin();
    st = open_checked(&a, r->file, r->name, name, 1, is_double,
                      "a 1-D array of floating-point numbers");
    if (st == EDGEFILE_OK) {
        H5Sget_simple_extent_dims(a.space, &length, NULL);
        *count = length;
        if (length <= capacity) {
            st = read_checked(&a, r->name, name, H5T_NATIVE_DOUBLE, values);
        } else {
            close_attr(&a);
        }
    }
    edgefile_hdf5_end();
    return answer(r, st);
}
