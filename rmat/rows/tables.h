/* tables.h - private to rmat/: what the stream `rows` is drawn from, made of a model (ROWS.md), and
 * how its work is cut. */
#ifndef RMAT_ROWS_TABLES_H
#define RMAT_ROWS_TABLES_H

#include "rmat/rows/rows.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets all of *view for a checked configuration with these matrices (rmat_levels_of()), but for the
 * seed and the edges.  *tables: what fast and full of the view point to, to be freed; NULL on
 * failure. */
int rmat_rows_set_up(rmat_rows_view *view, void **tables, const rmat_config *config,
                     const rmat_matrix *levels);

/* Nodes in the order of the list. */
typedef struct {
    rmat_rows_node *list; /* to be freed */
    size_t n, room;
} rmat_rows_nodes;

/* rows.c: the nodes that have rows [begin, end) between them, and no others; each of at most `most`
 * edges, or a single row. */
int rmat_rows_cut(const rmat_rows_view *v, uint64_t begin, uint64_t end, uint64_t most,
                  rmat_rows_nodes *nodes);

/* A part of the graph, whose arrays are on a GPU: rmat_rows_csr_device() with checked arguments. */
typedef struct rmat_rows_part {
    const rmat_rows_view *view; /* with tables in host memory */
    int tables;                 /* distinct ones */
    uint64_t begin, end;        /* rows */
    uint64_t first, last;       /* their edges */
    uint64_t *pointers;
    void *dst;
    int id_bytes;
} rmat_rows_part;

#ifdef __cplusplus
}
#endif

#endif
