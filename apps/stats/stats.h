/*
 * Degrees of the vertices of any edge source, for `rmat stats` and `rmat plot`: histograms and the
 * vertices with the most edges.
 *
 * A graph with as many rows as columns has one set of vertices, each with an out-degree, an
 * in-degree and their sum (a loop adds one to both).  Otherwise sources and destinations are
 * different vertices, and there is no total and no loop.
 */
#ifndef APPS_STATS_STATS_H
#define APPS_STATS_STATS_H

#include "apps/engine/source/edge_source.h"
#include <stdbool.h>

typedef enum { DEGREE_OUT, DEGREE_IN, DEGREE_TOTAL, DEGREE_KINDS } degree_kind;

typedef struct {
    uint64_t degree, vertices;
} degree_bin;

typedef struct {
    uint64_t vertex, degree;
} degree_top;

typedef struct {
    degree_bin *bins; /* of every degree that occurs, 0 included, from the lowest on */
    uint64_t n_bins;
    degree_top *top; /* from the highest degree on; equal degrees from the lowest vertex on */
    uint64_t n_top;  /* vertices without an edge are not among them */
} degree_distribution;

typedef struct {
    degree_distribution of[DEGREE_KINDS];
    bool square;                    /* else of[DEGREE_TOTAL] is empty */
    uint64_t loops, distinct_loops; /* with and without copies */
} degree_counts;

typedef struct {
    const char *name; /* of the source, shown in messages */
    int threads;      /* at least 1 */
    uint64_t memory;  /* bytes, including the buffers of edges; 0: half of the available memory */
    uint64_t top;     /* the number of vertices with the most edges to list */
} degree_options;

/* Counts degrees and loops, in one pass over the edges or in more if memory does not hold a counter
 * for each vertex.  Returns an engine_status.  It also fails if an id is not below the number of
 * vertices.  The caller always calls degree_counts_free(). */
int degree_count(edge_source *s, const degree_options *options, const engine_watch *watch,
                 degree_counts *counts);

void degree_counts_free(degree_counts *counts);

/* Bytes for counters or for sorting, at least `least`: the part of --memory that this many threads
 * leave.  Returns an engine_status. */
int degree_room(const edge_source *s, const degree_options *options, uint64_t least,
                uint64_t *room);

#endif
