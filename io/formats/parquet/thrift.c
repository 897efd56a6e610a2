/* thrift.c - Thrift's compact protocol: see thrift.h. */
#include "io/formats/parquet/thrift.h"
#include "io/formats/parquet/thrift_reader.h"

#include <string.h>

enum { TRUE = 1, FALSE = 2 }; /* the types of fields that are flags, and their values */

static void put_raw(thrift_writer *t, const void *bytes, size_t n)
{
    char *to = t->status == EDGEFILE_OK ? graphfile_reserve(t->to, n) : NULL;

    if (to != NULL) {
        memcpy(to, bytes, n);
        t->to->bytes += n;
    } else if (t->status == EDGEFILE_OK) {
        t->status = edgefile_no_memory(NULL);
    }
}

static void put_byte(thrift_writer *t, int byte)
{
    put_raw(t, &(uint8_t){(uint8_t)byte}, 1);
}

static void put_varint(thrift_writer *t, uint64_t x)
{
    uint8_t text[THRIFT_VARINT];

    put_raw(t, text, (size_t)(thrift_put_varint(text, x) - text));
}

static void put_text(thrift_writer *t, const void *bytes, size_t n)
{
    put_varint(t, n);
    put_raw(t, bytes, n);
}

/* Numbers rise by 1 to 15 in all of Parquet's structures, as long as one begins at the first. */
static void begin_field(thrift_writer *t, int field, int type)
{
    put_byte(t, (field - t->last[t->depth]) << 4 | type);
    t->last[t->depth] = field;
}

static void enter(thrift_writer *t)
{
    t->last[++t->depth] = 0;
}

void thrift_i32(thrift_writer *t, int field, int32_t value)
{
    begin_field(t, field, THRIFT_I32);
    put_varint(t, thrift_zigzag(value));
}

void thrift_i64(thrift_writer *t, int field, int64_t value)
{
    begin_field(t, field, THRIFT_I64);
    put_varint(t, thrift_zigzag(value));
}

void thrift_bool(thrift_writer *t, int field, bool value)
{
    begin_field(t, field, value ? TRUE : FALSE);
}

void thrift_binary(thrift_writer *t, int field, const void *bytes, size_t n)
{
    begin_field(t, field, THRIFT_BINARY);
    put_text(t, bytes, n);
}

void thrift_string(thrift_writer *t, int field, const char *text)
{
    thrift_binary(t, field, text, strlen(text));
}

void thrift_list(thrift_writer *t, int field, int type, size_t n)
{
    begin_field(t, field, THRIFT_LIST);
    if (n < 15) {
        put_byte(t, (int)n << 4 | type);
    } else {
        put_byte(t, 15 << 4 | type);
        put_varint(t, n);
    }
}

void thrift_struct(thrift_writer *t, int field)
{
    begin_field(t, field, THRIFT_STRUCT);
    enter(t);
}

void thrift_end(thrift_writer *t)
{
    put_byte(t, 0);
    if (t->depth > 0) {
        t->depth--;
    }
}

void thrift_element_i32(thrift_writer *t, int32_t value)
{
    put_varint(t, thrift_zigzag(value));
}

void thrift_element_string(thrift_writer *t, const char *text)
{
    put_text(t, text, strlen(text));
}

void thrift_element_struct(thrift_writer *t)
{
    enter(t);
}

/* The reader: see thrift_reader.h. */

enum { BYTE = 3, I16 = 4, DOUBLE = 7, SET = 10, MAP = 11 };

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
