/*
 * Counters of the out- and in-degree of each vertex, which several threads add to.
 *
 * Dense ones are arrays, of 4 bytes where no degree can need more.  Where there are many more
 * vertices than edges, a hash table has those with edges only.  Either may be cut into passes over
 * the edges: by vertex, or by hash value.
 */
#ifndef APPS_STATS_COUNTERS_H
#define APPS_STATS_COUNTERS_H

#include "apps/engine/source/edge_block.h"
#include "apps/stats/histogram.h"
#include "apps/stats/tables.h"

/* For the fewest passes in so much memory. */
void counters_plan(degree_counters *c, uint64_t rows, uint64_t cols, uint64_t edges, bool square,
                   uint64_t memory, int threads);

/* For a pass from 0 on; false: memory is exhausted.  counters_free() in either case. */
bool counters_create(degree_counters *c, uint64_t pass);
void counters_free(degree_counters *c);

/* Ids below rows and cols.  Thread 0 to threads - 1.  False: the hash table is full. */
bool counters_add(degree_counters *c, const edge_block *edges, int thread);

/* The vertices of this pass into their histograms.  False: memory is exhausted. */
bool counters_collect(const degree_counters *c, int threads, histogram of[DEGREE_KINDS]);

#endif
