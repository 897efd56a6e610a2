/*
 * icebug.c - icebug: compressed sparse rows in Parquet, "icebug-disk" version 1, which Ladybug
 * mounts as the tables of a graph without loading them.
 *
 * indices_edges.parquet, the main file, has the destinations (target) and the weights, if there are
 * any, written as parquet.c writes edges, without their sources.  indptr_edges.parquet has for each
 * vertex the number of its first edge, and at the end the number of edges; nodes_nodes.parquet the
 * vertices, and schema.cypher the statements that mount the three in the folder where they are
 * carried out.  Of a main file with another name X the others are X.indptr, X.nodes and X.cypher.
 *
 * Row pointers come from many threads and processes in any order, and none waits in memory: they
 * are PLAIN, in row groups of one page, so that every one has its place from the beginning.  Their
 * ranges, which nobody knows then, are left out.
 */
#include "io/formats/parquet/parquet.h"
#include "io/small_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTERS, NODES, SCHEMA, BESIDE, MAGIC = 4, ROWS = EDGEFILE_TABLE_ROWS };

static const char main_name[] = "indices_edges.parquet";

static char *name_beside(const graphfile_writer *w, int i, bool *wanted)
{
    static const char *const names[] = {"indptr_edges.parquet", "nodes_nodes.parquet",
                                        "schema.cypher"};
    static const char *const suffixes[] = {".indptr", ".nodes", ".cypher"};
    const char *slash = strrchr(w->file.name, '/');
    const char *base = slash != NULL ? slash + 1 : w->file.name;
    char *name;
    int n;

    *wanted = true;
    n = strcmp(base, main_name) == 0
            ? asprintf(&name, "%.*s%s", (int)(base - w->file.name), w->file.name, names[i])
            : asprintf(&name, "%s%s", w->file.name, suffixes[i]);
    return n < 0 ? NULL : name;
}

/* A page of row pointers that are still to come: its header, and what the footer says of it. */
static int put_header(graphfile_buffer *to, parquet_chunk *chunk, size_t count)
{
    static const parquet_column plain = {.type = PARQUET_INT64};
    uint64_t *zeros = calloc(count, sizeof *zeros);
    int st = zeros != NULL ? parquet_encode(to, &chunk->range, &plain, zeros, sizeof *zeros, count)
                           : edgefile_no_memory(NULL);

    free(zeros);
    chunk->bytes = to->bytes;
    to->bytes -= st == EDGEFILE_OK ? count * sizeof *zeros : 0;
    return st;
}

static int open_icebug(graphfile_writer *w)
{
    graphfile_buffer header = {0};
    parquet_chunk chunk;
    int st = put_header(&header, &chunk, ROWS);

    w->rows = (graphfile_pointers){.file = &w->beside[POINTERS],
                                   .last = graphfile_vertices(&w->spec.graph),
                                   .offset = MAGIC + header.bytes,
                                   .scale = 1,
                                   .width = 8,
                                   .page = ROWS,
                                   .gap = header.bytes};
    graphfile_buffer_free(&header);
    return st == EDGEFILE_OK ? parquet_open(w) : st;
}

static int write_icebug(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(graphfile_write_rows(w, p));
    return parquet_write(w, p);
}

/* The headers of the pages, each at the end of the gap before them, and the footer.  table: nothing
 * but a spec, which tells the footer how many rows there are. */
static int end_pointers(graphfile_writer *w, const graphfile_writer *table, parquet_chunk *chunk)
{
    static const parquet_column column = {.name = "ptr", .type = PARQUET_INT64, .unranged = true};
    const uint64_t rows = table->spec.graph.edges, gap = w->rows.gap;
    graphfile_buffer b = {0};
    int st = graphfile_plain_write(w->rows.file, 0, PARQUET_MAGIC, MAGIC);

    for (uint64_t first = 0; first < rows && st == EDGEFILE_OK; first += ROWS) {
        const uint64_t left = rows - first,
                       values = w->rows.offset + 8 * first + gap * (first / ROWS);
        parquet_chunk *c = &chunk[first / ROWS];
        char padded[64] = ""; /* longer than any header */

        graphfile_empty(&b);
        st = put_header(&b, c, left < ROWS ? left : ROWS);
        c->offset = values - b.bytes;
        if (st == EDGEFILE_OK) {
            memcpy(padded + gap - b.bytes, b.data, b.bytes);
            st = graphfile_plain_write(w->rows.file, values - gap, padded, gap);
        }
    }
    graphfile_empty(&b);
    if (st == EDGEFILE_OK) {
        st = parquet_footer(&b, table, &column, 1, chunk);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(w->rows.file,
                                   MAGIC + 8 * rows + gap * parquet_groups_of(&table->spec), b.data,
                                   b.bytes);
    }
    graphfile_buffer_free(&b);
    return st;
}

static int finish_pointers(graphfile_writer *w)
{
    const uint64_t vertices = graphfile_vertices(&w->spec.graph);
    graphfile_writer *table = calloc(1, sizeof *table);
    parquet_chunk *chunk = calloc(vertices / ROWS + 1, sizeof *chunk);
    int st;

    if (table == NULL || chunk == NULL) {
        st = edgefile_no_memory(w->rows.file->name);
    } else {
        table->spec =
            (graphfile_spec){.format = GRAPHFILE_ICEBUG,
                             .graph = {.rows = vertices, .cols = vertices, .edges = vertices + 1}};
        st = end_pointers(w, table, chunk);
    }
    free(table);
    free(chunk);
    return st;
}

static int write_nodes(graphfile_writer *w)
{
    static const char *const name = "id";
    const uint64_t vertices = graphfile_vertices(&w->spec.graph);
    uint64_t *id = malloc(ROWS * sizeof *id);
    const uint64_t *const column = id;
    edgefile_table *table = NULL;
    int st = id != NULL ? parquet_table_create(&table, &w->beside[NODES], GRAPHFILE_ICEBUG, 1,
                                               &name, vertices)
                        : edgefile_no_memory(NULL);

    for (uint64_t first = 0; first < vertices && st == EDGEFILE_OK; first += ROWS) {
        const uint64_t left = vertices - first, n = left < ROWS ? left : ROWS;

        for (uint64_t i = 0; i < n; i++) {
            id[i] = first + i;
        }
        st = edgefile_table_add(table, &column, n);
    }
    edgefile_table_free(table);
    free(id);
    return st;
}

static int write_schema(graphfile_writer *w)
{
    static const char *const weights[] = {"", ", weight FLOAT", ", weight INT32"};
    graphfile_buffer b = {0};
    int st = graphfile_print(&b,
                             "CREATE NODE TABLE nodes(id INT64, PRIMARY KEY(id)) "
                             "WITH (storage = '.', format = 'icebug-disk');\n"
                             "CREATE REL TABLE edges(FROM nodes TO nodes%s) "
                             "WITH (storage = '.', format = 'icebug-disk');\n",
                             weights[w->spec.graph.weight]);

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&w->beside[SCHEMA], 0, b.data, b.bytes);
    }
    graphfile_buffer_free(&b);
    return st;
}

/* The other files, by the first process.  All processes finish the edges together, whatever became
 * of these. */
static int finish_icebug(graphfile_writer *w)
{
    int st = graphfile_finish_rows(w);

    if (st == EDGEFILE_OK && graphfile_is_first(w)) {
        st = finish_pointers(w);
        st = st == EDGEFILE_OK ? write_nodes(w) : st;
        st = st == EDGEFILE_OK ? write_schema(w) : st;
    }
    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    return parquet_finish(w);
}

/* Readers take a footer of 2 GiB at most. */
static int check(const graphfile_graph *g)
{
    const uint64_t most = GRAPHFILE_ROW_GROUPS * GRAPHFILE_ROW_GROUP_UNIT;

    return g->edges < most && graphfile_vertices(g) < most
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_ARG,
                               "icebug needs fewer than %" PRIu64 " vertices and edges", most);
}

/* At most the length of the other files: pointers of 8 bytes, ids as differences of 0 bits in
 * blocks with a header, and what Parquet needs around them. */
static uint64_t beside(const graphfile_graph *g)
{
    return 9 * graphfile_vertices(g) + 8192;
}

static const graphfile_write_ops write_ops = {.name_beside = name_beside,
                                              .n_beside = BESIDE,
                                              .open = open_icebug,
                                              .write = write_icebug,
                                              .end_round = parquet_end_round,
                                              .finish = finish_icebug,
                                              .close = parquet_close};

const graphfile_descriptor graphfile_icebug_format = {
    .facts = {"icebug", main_name, "icebug-disk 1, CSR in Parquet, for Ladybug: with indptr, nodes",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    .write = &write_ops,
    .edge_bytes = 1,
    .round = parquet_group,
    .most = parquet_most,
    .beside = beside,
    .check = check,
    .read = &parquet_read_ops,
};
