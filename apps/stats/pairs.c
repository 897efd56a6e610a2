/*
 * Distinct edges, and those whose reverse exists too: a log of pairs, and a hash table of them.
 *
 * A table for all pairs is larger than any cache, and each pair would wait for memory.  So, where
 * there is room for all of them, pairs are recorded by their hash values in some thousand parts,
 * one after the other, and each part is counted in a table that fits into a cache.  Otherwise an
 * entry of one table is claimed for each pair by atomic operations.
 */
#include "apps/stats/pairs.h"
#include "apps/stats/tables.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * The log.
 *
 * The upper bits of the hash value are the number of the part.  A part is a list of chunks from a
 * common pool.  A thread collects the next words of each part in a cache line of its own, and
 * copies the line into its chunk of the part when it is full: so memory is written line by line,
 * although words come in any order.
 */

/* PART: words of a part, if there are not too many parts for the lines of a thread to stay in its
 * cache. */
enum { LINE = 8, CHUNK = 128, PART = 1 << 15, LEAST_BITS = 4, MOST_BITS = 13 };

#define NO_CHUNK UINT32_MAX

/* What one thread records. */
typedef struct {
    uint64_t (*line)[LINE]; /* of each part: */
    uint32_t *chunk;        /* the last */
    uint32_t *fill;         /* its words, with those in the line */
} recorder;

struct pair_log {
    int bits, threads; /* parts: 2^bits */
    uint64_t chunks, slots;
    uint64_t *words; /* of all chunks */
    uint32_t *next;  /* of each chunk */
    atomic_uint_fast64_t used;
    recorder of[];
};

static int part_bits(uint64_t words)
{
    int bits = LEAST_BITS;

    while (bits < MOST_BITS && words >> bits > PART) {
        bits++;
    }
    return bits;
}

/* All but one chunk of a thread and a part are full. */
static uint64_t chunks_for(uint64_t words, int threads, int bits)
{
    return words / CHUNK + ((uint64_t)threads << bits);
}

/* Of the table for a part, of which a quarter stays empty, or more. */
static uint64_t slots_for(uint64_t words, int bits)
{
    uint64_t slots = 2 * CHUNK;

    while (slots * 3 / 4 < words >> bits) {
        slots *= 2;
    }
    return slots;
}

static size_t recorder_bytes(int bits)
{
    return (sizeof(uint64_t[LINE]) + 2 * sizeof(uint32_t)) << bits;
}

/* Of a log of so many words. */
static uint64_t log_bytes(uint64_t words, int threads)
{
    const int bits = part_bits(words);
    const uint64_t chunks = chunks_for(words, threads, bits);

    if (chunks >= NO_CHUNK) {
        return UINT64_MAX;
    }
    return chunks * (CHUNK * sizeof(uint64_t) + sizeof(uint32_t)) +
           (uint64_t)threads * (recorder_bytes(bits) + slots_for(words, bits) * sizeof(uint64_t));
}

static bool create_recorder(recorder *r, int bits)
{
    const size_t parts = (size_t)1 << bits;

    r->line = table_alloc(recorder_bytes(bits));
    if (r->line == NULL) {
        return false;
    }
    r->chunk = (uint32_t *)(void *)(r->line + parts);
    r->fill = r->chunk + parts;
    for (size_t p = 0; p < parts; p++) {
        r->chunk[p] = NO_CHUNK;
        r->fill[p] = CHUNK;
    }
    return true;
}

static void log_free(pair_log *l)
{
    if (l == NULL) {
        return;
    }
    for (int t = 0; t < l->threads; t++) {
        table_free(l->of[t].line, recorder_bytes(l->bits));
    }
    table_free(l->words, l->chunks * CHUNK * sizeof *l->words);
    table_free(l->next, l->chunks * sizeof *l->next);
    free(l);
}

/* NULL: memory is exhausted. */
static pair_log *log_create(uint64_t words, int threads)
{
    pair_log *l = calloc(1, sizeof *l + (size_t)threads * sizeof *l->of);
    bool good;

    if (l == NULL) {
        return NULL;
    }
    l->bits = part_bits(words);
    l->threads = threads;
    l->chunks = chunks_for(words, threads, l->bits);
    l->slots = slots_for(words, l->bits);
    l->words = table_alloc(l->chunks * CHUNK * sizeof *l->words);
    l->next = table_alloc(l->chunks * sizeof *l->next);
    good = l->words != NULL && l->next != NULL;
    for (int t = 0; t < threads && good; t++) {
        good = create_recorder(&l->of[t], l->bits);
    }
    if (!good) {
        log_free(l);
        return NULL;
    }
    return l;
}

/* A new chunk for the part. */
static bool begin_chunk(pair_log *l, recorder *r, uint64_t part)
{
    const uint64_t chunk = atomic_fetch_add(&l->used, 1);

    if (chunk >= l->chunks) {
        return false;
    }
    l->next[chunk] = r->chunk[part];
    r->chunk[part] = (uint32_t)chunk;
    r->fill[part] = 0;
    return true;
}

/* Thread 0 to threads - 1.  False: these are more words than the log is for. */
static bool log_add(pair_log *l, int thread, const uint64_t *hashes, const uint64_t *words,
                    uint64_t n)
{
    recorder *r = &l->of[thread];

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t part = hashes[i] >> (64 - l->bits);
        uint32_t fill;

        if (r->fill[part] == CHUNK && !begin_chunk(l, r, part)) {
            return false;
        }
        fill = r->fill[part]++;
        r->line[part][fill % LINE] = words[i];
        if (fill % LINE == LINE - 1) {
            memcpy(l->words + (uint64_t)r->chunk[part] * CHUNK + (fill - fill % LINE),
                   r->line[part], sizeof r->line[part]);
        }
    }
    return true;
}

/* The table of one part after the other. */
typedef struct {
    uint64_t *word; /* 0: none */
    uint64_t mask, used;
} part_table;

/* False: the table is nearly full. */
static bool insert_in_part(part_table *t, const uint64_t *words, uint64_t n)
{
    if (t->used + n > t->mask) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        __builtin_prefetch(t->word + (words[i] >> PAIR_FLAG_BITS & t->mask), 1);
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = words[i] >> PAIR_FLAG_BITS & t->mask;

        while (t->word[k] != 0 && (t->word[k] ^ words[i]) >> PAIR_FLAG_BITS != 0) {
            k = (k + 1) & t->mask;
        }
        t->used += t->word[k] == 0;
        t->word[k] |= words[i];
    }
    return true;
}

static void fetch_chunk(const uint64_t *chunk)
{
    for (int i = 0; i < CHUNK; i += LINE) {
        __builtin_prefetch(chunk + i);
    }
}

static bool insert_recorded(const pair_log *l, const recorder *r, uint64_t part, part_table *t)
{
    const uint64_t fill = r->fill[part], rest = fill % LINE;
    uint64_t n = fill - rest;
    bool good = insert_in_part(t, r->line[part], rest);

    for (uint32_t chunk = r->chunk[part], next; good && chunk != NO_CHUNK; chunk = next) {
        next = l->next[chunk];
        if (next != NO_CHUNK) {
            fetch_chunk(l->words + (uint64_t)next * CHUNK);
        }
        good = insert_in_part(t, l->words + (uint64_t)chunk * CHUNK, n);
        n = CHUNK;
    }
    return good;
}

/* Empties the table. */
static void count_part(part_table *t, pair_counts *counts)
{
    for (uint64_t k = 0; k <= t->mask; k++) {
        const uint64_t both = PAIR_FORWARD | PAIR_BACKWARD;
        const uint64_t loop = (t->word[k] & PAIR_LOOP) != 0;
        const uint64_t mutual = (t->word[k] & both) == both;

        counts->distinct += (t->word[k] != 0) + mutual;
        counts->loops += loop;
        counts->mutual += mutual;
        t->word[k] = 0;
    }
    t->used = 0;
}

static bool count_parts(const pair_log *l, pair_counts *counts)
{
    const size_t bytes = l->slots * sizeof(uint64_t);
    part_table t = {.word = table_alloc(bytes), .mask = l->slots - 1};
    bool good = t.word != NULL;

#pragma omp for schedule(dynamic)
    for (uint64_t part = 0; part < (uint64_t)1 << l->bits; part++) {
        for (int i = 0; i < l->threads && good; i++) {
            good = insert_recorded(l, &l->of[i], part, &t);
        }
        if (good) {
            count_part(&t, counts);
        }
    }
    table_free(t.word, bytes);
    return good;
}

/* Counts all, once.  False: there was no memory, or a part has too many different words. */
static bool log_count(pair_log *l, pair_counts *counts)
{
    uint64_t distinct = 0, loops = 0, mutual = 0;
    bool good = true;

#pragma omp parallel num_threads(l->threads) reduction(+ : distinct, loops, mutual)                \
    reduction(&& : good)
    {
        pair_counts mine = {0};

        good = count_parts(l, &mine);
        distinct += mine.distinct;
        loops += mine.loops;
        mutual += mine.mutual;
    }
    counts->distinct += distinct;
    counts->loops += loops;
    counts->mutual += mutual;
    return good;
}

/*
 * The hash table.
 *
 * An entry for 32-bit ids is one word: 61 bits of the 64-bit hash value of the smaller and the
 * larger end, and three flags for the directions that exist.  The upper three bits of the hash
 * value follow from the position: pairs that differ only in these bits lie at least an eighth of
 * the table apart, which is farther than any search goes.  For ids of up to 62 bits an entry is two
 * words of 62 bits, mixed by a Feistel network.  A thread claims an entry by writing the first
 * word, then writes the second word plus one, for which other threads wait.
 */

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
    t->logs = passes == 1 && t->id_bytes == 4 && log_bytes(t->edges, t->threads) <= t->bytes;
}

bool pairs_create(pair_table *t)
{
    if (t->logs) {
        t->log = log_create(t->edges, t->threads);
        return t->log != NULL;
    }
    t->table = table_alloc(t->bytes);
    return t->table != NULL;
}

void pairs_free(pair_table *t)
{
    log_free(t->log);
    t->log = NULL;
    table_free(t->table, t->bytes);
    t->table = NULL;
}

/* What is in the entry already, and that this direction is now there too. */
static void note_direction(uint64_t *entry, uint64_t found, uint64_t flag, pair_counts *counts)
{
    if (found & flag) {
        return;
    }
    found = __atomic_fetch_or(entry, flag, __ATOMIC_RELAXED);
    if (!(found & flag)) {
        counts->distinct++;
        counts->mutual++;
    }
}

static void note_new_pair(uint64_t flag, pair_counts *counts)
{
    counts->distinct++;
    counts->loops += flag == PAIR_LOOP;
}

/* False: there is no entry left for the pair. */
INLINE bool insert_pair(const pair_table *t, const pair_place *p, const bool wide,
                        pair_counts *counts)
{
    const uint64_t flag = p->word & ((1 << PAIR_FLAG_BITS) - 1), words = wide ? 2 : 1;
    uint64_t *entry = t->table + words * p->slot;

    for (const uint64_t *end = entry + words * HASH_PROBES; entry < end; entry += words) {
        uint64_t found = __atomic_load_n(entry, __ATOMIC_RELAXED), second = p->second + 1;

        if (found == 0 && __atomic_compare_exchange_n(entry, &found, p->word, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            if (wide) {
                __atomic_store_n(entry + 1, second, __ATOMIC_RELEASE);
            }
            note_new_pair(flag, counts);
            return true;
        }
        if ((found ^ p->word) >> PAIR_FLAG_BITS != 0) {
            continue;
        }
        if (wide) { /* whoever has claimed the entry is about to write the second word */
            while ((second = __atomic_load_n(entry + 1, __ATOMIC_ACQUIRE)) == 0) {
            }
        }
        if (!wide || second == p->second + 1) {
            note_direction(entry, found, flag, counts);
            return true;
        }
    }
    return false;
}

INLINE void fetch_entry(const pair_table *t, const pair_place *w, const bool wide)
{
    __builtin_prefetch(t->table + w->slot * (wide ? 2 : 1), 1);
}

INLINE bool insert_pairs(const pair_table *t, const pair_place *w, uint64_t n, const bool wide,
                         pair_counts *counts)
{
    for (uint64_t i = 0; i < n && i < HASH_AHEAD; i++) {
        fetch_entry(t, &w[i], wide);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (i + HASH_AHEAD < n) {
            fetch_entry(t, &w[i + HASH_AHEAD], wide);
        }
        if (!insert_pair(t, &w[i], wide, counts)) {
            return false;
        }
    }
    return true;
}

INLINE bool add_pairs(const pair_table *t, const edge_block *e, const bool wide, const int id_bytes,
                      pair_counts *counts)
{
    pair_place waiting[BATCH];
    uint64_t n = 0;

    for (uint64_t i = 0; i < e->count; i++) {
        /* Written always, this pass's or not: cheaper than to ask. */
        n += pair_find_place(&t->range, t->square, edge_id(e->src, i, id_bytes),
                             edge_id(e->dst, i, id_bytes), wide, &waiting[n]);
        if (n == BATCH) {
            if (!insert_pairs(t, waiting, n, wide, counts)) {
                return false;
            }
            n = 0;
        }
    }
    return insert_pairs(t, waiting, n, wide, counts);
}

/* Of 32-bit ids, in the only pass. */
static bool record_pairs(const pair_table *t, const edge_block *e, int thread)
{
    const uint32_t *src = e->src, *dst = e->dst;
    uint64_t hashes[BATCH], words[BATCH];

    for (uint64_t at = 0; at < e->count; at += BATCH) {
        const uint64_t n = e->count - at < BATCH ? e->count - at : BATCH;

        for (uint64_t i = 0; i < n; i++) {
            hashes[i] = pair_narrow(t->square, src[at + i], dst[at + i], &words[i]);
        }
        if (!log_add(t->log, thread, hashes, words, n)) {
            return false;
        }
    }
    return true;
}

bool pairs_add(pair_table *t, const edge_block *e, int thread, pair_counts *counts)
{
    if (t->log != NULL) {
        return record_pairs(t, e, thread);
    }
    return e->id_bytes == 4 ? add_pairs(t, e, false, 4, counts) : add_pairs(t, e, true, 8, counts);
}

bool pairs_finish(pair_table *t, pair_counts *counts)
{
    return t->log == NULL || log_count(t->log, counts);
}
