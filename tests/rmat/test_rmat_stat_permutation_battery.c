/*
 * The permutation through the battery of permutation_battery.h, for 1 to 62 bits, and its two sides
 * against each other; and the battery itself: it passes random permutations, and rejects bad ones
 * at every size.  Fixed seeds; random permutations fail with a probability of STATS_ALPHA.
 */
#include "tests/support/permutation_battery.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

static void assert_passes(bijection_family family, int bits)
{
    const char *worst = "";
    const double p = battery_all(family, bits, &worst);

    ck_assert_msg(p > STATS_ALPHA, "%d bits: %s has p = %g", bits, worst, p);
}

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                            18, 19, 20, 24, 26, 30, 31, 32, 33, 34, 35, 36, 40, 48, 55, 62};

enum { SIZES = COUNT(sizes) };

START_TEST(battery)
{
    assert_passes(BIJECTION_ROWS, sizes[_i]);
}

START_TEST(sides)
{
    const double p = battery_sides(BIJECTION_ROWS, BIJECTION_COLS, sizes[_i]);

    ck_assert_msg(p > STATS_ALPHA, "%d bits: p = %g", sizes[_i], p);
}

/* Larger tables would take too long. */
START_TEST(random_ones_pass)
{
    assert_passes(BIJECTION_RANDOM, _i);
}

static const struct {
    const char *name;
    bijection_family family;
    int from; /* bits; of version 1 and two rounds the pairs of fewer ids are nearly even */
} bad[] = {{"version 1", BIJECTION_VERSION_1, 2},
           {"identity", BIJECTION_IDENTITY, 1},
           {"exclusive or", BIJECTION_XOR, 2},
           {"affine", BIJECTION_AFFINE, 2},
           {"two rounds", BIJECTION_TWO_ROUNDS, 2}};

static const int bad_sizes[] = {3, 4, 5, 6, 8, 10, 12, 14, 18, 20, 24, 31, 32, 33, 36, 48, 62};

enum { BAD = COUNT(bad), BAD_SIZES = COUNT(bad_sizes) };

START_TEST(bad_ones_fail)
{
    const int bits = bad_sizes[_i / BAD];
    const char *worst = "";
    const double p = battery_all(bad[_i % BAD].family, bits, &worst);

    ck_assert_msg(p < STATS_ALPHA, "%s, %d bits: passes, p = %g", bad[_i % BAD].name, bits, p);
}

/* What the fourth round is for. */
START_TEST(version_2_fails)
{
    const double p = battery_low_bits(BIJECTION_VERSION_2, 12 + _i);

    ck_assert_msg(p < STATS_ALPHA, "%d bits: passes, p = %g", 12 + _i, p);
}

/* One family against itself is as good as one key for both sides. */
START_TEST(equal_sides_fail)
{
    ck_assert_double_lt(battery_sides(BIJECTION_ROWS, BIJECTION_ROWS, 20), STATS_ALPHA);
}

TEST_CASES(rmat_stat_permutation_battery, 60, LOOP(battery, 0, SIZES), LOOP(sides, 2, SIZES),
           LOOP(random_ones_pass, 1, 14), LOOP(bad_ones_fail, 0, BAD *BAD_SIZES),
           LOOP(version_2_fails, 0, 9), ONCE(equal_sides_fail))
