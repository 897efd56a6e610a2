/* The counts of `rmat stats`: degrees, distinct edges, and pairs of vertices with edges in both
 * directions. */
#ifndef APPS_STATS_COUNT_H
#define APPS_STATS_COUNT_H

#include "apps/stats/degrees.h"

typedef struct {
    uint64_t distinct; /* edges: of copies, one counts */
    uint64_t loops;    /* among them; of a square graph */
    uint64_t mutual;   /* pairs of different vertices with edges in both directions; likewise */
} pair_counts;

/* Each of these reads all edges, reports to the watch, and returns an engine_status. */

/* degree_count() without messages.  *loops: copies included; 0 of a graph that is not square. */
int count_degrees(edge_source *s, const degree_options *options, const engine_watch *watch,
                  degree_counts *counts, uint64_t *loops);

/* Sets p->distinct and p->loops. */
int count_distinct(edge_source *s, const degree_options *options, const engine_watch *watch,
                   pair_counts *p);

/* Sets p->mutual, of a square graph whose distinct edges are counted. */
int count_mutual(edge_source *s, const degree_options *options, const engine_watch *watch,
                 pair_counts *p);

/* Bytes for counters or for sorting, at least `least`: what so many threads leave of --memory.
 * Returns an engine_status. */
int count_room(const edge_source *s, const degree_options *options, uint64_t least, uint64_t *room);

#endif
