/* parquet.c - Apache Parquet: columns src, dst and, if there are any, weight. */
#include "io/formats/parquet/parquet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    parquet_column column[PARQUET_COLUMNS]; /* of edges */
    const parquet_column *of_file;          /* those that are in the file */
    int n_of_file;
    parquet_groups *groups;
    graphfile_blocks *pages;
} parquet;

/* An encoding that is asked for, or one that every reader has: those of before 2024 know
 * BYTE_STREAM_SPLIT of floats at most. */
int parquet_columns(parquet_column column[PARQUET_COLUMNS], const graphfile_spec *spec)
{
    static const parquet_encoding encodings[] = {
        [GRAPHFILE_ENCODING_PLAIN] = PARQUET_PLAIN,
        [GRAPHFILE_ENCODING_DELTA] = PARQUET_DELTA,
        [GRAPHFILE_ENCODING_SPLIT] = PARQUET_SPLIT,
    };
    const graphfile_graph *g = &spec->graph;
    const uint64_t most = (uint64_t)1 << 31; /* vertices that int32 can number */
    const bool chosen = spec->encoding == GRAPHFILE_ENCODING_AUTO;
    const parquet_column integer = {.encoding = chosen ? PARQUET_DELTA : encodings[spec->encoding],
                                    .narrow = chosen,
                                    .codec = spec->compress ? PARQUET_ZSTD : PARQUET_NO_CODEC};

    for (int i = 0; i < PARQUET_COLUMNS; i++) {
        column[i] = integer;
        column[i].type = i == 2 || (i < 2 && parquet_first(spec) == 0 && g->id_bytes == 4 &&
                                    g->rows <= most && g->cols <= most)
                             ? PARQUET_INT32
                             : PARQUET_INT64;
        column[i].encoding = i < 2 && chosen && !g->sorted ? PARQUET_PLAIN : integer.encoding;
    }
    if (g->weight == EDGEFILE_WEIGHT_F32) {
        column[2].type = PARQUET_FLOAT;
        column[2].encoding = integer.encoding == PARQUET_SPLIT ? PARQUET_SPLIT : PARQUET_PLAIN;
    }
    return graphfile_n_columns(g);
}

static int add_page(graphfile_writer *w, uint64_t number, uint64_t count,
                    const void *const column[PARQUET_COLUMNS])
{
    const parquet *q = w->state;

    (void)count;
    return parquet_groups_add(q->groups, number, column);
}

int parquet_open(graphfile_writer *w)
{
    char name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME];
    parquet *q = calloc(1, sizeof *q);
    int n;

    w->state = q;
    if (q == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    n = parquet_columns(q->column, &w->spec);
    graphfile_column_names(name, &w->spec);
    for (int i = 0; i < n; i++) {
        memcpy(q->column[i].name, name[i], sizeof name[i]);
    }
    if (parquet_first(&w->spec) > 0) {
        strcpy(q->column[1].name, "target");
    }
    q->of_file = q->column + parquet_first(&w->spec);
    q->n_of_file = n - parquet_first(&w->spec);
    q->groups = parquet_groups_new(w, q->of_file, q->n_of_file);
    q->pages = graphfile_blocks_new(PARQUET_PAGE, n, add_page);
    if (q->groups == NULL || q->pages == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    return graphfile_plain_write(&w->file, 0, PARQUET_MAGIC, 4);
}

int parquet_write(graphfile_writer *w, const graphfile_piece *p)
{
    const parquet *q = w->state;

    return graphfile_blocks_add(w, q->pages, p);
}

int parquet_end_round(graphfile_writer *w)
{
    const parquet *q = w->state;

    return parquet_groups_end_round(q->groups);
}

int parquet_finish(graphfile_writer *w)
{
    const parquet *q = w->state;
    const bool complete = graphfile_blocks_complete(q->pages) && parquet_groups_complete(q->groups);
    graphfile_buffer footer = {0};
    uint64_t end;
    int st = complete ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_RANGE, "a page is not complete");

    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    end = parquet_groups_gather(q->groups);
    if (!graphfile_is_first(w)) {
        return EDGEFILE_OK;
    }
    st = parquet_footer(&footer, w, q->of_file, q->n_of_file, parquet_groups_chunks(q->groups));

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&w->file, end, footer.data, footer.bytes);
    }
    graphfile_buffer_free(&footer);
    return st;
}

void parquet_close(graphfile_writer *w)
{
    parquet *q = w->state;

    if (q == NULL) {
        return;
    }
    parquet_groups_free(q->groups);
    graphfile_blocks_free(q->pages);
    free(q);
}

/* Plain values; encoded or compressed ones are seldom longer and never by more than an eighth. Each
 * page has a header, and the footer some 140 bytes for each column of a group. */
uint64_t parquet_most(const graphfile_spec *s)
{
    parquet_column column[PARQUET_COLUMNS];
    const uint64_t edges = s->graph.edges, pages = edges / PARQUET_PAGE + 1;
    const int n = parquet_columns(column, s);
    uint64_t bytes = 4096 + (s->comment != NULL ? 2 * strlen(s->comment) : 0);

    for (int i = parquet_first(s); i < n; i++) {
        const uint64_t width = column[i].type == PARQUET_INT64 ? 8 : 4;
        const uint64_t values = width * edges;

        bytes += values + (column[i].encoding == PARQUET_PLAIN && !s->compress ? 0 : values / 8) +
                 128 * pages + 160 * parquet_groups_of(s);
    }
    return bytes;
}

/* A table beside a graph: row groups of one page, and a footer like that of edges. */

struct edgefile_table {
    graphfile_plain *file;
    graphfile_writer w; /* nothing but its spec, which tells the footer how many rows there are */
    parquet_column column[16];
    int n_columns;
    parquet_chunk *chunk; /* of all row groups */
    uint64_t groups, offset;
};

static int end_table(edgefile_table *t)
{
    graphfile_buffer footer = {0};
    int st = parquet_footer(&footer, &t->w, t->column, t->n_columns, t->chunk);

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(t->file, t->offset, footer.data, footer.bytes);
    }
    graphfile_buffer_free(&footer);
    return st;
}

int parquet_table_create(edgefile_table **table, graphfile_plain *file, graphfile_format format,
                         int n, const char *const *names, uint64_t rows)
{
    edgefile_table *t = *table = calloc(1, sizeof *t);

    if (t == NULL) {
        return edgefile_no_memory(file->name);
    }
    t->file = file;
    t->w.spec.format = format;
    t->w.spec.row_group = EDGEFILE_TABLE_ROWS;
    t->w.spec.graph = (graphfile_graph){.rows = rows, .cols = rows, .edges = rows};
    t->n_columns = n;
    t->offset = strlen(PARQUET_MAGIC);
    t->chunk = calloc(parquet_groups_of(&t->w.spec) * (uint64_t)n + 1, sizeof *t->chunk);
    for (int i = 0; i < n; i++) {
        t->column[i] =
            (parquet_column){.type = PARQUET_INT64, .encoding = PARQUET_DELTA, .narrow = true};
        snprintf(t->column[i].name, sizeof t->column[i].name, "%s", names[i]);
    }
    if (t->chunk == NULL) {
        return edgefile_no_memory(file->name);
    }
    EDGEFILE_TRY(graphfile_plain_write(t->file, 0, PARQUET_MAGIC, strlen(PARQUET_MAGIC)));
    return rows == 0 ? end_table(t) : EDGEFILE_OK;
}

int edgefile_table_create(edgefile_table **table, edgefile_small *file, int n,
                          const char *const *names, uint64_t rows)
{
    return parquet_table_create(table, &file->plain, GRAPHFILE_PARQUET, n, names, rows);
}

int edgefile_table_add(edgefile_table *t, const uint64_t *const *column, size_t count)
{
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    for (int i = 0; i < t->n_columns && st == EDGEFILE_OK; i++) {
        parquet_chunk *to = &t->chunk[t->groups * (uint64_t)t->n_columns + (uint64_t)i];

        graphfile_empty(&b);
        st = parquet_encode(&b, &to->range, &t->column[i], column[i], 8, count);
        if (st == EDGEFILE_OK) {
            to->offset = t->offset;
            to->bytes = b.bytes;
            t->offset += b.bytes;
            st = graphfile_plain_write(t->file, to->offset, b.data, b.bytes);
        }
    }
    graphfile_buffer_free(&b);
    return st == EDGEFILE_OK && ++t->groups == parquet_groups_of(&t->w.spec) ? end_table(t) : st;
}

void edgefile_table_free(edgefile_table *t)
{
    if (t != NULL) {
        free(t->chunk);
        free(t);
    }
}

static bool is_parquet(const void *start, size_t count)
{
    return count >= 4 && memcmp(start, PARQUET_MAGIC, 4) == 0;
}

static const graphfile_write_ops write_ops = {.open = parquet_open,
                                              .write = parquet_write,
                                              .end_round = parquet_end_round,
                                              .finish = parquet_finish,
                                              .close = parquet_close};

const graphfile_descriptor graphfile_parquet_format = {
    .facts = {"parquet", ".parquet", "Apache Parquet, columns src, dst, weight",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_SIGNED_IDS |
                  GRAPHFILE_HAS_COLUMNS | GRAPHFILE_COMPRESSES},
    .write = &write_ops,
    .edge_bytes = 1,
    .round = parquet_group,
    .most = parquet_most,
    .read = &parquet_read_ops,
    .recognise = is_parquet,
};
