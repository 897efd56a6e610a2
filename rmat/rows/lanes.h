/*
 * lanes.h - private to rmat/: the arrays that receive edges of the stream `rows` on a CPU, and the
 * state of the CPU kernels that walk down the tree in the lanes of vectors (rmat/cpu/rows_body.h).
 *
 * Nodes of at most RMAT_ROWS_THROWN edges, and cells of that size, wait on a stack, so that many of
 * them are divided together.  Edges of cells that are not divided further wait in a queue, so that
 * vectors are full although a cell has few edges.  All nodes lie within the target and share the
 * high word of their edges' numbers.  They are plain, except for cells that are not divided
 * further: the unwanted edges of those are drawn again, one by one.
 */
#ifndef RMAT_ROWS_LANES_H
#define RMAT_ROWS_LANES_H

#include "rmat/rows/rows.h"

/* The arrays for edges [first, end) of the list. */
typedef struct {
    const rmat_rows_view *view;
    uint64_t first, end;
    void *src, *dst; /* src NULL: not wanted; dst NULL: pointers only */
    int id_bytes;
    uint64_t *pointers; /* of rows [row_begin, row_end), with base subtracted; NULL: not wanted */
    uint64_t row_begin, row_end, base;
} rmat_rows_target;

enum {
    RMAT_ROWS_WAIT = 32, /* nodes that are divided together */
    /* If only one node at a time is divided, each level adds at most one node. */
    RMAT_ROWS_STACK = 256 + 2 * RMAT_MAX_SCALE,
    RMAT_ROWS_QUEUE = 256, /* edges that are drawn together */
    RMAT_ROWS_SLACK = 16,  /* lanes of the longest vector, which may be written after an end */
    RMAT_ROWS_IN_ROW = 64  /* added to the level of a cell, as in the numbers of splits */
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
    _Alignas(64) uint32_t index[RMAT_ROWS_QUEUE + RMAT_ROWS_SLACK];
    uint32_t table[2 * RMAT_ROWS_DRAWS][RMAT_ROWS_QUEUE + RMAT_ROWS_SLACK];
    uint32_t mask[RMAT_ROWS_QUEUE + RMAT_ROWS_SLACK], drop[2][RMAT_ROWS_QUEUE + RMAT_ROWS_SLACK];
    uint32_t key[RMAT_ROWS_QUEUE + RMAT_ROWS_LEAF + RMAT_ROWS_SLACK];
    uint32_t rest[RMAT_ROWS_QUEUE + RMAT_ROWS_LEAF + RMAT_ROWS_SLACK];
    /* Vectors with edges whose fractions do not decide, and the lanes of these edges; at least
     * 2. */
    uint32_t tied, tied_at[RMAT_ROWS_QUEUE + 1];
    unsigned tied_lanes[RMAT_ROWS_QUEUE + 1];
} rmat_rows_lanes;

/* rows.c: makes a cell that is not divided further, of any size and state. */
void rmat_rows_make_leaf(const rmat_rows_target *t, uint64_t src, const rmat_rows_cell *cell);

/* The pointers of a node that is a row, or has no edges. */
static inline void rmat_rows_put_pointers(const rmat_rows_target *t, int level, uint64_t prefix,
                                          uint64_t start)
{
    uint64_t first, end;

    if (t->pointers == NULL) {
        return;
    }
    rmat_rows_span(t->view, level, prefix, &first, &end);
    end = end < t->row_end ? end : t->row_end;
    for (uint64_t r = first > t->row_begin ? first : t->row_begin; r < end; r++) {
        t->pointers[r - t->row_begin] = start - t->base;
    }
}

#endif
