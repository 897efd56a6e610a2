/*
 * decode.c - what is in a page of Parquet: see page.h.
 *
 * A page is levels, where the column may lack values, and values.  Levels and indices into a
 * dictionary come in runs, of one value or of bit-packed ones (the encoding RLE); a level says that
 * the value is there (1) or missing (0), and none may be missing.
 */
#include "io/formats/parquet/codec.h"
#include "io/formats/parquet/delta.h"
#include "io/formats/parquet/page.h"
#include "io/formats/parquet/thrift_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#ifdef RMAT_HAVE_SNAPPY
#include <snappy-c.h>
#endif
#include <zlib.h>
#include <zstd.h>

enum { SLACK = 16, ANY_HEADER = 15 + 32 }; /* bytes that may be read behind a page; of inflate() */

bool parquet_codec_is_known(int codec)
{
#ifdef RMAT_HAVE_SNAPPY
    if (codec == PARQUET_SNAPPY) {
        return true;
    }
#endif
    return codec == PARQUET_NO_CODEC || codec == PARQUET_GZIP || codec == PARQUET_ZSTD;
}

const char *parquet_codec_name(int codec)
{
    static const char *const names[] = {"none",   "Snappy", "gzip", "LZO",
                                        "Brotli", "LZ4",    "zstd", "LZ4_RAW"};

    return codec >= 0 && codec < (int)(sizeof names / sizeof *names) ? names[codec]
                                                                     : "an unknown codec";
}

static bool gunzip(void *to, size_t count, const void *from, size_t bytes)
{
    z_stream z = {.next_in = (Bytef *)from,
                  .avail_in = (uInt)bytes,
                  .next_out = to,
                  .avail_out = (uInt)count};
    bool right;

    if (inflateInit2(&z, ANY_HEADER) != Z_OK) {
        return false;
    }
    right = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
    inflateEnd(&z);
    return right;
}

/* Decodes what may be anything.  False: it is not exactly `count` bytes, or memory is exhausted. */
static bool parquet_codec_decode(int codec, void *to, size_t count, const void *from, size_t bytes)
{
    switch (codec) {
    case PARQUET_ZSTD:
        return ZSTD_decompress(to, count, from, bytes) == count;
    case PARQUET_GZIP:
        return gunzip(to, count, from, bytes);
#ifdef RMAT_HAVE_SNAPPY
    case PARQUET_SNAPPY: {
        size_t length;

        return snappy_uncompressed_length(from, bytes, &length) == SNAPPY_OK && length == count &&
               snappy_uncompress(from, bytes, to, &length) == SNAPPY_OK;
    }
#endif
    default:
        return false;
    }
}

/* Runs of values of `width` bits, which are read one after the other. */
typedef struct {
    thrift_reader t; /* its varints are Parquet's, too */
    unsigned width;
    uint64_t left;         /* values of the run; those of a packed one beyond the last count too */
    const uint8_t *packed; /* of which this is the beginning; NULL: all are `value` */
    uint32_t value;
} run_reader;

static bool next_run(run_reader *x)
{
    const uint64_t head = thrift_varint(&x->t), room = (uint64_t)(x->t.end - x->t.at);
    const uint64_t bytes = (head & 1) != 0 ? (head >> 1) * x->width : (x->width + 7) / 8;

    if (x->t.bad || head >> 1 == 0 || head >> 1 > UINT32_MAX || bytes > room) {
        return false;
    }
    x->packed = (head & 1) != 0 ? x->t.at : NULL;
    x->left = (head & 1) != 0 ? 8 * (head >> 1) : head >> 1;
    x->value = 0;
    for (uint64_t i = 0; i < bytes && x->packed == NULL; i++) {
        x->value |= (uint32_t)x->t.at[i] << 8 * i;
    }
    x->t.at += bytes;
    return true;
}

/* Value i of a packed run; up to 8 bytes behind it are read. */
static uint32_t packed_value(const run_reader *x, uint64_t i)
{
    const uint64_t bit = i * x->width;
    uint64_t word;

    memcpy(&word, x->packed + bit / 8, sizeof word);
    return (uint32_t)(word >> bit % 8 & (((uint64_t)1 << x->width) - 1));
}

/* *missing: the first value that is missing, or `count`.  False: the levels are damaged. */
static bool check_levels(const uint8_t *from, uint64_t bytes, uint64_t count, uint64_t *missing)
{
    run_reader x = {.t = {.at = from, .end = from + bytes}, .width = 1};

    *missing = count;
    for (uint64_t done = 0, n; done < count; done += n) {
        if (!next_run(&x)) {
            return false;
        }
        n = count - done < x.left ? count - done : x.left;
        for (uint64_t i = 0; i < (x.packed != NULL ? n : 1); i++) {
            if ((x.packed != NULL ? packed_value(&x, i) : x.value) != 1) {
                *missing = done + i;
                return true;
            }
        }
    }
    return true;
}

/* The first byte tells the width of the indices. */
static bool decode_indices(int64_t *to, uint64_t count, const uint8_t *from, uint64_t bytes,
                           const parquet_dictionary *d)
{
    run_reader x = {.t = {.at = from + 1, .end = from + bytes}, .width = bytes > 0 ? *from : 255};

    if (x.width > 32) {
        return false;
    }
    for (uint64_t done = 0, n; done < count; done += n) {
        if (!next_run(&x)) {
            return false;
        }
        n = count - done < x.left ? count - done : x.left;
        for (uint64_t i = 0; i < n; i++) {
            const uint32_t index = x.packed != NULL ? packed_value(&x, i) : x.value;

            if (index >= d->count) {
                return false;
            }
            to[done + i] = d->value[index];
        }
    }
    return true;
}

static void decode_plain(int64_t *to, const uint8_t *from, uint64_t count,
                         const parquet_column *column)
{
    if (parquet_width(column->type) == 8) {
        memcpy(to, from, 8 * count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        int32_t x;

        memcpy(&x, from + 4 * i, sizeof x);
        to[i] = x;
    }
}

static void decode_split(int64_t *to, const uint8_t *from, uint64_t count,
                         const parquet_column *column)
{
    const size_t width = parquet_width(column->type);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t x = 0;

        for (size_t k = 0; k < width; k++) {
            x |= (uint64_t)from[k * count + i] << 8 * k;
        }
        to[i] = width == 4 ? (int32_t)x : (int64_t)x;
    }
}

static bool decode_values(const parquet_column *column, const parquet_page *p,
                          const parquet_dictionary *d, const uint8_t *from, uint64_t bytes,
                          int64_t *to)
{
    const bool is_float = column->type == PARQUET_FLOAT || column->type == PARQUET_DOUBLE;

    if (!p->is_dictionary && parquet_is_indexed(p->encoding)) {
        return decode_indices(to, p->count, from, bytes, d);
    }
    if (p->encoding == PARQUET_DELTA) {
        if (is_float ||
            !parquet_delta_decode(to, p->count, from, bytes, column->type == PARQUET_INT32)) {
            return false;
        }
    } else if (bytes < p->count * parquet_width(column->type) ||
               (p->encoding == PARQUET_SPLIT && bytes > p->count * parquet_width(column->type))) {
        return false; /* fastparquet leaves 8 bytes behind plain values */
    } else if (p->encoding == PARQUET_SPLIT) {
        decode_split(to, from, p->count, column);
    } else {
        decode_plain(to, from, p->count, column);
    }
    for (uint64_t i = 0; i < p->count && column->is_unsigned && column->type == PARQUET_INT32;
         i++) {
        to[i] = (uint32_t)to[i];
    }
    return true;
}

static int damaged(const graphfile_reader *r, const parquet_column *column, const parquet_page *p)
{
    return parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", p->offset, column->name);
}

/* Behind the levels.  *from and *bytes are the page, then its values. */
static int pass_levels(const graphfile_reader *r, const parquet_column *column,
                       const parquet_page *p, const uint8_t **from, uint64_t *bytes)
{
    uint64_t length = p->levels, missing;
    uint32_t told;

    if (p->is_dictionary || (!column->optional && !p->version2)) {
        return EDGEFILE_OK;
    }
    if (!p->version2) {
        if (*bytes < sizeof told) {
            return damaged(r, column, p);
        }
        memcpy(&told, *from, sizeof told);
        *from += sizeof told;
        *bytes -= sizeof told;
        length = told;
    }
    if (length > *bytes || (column->optional && !check_levels(*from, length, p->count, &missing))) {
        return damaged(r, column, p);
    }
    if (column->optional && missing < p->count) {
        return parquet_bad(r,
                           "edge %" PRIu64 ": %s is missing (null); leave such rows out first, as "
                           "by dropna() in pandas",
                           p->first + missing, column->name);
    }
    *from += length;
    *bytes -= length;
    return EDGEFILE_OK;
}

/* The page without compression, in new memory. */
static int load(const graphfile_reader *r, const parquet_column *column, const parquet_page *p,
                uint8_t **memory, uint64_t *bytes)
{
    const uint64_t plain = p->codec != PARQUET_NO_CODEC ? p->plain : 0;
    uint8_t *stored;
    int st;

    *bytes = p->codec != PARQUET_NO_CODEC ? plain : p->bytes;
    *memory = malloc(p->bytes + plain + SLACK);
    if (*memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    stored = *memory + plain;
    memset(stored + p->bytes, 0, SLACK);
    st = graphfile_pread(r, p->offset, stored, p->bytes);
    if (st != EDGEFILE_OK || p->codec == PARQUET_NO_CODEC) {
        return st;
    }
    if (p->levels > p->bytes || p->levels > plain) {
        return damaged(r, column, p);
    }
    memcpy(*memory, stored, p->levels);
    if (p->levels == plain) { /* nothing is left to compress */
        return EDGEFILE_OK;
    }
    return parquet_codec_decode(p->codec, *memory + p->levels, plain - p->levels,
                                stored + p->levels, p->bytes - p->levels)
               ? EDGEFILE_OK
               : damaged(r, column, p);
}

int parquet_decode(const graphfile_reader *r, const parquet_column *column, const parquet_page *p,
                   const parquet_dictionary *d, int64_t *to)
{
    uint8_t *memory;
    const uint8_t *from;
    uint64_t bytes;
    int st = load(r, column, p, &memory, &bytes);

    from = memory;
    if (st == EDGEFILE_OK) {
        st = pass_levels(r, column, p, &from, &bytes);
    }
    if (st == EDGEFILE_OK && !decode_values(column, p, d, from, bytes, to)) {
        st = damaged(r, column, p);
    }
    free(memory);
    return st;
}

int parquet_load_dictionary(const graphfile_reader *r, const parquet_column *column,
                            const parquet_page *page, uint64_t number, parquet_dictionary *d)
{
    int st;

    if (d->number == number) {
        return EDGEFILE_OK;
    }
    free(d->value);
    *d = (parquet_dictionary){.count = page->count};
    d->value = malloc((page->count + 1) * sizeof *d->value);
    if (d->value == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = parquet_decode(r, column, page, NULL, d->value);
    d->number = st == EDGEFILE_OK ? number : 0;
    return st;
}
