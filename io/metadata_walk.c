/*
 * metadata_walk.c - finds every block of an HDF5 file, without HDF5.
 *
 * HDF5 reads what it needs, not everything; and of a master even the library does not open what has
 * no checksum.  So this goes through the file as the "HDF5 File Format Specification, version 3"
 * has it, as far as this library writes it: superblock 2 or 3, version 2 object headers with
 * compact links and attributes, contiguous and virtual datasets.  Blocks are added as they are
 * mentioned, and the next one not yet seen is read, until there is none.
 *
 * Nothing is believed before its checksum is right, nor read from outside the file.
 */
#include "io/metadata_walk.h"
#include "io/edgefile_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOWHERE UINT64_MAX /* HDF5's undefined address */

enum { SUPERBLOCK_BYTES = 48, SUM_BYTES = 4, MAX_BLOCK = 1 << 30 };

enum { /* messages of object headers */
       LINK_INFO = 0x02,
       EXTERNAL_FILES = 0x07,
       LINK = 0x06,
       LAYOUT = 0x08,
       FILTERS = 0x0b,
       ATTRIBUTE = 0x0c,
       CONTINUATION = 0x10,
       ATTRIBUTE_INFO = 0x15
};

enum { CONTIGUOUS = 1, VIRTUAL = 3 };                       /* layouts */
enum { VARIABLE_LENGTH = 9 };                               /* class of a datatype */
enum { TIMES = 0x20, PHASE_CHANGE = 0x10, ORDERED = 0x04 }; /* flags of an object header */

/* Reads on within a block.  At its end: zeros, and short is set. */
typedef struct {
    const unsigned char *at;
    uint64_t left;
    int is_short;
} cursor;

static int foreign(const metadata_walk *w, const char *what)
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

    while (bytes-- > 0)
        x = x << 8 | at[bytes];
    return x;
}

static const unsigned char *skip(cursor *c, uint64_t bytes)
{
    const unsigned char *at = c->at;

    if (bytes > c->left) {
        c->is_short = 1;
        bytes = c->left;
    }
    c->at += bytes;
    c->left -= bytes;
    return at;
}

static uint64_t take(cursor *c, size_t bytes)
{
    const unsigned char *at = skip(c, bytes);

    return c->is_short ? 0 : metadata_number(at, bytes);
}

int metadata_sum_ok(const unsigned char *data, uint64_t bytes)
{
    return bytes > SUM_BYTES && metadata_number(data + bytes - SUM_BYTES, SUM_BYTES) ==
                                    edgefile_metadata_checksum(data, bytes - SUM_BYTES);
}

static int check_range(const metadata_walk *w, uint64_t start, uint64_t bytes)
{
    if (start > w->file_bytes || bytes > w->file_bytes - start || bytes > MAX_BLOCK)
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: metadata of %" PRIu64 " bytes at byte %" PRIu64
                             " does not lie in the file",
                             w->name, bytes, start);
    return EDGEFILE_OK;
}

static int read_bytes(const metadata_walk *w, uint64_t start, uint64_t bytes, void *data)
{
    int st = check_range(w, start, bytes);

    if (st != EDGEFILE_OK)
        return st;
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = pread(w->fd, (char *)data + done, bytes - done, (off_t)(start + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %s", w->name,
                                 start + done, n == 0 ? "the file ends" : strerror(errno));
        done += (uint64_t)n;
    }
    return EDGEFILE_OK;
}

/* An object may have several names, and virtual datasets share a heap: once is enough. */
static int add(metadata_walk *w, metadata_kind kind, uint64_t start, uint64_t bytes, int flags)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->blocks[i].kind == kind && w->blocks[i].start == start)
            return EDGEFILE_OK;
    if (w->n == sizeof w->blocks / sizeof *w->blocks)
        return foreign(w, "very many objects");
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

    if (w->file_bytes < sizeof data)
        return truncated(w, sizeof data);
    st = read_bytes(w, 0, sizeof data, data);
    if (st != EDGEFILE_OK)
        return st;
    if (data[8] < 2 || data[8] > 3 || data[9] != 8 || data[10] != 8)
        return foreign(w, "another superblock");
    if (!metadata_sum_ok(data, sizeof data))
        return metadata_damaged(w, "the superblock", 0);
    if (metadata_number(data + 12, 8) != 0 || metadata_number(data + 20, 8) != NOWHERE)
        return foreign(w, "a user block or a superblock extension");
    w->end = metadata_number(data + 28, 8);
    if (w->end > w->file_bytes)
        return truncated(w, w->end);
    st = add(w, METADATA_SUPERBLOCK, 0, sizeof data, 0);
    return st == EDGEFILE_OK ? add(w, METADATA_HEADER, metadata_number(data + 36, 8), 0, 0) : st;
}

static int link_message(metadata_walk *w, cursor *c)
{
    int flags = (int)(take(c, 2) >> 8); /* behind the version */
    int is_hard = (flags & 8) == 0 || take(c, 1) == 0;

    skip(c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0)); /* creation order, character set */
    skip(c, take(c, (size_t)1 << (flags & 3)));          /* the name */
    return is_hard ? add(w, METADATA_HEADER, take(c, 8), 0, 0) : EDGEFILE_OK;
}

/* Of links and of attributes: where they lie when there are many.  order: bytes of the highest
 * creation order. */
static int info_message(const metadata_walk *w, cursor *c, uint64_t order, const char *what)
{
    int flags = (int)(take(c, 2) >> 8);

    skip(c, flags & 1 ? order : 0);
    return take(c, 8) == NOWHERE && take(c, 8) == NOWHERE ? EDGEFILE_OK : foreign(w, what);
}

/* One of variable length lies in a heap. */
static int attribute_message(const metadata_walk *w, cursor *c)
{
    int version = (int)take(c, 1), flags = (int)take(c, 1);
    uint64_t name_bytes = take(c, 2);

    skip(c, version == 3 ? 5 : 4);
    skip(c, name_bytes);
    return version >= 2 && flags == 0 && (take(c, 1) & 15) != VARIABLE_LENGTH
               ? EDGEFILE_OK
               : foreign(w, "an attribute of variable length");
}

static int layout_message(metadata_walk *w, cursor *c)
{
    uint64_t version = take(c, 1), kind = take(c, 1), start = take(c, 8);

    if (version == 3 || version == 4) {
        if (kind == CONTIGUOUS) {
            uint64_t bytes = take(c, 8);
            return start == NOWHERE || bytes == 0 ? EDGEFILE_OK
                                                  : add(w, METADATA_DATA, start, bytes, 0);
        }
        if (kind == VIRTUAL)
            return start == NOWHERE ? EDGEFILE_OK : add(w, METADATA_HEAP, start, 0, 0);
    }
    return foreign(w, "a dataset of another layout");
}

static int message(metadata_walk *w, uint64_t type, int flags, cursor *c)
{
    switch (type) {
    case LINK_INFO:
        return info_message(w, c, 8, "very many links");
    case LINK:
        return link_message(w, c);
    case EXTERNAL_FILES:
    case FILTERS:
        return foreign(w, "a dataset that is filtered or in other files");
    case LAYOUT:
        return layout_message(w, c);
    case ATTRIBUTE:
        return attribute_message(w, c);
    case CONTINUATION: {
        uint64_t start = take(c, 8), bytes = take(c, 8);
        return add(w, METADATA_CONTINUATION, start, bytes, flags);
    }
    case ATTRIBUTE_INFO:
        return info_message(w, c, 2, "very many or very long attributes");
    default:
        return EDGEFILE_OK;
    }
}

/* The messages of a header with these flags. */
static int messages(metadata_walk *w, int flags, cursor c)
{
    uint64_t prefix = flags & ORDERED ? 6 : 4;
    int st = EDGEFILE_OK;

    while (st == EDGEFILE_OK && c.left >= prefix) { /* less is a gap */
        uint64_t type = take(&c, 1), bytes = take(&c, 2), is_shared = take(&c, 1) & 2;
        cursor body;
        skip(&c, prefix - 4);
        body = (cursor){c.at, bytes, 0};
        skip(&c, bytes);
        if (c.is_short)
            return foreign(w, "an object header of another version");
        st = is_shared ? foreign(w, "a shared message") : message(w, type, flags, &body);
        if (body.is_short)
            st = foreign(w, "an object header of another version");
    }
    return st;
}

/* The block's flags and length, and where its messages begin. */
static int measure_header(metadata_walk *w, metadata_block *b, uint64_t *first)
{
    unsigned char start[34]; /* as long as the part before the messages can be */
    uint64_t at = 6;
    size_t width;
    int st = read_bytes(w, b->start, sizeof start, start);

    if (st != EDGEFILE_OK)
        return st;
    if (start[0] == 1 && start[1] == 0)
        return foreign(w, "an object header without a checksum");
    if (memcmp(start, "OHDR", 4) != 0)
        return metadata_damaged(w, "an object header", b->start);
    b->flags = start[5];
    at += (b->flags & TIMES ? 16 : 0) + (b->flags & PHASE_CHANGE ? 4 : 0);
    width = (size_t)1 << (b->flags & 3);
    *first = at + width;
    b->bytes = metadata_number(start + at, width);
    if (b->bytes > MAX_BLOCK)
        return metadata_damaged(w, "an object header", b->start);
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

    if (st == EDGEFILE_OK)
        st = check_range(w, b->start, b->bytes);
    if (st != EDGEFILE_OK)
        return st;
    data = malloc(b->bytes + 1);
    if (data == NULL)
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", w->name);
    st = read_bytes(w, b->start, b->bytes, data);
    if (st != EDGEFILE_OK)
        goto done;
    if (b->kind == METADATA_HEAP)
        st = metadata_heap_check(w, b->start, data, b->bytes);
    else if (b->bytes < first + SUM_BYTES || !metadata_sum_ok(data, b->bytes))
        st = metadata_damaged(w, "an object header", b->start);
    else
        st = messages(w, b->flags, (cursor){data + first, b->bytes - first - SUM_BYTES, 0});
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
            (kind == METADATA_HEAP && w->with_heaps))
            st = visit(w, &w->blocks[i]);
    }
    return st;
}
