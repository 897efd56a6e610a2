/* thrift.c - Thrift's compact protocol: see thrift.h. */
#include "io/formats/parquet/thrift.h"

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
