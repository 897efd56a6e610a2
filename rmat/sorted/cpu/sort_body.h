/*
 * sort_body.h - radix sort, from the least significant digit, of keys of one type, KEY, that fit
 * the cache together with a buffer of the same size; and what lists_body.h, for any number of keys,
 * shares with it.
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
    LOW_BITS = 10,
    FEW = 24,                       /* keys up to which insertion sort is used */
    LINE = RMAT_LINE / sizeof(KEY), /* keys */
    SPREAD = 3 /* a digit is so narrow that each value has 2^SPREAD keys or more, on average */
};

typedef struct {
    _Alignas(64) KEY keys[LINE];
} line;

static inline unsigned digit(KEY key, int shift, unsigned mask)
{
    return (unsigned)(key >> shift) & mask;
}

/* Stores a line that will not be read soon, past the caches. */
static inline void store_line(KEY *to, const line *from)
{
#ifdef __SSE2__
    for (int i = 0; i < RMAT_LINE / 16; i++) {
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    }
#else
    memcpy(to, from, sizeof *from);
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

/* Sorts n keys of side `at`, which fit the cache, from the least significant digit.  Returns the
 * side where they are then. */
static int sort_cached(KEY *const side[2], int at, uint64_t n, int bits)
{
    const int passes = low_passes(n, bits), width = passes ? (bits + passes - 1) / passes : 0;
    const unsigned mask = (1u << width) - 1;
    uint32_t counts[1 << LOW_BITS];

    if (n <= FEW) {
        insert_each(side[at], n, side[!at]);
        return !at;
    }
    for (int shift = 0; shift < bits; shift += width) {
        const KEY *from = side[at];
        KEY *to = side[!at];
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
        at = !at;
    }
    return at;
}
