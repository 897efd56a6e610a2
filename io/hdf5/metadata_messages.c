/*
 * metadata_messages.c - the blocks that an object header mentions: continuations of itself, objects
 * that are linked to, data, heaps.
 *
 * Of the messages that mention none only the kinds matter that lie elsewhere in a way that this
 * library does not use.
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

enum { CONTIGUOUS = 1, VIRTUAL = 3 }; /* layouts */
enum { VARIABLE_LENGTH = 9 };         /* class of a datatype */
enum { ORDERED = 0x04 };              /* flag of an object header: messages have an order */

/* Reads on within a block.  At its end: zeros, and short is set. */
typedef struct {
    const unsigned char *at;
    uint64_t left;
    int is_short;
} cursor;

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

static int link_message(metadata_walk *w, cursor *c)
{
    int flags = (int)(take(c, 2) >> 8); /* behind the version */
    int is_hard = (flags & 8) == 0 || take(c, 1) == 0;

    skip(c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0)); /* creation order, character set */
    skip(c, take(c, (size_t)1 << (flags & 3)));          /* the name */
    return is_hard ? metadata_add(w, METADATA_HEADER, take(c, 8), 0, 0) : EDGEFILE_OK;
}

/* Of links and of attributes: where they lie when there are many.  order: bytes of the highest
 * creation order. */
static int info_message(const metadata_walk *w, cursor *c, uint64_t order, const char *what)
{
    int flags = (int)(take(c, 2) >> 8);

    skip(c, flags & 1 ? order : 0);
    return take(c, 8) == METADATA_NOWHERE && take(c, 8) == METADATA_NOWHERE
               ? EDGEFILE_OK
               : metadata_foreign(w, what);
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
               : metadata_foreign(w, "an attribute of variable length");
}

static int layout_message(metadata_walk *w, cursor *c)
{
    uint64_t version = take(c, 1), kind = take(c, 1), start = take(c, 8);

    if (version == 3 || version == 4) {
        if (kind == CONTIGUOUS) {
            uint64_t bytes = take(c, 8);
            return start == METADATA_NOWHERE || bytes == 0
                       ? EDGEFILE_OK
                       : metadata_add(w, METADATA_DATA, start, bytes, 0);
        }
        if (kind == VIRTUAL) {
            return start == METADATA_NOWHERE ? EDGEFILE_OK
                                             : metadata_add(w, METADATA_HEAP, start, 0, 0);
        }
    }
    return metadata_foreign(w, "a dataset of another layout");
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
        return metadata_foreign(w, "a dataset that is filtered or in other files");
    case LAYOUT:
        return layout_message(w, c);
    case ATTRIBUTE:
        return attribute_message(w, c);
    case CONTINUATION: {
        uint64_t start = take(c, 8), bytes = take(c, 8);
        return metadata_add(w, METADATA_CONTINUATION, start, bytes, flags);
    }
    case ATTRIBUTE_INFO:
        return info_message(w, c, 2, "very many or very long attributes");
    default:
        return EDGEFILE_OK;
    }
}

int metadata_messages(metadata_walk *w, int flags, const unsigned char *data, uint64_t size)
{
    cursor c = {data, size, 0};
    uint64_t prefix = flags & ORDERED ? 6 : 4;
    int st = EDGEFILE_OK;

    while (st == EDGEFILE_OK && c.left >= prefix) { /* less is a gap */
        uint64_t type = take(&c, 1), bytes = take(&c, 2), is_shared = take(&c, 1) & 2;
        cursor body;
        skip(&c, prefix - 4);
        body = (cursor){c.at, bytes, 0};
        skip(&c, bytes);
        if (c.is_short) {
            return metadata_foreign(w, "an object header of another version");
        }
        st = is_shared ? metadata_foreign(w, "a shared message") : message(w, type, flags, &body);
        if (body.is_short) {
            st = metadata_foreign(w, "an object header of another version");
        }
    }
    return st;
}
