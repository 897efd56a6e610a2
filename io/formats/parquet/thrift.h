/*
 * thrift.h - writes structures in Thrift's compact protocol, the encoding of Parquet's metadata.
 * Private.
 *
 * A structure is a sequence of fields in ascending order of their numbers.  A field is one byte and
 * its value; the byte holds its type and the increase of its number.  Integers are varints of
 * zigzag numbers: seven bits per byte, the lowest first, small negative numbers short.
 */
#ifndef IO_FORMATS_PARQUET_THRIFT_H
#define IO_FORMATS_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THRIFT_DEPTH = 8 };

/* Types of fields and of elements of lists. */
enum { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

/* Initialize with {.to = memory} that is large enough, or with {.to = NULL} to measure: then
 * nothing is written, only counted. */
typedef struct {
    char *to;
    uint64_t bytes; /* so far */
    int depth;
    int last[THRIFT_DEPTH]; /* the number of the last field of each open structure */
} thrift_writer;

/* Fields of the innermost open structure. */
void thrift_i32(thrift_writer *t, int field, int32_t value);
void thrift_i64(thrift_writer *t, int field, int64_t value);
void thrift_bool(thrift_writer *t, int field, bool value);
void thrift_binary(thrift_writer *t, int field, const void *bytes, size_t n);
void thrift_string(thrift_writer *t, int field, const char *text);
void thrift_list(thrift_writer *t, int field, int type, size_t n); /* its elements follow */
void thrift_struct(thrift_writer *t, int field);                   /* its fields follow, until: */
void thrift_end(thrift_writer *t);

/* Elements of a list; a structure's fields follow, until thrift_end(). */
void thrift_element_i32(thrift_writer *t, int32_t value);
void thrift_element_string(thrift_writer *t, const char *text);
void thrift_element_struct(thrift_writer *t);

/* Bytes after the last structure. */
void thrift_raw(thrift_writer *t, const void *bytes, size_t n);

#endif
