/*
 * footer.c - the metadata at the end of a Parquet file: the columns, where they are in each row
 * group, with the range of their values, and what made the file.
 */
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 2, REQUIRED = 0 };

static void put_schema(thrift_writer *t, const parquet_column *column, int n)
{
    thrift_list(t, 2, THRIFT_STRUCT, (size_t)n + 1);
    thrift_element_struct(t);
    thrift_string(t, 4, "edges");
    thrift_i32(t, 5, n);
    thrift_end(t);
    for (int i = 0; i < n; i++) {
        thrift_element_struct(t);
        thrift_i32(t, 1, (int32_t)column[i].type);
        thrift_i32(t, 3, REQUIRED);
        thrift_string(t, 4, column[i].name);
        thrift_end(t);
    }
}

/* A zero of either sign may stand for the other, which readers that compare bits do not see. */
static void put_ranges(thrift_writer *t, const parquet_range *range, parquet_type type)
{
    const uint32_t sign = (uint32_t)1 << 31;
    const size_t width = parquet_width(type);
    uint64_t least = range->least, greatest = range->greatest;

    if (type == PARQUET_FLOAT && (least & ~sign) == 0) {
        least = sign;
    }
    if (type == PARQUET_FLOAT && (greatest & ~sign) == 0) {
        greatest = 0;
    }
    thrift_struct(t, 12);
    thrift_i64(t, 3, 0); /* nulls */
    thrift_binary(t, 5, &greatest, width);
    thrift_binary(t, 6, &least, width);
    thrift_end(t);
}

static void put_encodings(thrift_writer *t, uint64_t bits)
{
    thrift_list(t, 2, THRIFT_I32, (size_t)__builtin_popcountll(bits));
    for (int32_t i = 0; i < 64; i++) {
        if (bits >> i & 1) {
            thrift_element_i32(t, i);
        }
    }
}

static void put_chunk(thrift_writer *t, const parquet_column *column, const parquet_chunk *chunk,
                      uint64_t edges)
{
    thrift_element_struct(t);
    thrift_i64(t, 2, 0); /* no other metadata of the column; Parquet has given this field up */
    thrift_struct(t, 3);
    thrift_i32(t, 1, (int32_t)column->type);
    put_encodings(t, chunk->range.encodings | (uint64_t)1 << PARQUET_RLE);
    thrift_list(t, 3, THRIFT_BINARY, 1);
    thrift_element_string(t, column->name);
    thrift_i32(t, 4, (int32_t)column->codec);
    thrift_i64(t, 5, (int64_t)edges);
    thrift_i64(t, 6, (int64_t)chunk->range.plain_bytes);
    thrift_i64(t, 7, (int64_t)chunk->bytes);
    thrift_i64(t, 9, (int64_t)chunk->offset);
    put_ranges(t, &chunk->range, column->type);
    thrift_end(t);
    thrift_end(t);
}

static void put_order(thrift_writer *t)
{
    thrift_list(t, 4, THRIFT_STRUCT, 2);
    for (int i = 0; i < 2; i++) { /* by source, then destination, ascending, without nulls */
        thrift_element_struct(t);
        thrift_i32(t, 1, i);
        thrift_bool(t, 2, false);
        thrift_bool(t, 3, false);
        thrift_end(t);
    }
}

static void put_group(thrift_writer *t, const graphfile_spec *s, uint64_t group,
                      const parquet_column *column, int n, const parquet_chunk *chunk)
{
    const uint64_t most = parquet_group(s), left = s->graph.edges - group * most;
    const uint64_t edges = left < most ? left : most;
    uint64_t bytes = 0, plain_bytes = 0;

    thrift_element_struct(t);
    thrift_list(t, 1, THRIFT_STRUCT, (size_t)n);
    for (int i = 0; i < n; i++) {
        put_chunk(t, &column[i], &chunk[i], edges);
        bytes += chunk[i].bytes;
        plain_bytes += chunk[i].range.plain_bytes;
    }
    thrift_i64(t, 2, (int64_t)plain_bytes);
    thrift_i64(t, 3, (int64_t)edges);
    if (s->graph.sorted) {
        put_order(t);
    }
    thrift_i64(t, 5, (int64_t)chunk[0].offset);
    thrift_i64(t, 6, (int64_t)bytes);
    thrift_end(t);
}

static void put_key(thrift_writer *t, const char *key, const char *value)
{
    thrift_element_struct(t);
    thrift_string(t, 1, key);
    thrift_string(t, 2, value);
    thrift_end(t);
}

static void put_keys(thrift_writer *t, const graphfile_writer *w)
{
    const char *comment = w->spec.comment;
    char number[24];

    thrift_list(t, 5, THRIFT_STRUCT, comment != NULL ? 3 : 2);
    snprintf(number, sizeof number, "%" PRIu64, w->spec.graph.rows);
    put_key(t, "num_rows", number);
    snprintf(number, sizeof number, "%" PRIu64, w->spec.graph.cols);
    put_key(t, "num_cols", number);
    if (comment != NULL) {
        put_key(t, "command", comment);
    }
}

static void put_metadata(thrift_writer *t, const graphfile_writer *w, const parquet_column *column,
                         int n, const parquet_chunk *chunk)
{
    const uint64_t groups = parquet_groups_of(&w->spec);

    thrift_i32(t, 1, VERSION);
    put_schema(t, column, n);
    thrift_i64(t, 3, (int64_t)w->spec.graph.edges);
    thrift_list(t, 4, THRIFT_STRUCT, groups);
    for (uint64_t i = 0; i < groups; i++) {
        put_group(t, &w->spec, i, column, n, chunk + i * (uint64_t)n);
    }
    put_keys(t, w);
    thrift_string(t, 6, "rmat");
    thrift_list(t, 7, THRIFT_STRUCT, (size_t)n);
    for (int i = 0; i < n; i++) { /* ranges are in the order of each type */
        thrift_element_struct(t);
        thrift_struct(t, 1);
        thrift_end(t);
        thrift_end(t);
    }
    thrift_end(t);
}

int parquet_footer(graphfile_buffer *to, const graphfile_writer *w, const parquet_column *column,
                   int n_columns, const parquet_chunk *chunk)
{
    thrift_writer t = {.to = to};
    const size_t begin = to->bytes;
    uint32_t bytes;
    char *end;

    put_metadata(&t, w, column, n_columns, chunk);
    end = t.status == EDGEFILE_OK ? graphfile_reserve(to, 8) : NULL;
    if (end == NULL) {
        return edgefile_no_memory(NULL);
    }
    bytes = (uint32_t)(to->bytes - begin);
    memcpy(end, &bytes, 4);
    memcpy(end + 4, PARQUET_MAGIC, 4);
    to->bytes += 8;
    return EDGEFILE_OK;
}
