/*
 * space_efficient.h - weighted sampling in little memory, by rejection instead of aliases.  The
 * case `space` compares it with alias tables.
 *
 * Item i has the integer mass q_i out of n * 2^32 (alias_quantize() with k = 32: the masses of an
 * alias table of 8-byte rows) and owns floor(q_i / 2^32) + 1 consecutive slots.  An attempt chooses
 * a slot uniformly.  An item's first slot accepts with the probability (q_i mod 2^32) / 2^32, its
 * other slots always.  After a rejection another slot is chosen.  There are at most 2 n slots, so
 * an attempt is accepted with a probability of at least 1/2 (exactly n / slots).  The table stores
 * only one bit per slot, which is set at the first slot of an item; the item of a slot is the rank
 * of its bit.
 *
 * A table takes 4.17 to 4.34 bytes per item (32 bits of fraction and 1 to 2 slots of 4/3 bits each,
 * counts for the rank included); an alias table takes 8.  A draw takes one to two attempts on
 * average, with up to two random accesses each; an alias table takes one access.
 *
 * Draw t of a seed is a pure function of (weights, seed, t), the same on a CPU and on a GPU.
 * Attempt a at it uses 64 bits x of the Philox block with the counter (t, a / 2,
 * PHILOX_SPACE_EFFICIENT).  They are words 0 and 1 for even a, words 2 and 3 for odd a, the low
 * word first.  The high 64 bits of the 128-bit product x * slots are the slot.  If that is an
 * item's first slot, the next 32 bits are compared with the item's fraction.  The draw is the item
 * of the lowest accepted attempt.
 *
 * Source: K. Bringmann, K. G. Larsen, "Succinct sampling from discrete distributions", STOC 2013;
 * H.-P. Lehmann's thesis (2020), sections 2.8 and 5.3.2.
 *
 * Functions return 0 or an alias_status.
 */
#ifndef APPS_BENCH_ALIAS_SPACE_EFFICIENT_H
#define APPS_BENCH_ALIAS_SPACE_EFFICIENT_H

#include "alias/alias.h"
#include "alias/core/draw.h"
#include "alias/core/hd.h"
#include "alias/core/philox.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- A table as draws see it, on host and device alike --- */

enum { ALIAS_RANK_SLOTS = 96 };

/* The bits of 96 slots, and the number of bits set before them: 16 bytes, read together. */
typedef struct {
#ifdef __cplusplus
    alignas(16)
#else
    _Alignas(16)
#endif
        uint32_t before;
    uint32_t bits[3];
} alias_rank_entry;

typedef struct {
    const alias_rank_entry *ranks;
    const uint32_t *fractions; /* q_i mod 2^32 of each item */
    uint64_t slots;
} alias_slots;

/* The slot that an attempt has chosen. */
typedef struct {
    uint32_t item;
    uint32_t offset; /* uniform below 2^32 */
    uint32_t first;  /* 1 if it is the item's first slot, else 0 */
} alias_slot;

ALIAS_HD uint32_t alias_popcount(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll(x);
#else
    return (uint32_t)__builtin_popcountll(x);
#endif
}

/* The item of slot i of the entry: the number of bits set up to it, minus 1. */
ALIAS_HD uint32_t alias_rank(const alias_rank_entry *entry, uint32_t i)
{
    uint64_t low = entry->bits[0] | (uint64_t)entry->bits[1] << 32, high = entry->bits[2];

    /* Keep bits 0 to i. */
    low = i < 64 ? low << (63 - i) : low;
    high = i < 64 ? 0 : high << (127 - i);
    return entry->before + alias_popcount(low) + alias_popcount(high) - 1;
}

/* The 64 random bits of an attempt, from its Philox block. */
ALIAS_HD uint64_t alias_slot_bits(const philox_block *b, uint32_t attempt)
{
    return (attempt & 1) ? b->v[2] | (uint64_t)b->v[3] << 32 : b->v[0] | (uint64_t)b->v[1] << 32;
}

/* The slot that 64 random bits choose. */
ALIAS_HD alias_slot alias_slot_at(const alias_slots *table, uint64_t x)
{
    uint64_t slot = alias_mul_high(x, table->slots);
    uint32_t i = (uint32_t)(slot % ALIAS_RANK_SLOTS);
    alias_rank_entry entry = table->ranks[slot / ALIAS_RANK_SLOTS];
    alias_slot s;

    s.item = alias_rank(&entry, i);
    s.offset = (uint32_t)((x * table->slots) >> 32);
    s.first = entry.bits[i / 32] >> (i % 32) & 1;
    return s;
}

/* Whether the slot accepts the attempt. */
ALIAS_HD bool alias_slot_accepted(const alias_slots *table, const alias_slot *s)
{
    return !s->first || s->offset < table->fractions[s->item];
}

/* --- The table --- */

typedef struct alias_space_efficient alias_space_efficient;

/* A table of n items in host memory or in the memory of a GPU. */
struct alias_space_efficient {
    uint64_t n, slots;       /* n <= slots <= 2 n */
    int threads;             /* of draws in host memory */
    int device;              /* number of the GPU; in host memory -1 */
    alias_rank_entry *ranks; /* alias_rank_entries(slots) of them */
    uint32_t *fractions;
    void (*release)(alias_space_efficient *table); /* frees both arrays */
};

/* The number of rank entries for this many slots. */
static inline uint64_t alias_rank_entries(uint64_t slots)
{
    return slots / ALIAS_RANK_SLOTS + 1;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a table without arrays.  ALIAS_ERR_* if weights is NULL or n is not within 1 to 2^31. */
int alias_space_efficient_new(alias_space_efficient **out, const double *weights, uint64_t n);

/* Builds a table in host memory from n <= 2^31 weights.  `threads` threads (0: all that the process
 * may use) build it and make the draws.  Errors and *bad (bad may be NULL) as for
 * alias_create(). */
int alias_space_efficient_create(alias_space_efficient **out, int threads, const double *weights,
                                 uint64_t n, uint64_t *bad);

/* Frees a table.  NULL is allowed. */
void alias_space_efficient_destroy(alias_space_efficient *table);

/* The memory that the table takes. */
size_t alias_space_efficient_bytes(const alias_space_efficient *table);

/* Writes draws [first, first + count) of the sequence that belongs to (table, seed) to
 * out[0..count), all in host memory. */
int alias_space_efficient_sample32(const alias_space_efficient *table, uint64_t seed,
                                   uint64_t first, uint64_t count, uint32_t *out);

/* --- The same on a GPU, in a build with CUDA --- */

/* Builds a table in the memory of a GPU (-1: the current one) from weights there, and waits until
 * it is built.  Temporary memory: less than 0.1 bytes per item. */
int alias_space_efficient_create_device(alias_space_efficient **out, int device,
                                        const double *weights, uint64_t n, void *stream,
                                        uint64_t *bad);

/* How draws are made: a group of 1, 2, 4, ... 32 threads per draw (any of these numbers), or
 * strips, or the best way for the table.  In a strip, each lane makes several draws without waiting
 * for other lanes. */
enum { ALIAS_SPACE_STRIPS = 0, ALIAS_SPACE_AUTO = -1 };

/* Starts draws on a stream, into device memory, from a table on that GPU. */
int alias_space_efficient_sample32_device(const alias_space_efficient *table, int group,
                                          uint64_t seed, uint64_t first, uint64_t count,
                                          uint32_t *out, void *stream);

#ifdef __cplusplus
}
#endif

#endif
