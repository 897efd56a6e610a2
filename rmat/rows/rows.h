/*
 * rows.h - private to rmat/: what the files of the stream `rows` share: the graph, its walk on a
 * CPU, and the parts of it that a GPU makes.
 */
#ifndef RMAT_ROWS_ROWS_H
#define RMAT_ROWS_ROWS_H

#include "rmat/model/generator.h"
#include "rmat/rmat_rows.h"
#include "rmat/rows/tree.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rmat_rows {
    rmat_rows_view view; /* owns `full`, which `fast` follows */
    rmat_gen *gen;       /* of the list as a source; permutes edges and makes weights */
};

/* tables.c: sets all of *view, except the edges, for a checked configuration with these matrices
 * (rmat_levels_of()).  The caller frees view->full, also on failure. */
int rmat_rows_set_up(rmat_rows_view *view, const rmat_config *config, const rmat_matrix *levels);

/* A part of the graph: edges [first, end) of the list, which are rows [row_begin, row_end) or, if
 * these are all rows, any edges. */
typedef struct {
    uint64_t first, end, row_begin, row_end;
} rmat_rows_range;

/* The arrays for a range: on a CPU, or on a GPU. */
typedef struct rmat_rows_target {
    const rmat_rows_view *view; /* with tables in host memory */
    const rmat_gen *gen; /* its instruction set, threads, GPU and scratch memory are used; NULL:
                            the current GPU */
    rmat_rows_range range;
    void *src, *dst; /* src NULL: not wanted; dst NULL, on a CPU: pointers only */
    int id_bytes;
    uint64_t *pointers; /* of the range's rows, with base subtracted; NULL: not wanted.  On a GPU
                           also of their end, and the rows are whole. */
    uint64_t base;
    /* On a GPU, with pointers and base equal to the first edge: in host memory.  Copies of edges
     * are dropped, and *left becomes the number of remaining edges.  No edge may have the largest
     * value of an id.  NULL: all edges are kept. */
    uint64_t *left;
} rmat_rows_target;

/* rows.c: puts the children of a node on a stack of n nodes; returns the new number. */
int rmat_rows_push_children(const rmat_rows_view *v, const rmat_rows_node *node,
                            rmat_rows_node *stack, int n);

/* rows.c: the list as an edge source, before the permutation.  Valid as long as the graph exists.
 */
rmat_source rmat_rows_source(const rmat_rows *rows);

/* csr.c: nodes in the order of the list. */
typedef struct {
    rmat_rows_node *list; /* the caller frees it */
    size_t n, room;
} rmat_rows_nodes;

/* csr.c: cuts the range into nodes without any other rows.  Each has at most `most` edges, or is a
 * single row. */
int rmat_rows_cut(const rmat_rows_view *v, const rmat_rows_range *range, uint64_t most,
                  rmat_rows_nodes *nodes);

/* csr.c: rmat_rows_csr() as `gen` makes the graph's weights, with `base` subtracted from the
 * pointers; and the same, without weights, in the memory of the GPU of gen (NULL: the current one).
 * There dst is not NULL.  The work is done when the call returns.  It takes one more byte per edge
 * of device memory, at most 0.9 GB.  RMAT_ERR_FULL leaves the pointers unset.  RMAT_ERR_RANGE: a
 * row has 2^32 edges or more.  left: as in rmat_rows_target. */
int rmat_rows_make(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                   uint64_t base, uint64_t *pointers, uint64_t room, void *dst, void *weight,
                   int id_bytes);
int rmat_rows_make_device(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                          uint64_t base, uint64_t *pointers, uint64_t room, void *dst, int id_bytes,
                          uint64_t *left, void *stream);

/* --- On a CPU --- */

/* rows.c: makes the target's edges and rows of a node. */
void rmat_rows_walk(const rmat_rows_target *t, const rmat_rows_node *top);

/* rows.c: makes a cell that is not divided further, of any size and state. */
void rmat_rows_make_leaf(const rmat_rows_target *t, uint64_t src, const rmat_rows_cell *cell);

/* Sorts a few ids, or ids that are nearly in order. */
INLINE void rmat_rows_sort(void *ids, uint64_t n, const int id_bytes)
{
    for (uint64_t i = 1; i < n; i++) {
        const uint64_t x = id_at(ids, i, id_bytes);
        uint64_t at = i;

        for (; at > 0 && id_at(ids, at - 1, id_bytes) > x; at--) {
            set_id(ids, at, id_at(ids, at - 1, id_bytes), id_bytes);
        }
        if (at < i) {
            set_id(ids, at, x, id_bytes);
        }
    }
}

/* The pointers of a node that is a row, or has no edges. */
static inline void rmat_rows_put_pointers(const rmat_rows_target *t, int level, uint64_t prefix,
                                          uint64_t start)
{
    const uint64_t begin = t->range.row_begin;
    uint64_t first, end;

    if (t->pointers == NULL) {
        return;
    }
    rmat_rows_span(t->view, level, prefix, &first, &end);
    end = end < t->range.row_end ? end : t->range.row_end;
    for (uint64_t r = first > begin ? first : begin; r < end; r++) {
        t->pointers[r - begin] = start - t->base;
    }
}

/*
 * The state of the CPU kernels that walk down the tree in the lanes of vectors
 * (rmat/cpu/rows_body.h).
 *
 * Nodes of at most RMAT_ROWS_THROWN edges, and cells of that size, wait on a stack, so that many of
 * them are divided together.  Edges of cells that are not divided further wait in a queue, so that
 * vectors are full although a cell has few edges.  All nodes lie within the target and share the
 * high word of their edges' numbers.  They are plain, except for cells that are not divided
 * further: the unwanted edges of those are drawn again, one by one.
 */
enum {
    RMAT_ROWS_WAIT = 32, /* nodes that are divided together */
    /* If only one node at a time is divided, each level adds at most one node. */
    RMAT_ROWS_STACK = 256 + 2 * RMAT_MAX_SCALE,
    RMAT_ROWS_QUEUE = 256, /* edges that are drawn together */
    RMAT_ROWS_SLACK = 16,  /* lanes of the longest vector, which may be written after an end */
    RMAT_ROWS_LANES = RMAT_ROWS_QUEUE + RMAT_ROWS_SLACK,
    RMAT_ROWS_IN_ROW = 64 /* added to the level of a cell, as in the numbers of splits */
};

/* A node of either tree. */
typedef struct rmat_rows_item {
    uint64_t start, src, dst; /* the first edge; the bits so far */
    uint32_t count;
    uint16_t node;  /* the level, plus RMAT_ROWS_IN_ROW for a cell */
    uint16_t state; /* of a cell of at most RMAT_ROWS_LEAF edges; 0 for all others */
} rmat_rows_item;

typedef struct rmat_rows_lanes {
    const rmat_rows_target *to;
    uint32_t high; /* word of all edges' numbers */
    uint32_t waiting, cells, edges;
    rmat_rows_item stack[RMAT_ROWS_STACK + RMAT_ROWS_WAIT]; /* more elements that may be read */
    rmat_rows_item cell[RMAT_ROWS_QUEUE];
    /* For each edge in the queue: the low word of its number, the first row of the table of each
     * draw, the number of bits of the first draw that count, and the number of surplus bits of all.
     * Then the drawn bits: those of the first Philox block as key, and those of the second one,
     * which has its own drop, as rest. */
    uint32_t index[RMAT_ROWS_LANES] __attribute__((aligned(64)));
    uint32_t table[2 * RMAT_ROWS_DRAWS][RMAT_ROWS_LANES];
    uint32_t mask[RMAT_ROWS_LANES], drop[2][RMAT_ROWS_LANES];
    uint32_t key[RMAT_ROWS_LANES + RMAT_ROWS_LEAF], rest[RMAT_ROWS_LANES + RMAT_ROWS_LEAF];
    /* Vectors with edges whose fractions do not decide, and the lanes of these edges; at least
     * 2. */
    uint32_t tied, tied_at[RMAT_ROWS_QUEUE + 1];
    unsigned tied_lanes[RMAT_ROWS_QUEUE + 1];
} rmat_rows_lanes;

/* --- On a GPU --- */

/* The arguments of rmat_rows_batch_device(). */
typedef struct rmat_rows_batch {
    const rmat_rows_view *view; /* with tables in host memory */
    uint64_t count, room;
    const uint64_t *vertices;
    uint64_t *offsets;
    void *dst;
    int id_bytes;
} rmat_rows_batch;

/* csr.c: rmat_source.fill_device(): whole rows but for the first and the last one. */
int rmat_rows_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                          void *stream);

#ifdef __cplusplus
}
#endif

#endif
