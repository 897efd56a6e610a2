/* interval.h - private to rmat/: the struct of a sorted interval, and the interface of its
 * backends. */
#ifndef RMAT_SORTED_INTERVAL_H
#define RMAT_SORTED_INTERVAL_H

#include "rmat/model/generator.h"
#include "rmat/rmat_interval.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A backend.  Its functions do the work of those of the same name in rmat_interval.h.  They receive
 * checked arguments; those that read are called only after the interval is sorted.  For a counted
 * interval, only begin(), trim() and the functions for device memory are called.  The functions for
 * device memory are NULL in the CPU backend. b->state is the backend's own state. */
typedef struct rmat_interval_ops {
    int (*bytes)(const rmat_gen *gen, uint64_t edges, uint64_t *bytes);
    int (*create)(rmat_interval *b, uint64_t capacity);
    void (*destroy)(rmat_interval *b);
    int (*begin)(rmat_interval *b);
    /* Gathers, or starts to.  Keys that do not fit are lost: RMAT_ERR_FULL, from here or from
     * gathered(), which sets *keys to the number of keys, copies included. */
    int (*gather)(rmat_interval *b, uint64_t first, uint64_t count);
    int (*gathered)(const rmat_interval *b, uint64_t *keys);
    /* Sorts the gathered keys, and keeps each edge once if they are unique.  Afterwards the
     * interval can be read, or gather more.  Sets *keys to the number that is left. */
    int (*settle)(rmat_interval *b, uint64_t *keys);
    /* Sets cells[0 .. *n) to at most `most` of the gathered cells, evenly spaced. */
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
    /* Sets found[i] to whether the interval has cells[i], for n cells in order. */
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
    bool pooled;          /* its GPU memory belongs to the generator, which keeps it for later */
    rmat_cell first, end; /* the interval: from first on, before end */
    bool unique, sorted, trimmed;
    bool counted; /* a single cell: its edges are equal, and are counted, not stored */

    /* The stream's edges of the interval are among [from, to): all edges, or, if the stream is in
     * order, exactly these. */
    uint64_t from, to;
    bool in_order;
    uint64_t edges; /* of the interval, after the sort */

    /* For unique edges, while they are gathered: an upper bound of the keys; the edges made and the
     * keys kept, in the slices after which keys were counted. */
    uint64_t most, made, kept;
};

const rmat_interval_ops *rmat_cpu_interval_ops(void);

/* rmat_interval_create() with a choice for GPU memory: pooled, or allocated for the interval. */
int rmat_interval_create_in(rmat_interval **out, const rmat_gen *gen, uint64_t bytes, bool pooled);

/* Whether a is before b in the order. */
static inline bool rmat_cell_below(const rmat_cell *a, const rmat_cell *b)
{
    return a->src < b->src || (a->src == b->src && a->dst < b->dst);
}

/* Whether edges have their own weights, which are sorted with them. */
static inline bool rmat_own_weights(const rmat_gen *gen)
{
    return rmat_has_source(gen) && gen->source.weights != RMAT_NO_WEIGHTS;
}

/* The bits of the edges' own weights as ordered numbers. */
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

/* Bits and bytes of an edge as one number: its source, then its destination, then its own weight if
 * it has one, from the most significant bit. */
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
