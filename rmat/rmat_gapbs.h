/*
 * rmat_gapbs.h - the Kronecker graphs of the GAP Benchmark Suite, bit for bit, as an edge source.
 *
 * GAPBS (github.com/sbeamer/gapbs; Beamer, Asanovic, Patterson, "The GAP benchmark suite",
 * arXiv:1508.03619) makes the graph of its option -g as follows.  It cuts the edge list into blocks
 * of 2^18 edges.  Block k has its own Mersenne Twister MT19937, seeded with seed + k. One number
 * decides each level of each edge, with a = 0.57, b = c = 0.19, d = 0.05.  A permutation of all
 * vertices, std::shuffle() with MT19937 and the seed, then renumbers both ends.  Weights are int32
 * from 1 to 255; those of block k come from another generator with the seed seed + k.
 *
 * std::shuffle() differs between C++ libraries.  This header gives the graphs of a GAPBS built with
 * GCC 11 or later and its libstdc++. Earlier versions and other libraries (libc++, MSVC) make other
 * permutations.
 *
 * This list has self-loops and duplicates, and one direction of each edge.  The programs of GAPBS
 * and the files of its `converter` have both directions of each edge, no self-loops and no
 * duplicates.  They keep the least of several weights of one pair of vertices.
 * rmat_gapbs_vertices() returns their number of vertices.
 */
#ifndef RMAT_RMAT_GAPBS_H
#define RMAT_RMAT_GAPBS_H

#include "rmat/rmat_source.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_GAPBS_SEED      27491095u /* the benchmark's seed, "kRandSeed" */
#define RMAT_GAPBS_MAX_SCALE 30        /* vertex counts are int32 there, so 2^31 is too many */

typedef struct rmat_gapbs rmat_gapbs;

/* Creates the list of a scale, 1 to RMAT_GAPBS_MAX_SCALE.  Its permutation takes 4 bytes per
 * vertex.  One thread makes it at the first request for edges, at 20 to 60 million vertices per
 * second (Zen 1; large ones are slower).  isa: as in rmat_config.  On success the caller frees *out
 * with rmat_gapbs_destroy(). On failure *out is NULL.  RMAT_ERR_ARG, RMAT_ERR_SCALE,
 * RMAT_ERR_NO_ISA, RMAT_ERR_NOMEM. */
int rmat_gapbs_create(rmat_gapbs **out, int scale, uint32_t seed, rmat_isa isa);

/* Frees the list, and the copies of the permutation in GPU memory.  NULL is allowed. */
void rmat_gapbs_destroy(rmat_gapbs *g);

/* Returns the first `edges` edges as a source, with int32 weights if `weights` is nonzero.  The
 * graphs of GAPBS have 16 * 2^scale edges by default (its option -k).  The source points to *g, and
 * any number of threads may use it.  Each GPU that uses it keeps a copy of the permutation. */
rmat_source rmat_gapbs_source(const rmat_gapbs *g, uint64_t edges, int weights);

/* Sets *vertices to 1 more than the largest vertex in edges [first, first + count), self-loops
 * included.  For all edges, this is the number of vertices that GAPBS gives the graph.  The call
 * makes these edges, and stops early if it meets vertex 2^scale - 1. threads: as in rmat_config.
 * RMAT_ERR_ARG, RMAT_ERR_RANGE, RMAT_ERR_NOMEM. */
int rmat_gapbs_vertices(const rmat_gapbs *g, uint64_t first, uint64_t count, int threads,
                        uint64_t *vertices);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
