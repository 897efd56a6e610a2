/*
 * metadata.c - the footer of a Parquet file: which columns there are, which of them are the edges,
 * and where their row groups lie.
 */
#include "io/formats/parquet/metadata.h"
#include "io/formats/parquet/codec.h"
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 4, TAIL = 8, TEXT = 320, LIST = 120 };

#define MOST_FOOTER ((uint64_t)1 << 30)

/* A leaf of the schema, or its root. */
typedef struct {
    char name[GRAPHFILE_COLUMN_NAME];
    int64_t type, repetition, children;
    int64_t converted, logical; /* what its numbers stand for; -1: nothing is said */
    size_t chunk;               /* of a row group's, its own */
    bool wanted;
} element;

/* The footer while it is read. */
typedef struct {
    parquet_metadata *m;
    thrift_reader t;
    char wanted[PARQUET_COLUMNS][GRAPHFILE_COLUMN_NAME];
    int n_wanted;     /* 0: all columns */
    uint64_t columns; /* of the schema, without indices of pandas */
    char list[LIST];  /* their names, as far as there is room */
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

/* A union: the number of the member that it has. */
static int64_t get_member(thrift_reader *t)
{
    int type, field;
    int64_t member = -1;

    thrift_enter(t);
    while ((field = thrift_next(t, &type)) != 0) {
        member = field;
        thrift_skip(t, type);
    }
    return member;
}

static void get_element(thrift_reader *t, element *e)
{
    int type, field;

    *e = (element){.type = -1, .converted = -1, .logical = -1};
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
        } else if (field == 6 && type == THRIFT_I32) {
            e->converted = thrift_integer(t);
        } else if (field == 10 && type == THRIFT_STRUCT) {
            e->logical = get_member(t);
        } else {
            thrift_skip(t, type);
        }
    }
}

/* A column of the table: is it wanted?  pandas stores the labels of rows as one more column. */
static void take_element(footer *f, element *e)
{
    const size_t used = strlen(f->list);

    if (strncmp(e->name, "__index_level_", 14) == 0) {
        return;
    }
    snprintf(f->list + used, sizeof f->list - used, "%s%s", used > 0 ? ", " : "", e->name);
    e->wanted = true;
    for (int i = 0; i < f->n_wanted; i++) {
        if (strcmp(f->wanted[i], e->name) == 0) {
            f->leaf[i] = *e;
        }
    }
    if (f->n_wanted == 0 && f->columns < PARQUET_COLUMNS) {
        f->leaf[f->columns] = *e;
    }
    f->columns++;
}

/* Behind the root come its children, each before its own; chunks are those of leaves. */
static void get_schema(footer *f)
{
    const size_t n = thrift_elements(&f->t, THRIFT_STRUCT);
    size_t chunk = 0;
    int64_t inside = 0; /* elements that are still to come of a column that is nested */

    for (size_t i = 0; i < n && !f->t.bad; i++) {
        element e;

        get_element(&f->t, &e);
        if (i == 0) {
            continue;
        }
        e.chunk = chunk;
        chunk += e.children <= 0;
        if (inside == 0) {
            take_element(f, &e);
        } else {
            inside--;
        }
        inside += e.children > 0 && e.children < (int64_t)n ? e.children : 0;
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

/* Columns of a row group, those that are wanted. */
static void get_chunks(footer *f, parquet_place *place)
{
    thrift_reader *t = &f->t;
    const size_t n = thrift_elements(t, THRIFT_STRUCT);
    int type, field;

    for (size_t i = 0; i < n && !t->bad; i++) {
        thrift_enter(t);
        while ((field = thrift_next(t, &type)) != 0) {
            int k = 0;

            while (k < PARQUET_COLUMNS && (f->leaf[k].chunk != i || !f->leaf[k].wanted)) {
                k++;
            }
            if (field == 3 && type == THRIFT_STRUCT && k < PARQUET_COLUMNS) {
                get_column(t, &place[k]);
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
        char key[24] = "", value[24] = "";

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
        } else if (strcmp(key, "icebug_disk_version") == 0) {
            f->m->icebug = true;
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

/* Plain numbers, and no dates, decimals and so on; how they are written in schemas old and new. */
static bool is_plain_number(const element *e)
{
    enum { UINT_8 = 11, INT_64 = 18, INTEGER = 10 };

    return (e->converted == -1 || (e->converted >= UINT_8 && e->converted <= INT_64)) &&
           (e->logical == -1 || e->logical == INTEGER);
}

static int check_element(const element *e, int which, parquet_column *column,
                         const graphfile_reader *r)
{
    static const char *const types[] = {"booleans", "int32",   "int64",   "timestamps (int96)",
                                        "floats",   "doubles", "strings", "bytes"};
    enum { BYTE_ARRAY = 6, UINT_8 = 11, UINT_64 = 14 };
    const bool is_integer = e->type == PARQUET_INT32 || e->type == PARQUET_INT64;
    const bool is_real = e->type == PARQUET_FLOAT || e->type == PARQUET_DOUBLE;
    const bool known = e->type >= 0 && e->type < (int64_t)(sizeof types / sizeof *types);

    if (e->children > 0 || e->repetition > 1) {
        return parquet_bad(
            r, "column '%s' is nested, expected a number in each row; flatten it first", e->name);
    }
    if (!(is_integer || (which == 2 && is_real)) || !is_plain_number(e)) {
        return parquet_bad(
            r, "column '%s' has %s%s, expected integers%s; convert it first, %s", e->name,
            known ? types[e->type] : "values of an unknown type",
            is_integer ? " that stand for something else" : "", which == 2 ? " or floats" : "",
            which == 2 ? "or name the two columns of ids by the option columns"
            : e->type == BYTE_ARRAY
                ? "or write csv, of which convert reads names by the option vertex-names"
                : "as by astype('int64') in pandas");
    }
    memcpy(column->name, e->name, sizeof e->name);
    column->type = (parquet_type)e->type;
    column->optional = e->repetition == 1;
    column->is_unsigned = e->converted >= UINT_8 && e->converted <= UINT_64;
    return EDGEFILE_OK;
}

/* Two columns of integers, perhaps one of weights: all, or those that were asked for. */
static int check_schema(footer *f, const graphfile_reader *r)
{
    parquet_metadata *m = f->m;

    if (f->n_wanted == 0 && (f->columns < 2 || f->columns > PARQUET_COLUMNS)) {
        return parquet_bad(
            r, "has %" PRIu64 " columns (%s), expected src, dst and perhaps weight%s", f->columns,
            f->list, f->columns > 2 ? "; name those to read by the option columns" : "");
    }
    m->n_columns = f->n_wanted > 0 ? f->n_wanted : (int)f->columns;
    for (int i = 0; i < m->n_columns; i++) {
        if (!f->leaf[i].wanted) {
            return edgefile_fail(
                f->columns <= PARQUET_COLUMNS ? EDGEFILE_ERR_ARG : EDGEFILE_ERR_FORMAT,
                "%s: has no columns '%s'; it has %s", r->name, r->datasets, f->list);
        }
        EDGEFILE_TRY(check_element(&f->leaf[i], i, &m->column[i], r));
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
        parquet_place *p = m->place + PARQUET_COLUMNS * g;

        for (int i = 0; i < m->n_columns; i++) {
            if (!parquet_codec_is_known(p[i].codec)) {
                return parquet_bad(r,
                                   "column '%s' is compressed by %s, which this build does not "
                                   "read; write it with the compression 'zstd'",
                                   m->column[i].name, parquet_codec_name(p[i].codec));
            }
            if (p[i].values == 0) { /* nobody looks where it is, and it may be nowhere */
                p[i].offset = MAGIC;
                p[i].bytes = 0;
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
    f.n_wanted = r->datasets != NULL ? graphfile_split_columns(f.wanted, r->datasets) : 0;
    st = load_page(r, &memory, &bytes);
    if (st == EDGEFILE_OK) {
        f.t = (thrift_reader){.at = memory, .end = memory + bytes};
        st = get_footer(&f);
    }
    if (st == EDGEFILE_OK && (f.t.bad || f.edges < 0)) {
        st = parquet_bad(r, "its footer is damaged");
    }
    if (st == EDGEFILE_OK && (m->icebug || r->about == &graphfile_icebug_format)) {
        st = parquet_bad(r, "is in the format icebug, which is not read: the sources of its edges "
                            "are row pointers in another file");
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
