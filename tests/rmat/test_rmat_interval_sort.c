/*
 * The radix sort of keys in lists against qsort(): keys of both sizes, any number of threads, few
 * keys and many, in patterns that fill one list, few or all; with copies or each once; and keys
 * that are inserted afterwards.
 */
#include "rmat/sorted/cpu/interval.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

enum { PATTERNS = 9 };

static uint64_t state;

static rmat_key key_of(int pattern, uint64_t i, uint64_t n, int bits)
{
    const rmat_key mask = bits == 128 ? ~(rmat_key)0 : ((rmat_key)1 << bits) - 1;
    const rmat_key any = (rmat_key)next_random(&state) << 64 | next_random(&state);
    rmat_key skewed = 0;

    for (int b = 0; b < bits && pattern == 8; b += 2) { /* as R-MAT's */
        skewed = skewed << 2 | (next_random(&state) % 100 < 57 ? 0 : next_random(&state) % 4);
    }
    return mask & (pattern == 0   ? any
                   : pattern == 1 ? mask / 3     /* all equal */
                   : pattern == 2 ? mask / n * i /* in order */
                   : pattern == 3 ? mask - mask / n * i
                   : pattern == 4 ? any & (mask >> 1 | 7) & ((rmat_key)0x1248 << 20 | 0xFF)
                   : pattern == 5 ? (i % 2 ? mask : 0)
                   : pattern == 6 ? (i == n / 2 ? any : 1) /* all but one */
                   : pattern == 7 ? any & 0x3FF            /* lowest bits only */
                                  : skewed);
}

static int compare64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int compare128(const void *a, const void *b)
{
    const rmat_key x = *(const rmat_key *)a, y = *(const rmat_key *)b;

    return (x > y) - (x < y);
}

static void fill(const rmat_key_ops *ops, int pattern, uint64_t n, int bits, unsigned char *keys)
{
    for (uint64_t i = 0; i < n; i++) {
        const rmat_key key = key_of(pattern, i, n, bits);

        memcpy(keys + i * ops->bytes, &key, ops->bytes); /* little-endian */
    }
}

static void sort_plainly(const rmat_key_ops *ops, unsigned char *keys, uint64_t n)
{
    qsort(keys, n, ops->bytes, ops->bytes == 8 ? compare64 : compare128);
}

/* The keys of all lists in order. */
static uint64_t list_keys(const rmat_cpu_interval *s, unsigned char *to)
{
    const size_t each = s->ops->bytes;
    uint64_t n = 0;

    for (int d = 0; d < 1 << s->width; d++) {
        for (uint32_t c = s->lists[d].head; c != RMAT_NO_CHUNK; c = s->next[c]) {
            memcpy(to + n * each, rmat_chunk(s, c), s->fill[c] * each);
            n += s->fill[c];
        }
    }
    return n;
}

/* Of sorted keys only the first of each cell stays. */
static uint64_t drop_copies(unsigned char *keys, uint64_t n, size_t each, int weight_bits)
{
    rmat_key last = 0, key = 0;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < n; i++) {
        memcpy(&key, keys + i * each, each);
        if (i == 0 || key >> weight_bits != last >> weight_bits) {
            memmove(keys + kept++ * each, keys + i * each, each);
        }
        last = key;
    }
    return kept;
}

/* Spreads n keys over lists, by all threads, and sorts them with those that are there. */
static void add(rmat_cpu_interval *s, const unsigned char *keys, uint64_t n)
{
    const uint64_t threads = (uint64_t)s->threads;

    for (uint64_t t = 0; t < threads; t++) {
        const uint64_t first = n / threads * t, end = t + 1 == threads ? n : first + n / threads;

        s->ops->spread(s, s->workers[t], keys + first * s->ops->bytes, end - first);
    }
    s->ops->sort(s);
}

/* Inserts keys, which are in order, as cells. */
static void insert(rmat_cpu_interval *s, const unsigned char *keys, uint64_t n)
{
    scoped(free) rmat_first_seen *cells = must_alloc(n + 1, sizeof *cells);

    for (uint64_t i = 0; i < n; i++) {
        rmat_key key = 0;

        memcpy(&key, keys + i * s->ops->bytes, s->ops->bytes);
        cells[i].cell = (rmat_cell){(uint64_t)(key >> 64), (uint64_t)key};
    }
    s->ops->insert(s, n, cells);
}

/* Lists that have room for n keys get them and are sorted.  Those of unique keys get them in two
 * parts, and in the end more keys are inserted, as many as have been dropped. */
static void compare(const rmat_key_ops *ops, int pattern, uint64_t n, int bits, int weight_bits,
                    int threads, bool unique)
{
    const size_t each = ops->bytes;
    const uint64_t part = unique && n > 1 ? n / 2 : n;
    const rmat_gen gen = {.threads = threads};
    const rmat_key_range in = {.dst_bits = 64,
                               .bits = bits,
                               .weights = weight_bits ? RMAT_WEIGHTS_INT : RMAT_NO_WEIGHTS,
                               .weight_bits = weight_bits};
    scoped(free) unsigned char *keys = must_alloc(n + 1, each), *expected = must_alloc(n + 1, each),
                               *got = must_alloc(n + 1, each);
    scoped(free) rmat_cpu_interval *s = must_alloc(1, sizeof *s);
    uint64_t left = n, m;

    memset(s, 0, sizeof *s);
    ok(rmat_cpu_keys_create(s, &gen, n, (int)each));
    rmat_cpu_keys_begin(s, &in, unique);
    s->ops = ops;
    fill(ops, pattern, n, bits, keys);
    memcpy(expected, keys, n * each);
    for (uint64_t i = 0; i < n; i += part) { /* the last part may have one key */
        add(s, keys + i * each, n - i < part ? n - i : part);
    }
    sort_plainly(ops, expected, n);
    if (unique) {
        left = drop_copies(expected, n, each, weight_bits);
    }
    m = list_keys(s, got);
    must(m == left && !memcmp(got, expected, m * each),
         "pattern %d, %lu keys of %d bits in %zu bytes, %d threads, unique %d", pattern, n, bits,
         each, threads, unique);
    if (unique && weight_bits == 0) {
        sort_plainly(ops, keys + left * each, n - left);
        memcpy(expected + left * each, keys + left * each, (n - left) * each);
        insert(s, keys + left * each, n - left);
        sort_plainly(ops, expected, n);
        m = list_keys(s, got);
        must(m == n && !memcmp(got, expected, n * each),
             "pattern %d, %lu keys of %d bits in %zu bytes, %d threads: inserted", pattern, n, bits,
             each, threads);
    }
    rmat_cpu_keys_destroy(s);
}

START_TEST(patterns)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 23, 24, 25, 100, 1025, 5000};
    static const int bits[] = {1, 2, 9, 10, 11, 20, 21, 33, 48, 63, 64, 65, 100, 127, 128};

    state = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) {
            for (int pattern = 0; pattern < PATTERNS; pattern++) {
                const int threads = 1 + pattern % 3;
                const bool unique = (pattern + k) % 2;

                if (bits[k] <= 64) {
                    compare(&rmat_keys64, pattern, sizes[i], bits[k], 0, threads, unique);
                }
                compare(&rmat_keys128, pattern, sizes[i], bits[k], 0, threads, !unique);
            }
        }
    }
}

/* More than fits the cache. */
START_TEST(many)
{
    state = 2;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (int threads = 1; threads < 4; threads++) {
            compare(&rmat_keys64, pattern, 140000 + 3 * (uint64_t)threads, 41 + threads, 0, threads,
                    false);
            compare(&rmat_keys128, pattern, 70000, 99, 0, threads, false);
        }
        compare(&rmat_keys64, pattern, 270001, 12, 0, 1, false);
        compare(&rmat_keys64, pattern, 270001, 1, 0, 2, false);
        compare(&rmat_keys64, pattern, 270001, 40, 32, 3, false);
    }
}

START_TEST(lists)
{
    state = 3;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        const int threads = 1 + pattern % 3;

        compare(&rmat_keys64, pattern, 5000, 24, 0, threads, true);
        compare(&rmat_keys64, pattern, 210000, 48, 3 * pattern, threads, true);
        compare(&rmat_keys64, pattern, 140000, 34, 32, 4 - threads, true);
        compare(&rmat_keys128, pattern, 100001, 70, 0, 4 - threads, true);
    }
}

TEST_CASES(rmat_interval_sort, 240, ONCE(patterns), ONCE(many), ONCE(lists))
