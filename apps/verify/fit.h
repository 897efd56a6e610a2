/*
 * Statistical tests of the edges against the model: for each level of the recursion a chi-squared
 * test of the number of edges in each quadrant, and a test of the number of self loops.
 */
#ifndef APPS_VERIFY_FIT_H
#define APPS_VERIFY_FIT_H

#include "apps/client/levels.h"
#include "apps/engine/attributes/model_read.h"
#include "apps/engine/source/edge_source.h"
#include "apps/verify/report.h"
#include <stdbool.h>

/* Counts over edges of one thread.  All zero: no edges yet. */
typedef struct {
    level_counts levels;       /* of edges as they were before the permutation */
    uint64_t looked_at, loops; /* edges, and loops among them; with reverse edges, half of them */
} fit_sums;

/* Count the bits of the ends; loops are counted by scan_edges().  Edges with ids that the model
 * does not have are skipped. */
void fit_add(fit_sums *sums, const rmat_gen *gen, const rmat_config *model,
             const edge_block *edges);

/* Of several threads. */
typedef struct {
    uint64_t looked_at, loops;
    level_counts levels;
    bool both_directions; /* each edge was counted with its reverse */
} fit_totals;

void fit_sum_up(fit_totals *totals, const fit_sums *sums);

/* Report `levels` and `loops`.  Returns whether both fit the model. */
bool verify_fit(verify_report *report, const rmat_config *model, const fit_totals *totals);

#endif
