/* The battery of permutation_battery.h itself: it passes random permutations, and rejects bad ones
 * at every size. */
#include "tests/support/permutation_battery.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

#include <check.h>

/* Random ones pass; larger tables would take too long. */
START_TEST(random_ones_pass)
{
    const int bits = _i;
    const char *worst = "";
    const double p = battery_all(bijection_random, bits, &worst);

    ck_assert_msg(p > STATS_ALPHA, "%d bits: %s has p = %g", bits, worst, p);
}
END_TEST

static const struct {
    const char *name;
    bijection_family family;
    int from; /* bits; of version 1 and two rounds the pairs of fewer ids are nearly even */
} bad[] = {{"version 1", bijection_version_1, 2},
           {"identity", bijection_identity, 1},
           {"exclusive or", bijection_xor, 2},
           {"affine", bijection_affine, 2},
           {"two rounds", bijection_two_rounds, 2}};

static const int sizes[] = {3, 4, 5, 6, 8, 10, 12, 14, 18, 20, 24, 31, 32, 33, 36, 48, 62};

enum { BAD = sizeof bad / sizeof bad[0], SIZES = sizeof sizes / sizeof sizes[0] };

START_TEST(bad_ones_fail)
{
    const int bits = sizes[_i / BAD];
    const char *worst = "";
    const double p = battery_all(bad[_i % BAD].family, bits, &worst);

    ck_assert_msg(p < STATS_ALPHA, "%s, %d bits: passes, p = %g", bad[_i % BAD].name, bits, p);
}
END_TEST

/* What the fourth round is for. */
START_TEST(version_2_fails)
{
    const double p = battery_low_bits(bijection_version_2, 12 + _i);

    ck_assert_msg(p < STATS_ALPHA, "%d bits: passes, p = %g", 12 + _i, p);
}
END_TEST

/* One family against itself is as good as one key for both sides. */
START_TEST(equal_sides_fail)
{
    ck_assert_double_lt(battery_sides(bijection_rows, bijection_rows, 20), STATS_ALPHA);
}
END_TEST

TEST_CASES(rmat_stat_permutation_teeth, 60, LOOP(random_ones_pass, 1, 14),
           LOOP(bad_ones_fail, 0, BAD *SIZES), LOOP(version_2_fails, 0, 9), ONCE(equal_sides_fail))
