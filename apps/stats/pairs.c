/*
 * The hash table of pairs.
 *
 * An entry for 32-bit ids is one word: 61 bits of the 64-bit hash value of the smaller and the
 * larger end, and three flags for the directions that exist.  The upper three bits of the hash
 * value follow from the position: pairs that differ only in these bits lie at least an eighth of
 * the table apart, which is farther than any search goes.  For ids of up to 62 bits an entry is two
 * words of 62 bits, mixed by a Feistel network.  A thread claims an entry by writing the first
 * word, then writes the second word plus one, for which other threads wait.
 */
#include "apps/stats/pairs.h"
#include "apps/stats/memory.h"
#include "apps/stats/pair_place.h"
#include <math.h>

#define INLINE static inline __attribute__((always_inline))

/* How full a table gets: the first where there is memory, the second where that saves a pass. */
#define FULL 0.75
#define MOST 0.8

enum { BATCH = 512 }; /* pairs that are looked up one after the other */

static size_t entry_bytes(const pair_table *t)
{
    return t->id_bytes == 4 ? 8 : 16;
}

void pairs_plan(pair_table *t, uint64_t rows, uint64_t cols, uint64_t edges, int id_bytes,
                bool both, int threads)
{
    const bool square = rows == cols;
    const double cells =
        square ? (double)rows * ((double)rows + 1) / 2 : (double)rows * (double)cols;
    const double most = both ? (double)edges / 2 : (double)edges;

    *t = (pair_table){.square = square,
                      .id_bytes = id_bytes,
                      .threads = threads,
                      .edges = edges,
                      .expected = cells < most ? cells : most};
}

static double bytes_for(const pair_table *t, double pairs, double full)
{
    return (double)entry_bytes(t) * (pairs / full + HASH_LEAST + HASH_PROBES);
}

double pairs_wanted(const pair_table *t)
{
    return bytes_for(t, t->expected, MOST);
}

void pairs_cut(pair_table *t, uint64_t memory, uint64_t passes, uint64_t pass)
{
    const double room = MOST * ((double)memory / (double)entry_bytes(t) - HASH_LEAST - HASH_PROBES);
    const double least = ceil(t->expected / room);
    double bytes;

    passes = least > (double)passes ? (uint64_t)least : passes;
    bytes = bytes_for(t, t->expected / (double)passes, FULL);
    bytes = bytes < (double)memory ? bytes : (double)memory;
    t->range.passes = passes;
    t->range.pass = pass;
    t->range.slots = (uint64_t)(bytes / (double)entry_bytes(t)) - HASH_PROBES;
    t->bytes = (size_t)(t->range.slots + HASH_PROBES) * entry_bytes(t);
    t->logs = passes == 1 && t->id_bytes == 4 && pair_log_bytes(t->edges, t->threads) <= t->bytes;
}

bool pairs_create(pair_table *t)
{
    if (t->logs) {
        t->log = pair_log_create(t->edges, t->threads);
        return t->log != NULL;
    }
    t->table = table_alloc(t->bytes);
    return t->table != NULL;
}

void pairs_free(pair_table *t)
{
    pair_log_free(t->log);
    t->log = NULL;
    table_free(t->table, t->bytes);
    t->table = NULL;
}

/* What is in the entry already, and that this direction is now there too. */
static void note(uint64_t *entry, uint64_t found, uint64_t flag, pair_tally *tally)
{
    if (found & flag) {
        return;
    }
    found = __atomic_fetch_or(entry, flag, __ATOMIC_RELAXED);
    if (!(found & flag)) {
        tally->distinct++;
        tally->mutual++;
    }
}

static void note_new(uint64_t flag, pair_tally *tally)
{
    tally->distinct++;
    tally->loops += flag == PAIR_LOOP;
}

static bool insert(uint64_t *entry, uint64_t word, pair_tally *tally)
{
    const uint64_t flag = word & ((1 << PAIR_FLAG_BITS) - 1);

    for (const uint64_t *end = entry + HASH_PROBES; entry < end; entry++) {
        uint64_t found = __atomic_load_n(entry, __ATOMIC_RELAXED);

        if (found == 0 && __atomic_compare_exchange_n(entry, &found, word, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
            note_new(flag, tally);
            return true;
        }
        if ((found ^ word) >> PAIR_FLAG_BITS == 0) {
            note(entry, found, flag, tally);
            return true;
        }
    }
    return false;
}

static bool insert_wide(uint64_t *entry, uint64_t word, uint64_t second, pair_tally *tally)
{
    const uint64_t flag = word & ((1 << PAIR_FLAG_BITS) - 1);

    for (const uint64_t *end = entry + 2 * HASH_PROBES; entry < end; entry += 2) {
        uint64_t found = __atomic_load_n(entry, __ATOMIC_RELAXED), other;

        if (found == 0 && __atomic_compare_exchange_n(entry, &found, word, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
            __atomic_store_n(entry + 1, second + 1, __ATOMIC_RELEASE);
            note_new(flag, tally);
            return true;
        }
        if ((found ^ word) >> PAIR_FLAG_BITS != 0) {
            continue;
        }
        do {
            other = __atomic_load_n(entry + 1, __ATOMIC_ACQUIRE);
        } while (other == 0);
        if (other == second + 1) {
            note(entry, found, flag, tally);
            return true;
        }
    }
    return false;
}

INLINE void fetch(const pair_table *t, const pair_place *w, const bool wide)
{
    __builtin_prefetch(t->table + w->slot * (wide ? 2 : 1), 1);
}

INLINE bool insert_all(const pair_table *t, const pair_place *w, uint64_t n, const bool wide,
                       pair_tally *tally)
{
    for (uint64_t i = 0; i < n && i < HASH_AHEAD; i++) {
        fetch(t, &w[i], wide);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (i + HASH_AHEAD < n) {
            fetch(t, &w[i + HASH_AHEAD], wide);
        }
        if (!(wide ? insert_wide(t->table + 2 * w[i].slot, w[i].word, w[i].second, tally)
                   : insert(t->table + w[i].slot, w[i].word, tally))) {
            return false;
        }
    }
    return true;
}

INLINE bool add(const pair_table *t, const edge_block *e, const bool wide, const int id_bytes,
                pair_tally *tally)
{
    pair_place waiting[BATCH];
    uint64_t n = 0;

    for (uint64_t i = 0; i < e->count; i++) {
        /* Written always, this pass's or not: cheaper than to ask. */
        n += pair_find_place(&t->range, t->square, edge_id(e->src, i, id_bytes),
                             edge_id(e->dst, i, id_bytes), wide, &waiting[n]);
        if (n == BATCH) {
            if (!insert_all(t, waiting, n, wide, tally)) {
                return false;
            }
            n = 0;
        }
    }
    return insert_all(t, waiting, n, wide, tally);
}

/* Of 32-bit ids, in the only pass. */
static bool record(const pair_table *t, const edge_block *e, int thread)
{
    const uint32_t *src = e->src, *dst = e->dst;
    uint64_t hashes[BATCH], words[BATCH];

    for (uint64_t at = 0; at < e->count; at += BATCH) {
        const uint64_t n = e->count - at < BATCH ? e->count - at : BATCH;

        for (uint64_t i = 0; i < n; i++) {
            hashes[i] = pair_narrow(t->square, src[at + i], dst[at + i], &words[i]);
        }
        if (!pair_log_add(t->log, thread, hashes, words, n)) {
            return false;
        }
    }
    return true;
}

bool pairs_add(pair_table *t, const edge_block *e, int thread, pair_tally *tally)
{
    if (t->log != NULL) {
        return record(t, e, thread);
    }
    return e->id_bytes == 4 ? add(t, e, false, 4, tally) : add(t, e, true, 8, tally);
}

bool pairs_finish(pair_table *t, pair_tally *tally)
{
    return t->log == NULL || pair_log_count(t->log, tally);
}
