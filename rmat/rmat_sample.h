/*
 * rmat_sample.h - what to expect of a graph: how many of its edges are distinct, and where to cut
 * it into parts of equal size.
 *
 * A sample of cells (places in the adjacency matrix), half of them drawn from the model and half of
 * them evenly from all cells that edges may have, with the probability of each, which the model
 * gives in closed form.  So it is right for the cells that are hit again and again as for those
 * that are hit once in a while.  The same sample for the same model, seed and size.
 *
 * Numbers are the same with any number of threads, but not to the last bit on any processor: where
 * ranks must agree, let one of them reckon.
 *
 * Draws are base edges of the stream.  With symmetrize, the distinct ones are counted as pairs of
 * vertices, of which the graph has both directions.  Functions return 0 or a negative rmat_status.
 */
#ifndef RMAT_RMAT_SAMPLE_H
#define RMAT_RMAT_SAMPLE_H

#include "rmat/rmat_block.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct rmat_sample rmat_sample;

/* size 0: chosen here.  The configuration's backend is not used.  Thread-safe once it is made. */
int rmat_sample_create(rmat_sample **out, const rmat_config *config, uint64_t size);
void rmat_sample_destroy(rmat_sample *s);

/* How many cells edges may have, as far as the model's probabilities are not 0; with symmetrize,
 * pairs of vertices.  UINT64_MAX where they are as many or more. */
int rmat_possible_edges(const rmat_config *config, uint64_t *cells);

/* How many of so many draws are expected to be distinct, and the error of that (one standard
 * deviation, of the sample and of the stream itself). */
double rmat_sample_distinct(const rmat_sample *s, double draws, double *error);

/*
 * Cells that cut the graph into n parts with about as many edges each (unique: as many distinct
 * ones): cells[0..n], where cells[0] is {0, 0}, cells[n] is {rows, 0}, and each is at or behind the
 * one before.  A cell that alone has more edges than a part should have becomes a part of its own;
 * parts may then be empty.
 */
int rmat_sample_cut(const rmat_sample *s, double draws, int unique, uint64_t n, rmat_cell *cells);

/*
 * The search for the number of draws whose distinct ones are exactly `edges`: the answer is
 * probably in (low, high].  Find out how many of the first `low` draws are distinct, and which of
 * the draws [low, high) are new; if the answer is not among them, rmat_window_next() makes a better
 * window from these counts, a few times at most.  Where a window has more new draws than there is
 * memory for, set both its ends to the middle, count, and go on with rmat_window_next(): what it
 * makes of one exact count is much narrower.  RMAT_ERR_DRAWS: edges are more than the graph can
 * have, or would take more than RMAT_MAX_DRAWS draws each, and more than 2^32.
 */
#define RMAT_MAX_DRAWS 65536
typedef struct {
    uint64_t edges, low, high; /* draws */
    int tries;
} rmat_window;

int rmat_window_first(const rmat_sample *s, uint64_t edges, rmat_window *w);
int rmat_window_next(const rmat_sample *s, uint64_t distinct_low, uint64_t distinct_high,
                     rmat_window *w);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
