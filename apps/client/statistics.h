/*
 * Statistics of edges straight from the generator: what engine_count_edges() counts, beside what
 * the model predicts, as a report, as JSON, and added up over ranges that were counted apart.
 */
#ifndef APPS_CLIENT_STATISTICS_H
#define APPS_CLIENT_STATISTICS_H

#include "apps/common/chi_squared.h"
#include "apps/engine/engine.h"
#include <stdio.h>

struct json_writer;

enum { STATISTICS_RANGES = 4096, STATISTICS_MODEL = 1024 };

/* Edges [first, first + count) of the stream, as they are drawn. */
typedef struct {
    uint64_t first, count;
} statistics_range;

typedef struct {
    char model[STATISTICS_MODEL]; /* the options that make the same stream */
    int levels;
    bool square;        /* else sources and destinations differ, and there are no loops */
    bool expects;       /* the model predicts the shares of drawn edges that follow, but: */
    bool expects_pairs; /* only where no draw is made again are levels independent */
    double expected[RMAT_MAX_SCALE][4], expected_loops;

    statistics_range range[STATISTICS_RANGES]; /* in order, and none touches the next */
    int ranges;
    uint64_t edges;                        /* drawn ones */
    uint64_t quadrants[RMAT_MAX_SCALE][4]; /* by level, 0 the most significant */
    uint64_t pairs[RMAT_MAX_SCALE][16];    /* 4 p + q: quadrant p of the level, q of the next */
    uint64_t redraws;

    uint64_t graph_edges, loops, fingerprint; /* of the graph, with reverse edges */
    int vertices;
    uint64_t vertex[RMAT_TALLY_VERTICES], out[RMAT_TALLY_VERTICES], in[RMAT_TALLY_VERTICES];
} statistics;

/* Of a complete job. */
void statistics_of(statistics *s, const engine_job *job, const rmat_tally_request *request,
                   const engine_counts *counts);

/* Add what others are.  NULL, or why they are not of the same list and disjoint ranges of it. */
const char *statistics_add(statistics *s, const statistics *more);

/* What `rmat generate --statistics --json` printed into a file.  Returns 0, or -1 after a line in
 * text[size] that says what is wrong. */
int statistics_read(statistics *s, const char *path, char *text, size_t size);

/* Lines for people, and members of a JSON object, which apps/common/json.h defines: it is not
 * included here, as the library that reads them, json-c, has a json_object too. */
void statistics_print(FILE *stream, const statistics *s);
void statistics_json(struct json_writer *o, const statistics *s);

#endif
