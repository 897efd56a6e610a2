/*
 * read.c - reads Parquet files such as rmat writes: required columns of integers, PLAIN,
 * DELTA_BINARY_PACKED or BYTE_STREAM_SPLIT, not compressed or by zstd.
 *
 * The headers of all pages are read first.  A piece is what lies between two edges at which pages
 * end in every column: a page of each where all columns have equal pages, else up to a row group.
 */
#include "io/formats/parquet/delta.h"
#include "io/formats/parquet/metadata.h"
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift_reader.h"
#include "io/formats/parquet/zstd.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 512,          /* bytes of a page's header, with statistics of integers, at most */
    DENSEST = 1024,        /* values that a byte of a page without compression can stand for */
    MOST_VALUES = 1 << 24, /* of a compressed page, however few bytes it has */
    MOST_PLAIN = 1 << 28,  /* bytes of a compressed page once it is decompressed */
    MOST_EDGES = 1 << 28   /* of a piece, whose columns lie in memory as a whole */
};

typedef struct {
    uint64_t offset, bytes; /* of the values */
    uint64_t plain;         /* bytes that they are without compression */
    int codec;
    uint64_t first, count; /* edges */
    int64_t encoding;
} page;

typedef struct {
    page *page;
    uint64_t n, room;
} page_list;

typedef struct {
    parquet_metadata about;
    page_list pages[PARQUET_COLUMNS];
    uint64_t *first; /* page of each column at which a piece begins; one more than there are */
} parquet_file;

static int add_page(page_list *list, const page *p)
{
    if (list->n == list->room) {
        const uint64_t room = 2 * list->room + 64;
        page *more = realloc(list->page, room * sizeof *more);

        if (more == NULL) {
            return edgefile_no_memory(NULL);
        }
        list->page = more;
        list->room = room;
    }
    list->page[list->n++] = *p;
    return EDGEFILE_OK;
}

/* The header of a page; *type is that of the page. */
static bool get_header(thrift_reader *t, page *p, int64_t *type)
{
    int kind, field;
    int64_t plain = -1, bytes = -1, count = -1;

    *type = -1;
    thrift_enter(t);
    while ((field = thrift_next(t, &kind)) != 0) {
        if (field == 1 && kind == THRIFT_I32) {
            *type = thrift_integer(t);
        } else if (field == 2 && kind == THRIFT_I32) {
            plain = thrift_integer(t);
        } else if (field == 3 && kind == THRIFT_I32) {
            bytes = thrift_integer(t);
        } else if (field == 5 && kind == THRIFT_STRUCT) {
            thrift_enter(t);
            while ((field = thrift_next(t, &kind)) != 0) {
                if (field == 1 && kind == THRIFT_I32) {
                    count = thrift_integer(t);
                } else if (field == 2 && kind == THRIFT_I32) {
                    p->encoding = thrift_integer(t);
                } else {
                    thrift_skip(t, kind);
                }
            }
        } else {
            thrift_skip(t, kind);
        }
    }
    p->bytes = (uint64_t)bytes;
    p->plain = (uint64_t)plain;
    p->count = (uint64_t)count;
    return !t->bad && bytes >= 0 && (count >= 0 || *type != 0);
}

/* May a page of so many bytes have so many values? */
static bool is_size(const page *p)
{
    return p->codec == PARQUET_NO_CODEC ? p->count / DENSEST <= p->bytes
                                        : p->count <= MOST_VALUES && p->plain <= MOST_PLAIN;
}

/* The pages of a column in a row group, of which the edge `first` is the first one. */
static int list_pages(graphfile_reader *r, const parquet_place *place, const char *name,
                      uint64_t first, page_list *list)
{
    uint64_t at = place->offset, left = place->values;
    const uint64_t end = at + place->bytes;

    while (at < end) {
        uint8_t memory[HEADER];
        const size_t bytes = end - at < HEADER ? (size_t)(end - at) : HEADER;
        thrift_reader t = {.at = memory, .end = memory + bytes};
        page p = {.first = first, .codec = place->codec};
        int64_t type;

        EDGEFILE_TRY(graphfile_pread(r, at, memory, bytes));
        if (!get_header(&t, &p, &type)) {
            return parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", at, name);
        }
        if (type != 0 || (p.encoding != PARQUET_PLAIN && p.encoding != PARQUET_DELTA &&
                          p.encoding != PARQUET_SPLIT)) {
            return parquet_bad(r,
                               "byte %" PRIu64 ": column '%s' has a page of kind %" PRId64
                               ", encoding %" PRId64 ", expected 0 with 0 (plain), 5 (delta) or 9 "
                               "(split)",
                               at, name, type, p.encoding);
        }
        p.offset = at + (uint64_t)(t.at - memory);
        if (p.bytes > end - p.offset || p.count > left || !is_size(&p)) {
            return parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", at, name);
        }
        if (p.count > 0) {
            EDGEFILE_TRY(add_page(list, &p));
        }
        at = p.offset + p.bytes;
        first += p.count;
        left -= p.count;
    }
    return left == 0 ? EDGEFILE_OK
                     : parquet_bad(r, "column '%s' lacks %" PRIu64 " values", name, left);
}

static int list_all(graphfile_reader *r, parquet_file *f)
{
    uint64_t first = 0;

    for (uint64_t g = 0; g < f->about.groups; g++) {
        const parquet_place *place = f->about.place + PARQUET_COLUMNS * g;

        for (int i = 0; i < f->about.n_columns; i++) {
            EDGEFILE_TRY(list_pages(r, &place[i], f->about.column[i].name, first, &f->pages[i]));
        }
        first += place->values;
    }
    return EDGEFILE_OK;
}

static uint64_t end_of(const page_list *list, uint64_t i)
{
    return list->page[i].first + list->page[i].count;
}

/* Cuts where pages of all columns end: f->first, and the number of pieces. */
static int cut(graphfile_reader *r, parquet_file *f)
{
    const int n = f->about.n_columns;
    uint64_t at[PARQUET_COLUMNS] = {0}, pieces = 0, first = 0;

    f->first = calloc((f->pages[0].n + 1) * PARQUET_COLUMNS, sizeof *f->first);
    if (f->first == NULL) {
        return edgefile_no_memory(r->name);
    }
    while (at[0] < f->pages[0].n) {
        uint64_t end = end_of(&f->pages[0], at[0]);

        for (int i = 1; i < n;) { /* until all columns end at the same edge */
            while (end_of(&f->pages[i], at[i]) < end) {
                at[i]++;
            }
            if (end_of(&f->pages[i], at[i]) > end) {
                end = end_of(&f->pages[i], at[i]);
                while (end_of(&f->pages[0], at[0]) < end) {
                    at[0]++;
                }
                end = end_of(&f->pages[0], at[0]);
                i = 1;
            } else {
                i++;
            }
        }
        if (end - first > MOST_EDGES) {
            return parquet_bad(r,
                               "pages of all columns end together only after %" PRIu64
                               " rows, expected at most %d",
                               end - first, MOST_EDGES);
        }
        first = end;
        pieces++;
        for (int i = 0; i < n; i++) {
            f->first[PARQUET_COLUMNS * pieces + (uint64_t)i] = ++at[i];
        }
    }
    r->pieces = pieces;
    return EDGEFILE_OK;
}

static int open_parquet(graphfile_reader *r)
{
    parquet_file *f = calloc(1, sizeof *f);

    r->state = f;
    if (f == NULL) {
        return edgefile_no_memory(r->name);
    }
    EDGEFILE_TRY(parquet_metadata_read(&f->about, r));
    EDGEFILE_TRY(list_all(r, f));
    EDGEFILE_TRY(cut(r, f));
    r->weights = f->about.n_columns == PARQUET_COLUMNS;
    r->reals = f->about.column[2].type == PARQUET_FLOAT;
    if (f->about.rows > 0 && f->about.rows <= GRAPHFILE_HIGHEST + 1 && f->about.cols > 0 &&
        f->about.cols <= GRAPHFILE_HIGHEST + 1) {
        r->rows = f->about.rows;
        r->cols = f->about.cols;
        r->told = true;
    }
    return EDGEFILE_OK;
}

static void close_parquet(graphfile_reader *r)
{
    parquet_file *f = r->state;

    if (f != NULL) {
        for (int i = 0; i < PARQUET_COLUMNS; i++) {
            free(f->pages[i].page);
        }
        free(f->first);
        free(f->about.place);
        free(f);
    }
}

/* Values of int32, int64 and float as they are in memory. */
static void widen(int64_t *to, const uint8_t *from, size_t count, parquet_type type)
{
    if (type == PARQUET_INT64) {
        memcpy(to, from, 8 * count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t x;

        memcpy(&x, from + 4 * i, sizeof x);
        to[i] = x;
    }
}

/* The values of a page, which memory holds without compression. */
static bool decode_values(const parquet_column *column, const page *p, uint8_t *memory,
                          uint64_t bytes, int64_t *to)
{
    const size_t width = parquet_width(column->type);

    if (p->encoding == PARQUET_DELTA) {
        return column->type != PARQUET_FLOAT &&
               parquet_delta_decode(to, p->count, memory, bytes, column->type == PARQUET_INT32);
    }
    if (bytes != p->count * width) {
        return false;
    }
    if (p->encoding == PARQUET_PLAIN) {
        widen(to, memory, p->count, column->type);
        return true;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        uint64_t x = 0;

        for (size_t k = 0; k < width; k++) {
            x |= (uint64_t)memory[k * p->count + i] << 8 * k;
        }
        to[i] = width == 4 ? (int32_t)x : (int64_t)x;
    }
    return true;
}

static int decode(const graphfile_reader *r, const parquet_column *column, const page *p,
                  int64_t *to)
{
    const bool zstd = p->codec == PARQUET_ZSTD;
    const uint64_t plain = zstd ? p->plain : 0;
    uint8_t *memory = malloc(p->bytes + plain + 1);
    bool right;
    int st;

    if (memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread(r, p->offset, memory + plain, p->bytes);
    right = !zstd ||
            (st == EDGEFILE_OK && parquet_zstd_decode(memory, plain, memory + plain, p->bytes));
    right =
        right && st == EDGEFILE_OK && decode_values(column, p, memory, zstd ? plain : p->bytes, to);
    free(memory);
    return st != EDGEFILE_OK || right
               ? st
               : parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", p->offset,
                             column->name);
}

static double weight_of(const parquet_column *column, int64_t value)
{
    const uint32_t bits = (uint32_t)value;
    float x;

    if (column->type != PARQUET_FLOAT) {
        return (double)value;
    }
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static int put_edges(const graphfile_reader *r, int64_t *const value[PARQUET_COLUMNS],
                     uint64_t first, uint64_t count, graphfile_batch *b)
{
    const parquet_file *f = r->state;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t src = (uint64_t)value[0][i], dst = (uint64_t)value[1][i];
        const double weight = r->weights ? weight_of(&f->about.column[2], value[2][i]) : 0;

        if (src > GRAPHFILE_HIGHEST || dst > GRAPHFILE_HIGHEST) {
            const int bad = src > GRAPHFILE_HIGHEST ? 0 : 1;

            return parquet_bad(r, "edge %" PRIu64 ": %s is %" PRId64 ", expected 0 to %" PRIu64,
                               first + i, f->about.column[bad].name, value[bad][i],
                               GRAPHFILE_HIGHEST);
        }
        if (!isfinite(weight)) {
            return parquet_bad(r, "edge %" PRIu64 ": %s is %g, expected a finite number", first + i,
                               f->about.column[2].name, weight);
        }
        EDGEFILE_TRY(graphfile_put(b, src, dst, weight));
    }
    return EDGEFILE_OK;
}

static int parse_parquet(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    const parquet_file *f = r->state;
    const uint64_t *from = f->first + PARQUET_COLUMNS * piece, *to = from + PARQUET_COLUMNS;
    const uint64_t first = f->pages[0].page[from[0]].first;
    const uint64_t count = end_of(&f->pages[0], to[0] - 1) - first;
    int64_t *value[PARQUET_COLUMNS] = {NULL};
    int st = EDGEFILE_OK;

    for (int i = 0; i < f->about.n_columns && st == EDGEFILE_OK; i++) {
        value[i] = malloc(count * sizeof *value[i]);
        st = value[i] != NULL ? EDGEFILE_OK : edgefile_no_memory(r->name);
        for (uint64_t k = from[i]; k < to[i] && st == EDGEFILE_OK; k++) {
            const page *p = &f->pages[i].page[k];

            st = decode(r, &f->about.column[i], p, value[i] + (p->first - first));
        }
    }
    if (st == EDGEFILE_OK) {
        st = put_edges(r, value, first, count, b);
    }
    for (int i = 0; i < PARQUET_COLUMNS; i++) {
        free(value[i]);
    }
    return st;
}

/* Are the vertices those that the file tells of? */
static int check_parquet(const graphfile_reader *r)
{
    const parquet_file *f = r->state;
    const uint64_t src = atomic_load(&r->highest_src), dst = atomic_load(&r->highest_dst);

    if (r->told && f->about.edges > 0 && (src >= r->rows || dst >= r->cols)) {
        return parquet_bad(r, "column '%s' has vertex %" PRIu64 ", but there are %" PRIu64,
                           f->about.column[src >= r->rows ? 0 : 1].name, src >= r->rows ? src : dst,
                           src >= r->rows ? r->rows : r->cols);
    }
    return EDGEFILE_OK;
}

const graphfile_read_ops parquet_read_ops = {.open = open_parquet,
                                             .parse = parse_parquet,
                                             .check = check_parquet,
                                             .close = close_parquet,
                                             .own_pieces = true};

/* Reads the footer of a Parquet file. */

enum { MAGIC = 4, TAIL = 8, TEXT = 200 };

#define MOST_FOOTER ((uint64_t)1 << 30)

/* A leaf of the schema, or its root. */
typedef struct {
    char name[GRAPHFILE_COLUMN_NAME];
    int64_t type, repetition, children;
} element;

/* The footer while it is read. */
typedef struct {
    parquet_metadata *m;
    thrift_reader t;
    uint64_t columns; /* of the schema */
    element leaf[PARQUET_COLUMNS];
    int64_t edges;
} footer;

int parquet_bad(const graphfile_reader *r, const char *format, ...)
{
    char text[TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: %s", r->name, text);
}

static void get_text(thrift_reader *t, char *to, size_t size)
{
    size_t n;
    const uint8_t *from = thrift_bytes(t, &n);

    graphfile_printable(to, size, (const char *)from, n);
}

static void get_element(thrift_reader *t, element *e)
{
    int type, field;

    *e = (element){.type = -1};
    thrift_enter(t);
    while ((field = thrift_next(t, &type)) != 0) {
        if (field == 1 && type == THRIFT_I32) {
            e->type = thrift_integer(t);
        } else if (field == 3 && type == THRIFT_I32) {
            e->repetition = thrift_integer(t);
        } else if (field == 4 && type == THRIFT_BINARY) {
            get_text(t, e->name, sizeof e->name);
        } else if (field == 5 && type == THRIFT_I32) {
            e->children = thrift_integer(t);
        } else {
            thrift_skip(t, type);
        }
    }
}

static void get_schema(footer *f)
{
    const size_t n = thrift_elements(&f->t, THRIFT_STRUCT);

    f->columns = n > 0 ? n - 1 : 0; /* without the root */
    for (size_t i = 0; i < n && !f->t.bad; i++) {
        element e;

        get_element(&f->t, &e);
        if (i > 0 && i <= PARQUET_COLUMNS) {
            f->leaf[i - 1] = e;
        }
    }
}

static void get_column(thrift_reader *t, parquet_place *p)
{
    uint64_t dictionary = 0;
    int type, field;

    thrift_enter(t);
    while ((field = thrift_next(t, &type)) != 0) {
        switch (field << 4 | type) {
        case 4 << 4 | THRIFT_I32:
            p->codec = (int)thrift_integer(t);
            break;
        case 5 << 4 | THRIFT_I64:
            p->values = (uint64_t)thrift_integer(t);
            break;
        case 7 << 4 | THRIFT_I64:
            p->bytes = (uint64_t)thrift_integer(t);
            break;
        case 9 << 4 | THRIFT_I64:
            p->offset = (uint64_t)thrift_integer(t);
            break;
        case 11 << 4 | THRIFT_I64:
            dictionary = (uint64_t)thrift_integer(t);
            break;
        default:
            thrift_skip(t, type);
        }
    }
    if (dictionary != 0 && dictionary < p->offset) { /* the column begins with it */
        p->offset = dictionary;
    }
}

/* Columns of a row group; those beyond the third are passed over. */
static void get_chunks(footer *f, parquet_place *place)
{
    thrift_reader *t = &f->t;
    const size_t n = thrift_elements(t, THRIFT_STRUCT);
    int type, field;

    for (size_t i = 0; i < n && !t->bad; i++) {
        thrift_enter(t);
        while ((field = thrift_next(t, &type)) != 0) {
            if (field == 3 && type == THRIFT_STRUCT && i < PARQUET_COLUMNS) {
                get_column(t, &place[i]);
            } else {
                thrift_skip(t, type);
            }
        }
    }
}

static int get_groups(footer *f)
{
    thrift_reader *t = &f->t;
    const size_t n = thrift_elements(t, THRIFT_STRUCT);
    int type, field;

    free(f->m->place);
    f->m->groups = n;
    f->m->place = calloc(PARQUET_COLUMNS * n + 1, sizeof *f->m->place);
    if (f->m->place == NULL) {
        return edgefile_no_memory(NULL);
    }
    for (size_t i = 0; i < n && !t->bad; i++) {
        thrift_enter(t);
        while ((field = thrift_next(t, &type)) != 0) {
            if (field == 1 && type == THRIFT_LIST) {
                get_chunks(f, f->m->place + PARQUET_COLUMNS * i);
            } else {
                thrift_skip(t, type);
            }
        }
    }
    return EDGEFILE_OK;
}

/* The numbers of vertices, which rmat writes. */
static void get_keys(footer *f)
{
    thrift_reader *t = &f->t;
    const size_t n = thrift_elements(t, THRIFT_STRUCT);
    int type, field;

    for (size_t i = 0; i < n && !t->bad; i++) {
        char key[16] = "", value[24] = "";

        thrift_enter(t);
        while ((field = thrift_next(t, &type)) != 0) {
            if (field == 1 && type == THRIFT_BINARY) {
                get_text(t, key, sizeof key);
            } else if (field == 2 && type == THRIFT_BINARY) {
                get_text(t, value, sizeof value);
            } else {
                thrift_skip(t, type);
            }
        }
        if (strcmp(key, "num_rows") == 0) {
            f->m->rows = strtoull(value, NULL, 10);
        } else if (strcmp(key, "num_cols") == 0) {
            f->m->cols = strtoull(value, NULL, 10);
        }
    }
}

static int get_footer(footer *f)
{
    int type, field, st = EDGEFILE_OK;

    thrift_enter(&f->t);
    while (st == EDGEFILE_OK && (field = thrift_next(&f->t, &type)) != 0) {
        if (field == 2 && type == THRIFT_LIST) {
            get_schema(f);
        } else if (field == 3 && type == THRIFT_I64) {
            f->edges = thrift_integer(&f->t);
        } else if (field == 4 && type == THRIFT_LIST) {
            st = get_groups(f);
        } else if (field == 5 && type == THRIFT_LIST) {
            get_keys(f);
        } else {
            thrift_skip(&f->t, type);
        }
    }
    return st;
}

/* Two columns of integers, perhaps one of weights; none of them may lack values. */
static int check_schema(footer *f, const graphfile_reader *r)
{
    parquet_metadata *m = f->m;

    if (f->columns < 2 || f->columns > PARQUET_COLUMNS) {
        return parquet_bad(r, "has %" PRIu64 " columns, expected src, dst and perhaps weight",
                           f->columns);
    }
    m->n_columns = (int)f->columns;
    for (int i = 0; i < m->n_columns; i++) {
        const element *e = &f->leaf[i];
        const bool fits = e->type == PARQUET_INT32 || (i < 2 && e->type == PARQUET_INT64) ||
                          (i == 2 && e->type == PARQUET_FLOAT);

        if (e->children != 0 || e->repetition != 0) {
            return parquet_bad(
                r, "column '%s' may lack values or is nested, expected a required one", e->name);
        }
        if (!fits) {
            return parquet_bad(r, "column '%s' has type %" PRId64 ", expected %s", e->name, e->type,
                               i < 2 ? "1 (int32) or 2 (int64)" : "1 (int32) or 4 (float)");
        }
        memcpy(m->column[i].name, e->name, sizeof e->name);
        m->column[i].type = (parquet_type)e->type;
    }
    return EDGEFILE_OK;
}

/* Do the row groups add up, and lie in the file?  Column chunks that share bytes are refused, as
 * far as their lengths show it: otherwise a small file could list any number of pages. */
static int check_places(const footer *f, const graphfile_reader *r, uint64_t end)
{
    parquet_metadata *m = f->m;
    uint64_t edges = 0, bytes = 0;

    for (uint64_t g = 0; g < m->groups; g++) {
        const parquet_place *p = m->place + PARQUET_COLUMNS * g;

        for (int i = 0; i < m->n_columns; i++) {
            if (p[i].codec != PARQUET_NO_CODEC && p[i].codec != PARQUET_ZSTD) {
                return parquet_bad(r,
                                   "column '%s' is compressed by codec %d, expected none (0) or "
                                   "zstd (6)",
                                   m->column[i].name, p[i].codec);
            }
            if (p[i].offset < MAGIC || p[i].bytes > end - bytes || p[i].offset > end - p[i].bytes ||
                p[i].values != p[0].values || p[i].values > (uint64_t)f->edges - edges) {
                return parquet_bad(
                    r, "row group %" PRIu64 " is not where the footer says, or not as it says", g);
            }
            bytes += p[i].bytes;
        }
        edges += p[0].values;
    }
    m->edges = edges;
    return edges == (uint64_t)f->edges
               ? EDGEFILE_OK
               : parquet_bad(r,
                             "has %" PRIu64 " rows in its row groups, but its footer says %" PRId64,
                             edges, f->edges);
}

/* The footer's bytes, in new memory. */
static int load_page(const graphfile_reader *r, uint8_t **memory, uint64_t *bytes)
{
    char tail[TAIL];
    uint32_t length;

    if (r->bytes < MAGIC + TAIL) {
        return parquet_bad(r, "has %" PRIu64 " bytes, too few for Parquet", r->bytes);
    }
    EDGEFILE_TRY(graphfile_pread(r, r->bytes - TAIL, tail, TAIL));
    memcpy(&length, tail, sizeof length);
    if (memcmp(tail + 4, PARQUET_MAGIC, MAGIC) != 0) {
        return parquet_bad(r, "does not end with 'PAR1', as Parquet does");
    }
    if (length > r->bytes - MAGIC - TAIL || length > MOST_FOOTER) {
        return parquet_bad(r, "its footer claims to have %" PRIu32 " bytes", length);
    }
    *bytes = length;
    *memory = malloc((size_t)length + 1);
    if (*memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    return graphfile_pread(r, r->bytes - TAIL - length, *memory, length);
}

int parquet_metadata_read(parquet_metadata *m, const graphfile_reader *r)
{
    footer f = {.m = m, .edges = -1};
    uint8_t *memory = NULL;
    uint64_t bytes = 0;
    int st;

    *m = (parquet_metadata){0};
    st = load_page(r, &memory, &bytes);
    if (st == EDGEFILE_OK) {
        f.t = (thrift_reader){.at = memory, .end = memory + bytes};
        st = get_footer(&f);
    }
    if (st == EDGEFILE_OK && (f.t.bad || f.edges < 0)) {
        st = parquet_bad(r, "its footer is damaged");
    }
    if (st == EDGEFILE_OK) {
        st = check_schema(&f, r);
    }
    if (st == EDGEFILE_OK) {
        st = check_places(&f, r, r->bytes - TAIL - bytes);
    }
    free(memory);
    return st;
}
