/* Count everything that `rmat stats` reports, in as few passes over the edges as memory allows. */
#ifndef APPS_STATS_COUNT_H
#define APPS_STATS_COUNT_H

#include "apps/client/levels.h"
#include "apps/engine/source/edge_source.h"
#include "apps/stats/counters.h"
#include "apps/stats/pairs.h"

/* The number of edges in each quadrant of each level of the recursion, from the bits of their ends.
 */

typedef struct {
    int rows_scale, cols_scale, levels; /* log2 of the vertices, rounded up; the larger one */
    level_counts counts;
} level_totals;

/* A level of the larger side only has two quadrants, a and c (of rows) or a and b. */
typedef struct {
    bool has_src, has_dst;
    double share[4]; /* of a, b, c, d: source and destination bit 0 0, 0 1, 1 0, 1 1 */
} level_shares;

/* Level 0 is the most significant bit. */
level_shares levels_shares(const level_totals *totals, int level);

typedef struct {
    degree_options options;
    bool pairs, levels;   /* wanted, beside the degrees */
    rmat_backend backend; /* that counts */
    int device;           /* GPU */
} stats_job;

typedef struct {
    uint64_t rows, cols;
    degree_counts degrees;
    uint64_t loops;
    pair_counts pairs;
    level_totals levels;
    uint64_t passes; /* over the edges */
} stats_results;

/* Returns an exit code, after a line on stderr where it is not EXIT_OK.  degree_counts_free() of
 * the degrees in either case. */
int stats_run(edge_source *s, const stats_job *job, stats_results *results);

#endif
