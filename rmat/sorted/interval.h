/* interval.h - private to rmat/: the struct of a sorted interval, the steps that make and extend
 * it, and the interface of its backends. */
#ifndef RMAT_SORTED_INTERVAL_H
#define RMAT_SORTED_INTERVAL_H

#include "rmat/model/generator.h"
#include "rmat/rmat_interval.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The first occurrence of an edge in the stream. */
typedef struct {
    rmat_cell cell;
    uint64_t index; /* in the stream */
} rmat_first_seen;

/* A backend.  Its functions receive checked arguments; those that read are called only after
 * settle().  For a counted interval, only begin(), trim() and the functions for device memory are
 * called.  b->state is the backend's own state. */
typedef struct rmat_interval_ops {
    int (*bytes)(const rmat_gen *gen, uint64_t edges, uint64_t *bytes);
    int (*create)(rmat_interval *b);
    void (*destroy)(rmat_interval *b);
    int (*begin)(rmat_interval *b);
    /* Gathers edges [first, first + count) of the stream, and sets *keys to the number of keys so
     * far, copies included.  RMAT_ERR_FULL: some did not fit, and are lost. */
    int (*gather)(rmat_interval *b, uint64_t first, uint64_t count, uint64_t *keys);
    /* Sorts the gathered keys, and keeps each edge once if they are unique.  Afterwards the
     * interval can be read, or gather more.  Sets *keys to the number that is left. */
    int (*settle)(rmat_interval *b, uint64_t *keys);
    /* Sets *edges to the number of edges with src >= dst. */
    int (*lower)(const rmat_interval *b, uint64_t *edges);
    int (*pointers)(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                    uint64_t *pointers);
    int (*read)(const rmat_interval *b, uint64_t first, uint64_t count, const rmat_arrays *to);
    /* Sets found[i] to whether the interval has cells[i], for n cells in order. */
    int (*has)(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells, bool *found);
    int (*insert)(rmat_interval *b, uint64_t n, const rmat_first_seen *list);
    int (*count_cells)(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                       const rmat_cell *cells, uint64_t *counts);
    /* NULL in the CPU backend. */
    int (*trim)(rmat_interval *b);
    int (*pointers_device)(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                           uint64_t *pointers, void *stream);
    int (*read_device)(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to, void *stream);
} rmat_interval_ops;

struct rmat_interval {
    const rmat_gen *gen;
    const rmat_interval_ops *ops;
    void *state; /* the backend's */
    uint64_t capacity;
    bool pooled;          /* its GPU memory belongs to the generator, which keeps it for later */
    rmat_cell first, end; /* the interval: from first on, before end */
    bool unique, sorted, trimmed;
    bool counted; /* a single cell: its copies are counted, not stored */

    /* The stream's edges of the interval are among [from, to): all edges, or, if the stream is in
     * order, exactly these. */
    uint64_t from, to;
    bool all_fit;        /* the backend drops copies as it gathers, and has room for all cells */
    uint64_t most;       /* an upper bound of the keys while they are gathered */
    uint64_t made, kept; /* edges gathered from, and keys gained by them */
    uint64_t edges;      /* of the interval, after the sort */
    _Atomic uint64_t intervals_made, edges_made;
};

const rmat_interval_ops *rmat_cpu_interval_ops(void);

/* rmat_interval_create() with a choice for GPU memory: pooled, or allocated for the interval. */
int rmat_interval_create_in(rmat_interval **out, const rmat_gen *gen, uint64_t bytes, bool pooled);

/* The steps of rmat_interval_make(), which checks their arguments: begin a new interval, add the
 * edges of any ranges of the stream that do not overlap (RMAT_ERR_FULL: they do not fit), and
 * sort. */
int rmat_interval_begin(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, int unique);
int rmat_interval_add(rmat_interval *b, uint64_t first, uint64_t count);
int rmat_interval_sort(rmat_interval *b);

/* First occurrences, n of them, at most `most`. */
typedef struct {
    rmat_first_seen *edges;
    uint64_t n, most;
} rmat_first_list;

/* unique.c: appends to the list, by cell, the edges among [first, first + count) of the stream that
 * belong to the sorted interval of unique edges but are not in it, each with its least index.
 * RMAT_ERR_FULL: there are too many.  On failure, too, the caller frees list->edges. */
int rmat_interval_unseen(rmat_interval *b, uint64_t first, uint64_t count, rmat_first_list *list);

/* Inserts n cells of the sorted interval of unique edges at their places.  They are in order, all
 * different, and none is in it yet.  RMAT_ERR_FULL: there is no room for them. */
int rmat_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list);

/* sample.c: a better window than w, from the numbers of distinct edges among w->low and w->high
 * draws, if it does not hold the answer. */
int rmat_window_next(const rmat_sample *s, uint64_t distinct_low, uint64_t distinct_high,
                     rmat_window *w);

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

/* Bits of an edge as one number: its source, then its destination, then its own weight if it has
 * one, from the most significant bit. */
static inline int rmat_key_bits(const rmat_gen *gen)
{
    return gen->config.rows_scale + gen->config.cols_scale + rmat_own_weight_bits(gen);
}

#endif
