/*
 * parquet.c - Apache Parquet: columns src, dst and, if there are any, weight.
 *
 * A file consists of row groups of GROUP edges, and a group of pages of PAGE edges; only the last
 * group and its last page are shorter.  A group holds the pages of the first column, its column
 * chunk, then those of the next column.  A page is a header and the values as they are in memory
 * (PLAIN).  So the number of an edge gives its place, and the number of edges gives the length of
 * everything before the metadata.
 *
 * Values go to their final places immediately.  The piece with the first edge of a page also writes
 * the page's header.  Only the ranges of the columns depend on all edges of a row group; they are
 * in the metadata at the end.
 */
#include "io/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Structures in Thrift's compact protocol, the encoding of Parquet's metadata.
 *
 * A structure is a sequence of fields in ascending order of their numbers.  A field is one byte and
 * its value; the byte holds its type and the increase of its number.  Integers are varints of
 * zigzag numbers: seven bits per byte, the lowest first, small negative numbers short.
 */

enum { T_DEPTH = 8 };

/* Types of fields and of elements of lists. */
enum { T_I32 = 5, T_I64 = 6, T_BINARY = 8, T_LIST = 9, T_STRUCT = 12 };

/* Initialize with {.to = memory} that is large enough, or with {.to = NULL} to measure: then
 * nothing is written, only counted. */
typedef struct {
    char *to;
    uint64_t bytes; /* so far */
    int depth;
    int last[T_DEPTH]; /* the number of the last field of each open structure */
} thrift_writer;

enum { TRUE = 1, FALSE = 2 }; /* the types of fields that are flags, and their values */

/* Bytes after the last structure. */
static void thrift_raw(thrift_writer *t, const void *bytes, size_t n)
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

static void put_integer(thrift_writer *t, int64_t x)
{
    put_varint(t, (uint64_t)x << 1 ^ (uint64_t)(x >> 63));
}

/* A field number is 1 to 15 above the previous one in all of Parquet's structures, if a structure
 * begins at its first field. */
static void begin_field(thrift_writer *t, int field, int type)
{
    put_byte(t, (field - t->last[t->depth]) << 4 | type);
    t->last[t->depth] = field;
}

/* Fields of the innermost open structure: a structure's fields follow until thrift_end(), and a
 * list's elements follow it. */

static void thrift_i32(thrift_writer *t, int field, int32_t value)
{
    begin_field(t, field, T_I32);
    put_integer(t, value);
}

static void thrift_i64(thrift_writer *t, int field, int64_t value)
{
    begin_field(t, field, T_I64);
    put_integer(t, value);
}

static void thrift_bool(thrift_writer *t, int field, bool value)
{
    begin_field(t, field, value ? TRUE : FALSE);
}

static void thrift_binary(thrift_writer *t, int field, const void *bytes, size_t n)
{
    begin_field(t, field, T_BINARY);
    put_varint(t, n);
    thrift_raw(t, bytes, n);
}

static void thrift_string(thrift_writer *t, int field, const char *text)
{
    thrift_binary(t, field, text, strlen(text));
}

static void thrift_list(thrift_writer *t, int field, int type, size_t n)
{
    begin_field(t, field, T_LIST);
    if (n < 15) {
        put_byte(t, (int)n << 4 | type);
    } else {
        put_byte(t, 15 << 4 | type);
        put_varint(t, n);
    }
}

/* An element of a list, or a field. */
static void thrift_element_struct(thrift_writer *t)
{
    t->last[++t->depth] = 0;
}

static void thrift_struct(thrift_writer *t, int field)
{
    begin_field(t, field, T_STRUCT);
    thrift_element_struct(t);
}

static void thrift_end(thrift_writer *t)
{
    put_byte(t, 0);
    if (t->depth > 0) {
        t->depth--;
    }
}

/* The structure of a file. */

enum { COLUMNS = 3, HEADER = 64 /* of a page, at most */ };

#define PAGE  ((uint64_t)1 << 17)
#define GROUP ((uint64_t)1 << 20)

#define MAGIC "PAR1" /* begins and ends a file, without the NUL */
enum { MAGIC_BYTES = 4 };

/* Parquet's numbers for types and encodings. */
typedef enum { INT32 = 1, INT64 = 2, FLOAT = 4 } parquet_type;
enum {
    PLAIN = 0,
    RLE = 3 /* of the levels of columns with missing values, which do not occur */
};

/* The header of a page. */
typedef struct {
    char text[HEADER];
    size_t bytes;
} parquet_header;

typedef struct {
    const char *name;
    parquet_type type;
    size_t width;              /* bytes of a value */
    parquet_header full, last; /* of pages of PAGE edges, and of the shorter last page */
} parquet_column;

typedef struct {
    parquet_column column[COLUMNS];
    int n_columns;
    uint64_t edges, groups;
} parquet_layout;

/* The least and the greatest value of a column chunk, by their bits in the column's type. */
typedef struct {
    uint64_t least, greatest;
    uint64_t known; /* flag: there is a value that is a number */
} parquet_range;

static parquet_header header_of(size_t bytes, size_t count)
{
    parquet_header h = {.bytes = 0};
    thrift_writer t = {.to = h.text};

    thrift_i32(&t, 1, 0); /* a data page */
    thrift_i32(&t, 2, (int32_t)bytes);
    thrift_i32(&t, 3, (int32_t)bytes); /* uncompressed size */
    thrift_struct(&t, 5);
    thrift_i32(&t, 1, (int32_t)count);
    thrift_i32(&t, 2, PLAIN);
    thrift_i32(&t, 3, RLE); /* encoding of the levels, which do not exist */
    thrift_i32(&t, 4, RLE);
    thrift_end(&t);
    thrift_end(&t);
    h.bytes = (size_t)t.bytes;
    return h;
}

static parquet_layout parquet_layout_of(const graphfile_graph *g)
{
    static const char *const names[COLUMNS] = {"src", "dst", "weight"};
    const uint64_t most = (uint64_t)1 << 31; /* vertices that int32 can number */
    const bool narrow = g->id_bytes == 4 && g->rows <= most && g->cols <= most;
    parquet_layout x = {.n_columns = g->weight != EDGEFILE_NO_WEIGHT ? 3 : 2,
                        .edges = g->edges,
                        .groups = g->edges / GROUP + (g->edges % GROUP != 0)};

    for (int i = 0; i < x.n_columns; i++) {
        parquet_column *c = &x.column[i];
        const size_t last = (size_t)(g->edges % PAGE);

        c->name = names[i];
        c->type = i == 2 && g->weight == EDGEFILE_WEIGHT_F32 ? FLOAT
                  : i == 2 || narrow                         ? INT32
                                                             : INT64;
        c->width = c->type == INT64 ? 8 : 4;
        c->full = header_of(PAGE * c->width, PAGE);
        c->last = header_of(last * c->width, last);
    }
    return x;
}

/* The number of edges of a row group. */
static uint64_t parquet_group_edges(const parquet_layout *x, uint64_t group)
{
    const uint64_t left = x->edges - group * GROUP;

    return left < GROUP ? left : GROUP;
}

/* The length of a column chunk with this many edges. */
static uint64_t parquet_chunk_bytes(const parquet_column *c, uint64_t edges)
{
    return edges / PAGE * c->full.bytes + (edges % PAGE != 0 ? c->last.bytes : 0) +
           edges * c->width;
}

/* The offset of a column's chunk in a row group; for the column after the last one, the end of the
 * group. */
static uint64_t parquet_chunk_at(const parquet_layout *x, uint64_t group, int column)
{
    const uint64_t edges = parquet_group_edges(x, group);
    uint64_t at = MAGIC_BYTES;

    for (int i = 0; i < x->n_columns; i++) {
        at += group * parquet_chunk_bytes(&x->column[i], GROUP);
        at += i < column ? parquet_chunk_bytes(&x->column[i], edges) : 0;
    }
    return at;
}

/* The header of the page that holds an edge. */
static const parquet_header *parquet_header_of(const parquet_layout *x, int column, uint64_t edge)
{
    const uint64_t left = x->edges - edge / PAGE * PAGE;

    return left < PAGE ? &x->column[column].last : &x->column[column].full;
}

/* The offset of an edge's value. */
static uint64_t parquet_value_at(const parquet_layout *x, int column, uint64_t edge)
{
    const parquet_column *c = &x->column[column];
    const uint64_t group = edge / GROUP, within = edge % GROUP;

    return parquet_chunk_at(x, group, column) + within / PAGE * c->full.bytes +
           parquet_header_of(x, column, edge)->bytes + within * c->width;
}

/* The offset of the footer. */
static uint64_t parquet_end(const parquet_layout *x)
{
    return x->groups == 0 ? MAGIC_BYTES : parquet_chunk_at(x, x->groups - 1, x->n_columns);
}

/* The metadata at the end of a file: the columns, their places and ranges of values in each row
 * group, and the program that made the file.  Its length and the magic number follow. */

enum { VERSION = 2, REQUIRED = 0, UNCOMPRESSED = 0 };

static void put_schema(thrift_writer *t, const parquet_layout *x)
{
    thrift_list(t, 2, T_STRUCT, (size_t)x->n_columns + 1);
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

    if (column->type == FLOAT && (least & ~sign) == 0) {
        least = sign;
    }
    if (column->type == FLOAT && (greatest & ~sign) == 0) {
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
    thrift_list(t, 2, T_I32, 2);
    put_integer(t, PLAIN);
    put_integer(t, RLE);
    thrift_list(t, 3, T_BINARY, 1);
    put_varint(t, strlen(column->name));
    thrift_raw(t, column->name, strlen(column->name));
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
    thrift_list(t, 4, T_STRUCT, 2);
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
    thrift_list(t, 1, T_STRUCT, (size_t)x->n_columns);
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

    thrift_list(t, 5, T_STRUCT, s->comment != NULL ? 3 : 2);
    snprintf(number, sizeof number, "%" PRIu64, s->graph.rows);
    put_key(t, "num_rows", number);
    snprintf(number, sizeof number, "%" PRIu64, s->graph.cols);
    put_key(t, "num_cols", number);
    if (s->comment != NULL) {
        put_key(t, "command", s->comment);
    }
}

/* range: of the chunks of all groups, n_columns per group; NULL: only measure the length. */
static void parquet_footer(thrift_writer *t, const graphfile_spec *s, const parquet_layout *x,
                           const parquet_range *range)
{
    uint32_t bytes;

    thrift_i32(t, 1, VERSION);
    put_schema(t, x);
    thrift_i64(t, 3, (int64_t)x->edges);
    thrift_list(t, 4, T_STRUCT, x->groups);
    for (uint64_t i = 0; i < x->groups; i++) {
        put_group(t, x, i, s->graph.sorted != 0, range);
    }
    put_keys(t, s);
    thrift_string(t, 6, "rmat");
    thrift_list(t, 7, T_STRUCT, (size_t)x->n_columns);
    for (int i = 0; i < x->n_columns; i++) { /* ranges are in the order of each type */
        thrift_element_struct(t);
        thrift_struct(t, 1);
        thrift_end(t);
        thrift_end(t);
    }
    thrift_end(t);
    bytes = (uint32_t)t->bytes;
    thrift_raw(t, &bytes, sizeof bytes);
    thrift_raw(t, MAGIC, MAGIC_BYTES);
}

/* Readers accept a footer of 2 GiB at most. */
#define MOST_GROUPS ((uint64_t)1 << 21)

_Static_assert(GRAPHFILE_ROUND % GROUP == 0, "a row group is one process's");

typedef struct {
    parquet_layout layout;
    parquet_range *range; /* of the column chunks of all groups; the writer's lock guards them */
} parquet;

static int check(const graphfile_graph *g)
{
    const uint64_t most = MOST_GROUPS * GROUP;

    return g->edges <= most
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_ARG,
                               "parquet needs at most %" PRIu64 " edges, the graph has %" PRIu64,
                               most, g->edges);
}

static int open_parquet(graphfile_writer *w)
{
    parquet *q = calloc(1, sizeof *q);

    w->state = q;
    if (q == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    q->layout = parquet_layout_of(&w->spec.graph);
    q->range = calloc(q->layout.groups * (uint64_t)q->layout.n_columns + 1, sizeof *q->range);
    if (q->range == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    EDGEFILE_TRY(io_file_reserve(&w->file, parquet_end(&q->layout)));
    return io_file_write(&w->file, 0, MAGIC, MAGIC_BYTES);
}

/* Ids are below 2^63, so signed integers have the same order. */
static parquet_range range_of_ids(const void *ids, int id_bytes, size_t count)
{
    uint64_t least = UINT64_MAX, greatest = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t x = graphfile_id(id_bytes, ids, i);

        least = x < least ? x : least;
        greatest = x > greatest ? x : greatest;
    }
    return (parquet_range){least, greatest, 1};
}

static parquet_range range_of_integers(const int32_t *x, size_t count)
{
    int32_t least = INT32_MAX, greatest = INT32_MIN;

    for (size_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return (parquet_range){(uint64_t)least, (uint64_t)greatest, 1};
}

/* NaN is left out: it has no place in their order. */
static parquet_range range_of_floats(const float *x, size_t count)
{
    float least = INFINITY, greatest = -INFINITY;
    parquet_range range = {.known = 0};

    for (size_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    range.known = least <= greatest;
    memcpy(&range.least, &least, sizeof least);
    memcpy(&range.greatest, &greatest, sizeof greatest);
    return range;
}

static float float_of(uint64_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Compares two values of this type by their bits. */
static bool is_below(uint64_t a, uint64_t b, parquet_type type)
{
    return type == FLOAT ? float_of(a) < float_of(b) : (int64_t)a < (int64_t)b;
}

static void add_range(graphfile_writer *w, uint64_t group, int column, const parquet_range *more)
{
    parquet *q = w->state;
    parquet_range *all = &q->range[group * (uint64_t)q->layout.n_columns + (uint64_t)column];
    const parquet_type type = q->layout.column[column].type;

    if (!more->known) {
        return;
    }
    pthread_mutex_lock(&w->lock);
    if (!all->known || is_below(more->least, all->least, type)) {
        all->least = more->least;
    }
    if (!all->known || is_below(all->greatest, more->greatest, type)) {
        all->greatest = more->greatest;
    }
    all->known = 1;
    pthread_mutex_unlock(&w->lock);
}

/* Bytes of an element of a column in the writer's input. */
static uint64_t given_bytes(const graphfile_graph *g, int column)
{
    return column < 2 ? (uint64_t)g->id_bytes : 4;
}

/* Puts values of a column, with ids of 8 bytes if int32 is too narrow.  `to` need not be
 * aligned. */
static void put_values(const graphfile_graph *g, const parquet_column *c, const void *from,
                       uint64_t count, char *to)
{
    if (c->type != INT64 || g->id_bytes == 8) {
        memcpy(to, from, count * c->width);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t id = ((const uint32_t *)from)[i];

        memcpy(to + 8 * i, &id, sizeof id);
    }
}

/* Writes edges of one row group: the values of a column with the headers of the pages that begin
 * there.  The bytes start where graphfile_align() would move them to. */
static int write_stretch(graphfile_writer *w, int i, uint64_t first, uint64_t count,
                         const char *from)
{
    const graphfile_graph *g = &w->spec.graph;
    parquet *q = w->state;
    const parquet_layout *x = &q->layout;
    const parquet_column *c = &x->column[i];
    const uint64_t end = parquet_value_at(x, i, first + count - 1) + c->width;
    const uint64_t header = first % PAGE == 0 ? parquet_header_of(x, i, first)->bytes : 0;
    const uint64_t at = parquet_value_at(x, i, first) - header;
    const parquet_range range = i < 2              ? range_of_ids(from, g->id_bytes, count)
                                : c->type == FLOAT ? range_of_floats((const void *)from, count)
                                                   : range_of_integers((const void *)from, count);
    graphfile_buffer *b;
    char *memory = graphfile_open_chunk(w, &b, end - at), *to;
    int st;

    if (memory == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    to = memory += at % GRAPHFILE_PAGE;
    for (uint64_t done = 0, some; done < count; done += some) {
        const uint64_t edge = first + done, room = PAGE - edge % PAGE;

        some = count - done < room ? count - done : room;
        if (room == PAGE) {
            const parquet_header *h = parquet_header_of(x, i, edge);

            memcpy(to, h->text, h->bytes);
            to += h->bytes;
        }
        put_values(g, c, from + done * given_bytes(g, i), some, to);
        to += some * c->width;
    }
    st = graphfile_write_sharing(w, &w->file, at, memory, end - at);
    graphfile_give_buffer(w, b);
    add_range(w, first / GROUP, i, &range);
    return st;
}

static int write_parquet(graphfile_writer *w, const graphfile_piece *p)
{
    const char *const column[COLUMNS] = {p->src, p->dst, p->weight};
    const parquet *q = w->state;

    for (uint64_t done = 0, some; done < p->count; done += some) {
        const uint64_t first = p->first + done, room = GROUP - first % GROUP;

        some = p->count - done < room ? p->count - done : room;
        for (int i = 0; i < q->layout.n_columns; i++) {
            EDGEFILE_TRY(write_stretch(w, i, first, some,
                                       column[i] + done * given_bytes(&w->spec.graph, i)));
        }
    }
    return EDGEFILE_OK;
}

static uint64_t footer_bytes(const graphfile_spec *s, const parquet_layout *x)
{
    thrift_writer t = {.to = NULL};

    parquet_footer(&t, s, x, NULL);
    return t.bytes;
}

/* Combines the ranges of all processes: one process knows each, and the others have zeros. */
static int finish(graphfile_writer *w)
{
    const parquet *q = w->state;
    const parquet_layout *x = &q->layout;
    thrift_writer t = {.to = NULL};
    int st;

    edgefile_group_sum(w->spec.group, (uint64_t *)(void *)q->range,
                       x->groups * (uint64_t)x->n_columns * (sizeof *q->range / sizeof(uint64_t)));
    if (!edgefile_group_leads(w->spec.group)) {
        return EDGEFILE_OK;
    }
    t.to = malloc(footer_bytes(&w->spec, x));
    if (t.to == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    parquet_footer(&t, &w->spec, x, q->range);
    st = io_file_write(&w->file, parquet_end(x), t.to, t.bytes);
    free(t.to);
    return st;
}

static void close_parquet(graphfile_writer *w)
{
    parquet *q = w->state;

    if (q != NULL) {
        free(q->range);
        free(q);
    }
}

static uint64_t parquet_length(const graphfile_spec *s)
{
    const parquet_layout x = parquet_layout_of(&s->graph);

    return parquet_end(&x) + footer_bytes(s, &x);
}

static const graphfile_place place_parquet = {
    .open = open_parquet, .piece = write_parquet, .finish = finish, .close = close_parquet};

const graphfile_descriptor graphfile_parquet_format = {
    .facts = {"parquet", ".parquet", "Apache Parquet, columns src, dst, weight",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_SIGNED_IDS},
    .place = &place_parquet,
    .check = check,
    .length = parquet_length,
};
