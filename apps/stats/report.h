/* The reports of `rmat stats`: as text, as JSON, and the degrees as a table. */
#ifndef APPS_STATS_REPORT_H
#define APPS_STATS_REPORT_H

#include "apps/stats/run.h"
#include <stdio.h>

typedef struct {
    const char *name;
    const edge_source_facts *facts;
    const stats_results *results;
    bool pairs; /* were looked for */
} stats_graph;

/* Figures derived from the results, for both reports. */
enum { STATS_QUANTILES = 4 };
extern const double stats_quantile[STATS_QUANTILES]; /* 0.5, 0.9, 0.99, 0.999 */
extern const char *const stats_kind_name[DEGREE_KINDS];

/* Over the vertices of a degree above 0. */
typedef struct {
    uint64_t vertices, least, most;
    uint64_t quantile[STATS_QUANTILES]; /* the least degree that this share does not exceed */
    double mean;
} degree_summary;

degree_summary stats_summary(const degree_distribution *d);

/* Vertices without an edge; of a graph that is not square, of both sides. */
uint64_t stats_isolated(const stats_graph *g);
uint64_t stats_vertices(const stats_graph *g);

/* The share of the distinct edges, without loops, whose reverse exists too. */
double stats_reciprocity(const stats_graph *g);

/* The shares of the quadrants that the model predicts; NAN if it predicts none. */
typedef struct {
    bool known;
    double quadrants[RMAT_MAX_SCALE][4];
} level_expectation;

void stats_expect(const stats_graph *g, level_expectation *e);

void stats_print(const stats_graph *g);
void stats_print_json(const stats_graph *g);
void stats_print_degrees(const stats_graph *g, FILE *to);

#endif
