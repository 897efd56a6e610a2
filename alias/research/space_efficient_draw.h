/*
 * alias/research/space_efficient_draw.h - the slots of a space-efficient table and one attempt at a
 * draw, compiled for host and device alike.
 *
 * Attempt a of draw t of a seed uses 64 bits x of the Philox block with the counter
 * (t, a / 2, PHILOX_SPACE_EFFICIENT): words 0 and 1 for even a, words 2 and 3 for odd a, the low
 * word first.  The high 64 bits of the 128-bit product x * slots are the slot; if that is an item's
 * first slot, the next 32 bits are compared with the item's fraction.  The draw is the item of the
 * lowest accepted attempt.
 */
#ifndef ALIAS_RESEARCH_SPACE_EFFICIENT_DRAW_H
#define ALIAS_RESEARCH_SPACE_EFFICIENT_DRAW_H

#include "alias/core/draw.h"
#include "alias/core/hd.h"
#include "alias/core/philox.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALIAS_RANK_SLOTS = 96 };

/* The bits of 96 slots, and the number of bits set before them: 16 bytes, read as a whole. */
typedef struct {
#ifdef __cplusplus
    alignas(16)
#else
    _Alignas(16)
#endif
        uint32_t before;
    uint32_t bits[3];
} alias_rank_entry;

/* A table, as its draws see it. */
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

#endif
