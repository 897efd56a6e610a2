/* metadata.c - reads the footer of a Parquet file. */
#include "io/formats/parquet/metadata.h"
#include "io/formats/parquet/thrift_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static int load(const graphfile_reader *r, uint8_t **memory, uint64_t *bytes)
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
    st = load(r, &memory, &bytes);
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
