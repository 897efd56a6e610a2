/*
 * encode.c - a page of a Parquet file: its header and its values.  Columns are required and flat,
 * so there are no levels.
 */
#include "io/formats/parquet/delta.h"
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift.h"
#include "io/formats/parquet/zstd.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 64 }; /* at most */

static float float_of(uint64_t bits)
{
    const uint32_t narrow = (uint32_t)bits;
    float x;

    memcpy(&x, &narrow, sizeof x);
    return x;
}

/* Is value a of this type below value b? */
static bool is_below(uint64_t a, uint64_t b, parquet_type type)
{
    switch (type) {
    case PARQUET_INT32:
        return (int32_t)a < (int32_t)b;
    case PARQUET_INT64:
        return (int64_t)a < (int64_t)b;
    default:
        return float_of(a) < float_of(b);
    }
}

void parquet_add_range(parquet_range *range, const parquet_range *more, parquet_type type)
{
    if (is_below(more->least, range->least, type)) {
        range->least = more->least;
    }
    if (is_below(range->greatest, more->greatest, type)) {
        range->greatest = more->greatest;
    }
    range->plain_bytes += more->plain_bytes;
}

static parquet_range range_i32(const int32_t *x, size_t count)
{
    int32_t least = x[0], greatest = x[0];

    for (size_t i = 1; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (parquet_range){(uint32_t)least, (uint32_t)greatest, 0};
}

static parquet_range range_i64(const int64_t *x, size_t count)
{
    int64_t least = x[0], greatest = x[0];

    for (size_t i = 1; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (parquet_range){(uint64_t)least, (uint64_t)greatest, 0};
}

static parquet_range range_of(parquet_type type, const void *values, size_t count)
{
    parquet_range range;

    switch (type) {
    case PARQUET_INT32:
        return range_i32(values, count);
    case PARQUET_INT64:
        return range_i64(values, count);
    default:
        range = (parquet_range){*(const uint32_t *)values, *(const uint32_t *)values, 0};
        for (size_t i = 1; i < count; i++) {
            const uint64_t x = ((const uint32_t *)values)[i];

            parquet_add_range(&range, &(parquet_range){x, x, 0}, type);
        }
        return range;
    }
}

/* plain: the bytes of the values before they are compressed to so many. */
static int put_header(graphfile_buffer *to, parquet_encoding encoding, size_t plain, size_t bytes,
                      size_t count)
{
    thrift_writer t = {.to = to};

    thrift_i32(&t, 1, 0); /* a data page */
    thrift_i32(&t, 2, (int32_t)plain);
    thrift_i32(&t, 3, (int32_t)bytes);
    thrift_struct(&t, 5);
    thrift_i32(&t, 1, (int32_t)count);
    thrift_i32(&t, 2, (int32_t)encoding);
    thrift_i32(&t, 3, PARQUET_RLE); /* of the levels that there are not */
    thrift_i32(&t, 4, PARQUET_RLE);
    thrift_end(&t);
    thrift_end(&t);
    return t.status;
}

static size_t encode_delta(void *to, const parquet_column *column, const void *values, size_t count)
{
    return column->type == PARQUET_INT64 ? parquet_delta64(to, values, count)
                                         : parquet_delta32(to, values, count);
}

/* The header tells how long the values are, and so comes last; it then moves before them. */
static int put_delta(graphfile_buffer *to, const parquet_column *column, const void *values,
                     size_t count)
{
    const size_t room = parquet_delta_room(count, parquet_width(column->type));
    uint8_t *at = (uint8_t *)graphfile_reserve(to, HEADER + room);
    size_t bytes, begin = to->bytes, header;

    if (at == NULL) {
        return edgefile_no_memory(NULL);
    }
    bytes = encode_delta(at + HEADER, column, values, count);
    EDGEFILE_TRY(put_header(to, PARQUET_DELTA, bytes, bytes, count));
    header = to->bytes - begin;
    memmove(to->data + to->bytes, to->data + begin + HEADER, bytes);
    to->bytes = begin + header + bytes;
    return EDGEFILE_OK;
}

static int put_plain(graphfile_buffer *to, const parquet_column *column, const void *values,
                     size_t count)
{
    const size_t bytes = count * parquet_width(column->type);
    char *at;

    EDGEFILE_TRY(put_header(to, PARQUET_PLAIN, bytes, bytes, count));
    at = graphfile_reserve(to, bytes);
    if (at == NULL) {
        return edgefile_no_memory(NULL);
    }
    memcpy(at, values, bytes);
    to->bytes += bytes;
    return EDGEFILE_OK;
}

/* The first bytes of all values, then their second bytes, and so on. */
static size_t split(uint8_t *to, const uint8_t *values, size_t width, size_t count)
{
    for (size_t k = 0; k < width; k++) {
        for (size_t i = 0; i < count; i++) {
            to[k * count + i] = values[i * width + k];
        }
    }
    return count * width;
}

static int put_compressed(graphfile_buffer *to, parquet_range *range, const parquet_column *column,
                          const void *values, size_t count)
{
    const size_t width = parquet_width(column->type), most = parquet_delta_room(count, width);
    const size_t room = parquet_zstd_room(most), begin = to->bytes;
    uint8_t *memory = malloc(most + room);
    size_t plain, bytes;
    char *at;
    int st;

    if (memory == NULL) {
        return edgefile_no_memory(NULL);
    }
    plain = column->encoding == PARQUET_DELTA ? encode_delta(memory, column, values, count)
                                              : split(memory, values, width, count);
    bytes = parquet_zstd_encode(memory + most, room, memory, plain);
    st = bytes > 0 ? put_header(to, column->encoding, plain, bytes, count) : EDGEFILE_ERR_NOMEM;
    range->plain_bytes = to->bytes - begin + plain;
    at = st == EDGEFILE_OK ? graphfile_reserve(to, bytes) : NULL;
    if (at != NULL) {
        memcpy(at, memory + most, bytes);
        to->bytes += bytes;
    }
    free(memory);
    return at != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);
}

int parquet_encode(graphfile_buffer *to, parquet_range *range, const parquet_column *column,
                   const void *from, int from_bytes, size_t count)
{
    const size_t begin = to->bytes;
    uint64_t *wide = NULL;
    int st;

    if ((int)parquet_width(column->type) != from_bytes) { /* ids of 32 bits, which int32 has not */
        wide = malloc(count * sizeof *wide);
        if (wide == NULL) {
            return edgefile_no_memory(NULL);
        }
        graphfile_widen(wide, 1, from, count);
        from = wide;
    }
    *range = range_of(column->type, from, count);
    if (column->codec != PARQUET_NO_CODEC) {
        st = put_compressed(to, range, column, from, count);
    } else {
        st = column->encoding == PARQUET_DELTA ? put_delta(to, column, from, count)
                                               : put_plain(to, column, from, count);
        range->plain_bytes = to->bytes - begin;
    }
    free(wide);
    return st;
}
