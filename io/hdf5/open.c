/*
 * open.c - opens an edge file for reading.
 *
 * The metadata is checked before HDF5 opens the file, because on some kinds of damage HDF5 leaves
 * files open that it cannot close any more.  Damage that HDF5 itself reports is EDGEFILE_ERR_FORMAT
 * as well.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 }; /* to open a file that others replace meanwhile */

int edgefile_open_fd(const char *name)
{
    int fd;

    do {
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (fd < 0 && errno == EINTR);
    return fd;
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

/* HDF5 gets to see metadata with checksums only: damage to other metadata can crash it. */
static int check_superblock(const char *name, int fd, uint64_t file_bytes)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    unsigned char start[sizeof signature + 1];
    const uint64_t n = edgefile_get(fd, 0, sizeof start, start);

    if (n < sizeof start && errno != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    if (file_bytes == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is empty, expected an HDF5 file", name);
    }
    if (n < sizeof start || memcmp(start, signature, sizeof signature) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not an HDF5 file", name);
    }
    if (start[sizeof signature] < 2) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: HDF5 superblock version %d, which has no checksums, expected 2 "
                             "or later (in h5py: libver='v108')",
                             name, start[sizeof signature]);
    }
    return EDGEFILE_OK;
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
    int st = edgefile_probe(r->name, r->fd, r->name, access);

    if (st == EDGEFILE_OK) {
        r->file = H5Fopen(r->name, H5F_ACC_RDONLY, access);
    }
    if (st == EDGEFILE_OK && r->file < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "opening the file");
    }
    H5Pclose(access);
    return st;
}

static int check(edgefile_reader *r, bool locking, uint64_t file_bytes)
{
    int st;

    edgefile_hdf5_begin();
    st = open_file(r, locking);
    if (st == EDGEFILE_OK) {
        st = edgefile_read_check(r, file_bytes);
    }
    if (st == EDGEFILE_ERR_ATTR) {
        st = edgefile_read_other_format(r, st);
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
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        r->dataset[i] = -1;
    }
    st = open_regular(name, &r->fd, &file_bytes);
    if (st == EDGEFILE_OK) {
        st = edgefile_lock(r->fd, name, &lock);
    }
    if (st == EDGEFILE_OK) {
        st = check_superblock(name, r->fd, file_bytes);
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_metadata_check(name, r->fd);
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_hdf5_need(name);
    }
    if (st == EDGEFILE_OK) {
        st = check(r, lock != EDGEFILE_UNLOCKED, file_bytes);
    }
    if (r->file < 0) {
        st = edgefile_busy(st, name, lock);
    }
    if (st == EDGEFILE_OK && r->schema.compressed) {
        st = edgefile_inflating_open(r, file_bytes);
    }
    *replaced = r->fd >= 0 && is_replaced(r);
    if (st != EDGEFILE_OK || *replaced) {
        edgefile_close(r);
        return st;
    }
    *out = r;
    return EDGEFILE_OK;
}

int edgefile_open_one(edgefile_reader **out, const char *name)
{
    bool replaced = false;
    int st;

    for (int i = 0; i < TRIES; i++) {
        st = open_once(out, name, &replaced);
        if (!replaced) {
            return st;
        }
    }
    return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is replaced again and again", name);
}

int edgefile_open(edgefile_reader **out, const char *name)
{
    int st;

    if (out == NULL || name == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "out or name is NULL");
    }
    st = edgefile_open_one(out, name);
    if (st != EDGEFILE_OK || (*out)->shards == 0) {
        return st;
    }
    st = edgefile_read_shards_open(*out);
    if (st != EDGEFILE_OK) {
        edgefile_close(*out);
        *out = NULL;
    }
    return st;
}

void edgefile_close(edgefile_reader *r)
{
    if (r == NULL) {
        return;
    }
    edgefile_hdf5_begin();
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (r->dataset[i] >= 0) {
            H5Oclose(r->dataset[i]);
        }
    }
    if (r->file >= 0) {
        H5Fclose(r->file);
    }
    edgefile_hdf5_end();
    if (r->fd >= 0) {
        close(r->fd);
    }
    edgefile_inflating_close(r->inflating);
    edgefile_close(r->edges_from.reader);
    edgefile_close(r->pointers_from.reader);
    edgefile_virtual_close(r);
    free(r->list);
    free(r->base);
    free(r->name);
    free(r->unanswered_text);
    free(r);
}

edgefile_format edgefile_format_of(const edgefile_reader *r)
{
    return r->schema.format;
}

uint64_t edgefile_rows(const edgefile_reader *r)
{
    return r->schema.rows;
}

uint64_t edgefile_edges(const edgefile_reader *r)
{
    return r->edges;
}

int edgefile_shards(const edgefile_reader *r)
{
    return r->shards;
}

int edgefile_is_concurrent(const edgefile_reader *r)
{
    return r->plain || r->is_virtual;
}

int edgefile_id_bytes(const edgefile_reader *r)
{
    return r->schema.id_bytes;
}

int edgefile_signed_ids(const edgefile_reader *r)
{
    return r->schema.signed_ids;
}

edgefile_weight edgefile_weight_of(const edgefile_reader *r)
{
    return r->schema.weight;
}
