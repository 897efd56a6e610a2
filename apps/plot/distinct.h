/* Degrees in graphs of distinct edges, where several draws may give the same edge. */
#ifndef APPS_PLOT_DISTINCT_H
#define APPS_PLOT_DISTINCT_H

#include "rmat/rmat.h"

/* A vertex: the logarithm of its expected number of draws, the share of them that is distinct, and
 * the variance of the number of distinct edges divided by its mean. */
typedef struct {
    double log_draws, share, spread;
} plot_distinct_point;

typedef struct {
    int count;
    plot_distinct_point point[RMAT_MAX_SCALE + 1];
} plot_distinct;

/*
 * For the sources' edges, the destinations', or (pairs) edges of either direction, of which a pair
 * of vertices has one.  As if all levels had the mean matrix, and all pairs of vertices were kept:
 * the vertices with j bits 1 are one class, and so are their neighbours that have i of these bits
 * and h of the others.
 */
void plot_distinct_make(plot_distinct *d, const rmat_config *config, rmat_side side, int pairs,
                        double draws);

/* Interpolate between the points, on the logarithmic scale. */
plot_distinct_point plot_distinct_at(const plot_distinct *d, double draws);

#endif
