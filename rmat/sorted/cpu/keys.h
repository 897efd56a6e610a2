/*
 * keys.h - private to rmat/: the edges of an interval as keys.
 *
 * The key of an edge is the number of cells between the interval's first cell and the edge's, with
 * rows padded to 2^cols_scale cells.  So keys have the order of the edges, and only as many bits as
 * the interval requires.  Weights that an edge source brings are up to 32 more bits below these:
 * copies of an edge come in the order of their weights.  A key takes 8 bytes if that is enough,
 * else 16: code that depends on it is written once (keys_body.h and what it includes) and
 * compiled for both.
 */
#ifndef RMAT_SORTED_CPU_KEYS_H
#define RMAT_SORTED_CPU_KEYS_H

#include "rmat/sorted/cpu/chunks.h"
#include "rmat/sorted/interval.h"
#include <stddef.h>

typedef unsigned __int128 rmat_key;

/* An interval as a range of keys, from 0 to last. */
typedef struct {
    rmat_cell first;
    uint64_t rows; /* the last row minus the first one; 0 if they are the same */
    rmat_key last;
    int dst_bits;         /* bits of a destination: cols_scale */
    int bits;             /* bits of the last key, those of weights included */
    bool all;             /* the interval is the whole graph, so every edge lies in it */
    bool no_loops;        /* loops do not belong to it */
    rmat_weights weights; /* below the cell, in the last weight_bits bits; or RMAT_NO_WEIGHTS */
    int weight_bits;
    uint32_t least; /* rmat_weight_order() of the least weight, which is 0 in a key */
} rmat_key_range;

/* The range of the cells from *first on and before *end, which differ; without weights. */
rmat_key_range rmat_key_range_of(const rmat_gen *gen, const rmat_cell *first, const rmat_cell *end);

/* The key of a cell of the graph that is not before the interval's first one. */
static inline rmat_key rmat_key_of(const rmat_key_range *in, uint64_t src, uint64_t dst)
{
    return ((rmat_key)(src - in->first.src) << in->dst_bits) + dst - in->first.dst;
}

/* The cell of a key. */
static inline rmat_cell rmat_cell_of(const rmat_key_range *in, rmat_key key)
{
    const rmat_key k = key + in->first.dst;

    return (rmat_cell){in->first.src + (uint64_t)(k >> in->dst_bits),
                       (uint64_t)k & (((uint64_t)1 << in->dst_bits) - 1)};
}

/* The bits of a key below those of its cell. */
static inline int rmat_weight_bits(const rmat_key_range *in)
{
    return in->weights != RMAT_NO_WEIGHTS ? in->weight_bits : 0;
}

/* The bits of a weight as a number that has the order of the weights, and the other way round.  For
 * float: negative numbers have the sign bit, and fall as the other bits rise. */
static inline uint32_t rmat_weight_order(rmat_weights kind, uint32_t bits)
{
    const uint32_t sign = (uint32_t)1 << 31;

    return kind == RMAT_WEIGHTS_UNIFORM && bits & sign ? ~bits : bits ^ sign;
}

static inline uint32_t rmat_weight_of_order(rmat_weights kind, uint32_t order)
{
    const uint32_t sign = (uint32_t)1 << 31;

    return kind == RMAT_WEIGHTS_UNIFORM && !(order & sign) ? ~order : order ^ sign;
}

/* Keys that cut a range into parts: part i ends before cut i.  An index by the keys' leading bits
 * finds the part of a key. */
enum { RMAT_CUT_SLOTS = 1 << 14 };
typedef struct {
    const rmat_key *cuts; /* in order */
    int shift;
    uint64_t below[RMAT_CUT_SLOTS + 1]; /* [s]: how many cuts have key >> shift below s */
} rmat_cuts;

/* Operations on arrays of keys of one size.  threads: of OpenMP. */
typedef struct {
    size_t bytes;
    /* Writes the keys of those edges that lie in the interval; returns how many.  weight: of 4
     * bytes each, if the keys have weights. */
    uint64_t (*keep)(const rmat_key_range *in, uint64_t count, const void *src, const void *dst,
                     const void *weight, int id_bytes, void *keys);
    /* Sorts n keys of so many bits, with memory of its own for as many.  Returns 0 or
     * RMAT_ERR_NOMEM. */
    int (*sort)(void *keys, uint64_t n, int bits, int threads);
    /* Appends n keys to the worker's lists by the `width` bits from `shift` on. */
    void (*spread)(rmat_chunks *p, rmat_worker *w, const void *keys, uint64_t n, int shift,
                   int width);
    /* Appends what all workers have spread to the 2^width lists. */
    void (*collect)(rmat_chunks *p, int width, rmat_list *lists);
    /* Sorts 2^width lists of keys of so many bits, the first `width` of which are those of the
     * list; of each cell only the first key is kept, if edges are to be unique.  It may end early,
     * with p->stopped set. */
    void (*sort_lists)(rmat_chunks *p, rmat_list *lists, int width, int bits, int weight_bits,
                       bool unique);
    /* Merges n sorted keys into such lists, which are sorted. */
    void (*insert)(rmat_chunks *p, rmat_list *lists, int width, int bits, const void *sorted,
                   uint64_t n);
    /* Key i. */
    rmat_key (*at)(const void *keys, uint64_t i);
    /* How many sorted keys are below this one. */
    uint64_t (*below)(const void *sorted, uint64_t n, rmat_key key);
    /* The same, fast if the result is `from` or a little more; it must not be less. */
    uint64_t (*seek)(const void *sorted, uint64_t n, uint64_t from, rmat_key key);
    /* How many keys have source >= destination. */
    uint64_t (*lower)(const rmat_key_range *in, const void *keys, uint64_t n);
    /* Writes the number of each key, where the first one is before + 1, to the place of the row
     * behind its own; row first_row has the first of `count` places.  False: a row has none. */
    bool (*mark_rows)(const rmat_key_range *in, const void *sorted, uint64_t n, uint64_t before,
                      uint64_t first_row, uint64_t count, uint64_t *to);
    /* Writes sources and destinations; either may be NULL. */
    void (*ids)(const rmat_key_range *in, const void *keys, uint64_t n, void *src, void *dst,
                int id_bytes);
    /* Writes the weights of keys that have some. */
    void (*weights)(const rmat_key_range *in, const void *keys, uint64_t n, void *weight);
    /* Merges n and m sorted keys; fast if m is much less than n. */
    void (*merge)(const void *sorted, uint64_t n, const void *more, uint64_t m, void *to,
                  int threads);
    /* Adds to counts[i] how many keys lie in part i. */
    void (*tally)(const void *keys, uint64_t n, const rmat_cuts *c, uint64_t *counts);
} rmat_key_ops;

/* The operations for the keys of a range, of 8 bytes if that is enough. */
const rmat_key_ops *rmat_key_ops_of(const rmat_key_range *in);

extern const rmat_key_ops rmat_keys64, rmat_keys128;

#endif
