/*
 * metadata_walk.c - finds every block of an HDF5 file, without HDF5.
 *
 * HDF5 reads only what it needs, and not even HDF5 opens what has no checksum in a master.  This
 * walk follows the "HDF5 File Format Specification, version 3" as far as this library's files use
 * it: superblock 2 or 3, object headers of version 2 with compact links and attributes, contiguous
 * and virtual datasets, and those in chunks up to the root of their index.  Blocks are put on a
 * list when something refers to them (metadata_messages.c), and the next block of the list is read,
 * until none is left.
 *
 * Nothing is used before its checksum was found correct, and nothing outside the file is read.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUPERBLOCK_BYTES = 48, SUM_BYTES = 4, MAX_BLOCK = 1 << 30 };

enum { TIMES = 0x20, PHASE_CHANGE = 0x10 }; /* flags of an object header */

int edgefile_metadata_foreign(const metadata_walk *w, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FOREIGN, "%s: has %s, which cannot be checked", w->name,
                         what);
}

int edgefile_metadata_damaged(const metadata_walk *w, const char *what, uint64_t at)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: %s at byte %" PRIu64 " is damaged", w->name,
                         what, at);
}

uint64_t edgefile_metadata_number(const unsigned char *at, size_t bytes)
{
    uint64_t x = 0;

    while (bytes-- > 0) {
        x = x << 8 | at[bytes];
    }
    return x;
}

bool edgefile_metadata_sum_ok(const unsigned char *data, uint64_t bytes)
{
    return bytes > SUM_BYTES && edgefile_metadata_number(data + bytes - SUM_BYTES, SUM_BYTES) ==
                                    edgefile_metadata_checksum(data, bytes - SUM_BYTES);
}

/* HDF5 reads nothing behind the end that the superblock gives, and leaks memory when it is told to.
 */
static int check_range(const metadata_walk *w, uint64_t start, uint64_t bytes)
{
    const uint64_t end = w->end != 0 ? w->end : w->file_bytes;

    if (start > end || bytes > end - start || bytes > MAX_BLOCK) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: metadata of %" PRIu64 " bytes at byte %" PRIu64
                             " does not lie in the file",
                             w->name, bytes, start);
    }
    return EDGEFILE_OK;
}

static int read_bytes(const metadata_walk *w, uint64_t start, uint64_t bytes, void *data)
{
    uint64_t done;

    EDGEFILE_TRY(check_range(w, start, bytes));
    done = edgefile_get(w->fd, start, bytes, data);
    return done == bytes
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %s", w->name,
                               start + done, errno == 0 ? "the file ends" : strerror(errno));
}

/* An object may have several names, and virtual datasets share a heap: each is listed once. */
int edgefile_metadata_add(metadata_walk *w, metadata_kind kind, uint64_t start, uint64_t bytes,
                          int flags)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->blocks[i].kind == kind && w->blocks[i].start == start) {
            return EDGEFILE_OK;
        }
    }
    if (w->n == sizeof w->blocks / sizeof *w->blocks) {
        return edgefile_metadata_foreign(w, "too many objects");
    }
    w->blocks[w->n++] = (metadata_block){kind, start, bytes, flags};
    return EDGEFILE_OK;
}

static int truncated(const metadata_walk *w, uint64_t expected)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: truncated file: has %" PRIu64 " bytes, expected %" PRIu64, w->name,
                         w->file_bytes, expected);
}

static int superblock(metadata_walk *w)
{
    unsigned char data[SUPERBLOCK_BYTES];

    if (w->file_bytes < sizeof data) {
        return truncated(w, sizeof data);
    }
    EDGEFILE_TRY(read_bytes(w, 0, sizeof data, data));
    if (data[8] < 2 || data[8] > 3 || data[9] != 8 || data[10] != 8) {
        return edgefile_metadata_foreign(w, "a superblock of another kind");
    }
    if (!edgefile_metadata_sum_ok(data, sizeof data)) {
        return edgefile_metadata_damaged(w, "the superblock", 0);
    }
    if (edgefile_metadata_number(data + 12, 8) != 0 ||
        edgefile_metadata_number(data + 20, 8) != METADATA_NOWHERE) {
        return edgefile_metadata_foreign(w, "a user block or a superblock extension");
    }
    w->end = edgefile_metadata_number(data + 28, 8);
    if (w->end > w->file_bytes) {
        return truncated(w, w->end);
    }
    EDGEFILE_TRY(edgefile_metadata_add(w, METADATA_SUPERBLOCK, 0, sizeof data, 0));
    return edgefile_metadata_add(w, METADATA_HEADER, edgefile_metadata_number(data + 36, 8), 0, 0);
}

/* Finds the flags and the length of an object header, and where its messages begin. */
static int measure_header(metadata_walk *w, metadata_block *b, uint64_t *first)
{
    unsigned char start[34]; /* the longest possible part before the messages */
    uint64_t at = 6;
    size_t width;

    EDGEFILE_TRY(read_bytes(w, b->start, sizeof start, start));
    if (start[0] == 1 && start[1] == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the object header at byte %" PRIu64
                             " has no checksum, expected version 2 (in h5py: libver='v108')",
                             w->name, b->start);
    }
    if (memcmp(start, "OHDR", 4) != 0) {
        return edgefile_metadata_damaged(w, "an object header", b->start);
    }
    b->flags = start[5];
    at += (b->flags & TIMES ? 16 : 0) + (b->flags & PHASE_CHANGE ? 4 : 0);
    width = (size_t)1 << (b->flags & 3);
    *first = at + width;
    b->bytes = edgefile_metadata_number(start + at, width);
    if (b->bytes > MAX_BLOCK) {
        return edgefile_metadata_damaged(w, "an object header", b->start);
    }
    b->bytes += *first + SUM_BYTES;
    return EDGEFILE_OK;
}

static int measure_heap(metadata_walk *w, metadata_block *b)
{
    unsigned char start[16];
    int st = read_bytes(w, b->start, sizeof start, start);

    b->bytes = st == EDGEFILE_OK ? edgefile_metadata_number(start + 8, 8) : 0;
    return st;
}

/* Reads a block, checks it, and adds the blocks that it refers to. */
static int visit(metadata_walk *w, metadata_block *b)
{
    uint64_t first = 4; /* where the messages begin */
    unsigned char *data = NULL;
    int st = b->kind == METADATA_HEADER ? measure_header(w, b, &first)
             : b->kind == METADATA_HEAP ? measure_heap(w, b)
                                        : EDGEFILE_OK;

    if (st == EDGEFILE_OK) {
        st = check_range(w, b->start, b->bytes);
    }
    if (st != EDGEFILE_OK) {
        return st;
    }
    data = malloc(b->bytes + 1);
    if (data == NULL) {
        return edgefile_no_memory(w->name);
    }
    st = read_bytes(w, b->start, b->bytes, data);
    if (st != EDGEFILE_OK) {
        goto done;
    }
    if (b->kind == METADATA_HEAP) {
        st = edgefile_metadata_heap_check(w, b->start, data, b->bytes);
    } else if (b->bytes < first + SUM_BYTES || !edgefile_metadata_sum_ok(data, b->bytes)) {
        st = edgefile_metadata_damaged(w, "an object header", b->start);
    } else {
        st = edgefile_metadata_messages(w, b->flags, data + first, b->bytes - first - SUM_BYTES);
    }
done:
    free(data);
    return st;
}

int edgefile_metadata_walk(metadata_walk **walk, const char *name, int fd, bool with_heaps)
{
    metadata_walk *w = *walk = calloc(1, sizeof *w);
    struct stat file;
    int st;

    if (w == NULL) {
        return edgefile_no_memory(name);
    }
    w->name = name;
    w->fd = fd;
    w->with_heaps = with_heaps;
    if (fstat(fd, &file) != 0) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    } else {
        w->file_bytes = (uint64_t)file.st_size;
        st = superblock(w);
    }
    for (size_t i = 0; st == EDGEFILE_OK && i < w->n; i++) {
        metadata_kind kind = w->blocks[i].kind;
        if (kind == METADATA_HEADER || kind == METADATA_CONTINUATION ||
            (kind == METADATA_HEAP && w->with_heaps)) {
            st = visit(w, &w->blocks[i]);
        }
    }
    if (st != EDGEFILE_OK) {
        free(w);
        *walk = NULL;
    }
    return st;
}

int edgefile_metadata_check(const char *name, int fd)
{
    metadata_walk *w;
    const int st = edgefile_metadata_walk(&w, name, fd, false);

    free(w);
    return st == EDGEFILE_ERR_FOREIGN ? EDGEFILE_OK : st;
}
