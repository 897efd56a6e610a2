/* The tables that are filled while the edges go by, for the CPU and the GPU alike: of degrees
 * (counters.h) and of pairs (pairs.h). */
#ifndef APPS_STATS_TABLES_H
#define APPS_STATS_TABLES_H

#include "apps/stats/hash.h"
#include "apps/stats/pair_log.h"
#include <stddef.h>

typedef struct {
    uint64_t out, in;
    uint64_t key; /* of the vertex, and 1; 0: none */
} counted_vertex;

typedef struct {
    uint64_t rows, cols;
    bool square, sparse;
    uint64_t passes; /* over the edges, for all vertices */
    size_t bytes;    /* of a pass */

    /* Dense. */
    int width;                     /* of a counter, bytes */
    uint64_t places, first, count; /* counters of all passes; and this pass's */
    uint64_t copies;               /* one for each thread, or one for all */
    bool shared;                   /* by several threads */
    void *counters;

    /* Sparse. */
    hash_range range;
    counted_vertex *table;
} degree_counters;

/* Where a counter is among all: those of a vertex side by side, as both are likely to be large; or
 * those of rows, then of columns. */
typedef struct {
    int shift;
    uint64_t offset;
} counter_placement;

ALIAS_HD counter_placement counters_place(const degree_counters *c, bool source)
{
    counter_placement p = {c->square ? 1 : 0, 0};

    if (!source) {
        p.offset = c->square ? 1 : c->rows;
    }
    return p;
}

typedef struct {
    bool square; /* else (u, v) and (v, u) have nothing to do with each other */
    int id_bytes, threads;
    uint64_t edges;
    double expected; /* pairs, at most */
    size_t bytes;
    hash_range range;
    uint64_t *table;
    bool logs;     /* all pairs are recorded and then counted, without a table of all */
    pair_log *log; /* instead of the table */
} pair_table;

#endif
