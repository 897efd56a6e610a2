/*
 * read.c - reads Parquet files: flat columns of integers, and of floats for weights, without
 * missing values.
 *
 * The headers of all pages are read first.  A piece begins and ends where pages of every column do,
 * and has at least PARQUET_PAGE edges, if there are so many: then a dictionary, which a piece has
 * to decode, takes little time beside them.  Where pages of the columns do not end together, it is
 * up to a row group.
 */
#include "io/formats/parquet/metadata.h"
#include "io/formats/parquet/page.h"
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift_reader.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
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
    parquet_page *page;
    uint64_t n, room;
} page_list;

typedef struct {
    parquet_metadata about;
    page_list pages[PARQUET_COLUMNS], dictionaries[PARQUET_COLUMNS];
    uint64_t *first; /* page of each column at which a piece begins; one more than there are */
} parquet_file;

static int add_page(page_list *list, const parquet_page *p)
{
    if (list->n == list->room) {
        const uint64_t room = 2 * list->room + 64;
        parquet_page *more = realloc(list->page, room * sizeof *more);

        if (more == NULL) {
            return edgefile_no_memory(NULL);
        }
        list->page = more;
        list->room = room;
    }
    list->page[list->n++] = *p;
    return EDGEFILE_OK;
}

/* Kinds of pages, and the fields of a page's header that describe them. */
enum { DATA = 0, DICTIONARY = 2, DATA2 = 3, OF_DATA = 5, OF_DICTIONARY = 7, OF_DATA2 = 8 };

/* What a header tells, as far as it is looked at. */
typedef struct {
    int64_t type, plain, bytes, count, encoding, level_encoding, missing, levels[2];
    bool stored; /* of version 2: the values are not compressed */
} page_header;

/* The numbers that describe a page of this kind, by its field. */
static void get_kind(thrift_reader *t, int of, page_header *h)
{
    int64_t ignored;
    int64_t *const data[2][6] = {
        {&h->count, &h->encoding, &h->level_encoding, &ignored, &ignored, &ignored},
        {&h->count, &h->missing, &ignored, &h->encoding, &h->levels[0], &h->levels[1]}};
    const int n = of == OF_DATA2 ? 6 : of == OF_DATA ? 3 : 2;
    int kind, field;

    thrift_enter(t);
    while ((field = thrift_next(t, &kind)) != 0) {
        if (field <= n && kind == THRIFT_I32) {
            *data[of == OF_DATA2][field - 1] = thrift_integer(t);
        } else if (of == OF_DATA2 && field == 7 && kind <= 2) { /* a flag is its type */
            h->stored = kind == 2;
        } else {
            thrift_skip(t, kind);
        }
    }
}

static bool get_header(thrift_reader *t, page_header *h)
{
    int kind, field;

    *h = (page_header){.type = -1, .plain = -1, .bytes = -1, .level_encoding = PARQUET_RLE};
    thrift_enter(t);
    while ((field = thrift_next(t, &kind)) != 0) {
        if (field <= 3 && kind == THRIFT_I32) {
            *(field == 1 ? &h->type : field == 2 ? &h->plain : &h->bytes) = thrift_integer(t);
        } else if ((field == OF_DATA || field == OF_DICTIONARY || field == OF_DATA2) &&
                   kind == THRIFT_STRUCT) {
            get_kind(t, field, h);
        } else {
            thrift_skip(t, kind);
        }
    }
    return !t->bad && h->bytes >= 0 && h->plain >= 0 && h->count >= 0 && h->levels[0] >= 0 &&
           h->levels[1] == 0;
}

/* May a page of so many bytes have so many values? */
static bool is_size(const parquet_page *p, size_t width)
{
    if (p->is_dictionary) {
        return p->plain <= MOST_PLAIN && p->count == p->plain / width;
    }
    return p->codec == PARQUET_NO_CODEC && !parquet_is_indexed(p->encoding)
               ? p->count / DENSEST <= p->bytes
               : p->count <= MOST_VALUES && p->plain <= MOST_PLAIN;
}

/* Is the page encoded in a way that is read, and are its levels, if the column has any? */
static bool is_encoding(const parquet_page *p, const page_header *h, const parquet_column *column)
{
    if (p->is_dictionary) {
        return p->encoding == PARQUET_PLAIN || p->encoding == PARQUET_PLAIN_DICTIONARY;
    }
    return (p->encoding == PARQUET_PLAIN || p->encoding == PARQUET_DELTA ||
            p->encoding == PARQUET_SPLIT || parquet_is_indexed(p->encoding)) &&
           (h->level_encoding == PARQUET_RLE || !column->optional || p->version2);
}

/* The page at this place, of which *end is the end.  *data: it has edges. */
static int look_at_page(const graphfile_reader *r, uint64_t at, uint64_t *end,
                        const parquet_column *column, parquet_page *p, bool *data)
{
    uint8_t memory[HEADER];
    const size_t bytes = *end - at < HEADER ? (size_t)(*end - at) : HEADER;
    thrift_reader t = {.at = memory, .end = memory + bytes};
    page_header h;

    EDGEFILE_TRY(graphfile_pread(r, at, memory, bytes));
    if (!get_header(&t, &h)) {
        return parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", at, column->name);
    }
    p->version2 = h.type == DATA2;
    p->is_dictionary = h.type == DICTIONARY;
    *data = h.type == DATA || h.type == DATA2;
    p->codec = h.stored ? PARQUET_NO_CODEC : p->codec;
    p->offset = at + (uint64_t)(t.at - memory);
    p->bytes = (uint64_t)h.bytes;
    p->plain = (uint64_t)h.plain;
    p->count = (uint64_t)h.count;
    p->levels = p->version2 ? (uint64_t)h.levels[0] : 0;
    p->encoding = h.encoding;
    if ((*data || p->is_dictionary) && !is_encoding(p, &h, column)) {
        return parquet_bad(r,
                           "byte %" PRIu64 ": column '%s' has encoding %" PRId64
                           ", expected plain (0), dictionary (2, 8), delta (5) or split (9)",
                           at, column->name, p->encoding);
    }
    if (p->bytes > *end - p->offset || (*data && !is_size(p, parquet_width(column->type))) ||
        (p->is_dictionary && !is_size(p, parquet_width(column->type)))) {
        return parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", at, column->name);
    }
    *end = p->offset + p->bytes;
    return EDGEFILE_OK;
}

/* The pages of a column in a row group, of which the edge `first` is the first one. */
static int list_pages(const graphfile_reader *r, const parquet_place *place,
                      const parquet_column *column, uint64_t first, page_list *list,
                      page_list *dictionaries)
{
    uint64_t at = place->offset, left = place->values, dictionary = 0;
    const uint64_t end = at + place->bytes;

    for (uint64_t next = end; at < end; at = next, next = end) {
        parquet_page p = {.first = first, .codec = place->codec};
        bool data = false;

        EDGEFILE_TRY(look_at_page(r, at, &next, column, &p, &data));
        if (p.is_dictionary) {
            EDGEFILE_TRY(add_page(dictionaries, &p));
            dictionary = dictionaries->n;
        }
        if (!data || p.count == 0) { /* or an index, which says nothing of the edges */
            continue;
        }
        p.dictionary = parquet_is_indexed(p.encoding) ? dictionary : 0;
        if (p.count > left || (parquet_is_indexed(p.encoding) && dictionary == 0)) {
            return parquet_bad(r, "byte %" PRIu64 ": damaged page of column '%s'", at,
                               column->name);
        }
        EDGEFILE_TRY(add_page(list, &p));
        first += p.count;
        left -= p.count;
    }
    return left == 0 ? EDGEFILE_OK
                     : parquet_bad(r, "column '%s' lacks %" PRIu64 " values", column->name, left);
}

static int list_all(graphfile_reader *r, parquet_file *f)
{
    uint64_t first = 0;

    for (uint64_t g = 0; g < f->about.groups; g++) {
        const parquet_place *place = f->about.place + PARQUET_COLUMNS * g;

        for (int i = 0; i < f->about.n_columns; i++) {
            EDGEFILE_TRY(list_pages(r, &place[i], &f->about.column[i], first, &f->pages[i],
                                    &f->dictionaries[i]));
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
        if (end - first < PARQUET_PAGE && at[0] + 1 < f->pages[0].n) {
            for (int i = 0; i < n; i++) {
                at[i]++;
            }
            continue;
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

static bool is_float(const parquet_column *column)
{
    return column->type == PARQUET_FLOAT || column->type == PARQUET_DOUBLE;
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
    r->reals = is_float(&f->about.column[2]);
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
            free(f->dictionaries[i].page);
        }
        free(f->first);
        free(f->about.place);
        free(f);
    }
}

/* Of an integer and of a float, which float32 may not hold exactly or not at all. */
static double weight_of(const parquet_column *column, int64_t value, graphfile_batch *b)
{
    const uint32_t bits = (uint32_t)value;
    float narrow;
    double x;

    if (column->type == PARQUET_FLOAT) {
        memcpy(&narrow, &bits, sizeof narrow);
        return (double)narrow;
    }
    if (column->type == PARQUET_DOUBLE) {
        memcpy(&x, &value, sizeof x);
        return x;
    }
    b->floats |= value < INT32_MIN || value > INT32_MAX;
    b->inexact += !graphfile_fits_float(value < 0 && !column->is_unsigned ? 0 - (uint64_t)value
                                                                          : (uint64_t)value);
    return column->is_unsigned ? (double)(uint64_t)value : (double)value;
}

static int bad_id(const graphfile_reader *r, const parquet_column *column, int64_t value,
                  uint64_t edge)
{
    char text[24];

    snprintf(text, sizeof text, column->is_unsigned ? "%" PRIu64 : "%" PRId64, value);
    return parquet_bad(r, "edge %" PRIu64 ": %s is %s, expected 0 to %" PRIu64, edge, column->name,
                       text, GRAPHFILE_HIGHEST);
}

static int put_edges(const graphfile_reader *r, int64_t *const value[PARQUET_COLUMNS],
                     uint64_t first, uint64_t count, graphfile_batch *b)
{
    const parquet_file *f = r->state;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t src = (uint64_t)value[0][i], dst = (uint64_t)value[1][i];
        const double weight = r->weights ? weight_of(&f->about.column[2], value[2][i], b) : 0;

        if (src > GRAPHFILE_HIGHEST || dst > GRAPHFILE_HIGHEST) {
            const int bad = src > GRAPHFILE_HIGHEST ? 0 : 1;

            return bad_id(r, &f->about.column[bad], value[bad][i], first + i);
        }
        if (!(fabs(weight) <= FLT_MAX)) {
            return parquet_bad(
                r, "edge %" PRIu64 ": %s is %g, expected a finite number that float32 can hold",
                first + i, f->about.column[2].name, weight);
        }
        EDGEFILE_TRY(graphfile_put(b, src, dst, weight));
    }
    return EDGEFILE_OK;
}

/* The pages [from, to) of a column, whose first edge is `first`. */
static int decode_column(const graphfile_reader *r, int column, uint64_t from, uint64_t to,
                         uint64_t first, int64_t *value)
{
    const parquet_file *f = r->state;
    const parquet_column *about = &f->about.column[column];
    parquet_dictionary d = {0};
    int st = EDGEFILE_OK;

    for (uint64_t k = from; k < to && st == EDGEFILE_OK; k++) {
        const parquet_page *p = &f->pages[column].page[k];

        if (p->dictionary > 0) {
            st = parquet_load_dictionary(r, about, &f->dictionaries[column].page[p->dictionary - 1],
                                         p->dictionary, &d);
        }
        if (st == EDGEFILE_OK) {
            st = parquet_decode(r, about, p, &d, value + (p->first - first));
        }
    }
    free(d.value);
    return st;
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
        st = value[i] != NULL ? decode_column(r, i, from[i], to[i], first, value[i])
                              : edgefile_no_memory(r->name);
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
