/*
 * Edges of an interval of the order as keys: how many cells lie between the interval's first one
 * and the edge's.  So order, distance and the sort need the bits of the interval only.  Keys take 8
 * bytes where that is enough, else 16: code that depends on it is written once
 * (rmat/sorted/cpu/sort_body.h, rmat/sorted/cpu/keys_body.h) and compiled for both.
 */
#ifndef RMAT_SORTED_CPU_KEYS_H
#define RMAT_SORTED_CPU_KEYS_H

#include "rmat/sorted/block.h"
#include <stddef.h>

typedef unsigned __int128 rmat_key;

typedef struct {
    rmat_cell first;
    uint64_t rows; /* from the first row to the last one; they may be the same */
    rmat_key last; /* the last key */
    int dst_bits, bits;
    int all; /* of the graph: every edge lies in it */
} rmat_key_range;

/* Of the cells from *first on and before *end, which are not the same. */
rmat_key_range rmat_key_range_of(const rmat_gen *gen, const rmat_cell *first, const rmat_cell *end);

/* Any cell of the graph at the interval's first one or behind. */
static inline rmat_key rmat_key_of(const rmat_key_range *in, uint64_t src, uint64_t dst)
{
    return ((rmat_key)(src - in->first.src) << in->dst_bits) + dst - in->first.dst;
}

static inline rmat_cell rmat_cell_of(const rmat_key_range *in, rmat_key key)
{
    const rmat_key k = key + in->first.dst;

    return (rmat_cell){in->first.src + (uint64_t)(k >> in->dst_bits),
                       (uint64_t)k & (((uint64_t)1 << in->dst_bits) - 1)};
}

/* Where cells cut an interval: cut i is the number of the part before it. */
enum { RMAT_CUT_SLOTS = 1 << 14 };
typedef struct {
    const rmat_key *cuts; /* in order */
    int shift;
    uint64_t below[RMAT_CUT_SLOTS + 1]; /* cuts whose key >> shift is below */
} rmat_cuts;

/* What can be done with keys of one size.  `threads` are those of OpenMP. */
typedef struct {
    size_t bytes;
    /* The keys of those edges that lie in the interval; returns how many. */
    uint64_t (*keep)(const rmat_key_range *in, uint64_t count, const void *src, const void *dst,
                     int id_bytes, void *keys);
    /* n keys of so many bits; returns where they are sorted, keys or scratch, NULL if memory is
     * exhausted.  Both begin a cache line. */
    void *(*sort)(void *keys, void *scratch, uint64_t n, int bits, int threads);
    /* The different ones of sorted keys; returns how many. */
    uint64_t (*unique)(const void *sorted, uint64_t n, void *to, int threads);
    rmat_key (*at)(const void *keys, uint64_t i);
    /* How many of sorted keys are below. */
    uint64_t (*below)(const void *sorted, uint64_t n, rmat_key key);
    /* The same, where it is likely to be `from` or a little more, and not less. */
    uint64_t (*seek)(const void *sorted, uint64_t n, uint64_t from, rmat_key key);
    uint64_t (*lower)(const rmat_key_range *in, const void *keys, uint64_t n, int threads);
    void (*pointers)(const rmat_key_range *in, const void *sorted, uint64_t n, uint64_t first_row,
                     uint64_t count, uint64_t add, uint64_t *pointers);
    void (*ids)(const rmat_key_range *in, const void *keys, uint64_t n, void *src, void *dst,
                int id_bytes);
    /* Both sorted; fast where m is much less than n. */
    void (*merge)(const void *sorted, uint64_t n, const void *more, uint64_t m, void *to,
                  int threads);
    /* Adds how many lie in each part. */
    void (*tally)(const void *keys, uint64_t n, const rmat_cuts *c, uint64_t *counts);
} rmat_key_ops;

/* Those for the keys of an interval. */
const rmat_key_ops *rmat_key_ops_of(const rmat_key_range *in);

extern const rmat_key_ops rmat_keys64, rmat_keys128;

#endif
