/*
 * Tables in the memory of a GPU, instead of the host's: threads bring edges, the GPU counts them.
 *
 * Functions that return int return 0, or -1 with what failed in gpu_tables_error().
 */
#ifndef APPS_STATS_GPU_GPU_H
#define APPS_STATS_GPU_GPU_H

#include "apps/stats/counters.h"
#include "apps/stats/pairs.h"
#include "rmat/rmat_tally.h"

typedef struct gpu_tables gpu_tables;

/* For edges from so many threads.  *out is to be closed in either case. */
int gpu_tables_open(gpu_tables **out, int device, int id_bytes, int threads);
void gpu_tables_close(gpu_tables *g); /* NULL is allowed */

/* Of the first failure; for one thread, while no other one adds edges. */
const char *gpu_tables_error(const gpu_tables *g);

/* What may be taken for tables. */
uint64_t gpu_tables_room(const gpu_tables *g);

/* What a pass counts, each if it is not NULL.  Its size and part are set, its memory is the host's,
 * or none. */
typedef struct {
    const degree_counters *counters;
    const pair_table *pairs;
    rmat_tally *levels;  /* added to */
    const rmat_gen *gen; /* whose permutation is undone for the levels, or NULL */
} gpu_pass;

/* Of a pass, which is borrowed until its end: tables that are empty; edges, by thread 0 to threads
 * - 1; and when all threads are through, the counters into those in the host's memory, pairs and
 * levels to those that were found before.  *full: the table of pairs was too small, and nothing is
 * added to *found. */
int gpu_tables_begin(gpu_tables *g, const gpu_pass *pass);
int gpu_tables_add(gpu_tables *g, int thread, const edge_block *edges);
int gpu_tables_end(gpu_tables *g, pair_tally *found, bool *full);

#endif
