/*
 * metadata_walk.c - finds every block of an HDF5 file, without HDF5.
 *
 * HDF5 reads what it needs, not everything; and of a master even the library does not open what has
 * no checksum.  So this goes through the file as the "HDF5 File Format Specification, version 3"
 * has it, as far as this library writes it: superblock 2 or 3, version 2 object headers with
 * compact links and attributes, contiguous and virtual datasets.  Blocks are added as they are
 * mentioned (metadata_messages.c), and the next one not yet seen is read, until there is none.
 *
 * Nothing is believed before its checksum is right, nor read from outside the file.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUPERBLOCK_BYTES = 48, SUM_BYTES = 4, MAX_BLOCK = 1 << 30 };

enum { TIMES = 0x20, PHASE_CHANGE = 0x10 }; /* flags of an object header */

int metadata_foreign(const metadata_walk *w, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FOREIGN, "%s: has %s, which cannot be checked", w->name,
                         what);
}

int metadata_damaged(const metadata_walk *w, const char *what, uint64_t at)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: %s at byte %" PRIu64 " is damaged", w->name,
                         what, at);
}

uint64_t metadata_number(const unsigned char *at, size_t bytes)
{
    uint64_t x = 0;

    while (bytes-- > 0) {
        x = x << 8 | at[bytes];
    }
    return x;
}

int metadata_sum_ok(const unsigned char *data, uint64_t bytes)
{
    return bytes > SUM_BYTES && metadata_number(data + bytes - SUM_BYTES, SUM_BYTES) ==
                                    edgefile_metadata_checksum(data, bytes - SUM_BYTES);
}

/* Behind what the superblock says to be the end HDF5 reads nothing, and loses memory over it. */
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
    int st = check_range(w, start, bytes);

    if (st != EDGEFILE_OK) {
        return st;
    }
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = pread(w->fd, (char *)data + done, bytes - done, (off_t)(start + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %s", w->name,
                                 start + done, n == 0 ? "the file ends" : strerror(errno));
        }
        done += (uint64_t)n;
    }
    return EDGEFILE_OK;
}

/* An object may have several names, and virtual datasets share a heap: once is enough. */
int metadata_add(metadata_walk *w, metadata_kind kind, uint64_t start, uint64_t bytes, int flags)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->blocks[i].kind == kind && w->blocks[i].start == start) {
            return EDGEFILE_OK;
        }
    }
    if (w->n == sizeof w->blocks / sizeof *w->blocks) {
        return metadata_foreign(w, "very many objects");
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
    int st;

    if (w->file_bytes < sizeof data) {
        return truncated(w, sizeof data);
    }
    st = read_bytes(w, 0, sizeof data, data);
    if (st != EDGEFILE_OK) {
        return st;
    }
    if (data[8] < 2 || data[8] > 3 || data[9] != 8 || data[10] != 8) {
        return metadata_foreign(w, "another superblock");
    }
    if (!metadata_sum_ok(data, sizeof data)) {
        return metadata_damaged(w, "the superblock", 0);
    }
    if (metadata_number(data + 12, 8) != 0 || metadata_number(data + 20, 8) != METADATA_NOWHERE) {
        return metadata_foreign(w, "a user block or a superblock extension");
    }
    w->end = metadata_number(data + 28, 8);
    if (w->end > w->file_bytes) {
        return truncated(w, w->end);
    }
    st = metadata_add(w, METADATA_SUPERBLOCK, 0, sizeof data, 0);
    return st == EDGEFILE_OK ? metadata_add(w, METADATA_HEADER, metadata_number(data + 36, 8), 0, 0)
                             : st;
}

/* The block's flags and length, and where its messages begin. */
static int measure_header(metadata_walk *w, metadata_block *b, uint64_t *first)
{
    unsigned char start[34]; /* as long as the part before the messages can be */
    uint64_t at = 6;
    size_t width;
    int st = read_bytes(w, b->start, sizeof start, start);

    if (st != EDGEFILE_OK) {
        return st;
    }
    if (start[0] == 1 && start[1] == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the object header at byte %" PRIu64
                             " has no checksum, expected version 2 (in h5py: libver='v108')",
                             w->name, b->start);
    }
    if (memcmp(start, "OHDR", 4) != 0) {
        return metadata_damaged(w, "an object header", b->start);
    }
    b->flags = start[5];
    at += (b->flags & TIMES ? 16 : 0) + (b->flags & PHASE_CHANGE ? 4 : 0);
    width = (size_t)1 << (b->flags & 3);
    *first = at + width;
    b->bytes = metadata_number(start + at, width);
    if (b->bytes > MAX_BLOCK) {
        return metadata_damaged(w, "an object header", b->start);
    }
    b->bytes += *first + SUM_BYTES;
    return EDGEFILE_OK;
}

static int measure_heap(metadata_walk *w, metadata_block *b)
{
    unsigned char start[16];
    int st = read_bytes(w, b->start, sizeof start, start);

    b->bytes = st == EDGEFILE_OK ? metadata_number(start + 8, 8) : 0;
    return st;
}

/* Reads a block, checks it, and adds the blocks that it mentions. */
static int visit(metadata_walk *w, metadata_block *b)
{
    uint64_t first = 4; /* byte of the messages */
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
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", w->name);
    }
    st = read_bytes(w, b->start, b->bytes, data);
    if (st != EDGEFILE_OK) {
        goto done;
    }
    if (b->kind == METADATA_HEAP) {
        st = metadata_heap_check(w, b->start, data, b->bytes);
    } else if (b->bytes < first + SUM_BYTES || !metadata_sum_ok(data, b->bytes)) {
        st = metadata_damaged(w, "an object header", b->start);
    } else {
        st = metadata_messages(w, b->flags, data + first, b->bytes - first - SUM_BYTES);
    }
done:
    free(data);
    return st;
}

int metadata_walk_run(metadata_walk *w)
{
    int st = superblock(w);

    for (size_t i = 0; i < w->n && st == EDGEFILE_OK; i++) {
        metadata_kind kind = w->blocks[i].kind;
        if (kind == METADATA_HEADER || kind == METADATA_CONTINUATION ||
            (kind == METADATA_HEAP && w->with_heaps)) {
            st = visit(w, &w->blocks[i]);
        }
    }
    return st;
}
