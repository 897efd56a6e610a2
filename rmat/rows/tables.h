/* tables.h - private to rmat/: the tables of the stream `rows`, made from a model (ROWS.md), the
 * division of its work, and the functions that files of this folder share. */
#ifndef RMAT_ROWS_TABLES_H
#define RMAT_ROWS_TABLES_H

#include "rmat/rows/rows.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets all of *view, except the seed and the edges, for a checked configuration with these matrices
 * (rmat_levels_of()). *tables is the memory of the view's fast and full; the caller frees it.  NULL
 * on failure. */
int rmat_rows_set_up(rmat_rows_view *view, void **tables, const rmat_config *config,
                     const rmat_matrix *levels);

/* Nodes in the order of the list. */
typedef struct {
    rmat_rows_node *list; /* the caller frees it */
    size_t n, room;
} rmat_rows_nodes;

/* rows.c: cuts rows [begin, end) into nodes that have exactly these rows.  Each has at most `most`
 * edges, or is a single row. */
int rmat_rows_cut(const rmat_rows_view *v, uint64_t begin, uint64_t end, uint64_t most,
                  rmat_rows_nodes *nodes);

/* A part of the graph with arrays on a GPU: edges [first, last) of the list, in rows [begin,
 * end). */
typedef struct rmat_rows_part {
    const rmat_rows_view *view; /* with tables in host memory */
    int tables;                 /* distinct ones */
    uint64_t begin, end;
    uint64_t first, last;
    uint64_t *
        pointers; /* of these rows and of the end; only if all of their edges are wanted; or NULL */
    uint64_t base;       /* subtracted from the pointers */
    const rmat_gen *gen; /* its GPU and scratch memory are used; NULL: the current GPU */
    void *src, *dst;     /* src NULL: not wanted */
    int id_bytes;
    /* In host memory, with pointers and base equal to the first edge.  Copies of edges are dropped,
     * and *left becomes the number of remaining edges.  No edge may have the largest value of an
     * id.  NULL: all edges are kept. */
    uint64_t *left;

    /* In host memory: counts the rows that begin there, instead of all the above; or NULL. */
    rmat_rows_counts *counts;
} rmat_rows_part;

/* The arguments of rmat_rows_batch_device(). */
typedef struct rmat_rows_batch {
    const rmat_rows_view *view; /* with tables in host memory */
    int tables;                 /* distinct ones */
    uint64_t count, room;
    const uint64_t *vertices;
    uint64_t *offsets;
    void *dst;
    int id_bytes;
} rmat_rows_batch;

struct rmat_rows {
    rmat_rows_view view;
    void *tables;
    rmat_gen *gen; /* of the list as a source; permutes edges and makes weights */
};

/* rows.c: checks that these rows can be made in the order of the list. */
int rmat_rows_check(const rmat_rows *rows, bool permuted, uint64_t begin, uint64_t end,
                    int id_bytes);

/* rows.c: the node of a single row, by a direct walk down to it. */
rmat_rows_node rmat_rows_find(const rmat_rows_view *v, uint64_t row);

/* rows.c: puts the children of a node on a stack of n nodes; returns the new number. */
int rmat_rows_push_children(const rmat_rows_view *v, const rmat_rows_node *node,
                            rmat_rows_node *stack, int n);

/* rows.c, device.c: rmat_rows_csr(), with `base` subtracted from the pointers, and
 * rmat_rows_csr_device(). gen, left: as in rmat_rows_part. */
int rmat_rows_make(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t base,
                   uint64_t *pointers, uint64_t room, void *dst, void *weight, int id_bytes);
int rmat_rows_make_device(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                          uint64_t base, uint64_t *pointers, uint64_t room, void *dst, int id_bytes,
                          uint64_t *left, void *stream);

/* rows.c: all rows of the graph as `gen` permutes it, as rmat_rows_csr() does.  Rows are made in
 * the order of the list, and each is sorted at its place.  Takes 8 more bytes per row. */
int rmat_rows_scatter(const rmat_rows *rows, const rmat_gen *gen, uint64_t *pointers, uint64_t room,
                      void *dst, void *weight, int id_bytes);

/* device.c: a range of the list that is not empty. */
rmat_rows_part rmat_rows_part_of(const rmat_rows_view *v, uint64_t first, uint64_t count);

/* device.c: rmat_source.fill_device(): whole rows but for the first and the last one. */
int rmat_rows_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                          void *stream);

/* count.c: checks that the list has this range. */
int rmat_rows_check_count(const rmat_rows *rows, uint64_t first, uint64_t count);
void rmat_rows_add_counts(rmat_rows_counts *to, const rmat_rows_counts *more);

#ifdef __cplusplus
}
#endif

#endif
