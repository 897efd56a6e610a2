/*
 * space_efficient_draw.h - the bit array with rank and one attempt at a draw, compiled for host and
 * device alike.
 *
 * Attempt a of draw t of a seed takes 64 bits x of the Philox block for counter
 * (t, a / 2, PHILOX_SPACE_EFFICIENT): words 0 and 1 for even a, 2 and 3 for odd a, the low word
 * first.  The 128-bit product x * slots gives the slot in its high 64 bits, and in the next 32 what
 * is compared with the fraction if it is an item's first slot.  The lowest accepted attempt is the
 * draw.
 */
#ifndef ALIAS_RESEARCH_SPACE_EFFICIENT_DRAW_H
#define ALIAS_RESEARCH_SPACE_EFFICIENT_DRAW_H

#include "alias/core/draw.h"
#include "alias/core/hd.h"
#include "alias/core/philox.h"

#include <stdint.h>

enum { ALIAS_RANK_SLOTS = 96 };

/* 96 slots and the number of bits set before them: 16 bytes, read at once. */
typedef struct {
#ifdef __cplusplus
    alignas(16)
#else
    _Alignas(16)
#endif
        uint32_t before;
    uint32_t bits[3];
} alias_rank_block;

typedef struct {
    const alias_rank_block *blocks;
    const uint32_t *fractions; /* of the items */
    uint64_t slots;
} alias_slots;

typedef struct {
    uint32_t item;
    uint32_t offset; /* uniform within the slot */
    uint32_t first;  /* the slot is the item's first */
} alias_slot;

ALIAS_HD uint32_t alias_popcount(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll(x);
#else
    return (uint32_t)__builtin_popcountll(x);
#endif
}

/* The item that slot i of the block belongs to. */
ALIAS_HD uint32_t alias_rank(const alias_rank_block *block, uint32_t i)
{
    uint64_t low = block->bits[0] | (uint64_t)block->bits[1] << 32, high = block->bits[2];

    /* Bits 0 to i. */
    low = i < 64 ? low << (63 - i) : low;
    high = i < 64 ? 0 : high << (127 - i);
    return block->before + alias_popcount(low) + alias_popcount(high) - 1;
}

/* The 64 random bits of an attempt, from its Philox block. */
ALIAS_HD uint64_t alias_slot_bits(const philox_block *b, uint32_t attempt)
{
    return (attempt & 1) ? b->v[2] | (uint64_t)b->v[3] << 32 : b->v[0] | (uint64_t)b->v[1] << 32;
}

ALIAS_HD alias_slot alias_slot_at(const alias_slots *table, uint64_t x)
{
    uint64_t slot = alias_mul_high(x, table->slots);
    uint32_t i = (uint32_t)(slot % ALIAS_RANK_SLOTS);
    alias_rank_block block = table->blocks[slot / ALIAS_RANK_SLOTS];
    alias_slot s;

    s.item = alias_rank(&block, i);
    s.offset = (uint32_t)((x * table->slots) >> 32);
    s.first = block.bits[i / 32] >> (i % 32) & 1;
    return s;
}

ALIAS_HD int alias_slot_accepted(const alias_slots *table, const alias_slot *s)
{
    return !s->first || s->offset < table->fractions[s->item];
}

#endif
