/*
 * alias/core/table.h - the alias table itself and the operations that a backend provides.  Private
 * to alias/ and to its tests.
 *
 * alias.c checks arguments and forwards to the operations that were chosen when the table was
 * created.  alias/cpu/backend.c and alias/gpu/backend.c each provide one set of them.
 */
#ifndef ALIAS_CORE_TABLE_H
#define ALIAS_CORE_TABLE_H

#include "alias/alias_gpu.h"
#include "alias/core/draw.h"

#include <stdbool.h>

/* The input of a build: weights, or integer masses if weights is NULL. */
typedef struct {
    const double *weights;
    const uint64_t *masses;
    uint64_t *bad; /* receives the index of the first unusable weight; may be NULL */
} alias_input;

/* The functions return 0 or an alias_status.  Their arguments have been checked. */
typedef struct {
    /* Fills table->rows by table->builder.  All other fields of the table but rows and gpu are set.
     * After a failure the caller calls destroy. */
    int (*build)(alias_table *table, const alias_input *input);
    int (*get_row)(const alias_table *table, uint64_t i, alias_row *row);
    void (*destroy)(alias_table *table); /* frees rows and gpu; not the table itself */
    /* Draws: uint64_t items if wide, else uint32_t. */
    int (*sample)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                  void *out, bool wide);
    int (*sections)(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                    void *out, bool wide);
} alias_ops;

struct alias_table {
    const alias_ops *ops;
    uint64_t n;            /* rows */
    int k;                 /* log2 of the capacity of a bucket */
    int row_bytes;         /* 8 or 16 */
    alias_builder builder; /* never ALIAS_BUILDER_AUTO */
    alias_config config;   /* as passed to alias_create() */
    void *gpu;             /* the GPU backend's state (alias_gpu_state); NULL for a CPU table */
    void *rows;            /* alias_row8 or alias_row16, in the backend's memory */
};

/* Row i, stored as alias_row8 or alias_row16, in the form of alias.h. */
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

extern const alias_ops alias_cpu_ops;

/* The GPU backend: all of its functions that other folders call.  Their arguments have been
 * checked.  A new function is a member here and one line in alias/gpu/backend.c. */
typedef struct {
    alias_ops ops;
    int (*count)(void);           /* alias_gpu_count() */
    const char *(*error)(void);   /* alias_gpu_error() */
    const char *(*missing)(void); /* why count() is 0, as text; valid until the next call */
    bool (*has_kernels)(alias_builder builder);
    int (*allocate)(alias_table *table); /* state and rows; on failure the caller destroys them */
    int (*build_now)(alias_table *table, const double *weights, void *stream, uint64_t *bad);
    size_t (*build_bytes)(const alias_table *table);
    int (*build_async)(alias_table *table, const double *weights, void *scratch, void *stream);
    int (*build_wait)(alias_table *table, uint64_t *bad);
    alias_view (*view)(const alias_table *table);
    int (*sample_device)(const alias_table *table, alias_sampler sampler, uint64_t seed,
                         uint64_t first, uint64_t count, void *out, bool wide, void *stream);
    alias_sampler (*best_sampler)(const alias_table *table, uint64_t count);
} alias_gpu_backend;

/* NULL in a build without CUDA. */
static inline const alias_gpu_backend *alias_gpu(void)
{
#ifdef RMAT_HAVE_CUDA
    extern const alias_gpu_backend alias_gpu_cuda;

    return &alias_gpu_cuda;
#else
    return NULL;
#endif
}

#endif
