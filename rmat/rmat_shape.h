/*
 * rmat_shape.h - the shape of a graph: counts that stay the same when its vertices are renumbered,
 * so that a graph can be compared with a model whose vertices have other numbers.
 *
 * All counts are exact integers, but for probes, which look at some of the edges; they are the same
 * on a CPU and on a GPU, with any number of threads.
 *
 * Degrees are counted in bins.  A fine bin is one degree below 16, and an eighth of an octave from
 * there on; a coarse one is one degree below 4, and half an octave from there on.  The degree of a
 * vertex counts all of its edges, copies and loops included.
 */
#ifndef RMAT_RMAT_SHAPE_H
#define RMAT_RMAT_SHAPE_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum {
    RMAT_SHAPE_FINE = 256,  /* bins; the last one has all degrees from 2^34 - 2^30 on */
    RMAT_SHAPE_COARSE = 68, /* bins of joint degrees */
    RMAT_SHAPE_PROBES = 1 << 20
};
#define RMAT_SHAPE_MOST_EDGES ((uint64_t)1 << 32) /* fewer edges than this */

typedef struct {
    uint64_t vertices, edges;
    uint64_t loops;
    uint64_t copies; /* of an edge, beyond the first */
    uint64_t used;   /* vertices that have an edge */
    uint64_t lower;  /* edges with source > destination */

    /* By fine bins: vertices, and the edges at them. */
    uint64_t out_vertices[RMAT_SHAPE_FINE], out_edges[RMAT_SHAPE_FINE];
    uint64_t in_vertices[RMAT_SHAPE_FINE], in_edges[RMAT_SHAPE_FINE];

    /* By coarse bins: vertices by out- and in-degree; edges by the out-degree of their source and
     * the in-degree of their destination. */
    uint64_t joint[RMAT_SHAPE_COARSE][RMAT_SHAPE_COARSE];
    uint64_t ends[RMAT_SHAPE_COARSE][RMAT_SHAPE_COARSE];

    /* Probes, of all edges or of RMAT_SHAPE_PROBES of them: distinct probed edges that are no
     * loops, and those of them whose reverse exists; walks of two steps from the source of a probed
     * edge over that edge and on to a third vertex, and those whose ends an edge joins.  0 without
     * probes. */
    uint64_t probed, mutual, walks, closed;
} rmat_shape;

/*
 * Sets *shape to that of the graph of the first `edges` edges of the stream, as rmat_generate()
 * numbers them; with unique each edge is counted once.  The graph is built in the memory of the
 * generator's backend: at most 18 bytes for each edge and 13 for each vertex.  probes: 0 or 1, with
 * or without them.
 *
 * Returns 0 or a negative rmat_status: RMAT_ERR_EDGES from RMAT_SHAPE_MOST_EDGES on;
 * RMAT_ERR_ID_WIDTH above 2^32 vertices; RMAT_ERR_SQUARE if sources and destinations are different
 * vertices; otherwise as of rmat_csr_rows().  Thread-safe.
 */
int rmat_shape_of(const rmat_gen *gen, uint64_t edges, int unique, int probes, rmat_shape *shape);

/* The same, and the degrees of every vertex into arrays of the caller's in host memory. */
int rmat_shape_and_degrees(const rmat_gen *gen, uint64_t edges, int unique, int probes,
                           rmat_shape *shape, uint32_t *out, uint32_t *in);

/* The least degree of a fine bin, 0 to RMAT_SHAPE_FINE - 1; of a coarse one. */
uint64_t rmat_shape_first(int fine);
uint64_t rmat_shape_first_coarse(int coarse);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
