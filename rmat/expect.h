/*
 * expect.h - the expected degrees of a model's graphs, computed without making a graph.  `rmat
 * plot` draws them.
 */
#ifndef RMAT_EXPECT_H
#define RMAT_EXPECT_H

#include "rmat/rmat.h"

enum { RMAT_BINS = 704 };

/* Bins of degrees: bin i has the degrees from first[i] to first[i + 1] - 1.  first[0] is 0. */
typedef struct {
    int count;
    uint64_t first[RMAT_BINS + 1];
} rmat_bins;

/* The bin of a degree; the last bin if the degree is beyond all of them. */
int rmat_bin_of(const rmat_bins *bins, uint64_t degree);

/*
 * Sets vertices[0..bins->count) to the expected numbers of vertices by bins of their out-degree
 * (RMAT_ROWS) or in-degree (RMAT_COLS), in a graph of `draws` draws.  A draw and its reverse edge
 * count as one draw.  Returns RMAT_OK or RMAT_ERR_NOMEM.  Thread-safe.
 *
 * The degree of a vertex is binomial: each draw is an edge of the vertex with the vertex's
 * probability.  This is exact for up to 2^20 vertices, and within 1e-3 of the degree for more; With
 * reverse edges it neglects that a loop counts twice.  It does not hold for edges that are turned
 * (`direction`) without reverse edges, or if duplicates are removed; the caller must not ask then.
 */
int rmat_expect_degrees(const rmat_config *drawn, double draws, rmat_side side,
                        const rmat_bins *bins, double *vertices);

#endif
