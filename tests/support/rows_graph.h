/* rows_graph.h - a graph of the stream `rows`, with room for all of its edges. */
#ifndef TESTS_SUPPORT_ROWS_GRAPH_H
#define TESTS_SUPPORT_ROWS_GRAPH_H

#include "rmat/rmat_rows.h"
#include "tests/support/alias_util.h"
#include "tests/support/models.h"

#include <check.h>
#include <stdlib.h>

SCOPED(rmat_rows_destroy, rmat_rows *)

typedef struct {
    rmat_rows *rows;
    uint64_t n, edges; /* rows; edges */
    uint64_t *pointers, *dst;
} graph;

static inline graph make(const rmat_config *c, uint64_t edges)
{
    graph g = {.n = rows_of(c), .edges = edges};

    ok(rmat_rows_create(&g.rows, c, edges));
    g.pointers = must_alloc(g.n + 1, sizeof *g.pointers);
    g.dst = must_alloc(edges + 1, sizeof *g.dst);
    return g;
}

static inline void drop(graph g)
{
    rmat_rows_destroy(g.rows);
    free(g.pointers);
    free(g.dst);
}
SCOPED(drop, graph)

/* Checks that ids of this many bytes are the expected ones. */
static inline void check_ids(const void *ids, const uint64_t *expected, uint64_t count,
                             int id_bytes, const char *what)
{
    for (uint64_t i = 0; i < count; i++) {
        must(id_of(ids, i, id_bytes) == expected[i], "%s: edge %lu of %d bytes", what, i, id_bytes);
    }
}

#endif
