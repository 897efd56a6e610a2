/* tables.h - private to rmat/: what the stream `rows` is drawn from, made of a model (ROWS.md), how
 * its work is cut, and what the files of this folder call of each other. */
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

/* A part of the graph, whose arrays are on a GPU: edges [first, last) of the list, all of which are
 * in rows [begin, end). */
typedef struct rmat_rows_part {
    const rmat_rows_view *view; /* with tables in host memory */
    int tables;                 /* distinct ones */
    uint64_t begin, end;
    uint64_t first, last;
    uint64_t
        *pointers; /* of these rows, and of the end, where all of their edges are wanted, or NULL */
    uint64_t base; /* to be subtracted from them */
    const rmat_gen *gen; /* whose GPU and scratch memory are used; NULL: the current GPU's */
    void *src, *dst;     /* src NULL: not wanted */
    int id_bytes;
    /* In host memory; with pointers and base the first edge: copies of edges are dropped, which
     * takes ids whose largest value no edge has, and this is how many are left; NULL: all are kept.
     */
    uint64_t *left;

    /* In host memory: in place of all these, rows that begin there are counted; NULL: they are
     * not. */
    rmat_rows_counts *counts;
} rmat_rows_part;

/* What rmat_rows_batch_device() is given. */
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
    rmat_gen *gen; /* of the list as a source: permutes, and makes weights */
};

/* rows.c: can these rows be made in the order of the list? */
int rmat_rows_check(const rmat_rows *rows, bool permuted, uint64_t begin, uint64_t end,
                    int id_bytes);

/* rows.c: the node of a single row: the walk straight down to it. */
rmat_rows_node rmat_rows_find(const rmat_rows_view *v, uint64_t row);

/* rows.c: puts the children of a node on a stack of n; how many it has then. */
int rmat_rows_push_children(const rmat_rows_view *v, const rmat_rows_node *node,
                            rmat_rows_node *stack, int n);

/* rows.c, device.c: rmat_rows_csr(), with `base` subtracted from the pointers, and
 * rmat_rows_csr_device(); gen, left: rmat_rows_part. */
int rmat_rows_make(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t base,
                   uint64_t *pointers, uint64_t room, void *dst, void *weight, int id_bytes);
int rmat_rows_make_device(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                          uint64_t base, uint64_t *pointers, uint64_t room, void *dst, int id_bytes,
                          uint64_t *left, void *stream);

/* rows.c: all rows of the graph as `gen` permutes it, as rmat_rows_csr(): rows are made in the
 * order of the list, and each is sorted at its place.  Takes 8 bytes for each row besides. */
int rmat_rows_scatter(const rmat_rows *rows, const rmat_gen *gen, uint64_t *pointers, uint64_t room,
                      void *dst, void *weight, int id_bytes);

/* device.c: a range of the list that is not empty. */
rmat_rows_part rmat_rows_part_of(const rmat_rows_view *v, uint64_t first, uint64_t count);

/* device.c: rmat_source.fill_device(): whole rows but for the first and the last one. */
int rmat_rows_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                          void *stream);

/* count.c: is there such a range of the list? */
int rmat_rows_check_count(const rmat_rows *rows, uint64_t first, uint64_t count);
void rmat_rows_add_counts(rmat_rows_counts *to, const rmat_rows_counts *more);

#ifdef __cplusplus
}
#endif

#endif
