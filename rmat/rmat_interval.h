/*
 * rmat_interval.h - sorted intervals: the edges of the stream that lie in an interval of the sorted
 * order, gathered in memory, sorted, with or without their duplicates.
 *
 * The order is by source, then by destination, of the edges as rmat_generate() gives them.  Sorted
 * edge lists and CSR are made of such intervals, one after another, without ever holding or moving
 * the whole graph: the stream is generated again for every interval (SORTED.md).
 *
 * An rmat_interval is the memory for one interval at a time and the edges in it.  It lives where
 * its generator makes edges: in host memory, or on the GPU.  Its life is a cycle:
 * rmat_interval_begin() an interval, rmat_interval_add() the stream's edges, rmat_interval_sort(),
 * then any of the functions that read; and begin again.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h); RMAT_ERR_ARG if they are
 * called out of this order.  One thread at a time may use an rmat_interval until it is sorted;
 * afterwards any number of threads may call the functions that take it as const.
 */
#ifndef RMAT_RMAT_INTERVAL_H
#define RMAT_RMAT_INTERVAL_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A cell of the adjacency matrix, and so a place in the order. */
typedef struct {
    uint64_t src, dst;
} rmat_cell;

typedef struct rmat_interval rmat_interval;

/*
 * Allocates memory for the intervals of one generator, which must outlive it.  bytes: of host or
 * device memory, for everything that an interval needs; rmat_interval_capacity() edges fit into it.
 * A GPU sorts graphs of up to 2^32 rows and columns: RMAT_ERR_GPU_SCALE for others, from all
 * functions that depend on the generator alone.  RMAT_ERR_ARG if those are fewer than
 * RMAT_INTERVAL_LEAST_EDGES.  On success *out is to be freed with rmat_interval_destroy(); on
 * failure it is NULL.
 */
#define RMAT_INTERVAL_LEAST_EDGES 4096
int rmat_interval_create(rmat_interval **out, const rmat_gen *gen, uint64_t bytes);
void rmat_interval_destroy(rmat_interval *b); /* NULL is allowed */

/* The number of edges, duplicates included, that fit into so many bytes, and the bytes that so many
 * edges take (UINT64_MAX: more than there can be).  Both depend only on the generator's backend,
 * rows and columns.  RMAT_ERR_CUDA: the GPU, which is asked, has failed; the result is 0. */
int rmat_interval_capacity(const rmat_gen *gen, uint64_t bytes, uint64_t *edges);
int rmat_interval_bytes(const rmat_gen *gen, uint64_t edges, uint64_t *bytes);

/* Starts a new interval, discarding the one before: the cells from *first on and before *end, which
 * may be {rows, 0}, the end of the graph.  unique: each edge is kept once. */
int rmat_interval_begin(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, int unique);

/*
 * Generates edges [first, first + count) of the stream and keeps those of the interval.  It may be
 * called any number of times, with ranges in any order that do not overlap.  RMAT_ERR_FULL if the
 * edges do not fit; with unique, if the distinct ones among them exceed 3/4 of the capacity.  As
 * many edges of the stream as the capacity always fit, and so does an interval of a single cell.
 */
int rmat_interval_add(rmat_interval *b, uint64_t first, uint64_t count);

/* After RMAT_ERR_FULL: sets *middle to a cell inside the interval, other than its first one, that
 * has about half of the edges before it.  Begin again with either part. */
int rmat_interval_middle(rmat_interval *b, rmat_cell *middle);

/* Sorts, once all edges have been added.  On a GPU RMAT_ERR_FULL may be reported only here. */
int rmat_interval_sort(rmat_interval *b);

/* Gives back memory that reading a sorted interval does not take: on a GPU half of it, on a CPU
 * none.  From then on rmat_interval_begin() and rmat_interval_insert() return RMAT_ERR_ARG. */
int rmat_interval_trim(rmat_interval *b);

/* --- Reading a sorted interval --- */

/* The number of its edges. */
uint64_t rmat_interval_edges(const rmat_interval *b);

/* Sets *edges to how many of them have src >= dst. */
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
 * elements.  The work is started in a stream (cudaStream_t as void *), and the call returns at
 * once.  RMAT_ERR_ARG for a CPU generator. */
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
 * Lists the edges among [first, first + count) of the stream that lie in the interval but are not
 * in it yet: each once, with its least index, by increasing index.  On success *list (host memory,
 * possibly NULL if there are none) belongs to the caller, who calls free(); *n is its length.
 * RMAT_ERR_FULL if they are more than `most`.
 */
int rmat_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                         rmat_first_seen **list, uint64_t *n);

/* Inserts n cells of the interval, all different and none of them in it yet, at their places.
 * RMAT_ERR_FULL if there is no room for them. */
int rmat_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list);

/* Whether the stream is in the order of intervals already (RMAT_STREAM_ROWS), so that each of them
 * is a range of it. */
int rmat_stream_in_order(const rmat_gen *gen);

/* Counts edges without gathering them: sets counts[i], for i < n - 1, to how many of the stream's
 * edges [first, first + count) lie at cells[i] or after it and before cells[i + 1], for n cells in
 * increasing order (at most 2^32 of them).  Arrays in host memory; thread-safe. */
int rmat_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                     const rmat_cell *cells, uint64_t *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
