/* The kernels of `rmat stats`.  All pointers, those of the tables too, into the memory of the
 * current GPU; functions start their work in the stream, and return 0 or an rmat_status. */
#ifndef APPS_STATS_GPU_KERNELS_H
#define APPS_STATS_GPU_KERNELS_H

#include "apps/stats/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the kernels of a pass report. */
typedef struct {
    pair_counts pairs;
    unsigned counters_full, pairs_full; /* the table is */
} gpu_found;

/* Adds edges to the degrees of their ends. */
int gpu_count_degrees(const degree_counters *c, const void *src, const void *dst, uint64_t count,
                      int id_bytes, gpu_found *found, void *stream);

/* Notes the pairs of this pass. */
int gpu_find_pairs(const pair_table *t, const void *src, const void *dst, uint64_t count,
                   gpu_found *found, void *stream);

#ifdef __cplusplus
}
#endif

#endif
