/* Counts of bits beside those of a loop over them, for every number of words up to some thousand.
 */
#include "rmat/tally/tally.h"
#include "tests/support/run_suite.h"
#include <stdlib.h>

enum { CALLS = 1100 };

/* Sparse in the high bits, dense in the low ones. */
static uint64_t word(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;

    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (x ^ x >> 32) | (i % 3 != 0 ? 0xFFFF : 0);
}

START_TEST(test_every_number_of_words)
{
    static bit_counts counts;
    uint64_t expected[64] = {0};

    for (uint64_t call = 0; call < CALLS; call++) {
        uint64_t words[BIT_LANES], totals[64] = {0};

        for (uint64_t j = 0; j < BIT_LANES; j++) {
            words[j] = word(call * BIT_LANES + j);
            for (int bit = 0; bit < 64; bit++) {
                expected[bit] += words[j] >> bit & 1;
            }
        }
        bit_counts_add(&counts, words);
        bit_counts_total(&counts, totals);
        for (int bit = 0; bit < 64; bit++) {
            ck_assert_uint_eq(totals[bit], expected[bit]);
        }
    }
}
END_TEST

TEST_MAIN(rmat_bit_counts)
{
    Suite *suite = suite_create("rmat_bit_counts");
    TCase *counts = tcase_create("counts");

    suite_add_tcase(suite, counts);
    tcase_add_test(counts, test_every_number_of_words);
    return run_suite(suite);
}
