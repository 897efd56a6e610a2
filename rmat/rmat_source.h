/*
 * rmat_source.h - edges of another origin than the R-MAT model: another generator, a file, or a
 * caller's arrays.
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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
