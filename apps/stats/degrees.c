/* The degrees alone, by the same passes that count everything for `rmat stats`. */
#include "apps/stats/run.h"
#include <stdlib.h>

int degree_count(edge_source *s, const degree_options *options, degree_counts *counts)
{
    const stats_job job = {.options = *options, .backend = RMAT_BACKEND_CPU};
    stats_results results;
    int status = stats_run(s, &job, &results);

    *counts = results.degrees;
    return status;
}

void degree_counts_free(degree_counts *counts)
{
    for (int i = 0; i < DEGREE_KINDS; i++) {
        free(counts->of[i].bins);
        free(counts->of[i].top);
    }
    *counts = (degree_counts){0};
}
