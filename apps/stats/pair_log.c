/*
 * The log of pairs: see pair_log.h.
 *
 * The upper bits of the hash value are the number of the part.  A part is a list of chunks from a
 * common pool.  A thread collects the next words of each part in a cache line of its own, and
 * copies the line into its chunk of the part when it is full: so memory is written line by line,
 * although words come in any order.
 */
#include "apps/stats/pair_log.h"
#include "apps/stats/memory.h"
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

uint64_t pair_log_bytes(uint64_t words, int threads)
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

pair_log *pair_log_create(uint64_t words, int threads)
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
        pair_log_free(l);
        return NULL;
    }
    return l;
}

void pair_log_free(pair_log *l)
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

/* Lines are not looked at again before all are written: they pass by the cache, without having been
 * read into it. */
#ifdef __SSE2__
static void store_line(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < LINE; i += 2) {
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_load_si128((const __m128i *)(const void *)(from + i)));
    }
}

/* So that other threads see them. */
static void end_stores(void)
{
    _mm_sfence();
}
#else
static void store_line(uint64_t *to, const uint64_t *from)
{
    memcpy(to, from, LINE * sizeof *to);
}

static void end_stores(void)
{
}
#endif

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

bool pair_log_add(pair_log *l, int thread, const uint64_t *hashes, const uint64_t *words,
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
            store_line(l->words + (uint64_t)r->chunk[part] * CHUNK + (fill - fill % LINE),
                       r->line[part]);
        }
    }
    end_stores();
    return true;
}

/* The table of one part after the other. */
typedef struct {
    uint64_t *word; /* 0: none */
    uint64_t mask, used;
} part_table;

/* False: the table is nearly full. */
static bool insert(part_table *t, const uint64_t *words, uint64_t n)
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

static void fetch(const uint64_t *chunk)
{
    for (int i = 0; i < CHUNK; i += LINE) {
        __builtin_prefetch(chunk + i);
    }
}

static bool insert_recorded(const pair_log *l, const recorder *r, uint64_t part, part_table *t)
{
    const uint64_t fill = r->fill[part], rest = fill % LINE;
    uint64_t n = fill - rest;
    bool good = insert(t, r->line[part], rest);

    for (uint32_t chunk = r->chunk[part], next; good && chunk != NO_CHUNK; chunk = next) {
        next = l->next[chunk];
        if (next != NO_CHUNK) {
            fetch(l->words + (uint64_t)next * CHUNK);
        }
        good = insert(t, l->words + (uint64_t)chunk * CHUNK, n);
        n = CHUNK;
    }
    return good;
}

/* Empties the table. */
static void take(part_table *t, pair_tally *tally)
{
    for (uint64_t k = 0; k <= t->mask; k++) {
        const uint64_t both = PAIR_FORWARD | PAIR_BACKWARD;
        const uint64_t loop = (t->word[k] & PAIR_LOOP) != 0;
        const uint64_t mutual = (t->word[k] & both) == both;

        tally->distinct += (t->word[k] != 0) + mutual;
        tally->loops += loop;
        tally->mutual += mutual;
        t->word[k] = 0;
    }
    t->used = 0;
}

static bool count_parts(const pair_log *l, pair_tally *tally)
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
            take(&t, tally);
        }
    }
    table_free(t.word, bytes);
    return good;
}

bool pair_log_count(pair_log *l, pair_tally *tally)
{
    uint64_t distinct = 0, loops = 0, mutual = 0;
    bool good = true;

#pragma omp parallel num_threads(l->threads) reduction(+ : distinct, loops, mutual)                \
    reduction(&& : good)
    {
        pair_tally mine = {0};

        good = count_parts(l, &mine);
        distinct += mine.distinct;
        loops += mine.loops;
        mutual += mine.mutual;
    }
    tally->distinct += distinct;
    tally->loops += loops;
    tally->mutual += mutual;
    return good;
}
