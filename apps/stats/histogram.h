/* The number of vertices of each degree, and the vertices of the highest degrees.  Each thread
 * fills a histogram of its own; these are then added. */
#ifndef APPS_STATS_HISTOGRAM_H
#define APPS_STATS_HISTOGRAM_H

#include "apps/stats/degrees.h"

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

void histogram_add(histogram *h, uint64_t vertex, uint64_t degree);
void histogram_add_all(histogram *h, const histogram *more);

/* False where memory is exhausted, then or before. */
bool histogram_finish(histogram *h, degree_distribution *d);

#endif
