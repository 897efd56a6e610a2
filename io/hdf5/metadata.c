/*
 * metadata.c - finds the indices of the chunks of a compressed file, without HDF5.
 *
 * It follows the "HDF5 File Format Specification, version 3" from the superblock through object
 * headers to the root of each dataset's index, and has the checksum of HDF5's metadata.
 */
#include "io/files.h"
#include "io/hdf5/metadata_walk.h"
#include "io/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUPERBLOCK_BYTES = 48, SUM_BYTES = 4, MAX_BLOCK = 1 << 30 };

enum { TIMES = 0x20, PHASE_CHANGE = 0x10 }; /* flags of an object header */

/* Fail with EDGEFILE_ERR_FORMAT. */
static int edgefile_metadata_foreign(const metadata_walk *w, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %s, which cannot be checked", w->name, what);
}

static int edgefile_metadata_damaged(const metadata_walk *w, const char *what, uint64_t at)
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
static int edgefile_metadata_add(metadata_walk *w, metadata_kind kind, uint64_t start,
                                 uint64_t bytes, int flags)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->blocks[i].kind == kind && w->blocks[i].start == start) {
            return EDGEFILE_OK;
        }
    }
    if (w->n == sizeof w->blocks / sizeof *w->blocks) {
        return edgefile_metadata_foreign(w, "too many objects");
    }
    w->blocks[w->n++] = (metadata_block){kind, start, bytes, flags, w->dataset};
    return EDGEFILE_OK;
}

/*
 * Finds the blocks that an object header refers to: continuations of itself,
 * objects that are linked to, data, heaps.
 *
 * Other messages matter only if they show that something is stored in a way which this library
 * does not use.
 */

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

enum { CONTIGUOUS = 1, CHUNKED = 2 }; /* layouts */
enum { DEFLATE = 1, SHUFFLE = 2 };    /* filters */
enum { VARIABLE_LENGTH = 9 };         /* class of a datatype */
enum { ORDERED = 0x04 };              /* flag of an object header: messages have an order */

/* Reads through a block.  Beyond its end there are zeros, and is_short is set. */
typedef struct {
    const unsigned char *at;
    uint64_t left;
    bool is_short;
} cursor;

static const unsigned char *skip(cursor *c, uint64_t bytes)
{
    const unsigned char *at = c->at;

    if (bytes > c->left) {
        c->is_short = true;
        bytes = c->left;
    }
    c->at += bytes;
    c->left -= bytes;
    return at;
}

static uint64_t take_message(cursor *c, size_t bytes)
{
    const unsigned char *at = skip(c, bytes);

    return c->is_short ? 0 : edgefile_metadata_number(at, bytes);
}

static int dataset_of(const unsigned char *name, uint64_t length)
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        for (edgefile_format f = EDGEFILE_EDGES; f <= EDGEFILE_CSR; f++) {
            const char *text = edgefile_dataset_name(f, i);

            if (text != NULL && strlen(text) == length && memcmp(text, name, length) == 0) {
                return i;
            }
        }
    }
    return 0;
}

static int link_message(metadata_walk *w, cursor *c)
{
    const int dataset = w->dataset;
    const unsigned char *name;
    uint64_t length;
    int st = EDGEFILE_OK;
    int flags = (int)(take_message(c, 2) >> 8); /* after the version */
    const bool is_hard = (flags & 8) == 0 || take_message(c, 1) == 0;

    skip(c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0)); /* creation order, character set */
    length = take_message(c, (size_t)1 << (flags & 3));
    name = skip(c, length);
    if (is_hard && !c->is_short) {
        w->dataset = dataset_of(name, length);
        st = edgefile_metadata_add(w, METADATA_HEADER, take_message(c, 8), 0, 0);
        w->dataset = dataset;
    }
    return st;
}

/* A message that says where links or attributes are if there are many of them.  order: bytes of its
 * field for the highest creation order. */
static int info_message(const metadata_walk *w, cursor *c, uint64_t order, const char *what)
{
    int flags = (int)(take_message(c, 2) >> 8);

    skip(c, flags & 1 ? order : 0);
    return take_message(c, 8) == METADATA_NOWHERE && take_message(c, 8) == METADATA_NOWHERE
               ? EDGEFILE_OK
               : edgefile_metadata_foreign(w, what);
}

/* An attribute of variable length would be in a heap. */
static int attribute_message(const metadata_walk *w, cursor *c)
{
    int version = (int)take_message(c, 1), flags = (int)take_message(c, 1);
    uint64_t name_bytes = take_message(c, 2);

    skip(c, version == 3 ? 5 : 4);
    skip(c, name_bytes);
    return version >= 2 && flags == 0 && (take_message(c, 1) & 15) != VARIABLE_LENGTH
               ? EDGEFILE_OK
               : edgefile_metadata_foreign(w, "an attribute of variable length");
}

/* Shuffle and deflate, as the filters of compressed files. */
static int filters_message(const metadata_walk *w, cursor *c)
{
    static const unsigned id[] = {SHUFFLE, DEFLATE};
    bool ours = take_message(c, 1) == 2 && take_message(c, 1) == 2; /* version, number of filters */

    for (int i = 0; i < 2; i++) {
        ours = ours && take_message(c, 2) == id[i];
        skip(c, 2); /* flags */
        skip(c, 4 * take_message(c, 2));
    }
    return ours ? EDGEFILE_OK : edgefile_metadata_foreign(w, "a dataset with other filters");
}

static int layout_message(metadata_walk *w, cursor *c)
{
    uint64_t version = take_message(c, 1), kind = take_message(c, 1), start;

    if (version == 3 && kind == CHUNKED &&
        take_message(c, 1) == 2) { /* 1-D and bytes of an element */
        return edgefile_metadata_add(w, METADATA_TREE, take_message(c, 8), EDGEFILE_NODE_BYTES, 0);
    }
    start = take_message(c, 8);
    if (version == 3 || version == 4) {
        if (kind == CONTIGUOUS) {
            uint64_t bytes = take_message(c, 8);
            return start == METADATA_NOWHERE || bytes == 0
                       ? EDGEFILE_OK
                       : edgefile_metadata_add(w, METADATA_DATA, start, bytes, 0);
        }
    }
    return edgefile_metadata_foreign(w, "a dataset of another layout");
}

static int message(metadata_walk *w, uint64_t type, int flags, cursor *c)
{
    switch (type) {
    case LINK_INFO:
        return info_message(w, c, 8, "too many links");
    case LINK:
        return link_message(w, c);
    case EXTERNAL_FILES:
        return edgefile_metadata_foreign(w, "a dataset that is in other files");
    case FILTERS:
        return filters_message(w, c);
    case LAYOUT:
        return layout_message(w, c);
    case ATTRIBUTE:
        return attribute_message(w, c);
    case CONTINUATION: {
        uint64_t start = take_message(c, 8), bytes = take_message(c, 8);
        return edgefile_metadata_add(w, METADATA_CONTINUATION, start, bytes, flags);
    }
    case ATTRIBUTE_INFO:
        return info_message(w, c, 2, "too many or too long attributes");
    default:
        return EDGEFILE_OK;
    }
}

/* metadata.c: goes through the messages of a header, or of a continuation of it. */
static int edgefile_metadata_messages(metadata_walk *w, int flags, const unsigned char *data,
                                      uint64_t size)
{
    cursor c = {data, size, false};
    uint64_t prefix = flags & ORDERED ? 6 : 4;
    int st = EDGEFILE_OK;

    while (st == EDGEFILE_OK && c.left >= prefix) { /* fewer bytes are padding */
        uint64_t type = take_message(&c, 1), bytes = take_message(&c, 2),
                 is_shared = take_message(&c, 1) & 2;
        cursor body;
        skip(&c, prefix - 4);
        body = (cursor){c.at, bytes, false};
        skip(&c, bytes);
        if (c.is_short) {
            return edgefile_metadata_foreign(w, "an object header of another version");
        }
        st = is_shared ? edgefile_metadata_foreign(w, "a shared message")
                       : message(w, type, flags, &body);
        if (body.is_short) {
            st = edgefile_metadata_foreign(w, "an object header of another version");
        }
    }
    return st;
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

/* Reads a block, checks it, and adds the blocks that it refers to. */
static int visit(metadata_walk *w, metadata_block *b)
{
    uint64_t first = 4; /* where the messages begin */
    unsigned char *data = NULL;
    int st = b->kind == METADATA_HEADER ? measure_header(w, b, &first) : EDGEFILE_OK;

    w->dataset = b->dataset;
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
    if (b->bytes < first + SUM_BYTES || !edgefile_metadata_sum_ok(data, b->bytes)) {
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
    (void)with_heaps;
    if (fstat(fd, &file) != 0) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    } else {
        w->file_bytes = (uint64_t)file.st_size;
        st = superblock(w);
    }
    for (size_t i = 0; st == EDGEFILE_OK && i < w->n; i++) {
        metadata_kind kind = w->blocks[i].kind;
        if (kind == METADATA_HEADER || kind == METADATA_CONTINUATION) {
            st = visit(w, &w->blocks[i]);
        }
    }
    if (st != EDGEFILE_OK) {
        free(w);
        *walk = NULL;
    }
    return st;
}

/*
 * The checksum of HDF5's metadata: Bob Jenkins' lookup3 (2006, public domain)
 * over bytes, as the appendix "Checksum" of HDF5's file format specification names it.
 */

static uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void mix(uint32_t s[3])
{
    static const int by[6] = {4, 6, 8, 16, 19, 4};

    for (int i = 0; i < 6; i++) {
        uint32_t *x = &s[i % 3], *y = &s[(i + 1) % 3], *z = &s[(i + 2) % 3];
        *x = (*x - *z) ^ rotate(*z, by[i]);
        *z += *y;
    }
}

static void finish(uint32_t s[3])
{
    static const int by[7] = {14, 11, 25, 16, 4, 14, 24};

    for (int i = 0; i < 7; i++) {
        uint32_t *x = &s[(i + 2) % 3], *y = &s[(i + 1) % 3];
        *x = (*x ^ *y) - rotate(*y, by[i]);
    }
}

uint32_t edgefile_metadata_checksum(const unsigned char *data, size_t bytes)
{
    unsigned char last[12] = {0};
    uint32_t start = 0xdeadbeef + (uint32_t)bytes, s[3] = {start, start, start};

    if (bytes == 0) {
        return start;
    }
    for (; bytes > sizeof last; data += sizeof last, bytes -= sizeof last) {
        for (int i = 0; i < 3; i++) {
            s[i] += word(data + 4 * i);
        }
        mix(s);
    }
    memcpy(last, data, bytes);
    for (int i = 0; i < 3; i++) {
        s[i] += word(last + 4 * i);
    }
    finish(s);
    return s[2];
}
