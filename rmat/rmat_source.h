/*
 * rmat_source.h - edges of another origin than the R-MAT model: another generator, a file, or a
 * caller's arrays; and the benchmarks' own streams.
 *
 * An *edge source* has vertex counts, a number of edges, and a function that fills arrays with any
 * range of them.  rmat_create_from() makes a generator from a source.  Every function that takes a
 * generator then works on the source's edges: rmat_generate_arrays(), sorted intervals
 * (rmat_interval.h), CSR (rmat_csr.h).  The generator applies permute, direction, symmetrize and
 * weights (rmat.h) to the source's edges.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h).
 */
#ifndef RMAT_RMAT_SOURCE_H
#define RMAT_RMAT_SOURCE_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef int rmat_source_fill_device(void *state, uint64_t first, uint64_t count,
                                    const rmat_arrays *to, void *stream);

typedef struct {
    uint64_t rows, cols; /* vertex counts, 1 to 2^62 */
    uint64_t edges;      /* the number of edges, at most RMAT_MAX_EDGES */

    /* The type of the source's own weights: UNIFORM stands for float, INT for int32_t. */
    rmat_weights weights;

    /* INT weights lie in [weight_min, weight_max]; a narrow range sorts faster.  Both 0: any
     * value. */
    int32_t weight_min, weight_max;

    /*
     * Fills to->src, to->dst and, unless it is NULL, to->weight with edges [first, first + count),
     * in host memory.  An edge has the same ends in every call, below rows and cols.  Any number of
     * threads call it at the same time.  Returns 0, or nonzero if it cannot provide the edges;
     * functions of rmat/ then fail with RMAT_ERR_SOURCE.
     */
    int (*fill)(void *state, uint64_t first, uint64_t count, const rmat_arrays *to);

    /* Like fill(), in the memory of the current GPU; starts its work in a CUDA stream.  One thread
     * at a time calls it.  NULL: the source does not support GPUs. */
    rmat_source_fill_device *fill_device;

    /* Returns the end of the piece around `first`: fill() provides the whole piece at the price of
     * one of its edges.  An example is a block of a file that is parsed as a whole.  A piece has at
     * most RMAT_SOURCE_MOST edges.  NULL: the cost of a range is proportional to its edges. */
    uint64_t (*piece_end)(void *state, uint64_t first);

    /* Returns the number of edges before a cell, in the order of source, then destination.  The
     * edges are in this order; src may be rows, with dst 0. NULL: the edges are not sorted. */
    uint64_t (*before)(void *state, uint64_t src, uint64_t dst);

    void *state; /* passed to these functions */
} rmat_source;

#define RMAT_SOURCE_MOST ((uint64_t)1 << 24)

/* Returns the smallest scale, from 1 on, for this number of vertices, at most 2^62. */
int rmat_scale_of(uint64_t vertices);

/*
 * Creates a generator of a source's edges.  It uses *config as for the model, except for its shape,
 * matrices and noise.  config->weights applies only to a source without weights.  An edge of a
 * source cannot be drawn again, so no_self_loops only leaves loops out of sorted intervals.  The
 * generator copies *source, but not the data behind its state.  On success the caller frees *out
 * with rmat_destroy(). On failure *out is NULL.  Errors as for rmat_create(). RMAT_ERR_NO_BACKEND:
 * the backend is a GPU and the source has no fill_device().
 */
int rmat_create_from(rmat_gen **out, const rmat_source *source, const rmat_config *config);

/* Returns the base edges of a generator of rmat_create_from() or of another stream than
 * RMAT_STREAM_RMAT.  Valid as long as the generator exists. */
rmat_source rmat_source_of(const rmat_gen *gen);

/*
 * The edges of Graph500's reference generator, bit for bit: RMAT_STREAM_GRAPH500.
 *
 * Graph500 3.0 (github.com/graph500/graph500, directory generator/) draws edge i with a multiple
 * recursive generator of order 5 modulo 2^31 - 1 (L'Ecuyer, Blouin, Couture, "A search for good
 * multiple recursive random number generators", ACM TOMACS 3(2), 1993) that has skipped i * 2^64
 * numbers.  One number decides each level, with a = 0.57, b = c = 0.19, d = 0.05.  Edges below the
 * diagonal are flipped to above it, and a fixed bijection scrambles both ends.  The weight is the
 * number after the last level.  So edge i is a function of (scale, seeds, i), and any slice of the
 * official list can be made alone.
 */

#define RMAT_GRAPH500_SEED1 2 /* the benchmark's "userseed1" and "userseed2" */
#define RMAT_GRAPH500_SEED2 3

/* Writes the next `count` candidates for the benchmark's search keys in its graph of a scale, 1 to
 * 62, in the order in which it tries them.  They are vertices; they may repeat and may be
 * isolated.  state: zeros for the first ones; each call leaves the state of the following ones. */
void rmat_graph500_candidates(int scale, uint64_t seed1, uint64_t seed2, uint32_t state[5],
                              uint64_t count, uint64_t *vertices);

/*
 * The Kronecker graphs of the GAP Benchmark Suite, bit for bit: RMAT_STREAM_GAPBS.
 *
 * GAPBS (github.com/sbeamer/gapbs; Beamer, Asanovic, Patterson, "The GAP benchmark suite",
 * arXiv:1508.03619) makes the graph of its option -g as follows.  It cuts the edge list into blocks
 * of 2^18 edges.  Block k has its own Mersenne Twister MT19937, seeded with seed + k. One number
 * decides each level of each edge, with a = 0.57, b = c = 0.19, d = 0.05.  A permutation of all
 * vertices, std::shuffle() with MT19937 and the seed, then renumbers both ends.  Weights are int32
 * from 1 to 255; those of block k come from another generator with the seed seed + k.
 *
 * std::shuffle() differs between C++ libraries.  These are the graphs of a GAPBS built with
 * GCC 11 or later and its libstdc++. Earlier versions and other libraries (libc++, MSVC) make other
 * permutations.
 *
 * This list has self-loops and duplicates, and one direction of each edge.  The programs of GAPBS
 * and the files of its `converter` have both directions of each edge, no self-loops and no
 * duplicates.  They keep the least of several weights of one pair of vertices.
 * rmat_gapbs_vertices() returns their number of vertices.
 *
 * A generator keeps a permutation of 4 bytes per vertex, and a copy on its GPU.  One thread makes
 * it at the first request for edges, at 20 to 60 million vertices per second (Zen 1; large ones are
 * slower).
 */

#define RMAT_GAPBS_SEED      27491095u /* the benchmark's seed, "kRandSeed" */
#define RMAT_GAPBS_MAX_SCALE 30        /* vertex counts are int32 there, so 2^31 is too many */

/* Sets *vertices to 1 more than the largest vertex in base edges [first, first + count) of a
 * generator of RMAT_STREAM_GAPBS, self-loops included.  For all edges, this is the number of
 * vertices that GAPBS gives the graph.  The call makes these edges, and stops early if it meets
 * vertex 2^scale - 1.  RMAT_ERR_ARG, RMAT_ERR_RANGE, RMAT_ERR_NOMEM, RMAT_ERR_STOPPED. */
int rmat_gapbs_vertices(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *vertices);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
