/*
 * rmat_source.h - edges that do not come from the R-MAT model: those of another generator, of a
 * file, or of a caller's arrays.
 *
 * An *edge source* has vertex counts, a number of edges, and a function that fills arrays with any
 * range of them.  rmat_create_from() makes a generator of a source.  Whatever takes a generator
 * then works on the source's edges: rmat_generate_arrays(), sorted intervals (rmat_interval.h), CSR
 * (rmat_csr.h).  The steps that turn drawn ends into edges (rmat.h) are applied on top of the
 * source: permute, direction, symmetrize and weights.
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
    uint64_t edges;      /* that the source has, at most RMAT_MAX_EDGES */

    /* The type of the weights that its edges bring: UNIFORM stands for float, INT for int32_t. */
    rmat_weights weights;

    /* INT weights lie in [weight_min, weight_max]: a narrow range makes them faster to sort.  Both
     * 0: in all of int32_t. */
    int32_t weight_min, weight_max;

    /*
     * Fills to->src, to->dst and, unless it is NULL, to->weight with edges [first, first + count),
     * in host memory.  Every call for an edge gives the same ends, below rows and cols.  Any number
     * of threads call it at the same time.  Returns 0, or nonzero if the edges cannot be had:
     * functions of rmat/ then fail with RMAT_ERR_SOURCE.
     */
    int (*fill)(void *state, uint64_t first, uint64_t count, const rmat_arrays *to);

    /* The same in the memory of the current GPU, started in a CUDA stream.  NULL: the source has no
     * edges for GPUs.  One thread at a time calls it. */
    rmat_source_fill_device *fill_device;

    /* The end of the range of edges around `first` that fill() has at the price of one of them, a
     * block of a file that is parsed as a whole for instance, at most RMAT_SOURCE_MOST edges.
     * NULL: any range costs as much as it has edges. */
    uint64_t (*piece_end)(void *state, uint64_t first);

    /* How many edges lie before a cell, in the order of source, then destination.  The edges are in
     * this order; src may be rows, with dst 0.  NULL: they are not. */
    uint64_t (*before)(void *state, uint64_t src, uint64_t dst);

    void *state; /* handed to these functions */
} rmat_source;

#define RMAT_SOURCE_MOST ((uint64_t)1 << 24)

/* The smallest scale, from 1 on, for so many vertices, which are at most 2^62. */
int rmat_scale_of(uint64_t vertices);

/*
 * Creates a generator of a source's edges.  *config is used as for the model, except for its shape,
 * matrices and noise; its weights are for a source without weights of its own.  An edge cannot be
 * drawn again, so no_self_loops leaves loops out of sorted intervals alone.  The source is copied,
 * but not what its state points to.  On success *out is to be freed with rmat_destroy(); on failure
 * it is NULL.  Errors as of rmat_create(); RMAT_ERR_NO_BACKEND for the GPU if the source has no
 * fill_device().
 */
int rmat_create_from(rmat_gen **out, const rmat_source *source, const rmat_config *config);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
