/*
 * estimate.h - private to rmat/fit/: the parameters of a model from the shape of a graph, by the
 * expected degrees alone (expect.h).
 */
#ifndef RMAT_FIT_ESTIMATE_H
#define RMAT_FIT_ESTIMATE_H

#include "rmat/fit/expect.h"

/* A number of vertices that is fitted: at most this, and so many times those that have an edge. */
#define FIT_MOST_VERTICES 0x1p32
#define FIT_MOST_ISOLATED 256.0

/* Sets *p to the parameters whose expected degrees come closest to those of the shape.  free: is
 * the number of vertices among them?  Else it is p->vertices.  *p holds where to begin, or zeros;
 * with free, p->vertices is at least shape->used.  Returns the distance: the root of the mean
 * square of differences between shares of vertices and of edges. */
double fit_estimate(const rmat_shape *shape, const fit_graph *graph, int free, fit_params *p);

/* Sets parameters that do not exist, or that claim what no graph supports, to the nearest ones that
 * are allowed.  opposite: y is at most 1/2, else at least; x is at least 1/2. */
void fit_clamp(fit_params *p, int opposite);

/* The covariance that fit_expect_covariance() is to match. */
double fit_covariance(const rmat_shape *shape);

/* The same as a correlation. */
double fit_assortativity(const rmat_shape *shape);

/* The correlation of a vertex's own out- and in-degree, by logarithms. */
double fit_own_correlation(const rmat_shape *shape);

#endif
