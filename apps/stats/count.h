/* The counts of `rmat stats`: degrees, loops, distinct edges, and pairs of vertices with edges in
 * both directions. */
#ifndef APPS_STATS_COUNT_H
#define APPS_STATS_COUNT_H

#include "apps/stats/degrees.h"

/* Distinct edges are those without copies.  The other members are 0 if the graph is not square. */
typedef struct {
    uint64_t distinct;
    uint64_t loops, distinct_loops;
    uint64_t mutual; /* pairs of different vertices with edges in both directions */
} edge_counts;

/* Each of these reads all edges, reports to the watch, and returns an engine_status. */

/* degree_count() without messages, and loops. */
int count_degrees(edge_source *s, const degree_options *options, const engine_watch *watch,
                  degree_counts *degrees, edge_counts *edges);

int count_distinct(edge_source *s, const degree_options *options, const engine_watch *watch,
                   edge_counts *edges);

/* For a square graph whose distinct edges have been counted. */
int count_mutual(edge_source *s, const degree_options *options, const engine_watch *watch,
                 edge_counts *edges);

/* Bytes for counters or for sorting, at least `least`: the part of --memory that this many threads
 * leave.  Returns an engine_status. */
int count_room(const edge_source *s, const degree_options *options, uint64_t least, uint64_t *room);

#endif
