/* Count everything that `rmat stats` reports, in as few passes over the edges as memory allows. */
#ifndef APPS_STATS_RUN_H
#define APPS_STATS_RUN_H

#include "apps/stats/counters.h"
#include "apps/stats/levels.h"
#include "apps/stats/pairs.h"

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
    pair_tally pairs;
    level_totals levels;
    uint64_t passes; /* over the edges */
} stats_results;

/* Returns an exit code, after a line on stderr where it is not EXIT_OK.  degree_counts_free() of
 * the degrees in either case. */
int stats_run(edge_source *s, const stats_job *job, stats_results *results);

#endif
