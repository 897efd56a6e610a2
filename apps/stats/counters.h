/*
 * Counters of the out- and in-degree of each vertex, which several threads add to, and histograms
 * of what they come to.
 *
 * Dense counters are arrays, of 4 bytes where no degree can need more.  Where there are many more
 * vertices than edges, a hash table has those with edges only.  Either may be cut into passes over
 * the edges: by vertex, or by hash value.
 */
#ifndef APPS_STATS_COUNTERS_H
#define APPS_STATS_COUNTERS_H

#include "apps/engine/source/edge_source.h"
#include "apps/stats/degrees.h"
#include "apps/stats/tables.h"

/* The number of vertices of each degree, and the vertices of the highest degrees.  Each thread
 * fills a histogram of its own; these are then added. */

enum { HISTOGRAM_SMALL = 1 << 13 };

/* Threads have one next to the other: none shares a line of the cache. */
typedef struct {
    __attribute__((aligned(64))) uint64_t small[HISTOGRAM_SMALL]; /* vertices by degree */
    uint64_t *large;                                              /* each degree beyond */
    uint64_t n_large, room;
    degree_top *top; /* the most so far, in order */
    uint64_t n_top, most_top;
    bool failed; /* memory is exhausted */
} histogram;

bool histogram_create(histogram *h, uint64_t most_top);
void histogram_free(histogram *h);

/* False where memory is exhausted, then or before. */
bool histogram_finish(histogram *h, degree_distribution *d);

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
