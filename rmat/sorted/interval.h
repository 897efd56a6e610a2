/* interval.h - private to rmat/: a sorted interval behind its handle, and the interface of its
 * backends. */
#ifndef RMAT_SORTED_INTERVAL_H
#define RMAT_SORTED_INTERVAL_H

#include "rmat/model/generator.h"
#include "rmat/rmat_interval.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A backend, whose functions do what those of the same name in rmat_interval.h do.  They are called
 * with checked arguments, and those that read only once the interval is sorted.  Of an interval
 * that is counted, begin(), trim() and the functions for device memory alone are called.  The
 * latter are NULL in the CPU backend.  The backend's own state is b->state. */
typedef struct rmat_interval_ops {
    int (*bytes)(const rmat_gen *gen, uint64_t edges, uint64_t *bytes);
    int (*create)(rmat_interval *b, uint64_t capacity);
    void (*destroy)(rmat_interval *b);
    int (*begin)(rmat_interval *b);
    /* Gathers, or starts to.  What does not fit is lost: RMAT_ERR_FULL, from here or from
     * gathered(), which tells how many keys there are, copies included. */
    int (*gather)(rmat_interval *b, uint64_t first, uint64_t count);
    int (*gathered)(const rmat_interval *b, uint64_t *keys);
    /* Sorts what has been gathered, each edge once if they are unique, so that it can be read or
     * more can be gathered.  Sets *keys to how many are left. */
    int (*settle)(rmat_interval *b, uint64_t *keys);
    /* Sets cells[0 .. *n) to some that have been gathered, evenly spaced, at most so many. */
    int (*sample)(rmat_interval *b, uint64_t most, rmat_cell *cells, uint64_t *n);
    int (*trim)(rmat_interval *b); /* NULL: there is nothing to give back */
    int (*lower)(const rmat_interval *b, uint64_t *edges);
    int (*pointers)(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                    uint64_t *pointers);
    int (*read)(const rmat_interval *b, uint64_t first, uint64_t count, const rmat_arrays *to);
    int (*pointers_device)(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                           uint64_t *pointers, void *stream);
    int (*read_device)(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to, void *stream);
    /* Sets found[i] to whether it has a cell, for n cells of the interval in order. */
    int (*has)(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells, bool *found);
    int (*insert)(rmat_interval *b, uint64_t n, const rmat_first_seen *list);
    int (*count_cells)(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                       const rmat_cell *cells, uint64_t *counts);
} rmat_interval_ops;

struct rmat_interval {
    const rmat_gen *gen;
    const rmat_interval_ops *ops;
    void *state; /* the backend's */
    uint64_t capacity;
    bool pooled;          /* its memory on a GPU is the generator's, which keeps it for later */
    rmat_cell first, end; /* the interval: from first on, before end */
    bool unique, sorted, trimmed;
    bool counted; /* a single cell, whose edges, all the same, are counted and not stored */

    /* The edges of the stream that are in the interval are among these: all, or, where the stream
     * is in order, exactly these. */
    uint64_t from, to;
    bool in_order;
    uint64_t edges; /* of it, once it is sorted */

    /* Of unique edges, while they are gathered: no more keys than `most` are there; how many edges
     * were made, and how many keys kept of them, in slices after which they were counted. */
    uint64_t most, made, kept;
};

const rmat_interval_ops *rmat_cpu_interval_ops(void);

/* rmat_interval_create(), with a choice of where memory on a GPU comes from. */
int rmat_interval_create_in(rmat_interval **out, const rmat_gen *gen, uint64_t bytes, bool pooled);

/* Whether a is before b in the order. */
static inline bool rmat_cell_below(const rmat_cell *a, const rmat_cell *b)
{
    return a->src < b->src || (a->src == b->src && a->dst < b->dst);
}

/* Whether edges bring weights of their own, which are sorted with them. */
static inline bool rmat_own_weights(const rmat_gen *gen)
{
    return rmat_has_source(gen) && gen->source.weights != RMAT_NO_WEIGHTS;
}

/* The weights that edges bring, as numbers in their order: the bits that they take. */
static inline int rmat_own_weight_bits(const rmat_gen *gen)
{
    const rmat_source *s = &gen->source;
    const bool bounded = s->weights == RMAT_WEIGHTS_INT && s->weight_min < s->weight_max;
    int bits = rmat_own_weights(gen) ? 32 : 0;

    while (bounded && bits > 1 && ((int64_t)s->weight_max - s->weight_min) >> (bits - 1) == 0) {
        bits--;
    }
    return bits;
}

/* Bits and bytes of an edge as one number: its source above its destination, and its own weight, if
 * it has one, below. */
static inline int rmat_key_bits(const rmat_gen *gen)
{
    return gen->config.rows_scale + gen->config.cols_scale + rmat_own_weight_bits(gen);
}

static inline int rmat_key_bytes(const rmat_gen *gen)
{
    return rmat_key_bits(gen) <= 64 ? 8 : 16;
}

#ifdef __cplusplus
}
#endif

#endif
