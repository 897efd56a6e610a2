/* thrift.c - Thrift's compact protocol: see thrift.h. */
#include "io/formats/parquet/thrift.h"

#include <string.h>

enum { TRUE = 1, FALSE = 2 }; /* the types of fields that are flags, and their values */

void thrift_raw(thrift_writer *t, const void *bytes, size_t n)
{
    if (t->to != NULL) {
        memcpy(t->to + t->bytes, bytes, n);
    }
    t->bytes += n;
}

static void put_byte(thrift_writer *t, int byte)
{
    thrift_raw(t, &(uint8_t){(uint8_t)byte}, 1);
}

static void put_varint(thrift_writer *t, uint64_t x)
{
    for (; x >= 128; x >>= 7) {
        put_byte(t, (int)(x & 127) | 128);
    }
    put_byte(t, (int)x);
}

static uint64_t zigzag(int64_t x)
{
    return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static void put_text(thrift_writer *t, const void *bytes, size_t n)
{
    put_varint(t, n);
    thrift_raw(t, bytes, n);
}

/* A field number is 1 to 15 above the previous one in all of Parquet's structures, if a structure
 * begins at its first field. */
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
    put_varint(t, zigzag(value));
}

void thrift_i64(thrift_writer *t, int field, int64_t value)
{
    begin_field(t, field, THRIFT_I64);
    put_varint(t, zigzag(value));
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
    put_varint(t, zigzag(value));
}

void thrift_element_string(thrift_writer *t, const char *text)
{
    put_text(t, text, strlen(text));
}

void thrift_element_struct(thrift_writer *t)
{
    enter(t);
}
