/*
 * What a pair of vertices is in the tables of pairs, and where: for the CPU and the GPU alike.
 *
 * A pair with 32-bit ids is one word: 61 bits of its hash value and a flag.  With wider ids it is
 * two words of 62 bits, of which the first has the flag too.
 */
#ifndef APPS_STATS_PAIR_PLACE_H
#define APPS_STATS_PAIR_PLACE_H

#include "apps/stats/hash.h"
#include "apps/stats/pair_log.h"

enum { PAIR_WIDE_BITS = 62 };

typedef struct {
    uint64_t slot, word, second;
} pair_place;

/* Three rounds, each its own inverse. */
ALIAS_HD void pair_mix_wide(uint64_t *a, uint64_t *b)
{
    const uint64_t mask = ((uint64_t)1 << PAIR_WIDE_BITS) - 1;

    *b ^= hash_mix(*a) & mask;
    *a ^= hash_mix(*b + 1) & mask;
    *b ^= hash_mix(*a + 2) & mask;
}

/* Puts the smaller end first; returns the direction.  Without branches, of which every other one
 * would be predicted wrongly. */
ALIAS_HD uint64_t pair_order(bool square, uint64_t *u, uint64_t *v)
{
    const uint64_t swap = square & (*u > *v), loop = square & (*u == *v);
    const uint64_t change = (*u ^ *v) & -swap;

    *u ^= change;
    *v ^= change;
    return PAIR_FORWARD + swap * (PAIR_BACKWARD - PAIR_FORWARD) + loop * (PAIR_LOOP - PAIR_FORWARD);
}

/* The hash value and the word of a pair of 32-bit ids. */
ALIAS_HD uint64_t pair_narrow(bool square, uint64_t u, uint64_t v, uint64_t *word)
{
    const uint64_t flag = pair_order(square, &u, &v), hash = hash_mix(u << 32 | v);

    *word = hash << PAIR_FLAG_BITS | flag;
    return hash;
}

/* Is it this pass's? */
ALIAS_HD bool pair_find_place(const hash_range *r, bool square, uint64_t u, uint64_t v,
                              const bool wide, pair_place *p)
{
    uint64_t flag;

    if (!wide) {
        return hash_place(r, pair_narrow(square, u, v, &p->word), &p->slot);
    }
    flag = pair_order(square, &u, &v);
    pair_mix_wide(&u, &v);
    p->second = v;
    p->word = u << PAIR_FLAG_BITS | flag;
    return hash_place(r, u << (64 - PAIR_WIDE_BITS), &p->slot);
}

#endif
