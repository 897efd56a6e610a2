/* block.h - private to rmat/: a sorted interval behind its handle, and the interface of its
 * backends. */
#ifndef RMAT_SORTED_BLOCK_H
#define RMAT_SORTED_BLOCK_H

#include "rmat/model/generator.h"
#include "rmat/rmat_block.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A backend, whose functions do what those of the same name in rmat_block.h do.  They are called
 * with checked arguments, and those that read only once the interval is sorted.  The functions
 * for device memory are NULL in the CPU backend.  The backend's own state is b->state. */
typedef struct {
    uint64_t (*bytes)(const rmat_gen *gen, uint64_t edges);
    int (*create)(rmat_block *b, uint64_t capacity);
    void (*destroy)(rmat_block *b);
    int (*begin)(rmat_block *b);
    int (*add)(rmat_block *b, uint64_t first, uint64_t count);
    int (*middle)(rmat_block *b, rmat_cell *middle);
    int (*sort)(rmat_block *b); /* sets b->edges as well */
    int (*lower)(const rmat_block *b, uint64_t *edges);
    int (*before)(const rmat_block *b, uint64_t n, const rmat_cell *cells, uint64_t *counts);
    int (*pointers)(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t add,
                    uint64_t *pointers);
    int (*read)(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to);
    int (*pointers_device)(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t add,
                           uint64_t *pointers, void *stream);
    int (*read_device)(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to,
                       void *stream);
    int (*unseen)(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most,
                  rmat_new **list, uint64_t *n);
    int (*insert)(rmat_block *b, uint64_t n, const rmat_new *list);
    int (*count_cells)(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                       const rmat_cell *cells, uint64_t *counts);
} rmat_block_ops;

struct rmat_block {
    const rmat_gen *gen;
    const rmat_block_ops *ops;
    void *state; /* the backend's */
    uint64_t capacity;
    rmat_cell first, end; /* the interval: from first on, before end */
    bool unique, sorted;
    uint64_t edges; /* how many, once it is sorted */
};

const rmat_block_ops *rmat_cpu_block_ops(void);
const rmat_block_ops *rmat_gpu_block_ops(void);

/* Whether a is before b in the order. */
static inline bool rmat_cell_below(const rmat_cell *a, const rmat_cell *b)
{
    return a->src < b->src || (a->src == b->src && a->dst < b->dst);
}

/* Whether the interval is a single cell: its edges, all the same, are counted and not stored. */
static inline bool rmat_is_single(const rmat_block *b, uint64_t cols)
{
    return b->end.src == b->first.src
               ? b->end.dst == b->first.dst + 1
               : b->end.src == b->first.src + 1 && b->end.dst == 0 && b->first.dst + 1 == cols;
}

/* Bytes of an edge as one number, its source above its destination. */
static inline int rmat_key_bytes(const rmat_gen *gen)
{
    return gen->config.rows_scale + gen->config.cols_scale <= 64 ? 8 : 16;
}

#ifdef __cplusplus
}
#endif

#endif
