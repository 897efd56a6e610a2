/*
 * rmat_fit.h - the R-MAT model whose graphs are most like a given graph.
 *
 *     rmat_fit_examine(&graph, &source, 0, threads);
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

/* How the edges of a graph are listed. */
typedef enum {
    RMAT_LISTED_DIRECTED, /* edges have a direction */
    RMAT_LISTED_BOTH,     /* undirected: each edge with its reverse */
    RMAT_LISTED_ONCE      /* undirected: all sources <= destinations, or all >= */
} rmat_listed;

/* A graph as far as it is looked at. */
typedef struct {
    rmat_listed listed;
    rmat_shape shape; /* with probes; of RMAT_LISTED_ONCE with the reverse of each edge */
} rmat_fit_graph;

/*
 * Examines all edges of a source, on the CPU: the memory is that of rmat_shape_of(), twice the
 * edges for RMAT_LISTED_ONCE.  directed: 1 to take the edges as directed though they look listed
 * once; 0 to find out.  Errors as of rmat_create_from() and rmat_shape_of().
 */
int rmat_fit_examine(rmat_fit_graph *graph, const rmat_source *source, int directed, int threads);

typedef struct {
    rmat_backend backend; /* of simulated graphs */
    int threads, device;  /* as in rmat_config */
    uint64_t seed;        /* of simulated graphs, and of the result */
    int simulations;      /* to measure errors with; 0: 6 to 32, the fewer the larger the graph */
    int vertices_fixed;   /* 1: the graph has its own number of vertices, isolated ones included */

    /* NULL, or told how far it is, 0 to 1.  Nonzero stops the fit where it is. */
    int (*tick)(void *state, double share);
    void *state;
} rmat_fit_options;

void rmat_fit_options_default(rmat_fit_options *options);

/* A number and its standard error. */
typedef struct {
    double value, error;
} rmat_fitted;

typedef struct {
    /* The model: scale and vertices, matrix, noise, seed, and whether it is symmetrized and without
     * loops; on the CPU.  The graph is the first `edges` edges of it, which with symmetrize are
     * half of the graph's; with unique, so many distinct ones. */
    rmat_config model;
    uint64_t edges;
    int unique;

    /* The parameters.  Of noisy models a, b, c, d are those of the levels' average: the seed of the
     * model is one for which that is the matrix of the model. */
    rmat_fitted a, b, c, d, noise, vertices;
    int vertices_free; /* the number is fitted: that of the graph does not suit */
    int simulations;   /* that the errors are from */
    int stopped;       /* tick() stopped it: errors may be missing (NaN) */
    double t_quantile; /* so many errors to either side are an interval of 95 % */
    rmat_shape like;   /* of one graph of the model, with probes */
} rmat_fit_result;

/* Fits.  RMAT_ERR_EDGES if the graph has no edges; RMAT_ERR_VERTICES for fewer than two vertices;
 * otherwise as of rmat_create() and rmat_shape_of(). */
int rmat_fit(const rmat_fit_graph *graph, const rmat_fit_options *options, rmat_fit_result *result);

/* How much two shapes differ, each 0 to 1 but for the last ones, which are differences. */
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
    double reciprocity;   /* share of edges, without loops, whose reverse exists */
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
