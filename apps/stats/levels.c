/*
 * Edges by quadrant and level, from the number of edges with each bit in the source, in the
 * destination and in both.  32-bit ids that need no change are counted two to a word.
 */
#include "apps/stats/levels.h"
#include <string.h>

enum { PART = 1 << 12 }; /* words in the cache at a time */

static void add_words(level_sums *sums, const uint64_t *u, const uint64_t *v, uint64_t n)
{
    uint64_t both[BIT_LANES];

    for (uint64_t i = 0; i < n; i += BIT_LANES) {
        for (uint64_t j = 0; j < BIT_LANES; j++) {
            both[j] = u[i + j] & v[i + j];
        }
        bit_counts_add(&sums->src, u + i);
        bit_counts_add(&sums->dst, v + i);
        bit_counts_add(&sums->both, both);
    }
}

/* Ids as they are, two of 32 bits in a word; n of them. */
static void copy(uint64_t to[PART + BIT_LANES], const void *ids, uint64_t first, uint64_t n,
                 int id_bytes)
{
    const size_t bytes = (size_t)n * (size_t)id_bytes;

    memcpy(to, (const char *)ids + first * (uint64_t)id_bytes, bytes);
    memset((char *)to + bytes, 0, BIT_LANES * sizeof *to);
}

static void widen(uint64_t to[PART + BIT_LANES], const void *ids, uint64_t first, uint64_t n,
                  int id_bytes)
{
    for (uint64_t i = 0; i < n; i++) {
        to[i] = edge_id(ids, first + i, id_bytes);
    }
    memset(to + n, 0, BIT_LANES * sizeof *to);
}

bool levels_add(level_sums *sums, const rmat_gen *gen, const edge_block *e)
{
    uint64_t u[PART + BIT_LANES], v[PART + BIT_LANES];
    const uint64_t in_word = gen == NULL && e->id_bytes == 4 ? 2 : 1;

    sums->halves = in_word == 2;
    for (uint64_t at = 0, n; at < e->count; at += n) {
        n = e->count - at < PART * in_word ? e->count - at : PART * in_word;
        if (gen == NULL) {
            copy(u, e->src, at, n, e->id_bytes);
            copy(v, e->dst, at, n, e->id_bytes);
        } else {
            widen(u, e->src, at, n, e->id_bytes);
            widen(v, e->dst, at, n, e->id_bytes);
            if (rmat_unpermute(gen, RMAT_ROWS, n, u) != RMAT_OK ||
                rmat_unpermute(gen, RMAT_COLS, n, v) != RMAT_OK) {
                return false;
            }
        }
        add_words(sums, u, v, (n + in_word - 1) / in_word);
    }
    sums->edges += e->count;
    return true;
}

static void sum_up(uint64_t to[64], const bit_counts *counts, bool halves)
{
    uint64_t totals[64] = {0};

    bit_counts_total(counts, totals);
    for (int i = 0; i < 64; i++) {
        to[halves ? i % 32 : i] += totals[i];
    }
}

void levels_sum_up(level_totals *totals, const level_sums *sums)
{
    totals->edges += sums->edges;
    sum_up(totals->src, &sums->src, sums->halves);
    sum_up(totals->dst, &sums->dst, sums->halves);
    sum_up(totals->both, &sums->both, sums->halves);
}

level_shares levels_shares(const level_totals *t, int level)
{
    const int bit = t->levels - 1 - level;
    const double n = (double)t->edges;
    level_shares s = {.has_src = bit < t->rows_scale, .has_dst = bit < t->cols_scale};

    if (t->edges > 0) {
        s.share[0] = (double)(t->edges - t->src[bit] - t->dst[bit] + t->both[bit]) / n;
        s.share[1] = (double)(t->dst[bit] - t->both[bit]) / n;
        s.share[2] = (double)(t->src[bit] - t->both[bit]) / n;
        s.share[3] = (double)t->both[bit] / n;
    }
    return s;
}
