/*
 * footer.c - the metadata at the end of a Parquet file: the columns, their places and ranges of
 * values in each row group, and the program that made the file.  Its length and the magic number
 * follow.
 */
#include "io/formats/parquet/parquet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 2, REQUIRED = 0, UNCOMPRESSED = 0 };

static void put_schema(thrift_writer *t, const parquet_layout *x)
{
    thrift_list(t, 2, THRIFT_STRUCT, (size_t)x->n_columns + 1);
    thrift_element_struct(t);
    thrift_string(t, 4, "edges");
    thrift_i32(t, 5, x->n_columns);
    thrift_end(t);
    for (int i = 0; i < x->n_columns; i++) {
        thrift_element_struct(t);
        thrift_i32(t, 1, (int32_t)x->column[i].type);
        thrift_i32(t, 3, REQUIRED);
        thrift_string(t, 4, x->column[i].name);
        thrift_end(t);
    }
}

/* A zero of either sign may stand for the other.  Readers that compare bits do not know this. */
static void put_range(thrift_writer *t, const parquet_range *range, const parquet_column *column)
{
    const uint32_t sign = (uint32_t)1 << 31;
    uint64_t least = range->least, greatest = range->greatest;

    if (column->type == PARQUET_FLOAT && (least & ~sign) == 0) {
        least = sign;
    }
    if (column->type == PARQUET_FLOAT && (greatest & ~sign) == 0) {
        greatest = 0;
    }
    thrift_struct(t, 12);
    thrift_i64(t, 3, 0); /* nulls */
    if (range->known) {
        thrift_binary(t, 5, &greatest, column->width);
        thrift_binary(t, 6, &least, column->width);
    }
    thrift_end(t);
}

static void put_chunk(thrift_writer *t, const parquet_column *column, const parquet_range *range,
                      uint64_t edges, uint64_t at)
{
    const int64_t bytes = (int64_t)parquet_chunk_bytes(column, edges);

    thrift_element_struct(t);
    thrift_i64(t, 2, 0); /* no other metadata of the column; this field of Parquet is obsolete */
    thrift_struct(t, 3);
    thrift_i32(t, 1, (int32_t)column->type);
    thrift_list(t, 2, THRIFT_I32, 2);
    thrift_element_i32(t, PARQUET_PLAIN);
    thrift_element_i32(t, PARQUET_RLE);
    thrift_list(t, 3, THRIFT_BINARY, 1);
    thrift_element_string(t, column->name);
    thrift_i32(t, 4, UNCOMPRESSED);
    thrift_i64(t, 5, (int64_t)edges);
    thrift_i64(t, 6, bytes);
    thrift_i64(t, 7, bytes); /* uncompressed size */
    thrift_i64(t, 9, (int64_t)at);
    put_range(t, range, column);
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

static void put_group(thrift_writer *t, const parquet_layout *x, uint64_t group, bool sorted,
                      const parquet_range *range)
{
    const uint64_t edges = parquet_group_edges(x, group);
    const uint64_t begin = parquet_chunk_at(x, group, 0);
    const int64_t bytes = (int64_t)(parquet_chunk_at(x, group, x->n_columns) - begin);

    thrift_element_struct(t);
    thrift_list(t, 1, THRIFT_STRUCT, (size_t)x->n_columns);
    for (int i = 0; i < x->n_columns; i++) {
        const parquet_range any = {.known = 1};

        put_chunk(t, &x->column[i],
                  range != NULL ? &range[group * (uint64_t)x->n_columns + (uint64_t)i] : &any,
                  edges, parquet_chunk_at(x, group, i));
    }
    thrift_i64(t, 2, bytes);
    thrift_i64(t, 3, (int64_t)edges);
    if (sorted) {
        put_order(t);
    }
    thrift_i64(t, 5, (int64_t)begin);
    thrift_i64(t, 6, bytes); /* uncompressed size */
    thrift_end(t);
}

static void put_key(thrift_writer *t, const char *key, const char *value)
{
    thrift_element_struct(t);
    thrift_string(t, 1, key);
    thrift_string(t, 2, value);
    thrift_end(t);
}

static void put_keys(thrift_writer *t, const graphfile_spec *s)
{
    char number[24];

    thrift_list(t, 5, THRIFT_STRUCT, s->comment != NULL ? 3 : 2);
    snprintf(number, sizeof number, "%" PRIu64, s->graph.rows);
    put_key(t, "num_rows", number);
    snprintf(number, sizeof number, "%" PRIu64, s->graph.cols);
    put_key(t, "num_cols", number);
    if (s->comment != NULL) {
        put_key(t, "command", s->comment);
    }
}

void parquet_footer(thrift_writer *t, const graphfile_spec *s, const parquet_layout *x,
                    const parquet_range *range)
{
    uint32_t bytes;

    thrift_i32(t, 1, VERSION);
    put_schema(t, x);
    thrift_i64(t, 3, (int64_t)x->edges);
    thrift_list(t, 4, THRIFT_STRUCT, x->groups);
    for (uint64_t i = 0; i < x->groups; i++) {
        put_group(t, x, i, s->graph.sorted != 0, range);
    }
    put_keys(t, s);
    thrift_string(t, 6, "rmat");
    thrift_list(t, 7, THRIFT_STRUCT, (size_t)x->n_columns);
    for (int i = 0; i < x->n_columns; i++) { /* ranges are in the order of each type */
        thrift_element_struct(t);
        thrift_struct(t, 1);
        thrift_end(t);
        thrift_end(t);
    }
    thrift_end(t);
    bytes = (uint32_t)t->bytes;
    thrift_raw(t, &bytes, sizeof bytes);
    thrift_raw(t, PARQUET_MAGIC, PARQUET_MAGIC_BYTES);
}
