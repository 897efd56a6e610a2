/*
 * open.c - opens an edge file for reading, and checks that what HDF5 found in it is what our files
 * have.  Damage that HDF5 itself reports is EDGEFILE_ERR_FORMAT as well.
 */
#include "io/files.h"
#include "io/graphfile.h"
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 }; /* to open a file that others replace meanwhile */

/*
 * Checks that an open HDF5 file is an edge file.
 *
 * Only files that hold their data themselves are accepted: no soft or external links, no external
 * storage, no virtual datasets (where a source is missing, HDF5 would read fill values), and no
 * chunks (which may be missing too).  Their numbers are little-endian, as in memory, so that they
 * are read without HDF5.
 */

/* The types of the elements of datasets. */

/* Integers of `least` or of 8 bytes are allowed. */
static int check_id_type(const edgefile_reader *r, const char *name, hid_t type, size_t least)
{
    size_t size = H5Tget_size(type);
    H5T_class_t kind = H5Tget_class(type);
    const bool is_signed = kind == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
    const bool is_padded = kind == H5T_INTEGER && H5Tget_precision(type) != 8 * size;

    if (kind != H5T_INTEGER || is_padded || (size != least && size != 8)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds %s of %zu bytes, expected integers of %s",
                             r->name, name,
                             kind == H5T_FLOAT     ? "floats"
                             : kind != H5T_INTEGER ? "items"
                             : is_padded           ? "padded integers"
                             : is_signed           ? "signed integers"
                                                   : "unsigned integers",
                             size, least == 4 ? "4 or 8" : "8");
    }
    return H5Tget_order(type) == H5T_ORDER_LE
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: dataset '%s' is big-endian, expected little-endian", r->name,
                               name);
}

static int check_weight_type(edgefile_reader *r, const char *name, hid_t type)
{
    if (H5Tequal(type, H5T_IEEE_F32LE) > 0) {
        r->schema.weight = EDGEFILE_WEIGHT_F32;
    } else if (H5Tequal(type, H5T_STD_I32LE) > 0) {
        r->schema.weight = EDGEFILE_WEIGHT_I32;
    } else if (r->schema.format == EDGEFILE_CSR && H5Tequal(type, H5T_STD_U8LE) > 0) {
        r->schema.weight = EDGEFILE_NO_WEIGHT;
    } else {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds items of %zu bytes, expected little-endian "
                             "floats or signed integers of 4%s",
                             r->name, name, H5Tget_size(type),
                             r->schema.format == EDGEFILE_CSR ? ", or an unsigned one of 1" : "");
    }
    return EDGEFILE_OK;
}

/* Dataset 0, src or the pointers, decides whether integers are signed. */
static int check_sign(edgefile_reader *r, int i, hid_t type)
{
    const edgefile_format format = r->schema.format;
    const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;

    if (i == 0) {
        r->schema.signed_ids = is_signed;
    }
    return is_signed == r->schema.signed_ids
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: dataset '%s' holds %s integers, '%s' %s ones", r->name,
                               edgefile_dataset_name(format, i), is_signed ? "signed" : "unsigned",
                               edgefile_dataset_name(format, 0), is_signed ? "unsigned" : "signed");
}

/* hdf5/open.c, likewise: checks the type of dataset i, and takes id_bytes and signed_ids, or
 * weight, from it. */
static int edgefile_read_type(edgefile_reader *r, int i, hid_t type)
{
    const edgefile_format format = r->schema.format;
    const char *name = edgefile_dataset_name(format, i);
    int width = (int)H5Tget_size(type), st;

    if (i == EDGEFILE_WEIGHT) {
        return check_weight_type(r, name, type);
    }
    st = check_id_type(r, name, type, format == EDGEFILE_CSR && i == EDGEFILE_POINTERS ? 8 : 4);
    if (st == EDGEFILE_OK) {
        st = check_sign(r, i, type);
    }
    if (format == EDGEFILE_CSR && i == EDGEFILE_POINTERS) {
        return st;
    }
    if (st == EDGEFILE_OK && (i == EDGEFILE_SRC || format == EDGEFILE_CSR)) {
        r->schema.id_bytes = width;
    } else if (st == EDGEFILE_OK && width != r->schema.id_bytes) {
        st = edgefile_fail(
            EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has elements of %d bytes, but '%s' of %d",
            r->name, name, width, edgefile_dataset_name(format, EDGEFILE_SRC), r->schema.id_bytes);
    }
    return st;
}

static int check_format(edgefile_reader *r)
{
    char format[sizeof EDGEFILE_FORMAT_NAME + 1];

    EDGEFILE_TRY(edgefile_attr_read_string(r->file, r->name, "format", format, sizeof format));
    if (strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0) {
        r->schema.format = EDGEFILE_CSR;
    } else if (strcmp(format, EDGEFILE_FORMAT_NAME) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: attribute 'format' is '%s', expected '%s' or '%s'", r->name,
                             format, EDGEFILE_FORMAT_NAME, EDGEFILE_FORMAT_NAME_CSR);
    }
    return EDGEFILE_OK;
}

static int check_attrs(edgefile_reader *r)
{
    uint64_t version, complete;

    EDGEFILE_TRY(check_format(r));
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "format_version", &version));
    if (version == 0 || version > EDGEFILE_FORMAT_VERSION) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: format version %" PRIu64
                             " is not known here, the newest known is %d",
                             r->name, version, EDGEFILE_FORMAT_VERSION);
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "complete", &complete));
    if (complete != 1) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: is not complete: it is still being written, or its writer was interrupted",
            r->name);
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "fingerprint", &r->fingerprint));
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "edges", &r->edges));
    if (r->schema.format == EDGEFILE_CSR) {
        EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "rows", &r->schema.rows));
    }
    return EDGEFILE_OK;
}

static int check_rows(const edgefile_reader *r)
{
    const uint64_t rows = r->schema.rows;

    if (r->schema.format == EDGEFILE_CSR && (rows == 0 || rows == UINT64_MAX)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'rows' is %" PRIu64, r->name,
                             rows);
    }
    return EDGEFILE_OK;
}

static int check_link(const edgefile_reader *r, const char *name)
{
    H5L_info_t link;
    htri_t exists = H5Lexists(r->file, name, H5P_DEFAULT);

    if (exists == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is missing", r->name, name);
    }
    if (exists < 0 || H5Lget_info(r->file, name, &link, H5P_DEFAULT) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (link.type != H5L_TYPE_HARD) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: '%s' is a soft or external link, expected a "
                             "dataset",
                             r->name, name);
    }
    return EDGEFILE_OK;
}

static int open_dataset(edgefile_reader *r, const char *name, hid_t *dataset)
{
    EDGEFILE_TRY(check_link(r, name));
    *dataset = H5Oopen(r->file, name, H5P_DEFAULT);
    if (*dataset < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (H5Iget_type(*dataset) != H5I_DATASET) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: '%s' is %s, expected a dataset", r->name,
                             name, H5Iget_type(*dataset) == H5I_GROUP ? "a group" : "a named type");
    }
    return EDGEFILE_OK;
}

static int check_space(const edgefile_reader *r, const char *name, hid_t space, uint64_t *length)
{
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t n;

    if (rank != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %d-D, expected 1-D", r->name,
                             name, rank);
    }
    H5Sget_simple_extent_dims(space, &n, NULL);
    *length = n;
    return EDGEFILE_OK;
}

static int check_storage(edgefile_reader *r, int i, hid_t dataset, hid_t creation,
                         uint64_t file_bytes)
{
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};
    const char *name = edgefile_dataset_name(r->schema.format, i);
    H5D_layout_t layout = H5Pget_layout(creation);
    haddr_t offset = H5Dget_offset(dataset);

    if (layout != H5D_CONTIGUOUS) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' is %s, expected contiguous (h5repack -f NONE -l "
                             "CONTI makes it so)",
                             r->name, name,
                             layout >= 0 && (size_t)layout < sizeof layouts / sizeof *layouts
                                 ? layouts[layout]
                                 : "of unknown layout");
    }
    if (H5Pget_external_count(creation) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' lies in other files, expected it inside this one",
                             r->name, name);
    }
    if (r->bytes[i] == 0) {
        return EDGEFILE_OK;
    }
    if (offset == HADDR_UNDEF) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has no data", r->name, name);
    }
    if (offset > file_bytes || r->bytes[i] > file_bytes - offset) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the file ends at byte %" PRIu64 ", inside dataset '%s' (%" PRIu64
                             " bytes at %" PRIu64 ")",
                             r->name, file_bytes, name, r->bytes[i], (uint64_t)offset);
    }
    r->offset[i] = offset;
    return EDGEFILE_OK;
}

/* The number of elements must agree with the attributes, and the bytes must fit into 64 bits. */
static int check_length(edgefile_reader *r, int i, uint64_t length)
{
    const edgefile_schema *s = &r->schema;
    const char *name = edgefile_dataset_name(s->format, i);
    if (edgefile_is_iso(s, i) && length != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' has %" PRIu64 " elements, expected 1", r->name, name,
                             length);
    }
    if (s->format == EDGEFILE_CSR && i == EDGEFILE_POINTERS && length != s->rows + 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' has %" PRIu64 " elements, expected one more than "
                             "attribute 'rows', which says %" PRIu64,
                             r->name, name, length, s->rows);
    }
    if (length != edgefile_length(s, i, r->edges)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' has %" PRIu64 " elements, attribute 'edges' says "
                             "%" PRIu64,
                             r->name, name, length, r->edges);
    }
    if (__builtin_mul_overflow(length, (uint64_t)edgefile_width(s, i), &r->bytes[i])) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has an impossible length",
                             r->name, name);
    }
    return EDGEFILE_OK;
}

/* The value that stands for all edges is data, over which HDF5 has no checksum. */
static int check_iso(const edgefile_reader *r, int i, hid_t dataset)
{
    const char *name = edgefile_dataset_name(r->schema.format, i);
    uint8_t value;

    if (H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (value != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %d, expected 1", r->name,
                             name, value);
    }
    return EDGEFILE_OK;
}

static int check_dataset(edgefile_reader *r, int i, uint64_t file_bytes)
{
    const char *name = edgefile_dataset_name(r->schema.format, i);
    hid_t dataset = -1, type = -1, space = -1, creation = -1;
    uint64_t length = 0;
    int st = open_dataset(r, name, &dataset);

    if (st != EDGEFILE_OK) {
        goto done;
    }
    type = H5Dget_type(dataset);
    space = H5Dget_space(dataset);
    creation = H5Dget_create_plist(dataset);
    if (type < 0 || space < 0 || creation < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
        goto done;
    }
    st = edgefile_read_type(r, i, type);
    if (st == EDGEFILE_OK) {
        st = check_space(r, name, space, &length);
    }
    if (st == EDGEFILE_OK) {
        st = check_length(r, i, length);
    }
    if (st == EDGEFILE_OK) {
        st = check_storage(r, i, dataset, creation, file_bytes);
    }
    if (st == EDGEFILE_OK && edgefile_is_iso(&r->schema, i)) {
        st = check_iso(r, i, dataset);
    }
done:
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(dataset);
    return st;
}

/* hdf5/open.c, between begin and end: checks attributes and datasets. */
static int edgefile_read_check(edgefile_reader *r, uint64_t file_bytes)
{
    int st = check_attrs(r);
    const char *weight = edgefile_dataset_name(r->schema.format, EDGEFILE_WEIGHT);
    htri_t has_weight;

    if (st == EDGEFILE_OK) {
        st = check_rows(r);
    }
    if (st != EDGEFILE_OK) {
        return st;
    }
    has_weight = H5Lexists(r->file, weight, H5P_DEFAULT);
    if (has_weight < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, weight);
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        if (i != EDGEFILE_WEIGHT || has_weight > 0 || r->schema.format == EDGEFILE_CSR) {
            st = check_dataset(r, i, file_bytes);
        }
    }
    return st;
}

/* Opens a regular file and tells its length.  The caller closes *fd, on error too, unless it is -1.
 */
static int open_regular(const char *name, int *fd, uint64_t *bytes)
{
    struct stat st;

    *fd = edgefile_open_fd(name);
    if (*fd < 0 || fstat(*fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name);
    }
    if (!S_ISREG(st.st_mode)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is %s, expected an HDF5 file", name,
                             edgefile_kind(st.st_mode));
    }
    *bytes = (uint64_t)st.st_size;
    return EDGEFILE_OK;
}

/* The signature with which every HDF5 file begins; HDF5's own message would not say what is wrong.
 */
static int check_signature(const char *name, int fd, uint64_t file_bytes)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char start[sizeof signature];
    const uint64_t n = edgefile_get(fd, 0, sizeof start, start);

    if (n < sizeof start && errno != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    if (file_bytes == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is empty, expected an HDF5 file", name);
    }
    return n == sizeof start && memcmp(start, signature, sizeof signature) == 0
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not an HDF5 file", name);
}

/* HDF5 opens the file by its name, which another graph may have been given since we opened it. */
static bool is_replaced(const edgefile_reader *r)
{
    struct stat ours, named;

    return fstat(r->fd, &ours) == 0 && stat(r->name, &named) == 0 &&
           (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino);
}

static int open_file(edgefile_reader *r, bool locking)
{
    hid_t access = edgefile_hdf5_access(false, locking);
    int st = EDGEFILE_OK;

    r->file = H5Fopen(r->name, H5F_ACC_RDONLY, access);
    if (r->file < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "opening the file");
    }
    H5Pclose(access);
    return st;
}

/* HDF5 refuses a file that is shorter than it was made, but not one that is longer. */
static int check_end(const edgefile_reader *r, uint64_t file_bytes)
{
    haddr_t end;

    if (H5Fget_eoa(r->file, &end) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "the end of the file");
    }
    return file_bytes == end
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %" PRIu64 " bytes, expected %" PRIu64,
                               r->name, file_bytes, (uint64_t)end);
}

static int check_opened(edgefile_reader *r, bool locking, uint64_t file_bytes)
{
    int st;

    edgefile_hdf5_begin();
    st = open_file(r, locking);
    if (st == EDGEFILE_OK) {
        st = edgefile_read_check(r, file_bytes);
    }
    if (st == EDGEFILE_OK) {
        st = check_end(r, file_bytes);
    }
    edgefile_hdf5_end();
    return st == EDGEFILE_ERR_ATTR || st == EDGEFILE_ERR_HDF5 ? EDGEFILE_ERR_FORMAT : st;
}

/* *replaced: whether the name was given to another file meanwhile, so that r may be of two. */
static int open_once(edgefile_reader **out, const char *name, bool *replaced)
{
    edgefile_reader *r = NULL;
    uint64_t file_bytes = 0;
    edgefile_lock_state lock = EDGEFILE_UNLOCKED;
    int st;

    *out = NULL;
    r = calloc(1, sizeof *r);
    if (r == NULL || (r->name = strdup(name)) == NULL) {
        free(r);
        *replaced = false;
        return edgefile_no_memory(name);
    }
    r->file = r->fd = -1;
    st = open_regular(name, &r->fd, &file_bytes);
    if (st == EDGEFILE_OK) {
        st = edgefile_lock(r->fd, name, &lock);
    }
    if (st == EDGEFILE_OK) {
        st = check_signature(name, r->fd, file_bytes);
    }
    if (st == EDGEFILE_OK) {
        st = check_opened(r, lock != EDGEFILE_UNLOCKED, file_bytes);
    }
    if (r->file < 0) {
        st = edgefile_busy(st, name, lock);
    }
    *replaced = r->fd >= 0 && is_replaced(r);
    if (st != EDGEFILE_OK || *replaced) {
        edgefile_close(r);
        return st;
    }
    *out = r;
    return EDGEFILE_OK;
}

int edgefile_open(edgefile_reader **out, const char *name)
{
    bool replaced = false;
    int st;

    if (out == NULL || name == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "out or name is NULL");
    }
    for (int i = 0; i < TRIES; i++) {
        st = open_once(out, name, &replaced);
        if (!replaced) {
            return st;
        }
    }
    return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is replaced again and again", name);
}

void edgefile_close(edgefile_reader *r)
{
    if (r == NULL) {
        return;
    }
    if (r->file >= 0) {
        edgefile_hdf5_begin();
        H5Fclose(r->file);
        edgefile_hdf5_end();
    }
    if (r->fd >= 0) {
        close(r->fd);
    }
    free(r->name);
    free(r->unanswered_text);
    free(r);
}
