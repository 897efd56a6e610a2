/* Private to alias/: the table, and what a backend has to offer. */
#ifndef ALIAS_ALIAS_IMPL_H
#define ALIAS_ALIAS_IMPL_H

#include "alias/alias.h"

/* What a table is built from: weights, or masses where weights is NULL. */
typedef struct {
    const double *weights;
    const uint64_t *masses;
    uint64_t *bad; /* may be NULL */
} alias_input;

typedef struct {
    /* Fills table->rows; n, k, row_bytes and threads are set.  Resolves table->builder if AUTO. */
    int (*build)(alias_table *table, uint64_t splits, const alias_input *input);
    int (*get_row)(const alias_table *table, uint64_t i, alias_row *row);
    int (*sample32)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                    uint32_t *out);
    int (*sample64)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                    uint64_t *out);
    void (*destroy)(alias_table *table); /* frees the rows, also after a failed build */
} alias_ops;

struct alias_table {
    const alias_ops *ops;
    uint64_t n;
    int k;
    int row_bytes;
    int threads;
    alias_builder builder;
    void *rows; /* alias_row8 or alias_row16, in the backend's memory */
};

const alias_ops *alias_cpu_ops(void);

/* NULL if this build or this machine has no GPU. */
const alias_ops *alias_gpu_ops(void);

#endif
