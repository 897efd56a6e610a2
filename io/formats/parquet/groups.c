/*
 * groups.c - pages on their way into a Parquet file.
 *
 * Whoever brings the last page of a row group sees whether all groups before it have their places.
 * If so, the group and those behind it that were waiting get theirs, and that thread writes them;
 * if not, the thread that completes the group in front will.  Groups of several processes wait for
 * the end of their round instead (rounds.c).
 */
#include "io/formats/parquet/parquet.h"
#include "io/formats/parquet/thrift.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 4 }; /* bytes before the first group */

typedef struct {
    graphfile_buffer *bytes[PARQUET_COLUMNS];
    parquet_range range[PARQUET_COLUMNS];
} page;

typedef struct group {
    uint64_t number;
    struct group *next;
    uint64_t pages, done;
    page page[];
} group;

struct parquet_groups {
    graphfile_writer *w;
    const parquet_column *column;
    int n_columns;
    parquet_chunk *chunk; /* of all groups */
    pthread_mutex_t lock; /* guards what follows */
    group *begun;         /* without a place, in any order */
    uint64_t next;        /* the group whose place is known */
    uint64_t offset;      /* that place */
};

parquet_groups *parquet_groups_new(graphfile_writer *w, const parquet_column *column, int n_columns)
{
    const uint64_t groups = parquet_groups_of(&w->spec);
    parquet_groups *g = calloc(1, sizeof *g);

    if (g == NULL) {
        return NULL;
    }
    g->chunk = calloc(groups * (uint64_t)n_columns + 1, sizeof *g->chunk);
    if (g->chunk == NULL) {
        free(g);
        return NULL;
    }
    pthread_mutex_init(&g->lock, NULL);
    g->w = w;
    g->column = column;
    g->n_columns = n_columns;
    g->offset = MAGIC;
    return g;
}

const parquet_chunk *parquet_groups_chunks(const parquet_groups *g)
{
    return g->chunk;
}

static void free_group(parquet_groups *g, group *of)
{
    for (uint64_t k = 0; k < of->pages; k++) {
        for (int i = 0; i < g->n_columns; i++) {
            if (of->page[k].bytes[i] != NULL) {
                graphfile_give_buffer(g->w, of->page[k].bytes[i]);
            }
        }
    }
    free(of);
}

void parquet_groups_free(parquet_groups *g)
{
    if (g == NULL) {
        return;
    }
    while (g->begun != NULL) {
        group *first = g->begun;

        g->begun = first->next;
        free_group(g, first);
    }
    pthread_mutex_destroy(&g->lock);
    free(g->chunk);
    free(g);
}

/* The group, which is begun if nobody has; under the lock. */
static group *find_group(parquet_groups *g, uint64_t number)
{
    const uint64_t most = parquet_group(&g->w->spec), left = g->w->spec.graph.edges - number * most;
    const uint64_t pages = ((left < most ? left : most) + PARQUET_PAGE - 1) / PARQUET_PAGE;
    group *found = g->begun;

    while (found != NULL && found->number != number) {
        found = found->next;
    }
    if (found == NULL && (found = calloc(1, sizeof *found + pages * sizeof *found->page)) != NULL) {
        found->number = number;
        found->pages = pages;
        found->next = g->begun;
        g->begun = found;
    }
    return found;
}

/* What is known of a group's chunks but for their places; its bytes. */
static uint64_t describe_columns(parquet_groups *g, const group *of)
{
    parquet_chunk *chunk = g->chunk + of->number * (uint64_t)g->n_columns;
    uint64_t bytes = 0;

    for (int i = 0; i < g->n_columns; i++) {
        chunk[i] = (parquet_chunk){.range = of->page[0].range[i]};
        chunk[i].range.plain_bytes = 0;
        for (uint64_t k = 0; k < of->pages; k++) {
            chunk[i].bytes += of->page[k].bytes[i]->bytes;
            parquet_add_range(&chunk[i].range, &of->page[k].range[i], g->column[i].type);
        }
        bytes += chunk[i].bytes;
    }
    return bytes;
}

/* Its places: behind the group before. */
static void place(parquet_groups *g, const group *of)
{
    parquet_chunk *chunk = g->chunk + of->number * (uint64_t)g->n_columns;

    for (int i = 0; i < g->n_columns; i++) {
        chunk[i].offset = g->offset;
        g->offset += chunk[i].bytes;
    }
}

/* The next group if it is complete, out of the list and with a place; under the lock. */
static group *take_complete(parquet_groups *g)
{
    group **link = &g->begun, *taken;

    while (*link != NULL && (*link)->number != g->next) {
        link = &(*link)->next;
    }
    taken = *link;
    if (taken == NULL || taken->done < taken->pages) {
        return NULL;
    }
    *link = taken->next;
    describe_columns(g, taken);
    place(g, taken);
    g->next++;
    return taken;
}

/* The pages of a column side by side, at once where graphfile_align() would move them to. */
static int write_chunk(parquet_groups *g, const group *of, int column)
{
    const parquet_chunk *chunk = &g->chunk[of->number * (uint64_t)g->n_columns + (uint64_t)column];
    graphfile_buffer *b;
    char *memory = graphfile_open_chunk(g->w, &b, chunk->bytes), *to;
    int st;

    if (memory == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    to = memory += chunk->offset % GRAPHFILE_PAGE;
    for (uint64_t k = 0; k < of->pages; k++) {
        const graphfile_buffer *from = of->page[k].bytes[column];

        memcpy(to, from->data, from->bytes);
        to += from->bytes;
    }
    st = graphfile_plain_write(&g->w->file, chunk->offset, memory, chunk->bytes);
    graphfile_give_buffer(g->w, b);
    return st;
}

static int write_complete(parquet_groups *g)
{
    int st = EDGEFILE_OK;
    group *taken;

    do {
        pthread_mutex_lock(&g->lock);
        taken = take_complete(g);
        pthread_mutex_unlock(&g->lock);
        for (int i = 0; taken != NULL && i < g->n_columns && st == EDGEFILE_OK; i++) {
            st = write_chunk(g, taken, i);
        }
        if (taken != NULL) {
            free_group(g, taken);
        }
    } while (taken != NULL && st == EDGEFILE_OK);
    return st;
}

/* All columns of a page, or none. */
static int encode(parquet_groups *g, uint64_t number, const void *const column[PARQUET_COLUMNS],
                  page *made)
{
    const uint64_t left = g->w->spec.graph.edges - number * PARQUET_PAGE;
    const size_t count = left < PARQUET_PAGE ? (size_t)left : PARQUET_PAGE;
    int st = EDGEFILE_OK, n = 0;

    for (; n < g->n_columns && st == EDGEFILE_OK; n++) {
        const int bytes = graphfile_width(&g->w->spec.graph, n);

        made->bytes[n] = graphfile_take_buffer(g->w, false);
        st = made->bytes[n] == NULL ? edgefile_no_memory(NULL)
                                    : parquet_encode(made->bytes[n], &made->range[n], &g->column[n],
                                                     column[n], bytes, count);
    }
    for (int i = 0; i < n && st != EDGEFILE_OK; i++) {
        if (made->bytes[i] != NULL) {
            graphfile_give_buffer(g->w, made->bytes[i]);
        }
    }
    return st;
}

int parquet_groups_add(parquet_groups *g, uint64_t number,
                       const void *const column[PARQUET_COLUMNS])
{
    const uint64_t pages = parquet_group(&g->w->spec) / PARQUET_PAGE;
    bool complete = false;
    page made = {0};
    group *of;

    EDGEFILE_TRY(encode(g, number, column, &made));
    pthread_mutex_lock(&g->lock);
    of = find_group(g, number / pages);
    if (of != NULL) {
        of->page[number % pages] = made;
        complete = ++of->done == of->pages;
    }
    pthread_mutex_unlock(&g->lock);
    if (of == NULL) {
        for (int i = 0; i < g->n_columns; i++) {
            graphfile_give_buffer(g->w, made.bytes[i]);
        }
        return edgefile_no_memory(NULL);
    }
    return complete && g->w->spec.group == NULL ? write_complete(g) : EDGEFILE_OK;
}

/* The group of the lowest number, out of the list; NULL: there is none. */
static group *take_first(parquet_groups *g)
{
    group **first = &g->begun, *taken;

    for (group **link = first; *link != NULL; link = &(*link)->next) {
        first = (*link)->number < (*first)->number ? link : first;
    }
    taken = *first;
    if (taken != NULL) {
        *first = taken->next;
    }
    return taken;
}

static int write_group(parquet_groups *g, const group *of)
{
    int st = EDGEFILE_OK;

    place(g, of);
    for (int i = 0; i < g->n_columns && st == EDGEFILE_OK; i++) {
        st = write_chunk(g, of, i);
    }
    return st;
}

int parquet_groups_end_round(parquet_groups *g)
{
    uint64_t mine = 0, before, all;
    const uint64_t start = g->offset;
    int st = EDGEFILE_OK;
    group *first;

    for (const group *of = g->begun; of != NULL && st == EDGEFILE_OK; of = of->next) {
        if (of->done < of->pages) {
            st = edgefile_fail(EDGEFILE_ERR_RANGE, "a round ended within a row group");
        } else {
            mine += describe_columns(g, of);
        }
    }
    EDGEFILE_TRY(edgefile_group_agree(g->w->spec.group, st));
    EDGEFILE_TRY(edgefile_group_share(g->w->spec.group, g->w->file.name, mine, &before, &all));
    g->offset = start + before;
    while ((first = take_first(g)) != NULL) {
        st = st == EDGEFILE_OK ? write_group(g, first) : st;
        free_group(g, first);
    }
    g->offset = start + all;
    return st;
}

bool parquet_groups_complete(const parquet_groups *g)
{
    return g->begun == NULL;
}

uint64_t parquet_groups_gather(parquet_groups *g)
{
    const uint64_t groups = parquet_groups_of(&g->w->spec);

    /* Each chunk is described by one process, and by zeros on the others. */
    edgefile_group_sum(g->w->spec.group, (uint64_t *)(void *)g->chunk,
                       groups * (uint64_t)g->n_columns * (sizeof *g->chunk / sizeof(uint64_t)));
    return g->offset;
}

/*
 * The metadata at the end of a Parquet file: the columns, where they are in each row
 * group, with the range of their values, and what made the file.
 */

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

static void put_group(thrift_writer *t, const graphfile_spec *s, uint64_t number,
                      const parquet_column *column, int n, const parquet_chunk *chunk)
{
    const uint64_t most = parquet_group(s), left = s->graph.edges - number * most;
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
