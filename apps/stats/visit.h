/* The state of the passes, which run.c, passes.c and visit.c share.  Private. */
#ifndef APPS_STATS_VISIT_H
#define APPS_STATS_VISIT_H

#include "apps/client/client.h"
#include "apps/engine/source/edge_walk.h"
#include "apps/stats/gpu/gpu.h"
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
    uint64_t rows, cols, edges;
    uint64_t room;          /* bytes for tables */
    uint64_t counters_room; /* for counters, which the host's memory has in the end */
    bool square;
    thread_sums *sums;
    histogram histograms[DEGREE_KINDS];
    degree_counters counters;
    pair_table pairs;
    rmat_gen *gen;   /* to undo the permutation, or NULL */
    gpu_tables *gpu; /* that counts; or NULL, the CPU */
    client watcher;
    uint64_t read, to_read; /* edges, in all passes up to now, and in all that are foreseen */

    /* The tasks of the current pass. */
    bool first, counts, finds;
    _Atomic bool full;   /* the table of pairs */
    _Atomic bool failed; /* the GPU */
} stats_state;

/* passes.c: all that is counted, as many passes as it takes.  An exit code, as the others. */
int stats_count(stats_state *r);

/* Prints that memory is exhausted. */
int stats_no_memory(const stats_state *r);

/* The GPU has failed: ends the bar, and leaves the rest to stats_run(). */
int stats_gpu_failed(stats_state *r);

/* edge_walk_body.visit; the state is a stats_state. */
int stats_visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size);

#endif
