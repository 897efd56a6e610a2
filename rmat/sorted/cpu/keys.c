/*
 * keys.c - the operations of rmat_key_ops (interval.h) on keys of one type, KEY: making keys of
 * edges and edges of keys, and the radix sort of lists of keys in chunks.  It is compiled for keys
 * of 64 bits, and for 128 bits by keys128.c.
 *
 * The sort is written here because the libraries that could do it (Highway's vqsort, TBB) are C++.
 */
#ifndef KEY
#define KEY      uint64_t
#define KEYS_OPS rmat_keys64
#endif

#include "rmat/model/generator.h"
#include "rmat/sorted/cpu/interval.h"

#include <omp.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

INLINE uint64_t keep_width(const rmat_key_range *in, uint64_t count, const void *src,
                           const void *dst, const int id_bytes, KEY *keys)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst, rows = in->rows;
    const KEY last = (KEY)in->last;
    const int dst_bits = in->dst_bits;
    uint64_t n = 0;

    if (in->all) {
        for (uint64_t i = 0; i < count; i++) {
            keys[i] = (KEY)id_at(src, i, id_bytes) << dst_bits | id_at(dst, i, id_bytes);
        }
        return count;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = id_at(src, i, id_bytes) - first_src;
        const KEY key = ((KEY)row << dst_bits) + id_at(dst, i, id_bytes) - first_dst;

        /* The key is written whether it is kept or not: without a branch, the filter costs 1 ns per
         * edge (AVX-512 Xeon), beside 5 ns to make it. */
        keys[n] = key;
        n += (row <= rows) & (key <= last);
    }
    return n;
}

/* The same with weights or without loops, for edge sources, which are slower. */
static uint64_t keep_given(const rmat_key_range *in, uint64_t count, const void *src,
                           const void *dst, const uint32_t *weight, int id_bytes, KEY *keys)
{
    const bool weights = in->weights != RMAT_NO_WEIGHTS;
    uint64_t n = 0;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t s = id_at(src, i, id_bytes), d = id_at(dst, i, id_bytes);
        const rmat_key cell = rmat_key_of(in, s, d);

        keys[n] = (KEY)cell;
        if (weights) {
            keys[n] = (KEY)(cell << in->weight_bits) |
                      (rmat_weight_order(in->weights, weight[i]) - in->least);
        }
        n += (s - in->first.src <= in->rows) & (cell <= in->last) & !(in->no_loops && s == d);
    }
    return n;
}

static uint64_t keep_keys(const rmat_key_range *in, uint64_t count, const void *src,
                          const void *dst, const void *weight, int id_bytes, void *keys)
{
    if (in->weights != RMAT_NO_WEIGHTS || in->no_loops) {
        return keep_given(in, count, src, dst, weight, id_bytes, keys);
    }
    return id_bytes == 4 ? keep_width(in, count, src, dst, 4, keys)
                         : keep_width(in, count, src, dst, 8, keys);
}

static rmat_key key_at(const void *keys, uint64_t i)
{
    return ((const KEY *)keys)[i];
}

static uint64_t keys_below(const void *sorted, uint64_t n, rmat_key key)
{
    const KEY *keys = sorted;
    uint64_t low = 0;

    while (n) {
        const uint64_t half = n / 2;

        if (keys[low + half] < key) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* Without a branch that depends on how many edges a row has: the last edge of a row leaves the
 * right number. */
static bool mark_rows(const rmat_key_range *in, const void *sorted, uint64_t n, uint64_t before,
                      uint64_t first_row, uint64_t count, uint64_t *to)
{
    const KEY *keys = sorted;
    const int bits = rmat_weight_bits(in);

    for (uint64_t k = 0; k < n; k++) {
        const KEY key = (keys[k] >> bits) + in->first.dst;
        const uint64_t row = in->first.src + (uint64_t)(key >> in->dst_bits);

        if (row - first_row + 1 >= count) {
            return false;
        }
        to[row - first_row + 1] = before + k + 1;
    }
    return true;
}

INLINE void ids_width(const rmat_key_range *in, const KEY *keys, uint64_t n, void *src, void *dst,
                      const int id_bytes, const int bits)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst;
    const uint64_t mask = ((uint64_t)1 << in->dst_bits) - 1;
    const int dst_bits = in->dst_bits;

    for (uint64_t i = 0; src != NULL && i < n; i++) {
        const KEY key = (keys[i] >> bits) + first_dst;

        set_id(src, i, first_src + (uint64_t)(key >> dst_bits), id_bytes);
    }
    for (uint64_t i = 0; dst != NULL && i < n; i++) {
        set_id(dst, i, ((uint64_t)(keys[i] >> bits) + first_dst) & mask, id_bytes);
    }
}

static void edges_of_keys(const rmat_key_range *in, const void *some, uint64_t n, void *src,
                          void *dst, void *weight, int id_bytes)
{
    const KEY *keys = some, mask = ((KEY)1 << in->weight_bits) - 1;

    if (in->weights != RMAT_NO_WEIGHTS) {
        ids_width(in, keys, n, src, dst, id_bytes, in->weight_bits);
    } else if (id_bytes == 4) {
        ids_width(in, keys, n, src, dst, 4, 0);
    } else {
        ids_width(in, keys, n, src, dst, 8, 0);
    }
    for (uint64_t i = 0; weight != NULL && i < n; i++) {
        ((uint32_t *)weight)[i] =
            rmat_weight_of_order(in->weights, (uint32_t)(keys[i] & mask) + in->least);
    }
}

/* --- Radix sort, from the least significant digit, of keys that fit the cache twice --- */

enum {
    LOW_BITS = 10,
    LINE = RMAT_LINE / sizeof(KEY), /* keys */
    SPREAD = 3 /* a digit is so narrow that each value has 2^SPREAD keys or more, on average */
};

typedef struct {
    _Alignas(64) KEY keys[LINE];
} line;

static unsigned digit_of(KEY key, int shift, unsigned mask)
{
    return (unsigned)(key >> shift) & mask;
}

/* Stores a line that will not be read soon, past the caches. */
static void store_line(KEY *to, const line *from)
{
#ifdef __SSE2__
    for (int i = 0; i < RMAT_LINE / 16; i++) {
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    }
#else
    memcpy(to, from, sizeof *from);
#endif
}

/* Sorts n keys of side `at`, which fit the cache, from the least significant digit.  Digits are as
 * wide as possible while their counts cost little compared to n keys.  Returns the side where the
 * keys are then. */
static int sort_cached(KEY *const side[2], int at, uint64_t n, int bits)
{
    uint32_t counts[1 << LOW_BITS];
    unsigned mask;
    int width = 6;

    while (width < LOW_BITS && n >> (width + SPREAD)) {
        width++;
    }
    if (bits > 0) { /* all digits of about the same width */
        const int passes = (bits + width - 1) / width;

        width = (bits + passes - 1) / passes;
    }
    mask = (1u << width) - 1;
    for (int shift = 0; shift < bits && n > 1; shift += width) {
        const KEY *from = side[at];
        KEY *to = side[!at];
        uint32_t sum = 0;

        memset(counts, 0, sizeof *counts << width);
        for (uint64_t i = 0; i < n; i++) {
            counts[digit_of(from[i], shift, mask)]++;
        }
        if (counts[digit_of(*from, shift, mask)] == n) {
            continue;
        }
        for (unsigned d = 0; d <= mask; d++) {
            const uint32_t count = counts[d];

            counts[d] = sum;
            sum += count;
        }
        for (uint64_t i = 0; i < n; i++) {
            to[counts[digit_of(from[i], shift, mask)]++] = from[i];
        }
        at = !at;
    }
    return at;
}

/*
 * Lists of chunks.
 *
 * To distribute keys over lists, a thread collects those of each list in a line of its own, so that
 * memory sees whole lines only.  They are of two cache lines: that a line is full is a branch that
 * no processor foresees, which half as many take.
 */
/* There always is one: rmat_chunks_create() has seen to it. */
static uint32_t take_chunk(rmat_chunks *p, rmat_worker *w)
{
    const uint32_t own = w->free;

    if (own != RMAT_NO_CHUNK) {
        w->free = p->next[own];
        return own;
    }
    return p->spare[atomic_fetch_sub_explicit(&p->spares, 1, memory_order_relaxed) - 1];
}

static void drop_chunk(rmat_chunks *p, rmat_worker *w, uint32_t chunk)
{
    p->next[chunk] = w->free;
    w->free = chunk;
}

/* Appends a chunk of `fill` keys to the list.  If the number is not known yet, `fill` is that of a
 * full chunk, and the last chunk gets its number when the list is complete. */
static void extend_list(rmat_chunks *p, rmat_worker *w, rmat_list *l, uint16_t fill)
{
    const uint32_t chunk = take_chunk(p, w);

    p->fill[chunk] = fill;
    p->next[chunk] = RMAT_NO_CHUNK;
    if (l->head == RMAT_NO_CHUNK) {
        l->head = chunk;
    } else {
        p->next[l->tail] = chunk;
    }
    l->tail = chunk;
}

/* Appends a list, which has no keys then. */
static void join_lists(rmat_chunks *p, rmat_list *to, rmat_list *more)
{
    if (to->head == RMAT_NO_CHUNK) {
        *to = *more;
    } else if (more->head != RMAT_NO_CHUNK) {
        p->next[to->tail] = more->head;
        to->tail = more->tail;
        to->n += more->n;
    }
    *more = RMAT_NO_KEYS;
}

static uint64_t keys_of_chunk(const rmat_chunks *p)
{
    return ((uint64_t)1 << p->shift) / sizeof(KEY);
}

/* rmat_key_ops.spread.  The place of a list's last key in its line has the number of its keys so
 * far, so that a key touches one line. */
static void spread_keys(rmat_chunks *p, rmat_worker *w, const void *some, uint64_t n, int shift,
                        int width)
{
    const unsigned mask = (1u << width) - 1;
    const uint64_t full = keys_of_chunk(p);
    const KEY *keys = some;
    line *lines = (line *)w->lines;

    for (uint64_t i = 0; i < n; i++) {
        const KEY key = keys[i];
        const unsigned d = digit_of(key, shift, mask);
        const uint64_t at = (uint64_t)lines[d].keys[LINE - 1];

        lines[d].keys[LINE - 1] = at + 1;
        lines[d].keys[at % LINE] = key;
        if (at % LINE == LINE - 1) {
            const uint64_t begin = (at & (full - 1)) - (LINE - 1);

            if (begin == 0) {
                extend_list(p, w, &w->lists[d], (uint16_t)full);
            }
            store_line((KEY *)rmat_chunk(p, w->lists[d].tail) + begin, &lines[d]);
            lines[d].keys[LINE - 1] = at + 1;
        }
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Appends the keys that a worker has spread to the lists, which are 2^width. */
static void collect_from(rmat_chunks *p, rmat_worker *w, int width, rmat_list *lists)
{
    const uint64_t full = keys_of_chunk(p);
    line *lines = (line *)w->lines;

    for (int d = 0; d < 1 << width; d++) {
        rmat_list *l = &w->lists[d];
        const uint64_t n = (uint64_t)lines[d].keys[LINE - 1];
        const uint64_t rest = n % LINE, at = n & (full - 1);

        if (rest) {
            if (rest == at) {
                extend_list(p, w, l, (uint16_t)full);
            }
            memcpy((KEY *)rmat_chunk(p, l->tail) + (at - rest), lines[d].keys, rest * sizeof(KEY));
        }
        if (at) {
            p->fill[l->tail] = (uint16_t)at;
        }
        l->n = n;
        lines[d].keys[LINE - 1] = 0;
        join_lists(p, &lists[d], l);
    }
}

/* rmat_key_ops.collect */
static void collect_keys(rmat_chunks *p, int width, rmat_list *lists)
{
    for (int t = 0; t < p->threads; t++) {
        collect_from(p, p->workers[t], width, lists);
    }
}

/* Spreads the keys of chunks in a row, up to `end`, and drops the chunks. */
static void spread_chunks(rmat_chunks *p, rmat_worker *w, uint32_t chunk, uint32_t end, int shift,
                          int width)
{
    while (chunk != end) {
        const uint32_t next = p->next[chunk];

        rmat_chunk_expect(p, next);
        spread_keys(p, w, rmat_chunk(p, chunk), p->fill[chunk], shift, width);
        drop_chunk(p, w, chunk);
        chunk = next;
    }
}

/* Makes a list 2^width lists by a digit, in which keys are in the same order as before; by one
 * worker, or by all if it is NULL. */
static void distribute_list(rmat_chunks *p, rmat_worker *w, const rmat_list *from, int shift,
                            int width, rmat_list *lists)
{
    uint64_t left = 0;
    uint32_t chunk = from->head;

    rmat_clear_lists(lists, width);
    if (w != NULL) {
        spread_chunks(p, w, chunk, RMAT_NO_CHUNK, shift, width);
        collect_from(p, w, width, lists);
        return;
    }
    for (uint32_t c = chunk; c != RMAT_NO_CHUNK; c = p->next[c]) {
        left++;
    }
#pragma omp parallel for ordered schedule(static, 1) num_threads(p->threads)
    for (int t = 0; t < p->threads; t++) {
        uint32_t first, end;

#pragma omp ordered
        {
            first = chunk;
            for (uint64_t i = left / (uint64_t)(p->threads - t); i > 0; i--, left--) {
                chunk = p->next[chunk];
            }
            end = chunk;
        }
        spread_chunks(p, p->workers[t], first, end, shift, width);
    }
    collect_keys(p, width, lists);
    rmat_chunks_share(p);
}

static void append_keys(rmat_chunks *p, rmat_worker *w, rmat_list *to, const KEY *keys, uint64_t n)
{
    const uint64_t full = keys_of_chunk(p);

    while (n) {
        uint64_t fill, some;

        if (to->head == RMAT_NO_CHUNK || p->fill[to->tail] == full) {
            extend_list(p, w, to, 0);
        }
        fill = p->fill[to->tail];
        some = n < full - fill ? n : full - fill;
        memcpy((KEY *)rmat_chunk(p, to->tail) + fill, keys, some * sizeof *keys);
        p->fill[to->tail] = (uint16_t)(fill + some);
        to->n += some;
        keys += some;
        n -= some;
    }
}

/* Copies the keys of a list to memory, and drops it. */
static void load_list(rmat_chunks *p, rmat_worker *w, const rmat_list *from, KEY *to)
{
    for (uint32_t c = from->head; c != RMAT_NO_CHUNK;) {
        const uint32_t next = p->next[c];

        rmat_chunk_expect(p, next);
        memcpy(to, rmat_chunk(p, c), p->fill[c] * sizeof *to);
        to += p->fill[c];
        drop_chunk(p, w, c);
        c = next;
    }
}

/*
 * Radix sort of lists.
 *
 * The lists have been made by the leading bits of keys.  Each belongs to one thread.  A list that
 * fits the cache is copied there, sorted from the least significant digit (sort_cached()), and
 * written back into chunks that were just read, without copies if edges are unique.  A longer list
 * is distributed once more.  A list that is still too long is sorted chunk by chunk from its least
 * significant digit.  The lists of an R-MAT graph have very unequal lengths.  All threads together
 * distribute lists that are a large part of the whole.
 *
 * Lists are distributed by bits of cells, not of weights below them, so that the copies of an edge
 * are in one list.
 */
enum {
    HEAVY = 4 /* a list of more than this part of a thread's share is for all threads */
};

/* Sorts a list from the least significant digit. */
static void sort_long(rmat_chunks *p, rmat_worker *w, rmat_list *list, int bits)
{
    rmat_list lists[1 << RMAT_AGAIN];

    for (int shift = 0; shift < bits; shift += p->again) {
        const int width = bits - shift < p->again ? bits - shift : p->again;

        distribute_list(p, w, list, shift, width, lists);
        *list = RMAT_NO_KEYS;
        for (int d = 0; d < 1 << width; d++) {
            join_lists(p, list, &lists[d]);
        }
    }
}

/* Appends sorted keys.  If edges are unique, it appends only the first key of each cell, and
 * changes `keys`. *last is the last key before these. */
static void emit_keys(rmat_chunks *p, rmat_worker *w, rmat_list *to, KEY *last, KEY *keys,
                      uint64_t n)
{
    if (p->unique && n) {
        const int bits = p->weight_bits;
        KEY before = to->n ? *last : ~keys[0];
        uint64_t kept = 0;

        for (uint64_t i = 0; i < n; i++) { /* written in any case: without a branch */
            const KEY key = keys[i];

            keys[kept] = key;
            kept += key >> bits != before >> bits;
            before = key;
        }
        *last = before;
        n = kept;
    }
    append_keys(p, w, to, keys, n);
}

/* Appends the keys of a sorted list, and drops it. */
static void emit_list(rmat_chunks *p, rmat_worker *w, rmat_list *to, KEY *last,
                      const rmat_list *from)
{
    for (uint32_t c = from->head; c != RMAT_NO_CHUNK;) {
        const uint32_t next = p->next[c];

        emit_keys(p, w, to, last, rmat_chunk(p, c), p->fill[c]);
        drop_chunk(p, w, c);
        c = next;
    }
}

/* Appends the keys of a list in order. */
static void sort_list(rmat_chunks *p, rmat_worker *w, rmat_list *list, int bits, bool distributed,
                      rmat_list *to, KEY *last)
{
    const int cell_bits = bits - p->weight_bits;

    if (list->n * sizeof(KEY) <= p->cached) {
        KEY *const side[2] = {w->side[0], w->side[1]};

        load_list(p, w, list, side[0]);
        emit_keys(p, w, to, last, side[sort_cached(side, 0, list->n, bits)], list->n);
    } else if (distributed || cell_bits == 0) {
        sort_long(p, w, list, bits);
        emit_list(p, w, to, last, list);
    } else {
        const int width = cell_bits < p->again ? cell_bits : p->again;
        rmat_list lists[1 << RMAT_AGAIN];

        distribute_list(p, w, list, bits - width, width, lists);
        for (int d = 0; d < 1 << width && !rmat_chunks_stop(p, omp_get_thread_num()); d++) {
            sort_list(p, w, &lists[d], bits - width, true, to, last);
        }
    }
}

/* Sorts the lists, `count` of them, that have at most `much` keys, each by one thread. */
static void sort_each(rmat_chunks *p, rmat_list *lists, int count, int bits, bool distributed,
                      uint64_t much)
{
    uint64_t n = 0;

    for (int d = 0; d < count; d++) {
        n += lists[d].n <= much ? lists[d].n : 0;
    }
#pragma omp parallel for schedule(dynamic) num_threads(rmat_team(p->threads, n))
    for (int d = 0; d < count; d++) {
        rmat_list sorted = RMAT_NO_KEYS;
        const int thread = omp_get_thread_num();
        KEY last = 0;

        if (lists[d].n <= much && !rmat_chunks_stop(p, thread)) {
            sort_list(p, p->workers[thread], &lists[d], bits, distributed, &sorted, &last);
            lists[d] = sorted;
        }
    }
    rmat_chunks_share(p);
}

/* Sorts a list that is a large part of all keys: all threads distribute it. */
static void sort_heavy(rmat_chunks *p, rmat_list *list, int bits, uint64_t much)
{
    const int cell_bits = bits - p->weight_bits;
    const int width = cell_bits < p->again ? cell_bits : p->again;
    rmat_list lists[1 << RMAT_AGAIN];

    distribute_list(p, NULL, list, bits - width, width, lists);
    sort_each(p, lists, 1 << width, bits - width, true, much);
    *list = RMAT_NO_KEYS;
    for (int d = 0; d < 1 << width; d++) {
        if (lists[d].n > much) {
            sort_long(p, NULL, &lists[d], bits - width);
            sort_each(p, &lists[d], 1, 0, true, UINT64_MAX);
        }
        join_lists(p, list, &lists[d]);
    }
}

/* rmat_key_ops.sort_lists */
static void sort_lists(rmat_chunks *p, rmat_list *lists, int width, int bits, int weight_bits,
                       bool unique)
{
    uint64_t n = 0, much;

    p->weight_bits = weight_bits;
    p->unique = unique;
    for (int d = 0; d < 1 << width; d++) {
        n += lists[d].n;
    }
    much = n / HEAVY / (uint64_t)p->threads;
    much = much * sizeof(KEY) > p->cached ? much : p->cached / sizeof(KEY);
    sort_each(p, lists, 1 << width, bits - width, false, much);
    for (int d = 0; d < 1 << width && !rmat_chunks_stop(p, 0); d++) {
        if (lists[d].n > much) {
            sort_heavy(p, &lists[d], bits - width, much);
        }
    }
}

/* Merges sorted keys into a list that is sorted. */
static void insert_list(rmat_chunks *p, rmat_worker *w, rmat_list *list, const KEY *more,
                        uint64_t m)
{
    rmat_list merged = RMAT_NO_KEYS;
    uint64_t k = 0;

    for (uint32_t c = list->head; c != RMAT_NO_CHUNK;) {
        const uint32_t next = p->next[c];
        const KEY *keys = rmat_chunk(p, c);
        const uint64_t n = p->fill[c];
        uint64_t at = 0;

        rmat_chunk_expect(p, next);
        for (; k < m && more[k] < keys[n - 1]; k++) {
            const uint64_t place = at + keys_below(keys + at, n - at, more[k]);

            append_keys(p, w, &merged, keys + at, place - at);
            append_keys(p, w, &merged, more + k, 1);
            at = place;
        }
        append_keys(p, w, &merged, keys + at, n - at);
        drop_chunk(p, w, c);
        c = next;
    }
    append_keys(p, w, &merged, more + k, m - k);
    *list = merged;
}

/* rmat_key_ops.insert */
static void insert_keys(rmat_chunks *p, rmat_list *lists, rmat_list *more, int width, int bits)
{
    uint64_t n = 0;

    for (int d = 0; d < 1 << width; d++) {
        n += more[d].n != 0 ? lists[d].n : 0;
    }
#pragma omp parallel for schedule(dynamic) num_threads(rmat_team(p->threads, n))
    for (int d = 0; d < 1 << width; d++) {
        rmat_worker *w = p->workers[omp_get_thread_num()];
        KEY *const side[2] = {w->side[0], w->side[1]};
        const uint64_t m = more[d].n;

        if (m * sizeof(KEY) > p->cached) { /* many: sort the whole list again */
            rmat_list sorted = RMAT_NO_KEYS;
            KEY last = 0;

            join_lists(p, &lists[d], &more[d]);
            sort_list(p, w, &lists[d], bits - width, false, &sorted, &last);
            lists[d] = sorted;
        } else if (m != 0) {
            load_list(p, w, &more[d], side[0]);
            insert_list(p, w, &lists[d], side[sort_cached(side, 0, m, bits - width)], m);
        }
    }
    rmat_chunks_share(p);
}

const rmat_key_ops KEYS_OPS = {sizeof(KEY), keep_keys, spread_keys, collect_keys, sort_lists,
                               insert_keys, key_at,    keys_below,  mark_rows,    edges_of_keys};
