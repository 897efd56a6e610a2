/*
 * rmat_interval.h - sorted intervals: the edges of the stream that lie in an interval of the sorted
 * order, gathered in memory and sorted, with or without duplicates.  Samples cut the order into
 * intervals, and help to find the length of a stream with a number of distinct edges.
 *
 * The sorted order of the edges from rmat_generate() is by source, then by destination.  Sorted
 * edge lists and CSR consist of such intervals, one after another.  A program never holds or moves
 * the whole graph, because it generates the stream again for every interval (SORTED.md).
 *
 * An rmat_interval is the memory for one interval at a time, with the edges in it.  It is in host
 * memory for a CPU generator, and in GPU memory for a GPU generator.  One thread at a time calls
 * rmat_interval_make(), which fills it; then any number of threads may call the functions that take
 * it as const.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h).
 */
#ifndef RMAT_RMAT_INTERVAL_H
#define RMAT_RMAT_INTERVAL_H

#include "rmat/rmat.h"

#include <stddef.h>

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

/*
 * Replaces the interval by the edges from *first on and before *end, of the first `edges` edges of
 * the stream. *end may be {rows, 0}, the end of the graph. unique: each edge is kept once.
 *
 * If they do not fit, the interval ends near its middle, and *end becomes the cell where it does.
 * The edges of `capacity` edges of the stream always fit, and so do distinct edges up to 3/4 of the
 * capacity, and the copies of a single edge.  Copies with weights of their own, from a source, may
 * not fit: RMAT_ERR_NOMEM.
 */
int rmat_interval_make(rmat_interval *b, const rmat_cell *first, rmat_cell *end, uint64_t edges,
                       int unique);

/* The order cut into n parts: part i begins at cells[i], and ends before cells[i + 1].  The array
 * is from malloc(). */
typedef struct {
    rmat_cell *cells;
    uint64_t n;
} rmat_parts;

/* Makes part i.  A part that does not fit becomes two; part i is the first of them. */
int rmat_interval_make_part(rmat_interval *b, rmat_parts *parts, uint64_t i, uint64_t edges,
                            int unique);

/* Frees memory that reading does not need: half of it on a GPU, none on a CPU.  From then on no
 * interval can be made. */
int rmat_interval_trim(rmat_interval *b);

/* The work on all intervals so far: intervals made, and edges of the stream generated.  Any thread
 * may ask, also while an interval is made. */
typedef struct {
    uint64_t intervals, edges;
} rmat_interval_work;
rmat_interval_work rmat_interval_work_of(const rmat_interval *b);

/* --- Reading an interval --- */

/* Returns the number of edges in the interval. */
uint64_t rmat_interval_edges(const rmat_interval *b);

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

/* --- Cutting the order --- */

/* Returns whether the stream is in sorted order already (RMAT_STREAM_ROWS).  Each interval is then
 * a range of the stream. */
int rmat_stream_in_order(const rmat_gen *gen);

/* Counts edges without gathering them. cells[] has n cells in increasing order, at most 2^32.  For
 * i < n - 1, counts[i] becomes the number of the stream's edges [first, first + count) at cells[i]
 * or after it and before cells[i + 1].  The arrays are in host memory.  Thread-safe. */
int rmat_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                     const rmat_cell *cells, uint64_t *counts);

/*
 * A sample is a set of cells, each with its probability, which the model gives in closed form.
 * Half of the cells are drawn from the model, the other half evenly from all cells that edges can
 * have.  So estimates hold for cells that edges hit often and for cells that they hardly ever hit.
 *
 * The same model, seed and size give the same sample, and estimates do not depend on the number of
 * threads.  They may differ in the last bits between processors.  If ranks must agree, one of them
 * should compute and send the result to the others.
 *
 * A *draw* is a base edge of the stream.  With symmetrize, distinct edges are counted as pairs of
 * vertices; the graph has both directions of a pair.
 */
typedef struct rmat_sample rmat_sample;

/* Creates a sample of `size` cells of a model whose stream is RMAT or ROWS. size 0: the function
 * chooses; 1 and more than 2^36 are refused.  It ignores the configuration's backend.  On success
 * the caller frees *out with rmat_sample_destroy().  Any number of threads may use a sample.
 * Errors as for rmat_create(). */
int rmat_sample_create(rmat_sample **out, const rmat_config *config, uint64_t size);
void rmat_sample_destroy(rmat_sample *s); /* NULL is allowed */

/* The same for a generator.  The sample of an edge source (rmat_source.h, and other streams)
 * consists of at most 2^17 of its edges.  Estimates assume that they are distinct.
 * RMAT_ERR_SOURCE. */
int rmat_sample_create_from(rmat_sample **out, const rmat_gen *gen, uint64_t size);

/* Sets *cells to the number of cells that edges can have: those to which the model gives a
 * probability above 0.  With symmetrize it is the number of pairs of vertices.  UINT64_MAX stands
 * for this number or more. */
int rmat_support_size(const rmat_config *config, uint64_t *cells);

/* Returns the expected number of distinct edges among `draws` draws.  *error (unless error is NULL)
 * becomes the standard deviation of the difference between this number and the truth.  It covers
 * the sample and the stream itself. */
double rmat_sample_distinct(const rmat_sample *s, double draws, double *error);

/*
 * Cuts the order into n parts with about equal numbers of edges (unique: distinct edges).  Part i
 * is the interval from cells[i] to cells[i + 1]. cells has n + 1 elements: cells[0] is {0, 0},
 * cells[n] is {rows, 0}, and none is before its predecessor.  A cell with more edges than a part
 * should have becomes a part of its own.  Other parts may then be empty.
 */
int rmat_sample_cut(const rmat_sample *s, double draws, int unique, uint64_t n, rmat_cell *cells);

/* --- The search for the number of draws among which exactly `edges` are distinct --- */

/* It probably lies in the window (low, high] of numbers of draws.  RMAT_ERR_DRAWS: the graph has
 * fewer distinct edges, or they would take more than RMAT_MAX_DRAWS draws each and more than 2^32
 * draws in all. */
#define RMAT_MAX_DRAWS 65536
typedef struct {
    uint64_t edges, low, high;
    int tries; /* windows so far */
} rmat_window;
int rmat_window_first(const rmat_sample *s, uint64_t edges, rmat_window *w);

/*
 * A search by one process, or by all ranks of a job together, each in its own parts of the order.
 * All ranks then call rmat_search_unique() at the same time.
 *
 * sum() is NULL for one process.  On all ranks together it replaces each of n values by its sum
 * over the ranks.  A rank that failed passes its status, and then returns the result of sum().
 */
typedef struct {
    rmat_interval *interval;
    rmat_parts *parts;         /* of this rank, for about window.high draws */
    const rmat_sample *sample; /* of the first rank, which leads; NULL on the others */
    rmat_window window;        /* the first one; the first rank's counts */
    uint64_t most;             /* new edges that this rank has host memory for, 32 bytes each */
    uint64_t ranks;
    int (*sum)(void *state, int status, uint64_t *values, size_t n);
    void *state;

    /* Results. */
    uint64_t draws;
    uint64_t edges; /* of the graph in this rank's parts */
    int made;       /* this rank's only part is in the interval, complete */
} rmat_search;
int rmat_search_unique(rmat_search *search);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
