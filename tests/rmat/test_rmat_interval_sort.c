/*
 * The radix sort of keys against qsort(): keys of both sizes, any number of threads, few keys and
 * many, in patterns that fill one bucket, few of them, or all; nothing is written outside.
 */
#include "rmat/sorted/cpu/keys.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { GUARDS = 16, PATTERNS = 9 };

static uint64_t state;

static uint64_t word(void)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    return (state ^ (state >> 31)) * UINT64_C(0xBF58476D1CE4E5B9) ^ state >> 17;
}

static rmat_key key_of(int pattern, uint64_t i, uint64_t n, int bits)
{
    const rmat_key mask = bits == 128 ? ~(rmat_key)0 : ((rmat_key)1 << bits) - 1;
    const rmat_key any = (rmat_key)word() << 64 | word();
    rmat_key skewed = 0;

    switch (pattern) {
    case 0:
        return any & mask;
    case 1:
        return mask / 3; /* all equal */
    case 2:
        return mask / n * i; /* in order */
    case 3:
        return mask - mask / n * i;
    case 4:
        return any & mask & (mask >> 1 | 7) & ((rmat_key)0x1248 << 20 | 0xFF);
    case 5:
        return i % 2 ? mask : 0;
    case 6:
        return i == n / 2 ? any & mask : 1 & mask; /* all but one */
    case 7:
        return (any & 0x3FF) & mask; /* lowest bits only */
    default:
        for (int b = 0; b < bits; b += 2) { /* as R-MAT's */
            skewed = skewed << 2 | (word() % 100 < 57 ? 0 : word() % 4);
        }
        return skewed & mask;
    }
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

static void compare(const rmat_key_ops *ops, int pattern, uint64_t n, int bits, int threads)
{
    const size_t size = n * ops->bytes;
    unsigned char *memory[2], *sorted, *expected = malloc(size + 1);

    for (int k = 0; k < 2; k++) {
        must(!posix_memalign((void **)&memory[k], 64, size + GUARDS), "no memory");
        memset(memory[k], 0xA5, size + GUARDS);
    }
    must(expected, "no memory");
    for (uint64_t i = 0; i < n; i++) {
        const rmat_key key = key_of(pattern, i, n, bits);

        memcpy(memory[0] + i * ops->bytes, &key, ops->bytes); /* little-endian */
    }
    memcpy(expected, memory[0], size);
    qsort(expected, n, ops->bytes, ops->bytes == 8 ? compare64 : compare128);
    sorted = ops->sort(memory[0], memory[1], n, bits, threads);
    must(sorted == memory[0] || sorted == memory[1], "sorted elsewhere");
    must(!memcmp(sorted, expected, size),
         "pattern %d, %lu keys of %d bits in %zu bytes, %d threads", pattern, n, bits, ops->bytes,
         threads);
    for (int k = 0; k < 2; k++) {
        for (int g = 0; g < GUARDS; g++) {
            must(memory[k][size + (size_t)g] == 0xA5, "written behind the end");
        }
        free(memory[k]);
    }
    free(expected);
}

START_TEST(patterns)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 23, 24, 25, 100, 1025, 5000};
    static const int bits[] = {1, 2, 9, 10, 11, 20, 21, 33, 48, 63, 64, 65, 100, 127, 128};

    state = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) {
            for (int pattern = 0; pattern < PATTERNS; pattern++) {
                if (bits[k] <= 64) {
                    compare(&rmat_keys64, pattern, sizes[i], bits[k], 1 + pattern % 3);
                }
                compare(&rmat_keys128, pattern, sizes[i], bits[k], 1 + pattern % 3);
            }
        }
    }
}
END_TEST

/* More than fits the cache, so that they are cut from the top first. */
START_TEST(many)
{
    state = 2;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (int threads = 1; threads < 4; threads++) {
            compare(&rmat_keys64, pattern, 140000 + 3 * (uint64_t)threads, 41 + threads, threads);
            compare(&rmat_keys128, pattern, 70000, 99, threads);
        }
        compare(&rmat_keys64, pattern, 270001, 12, 1);
        compare(&rmat_keys64, pattern, 270001, 1, 2);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_interval_sort");
    TCase *tcase = tcase_create("radix sort");

    tcase_set_timeout(tcase, 240);
    tcase_add_test(tcase, patterns);
    tcase_add_test(tcase, many);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
