/* The reports of `rmat stats`: as text, as JSON, and the degrees as a table. */
#ifndef APPS_STATS_REPORT_H
#define APPS_STATS_REPORT_H

#include "apps/stats/count.h"
#include <stdio.h>

typedef struct {
    const char *name;
    const edge_source_facts *facts;
    degree_counts degrees;
    edge_counts edges;
    bool pairs; /* distinct and mutual edges were counted */
} stats_report;

void stats_print(const stats_report *r);
void stats_print_json(const stats_report *r);
/* c: the separator. */
void stats_print_degrees(const stats_report *r, FILE *to, char c);

#endif
