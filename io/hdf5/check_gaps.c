/*
 * check_gaps.c - checks the bytes of a file that no reader looks at: between HDF5's blocks of
 * metadata and data there must be zeros.
 *
 * The walk over the metadata verifies its checksums.  With the data, which the caller reads, every
 * byte of the file is then accounted for.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16 };

/* Holes are skipped if the file system can tell where they are. */
static int check_zero(const metadata_walk *w, uint64_t at, uint64_t end)
{
    unsigned char buffer[BUFFER_BYTES];

    while (at < end) {
        off_t data = lseek(w->fd, (off_t)at, SEEK_DATA);
        ssize_t n;
        if (data < 0 && errno == ENXIO) { /* none until the end of the file */
            return EDGEFILE_OK;
        }
        if (data > (off_t)at) {
            at = (uint64_t)data;
            continue;
        }
        n = pread(w->fd, buffer, end - at < sizeof buffer ? end - at : sizeof buffer, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %s", w->name,
                                 at, n == 0 ? "the file ends" : strerror(errno));
        }
        for (ssize_t i = 0; i < n; i++) {
            if (buffer[i] != 0) {
                return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                     "%s: byte %" PRIu64
                                     " is %d, expected 0: it belongs to no dataset and to no "
                                     "metadata",
                                     w->name, at + (uint64_t)i, buffer[i]);
            }
        }
        at += (uint64_t)n;
    }
    return EDGEFILE_OK;
}

static int by_start(const void *a, const void *b)
{
    const metadata_block *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static int check_between(metadata_walk *w)
{
    uint64_t end = 0;

    if (w->end != w->file_bytes) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %" PRIu64 " bytes, expected %" PRIu64,
                             w->name, w->file_bytes, w->end);
    }
    qsort(w->blocks, w->n, sizeof *w->blocks, by_start);
    for (size_t i = 0; i < w->n; i++) {
        const metadata_block *b = &w->blocks[i];
        if (b->start < end || b->start > w->file_bytes || b->bytes > w->file_bytes - b->start) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: two blocks overlap at byte %" PRIu64
                                 ", or one does not lie in the file",
                                 w->name, b->start);
        }
        EDGEFILE_TRY(check_zero(w, end, b->start));
        end = b->start + b->bytes;
    }
    return check_zero(w, end, w->file_bytes);
}

static bool has_chunks(const metadata_walk *w)
{
    bool found = false;

    for (size_t i = 0; i < w->n; i++) {
        found = found || w->blocks[i].kind == METADATA_TREE;
    }
    return found;
}

/* Where the walk does not go: chunks, which are data, and their indices, which were checked when
 * the file was opened. */
static int add_compressed(metadata_walk *w, const edgefile_reader *r)
{
    edgefile_chunk range[EDGEFILE_N_DATASETS + 1];
    int n = 0;

    if (r != NULL && r->inflating != NULL) {
        n = edgefile_inflating_ranges(r, range);
    } else if (has_chunks(w)) {
        return edgefile_metadata_foreign(w, "a dataset of another layout");
    }
    for (int i = 0; i < n; i++) {
        EDGEFILE_TRY(edgefile_metadata_add(w, METADATA_DATA, range[i].offset, range[i].bytes, 0));
    }
    return EDGEFILE_OK;
}

/* r: the file's reader, or NULL for a shard. */
static int check_file(const char *name, const edgefile_reader *r)
{
    metadata_walk *w = NULL;
    const int fd = edgefile_open_fd(name);
    int st;

    if (fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name);
    }
    st = edgefile_metadata_walk(&w, name, fd, true);
    if (st == EDGEFILE_OK) {
        st = add_compressed(w, r);
    }
    if (st == EDGEFILE_OK) {
        st = check_between(w);
    }
    close(fd);
    free(w);
    return st;
}

int edgefile_check_gaps(edgefile_reader *r)
{
    int st;

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    st = check_file(r->name, r);
    for (int k = 0; k < r->shards && st == EDGEFILE_OK; k++) {
        char *path = edgefile_shard_path(r->base, k);
        st = path == NULL ? edgefile_no_memory(r->name) : check_file(path, NULL);
        free(path);
    }
    return st;
}
