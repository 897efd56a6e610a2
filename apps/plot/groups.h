/* The probabilities of the edges of a vertex: the vertices of a model, grouped by equal
 * probabilities. */
#ifndef APPS_PLOT_GROUPS_H
#define APPS_PLOT_GROUPS_H

#include "rmat/rmat.h"
#include <stddef.h>

/* Probabilities that a draw is an edge of one such vertex: [0] from it, [1] to it.  The draw is
 * not yet permuted or turned round, end points are below rows and cols. */
typedef struct {
    double vertices;
    double free[2], tight[2]; /* other end point less than the largest vertex; equal to it */
    double below[2];          /* of these: other end point less than the vertex itself */
    double loop;
} plot_group;

typedef struct {
    plot_group *group;
    size_t count;
    double kept; /* the share of all draws that are kept: no loops if there are to be none */
} plot_groups;

/* The quantity by which vertices are grouped. */
typedef double (*plot_group_mass)(const plot_group *group);

/*
 * Of sources (side RMAT_ROWS) or destinations; of a square graph the two are the same, of another
 * one [0] and [1] are both the side's.  Exact up to 2^20 vertices; beyond, vertices are put
 * together that have the same mass within 1e-3, and the group has the mean of everything.  Returns
 * 0, or -1 if memory is exhausted; free groups->group.
 */
int plot_groups_make(plot_groups *groups, const rmat_config *config, rmat_side side,
                     plot_group_mass mass);

/* A logarithmic scale of PLOT_LOG_BINS bins, each at least 1e-3 wide; bin 0 is for the value 0. */
typedef struct {
    double low, width;
} plot_log_scale;

enum { PLOT_LOG_BINS = 1 << 18 };

plot_log_scale plot_log_scale_of(double least, double most);
size_t plot_log_bin(const plot_log_scale *scale, double x);

#endif
