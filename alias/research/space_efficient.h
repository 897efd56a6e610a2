/*
 * alias/research/space_efficient.h - weighted sampling in little memory, by rejection instead of
 * aliases.
 *
 * Item i has the integer mass q_i out of n * 2^32 (alias_quantize() with k = 32: the masses of an
 * alias table of 8-byte rows) and owns floor(q_i / 2^32) + 1 consecutive slots.  An attempt chooses
 * a slot uniformly.  An item's first slot accepts with the probability (q_i mod 2^32) / 2^32, its
 * other slots always; after a rejection another slot is chosen.  There are at most 2 n slots, so an
 * attempt is accepted with a probability of at least 1/2 (exactly n / slots).  Only one bit per
 * slot is stored, which is set where an item begins; the item of a slot is the rank of its bit.
 *
 * Prefer it to an alias table where space matters.  It takes 4.17 to 4.34 bytes per item (32 bits
 * of fraction and 1 to 2 slots of 4/3 bits each, counts for the rank included), an alias table 8. A
 * draw takes one to two attempts on average, with up to two random accesses each, where an alias
 * table takes one access.  There are no sectioned samplers.
 *
 * Source: K. Bringmann, K. G. Larsen, "Succinct sampling from discrete distributions", STOC 2013;
 * H.-P. Lehmann's thesis (2020), sections 2.8 and 5.3.2.
 *
 * Status, weights, threads and ownership as in alias/alias.h; device pointers and streams as in
 * alias/alias_gpu.h.
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

/* A table of n items in host memory or in the memory of a GPU. */
typedef struct alias_space_efficient alias_space_efficient;

/*
 * Builds a table from n <= 2^31 weights in host memory.  Only backend, threads and device of the
 * configuration (NULL: the defaults) are used.  Errors and *bad (bad may be NULL) as for
 * alias_create().  Temporary memory on a GPU: 8 bytes per item.
 */
int alias_space_efficient_create(alias_space_efficient **out, const alias_config *config,
                                 const double *weights, uint64_t n, uint64_t *bad);

/* The same from n weights in device memory, for a table on that GPU.  Waits until it is built.
 * Temporary memory: less than 0.1 bytes per item. */
int alias_space_efficient_create_device(alias_space_efficient **out, const alias_config *config,
                                        const double *weights, uint64_t n, void *stream,
                                        uint64_t *bad);

/* Frees a table.  NULL is allowed. */
void alias_space_efficient_destroy(alias_space_efficient *table);

/* The number of items n, the number of slots, which is between n and 2 n, and the memory that the
 * table takes. */
uint64_t alias_space_efficient_size(const alias_space_efficient *table);
uint64_t alias_space_efficient_slots(const alias_space_efficient *table);
size_t alias_space_efficient_bytes(const alias_space_efficient *table);

/*
 * Writes draws [first, first + count) of the sequence that belongs to (table, seed) to
 * out[0..count) in host memory.  Draw t is a pure function of (weights, seed, t), the same on a CPU
 * and on a GPU; alias/research/space_efficient_draw.h defines it.
 */
int alias_space_efficient_sample32(const alias_space_efficient *table, uint64_t seed,
                                   uint64_t first, uint64_t count, uint32_t *out);
int alias_space_efficient_sample64(const alias_space_efficient *table, uint64_t seed,
                                   uint64_t first, uint64_t count, uint64_t *out);

/* Starts the same draws on a stream, into device memory, from a table on that GPU.  ALIAS_ERR_ARG
 * for a table in host memory. */
int alias_space_efficient_sample32_device(const alias_space_efficient *table, uint64_t seed,
                                          uint64_t first, uint64_t count, uint32_t *out,
                                          void *stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
