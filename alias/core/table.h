/* Private to alias/: the table, and what a backend has to offer. */
#ifndef ALIAS_CORE_TABLE_H
#define ALIAS_CORE_TABLE_H

#include "alias/alias.h"
#include "alias/core/draw.h"

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
    int (*sections32)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                      uint32_t *out);
    int (*sections64)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                      uint64_t *out);
} alias_ops;

struct alias_table {
    const alias_ops *ops;
    uint64_t n;
    int k;
    int row_bytes;
    int threads;
    alias_builder builder;
    alias_config config; /* as asked for */
    void *gpu;           /* the GPU backend's own */
    void *rows;          /* alias_row8 or alias_row16, in the backend's memory */
};

/* Row i as stored (alias_row8 or alias_row16) in the form of alias.h. */
static inline alias_row alias_logical_row(const void *stored, int row_bytes, int k, uint64_t i)
{
    const alias_row8 *narrow = (const alias_row8 *)stored;
    const alias_row16 *wide = (const alias_row16 *)stored;
    alias_row row;

    row.threshold = row_bytes == 8 ? narrow->threshold : wide->threshold;
    row.alias = row_bytes == 8 ? narrow->alias : wide->alias;
    if (row.threshold == 0 && row.alias == i) {
        row.threshold = (uint64_t)1 << k;
    }
    return row;
}

const alias_ops *alias_cpu_ops(void);

/* A table without rows, after a check of config (NULL: defaults) and n. */
int alias_table_new(alias_table **out, const alias_config *config, uint64_t n,
                    const alias_ops *ops);

/* A CPU table of the same shape and builder, its rows allocated and unset. */
int alias_cpu_empty(alias_table **out, const alias_table *like);

/* NULL if this build or this machine has no GPU. */
const alias_ops *alias_gpu_ops(void);

/* Why that is so, in words; valid until the thread's next call. */
const char *alias_gpu_missing(void);

#endif
