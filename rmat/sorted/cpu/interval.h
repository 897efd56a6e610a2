/* interval.h - private to rmat/: a sorted interval in host memory, the state behind
 * rmat_interval.state.
 */
#ifndef RMAT_SORTED_CPU_INTERVAL_H
#define RMAT_SORTED_CPU_INTERVAL_H

#include "rmat/sorted/cpu/keys.h"

typedef struct {
    void *keys, *scratch; /* capacity keys each */
    uint64_t n;           /* keys so far */
    rmat_key_range in;    /* the interval */
    const rmat_key_ops *ops;
    bool counted; /* an interval of one cell, whose n edges are counted and not stored */
} rmat_cpu_interval;

/* rmat/sorted/cpu/gather.c */
int rmat_cpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count);
int rmat_cpu_interval_settle(
    rmat_interval *b); /* sorts the keys, each once if the edges are unique */

/* rmat/sorted/cpu/unseen.c */
int rmat_cpu_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                             rmat_first_seen **list, uint64_t *n);

/* rmat/sorted/cpu/insert.c */
int rmat_cpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list);

/* rmat/sorted/cpu/count.c */
int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts);

#endif
