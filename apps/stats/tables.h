/*
 * The tables that are filled while the edges go by, for the CPU and the GPU alike: of degrees
 * (counters.h) and of pairs (pairs.h); their memory, and the places of vertices and pairs in them.
 */
#ifndef APPS_STATS_TABLES_H
#define APPS_STATS_TABLES_H

#include "alias/core/hd.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Memory for large tables that are read and written at random. */

/* All zero, on huge pages where the system has them, and only what is touched counts.  NULL if
 * memory is exhausted; table_free() with the same size. */
static inline void *table_alloc(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        return NULL;
    }
    madvise(memory, bytes, MADV_HUGEPAGE); /* only speed depends on it */
    return memory;
}

static inline void table_free(void *memory, size_t bytes) /* NULL is allowed */
{
    if (memory != NULL) {
        munmap(memory, bytes);
    }
}

/*
 * Places in hash tables that are filled in several passes, each with its share of the hash values.
 *
 * A hash value times the number of passes is the pass and, below it, a fraction that is as evenly
 * spread as the value was; the fraction times the number of slots is the slot.
 */

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

typedef struct {
    uint64_t out, in;
    uint64_t key; /* of the vertex, and 1; 0: none */
} counted_vertex;

typedef struct {
    uint64_t rows, cols;
    bool square, sparse;
    uint64_t passes; /* over the edges, for all vertices */
    size_t bytes;    /* of a pass */

    /* Dense. */
    int width;                     /* of a counter, bytes */
    uint64_t places, first, count; /* counters of all passes; and this pass's */
    uint64_t copies;               /* one for each thread, or one for all */
    bool shared;                   /* by several threads */
    void *counters;

    /* Sparse. */
    hash_range range;
    counted_vertex *table;
} degree_counters;

/* Where a counter is among all: those of a vertex side by side, as both are likely to be large; or
 * those of rows, then of columns. */
typedef struct {
    int shift;
    uint64_t offset;
} counter_placement;

ALIAS_HD counter_placement counters_place(const degree_counters *c, bool source)
{
    counter_placement p = {c->square ? 1 : 0, 0};

    if (!source) {
        p.offset = c->square ? 1 : c->rows;
    }
    return p;
}

/* A word is a hash value, shifted, and one flag; the other bits of the hash value are its upper
 * ones, of which the part gives more than the word lacks. */
enum { PAIR_FORWARD = 1, PAIR_BACKWARD = 2, PAIR_LOOP = 4, PAIR_FLAG_BITS = 3 };

/* The entries that one thread added. */
typedef struct {
    __attribute__((aligned(64))) uint64_t distinct; /* edges */
    uint64_t loops, mutual; /* loops among them; and pairs with both directions */
} pair_counts;

typedef struct pair_log pair_log; /* pairs.c */

typedef struct {
    bool square; /* else (u, v) and (v, u) have nothing to do with each other */
    int id_bytes, threads;
    uint64_t edges;
    double expected; /* pairs, at most */
    size_t bytes;
    hash_range range;
    uint64_t *table;
    bool logs;     /* all pairs are recorded and then counted, without a table of all */
    pair_log *log; /* instead of the table */
} pair_table;

/*
 * What a pair of vertices is in the tables of pairs, and where: for the CPU and the GPU alike.
 *
 * A pair with 32-bit ids is one word: 61 bits of its hash value and a flag.  With wider ids it is
 * two words of 62 bits, of which the first has the flag too.
 */

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
