/* attributes_copy.c - the attributes that the maker of a file gave it, as a spec has them. */
#include "io/private.h"

#include <stdlib.h>
#include <string.h>

/* More than any attribute that rmat writes: so long a value is not read into memory. */
#define MOST_BYTES ((size_t)1 << 20)

typedef struct {
    edgefile_attr *list;
    size_t n;
    const char *path; /* for messages */
    int status;
} copying;

/* The type in memory, to be closed; < 0 where a spec has none like it. */
static hid_t memory_type(hid_t file_type, edgefile_type *type)
{
    const size_t size = H5Tget_size(file_type);

    switch (H5Tget_class(file_type)) {
    case H5T_INTEGER:
        *type = EDGEFILE_U64;
        return size == sizeof(uint64_t) && H5Tget_sign(file_type) == H5T_SGN_NONE
                   ? H5Tcopy(H5T_NATIVE_UINT64)
                   : -1;
    case H5T_FLOAT:
        *type = EDGEFILE_F64;
        return size == sizeof(double) ? H5Tcopy(H5T_NATIVE_DOUBLE) : -1;
    case H5T_STRING:
        *type = EDGEFILE_STRING;
        return H5Tis_variable_str(file_type) == 0 && size <= MOST_BYTES ? H5Tcopy(file_type) : -1;
    default:
        return -1;
    }
}

static int read_value(hid_t id, hid_t type, const char *name, copying *c)
{
    edgefile_attr *a = &c->list[c->n];
    hid_t space = H5Aget_space(id);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    void *value = NULL;

    H5Sclose(space);
    if (count < 1 || (size_t)count > MOST_BYTES / size) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: attribute '%s' is of a kind that rmat does not write", c->path,
                             name);
    }
    value = calloc((size_t)count + 1, size); /* also a NUL behind a string */
    a->name = strdup(name);
    a->count = (uint64_t)count;
    a->value = value;
    c->n++; /* from here on it is freed with the list */
    if (value == NULL || a->name == NULL) {
        return edgefile_no_memory(c->path);
    }
    return H5Aread(id, type, value) >= 0 ? EDGEFILE_OK
                                         : edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, c->path, name);
}

static herr_t copy_one(hid_t file, const char *name, const H5A_info_t *info, void *state)
{
    copying *c = state;
    hid_t id = -1, file_type = -1, type = -1;
    edgefile_attr *more;

    (void)info;
    if (edgefile_attr_is_ours(name)) {
        return 0;
    }
    more = realloc(c->list, (c->n + 1) * sizeof *more);
    if (more == NULL) {
        c->status = edgefile_no_memory(c->path);
        return -1;
    }
    c->list = more;
    c->list[c->n] = (edgefile_attr){NULL, EDGEFILE_U64, 0, NULL};
    id = H5Aopen(file, name, H5P_DEFAULT);
    file_type = H5Aget_type(id);
    if (id < 0 || file_type < 0) {
        c->status = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, c->path, name);
    } else if ((type = memory_type(file_type, &c->list[c->n].type)) < 0) {
        c->status = edgefile_fail(EDGEFILE_ERR_FORMAT,
                                  "%s: attribute '%s' is of a kind that rmat does not write",
                                  c->path, name);
    } else {
        c->status = read_value(id, type, name, c);
    }
    H5Tclose(type);
    H5Tclose(file_type);
    H5Aclose(id);
    return c->status == EDGEFILE_OK ? 0 : -1;
}

int edgefile_attrs_copy(hid_t file, const char *path, edgefile_attr **attrs, size_t *n)
{
    copying c = {.path = path, .status = EDGEFILE_OK};
    hsize_t at = 0;

    /* In the order in which they were written, as they stand in the object header. */
    if (H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_NATIVE, &at, copy_one, &c) < 0 &&
        c.status == EDGEFILE_OK) {
        c.status = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "reading the attributes");
    }
    *attrs = c.list;
    *n = c.n;
    return c.status;
}

void edgefile_attrs_free(edgefile_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free((char *)attrs[i].name);
        free((void *)attrs[i].value);
    }
    free(attrs);
}

static bool same_value(const edgefile_attr *a, const edgefile_attr *b)
{
    return a->type == EDGEFILE_STRING
               ? strcmp(a->value, b->value) == 0
               : memcmp(a->value, b->value, a->count * sizeof(uint64_t)) == 0;
}

const char *edgefile_attrs_differ(const edgefile_attr *a, size_t n_a, const edgefile_attr *b,
                                  size_t n_b)
{
    const size_t n = n_a < n_b ? n_a : n_b;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].type != b[i].type ||
            a[i].count != b[i].count || !same_value(&a[i], &b[i])) {
            return a[i].name;
        }
    }
    return n_a == n_b ? NULL : n_a > n_b ? a[n].name : b[n].name;
}
