/*
 * alias.h - alias tables (Walker 1977): draw item i of n with probability w_i / sum(w) in O(1).
 *
 * A table has n rows, one bucket per item, each of the integer capacity C = 2^k.  The weights are
 * scaled once to integer masses q_i that add up to exactly n*C (alias_quantize() says how), and the
 * builders only move these integers about.  Hence every table is exact for its q_i: the mass that
 * the rows give to item i is q_i with zero error.  |q_i/(n*C) - w_i/sum(w)| is at most 2 / (n*C)
 * plus the rounding of the sum of the weights: about 2^-50, in the worst case 2^-51 * (400 +
 * n/2^20).  An item of weight zero is never drawn.
 *
 * Sources: A. J. Walker 1977; M. D. Vose 1991; L. Huebschle-Schneider, P. Sanders, "Parallel
 * Weighted Random Sampling", TOMS 2022 (sweep, PSA, PSA+); H.-P. Lehmann, L. Huebschle-Schneider,
 * P. Sanders, "Weighted Random Sampling on GPUs", 2021.
 *
 * Functions return 0 or a negative alias_status; they never print and never exit.  A const
 * alias_table may be used by any number of threads at once.
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
    ALIAS_ERR_ARG = -1,        /* NULL pointer or a value outside its enum or range */
    ALIAS_ERR_EMPTY = -2,      /* n = 0 */
    ALIAS_ERR_NAN = -3,        /* a weight is not a number */
    ALIAS_ERR_INFINITE = -4,   /* a weight is infinite */
    ALIAS_ERR_NEGATIVE = -5,   /* a weight is below zero (-0.0 counts as zero) */
    ALIAS_ERR_ZERO_SUM = -6,   /* all weights are zero */
    ALIAS_ERR_TOO_MANY = -7,   /* n above what the row width can index: 2^31 or 2^40 */
    ALIAS_ERR_NOMEM = -8,      /* host or device memory is exhausted */
    ALIAS_ERR_NO_BACKEND = -9, /* no GPU can be used; alias_strerror() says why */
    ALIAS_ERR_RANGE = -10,     /* row or draw index beyond the end */
    ALIAS_ERR_SUM = -11,       /* masses do not add up to n * 2^k */
    ALIAS_ERR_DEVICE = -12,    /* there is no such GPU */
    ALIAS_ERR_CUDA = -13       /* a kernel or the driver failed: alias_gpu.h says what */
};

typedef enum { ALIAS_BACKEND_AUTO, ALIAS_BACKEND_CPU, ALIAS_BACKEND_GPU } alias_backend;

typedef enum {
    ALIAS_BUILDER_AUTO,     /* the fastest for the backend */
    ALIAS_BUILDER_VOSE,     /* sequential, two stacks; a table of its own */
    ALIAS_BUILDER_SWEEP,    /* sequential sweep over lights and heavies in index order */
    ALIAS_BUILDER_PSA,      /* parallel split, then pack; table equal to the sweep's */
    ALIAS_BUILDER_PSA_PLUS, /* greedy packing while partitioning, PSA for the rest */
    ALIAS_BUILDER_MERGE     /* merge of the two prefix-sum arrays; table equal to the sweep's */
} alias_builder;

/* How the GPU's PSA finds the states to pack from, and how it packs.  The rows are the same. */
typedef enum { ALIAS_SPLIT_AUTO, ALIAS_SPLIT_BINARY, ALIAS_SPLIT_PARY } alias_split_method;
typedef enum {
    ALIAS_PACK_AUTO,
    ALIAS_PACK_BASELINE, /* items and prefix sums read from device memory */
    ALIAS_PACK_SHARED,   /* copied to shared memory first; needs many splits */
    ALIAS_PACK_CHUNKED   /* copied chunk by chunk as they are used up */
} alias_pack_method;

/* How the GPU stores rows: {threshold, alias} pairs, or thresholds and aliases apart. */
typedef enum { ALIAS_ROWS_AOS, ALIAS_ROWS_SOA } alias_layout;

/* Ways to draw.  The baseline reads rows from the whole table; the others give each section of the
 * table its draws (alias_sample_sections32() below), and differ in where a GPU reads the rows. */
typedef enum {
    ALIAS_SAMPLER_AUTO, /* the fastest for the table and the number of draws */
    ALIAS_SAMPLER_BASELINE,
    ALIAS_SAMPLER_CACHED,  /* sections, rows through the cache */
    ALIAS_SAMPLER_LIMITED, /* the same, one block of threads on a multiprocessor at a time */
    ALIAS_SAMPLER_SHARED   /* sections, copied to shared memory */
} alias_sampler;

typedef struct {
    alias_backend backend;
    alias_builder builder;
    int row_bytes; /* 8: k = 32, n <= 2^31.  16: k = 62 - ceil(log2 n), n <= 2^40.  0: 8 if it fits
                    */
    int threads;   /* CPU: OpenMP threads; 0: all that the process may use */
    uint64_t splits; /* PSA: number of parts to split into; 0: automatic */
    /* GPU only; a CPU table takes no notice. */
    int device; /* which GPU; -1: the calling thread's current one */
    alias_split_method split;
    alias_pack_method pack;
    alias_layout layout;
    /* Both: rows of a section, about; 0: 64 KiB of rows.  Rounded to fours, and to at most 2^28
     * sections of at most 2^30 rows.  The numbers of the sectioned samplers depend on it.
     * ALIAS_SAMPLER_SHARED needs sections that fit a GPU's shared memory. */
    uint64_t section_rows;
} alias_config;

/* One logical row.  A draw that lands in bucket i at offset f in [0, 2^k) gives i if f < threshold,
 * else alias.  threshold = 2^k (the bucket is item i's alone) only with alias = i. */
typedef struct {
    uint64_t threshold;
    uint64_t alias;
} alias_row;

typedef struct alias_table alias_table;

/* CPU or GPU as available, automatic builder, automatic rows, all threads. */
void alias_config_default(alias_config *config);

/*
 * Build a table of n rows from n weights (host memory, borrowed for the call only).  On success
 * *out owns the table: free it with alias_destroy().  On error *out is NULL, and for NAN, INFINITE
 * and NEGATIVE *bad (may be NULL) is the lowest index of an unusable weight.  config NULL:
 * defaults. The rows depend on the weights, the row width and the builder alone, never on threads
 * or splits. Temporary memory: at most 32 bytes per item beside the rows.
 */
int alias_create(alias_table **out, const alias_config *config, const double *weights, uint64_t n,
                 uint64_t *bad);

/*
 * The same from integer masses q[0..n) that the caller has scaled to a sum of n * 2^k, with the k
 * of the row width (alias_config): nothing is rounded.  ALIAS_ERR_SUM if they have another sum.
 */
int alias_create_masses(alias_table **out, const alias_config *config, const uint64_t *masses,
                        uint64_t n);

/* NULL is allowed. */
void alias_destroy(alias_table *table);

uint64_t alias_size(const alias_table *table);     /* n */
int alias_log2_capacity(const alias_table *table); /* k */
int alias_row_bytes(const alias_table *table);     /* 8 or 16 */
alias_builder alias_used_builder(const alias_table *table);

/* Read row i < n. */
int alias_get_row(const alias_table *table, uint64_t i, alias_row *row);

/*
 * Draws [first, first + count) of the sequence that belongs to (table, seed), into out[0..count).
 * Draw t is a pure function of (table, seed, t): see alias/core/draw.h.  t < 2^64.  The 32-bit
 * variant fails with ALIAS_ERR_ARG for tables of more than 2^32 rows.  Uses the table's threads.
 */
int alias_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                   uint32_t *out);
int alias_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                   uint64_t *out);

/*
 * A sectioned batch: count draws into out[0..count), section by section of the table
 * (alias/core/sections.h has the method and the numbers).  Each section's number of draws is
 * binomial, exactly; together they are count.  The batch is a pure function of (table,
 * section_rows, seed, first, count), the same on CPU and GPU, whatever the row layout.  Draws of
 * batches whose [first, first + count) do not overlap are independent; a part of a batch drawn
 * alone is another batch.
 *
 * The batch as a whole is the right multiset, but in section order: out[i] is not independent of i.
 * Never pair two such sequences element by element (both ends of an edge, say) without a shuffle.
 * Errors as for alias_sample32().
 */
int alias_sample_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint32_t *out);
int alias_sample_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint64_t *out);

/*
 * The integer masses that a table with capacity 2^k is built from: q[0..n) with sum n * 2^k
 * exactly.  The rule is the same on every backend; alias/cpu/quantize.c states it.
 * 0 <= k, n * 2^k <= 2^63.  Errors as for alias_create().
 */
int alias_quantize(const double *weights, uint64_t n, int k, uint64_t *q, uint64_t *bad);

/* An English sentence fragment for a status; never NULL.  Static, but for ALIAS_ERR_NO_BACKEND
 * valid only until the thread's next call. */
const char *alias_strerror(int status);
const char *alias_builder_name(alias_builder builder);
const char *alias_sampler_name(alias_sampler sampler);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
