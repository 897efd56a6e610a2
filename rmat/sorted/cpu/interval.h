/* interval.h - private to rmat/: a sorted interval in host memory, the state behind
 * rmat_interval.state.
 */
#ifndef RMAT_SORTED_CPU_INTERVAL_H
#define RMAT_SORTED_CPU_INTERVAL_H

#include "rmat/sorted/cpu/keys.h"

typedef struct {
    rmat_chunks chunks;
    rmat_list lists[1 << RMAT_LEADING]; /* of keys, 2^width, by their first `width` bits */
    int width;
    uint64_t n;        /* keys so far */
    rmat_key_range in; /* the interval */
    const rmat_key_ops *ops;
    bool counted; /* an interval of one cell, whose n edges are counted and not stored */

    /* The chunks of all lists in order, and how many keys are before each, and before the end. */
    uint32_t *order;
    uint64_t *before;
    uint32_t chunks_used;
} rmat_cpu_interval;

/* rmat/sorted/cpu/gather.c */
int rmat_cpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count);
void rmat_cpu_interval_settle(
    rmat_interval *b); /* sorts the keys, each once if the edges are unique */

/* rmat/sorted/cpu/read.c */

/* Sets the order of chunks, and n, by the lists. */
void rmat_cpu_interval_order(rmat_cpu_interval *s);

/* Key i in that order. */
rmat_key rmat_cpu_interval_key(const rmat_cpu_interval *s, uint64_t i);

/* Whether a sorted interval has the key, for keys that rise: *at is 0 at first, and then a chunk
 * that has no greater keys. */
bool rmat_cpu_interval_has(const rmat_cpu_interval *s, uint32_t *at, rmat_key key);

int rmat_cpu_interval_lower(const rmat_interval *b, uint64_t *edges);
int rmat_cpu_interval_before(const rmat_interval *b, uint64_t n, const rmat_cell *cells,
                             uint64_t *counts);
int rmat_cpu_interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
                               uint64_t add, uint64_t *to);
int rmat_cpu_interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                           const rmat_arrays *to);

/* rmat/sorted/cpu/unseen.c */
int rmat_cpu_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                             rmat_first_seen **list, uint64_t *n);

/* rmat/sorted/cpu/insert.c */
int rmat_cpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list);

/* rmat/sorted/cpu/count.c */
int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts);

#endif
