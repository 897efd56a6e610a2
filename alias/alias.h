/*
 * alias.h - alias tables (Walker 1977): draw item i of n with the probability w_i / sum(w) in
 * constant time.
 *
 * A table has n rows, one bucket per item, each with the integer capacity C = 2^k. alias_quantize()
 * scales the weights once to integer masses q_i whose sum is exactly n * C. Builders only move
 * these integers, so the rows give item i exactly the mass q_i. |q_i / (n*C) - w_i / sum(w)| is at
 * most 2 / (n*C) plus the rounding error of the sum of the weights.  That error is about 2^-50, and
 * at most 2^-51 * (400 + n/2^20).  An item of weight zero is never drawn.
 *
 * Functions return 0 or a negative alias_status; they never print and never exit.  Any number of
 * threads may use a const alias_table at the same time.  alias/alias_gpu.h adds functions for data
 * in GPU memory.  alias/alias_device.cuh draws inside kernels.
 *
 * Sources: A. J. Walker, "An efficient method for generating discrete random variables with general
 * distributions", 1977; L. Huebschle-Schneider, P. Sanders, "Parallel Weighted Random Sampling",
 * TOMS 2022 (sweep, PSA, PSA+); H.-P. Lehmann, L. Huebschle-Schneider, P. Sanders, "Weighted Random
 * Sampling on GPUs", 2021.
 */
#ifndef ALIAS_ALIAS_H
#define ALIAS_ALIAS_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum alias_status {
    ALIAS_OK = 0,
    ALIAS_ERR_ARG = -1,        /* a NULL pointer, or a value outside its enum or range */
    ALIAS_ERR_EMPTY = -2,      /* n = 0 */
    ALIAS_ERR_NAN = -3,        /* a weight is not a number */
    ALIAS_ERR_INFINITE = -4,   /* a weight is infinite */
    ALIAS_ERR_NEGATIVE = -5,   /* a weight is below zero (-0.0 counts as zero) */
    ALIAS_ERR_ZERO_SUM = -6,   /* all weights are zero */
    ALIAS_ERR_TOO_MANY = -7,   /* n exceeds what the row width can index: 2^31 or 2^40 */
    ALIAS_ERR_NOMEM = -8,      /* host or device memory is exhausted */
    ALIAS_ERR_NO_BACKEND = -9, /* no GPU can be used; alias_strerror() says why */
    ALIAS_ERR_RANGE = -10,     /* a row or draw index beyond the end */
    ALIAS_ERR_SUM = -11,       /* the masses do not add up to n * 2^k */
    ALIAS_ERR_DEVICE = -12,    /* there is no such GPU */
    ALIAS_ERR_CUDA = -13       /* a kernel or the driver failed: see alias_gpu_error() */
};

/* Where tables are built and drawn from.  AUTO is a GPU if there is one, else the CPU. */
typedef enum { ALIAS_BACKEND_AUTO, ALIAS_BACKEND_CPU, ALIAS_BACKEND_GPU } alias_backend;

/* Algorithms that build tables.  Light items have at most the mass C, heavy items more. */
typedef enum {
    ALIAS_BUILDER_AUTO,    /* the fastest in general: PSA_PLUS */
    ALIAS_BUILDER_SWEEP,   /* sequential sweep over light and heavy items in index order */
    ALIAS_BUILDER_PSA,     /* parallel: split the sweep into parts, pack each; the sweep's rows */
    ALIAS_BUILDER_PSA_PLUS /* parallel: greedy packing inside sections, PSA for the rest; on GPUs
                              of compute capability 8.0 and above */
} alias_builder;

/* How PSA on a GPU finds the sweep's state at each border of parts.  The rows do not depend on
 * it. */
typedef enum { ALIAS_SPLIT_AUTO, ALIAS_SPLIT_BINARY, ALIAS_SPLIT_PARY } alias_split_method;

/* How PSA packs the parts on a GPU.  The rows do not depend on it. */
typedef enum {
    ALIAS_PACK_AUTO,
    ALIAS_PACK_BASELINE, /* items and prefix sums read from device memory */
    ALIAS_PACK_SHARED    /* copied to shared memory first; needs many parts */
} alias_pack_method;

/* Ways to draw on a GPU.  The baseline reads rows from anywhere in the table.  The others draw
 * section by section (alias_sample_sections32()) and differ in where they read the rows. */
typedef enum {
    ALIAS_SAMPLER_AUTO,     /* the fastest for the table and the number of draws */
    ALIAS_SAMPLER_BASELINE, /* independent draws in sequence */
    ALIAS_SAMPLER_CACHED,   /* sections, read through the cache */
    ALIAS_SAMPLER_LIMITED,  /* the same, with one thread block per multiprocessor at a time */
    ALIAS_SAMPLER_SHARED    /* sections, copied to shared memory */
} alias_sampler;

typedef struct {
    alias_backend backend;
    alias_builder builder;
    /* 8: k = 32 and n <= 2^31.  16: k = 62 - ceil(log2 n) and n <= 2^40.  0: 8 if n permits. */
    int row_bytes;
    int threads;     /* CPU: number of OpenMP threads; 0: all that the process may use */
    uint64_t splits; /* PSA: number of parts; 0: automatic */
    /* The next three are ignored by CPU tables. */
    int device; /* number of the GPU; -1: the calling thread's current one */
    alias_split_method split;
    alias_pack_method pack;
    /* The approximate number of rows in a section; 0: 64 KiB of rows.  The draws of the sectioned
     * samplers depend on it.  It is rounded to a multiple of 4, and so that there are at most 2^28
     * sections of at most 2^30 rows.  ALIAS_SAMPLER_SHARED needs sections that fit a GPU's shared
     * memory. */
    uint64_t section_rows;
} alias_config;

/* A row.  A draw that lands in bucket i at the offset f in [0, 2^k) is item i if f < threshold,
 * else the item alias.  The threshold is 2^k exactly if alias = i: the whole bucket is item i. */
typedef struct {
    uint64_t threshold;
    uint64_t alias;
} alias_row;

/* An alias table of n rows, in host memory (a CPU table) or in the memory of a GPU (a GPU table).
 */
typedef struct alias_table alias_table;

/* Sets the defaults: every choice automatic, all threads. */
void alias_config_default(alias_config *config);

/*
 * Builds a table of n rows from n weights in host memory; the table keeps no pointer to them.
 * config NULL: the defaults.  On success the caller owns *out and frees it with alias_destroy(). On
 * an error *out is NULL.  If the status is ALIAS_ERR_NAN, _INFINITE or _NEGATIVE, *bad (unless bad
 * is NULL) becomes the lowest index of an unusable weight.  The rows depend only on the weights,
 * the row width and the builder, never on threads, splits or the backend.  Temporary memory: at
 * most 32 bytes per item.
 */
int alias_create(alias_table **out, const alias_config *config, const double *weights, uint64_t n,
                 uint64_t *bad);

/* Builds a table from n integer masses.  The caller has scaled them to the sum n * 2^k, with the k
 * of the row width (alias_config); nothing is rounded.  ALIAS_ERR_SUM: they have another sum. */
int alias_create_masses(alias_table **out, const alias_config *config, const uint64_t *masses,
                        uint64_t n);

/* Frees a table.  NULL is allowed. */
void alias_destroy(alias_table *table);

uint64_t alias_size(const alias_table *table);              /* n */
int alias_log2_capacity(const alias_table *table);          /* k */
int alias_row_bytes(const alias_table *table);              /* 8 or 16 */
alias_builder alias_used_builder(const alias_table *table); /* never ALIAS_BUILDER_AUTO */

/* Reads row i.  ALIAS_ERR_RANGE unless i < n. */
int alias_get_row(const alias_table *table, uint64_t i, alias_row *row);

/* Returns the rows of a CPU table as they are stored: alias_row8 or alias_row16, by
 * alias_row_bytes(). The inline draws of alias/core/draw.h use them: alias_draw8(rows, n, x) is the
 * item that 64 random bits x select.  The rows belong to the table.  NULL for a GPU table; see
 * alias_get_view(). */
const void *alias_row_array(const alias_table *table);

/*
 * Writes draws [first, first + count) of the sequence that belongs to (table, seed) to
 * out[0..count) in host memory.  Draw t < 2^64 is a pure function of (table, seed, t), the same on
 * a CPU and on a GPU; alias/core/draw.h defines it.  A CPU table uses config.threads threads.
 * ALIAS_ERR_RANGE if the last draw is beyond 2^64 - 1; the 32-bit variant returns ALIAS_ERR_ARG for
 * tables of more than 2^32 rows.
 */
int alias_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                   uint32_t *out);
int alias_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                   uint64_t *out);

/*
 * Writes a sectioned batch of count draws to out[0..count) in host memory.  It draws from one
 * section of the table after another, which is faster because a section fits a cache.  The numbers
 * of draws per section are exactly multinomial and add up to count; alias/core/sections.h defines
 * them and the draws.  The batch is a pure function of (table, section_rows, seed, first, count),
 * the same on a CPU and on a GPU.  Batches whose ranges [first, first + count) do not overlap are
 * independent.  A separate call for part of the range gives a different batch.
 *
 * The batch has the right distribution as a multiset, but it is in section order: out[i] depends on
 * i. Never pair two such batches element by element, for instance as the two ends of edges, without
 * shuffling one of them.  Errors as for alias_sample32().
 */
int alias_sample_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint32_t *out);
int alias_sample_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint64_t *out);

/* Writes the integer masses of a table of capacity 2^k to q[0..n).  Their sum is exactly n * 2^k.
 * alias/core/quantize.h states the rule, which every backend follows.  ALIAS_ERR_ARG unless 0 <= k
 * and n * 2^k <= 2^63.  Other errors, and bad, as for alias_create(). */
int alias_quantize(const double *weights, uint64_t n, int k, uint64_t *q, uint64_t *bad);

/* Returns the meaning of a status as an English phrase; never NULL.  The string is static, except
 * that of ALIAS_ERR_NO_BACKEND, which is valid until the thread's next call. */
const char *alias_strerror(int status);

/* The number of values of alias_builder, which are 0 (AUTO) to this number - 1. */
int alias_builder_count(void);

/* The names of builders and samplers, such as "psa+" and "shared".  Static strings; "unknown" for
 * values outside the enum. */
const char *alias_builder_name(alias_builder builder);
const char *alias_sampler_name(alias_sampler sampler);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
