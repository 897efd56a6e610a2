/*
 * rmat_interval.h - sorted intervals: the edges of the stream that lie in an interval of the sorted
 * order, gathered in memory and sorted, with or without duplicates.
 *
 * The sorted order of the edges from rmat_generate() is by source, then by destination.  Sorted
 * edge lists and CSR consist of such intervals, one after another.  A program never holds or moves
 * the whole graph, because it generates the stream again for every interval (SORTED.md).
 *
 * An rmat_interval is the memory for one interval at a time, with the edges in it.  It is in host
 * memory for a CPU generator, and in GPU memory for a GPU generator.  Its use is a cycle:
 * rmat_interval_begin(), rmat_interval_add() for the edges of the stream, rmat_interval_sort(),
 * then any functions that read, and begin again.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h).  A call out of this order
 * returns RMAT_ERR_ARG.  One thread at a time may use an rmat_interval until it is sorted.
 * Afterwards any number of threads may call the functions that take it as const.
 */
#ifndef RMAT_RMAT_INTERVAL_H
#define RMAT_RMAT_INTERVAL_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct rmat_interval rmat_interval;

/*
 * Allocates `bytes` bytes of host or device memory for the intervals of one generator, which must
 * outlive them.  An interval needs no other memory. rmat_interval_capacity() edges fit into it;
 * RMAT_ERR_ARG: these are fewer than RMAT_INTERVAL_LEAST_EDGES.  A GPU sorts graphs of up to 2^32
 * rows and columns.  For others, all functions that depend on the generator alone return
 * RMAT_ERR_GPU_SCALE.  On success the caller frees *out with rmat_interval_destroy().  On failure
 * *out is NULL.
 */
#define RMAT_INTERVAL_LEAST_EDGES 4096
int rmat_interval_create(rmat_interval **out, const rmat_gen *gen, uint64_t bytes);
void rmat_interval_destroy(rmat_interval *b); /* NULL is allowed */

/* rmat_interval_capacity() sets *edges to the number of edges, duplicates included, that fit into
 * `bytes` bytes. rmat_interval_bytes() sets *bytes to the memory that `edges` edges take
 * (UINT64_MAX: more than there can be).  Both depend only on the generator's backend, rows and
 * columns.  RMAT_ERR_CUDA: a query of the GPU failed; the result is 0. */
int rmat_interval_capacity(const rmat_gen *gen, uint64_t bytes, uint64_t *edges);
int rmat_interval_bytes(const rmat_gen *gen, uint64_t edges, uint64_t *bytes);

/* Starts a new interval and discards the previous one.  It has the cells from *first on and before
 * *end.  *end may be {rows, 0}, the end of the graph. unique: each edge is kept once. */
int rmat_interval_begin(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, int unique);

/*
 * Generates edges [first, first + count) of the stream and keeps those of the interval.  A program
 * may call it any number of times, with ranges in any order that do not overlap.  RMAT_ERR_FULL:
 * the edges do not fit, or, with unique, the distinct edges exceed 3/4 of the capacity.  An
 * interval of a single cell always fits.  So do `capacity` edges of the stream.
 */
int rmat_interval_add(rmat_interval *b, uint64_t first, uint64_t count);

/* After RMAT_ERR_FULL: sets *middle to a cell of the interval, other than its first one, with about
 * half of the edges before it.  Begin again with either part. */
int rmat_interval_middle(rmat_interval *b, rmat_cell *middle);

/* Sorts the interval, after all edges have been added.  On a GPU, RMAT_ERR_FULL may come from this
 * call instead of rmat_interval_add(). */
int rmat_interval_sort(rmat_interval *b);

/* Frees memory that reading a sorted interval does not need: half of it on a GPU, none on a CPU.
 * From then on rmat_interval_begin() and rmat_interval_insert() return RMAT_ERR_ARG. */
int rmat_interval_trim(rmat_interval *b);

/* --- Reading a sorted interval --- */

/* Returns the number of edges in the interval. */
uint64_t rmat_interval_edges(const rmat_interval *b);

/* Sets *edges to the number of edges in the interval with src >= dst. */
int rmat_interval_lower(const rmat_interval *b, uint64_t *edges);

/* Row pointers: sets pointers[i] to `add` plus the number of edges with a source below
 * first_row + i, for i < count, in host memory.  RMAT_ERR_ROWS if first_row + count is above the
 * graph's rows + 1. */
int rmat_interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                           uint64_t *pointers);

/* Copies edges [first, first + count) of the interval to host arrays; each of src, dst and weight
 * may be NULL.  RMAT_ERR_EDGES if the interval has fewer; RMAT_ERR_ID_WIDTH; RMAT_ERR_WEIGHTS if
 * the model has no weights. */
int rmat_interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to);

/* The two functions above with arrays in the memory of the generator's GPU, aligned to their
 * elements.  The call starts the work in a stream (cudaStream_t as void *) and returns immediately.
 * RMAT_ERR_ARG for a CPU generator. */
int rmat_interval_pointers_device(const rmat_interval *b, uint64_t first_row, uint64_t count,
                                  uint64_t add, uint64_t *pointers, void *stream);
int rmat_interval_read_device(const rmat_interval *b, uint64_t first, uint64_t count,
                              const rmat_arrays *to, void *stream);

/* --- Extending a sorted interval of unique edges --- */

/* The first occurrence of an edge in the stream. */
typedef struct {
    rmat_cell cell;
    uint64_t index; /* in the stream */
} rmat_first_seen;

/* For qsort(): by their indices. */
static inline int rmat_compare_first_seen(const void *a, const void *b)
{
    const rmat_first_seen *x = (const rmat_first_seen *)a, *y = (const rmat_first_seen *)b;

    return (x->index > y->index) - (x->index < y->index);
}

/*
 * Lists the edges among [first, first + count) of the stream that belong to the interval but are
 * not in it yet.  Each edge is listed once, with its least index, by increasing index.  On success
 * the caller frees *list, in host memory, with free(); it may be NULL if *n, its length, is
 * 0.  RMAT_ERR_FULL: there are more than `most`.
 */
int rmat_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                         rmat_first_seen **list, uint64_t *n);

/* Inserts n cells of the interval at their places.  All are different, and none is in it yet.
 * RMAT_ERR_FULL: there is no room for them. */
int rmat_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list);

/* Returns whether the stream is in sorted order already (RMAT_STREAM_ROWS).  Each interval is then
 * a range of the stream. */
int rmat_stream_in_order(const rmat_gen *gen);

/* Counts edges without gathering them. cells[] has n cells in increasing order, at most 2^32.  For
 * i < n - 1, counts[i] becomes the number of the stream's edges [first, first + count) at cells[i]
 * or after it and before cells[i + 1].  The arrays are in host memory.  Thread-safe. */
int rmat_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                     const rmat_cell *cells, uint64_t *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
