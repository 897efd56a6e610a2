/* The permutation through the battery of permutation_battery.h, for 1 to 62 bits, and its two sides
 * against each other.  Fixed seeds; random permutations fail with a probability of STATS_ALPHA. */
#include "rmat/rmat.h"
#include "tests/support/permutation_battery.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

#include <check.h>

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                            18, 19, 20, 24, 26, 30, 31, 32, 33, 34, 35, 36, 40, 48, 55, 62};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

START_TEST(battery)
{
    const char *worst = "";
    const double p = battery_all(bijection_rows, sizes[_i], &worst);

    ck_assert_msg(p > STATS_ALPHA, "%d bits: %s has p = %g", sizes[_i], worst, p);
}
END_TEST

/* The bijections of the battery are the library's permutations. */
START_TEST(same_as_the_library)
{
    enum { IDS = 8 };
    rmat_config c;
    rmat_gen *gen;

    rmat_config_default(&c);
    c.permute = 1;
    for (int side = RMAT_ROWS; side <= RMAT_COLS; side++) {
        c.rows_scale = side == RMAT_ROWS ? sizes[_i] : 1;
        c.cols_scale = side == RMAT_ROWS ? 1 : sizes[_i];
        c.rows = side == RMAT_ROWS ? 0 : 1; /* not as many as columns */
        for (c.seed = 0; c.seed < 4; c.seed++) {
            bijection b = (side == RMAT_ROWS ? bijection_rows : bijection_cols)(sizes[_i], c.seed);
            uint64_t ids[IDS], images[IDS];

            ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
            for (uint64_t i = 0; i < IDS; i++) {
                ids[i] = images[i] =
                    (i * UINT64_C(0x9E3779B97F4A7C15)) % (UINT64_C(1) << sizes[_i]);
            }
            ck_assert_int_eq(rmat_permute(gen, (rmat_side)side, IDS, images), RMAT_OK);
            for (int i = 0; i < IDS; i++) {
                ck_assert_uint_eq(b.image(&b, ids[i]), images[i]);
            }
            bijection_free(&b);
            rmat_destroy(gen);
        }
    }
}
END_TEST

START_TEST(sides)
{
    if (sizes[_i] >= 3) {
        const double p = battery_sides(bijection_rows, bijection_cols, sizes[_i]);

        ck_assert_msg(p > STATS_ALPHA, "%d bits: p = %g", sizes[_i], p);
    }
}
END_TEST

TEST_CASES(rmat_stat_permutation_battery, 60, LOOP(battery, 0, SIZES),
           LOOP(same_as_the_library, 0, SIZES), LOOP(sides, 0, SIZES))
