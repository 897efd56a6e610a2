/*
 * rmat_gapbs.h - the Kronecker graphs of the GAP Benchmark Suite, bit for bit, as an edge source.
 *
 * GAPBS (github.com/sbeamer/gapbs; Beamer, Asanovic, Patterson, "The GAP benchmark suite",
 * arXiv:1508.03619) makes the graph of its option -g as follows.  The list of edges is cut into
 * blocks of 2^18.  Block k has a Mersenne Twister MT19937 of its own, seeded with seed + k, and one
 * number decides each level of each edge, with a = 0.57, b = c = 0.19, d = 0.05.  A permutation of
 * all vertices, std::shuffle() with MT19937 and the seed, then renumbers both ends.  Weights are
 * int32 from 1 to 255; those of block k come from a generator that is seeded with seed + k again.
 *
 * std::shuffle() is not the same in all C++ libraries.  The graphs here are those of a GAPBS that
 * was built with GCC 11 or later and its libstdc++; earlier versions and other libraries (libc++,
 * MSVC) make other permutations.
 *
 * This list has self loops and duplicates, and one direction of each edge.  GAPBS's programs, and
 * the files of its `converter`, have both directions of each edge, and neither self loops nor
 * duplicates; of several weights of one pair of vertices the least is kept.  Their number of
 * vertices is rmat_gapbs_vertices().
 */
#ifndef RMAT_RMAT_GAPBS_H
#define RMAT_RMAT_GAPBS_H

#include "rmat/rmat_source.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_GAPBS_SEED      27491095u /* the benchmark's, as "kRandSeed" */
#define RMAT_GAPBS_MAX_SCALE 30        /* vertex counts are int32 there, so 2^31 is too many */

typedef struct rmat_gapbs rmat_gapbs;

/* Creates the list of a scale, 1 to RMAT_GAPBS_MAX_SCALE.  Its permutation takes 4 bytes a vertex;
 * one thread makes it when the first edges are asked for, at 20 to 60 million vertices a second
 * (Zen 1; large ones are slower).  isa: as in rmat_config.  On success *out is to be freed with
 * rmat_gapbs_destroy(); on failure it is NULL.  RMAT_ERR_ARG, RMAT_ERR_SCALE, RMAT_ERR_NO_ISA,
 * RMAT_ERR_NOMEM. */
int rmat_gapbs_create(rmat_gapbs **out, int scale, uint32_t seed, rmat_isa isa);

/* Frees it, and the copies of the permutation in the memory of GPUs.  NULL is allowed. */
void rmat_gapbs_destroy(rmat_gapbs *g);

/* The first `edges` of its edges as a source, which has int32 weights if `weights` is set; GAPBS's
 * graphs have 16 * 2^scale of them unless its option -k says otherwise.  The source points to *g,
 * and any number of threads may use it.  A GPU that it is used on keeps a copy of the permutation.
 */
rmat_source rmat_gapbs_source(const rmat_gapbs *g, uint64_t edges, int weights);

/* Sets *vertices to 1 more than the largest vertex that occurs in edges [first, first + count), be
 * it in a self loop: of all edges, the number of vertices that GAPBS gives the graph.  It makes
 * these edges, unless it meets the last vertex of the scale before.  threads: as in rmat_config.
 * RMAT_ERR_ARG, RMAT_ERR_RANGE. */
int rmat_gapbs_vertices(const rmat_gapbs *g, uint64_t first, uint64_t count, int threads,
                        uint64_t *vertices);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
