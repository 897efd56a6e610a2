/*
 * encode.c - a page of a Parquet file: its header and its values.  Columns are required and flat,
 * so there are no levels.
 */
#include "io/formats/parquet/delta.h"
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { HEADER = 64 /* at most */, ZSTD_LEVEL = 1 };

/* Of a page's values: differences then take up to 28 bits, the most that fastparquet (2026.9 and
 * before) reads; it takes wider ones for other numbers. */
#define NARROW ((uint64_t)1 << 27)

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
    range->encodings |= more->encodings;
}

static parquet_range range_i32(const int32_t *x, size_t count)
{
    int32_t least = x[0], greatest = x[0];

    for (size_t i = 1; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (parquet_range){.least = (uint32_t)least, .greatest = (uint32_t)greatest};
}

static parquet_range range_i64(const int64_t *x, size_t count)
{
    int64_t least = x[0], greatest = x[0];

    for (size_t i = 1; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (parquet_range){.least = (uint64_t)least, .greatest = (uint64_t)greatest};
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
        range = (parquet_range){.least = *(const uint32_t *)values,
                                .greatest = *(const uint32_t *)values};
        for (size_t i = 1; i < count; i++) {
            const uint64_t x = ((const uint32_t *)values)[i];

            parquet_add_range(&range, &(parquet_range){.least = x, .greatest = x}, type);
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

/* Returns the bytes that they take, up to parquet_delta_room(). */
static size_t encode_values(void *to, parquet_encoding encoding, parquet_type type,
                            const void *values, size_t count)
{
    const size_t width = parquet_width(type);

    switch (encoding) {
    case PARQUET_DELTA:
        return width == 8 ? parquet_delta64(to, values, count) : parquet_delta32(to, values, count);
    case PARQUET_SPLIT:
        return split(to, values, width, count);
    default:
        memcpy(to, values, count * width);
        return count * width;
    }
}

/* A header tells how long the values are: where that shows only when they are encoded, it comes
 * last, and they move behind it. */
static int put_values(graphfile_buffer *to, parquet_encoding encoding, parquet_type type,
                      const void *values, size_t count)
{
    const size_t room = parquet_delta_room(count, parquet_width(type));
    size_t bytes = count * parquet_width(type);
    uint8_t *at;

    if (encoding != PARQUET_DELTA) {
        EDGEFILE_TRY(put_header(to, encoding, bytes, bytes, count));
    }
    at = (uint8_t *)graphfile_reserve(to, HEADER + room);
    if (at == NULL) {
        return edgefile_no_memory(NULL);
    }
    if (encoding != PARQUET_DELTA) {
        to->bytes += encode_values(at, encoding, type, values, count);
        return EDGEFILE_OK;
    }
    bytes = encode_values(at + HEADER, encoding, type, values, count);
    EDGEFILE_TRY(put_header(to, encoding, bytes, bytes, count));
    memmove(to->data + to->bytes, at + HEADER, bytes);
    to->bytes += bytes;
    return EDGEFILE_OK;
}

/* *plain: what the page would take without compression.  Other versions of libzstd may write other
 * bytes of the same content. */
static int put_compressed(graphfile_buffer *to, uint64_t *plain, parquet_encoding encoding,
                          parquet_type type, const void *values, size_t count)
{
    const size_t most = parquet_delta_room(count, parquet_width(type));
    const size_t room = ZSTD_compressBound(most), begin = to->bytes;
    uint8_t *memory = malloc(most + room);
    size_t encoded, bytes;
    char *at;
    int st;

    if (memory == NULL) {
        return edgefile_no_memory(NULL);
    }
    encoded = encode_values(memory, encoding, type, values, count);
    bytes = ZSTD_compress(memory + most, room, memory, encoded, ZSTD_LEVEL);
    st =
        !ZSTD_isError(bytes) ? put_header(to, encoding, encoded, bytes, count) : EDGEFILE_ERR_NOMEM;
    *plain = to->bytes - begin + encoded;
    at = st == EDGEFILE_OK ? graphfile_reserve(to, bytes) : NULL;
    if (at != NULL) {
        memcpy(at, memory + most, bytes);
        to->bytes += bytes;
    }
    free(memory);
    return at != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);
}

static bool is_narrow(const parquet_range *r, parquet_type type)
{
    const uint64_t span = r->greatest - r->least;

    return (type == PARQUET_INT32 ? (uint32_t)span : span) < NARROW;
}

int parquet_encode(graphfile_buffer *to, parquet_range *range, const parquet_column *column,
                   const void *from, int from_bytes, size_t count)
{
    const size_t begin = to->bytes;
    parquet_encoding encoding = column->encoding;
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
    if (encoding == PARQUET_DELTA && column->narrow && !is_narrow(range, column->type)) {
        encoding = PARQUET_PLAIN;
    }
    range->encodings = (uint64_t)1 << encoding;
    if (column->codec != PARQUET_NO_CODEC) {
        st = put_compressed(to, &range->plain_bytes, encoding, column->type, from, count);
    } else {
        st = put_values(to, encoding, column->type, from, count);
        range->plain_bytes = to->bytes - begin;
    }
    free(wide);
    return st;
}
