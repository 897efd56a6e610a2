/*
 * Independence of what should be independent: distant groups of levels, above all the fifth draw of
 * a Philox block, which is made of bits of the other four; and successive edges.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#include <check.h>

/* Four times as many with RMAT_TEST_LARGE. */
#define EDGES (UINT64_C(1) << 21)

static stat_window windows[STAT_MAX_WINDOWS];

static void assert_independent(int scale, int even, int n_windows)
{
    stat_model m;
    rmat_gen *gen;
    stat_verdict v;

    ck_assert_int_le(n_windows, STAT_MAX_WINDOWS);
    stat_model_distinct(&m, scale, scale, even);
    gen = stat_create(&m, 2000 + (uint64_t)scale);
    stat_count(gen, &m, 0, stat_size(EDGES, 4), NULL, windows, n_windows);
    v = stat_judge(&m, windows, n_windows);
    ck_assert_msg(v.p > STATS_ALPHA, "scale %d: p = %g at %s", scale, v.p, v.where);
    rmat_destroy(gen);
}

/* Both halves of the fifth group with both halves of each of the other four. */
START_TEST(fifth_draw)
{
    int scale = 25 + _i % 6, n = 0;

    for (int level = 0; level < 24; level += 3) {
        for (int fifth = 24; fifth < scale; fifth += 3) {
            int width = scale - fifth < 3 ? scale - fifth : 3;

            windows[n++] = (stat_window){.level = {level, fifth}, .width = {3, width}};
        }
    }
    assert_independent(scale, _i < 6, n);
}
END_TEST

/* Every group with every other one, beyond the scales that have a fifth draw as well. */
START_TEST(pairs_of_groups)
{
    static const int scales[] = {24, 33, 48, 62};
    int scale = scales[_i], n = 0;

    for (int h = 6; h < scale; h += 6) {
        for (int g = 0; g < h; g += 6) {
            int width = scale - h < 3 ? scale - h : 3;

            windows[n++] = (stat_window){.level = {g, h}, .width = {3, width}};
        }
    }
    assert_independent(scale, 1, n);
}
END_TEST

START_TEST(neighbouring_edges)
{
    static const int scales[] = {3, 20, 30, 33, 62};
    static const int lags[] = {1, 2, 4, 8, 16, 64, 1024, 65536};
    int scale = scales[_i], last = scale - 3, n = 0;

    for (unsigned k = 0; k < sizeof lags / sizeof lags[0]; k++) {
        const int ends[4][2] = {{0, 0}, {0, last}, {last, 0}, {last, last}};

        for (int e = 0; e < (last ? 4 : 1); e++) {
            windows[n++] =
                (stat_window){.level = {ends[e][0], ends[e][1]}, .width = {3, 3}, .lag = lags[k]};
        }
    }
    assert_independent(scale, 1, n);
}
END_TEST

TEST_CASES(rmat_stat_independence, 60, LOOP(fifth_draw, 0, 12), LOOP(pairs_of_groups, 0, 4),
           LOOP(neighbouring_edges, 0, 5))
