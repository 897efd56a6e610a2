/*
 * sort_body.h - radix sort of keys of one type, KEY, with one buffer of the same size.
 *
 * It starts from the most significant digit: all threads together distribute the keys over up to
 * 2^TOP_BITS buckets by their highest bits, each thread by way of a cache line for each bucket, so
 * that memory sees whole lines only.  After that a bucket belongs to one thread, which distributes
 * it further until it fits the cache, and then sorts it from the least significant digit.  The
 * buckets of an R-MAT graph are of very unequal size: one that is a large part of the whole is
 * distributed again by all threads, and digits that all keys share cost no move.
 *
 * It is written here because the libraries that could do it (Highway's vqsort, TBB) are C++.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    TOP_BITS = 12,
    LOW_BITS = 10,
    IN_CACHE = 1 << 20,      /* bytes of keys that, with their buffer, fit the second-level cache */
    FEW = 24,                /* keys up to which insertion sort is used */
    LINE = 64 / sizeof(KEY), /* keys of a cache line */
    SPREAD = 3 /* a digit is so narrow that each value has 2^SPREAD keys or more, on average */
};

typedef struct {
    _Alignas(64) KEY keys[LINE];
} line;

/* The buckets of one thread: unfinished lines, next places and first places. */
typedef struct {
    line lines[1 << TOP_BITS];
    uint64_t at[1 << TOP_BITS], begin[1 << TOP_BITS];
} workspace;

typedef struct {
    KEY *side[2];
    int home; /* the side where the sorted keys end */
    int threads;
    workspace *work;
} sorting;

static inline unsigned digit(KEY key, int shift, unsigned mask)
{
    return (unsigned)(key >> shift) & mask;
}

/* Stores a line that will not be read soon, past the caches. */
static inline void store_line(KEY *to, const line *from)
{
#ifdef __SSE2__
    for (int i = 0; i < 4; i++) {
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    }
#else
    memcpy(to, from, sizeof *from);
#endif
}

static void count_digits(const KEY *from, uint64_t n, int shift, int width, uint64_t *counts)
{
    const unsigned mask = (1u << width) - 1;

    memset(counts, 0, sizeof *counts << width);
    for (uint64_t i = 0; i < n; i++) {
        counts[digit(from[i], shift, mask)]++;
    }
}

/* Distributes keys: those of digit d go to to[w->at[d]] and on.  `to` is aligned to cache lines. */
static void scatter(const KEY *from, uint64_t n, KEY *to, int shift, int width, workspace *w)
{
    const unsigned mask = (1u << width) - 1;

    memcpy(w->begin, w->at, sizeof *w->at << width);
    for (uint64_t i = 0; i < n; i++) {
        const KEY key = from[i];
        const unsigned d = digit(key, shift, mask);
        const uint64_t at = w->at[d]++;

        w->lines[d].keys[at % LINE] = key;
        if (at % LINE == LINE - 1) {
            if (at - (LINE - 1) >= w->begin[d]) {
                store_line(to + at - (LINE - 1), &w->lines[d]);
            } else { /* the line begins with keys of another bucket or thread */
                for (uint64_t k = w->begin[d]; k <= at; k++) {
                    to[k] = w->lines[d].keys[k % LINE];
                }
            }
        }
    }
    for (unsigned d = 0; d <= mask; d++) {
        const uint64_t end = w->at[d], whole = end - end % LINE;

        for (uint64_t k = whole > w->begin[d] ? whole : w->begin[d]; k < end; k++) {
            to[k] = w->lines[d].keys[k % LINE];
        }
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

static void insert_each(const KEY *from, uint64_t n, KEY *to)
{
    for (uint64_t i = 0; i < n; i++) {
        const KEY key = from[i];
        uint64_t k = i;

        for (; k > 0 && to[k - 1] > key; k--) {
            to[k] = to[k - 1];
        }
        to[k] = key;
    }
}

/* How many passes n keys of so many bits take from the least significant digit: digits are as wide
 * as they can be without making their counts cost much beside so many keys. */
static int low_passes(uint64_t n, int bits)
{
    int width = 6;

    while (width < LOW_BITS && n >> (width + SPREAD)) {
        width++;
    }
    return (bits + width - 1) / width;
}

/* Sorts keys [lo, lo + n) of side `side`, which fit the cache, from the least significant digit. */
static void sort_low(const sorting *s, int side, uint64_t lo, uint64_t n, int bits)
{
    const int passes = low_passes(n, bits), width = passes ? (bits + passes - 1) / passes : 0;
    const unsigned mask = (1u << width) - 1;
    uint32_t counts[1 << LOW_BITS];

    if (n <= FEW) {
        insert_each(s->side[side] + lo, n, s->side[s->home] + lo);
        return;
    }
    for (int shift = 0; shift < bits; shift += width) {
        const KEY *from = s->side[side] + lo;
        KEY *to = s->side[!side] + lo;
        uint32_t sum = 0;

        memset(counts, 0, sizeof *counts << width);
        for (uint64_t i = 0; i < n; i++) {
            counts[digit(from[i], shift, mask)]++;
        }
        if (counts[digit(*from, shift, mask)] == n) {
            continue;
        }
        for (unsigned d = 0; d <= mask; d++) {
            const uint32_t count = counts[d];

            counts[d] = sum;
            sum += count;
        }
        for (uint64_t i = 0; i < n; i++) {
            to[counts[digit(from[i], shift, mask)]++] = from[i];
        }
        side = !side;
    }
    if (side != s->home) {
        memcpy(s->side[s->home] + lo, s->side[side] + lo, n * sizeof(KEY));
    }
}

/* Whether they are ready for sort_low(). */
static bool is_low(uint64_t n, int bits)
{
    return n * sizeof(KEY) <= IN_CACHE || bits == 0;
}

/* How many leading bits to distribute by: so many that buckets fill a fraction of the cache, and
 * enough to keep the recursion shallow. */
static int top_width(uint64_t n, int bits)
{
    int width = bits < 8 ? bits : 8;

    while (width < TOP_BITS && width < bits && n >> width > IN_CACHE / 4 / sizeof(KEY)) {
        width++;
    }
    return width;
}

/* Sorts keys [lo, lo + n) of side `side`, any number of them, on this thread; `bits` may be 0. */
static void sort_part(const sorting *s, int side, uint64_t lo, uint64_t n, int bits, workspace *w)
{
    uint64_t begin[(1 << TOP_BITS) + 1];
    const KEY *from = s->side[side] + lo;
    int width, shift;

    for (;;) {
        uint64_t sum = lo;

        if (is_low(n, bits)) {
            sort_low(s, side, lo, n, bits);
            return;
        }
        width = top_width(n, bits);
        shift = bits - width;
        count_digits(from, n, shift, width, w->at);
        if (w->at[digit(*from, shift, (1u << width) - 1)] < n) {
            for (int d = 0; d < 1 << width; d++) {
                begin[d] = sum;
                sum += w->at[d];
                w->at[d] = begin[d];
            }
            begin[1 << width] = sum;
            break;
        }
        bits = shift;
    }
    scatter(from, n, s->side[!side], shift, width, w);
    for (int d = 0; d < 1 << width; d++) {
        sort_part(s, !side, begin[d], begin[d + 1] - begin[d], shift, w);
    }
}

/* Distributes keys [lo, lo + n) by all threads; those of digit d begin at begin[d] then.  Returns 0
 * if all have the same digit, in which case nothing moves. */
static int distribute(const sorting *s, int side, uint64_t lo, uint64_t n, int shift, int width,
                      uint64_t *begin)
{
    const KEY *from = s->side[side] + lo;
    int moves = 1;

#pragma omp parallel num_threads(s->threads)
    {
        const uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();
        const uint64_t first = n / team * t, end = t + 1 == team ? n : n / team * (t + 1);
        workspace *w = &s->work[t];

        count_digits(from + first, end - first, shift, width, w->at);
#pragma omp barrier
#pragma omp single
        {
            uint64_t sum = lo;

            for (int d = 0; d < 1 << width; d++) {
                begin[d] = sum;
                for (uint64_t k = 0; k < team; k++) {
                    const uint64_t count = s->work[k].at[d];

                    s->work[k].at[d] = sum;
                    sum += count;
                }
                moves &= sum - begin[d] < n;
            }
            begin[1 << width] = sum;
        }
        if (moves) {
            scatter(from + first, end - first, s->side[!side], shift, width, w);
        }
    }
    return moves;
}

/* Does what sort_part() does, by all threads. */
static void sort_all(const sorting *s, int side, uint64_t lo, uint64_t n, int bits)
{
    uint64_t begin[(1 << TOP_BITS) + 1];
    const uint64_t much = n / 8 / (uint64_t)s->threads;
    int width, shift, buckets;

    do {
        if (s->threads == 1 || is_low(n, bits)) {
            sort_part(s, side, lo, n, bits, s->work);
            return;
        }
        width = top_width(n, bits);
        shift = bits - width;
        bits = shift;
    } while (!distribute(s, side, lo, n, shift, width, begin));
    buckets = 1 << width;
    for (int d = 0; d < buckets; d++) {
        if (begin[d + 1] - begin[d] > much) {
            sort_all(s, !side, begin[d], begin[d + 1] - begin[d], shift);
        }
    }
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
    for (int d = 0; d < buckets; d++) {
        if (begin[d + 1] - begin[d] <= much) {
            sort_part(s, !side, begin[d], begin[d + 1] - begin[d], shift,
                      &s->work[omp_get_thread_num()]);
        }
    }
}

/* rmat_key_ops.sort */
static void *sort(void *keys, void *scratch, uint64_t n, int bits, int threads)
{
    sorting s = {{keys, scratch}, 0, threads, NULL};
    const int cuts = !is_low(n, bits), width = cuts ? top_width(n, bits) : 0;

    if (n < 2) {
        return keys;
    }
    if (posix_memalign((void **)&s.work, 64, (size_t)threads * sizeof *s.work)) {
        return NULL;
    }
    /* The side where the keys end without a last copy, if every pass moves them. */
    s.home = (cuts + low_passes(n >> width, bits - width)) % 2;
    sort_all(&s, 0, 0, n, bits);
    free(s.work);
    return s.side[s.home];
}
