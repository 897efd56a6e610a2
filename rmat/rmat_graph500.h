/*
 * rmat_graph500.h - the edges of Graph500's reference generator, bit for bit, as an edge source.
 *
 * Graph500 3.0 (github.com/graph500/graph500, directory generator/) draws edge i with a multiple
 * recursive generator of order 5 modulo 2^31 - 1 (L'Ecuyer, Blouin, Couture, "A search for good
 * multiple recursive random number generators", ACM TOMACS 3(2), 1993) that has skipped i * 2^64
 * numbers.  One number decides each level, with a = 0.57, b = c = 0.19, d = 0.05.  Edges below the
 * diagonal are flipped to above it, and a fixed bijection scrambles both ends.  The weight is the
 * number after the last level.  So edge i is a function of (scale, seeds, i), and any slice of the
 * official list can be made alone.
 */
#ifndef RMAT_RMAT_GRAPH500_H
#define RMAT_RMAT_GRAPH500_H

#include "rmat/rmat_source.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_GRAPH500_SEED1 2 /* the benchmark's "userseed1" and "userseed2" */
#define RMAT_GRAPH500_SEED2 3

typedef struct rmat_graph500 rmat_graph500;

/* Creates the stream of a scale, 1 to 62.  isa: as in rmat_config.  On success the caller frees
 * *out with rmat_graph500_destroy(). On failure *out is NULL.  RMAT_ERR_ARG, RMAT_ERR_SCALE,
 * RMAT_ERR_NO_ISA, RMAT_ERR_NOMEM. */
int rmat_graph500_create(rmat_graph500 **out, int scale, uint64_t seed1, uint64_t seed2,
                         rmat_isa isa);
void rmat_graph500_destroy(rmat_graph500 *g); /* NULL is allowed */

/* Returns the first `edges` edges as a source, with float weights if `weights` is nonzero.  The
 * source points to *g, and any number of threads may use it. */
rmat_source rmat_graph500_source(const rmat_graph500 *g, uint64_t edges, int weights);

/* Writes the next `count` candidates for the benchmark's search keys, in the order in which it
 * tries them.  They are vertices; they may repeat and may be isolated.  state: zeros for the first
 * ones; each call leaves the state of the following ones. */
void rmat_graph500_candidates(const rmat_graph500 *g, uint32_t state[5], uint64_t count,
                              uint64_t *vertices);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
