/*
 * Bits of edges in host memory.  Ids of 32 bits are counted two to a word.
 */
#include "rmat/clones.h"
#include "rmat/rmat_tally.h"
#include "rmat/tally/bit_counts.h"
#include "rmat/tally/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct rmat_counter {
    int words;
    bool halves; /* words have two ids of 32 bits each */
    uint64_t edges;
    bit_counts counts[];
};

rmat_counter *rmat_counter_create(int neighbours)
{
    const int words = neighbours ? RMAT_NEIGHBOUR_WORDS : RMAT_LEVEL_WORDS;
    rmat_counter *c = calloc(1, sizeof *c + (size_t)words * sizeof c->counts[0]);

    if (c != NULL) {
        c->words = words;
    }
    return c;
}

void rmat_counter_destroy(rmat_counter *c)
{
    free(c);
}

/* `bytes` bytes of ids, at most BIT_LANES words of them, and zeros behind. */
static void load(uint64_t to[BIT_LANES], const char *ids, uint64_t bytes)
{
    if (bytes < BIT_LANES * sizeof *to) {
        memset(to, 0, BIT_LANES * sizeof *to);
        memcpy(to, ids, bytes);
    } else {
        memcpy(to, ids, BIT_LANES * sizeof *to);
    }
}

/* BIT_LANES words of sources and of destinations.  up: the bits that have a neighbour above. */
static inline void count_words(rmat_counter *c, int words, const uint64_t s[BIT_LANES],
                               const uint64_t d[BIT_LANES], uint64_t up)
{
    uint64_t lanes[RMAT_NEIGHBOUR_WORDS][BIT_LANES];

    for (int j = 0; j < BIT_LANES; j++) {
        uint64_t w[RMAT_NEIGHBOUR_WORDS];

        RMAT_TALLY_WORDS(w, words, s[j], d[j], s[j] >> 1 & up, d[j] >> 1 & up);
        for (int i = 0; i < words; i++) {
            lanes[i][j] = w[i];
        }
    }
    for (int i = 0; i < words; i++) {
        bit_counts_add(&c->counts[i], lanes[i]);
    }
}

RMAT_CLONES static void count_edges(rmat_counter *c, uint64_t count, const void *src,
                                    const void *dst, int id_bytes)
{
    const uint64_t bytes = count * (uint64_t)id_bytes, step = BIT_LANES * sizeof(uint64_t);
    const uint64_t up = id_bytes == 4 ? 0x7FFFFFFF7FFFFFFFu : UINT64_MAX >> 1;

    c->halves = id_bytes == 4;
    c->edges += count;
    for (uint64_t at = 0; at < bytes; at += step) {
        uint64_t s[BIT_LANES], d[BIT_LANES];

        load(s, (const char *)src + at, bytes - at);
        load(d, (const char *)dst + at, bytes - at);
        if (c->words == RMAT_NEIGHBOUR_WORDS) {
            count_words(c, RMAT_NEIGHBOUR_WORDS, s, d, up);
        } else {
            count_words(c, RMAT_LEVEL_WORDS, s, d, up);
        }
    }
}

void rmat_counter_add(rmat_counter *c, uint64_t count, const void *src, const void *dst,
                      int id_bytes)
{
    count_edges(c, count, src, dst, id_bytes);
}

void rmat_counter_total(const rmat_counter *c, rmat_tally *tally)
{
    static const int sets[] = RMAT_TALLY_SETS;

    tally->edges += c->edges;
    for (int i = 0; i < c->words; i++) {
        uint64_t totals[64] = {0};

        bit_counts_total(&c->counts[i], totals);
        for (int k = 0; k < 64; k++) {
            tally->bits[sets[i]][c->halves ? k % 32 : k] += totals[k];
        }
    }
}
