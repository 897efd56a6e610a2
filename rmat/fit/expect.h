/*
 * expect.h - private to rmat/fit/: the degrees that a model is expected to have, in closed form and
 * up to small errors, which simulations correct (fit.c).
 */
#ifndef RMAT_FIT_EXPECT_H
#define RMAT_FIT_EXPECT_H

#include "rmat/rmat_shape.h"

/* A model of one matrix: x = a + b and y = a + c are the probabilities of a source's and of a
 * destination's bit to be 0. */
typedef struct {
    double x, y, a;
    double square;   /* of the noise; an estimate may be below 0, a model's is not */
    double vertices; /* rounded to a whole number */
    int open;        /* the graph does not tell a: it is x y, as of independent ends */
} fit_params;

/* How the graph was made. */
typedef struct {
    double edges;
    int undirected; /* each edge with its reverse: x = y */
    int distinct;   /* no edge twice */
} fit_graph;

enum { FIT_SOURCES, FIT_DESTINATIONS, FIT_SIDES };

/* One side: expected vertices by fine bins of their degree, and edges at them; and by the number of
 * zeros among a vertex's bits, the mean over edges of fit_log() of the end's degree. */
typedef struct {
    double vertices[RMAT_SHAPE_FINE], edges[RMAT_SHAPE_FINE];
    double log[RMAT_MAX_SCALE + 1];
} fit_side;

/* The noise of a model with these parameters. */
double fit_noise(const fit_params *p);

/* Expectations for a square of the noise below 0 continue those above as a straight line, so that
 * estimates are spread to both sides of 0 alike. */
void fit_expect(const fit_params *p, const fit_graph *g, int side, fit_side *s);

/* The expected covariance, over all edges, of the logarithms of the source's out-degree and the
 * destination's in-degree. */
double fit_expect_covariance(const fit_params *p, const fit_graph *g, const fit_side *out,
                             const fit_side *in);

/* What stands for the logarithm, of base 2, of all degrees in a coarse bin. */
double fit_log(int coarse);

int fit_levels(double vertices); /* of a graph of so many vertices */

#endif
