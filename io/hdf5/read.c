/*
 * read.c - opens an edge file for reading, checks that it has the structure of our files, and reads
 * edges and pointers.  The data has the same form in the file and in memory.  It is read without
 * HDF5, which only one thread may call at a time.
 *
 * Damage that HDF5 itself reports is EDGEFILE_ERR_FORMAT as well.  A file must hold its own data:
 * no soft or external links and no external storage.  It has no virtual datasets, because HDF5
 * would read fill values for a missing source, and no chunks, which may be missing too.
 */
#include "io/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 }; /* attempts to open a file that other processes keep replacing */

/* Fails with a sentence about dataset i, which begins with its name. */
__attribute__((format(printf, 3, 4))) static int bad(const edgefile_reader *r, int i,
                                                     const char *format, ...)
{
    char what[512];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' %s", r->name,
                         edgefile_dataset_name(&r->spec, i), what);
}

/* The types of the elements of datasets. */

static int check_weight_type(edgefile_reader *r, int i, hid_t type)
{
    const bool is_csr = r->spec.format == GRAPHFILE_CSR;

    if (H5Tequal(type, H5T_IEEE_F32LE) > 0) {
        r->spec.graph.weight = EDGEFILE_WEIGHT_F32;
    } else if (H5Tequal(type, H5T_STD_I32LE) > 0) {
        r->spec.graph.weight = EDGEFILE_WEIGHT_I32;
    } else if (is_csr && H5Tequal(type, H5T_STD_U8LE) > 0) {
        r->spec.graph.weight = EDGEFILE_NO_WEIGHT;
    } else {
        return bad(r, i,
                   "holds items of %zu bytes, expected little-endian floats or signed integers of "
                   "4%s",
                   H5Tget_size(type), is_csr ? ", or an unsigned one of 1" : "");
    }
    return EDGEFILE_OK;
}

/* Takes id_bytes and signed_ids, or weight, from the type of dataset i.  Dataset 0, src or the
 * pointers, decides whether integers are signed. */
static int check_type(edgefile_reader *r, int i, hid_t type)
{
    const hid_t types[] = {H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I32LE, H5T_STD_I64LE};
    const bool is_csr = r->spec.format == GRAPHFILE_CSR;
    const bool is_pointers = is_csr && i == EDGEFILE_POINTERS;
    const int width = (int)H5Tget_size(type);
    bool is_signed;
    int t = 0;

    if (i == EDGEFILE_WEIGHT) {
        return check_weight_type(r, i, type);
    }
    while (t < 4 && H5Tequal(type, types[t]) <= 0) {
        t++;
    }
    if (t == 4 || (is_pointers && width == 4)) {
        return bad(r, i, "holds items of %d bytes, expected little-endian integers of %s", width,
                   is_pointers ? "8" : "4 or 8");
    }
    is_signed = t >= 2;
    if (i == 0) {
        r->spec.graph.signed_ids = is_signed;
    }
    if (r->spec.graph.signed_ids != is_signed) {
        return bad(r, i, "holds %s integers, '%s' %s ones", is_signed ? "signed" : "unsigned",
                   edgefile_dataset_name(&r->spec, 0), is_signed ? "unsigned" : "signed");
    }
    if (is_pointers) {
        return EDGEFILE_OK;
    }
    if (i == EDGEFILE_SRC || is_csr) {
        r->spec.graph.id_bytes = width;
    }
    return width == r->spec.graph.id_bytes
               ? EDGEFILE_OK
               : bad(r, i, "has elements of %d bytes, but '%s' of %d", width,
                     edgefile_dataset_name(&r->spec, EDGEFILE_SRC), r->spec.graph.id_bytes);
}

/* Attributes and datasets. */

static int check_format(edgefile_reader *r)
{
    char format[sizeof EDGEFILE_FORMAT_NAME + 1];

    EDGEFILE_TRY(edgefile_attr_read(r, "format", EDGEFILE_STRING, format, sizeof format, NULL));
    if (strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0) {
        r->spec.format = GRAPHFILE_CSR;
    } else if (strcmp(format, EDGEFILE_FORMAT_NAME) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: attribute 'format' is '%s', expected '%s' or '%s'", r->name,
                             format, EDGEFILE_FORMAT_NAME, EDGEFILE_FORMAT_NAME_CSR);
    }
    return EDGEFILE_OK;
}

static int check_attrs(edgefile_reader *r)
{
    uint64_t version, complete, fingerprint;

    EDGEFILE_TRY(check_format(r));
    EDGEFILE_TRY(edgefile_attr_read(r, "format_version", EDGEFILE_U64, &version, 0, NULL));
    if (version == 0 || version > EDGEFILE_FORMAT_VERSION) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: format version %" PRIu64
                             " is not known here, the newest known is %d",
                             r->name, version, EDGEFILE_FORMAT_VERSION);
    }
    EDGEFILE_TRY(edgefile_attr_read(r, "complete", EDGEFILE_U64, &complete, 0, NULL));
    if (complete != 1) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: is not complete: it is still being written, or its writer was interrupted",
            r->name);
    }
    EDGEFILE_TRY(edgefile_attr_read(r, "fingerprint", EDGEFILE_U64, &fingerprint, 0, NULL));
    EDGEFILE_TRY(edgefile_attr_read(r, "edges", EDGEFILE_U64, &r->spec.graph.edges, 0, NULL));
    if (r->spec.format == GRAPHFILE_CSR) {
        EDGEFILE_TRY(edgefile_attr_read(r, "rows", EDGEFILE_U64, &r->spec.graph.rows, 0, NULL));
        if (r->spec.graph.rows == 0 || r->spec.graph.rows == UINT64_MAX) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'rows' is %" PRIu64, r->name,
                                 r->spec.graph.rows);
        }
    }
    return EDGEFILE_OK;
}

static int check_link(const edgefile_reader *r, int i)
{
    const char *name = edgefile_dataset_name(&r->spec, i);
    H5L_info_t link;
    htri_t exists = H5Lexists(r->file, name, H5P_DEFAULT);

    if (exists == 0) {
        return bad(r, i, "is missing");
    }
    if (exists < 0 || H5Lget_info(r->file, name, &link, H5P_DEFAULT) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    return link.type == H5L_TYPE_HARD
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: '%s' is a soft or external link, expected a dataset", r->name,
                               name);
}

static int open_dataset(edgefile_reader *r, int i, hid_t *dataset)
{
    const char *name = edgefile_dataset_name(&r->spec, i);

    EDGEFILE_TRY(check_link(r, i));
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

/* The number of elements must agree with the attributes, and the bytes must fit into 64 bits. */
static int check_length(edgefile_reader *r, int i, hid_t space)
{
    const graphfile_spec *s = &r->spec;
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t length;

    if (rank != 1) {
        return bad(r, i, "is %d-D, expected 1-D", rank);
    }
    H5Sget_simple_extent_dims(space, &length, NULL);
    if (length != edgefile_length(s, i)) {
        return bad(r, i, "has %" PRIu64 " elements, by attribute '%s' there are %" PRIu64,
                   (uint64_t)length,
                   s->format == GRAPHFILE_CSR && i == EDGEFILE_POINTERS ? "rows" : "edges",
                   edgefile_length(s, i));
    }
    return __builtin_mul_overflow(length, (uint64_t)edgefile_width(s, i), &r->bytes[i])
               ? bad(r, i, "has an impossible length")
               : EDGEFILE_OK;
}

static int check_storage(edgefile_reader *r, int i, hid_t dataset, hid_t creation,
                         uint64_t file_bytes)
{
    const haddr_t offset = H5Dget_offset(dataset);

    if (H5Pget_layout(creation) != H5D_CONTIGUOUS) {
        return bad(r, i, "is not contiguous (h5repack -f NONE -l CONTI makes it so)");
    }
    if (H5Pget_external_count(creation) != 0) {
        return bad(r, i, "lies in other files, expected it inside this one");
    }
    if (r->bytes[i] == 0) {
        return EDGEFILE_OK;
    }
    if (offset == HADDR_UNDEF) {
        return bad(r, i, "has no data");
    }
    if (offset > file_bytes || r->bytes[i] > file_bytes - offset) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the file ends at byte %" PRIu64 ", inside dataset '%s' (%" PRIu64
                             " bytes at %" PRIu64 ")",
                             r->name, file_bytes, edgefile_dataset_name(&r->spec, i), r->bytes[i],
                             (uint64_t)offset);
    }
    r->offset[i] = offset;
    return EDGEFILE_OK;
}

/* The value that stands for all edges is data, which has no checksum of HDF5. */
static int check_iso(const edgefile_reader *r, int i, hid_t dataset)
{
    uint8_t value;

    if (!edgefile_is_iso(&r->spec, i)) {
        return EDGEFILE_OK;
    }
    if (H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, edgefile_dataset_name(&r->spec, i));
    }
    return value == 1 ? EDGEFILE_OK : bad(r, i, "is %d, expected 1", value);
}

static int check_dataset(edgefile_reader *r, int i, uint64_t file_bytes)
{
    hid_t dataset = -1, type = -1, space = -1, creation = -1;
    int st = open_dataset(r, i, &dataset);

    if (st != EDGEFILE_OK) {
        goto done;
    }
    type = H5Dget_type(dataset);
    space = H5Dget_space(dataset);
    creation = H5Dget_create_plist(dataset);
    if (type < 0 || space < 0 || creation < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, edgefile_dataset_name(&r->spec, i));
        goto done;
    }
    st = check_type(r, i, type);
    if (st == EDGEFILE_OK) {
        st = check_length(r, i, space);
    }
    if (st == EDGEFILE_OK) {
        st = check_storage(r, i, dataset, creation, file_bytes);
    }
    if (st == EDGEFILE_OK) {
        st = check_iso(r, i, dataset);
    }
done:
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(dataset);
    return st;
}

static int check_contents(edgefile_reader *r, uint64_t file_bytes)
{
    const char *weight;
    htri_t has_weight;

    EDGEFILE_TRY(check_attrs(r));
    weight = edgefile_dataset_name(&r->spec, EDGEFILE_WEIGHT);
    has_weight = H5Lexists(r->file, weight, H5P_DEFAULT);
    if (has_weight < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, weight);
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (i != EDGEFILE_WEIGHT || has_weight > 0 || r->spec.format == GRAPHFILE_CSR) {
            EDGEFILE_TRY(check_dataset(r, i, file_bytes));
        }
    }
    return EDGEFILE_OK;
}

/* Opening. */

/* Opens a regular file and returns its length.  The caller closes *fd, even after an error, unless
 * it is -1. O_NONBLOCK keeps a FIFO from waiting for a writer.  A signal may interrupt a file
 * system that waits for its server. */
static int open_regular(const char *name, int *fd, uint64_t *bytes)
{
    struct stat st;

    do {
        *fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (*fd < 0 && errno == EINTR);
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

/* Checks the signature of every HDF5 file, because HDF5's own message would be unclear. */
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
               : edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: is not an HDF5 file, expected one of rmat in h5 or csr", name);
}

/* HDF5 opens the file by its name.  Another graph may have taken the name since our open. */
static bool is_replaced(const edgefile_reader *r)
{
    struct stat ours, named;

    return fstat(r->fd, &ours) == 0 && stat(r->name, &named) == 0 &&
           (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino);
}

static int open_file(edgefile_reader *r)
{
    /* Without locks of the file system, HDF5 by itself goes on after ENOSYS alone. */
    const bool locking = flock(r->fd, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
    const hid_t access = edgefile_hdf5_access(false, locking);
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

static int check_opened(edgefile_reader *r, uint64_t file_bytes)
{
    int st;

    edgefile_hdf5_begin();
    st = open_file(r);
    if (st == EDGEFILE_OK) {
        st = check_contents(r, file_bytes);
    }
    if (st == EDGEFILE_OK) {
        st = check_end(r, file_bytes);
    }
    edgefile_hdf5_end();
    return st == EDGEFILE_ERR_ATTR || st == EDGEFILE_ERR_HDF5 ? EDGEFILE_ERR_FORMAT : st;
}

/* *replaced: another file took the name during the call, so that r may mix two files. */
static int open_once(edgefile_reader **out, const char *name, bool *replaced)
{
    edgefile_reader *r = NULL;
    uint64_t file_bytes = 0;
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
        st = check_signature(name, r->fd, file_bytes);
    }
    if (st == EDGEFILE_OK) {
        st = check_opened(r, file_bytes);
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

/* Reading. */

/* Reads into those arrays of data that are not NULL. */
static int read_columns(const edgefile_reader *r, uint64_t first, uint64_t count,
                        char *const data[EDGEFILE_N_DATASETS])
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t width = (uint64_t)edgefile_width(&r->spec, i);

        if (data[i] != NULL && edgefile_get(r->fd, r->offset[i] + first * width, count * width,
                                            data[i]) < count * width) {
            const char *why = errno != 0 ? strerror(errno) : "the file has become shorter";

            return edgefile_fail(EDGEFILE_ERR_IO, "%s: %s: %s", r->name,
                                 edgefile_dataset_name(&r->spec, i), why);
        }
    }
    return EDGEFILE_OK;
}

int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight)
{
    char *const data[EDGEFILE_N_DATASETS] = {src, dst, weight};

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    EDGEFILE_TRY(edgefile_range_check(r->name, "edges", first, count, r->spec.graph.edges));
    if (src != NULL && r->spec.format == GRAPHFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL", r->name);
    }
    if (count > 0 && ((src == NULL && r->spec.format == GRAPHFILE_H5) || dst == NULL)) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if (weight != NULL && r->spec.graph.weight == EDGEFILE_NO_WEIGHT) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: has no weights", r->name);
    }
    return read_columns(r, first, count, data);
}

int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers)
{
    char *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] = (char *)pointers};

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    if (r->spec.format != GRAPHFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers", r->name);
    }
    EDGEFILE_TRY(edgefile_range_check(r->name, "pointers", first, count, r->spec.graph.rows + 1));
    if (count > 0 && pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    return read_columns(r, first, count, data);
}
