/*
 * expect.h - the degrees that a model's graphs are expected to have, computed without making a
 * graph.  `rmat plot` draws them.
 *
 *     rmat_expect_degrees()   numbers of vertices by their degree
 *     rmat_classes, rmat_row_of()   distinct edges, which degrees are made of; for the tests
 *
 * All functions are thread-safe.  Those that return an int return RMAT_OK, or RMAT_ERR_NOMEM if
 * memory is exhausted.
 */
#ifndef RMAT_EXPECT_H
#define RMAT_EXPECT_H

#include "rmat/rmat.h"
#include <stdbool.h>

enum { RMAT_BINS = 704 };

/* Bins of degrees: bin i has the degrees from first[i] to first[i + 1] - 1.  first[0] is 0. */
typedef struct {
    int count;
    uint64_t first[RMAT_BINS + 1];
} rmat_bins;

/* The bin of a degree; the last bin if the degree is beyond all of them. */
int rmat_bin_of(const rmat_bins *bins, uint64_t degree);

/*
 * Vertices by the number j of zeros among their `levels` bits.  If all levels have the same matrix,
 * the vertices of a class are alike.  Of 2^levels vertices binomial[levels][j] have j zeros; of
 * these the share existing[j] is below n, the number of vertices.
 */
typedef struct {
    int levels;
    double binomial[RMAT_MAX_SCALE + 1][RMAT_MAX_SCALE + 1];
    double existing[RMAT_MAX_SCALE + 1];
} rmat_classes;

void rmat_classes_make(rmat_classes *classes, int levels, uint64_t n);

/* Powers of a matrix's entries, as seen from sources (of destinations b and c change places). */
typedef struct {
    double a[RMAT_MAX_SCALE + 1], b[RMAT_MAX_SCALE + 1], c[RMAT_MAX_SCALE + 1],
        d[RMAT_MAX_SCALE + 1];
} rmat_powers;

rmat_powers rmat_powers_of(const rmat_matrix *matrix);

/* The edges of a vertex: expected draws, and mean and variance of the number of distinct edges. */
typedef struct {
    double draws, mean, variance;
} rmat_row;

/* The row of a vertex with j zeros, if `rate` edges are drawn.  pairs: edges of either direction,
 * of which a pair of vertices has one. */
rmat_row rmat_row_of(const rmat_classes *classes, const rmat_powers *powers, int j, double rate,
                     bool pairs);

/* A model, and how many of its edges are drawn. */
typedef struct {
    const rmat_config *drawn;
    double draws; /* reverse edges not counted */
    bool unique;  /* of the draws, all distinct ones */
} rmat_expect_model;

typedef enum { RMAT_OUT, RMAT_IN, RMAT_TOTAL, RMAT_KINDS } rmat_degree_kind;

/*
 * Sets vertices[0..bins->count) to the expected numbers of vertices by bins of their degree.
 * RMAT_TOTAL: out- and in-degree together, of a square graph.
 *
 * The degree of a vertex is binomial: each draw is an edge of the vertex with the vertex's
 * probability.  This is exact for out-degrees and for in-degrees of up to 2^20 vertices, and within
 * 1e-3 of the degree for more.  Approximations are
 *   - both ends together, where a loop counts twice: its variance is a little larger;
 *   - permuted and then turned edges: a vertex's rank among all is taken for that among its
 *     neighbours, some of which are hubs;
 *   - not permuted but turned edges beyond 2^20 vertices, where b is not c;
 *   - distinct edges: mean and variance are those of the classes above, as if all levels had the
 *     mean matrix and all pairs of vertices were kept, and the distribution is taken for the
 *     binomial one that has both.
 * Held against graphs of scale 18, chi-squared is 0.4 to 1.2 for each bin, 0.8 to 1.5 for distinct
 * edges; 2 to 3 for edges that are distinct, turned and not permuted.
 */
int rmat_expect_degrees(const rmat_expect_model *model, rmat_degree_kind kind,
                        const rmat_bins *bins, double *vertices);

#endif
