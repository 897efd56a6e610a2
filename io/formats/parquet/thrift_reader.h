/*
 * thrift_reader.h - reads structures in Thrift's compact protocol (thrift.h) from bytes that may be
 * anything.  Private.
 *
 *     thrift_enter(&r);
 *     while ((field = thrift_next(&r, &type)) != 0) {
 *         if (field == 3 && type == THRIFT_I64) {
 *             edges = thrift_integer(&r);
 *         } else {
 *             thrift_skip(&r, type);
 *         }
 *     }
 *
 * What is malformed ends all loops and leaves `bad` set; what was read until then means nothing.
 */
#ifndef IO_FORMATS_PARQUET_THRIFT_READER_H
#define IO_FORMATS_PARQUET_THRIFT_READER_H

#include "io/formats/parquet/thrift.h"

typedef struct {
    const uint8_t *at, *end;
    bool bad;
    int depth, last[THRIFT_DEPTH]; /* as in thrift_writer; outermost first */
} thrift_reader;

void thrift_enter(thrift_reader *r); /* a structure */
/* The number of its next field, and the field's type; 0: there is none, and the structure is left.
 */
int thrift_next(thrift_reader *r, int *type);
void thrift_skip(thrift_reader *r, int type); /* the value of a field of this type */

int64_t thrift_integer(thrift_reader *r);
/* Returns where the bytes are, in the memory that is read; never NULL. */
const uint8_t *thrift_bytes(thrift_reader *r, size_t *n);
/* The number of a list's elements, which are of this type; 0 if they are of another one. */
size_t thrift_elements(thrift_reader *r, int type);
uint64_t thrift_varint(thrift_reader *r);

#endif
