/*
 * Places in hash tables that are filled in several passes, each with its share of the hash values.
 *
 * A hash value times the number of passes is the pass and, below it, a fraction that is as evenly
 * spread as the value was; the fraction times the number of slots is the slot.
 */
#ifndef APPS_STATS_HASH_H
#define APPS_STATS_HASH_H

#include "alias/core/hd.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    HASH_AHEAD = 24, /* entries that are fetched into the cache before they are needed */
    HASH_PROBES =
        1 << 12,         /* slots that are looked at, at most; so many there are beyond the last */
    HASH_LEAST = 1 << 16 /* slots */
};

typedef struct {
    uint64_t slots; /* at least HASH_LEAST */
    uint64_t pass, passes;
} hash_range;

/* A bijection, David Stafford's 13th variant of the finalizer of MurmurHash3. */
ALIAS_HD uint64_t hash_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Is it this pass's?  *slot: where to look first. */
ALIAS_HD bool hash_place(const hash_range *r, uint64_t hash, uint64_t *slot)
{
    const unsigned __int128 product = (unsigned __int128)hash * r->passes;

    *slot = (uint64_t)((unsigned __int128)(uint64_t)product * r->slots >> 64);
    return (uint64_t)(product >> 64) == r->pass;
}

#endif
