/*
 * metadata_messages.c - finds the blocks that an object header refers to: continuations of itself,
 * objects that are linked to, data, heaps.
 *
 * Other messages matter only if they show that something is stored in a way which this library
 * does not use.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

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

enum { CONTIGUOUS = 1, CHUNKED = 2, VIRTUAL = 3 }; /* layouts */
enum { DEFLATE = 1, SHUFFLE = 2 };                 /* filters */
enum { VARIABLE_LENGTH = 9 };                      /* class of a datatype */
enum { ORDERED = 0x04 }; /* flag of an object header: messages have an order */

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

static uint64_t take(cursor *c, size_t bytes)
{
    const unsigned char *at = skip(c, bytes);

    return c->is_short ? 0 : edgefile_metadata_number(at, bytes);
}

static int link_message(metadata_walk *w, cursor *c)
{
    int flags = (int)(take(c, 2) >> 8); /* after the version */
    const bool is_hard = (flags & 8) == 0 || take(c, 1) == 0;

    skip(c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0)); /* creation order, character set */
    skip(c, take(c, (size_t)1 << (flags & 3)));          /* the name */
    return is_hard ? edgefile_metadata_add(w, METADATA_HEADER, take(c, 8), 0, 0) : EDGEFILE_OK;
}

/* A message that says where links or attributes are if there are many of them.  order: bytes of its
 * field for the highest creation order. */
static int info_message(const metadata_walk *w, cursor *c, uint64_t order, const char *what)
{
    int flags = (int)(take(c, 2) >> 8);

    skip(c, flags & 1 ? order : 0);
    return take(c, 8) == METADATA_NOWHERE && take(c, 8) == METADATA_NOWHERE
               ? EDGEFILE_OK
               : edgefile_metadata_foreign(w, what);
}

/* An attribute of variable length would be in a heap. */
static int attribute_message(const metadata_walk *w, cursor *c)
{
    int version = (int)take(c, 1), flags = (int)take(c, 1);
    uint64_t name_bytes = take(c, 2);

    skip(c, version == 3 ? 5 : 4);
    skip(c, name_bytes);
    return version >= 2 && flags == 0 && (take(c, 1) & 15) != VARIABLE_LENGTH
               ? EDGEFILE_OK
               : edgefile_metadata_foreign(w, "an attribute of variable length");
}

/* Shuffle and deflate, as the filters of compressed files. */
static int filters_message(const metadata_walk *w, cursor *c)
{
    static const unsigned id[] = {SHUFFLE, DEFLATE};
    bool ours = take(c, 1) == 2 && take(c, 1) == 2; /* version, number of filters */

    for (int i = 0; i < 2; i++) {
        ours = ours && take(c, 2) == id[i];
        skip(c, 2); /* flags */
        skip(c, 4 * take(c, 2));
    }
    return ours ? EDGEFILE_OK : edgefile_metadata_foreign(w, "a dataset with other filters");
}

static int layout_message(metadata_walk *w, cursor *c)
{
    uint64_t version = take(c, 1), kind = take(c, 1), start;

    if (version == 3 && kind == CHUNKED && take(c, 1) == 2) { /* 1-D and bytes of an element */
        return edgefile_metadata_add(w, METADATA_TREE, take(c, 8), EDGEFILE_NODE_BYTES, 0);
    }
    start = take(c, 8);
    if (version == 3 || version == 4) {
        if (kind == CONTIGUOUS) {
            uint64_t bytes = take(c, 8);
            return start == METADATA_NOWHERE || bytes == 0
                       ? EDGEFILE_OK
                       : edgefile_metadata_add(w, METADATA_DATA, start, bytes, 0);
        }
        if (kind == VIRTUAL) {
            return start == METADATA_NOWHERE ? EDGEFILE_OK
                                             : edgefile_metadata_add(w, METADATA_HEAP, start, 0, 0);
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
        uint64_t start = take(c, 8), bytes = take(c, 8);
        return edgefile_metadata_add(w, METADATA_CONTINUATION, start, bytes, flags);
    }
    case ATTRIBUTE_INFO:
        return info_message(w, c, 2, "too many or too long attributes");
    default:
        return EDGEFILE_OK;
    }
}

int edgefile_metadata_messages(metadata_walk *w, int flags, const unsigned char *data,
                               uint64_t size)
{
    cursor c = {data, size, false};
    uint64_t prefix = flags & ORDERED ? 6 : 4;
    int st = EDGEFILE_OK;

    while (st == EDGEFILE_OK && c.left >= prefix) { /* fewer bytes are padding */
        uint64_t type = take(&c, 1), bytes = take(&c, 2), is_shared = take(&c, 1) & 2;
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
