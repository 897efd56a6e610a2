/*
 * Tables in the memory of a GPU, instead of the host's: threads bring edges, the GPU counts them.
 *
 * Functions that return int return 0, or -1 with what failed in error().
 */
#ifndef APPS_STATS_GPU_GPU_H
#define APPS_STATS_GPU_GPU_H

#include "apps/stats/counters.h"
#include "apps/stats/pairs.h"

typedef struct gpu_tables gpu_tables;

/* What a pass counts, each if it is not NULL.  Its size and part are set, its memory is the host's,
 * or none. */
typedef struct {
    const degree_counters *counters;
    const pair_table *pairs;
} gpu_pass;

typedef struct {
    /* For edges from so many threads.  *out is to be closed in either case. */
    int (*open)(gpu_tables **out, int device, int id_bytes, int threads);
    void (*close)(gpu_tables *g);

    /* Of the first failure; for one thread, while no other one adds edges. */
    const char *(*error)(const gpu_tables *g);
    uint64_t (*room)(const gpu_tables *g); /* what may be taken for tables */

    /* Of a pass, which is borrowed until its end: tables that are empty; edges, by thread 0 to
     * threads - 1; and when all threads are through, the counters into those in the host's memory,
     * pairs to those that were found before.  *full: the table of pairs was too small,
     * and nothing is added to *found. */
    int (*begin)(gpu_tables *g, const gpu_pass *pass);
    int (*add)(gpu_tables *g, int thread, const edge_block *edges);
    int (*end)(gpu_tables *g, pair_counts *found, bool *full);
} gpu_tables_backend;

/* NULL in a build without CUDA. */
static inline const gpu_tables_backend *gpu_tables_cuda(void)
{
#ifdef RMAT_HAVE_CUDA
    extern const gpu_tables_backend gpu_tables_of_cuda; /* tables.c */

    return &gpu_tables_of_cuda;
#else
    return NULL;
#endif
}

#endif
