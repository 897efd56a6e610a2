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

/* given: the keys have weights or are not to be loops, as edge sources need it, which are slower.
 */
INLINE uint64_t keep_edges(const rmat_key_range *in, uint64_t count, const void *src,
                           const void *dst, const uint32_t *weight, const int id_bytes,
                           const bool given, KEY *keys)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst, rows = in->rows;
    const bool weights = given && in->weights != RMAT_NO_WEIGHTS;
    const bool no_loops = given && in->no_loops;
    const KEY last = (KEY)in->last;
    const int dst_bits = in->dst_bits;
    uint64_t n = 0;

    if (in->all && !given) {
        for (uint64_t i = 0; i < count; i++) {
            keys[i] = (KEY)id_at(src, i, id_bytes) << dst_bits | id_at(dst, i, id_bytes);
        }
        return count;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t s = id_at(src, i, id_bytes), d = id_at(dst, i, id_bytes);
        const uint64_t row = s - first_src;
        const KEY cell = ((KEY)row << dst_bits) + d - first_dst;

        /* The key is written whether it is kept or not: without a branch, the filter costs 1 ns per
         * edge (AVX-512 Xeon), beside 5 ns to make it. */
        keys[n] = cell;
        if (weights) {
            keys[n] =
                cell << in->weight_bits | (rmat_weight_order(in->weights, weight[i]) - in->least);
        }
        n += (row <= rows) & (cell <= last) & !(no_loops && s == d);
    }
    return n;
}

static uint64_t keep_keys(const rmat_key_range *in, uint64_t count, const void *src,
                          const void *dst, const void *weight, int id_bytes, void *keys)
{
    return in->weights != RMAT_NO_WEIGHTS || in->no_loops
               ? keep_edges(in, count, src, dst, weight, id_bytes, true, keys)
           : id_bytes == 4 ? keep_edges(in, count, src, dst, NULL, 4, false, keys)
                           : keep_edges(in, count, src, dst, NULL, 8, false, keys);
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

/* Sorts n keys, which fit the cache, from the least significant digit, with memory for as many in
 * `other`.  Digits are as wide as possible while their counts cost little compared to n keys.
 * Returns the keys' place, either of the two. */
static KEY *sort_cached(KEY *keys, KEY *other, uint64_t n, int bits)
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
        KEY *const from = keys;
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
            other[counts[digit_of(from[i], shift, mask)]++] = from[i];
        }
        keys = other;
        other = from;
    }
    return keys;
}

/* Whether the work must end, for thread number `thread` of a team. */
static bool has_stopped(rmat_cpu_interval *s, int thread)
{
    if (thread == 0 && rmat_stops(s->gen)) {
        atomic_store(&s->stopped, true);
    }
    return atomic_load_explicit(&s->stopped, memory_order_relaxed);
}

/*
 * Lists of chunks.
 *
 * To distribute keys over lists, a thread collects those of each list in a line of its own, so that
 * memory sees whole lines only.  They are of two cache lines: that a line is full is a branch that
 * no processor foresees, which half as many take.
 */
/* There always is one: rmat_cpu_keys_create() has seen to it. */
static uint32_t take_chunk(rmat_cpu_interval *s, rmat_worker *w)
{
    const uint32_t own = w->free;

    if (own != RMAT_NO_CHUNK) {
        w->free = s->next[own];
        return own;
    }
    return s->spare[atomic_fetch_sub_explicit(&s->spares, 1, memory_order_relaxed) - 1];
}

static void drop_chunk(rmat_cpu_interval *s, rmat_worker *w, uint32_t chunk)
{
    s->next[chunk] = w->free;
    w->free = chunk;
}

/* Appends a chunk of `fill` keys to the list.  If the number is not known yet, `fill` is that of a
 * full chunk, and the last chunk gets its number when the list is complete. */
static void extend_list(rmat_cpu_interval *s, rmat_worker *w, rmat_list *l, uint16_t fill)
{
    const uint32_t chunk = take_chunk(s, w);

    s->fill[chunk] = fill;
    s->next[chunk] = RMAT_NO_CHUNK;
    if (l->head == RMAT_NO_CHUNK) {
        l->head = chunk;
    } else {
        s->next[l->tail] = chunk;
    }
    l->tail = chunk;
}

/* Appends a list, which has no keys then. */
static void join_lists(rmat_cpu_interval *s, rmat_list *to, rmat_list *more)
{
    if (to->head == RMAT_NO_CHUNK) {
        *to = *more;
    } else if (more->head != RMAT_NO_CHUNK) {
        s->next[to->tail] = more->head;
        to->tail = more->tail;
        to->n += more->n;
    }
    *more = RMAT_NO_KEYS;
}

static uint64_t keys_of_chunk(const rmat_cpu_interval *s)
{
    return ((uint64_t)1 << s->shift) / sizeof(KEY);
}

/* Appends keys to a worker's lists by `width` bits from `shift` on.  The place of a list's last key
 * in its line has the number of its keys so far, so that a key touches one line. */
static void spread_keys(rmat_cpu_interval *s, rmat_worker *w, const KEY *keys, uint64_t n,
                        int shift, int width)
{
    const unsigned mask = (1u << width) - 1;
    const uint64_t full = keys_of_chunk(s);
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
                extend_list(s, w, &w->lists[d], (uint16_t)full);
            }
            store_line((KEY *)rmat_chunk(s, w->lists[d].tail) + begin, &lines[d]);
            lines[d].keys[LINE - 1] = at + 1;
        }
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Appends the keys that a worker has spread to the lists, which are 2^width. */
static void collect_from(rmat_cpu_interval *s, rmat_worker *w, int width, rmat_list *lists)
{
    const uint64_t full = keys_of_chunk(s);
    line *lines = (line *)w->lines;

    for (int d = 0; d < 1 << width; d++) {
        rmat_list *l = &w->lists[d];
        const uint64_t n = (uint64_t)lines[d].keys[LINE - 1];
        const uint64_t rest = n % LINE, at = n & (full - 1);

        if (rest) {
            if (rest == at) {
                extend_list(s, w, l, (uint16_t)full);
            }
            memcpy((KEY *)rmat_chunk(s, l->tail) + (at - rest), lines[d].keys, rest * sizeof(KEY));
        }
        if (at) {
            s->fill[l->tail] = (uint16_t)at;
        }
        l->n = n;
        lines[d].keys[LINE - 1] = 0;
        join_lists(s, &lists[d], l);
    }
}

/* Spreads the keys of chunks in a row, up to `end`, and drops the chunks. */
static void spread_chunks(rmat_cpu_interval *s, rmat_worker *w, uint32_t chunk, uint32_t end,
                          int shift, int width)
{
    while (chunk != end) {
        const uint32_t next = s->next[chunk];

        rmat_chunk_expect(s, next);
        spread_keys(s, w, rmat_chunk(s, chunk), s->fill[chunk], shift, width);
        drop_chunk(s, w, chunk);
        chunk = next;
    }
}

/* Makes a list 2^width lists by a digit, in which keys are in the same order as before; by one
 * worker, or by all if it is NULL. */
static void distribute_list(rmat_cpu_interval *s, rmat_worker *w, const rmat_list *from, int shift,
                            int width, rmat_list *lists)
{
    uint64_t left = 0;
    uint32_t chunk = from->head;

    rmat_clear_lists(lists, width);
    if (w != NULL) {
        spread_chunks(s, w, chunk, RMAT_NO_CHUNK, shift, width);
        collect_from(s, w, width, lists);
        return;
    }
    for (uint32_t c = chunk; c != RMAT_NO_CHUNK; c = s->next[c]) {
        left++;
    }
#pragma omp parallel for ordered schedule(static, 1) num_threads(s->threads)
    for (int t = 0; t < s->threads; t++) {
        uint32_t first, end;

#pragma omp ordered
        {
            first = chunk;
            for (uint64_t i = left / (uint64_t)(s->threads - t); i > 0; i--, left--) {
                chunk = s->next[chunk];
            }
            end = chunk;
        }
        spread_chunks(s, s->workers[t], first, end, shift, width);
    }
    for (int t = 0; t < s->threads; t++) {
        collect_from(s, s->workers[t], width, lists);
    }
    rmat_chunks_share(s);
}

static void append_keys(rmat_cpu_interval *s, rmat_worker *w, rmat_list *to, const KEY *keys,
                        uint64_t n)
{
    const uint64_t full = keys_of_chunk(s);

    while (n) {
        uint64_t fill, some;

        if (to->head == RMAT_NO_CHUNK || s->fill[to->tail] == full) {
            extend_list(s, w, to, 0);
        }
        fill = s->fill[to->tail];
        some = n < full - fill ? n : full - fill;
        memcpy((KEY *)rmat_chunk(s, to->tail) + fill, keys, some * sizeof *keys);
        s->fill[to->tail] = (uint16_t)(fill + some);
        to->n += some;
        keys += some;
        n -= some;
    }
}

/* Appends sorted keys.  If edges are unique, it appends only the first key of each cell, and
 * changes `keys`. */
static void emit_keys(rmat_cpu_interval *s, rmat_worker *w, rmat_list *to, KEY *keys, uint64_t n)
{
    if (s->unique && n) {
        const int bits = rmat_weight_bits(&s->in);
        uint64_t kept = 0;
        KEY before = ~keys[0];

        if (to->n > 0) {
            before = ((const KEY *)rmat_chunk(s, to->tail))[s->fill[to->tail] - 1];
        }
        for (uint64_t i = 0; i < n; i++) { /* written in any case: without a branch */
            const KEY key = keys[i];

            keys[kept] = key;
            kept += key >> bits != before >> bits;
            before = key;
        }
        n = kept;
    }
    append_keys(s, w, to, keys, n);
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

/* The bits by which lists of keys with so many bits left are distributed again; 0: they have been,
 * or only weights are left. */
static int again_bits(const rmat_cpu_interval *s, int bits)
{
    const int cell_bits = bits - rmat_weight_bits(&s->in);

    return bits < s->in.bits - s->width ? 0 : cell_bits < s->again ? cell_bits : s->again;
}

/* Appends the keys of a list that fits the cache in order, and drops it. */
static void sort_short(rmat_cpu_interval *s, rmat_worker *w, const rmat_list *list, int bits,
                       rmat_list *to)
{
    KEY *const keys = (KEY *)(w + 1), *end = keys;

    for (uint32_t c = list->head, next; c != RMAT_NO_CHUNK; c = next) {
        next = s->next[c];
        rmat_chunk_expect(s, next);
        memcpy(end, rmat_chunk(s, c), s->fill[c] * sizeof *end);
        end += s->fill[c];
        drop_chunk(s, w, c);
    }
    emit_keys(s, w, to, sort_cached(keys, keys + s->cached / sizeof(KEY), list->n, bits), list->n);
}

/* Appends the keys of any list in order, and drops it; by one worker, or by all if it is NULL. */
static void sort_long(rmat_cpu_interval *s, rmat_worker *w, rmat_list *list, int bits,
                      rmat_list *to)
{
    rmat_list lists[1 << RMAT_AGAIN];

    for (int shift = 0; shift < bits; shift += s->again) {
        const int width = bits - shift < s->again ? bits - shift : s->again;

        distribute_list(s, w, list, shift, width, lists);
        *list = RMAT_NO_KEYS;
        for (int d = 0; d < 1 << width; d++) {
            join_lists(s, list, &lists[d]);
        }
    }
    w = w != NULL ? w : s->workers[0];
    for (uint32_t c = list->head, next; c != RMAT_NO_CHUNK; c = next) {
        next = s->next[c];
        rmat_chunk_expect(s, next);
        emit_keys(s, w, to, rmat_chunk(s, c), s->fill[c]);
        drop_chunk(s, w, c);
    }
}

/* Appends the keys of a list in order. */
static void sort_list(rmat_cpu_interval *s, rmat_worker *w, rmat_list *list, int bits,
                      rmat_list *to)
{
    const int width = again_bits(s, bits);
    rmat_list lists[1 << RMAT_AGAIN];

    if (list->n * sizeof(KEY) <= s->cached) {
        sort_short(s, w, list, bits, to);
    } else if (width == 0) {
        sort_long(s, w, list, bits, to);
    } else {
        distribute_list(s, w, list, bits - width, width, lists);
        for (int d = 0; d < 1 << width && !has_stopped(s, omp_get_thread_num()); d++) {
            sort_list(s, w, &lists[d], bits - width, to);
        }
    }
}

/* Sorts the lists, `count` of them: each by one thread, or by all, if it has more than `much`
 * keys. */
static void sort_lists(rmat_cpu_interval *s, rmat_list *lists, int count, int bits, uint64_t much)
{
    const int width = again_bits(s, bits);
    rmat_list parts[1 << RMAT_AGAIN];
    uint64_t n = 0;

    for (int d = 0; d < count; d++) {
        n += lists[d].n <= much ? lists[d].n : 0;
    }
#pragma omp parallel for schedule(dynamic) num_threads(rmat_team(s->threads, n))
    for (int d = 0; d < count; d++) {
        rmat_list sorted = RMAT_NO_KEYS;
        const int thread = omp_get_thread_num();

        if (lists[d].n <= much && !has_stopped(s, thread)) {
            sort_list(s, s->workers[thread], &lists[d], bits, &sorted);
            lists[d] = sorted;
        }
    }
    rmat_chunks_share(s);
    for (int d = 0; d < count && !has_stopped(s, 0); d++) {
        rmat_list sorted = RMAT_NO_KEYS;

        if (lists[d].n <= much) {
            continue;
        }
        if (width == 0) {
            sort_long(s, NULL, &lists[d], bits, &sorted);
            rmat_chunks_share(s);
        } else {
            distribute_list(s, NULL, &lists[d], bits - width, width, parts);
            sort_lists(s, parts, 1 << width, bits - width, much);
            for (int k = 0; k < 1 << width; k++) {
                join_lists(s, &sorted, &parts[k]);
            }
        }
        lists[d] = sorted;
    }
}

/* --- rmat_key_ops --- */

static void spread_new(rmat_cpu_interval *s, rmat_worker *w, const void *keys, uint64_t n)
{
    spread_keys(s, w, keys, n, s->in.bits - s->width, s->width);
}

static void sort_all(rmat_cpu_interval *s)
{
    uint64_t n = 0, much;

    for (int t = 0; t < s->threads; t++) {
        collect_from(s, s->workers[t], s->width, s->lists);
    }
    for (int d = 0; d < 1 << s->width; d++) {
        n += s->lists[d].n;
    }
    much = n / HEAVY / (uint64_t)s->threads;
    much = much * sizeof(KEY) > s->cached ? much : s->cached / sizeof(KEY);
    sort_lists(s, s->lists, 1 << s->width, s->in.bits - s->width, much);
}

static KEY key_of_cell(const rmat_cpu_interval *s, const rmat_first_seen *c)
{
    return (KEY)rmat_key_of(&s->in, c->cell.src, c->cell.dst);
}

static unsigned list_of_cell(const rmat_cpu_interval *s, const rmat_first_seen *c)
{
    return (unsigned)(key_of_cell(s, c) >> (s->in.bits - s->width));
}

/* Merges the cells that belong to the list of the first one into it. */
static void insert_list(rmat_cpu_interval *s, rmat_worker *w, const rmat_first_seen *cells,
                        const rmat_first_seen *end)
{
    const unsigned d = list_of_cell(s, cells);
    rmat_list merged = RMAT_NO_KEYS;
    KEY key;

    for (uint32_t c = s->lists[d].head, next; c != RMAT_NO_CHUNK; c = next) {
        const KEY *keys = rmat_chunk(s, c);
        uint64_t left = s->fill[c];

        next = s->next[c];
        rmat_chunk_expect(s, next);
        for (; cells < end && (key = key_of_cell(s, cells)) < keys[left - 1]; cells++) {
            const uint64_t below = keys_below(keys, left, key);

            append_keys(s, w, &merged, keys, below);
            append_keys(s, w, &merged, &key, 1);
            keys += below;
            left -= below;
        }
        append_keys(s, w, &merged, keys, left);
        drop_chunk(s, w, c);
    }
    for (; cells < end && list_of_cell(s, cells) == d; cells++) {
        key = key_of_cell(s, cells);
        append_keys(s, w, &merged, &key, 1);
    }
    s->lists[d] = merged;
}

static void insert_cells(rmat_cpu_interval *s, uint64_t n, const rmat_first_seen *cells)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(rmat_team(s->threads, s->n))
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || list_of_cell(s, &cells[i - 1]) != list_of_cell(s, &cells[i])) {
            insert_list(s, s->workers[omp_get_thread_num()], &cells[i], cells + n);
        }
    }
    rmat_chunks_share(s);
}

const rmat_key_ops KEYS_OPS = {sizeof(KEY),  keep_keys,  spread_new,   sort_all,
                               insert_cells, keys_below, edges_of_keys};
