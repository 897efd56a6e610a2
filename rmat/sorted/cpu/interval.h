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

    /* Of unique edges in few cells: a bit for each key that is there already, so that copies are
     * dropped as they come, and do not fill the room again and again; else NULL. */
    _Atomic uint64_t *seen;

    /* The chunks of all lists in order, and how many keys are before each, and before the end. */
    uint32_t *order;
    uint64_t *before;
    uint32_t chunks_used;
} rmat_cpu_interval;

enum { RMAT_SEEN_BITS = 22 }; /* of keys, at most: of a bit map that stays in the cache */

static inline bool rmat_seen_has(const uint64_t *seen, uint64_t key)
{
    return seen[key / 64] >> key % 64 & 1;
}

/* Sets the key's bit; returns whether it was clear. */
static inline bool rmat_seen_add(_Atomic uint64_t *seen, uint64_t key)
{
    const uint64_t bit = (uint64_t)1 << key % 64;

    /* Most keys are there already, and a read does not take the cache line from other threads. */
    return !(atomic_load_explicit(&seen[key / 64], memory_order_relaxed) & bit) &&
           !(atomic_fetch_or_explicit(&seen[key / 64], bit, memory_order_relaxed) & bit);
}

/* The words of the bit map. */
static inline uint64_t rmat_seen_words(const rmat_key_range *in)
{
    return (((uint64_t)1 << in->bits) + 63) / 64;
}

/* rmat/sorted/cpu/gather.c */
int rmat_cpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count);
/* Sorts the keys, each once if the edges are unique.  False: the call is to end. */
bool rmat_cpu_interval_settle(rmat_interval *b);

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
