/* parquet.c - Apache Parquet: columns src, dst and, if there are any, weight. */
#include "io/formats/parquet/parquet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    parquet_column column[PARQUET_COLUMNS];
    int n_columns;
    parquet_groups *groups;
    graphfile_blocks *pages;
} parquet;

/* An encoding that is asked for, or one that every reader has: those of before 2024 know
 * BYTE_STREAM_SPLIT of floats at most. */
static int columns_of(parquet_column column[PARQUET_COLUMNS], const graphfile_spec *spec)
{
    static const parquet_encoding encodings[] = {
        [GRAPHFILE_ENCODING_PLAIN] = PARQUET_PLAIN,
        [GRAPHFILE_ENCODING_DELTA] = PARQUET_DELTA,
        [GRAPHFILE_ENCODING_SPLIT] = PARQUET_SPLIT,
    };
    static const char *const names[PARQUET_COLUMNS] = {"src", "dst", "weight"};
    const graphfile_graph *g = &spec->graph;
    const uint64_t most = (uint64_t)1 << 31; /* vertices that int32 can number */
    const bool chosen = spec->encoding == GRAPHFILE_ENCODING_AUTO;
    const parquet_column integer = {.encoding = chosen ? PARQUET_DELTA : encodings[spec->encoding],
                                    .narrow = chosen,
                                    .codec = spec->compress ? PARQUET_ZSTD : PARQUET_NO_CODEC};

    for (int i = 0; i < PARQUET_COLUMNS; i++) {
        column[i] = integer;
        column[i].name = names[i];
        column[i].type = i == 2 || (i < 2 && g->id_bytes == 4 && g->rows <= most && g->cols <= most)
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

static int open_parquet(graphfile_writer *w)
{
    parquet *q = calloc(1, sizeof *q);

    w->state = q;
    if (q == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    q->n_columns = columns_of(q->column, &w->spec);
    q->groups = parquet_groups_new(w, q->column, q->n_columns);
    q->pages = graphfile_blocks_new(PARQUET_PAGE, q->n_columns, add_page);
    if (q->groups == NULL || q->pages == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    return graphfile_plain_write(&w->file, 0, PARQUET_MAGIC, 4);
}

static int write_parquet(graphfile_writer *w, const graphfile_piece *p)
{
    const parquet *q = w->state;

    return graphfile_blocks_add(w, q->pages, p);
}

static int end_round(graphfile_writer *w)
{
    const parquet *q = w->state;

    return parquet_groups_end_round(q->groups);
}

static int finish(graphfile_writer *w)
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
    st = parquet_footer(&footer, w, q->column, q->n_columns, parquet_groups_chunks(q->groups));

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&w->file, end, footer.data, footer.bytes);
    }
    graphfile_buffer_free(&footer);
    return st;
}

static void close_parquet(graphfile_writer *w)
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
static uint64_t most_bytes(const graphfile_spec *s)
{
    parquet_column column[PARQUET_COLUMNS];
    const uint64_t edges = s->graph.edges, pages = edges / PARQUET_PAGE + 1;
    const int n = columns_of(column, s);
    uint64_t bytes = 4096 + (s->comment != NULL ? 2 * strlen(s->comment) : 0);

    for (int i = 0; i < n; i++) {
        const uint64_t width = column[i].type == PARQUET_INT64 ? 8 : 4;
        const uint64_t values = width * edges;

        bytes += values + (column[i].encoding == PARQUET_PLAIN && !s->compress ? 0 : values / 8) +
                 128 * pages + 160 * parquet_groups_of(s);
    }
    return bytes;
}

static const graphfile_write_ops write_ops = {.open = open_parquet,
                                              .write = write_parquet,
                                              .end_round = end_round,
                                              .finish = finish,
                                              .close = close_parquet};

const graphfile_descriptor graphfile_parquet_format = {
    .facts = {"parquet", ".parquet", "Apache Parquet, columns src, dst, weight",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_SIGNED_IDS |
                  GRAPHFILE_COMPRESSES},
    .write = &write_ops,
    .edge_bytes = 1,
    .round = parquet_group,
    .most = most_bytes,
};
