/*
 * space_efficient.h - weighted sampling with little memory: rejection instead of aliases.
 *
 * Item i, of the integer mass q_i of n * 2^32 in all (alias_quantize() with k = 32: the same masses
 * as those of an alias table of 8-byte rows), owns floor(q_i / 2^32) + 1 consecutive slots.  A slot
 * is chosen uniformly.  An item's first slot accepts with the probability (q_i mod 2^32) / 2^32,
 * its other slots always; if it does not, another slot is chosen.  There are at most 2 n slots, so
 * an attempt is accepted with a probability of at least 1/2 (exactly n / slots).  Only a bit for
 * each slot is stored, set where an item begins, and the item is the rank of that bit.
 *
 * When to prefer it to an alias table: when space is what matters.  It takes 4.17 to 4.34 bytes per
 * item (32 bits of fraction, 1 to 2 slots of 4/3 bits each, with the counts for the rank), an alias
 * table 8.  A draw costs one to two attempts on average of up to two random accesses each, where an
 * alias table has one access.  Sections do not apply.
 *
 * Source: K. Bringmann, K. G. Larsen, "Succinct sampling from discrete distributions", STOC 2013;
 * H.-P. Lehmann's thesis (2020), sections 2.8 and 5.3.2.
 *
 * Conventions as in alias.h (status, weights, threads) and alias_gpu.h (device pointers, streams).
 */
#ifndef ALIAS_RESEARCH_SPACE_EFFICIENT_H
#define ALIAS_RESEARCH_SPACE_EFFICIENT_H

#include "alias/alias.h"
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct alias_space_efficient alias_space_efficient;

/*
 * From n <= 2^31 weights in host memory.  Of the configuration (NULL: defaults) backend, threads
 * and device count.  Errors and *bad (may be NULL) as for alias_create().  Temporary memory on a
 * GPU: 8 bytes per item for weights from the host, else less than 0.1.
 */
int alias_space_efficient_create(alias_space_efficient **out, const alias_config *config,
                                 const double *weights, uint64_t n, uint64_t *bad);

/* From n weights in device memory, for a table on that GPU; waits until it is built. */
int alias_space_efficient_create_device(alias_space_efficient **out, const alias_config *config,
                                        const double *weights, uint64_t n, void *stream,
                                        uint64_t *bad);

/* NULL is allowed. */
void alias_space_efficient_destroy(alias_space_efficient *table);

uint64_t alias_space_efficient_size(const alias_space_efficient *table);  /* n */
uint64_t alias_space_efficient_slots(const alias_space_efficient *table); /* n to 2 n */
size_t alias_space_efficient_bytes(const alias_space_efficient *table);   /* memory of the table */

/*
 * Draws [first, first + count) of the sequence that belongs to (table, seed), into host memory.
 * Draw t is a pure function of (weights, seed, t), the same on CPU and GPU: see
 * space_efficient_draw.h.
 */
int alias_space_efficient_sample32(const alias_space_efficient *table, uint64_t seed,
                                   uint64_t first, uint64_t count, uint32_t *out);
int alias_space_efficient_sample64(const alias_space_efficient *table, uint64_t seed,
                                   uint64_t first, uint64_t count, uint64_t *out);

/* The same into device memory, from a table on that GPU; returns when the work is in the stream.
 * ALIAS_ERR_ARG for a table in host memory. */
int alias_space_efficient_sample32_device(const alias_space_efficient *table, uint64_t seed,
                                          uint64_t first, uint64_t count, uint32_t *out,
                                          void *stream);
int alias_space_efficient_sample64_device(const alias_space_efficient *table, uint64_t seed,
                                          uint64_t first, uint64_t count, uint64_t *out,
                                          void *stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
