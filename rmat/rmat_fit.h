/*
 * rmat_fit.h - the R-MAT model whose graphs are most like a given graph.
 *
 *     rmat_fit_input_default(&input);
 *     rmat_fit_examine(&graph, &source, &input);
 *     rmat_fit_options_default(&options);
 *     rmat_fit(&graph, &options, &result);
 *     // now result.model is a configuration for rmat_create()
 *
 * The vertices of a graph may have any numbers: the fit looks at its shape alone (rmat_shape.h).
 * How it is done is told in fit/FIT.md.
 *
 * Functions return 0 or a negative rmat_status (rmat.h).  They are thread-safe.  The result depends
 * on the graph and the seed, not on threads or backend, unless time runs out; its last digits may
 * depend on the C library.
 */
#ifndef RMAT_RMAT_FIT_H
#define RMAT_RMAT_FIT_H

#include "rmat/rmat_shape.h"
#include "rmat/rmat_source.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* How the edges of a graph are listed: with a direction; or of an undirected graph, each with its
 * reverse, or once, with source >= destination (LOWER) or <= (UPPER), mostly. */
typedef enum {
    RMAT_LISTED_DIRECTED,
    RMAT_LISTED_BOTH,
    RMAT_LISTED_LOWER,
    RMAT_LISTED_UPPER
} rmat_listed;

/* What is known of that: AUTO finds out, and takes a graph for undirected if each edge has its
 * reverse, or all of them have source >= destination, or <=.  UNDIRECTED: each edge with its
 * reverse, or each once in any direction. */
typedef enum { RMAT_FIT_AUTO, RMAT_FIT_DIRECTED, RMAT_FIT_UNDIRECTED } rmat_fit_edges;

/* A graph as far as it is looked at. */
typedef struct {
    rmat_listed listed;
    rmat_shape shape; /* with probes; of LOWER and UPPER with the reverse of each edge */
} rmat_fit_graph;

/* Bytes of memory that examining or simulating a graph takes at most.  edges: of an undirected
 * graph in both directions. */
uint64_t rmat_fit_bytes(uint64_t vertices, uint64_t edges);

/* How a graph is examined. */
typedef struct {
    rmat_fit_edges edges;
    rmat_backend backend;     /* where it is built: GPU, in device memory; else in host memory */
    int device, threads;      /* as in rmat_config */
    uint64_t memory;          /* bytes of host memory that may be taken; 0: any */
    int (*stop)(void *state); /* with stop_state as in rmat_config */
    void *stop_state;
    uint32_t *out, *in; /* both NULL, or arrays that take every vertex's degrees, in host memory:
                           those of the graph whose shape is that of rmat_fit_graph */
} rmat_fit_input;

void rmat_fit_input_default(rmat_fit_input *input);

/*
 * Examines all edges of a source, which are read once; for LOWER and UPPER on the CPU twice.  On
 * the CPU it takes rmat_fit_bytes() of host memory; on a GPU so much of the GPU's, and 8 bytes for
 * each edge of the host's; RMAT_ERR_NOMEM if there is not enough.  Other errors as of
 * rmat_create_from() and rmat_shape_of().
 */
int rmat_fit_examine(rmat_fit_graph *graph, const rmat_source *source, const rmat_fit_input *input);

typedef struct {
    rmat_backend backend; /* of simulated graphs */
    int threads, device;  /* as in rmat_config */
    uint64_t seed;        /* of simulated graphs, and of the result */
    int simulations;      /* to measure errors with; 0: 6 to 32, the fewer the larger the graph */
    int vertices_fixed;   /* 1: the graph has its own number of vertices, isolated ones included */

    /* NULL, or told how far it is, 0 to 1.  Nonzero stops the fit where it is. */
    int (*tick)(void *state, double share);
    void *state;

    /* As in rmat_config.  A fit that it ends has no result. */
    int (*stop)(void *state);
    void *stop_state;
} rmat_fit_options;

void rmat_fit_options_default(rmat_fit_options *options);

/*
 * A number, its standard error, and an interval that holds the true number of an R-MAT graph in 95
 * of 100 cases.  NaN: the graph does not tell the number, or there was no time to simulate.
 *
 * The noise cannot be below 0, and near 0 it has no standard error.  Its interval is that of its
 * square, and includes 0 unless the graph shows that there is noise; its error is the width of the
 * interval, divided by twice the t_quantile.
 */
typedef struct {
    double value, error, low, high;
} rmat_fitted;

typedef struct {
    /* The model: scale and vertices, matrix, noise, seed, direction, and whether it is symmetrized
     * and without loops; on the CPU.  The graph is the first `edges` base edges of it, or with
     * unique so many distinct ones. */
    rmat_config model;
    uint64_t edges;
    int unique;

    /* The parameters.  Of noisy models a, b, c, d are those of the levels' average: the seed of the
     * model is one for which that is the matrix of the model. */
    rmat_fitted a, b, c, d, noise, vertices;
    int vertices_free; /* the number is fitted: that of the graph does not suit */
    int simulations;   /* that the errors are from */
    int stopped;       /* tick() stopped it: errors may be missing (NaN) */
    double t_quantile; /* so many errors to either side are the interval, of all but the noise */
    rmat_shape like;   /* of one graph of the model, with probes */
} rmat_fit_result;

/* Fits.  RMAT_ERR_EDGES if the graph has no edges; RMAT_ERR_VERTICES for fewer than two vertices;
 * otherwise as of rmat_create() and rmat_shape_of(). */
int rmat_fit(const rmat_fit_graph *graph, const rmat_fit_options *options, rmat_fit_result *result);

/*
 * The model and the edges of a graph that is `multiply` times as large: so many times the vertices,
 * and as many times the edges, which keeps the average degree; or with densify the edges that the
 * model's recursion implies: of m edges and L levels, a further level doubles the vertices and
 * multiplies the edges by m^(1/L).  RMAT_ERR_VERTICES or RMAT_ERR_RANGE if that is beyond what
 * there is.
 */
int rmat_fit_multiply(const rmat_fit_result *result, uint64_t multiply, int densify,
                      rmat_config *model, uint64_t *edges);

/* How much two shapes differ: 0, not at all, to 1. */
typedef struct {
    double out, in, joint; /* Kolmogorov-Smirnov: the greatest difference between the shares of
                              vertices of degree k or less, or of degrees (k, l) or less, among
                              vertices that have an edge (of that side) */
} rmat_fit_distance;

void rmat_fit_distance_of(const rmat_shape *a, const rmat_shape *b, rmat_fit_distance *distance);

/* Properties of a shape that are told beside the distances. */
typedef struct {
    double isolated;      /* share of vertices without an edge */
    double loops;         /* share of edges */
    double copies;        /* likewise */
    double reciprocity;   /* share of distinct edges, without loops, whose reverse exists */
    double assortativity; /* correlation, over edges, of the logarithms of the source's out-degree
                             and the destination's in-degree */
    double own;           /* the same, over vertices, of a vertex's out- and in-degree */
    double closure;       /* share of walks of two steps u, v, w with an edge from u to w */
} rmat_fit_traits;

void rmat_fit_traits_of(const rmat_shape *shape, rmat_fit_traits *traits);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
