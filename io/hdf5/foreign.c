/*
 * foreign.c - HDF5 files that another program made, or in which another program stored one of ours:
 * h5repack, h5py.
 *
 * Metadata with checksums is checked as in our own files, as far as it is of the same kinds.  What
 * has none, as in files with superblock 0 or 1, is left to HDF5.
 */
#include "io/files.h"
#include "io/hdf5/metadata_walk.h"
#include "io/reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUPERBLOCK_VERSION = 8, CHECKED = 2 }; /* its place; the first version with checksums */

static int superblock_version(int fd)
{
    unsigned char version = 0;

    return edgefile_get(fd, SUPERBLOCK_VERSION, 1, &version) == 1 ? version : -1;
}

static bool is_old(int fd)
{
    const int version = superblock_version(fd);

    return version >= 0 && version < CHECKED;
}

static int open_file(hid_t *file, const char *path, int fd, const char *name, bool locking)
{
    hid_t access;
    int st = EDGEFILE_OK;

    if (!is_old(fd)) {
        EDGEFILE_TRY(edgefile_metadata_check(name, fd));
    }
    access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_sec2(access) >= 0 &&
        H5Pset_file_locking(access, locking, 1) >= 0) {
        st = edgefile_probe(path, fd, name, access);
        if (st == EDGEFILE_OK) {
            *file = H5Fopen(path, H5F_ACC_RDONLY, access);
        }
    }
    H5Pclose(access);
    return st != EDGEFILE_OK ? st
           : *file >= 0      ? EDGEFILE_OK
                             : edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, name, "opening the file");
}

int edgefile_foreign_open(hid_t *file, const char *path, int fd, const char *name)
{
    edgefile_lock_state lock;

    *file = -1;
    EDGEFILE_TRY(edgefile_lock(fd, name, &lock));
    return edgefile_busy(open_file(file, path, fd, name, lock != EDGEFILE_UNLOCKED), name, lock);
}

/* As rmat compresses it, in a file with the superblock that rmat writes: h5repack writes others. */
static bool is_compressed_by_us(int fd, hid_t dataset, hid_t creation)
{
    const hid_t space = H5Dget_space(dataset);
    hsize_t length = 0;

    if (H5Sget_simple_extent_ndims(space) == 1) {
        H5Sget_simple_extent_dims(space, &length, NULL);
    }
    H5Sclose(space);
    return superblock_version(fd) == CHECKED && edgefile_read_is_compressed(creation, length);
}

/* Not as its writer left it?  What is, edgefile_open() reads, or says what is wrong with it.
 * *sign: of the integers before, or H5T_SGN_ERROR. */
static bool is_stored_otherwise(hid_t file, int fd, const char *name, H5T_sign_t *sign)
{
    hid_t dataset, creation, type;
    H5D_layout_t layout;
    bool otherwise, elsewhere;

    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
        return false;
    }
    dataset = edgefile_hdf5_dataset(file, name, &elsewhere);
    if (dataset < 0) {
        return elsewhere;
    }
    creation = H5Dget_create_plist(dataset);
    type = H5Dget_type(dataset);
    layout = H5Pget_layout(creation);
    otherwise = (layout == H5D_CHUNKED && !is_compressed_by_us(fd, dataset, creation)) ||
                layout == H5D_COMPACT;
    if (H5Tget_class(type) == H5T_INTEGER && strcmp(name, "weight") != 0 &&
        strcmp(name, "values") != 0) {
        otherwise = otherwise || H5Tget_size(type) < 4 ||
                    (*sign != H5T_SGN_ERROR && *sign != H5Tget_sign(type));
        *sign = H5Tget_sign(type);
    }
    H5Tclose(type);
    H5Pclose(creation);
    H5Dclose(dataset);
    return otherwise;
}

/* Then edgefile_open() says better what is wrong. */
static bool is_incomplete(hid_t file, const char *name)
{
    uint64_t complete = 0;

    return edgefile_attr_read_u64(file, name, "complete", &complete) != EDGEFILE_OK ||
           complete != 1;
}

static bool is_ours(hid_t file, const char *name, edgefile_format *format)
{
    char text[sizeof EDGEFILE_FORMAT_NAME + 1] = "";

    (void)edgefile_attr_read_string(file, name, "format", text, sizeof text);
    *format = strcmp(text, EDGEFILE_FORMAT_NAME_CSR) == 0 ? EDGEFILE_CSR : EDGEFILE_EDGES;
    return *format == EDGEFILE_CSR || strcmp(text, EDGEFILE_FORMAT_NAME) == 0;
}

/* Of a file without a user block, as all of ours are: with an older superblock it is none of them,
 * and need not be opened to know it. */
static bool begins_as_foreign(int fd)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char start[sizeof signature];

    return edgefile_get(fd, 0, sizeof start, start) == sizeof start &&
           memcmp(start, signature, sizeof start) == 0 && is_old(fd);
}

int edgefile_is_foreign(const char *name)
{
    static const char *const names[] = {"src",           "dst",       "weight",
                                        "pointers_to_1", "indices_1", "values"};
    const int fd = edgefile_open_fd(name);
    H5T_sign_t sign = H5T_SGN_ERROR;
    edgefile_format format;
    bool foreign = fd >= 0 && begins_as_foreign(fd);
    hid_t file = -1;

    edgefile_hdf5_begin();
    if (!foreign && fd >= 0 && edgefile_foreign_open(&file, name, fd, name) == EDGEFILE_OK) {
        const bool ours = is_ours(file, name, &format);

        foreign = is_old(fd) || !ours;
        for (size_t i = 0; i < sizeof names / sizeof *names && !foreign; i++) {
            foreign = !is_incomplete(file, name) && is_stored_otherwise(file, fd, names[i], &sign);
        }
        H5Fclose(file);
    }
    edgefile_hdf5_end();
    if (fd >= 0) {
        close(fd);
    }
    return foreign;
}

/* What tells the width of ids. */
static int find_id_bytes(edgefile_reader *r)
{
    bool elsewhere;
    const hid_t dataset = edgefile_hdf5_dataset(
        r->file, edgefile_dataset_name(r->schema.format, EDGEFILE_DST), &elsewhere);
    hid_t type;

    if (dataset < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "opening a dataset");
    }
    type = H5Dget_type(dataset);
    r->schema.id_bytes = H5Tget_size(type) > 4 ? 8 : 4;
    H5Tclose(type);
    H5Dclose(dataset);
    return EDGEFILE_OK;
}

int edgefile_open_attributes(edgefile_reader **out, const char *name)
{
    edgefile_reader *r = calloc(1, sizeof *r);
    int st;

    *out = NULL;
    if (r == NULL || (r->name = strdup(name)) == NULL) {
        free(r);
        return edgefile_no_memory(name);
    }
    r->file = -1;
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        r->dataset[i] = -1;
    }
    r->fd = edgefile_open_fd(name);
    st = r->fd < 0 ? edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name) : EDGEFILE_OK;
    edgefile_hdf5_begin();
    if (st == EDGEFILE_OK) {
        st = edgefile_foreign_open(&r->file, name, r->fd, name);
    }
    if (st == EDGEFILE_OK && !is_ours(r->file, name, &r->schema.format)) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: was not written by rmat", name);
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_attr_read_u64(r->file, name, "edges", &r->edges);
    }
    if (st == EDGEFILE_OK) {
        st = find_id_bytes(r);
    }
    edgefile_hdf5_end();
    if (st != EDGEFILE_OK) {
        edgefile_close(r);
        return st;
    }
    *out = r;
    return EDGEFILE_OK;
}
