/* thrift_reader.c - Thrift's compact protocol: see thrift_reader.h. */
#include "io/formats/parquet/thrift_reader.h"

enum { TRUE = 1, FALSE = 2, BYTE = 3, I16 = 4, DOUBLE = 7, SET = 10, MAP = 11 };

static int fail(thrift_reader *r)
{
    r->bad = true;
    r->at = r->end;
    return 0;
}

static int get_byte(thrift_reader *r)
{
    return r->at < r->end ? *r->at++ : fail(r);
}

uint64_t thrift_varint(thrift_reader *r)
{
    uint64_t x = 0;

    for (int shift = 0; shift < 64; shift += 7) {
        const int byte = get_byte(r);

        x |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return x;
        }
    }
    fail(r);
    return 0;
}

int64_t thrift_integer(thrift_reader *r)
{
    const uint64_t x = thrift_varint(r);

    return (int64_t)(x >> 1 ^ (0 - (x & 1)));
}

const uint8_t *thrift_bytes(thrift_reader *r, size_t *n)
{
    const uint64_t length = thrift_varint(r);
    const uint8_t *from = r->at;

    if (length > (uint64_t)(r->end - r->at)) {
        fail(r);
        *n = 0;
        return r->end;
    }
    r->at += length;
    *n = (size_t)length;
    return from;
}

void thrift_enter(thrift_reader *r)
{
    if (r->depth == THRIFT_DEPTH) {
        fail(r);
        return;
    }
    r->last[r->depth++] = 0;
}

int thrift_next(thrift_reader *r, int *type)
{
    const int head = r->bad || r->depth == 0 ? 0 : get_byte(r);
    int *last = &r->last[r->depth > 0 ? r->depth - 1 : 0];

    *type = head & 15;
    if (*type == 0) {
        r->depth -= r->depth > 0;
        return 0;
    }
    if (head >> 4 == 0) {
        const int64_t number = thrift_integer(r);

        *last = number > 0 && number < INT16_MAX ? (int)number : fail(r);
    } else {
        *last += head >> 4;
    }
    if (r->bad || *last > INT16_MAX) {
        r->depth -= r->depth > 0;
        return fail(r);
    }
    return *last;
}

static size_t list_head(thrift_reader *r, int *type)
{
    const int head = get_byte(r);
    const uint64_t n = head >> 4 < 15 ? (uint64_t)(head >> 4) : thrift_varint(r);

    *type = head & 15;
    if (n > (uint64_t)(r->end - r->at)) { /* an element takes a byte at least */
        return (size_t)fail(r);
    }
    return (size_t)n;
}

size_t thrift_elements(thrift_reader *r, int type)
{
    int found;
    const size_t n = list_head(r, &found);

    if (n > 0 && found != type) {
        return (size_t)fail(r);
    }
    return r->bad ? 0 : n;
}

/* Structures and lists inside each other, up to THRIFT_DEPTH. */
static void skip(thrift_reader *r, int type, int depth)
{
    size_t n;
    int inner;

    if (depth > THRIFT_DEPTH) {
        fail(r);
        return;
    }
    switch (type) {
    case TRUE:
    case FALSE:
        return;
    case BYTE:
        get_byte(r);
        return;
    case I16:
    case THRIFT_I32:
    case THRIFT_I64:
        thrift_varint(r);
        return;
    case DOUBLE:
        if (r->end - r->at < 8) {
            fail(r);
        } else {
            r->at += 8;
        }
        return;
    case THRIFT_BINARY:
        thrift_bytes(r, &n);
        return;
    case THRIFT_LIST:
    case SET:
        n = list_head(r, &inner);
        for (size_t i = 0; i < n && !r->bad; i++) {
            if (inner == TRUE || inner == FALSE) {
                get_byte(r); /* a flag in a list has a byte of its own */
            } else {
                skip(r, inner, depth + 1);
            }
        }
        return;
    case THRIFT_STRUCT:
        thrift_enter(r);
        while (thrift_next(r, &inner) != 0) {
            skip(r, inner, depth + 1);
        }
        return;
    default: /* maps, which Parquet has not, and what is unknown */
        fail(r);
    }
}

void thrift_skip(thrift_reader *r, int type)
{
    skip(r, type, 0);
}
