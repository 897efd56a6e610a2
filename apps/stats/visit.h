/* The state of the passes, which apps/stats/run.c and apps/stats/visit.c share.  Private. */
#ifndef APPS_STATS_VISIT_H
#define APPS_STATS_VISIT_H

#include "apps/client/client.h"
#include "apps/engine/source/edge_walk.h"
#include "apps/stats/run.h"

typedef struct {
    rmat_counter *levels;
    pair_tally pairs;
    uint64_t loops;
} thread_sums;

typedef struct {
    edge_source *source;
    const stats_job *job;
    stats_results *results;
    uint64_t rows, cols, edges, room;
    bool square;
    thread_sums *sums;
    histogram histograms[DEGREE_KINDS];
    degree_counters counters;
    pair_table pairs;
    rmat_gen *gen; /* to undo the permutation, or NULL */
    client watcher;
    uint64_t read, to_read; /* edges, in all passes up to now, and in all that are foreseen */

    /* The tasks of the current pass. */
    bool first, counts, finds;
    _Atomic bool full; /* the table of pairs */
} stats_state;

/* edge_walk_body.visit; the state is a stats_state. */
int stats_visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size);

#endif
