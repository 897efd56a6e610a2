/* layout.c - the offsets of all parts of a Parquet file: see parquet.h. */
#include "io/formats/parquet/parquet.h"

static parquet_header header_of(size_t bytes, size_t count)
{
    parquet_header h = {.bytes = 0};
    thrift_writer t = {.to = h.text};

    thrift_i32(&t, 1, 0); /* a data page */
    thrift_i32(&t, 2, (int32_t)bytes);
    thrift_i32(&t, 3, (int32_t)bytes); /* uncompressed size */
    thrift_struct(&t, 5);
    thrift_i32(&t, 1, (int32_t)count);
    thrift_i32(&t, 2, PARQUET_PLAIN);
    thrift_i32(&t, 3, PARQUET_RLE); /* encoding of the levels, which do not exist */
    thrift_i32(&t, 4, PARQUET_RLE);
    thrift_end(&t);
    thrift_end(&t);
    h.bytes = (size_t)t.bytes;
    return h;
}

parquet_layout parquet_layout_of(const graphfile_graph *g)
{
    static const char *const names[PARQUET_COLUMNS] = {"src", "dst", "weight"};
    const uint64_t most = (uint64_t)1 << 31; /* vertices that int32 can number */
    const bool narrow = g->id_bytes == 4 && g->rows <= most && g->cols <= most;
    parquet_layout x = {.n_columns = g->weight != EDGEFILE_NO_WEIGHT ? 3 : 2,
                        .edges = g->edges,
                        .groups = g->edges / PARQUET_GROUP + (g->edges % PARQUET_GROUP != 0)};

    for (int i = 0; i < x.n_columns; i++) {
        parquet_column *c = &x.column[i];
        const size_t last = (size_t)(g->edges % PARQUET_PAGE);

        c->name = names[i];
        c->type = i == 2 && g->weight == EDGEFILE_WEIGHT_F32 ? PARQUET_FLOAT
                  : i == 2 || narrow                         ? PARQUET_INT32
                                                             : PARQUET_INT64;
        c->width = c->type == PARQUET_INT64 ? 8 : 4;
        c->full = header_of(PARQUET_PAGE * c->width, PARQUET_PAGE);
        c->last = header_of(last * c->width, last);
    }
    return x;
}

uint64_t parquet_group_edges(const parquet_layout *x, uint64_t group)
{
    const uint64_t left = x->edges - group * PARQUET_GROUP;

    return left < PARQUET_GROUP ? left : PARQUET_GROUP;
}

uint64_t parquet_chunk_bytes(const parquet_column *c, uint64_t edges)
{
    return edges / PARQUET_PAGE * c->full.bytes + (edges % PARQUET_PAGE != 0 ? c->last.bytes : 0) +
           edges * c->width;
}

uint64_t parquet_chunk_at(const parquet_layout *x, uint64_t group, int column)
{
    const uint64_t edges = parquet_group_edges(x, group);
    uint64_t at = PARQUET_MAGIC_BYTES;

    for (int i = 0; i < x->n_columns; i++) {
        at += group * parquet_chunk_bytes(&x->column[i], PARQUET_GROUP);
        at += i < column ? parquet_chunk_bytes(&x->column[i], edges) : 0;
    }
    return at;
}

const parquet_header *parquet_header_of(const parquet_layout *x, int column, uint64_t edge)
{
    const uint64_t left = x->edges - edge / PARQUET_PAGE * PARQUET_PAGE;

    return left < PARQUET_PAGE ? &x->column[column].last : &x->column[column].full;
}

uint64_t parquet_value_at(const parquet_layout *x, int column, uint64_t edge)
{
    const parquet_column *c = &x->column[column];
    const uint64_t group = edge / PARQUET_GROUP, within = edge % PARQUET_GROUP;

    return parquet_chunk_at(x, group, column) + within / PARQUET_PAGE * c->full.bytes +
           parquet_header_of(x, column, edge)->bytes + within * c->width;
}

uint64_t parquet_end(const parquet_layout *x)
{
    return x->groups == 0 ? PARQUET_MAGIC_BYTES : parquet_chunk_at(x, x->groups - 1, x->n_columns);
}
