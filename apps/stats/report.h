/* The reports of `rmat stats`: as text, as JSON, and the degrees as a table. */
#ifndef APPS_STATS_REPORT_H
#define APPS_STATS_REPORT_H

#include "apps/stats/count.h"
#include <stdio.h>

typedef struct {
    const char *name;
    const edge_source_facts *facts;
    const stats_results *results;
    bool pairs; /* were looked for */
} stats_graph;

void stats_print(const stats_graph *g);
void stats_print_json(const stats_graph *g);
/* c: the separator. */
void stats_print_degrees(const stats_graph *g, FILE *to, char c);

#endif
