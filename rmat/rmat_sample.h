/*
 * rmat_sample.h - estimates of a graph's size before it is made: the number of distinct edges, and
 * the cuts of the sorted order into parts of equal size.
 *
 * An rmat_sample is a set of cells (places in the adjacency matrix), each with its probability,
 * which the model gives in closed form.  Half of the cells are drawn from the model, the other half
 * evenly from all cells that edges can have.  So the estimates hold for cells that edges hit often
 * and for cells that edges hardly ever hit.
 *
 * The same model, seed and size give the same sample, and estimates do not depend on the number of
 * threads.  They may differ in the last bits between processors.  If ranks must agree, one of them
 * should compute and send the result to the others.
 *
 * A *draw* is a base edge of the stream.  With symmetrize, distinct edges are counted as pairs of
 * vertices; the graph has both directions of a pair.  Functions that return int return 0 or a
 * negative rmat_status (rmat.h).
 */
#ifndef RMAT_RMAT_SAMPLE_H
#define RMAT_RMAT_SAMPLE_H

#include "rmat/rmat_interval.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

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

/*
 * A step of the search for the number of draws among which exactly `edges` are distinct.  The
 * answer probably lies in the window (low, high].
 *
 * rmat_window_first() makes the first window.  The caller counts the distinct edges among the first
 * `low` draws and finds which of the draws [low, high) are first occurrences.  If the answer is not
 * among them, rmat_window_next() makes a better window from the two counts.  That happens a few
 * times at most.
 *
 * If a window has more first occurrences than fit into memory, set both its ends to its middle,
 * count, and call rmat_window_next().  One exact count makes the next window much narrower.
 * RMAT_ERR_DRAWS: the graph has fewer distinct edges than `edges`, or they would take more than
 * RMAT_MAX_DRAWS draws each and more than 2^32 draws in all.
 */
#define RMAT_MAX_DRAWS 65536
typedef struct {
    uint64_t edges, low, high; /* low and high are numbers of draws */
    int tries;                 /* windows so far */
} rmat_window;

int rmat_window_first(const rmat_sample *s, uint64_t edges, rmat_window *w);
int rmat_window_next(const rmat_sample *s, uint64_t distinct_low, uint64_t distinct_high,
                     rmat_window *w);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
