/*
 * Chi-squared tests of the quadrants of every level, of every three neighbouring levels (and so
 * across the borders of the groups of six) and of all cells of every window of six levels.  The
 * model has four different probabilities at each level and no two levels alike, so that a swapped
 * level, side or quadrant shows.  Up to scale 6 the window is the whole matrix.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#include <check.h>

/* Four times as many with RMAT_TEST_LARGE. */
#define EDGES (UINT64_C(1) << 22)
#define LAST  UINT64_MAX /* up to the last edge of all */

static const struct {
    int rows, cols;
    uint64_t first;
} cases[] = {
    {1, 1, 0},
    {2, 2, 0},
    {3, 3, 0},
    {4, 4, 0},
    {5, 5, 0},
    {6, 6, 0},
    {7, 7, 0},
    {12, 12, 0},
    {13, 13, 0},
    {23, 23, 0},
    {24, 24, 0},
    {25, 25, 0},
    {30, 30, 0},
    {31, 31, 0},
    {32, 32, 0},
    {33, 33, 0},
    {36, 36, 0},
    {37, 37, 0},
    {47, 47, 0},
    {48, 48, 0},
    {49, 49, 0},
    {60, 60, 0},
    {61, 61, 0},
    {62, 62, 0},
    /* The extra levels of the longer side are the most significant and have one bit, by the
       marginal. */
    {20, 7, 0},
    {5, 33, 0},
    {62, 1, 0},
    {1, 62, 0},
    {31, 30, 0},
    {30, 62, 0},
    /* Far into the stream: across 2^32, and up to the last edge. */
    {30, 30, (UINT64_C(1) << 32) - EDGES / 2},
    {36, 36, LAST},
};

#define N_CASES (int)(sizeof cases / sizeof cases[0])

START_TEST(quadrants_follow_the_model)
{
    const uint64_t edges = stat_size(EDGES, 4);
    const uint64_t first = cases[_i].first == LAST ? RMAT_MAX_EDGES - edges : cases[_i].first;
    int rows = cases[_i].rows, cols = cases[_i].cols;
    stat_model m;
    rmat_gen *gen;
    stat_verdict v;

    stat_model_distinct(&m, rows, cols, 0);
    gen = stat_create(&m, 1000 + (uint64_t)_i);
    v = stat_judge_levels(&m, gen, first, edges, NULL);
    ck_assert_msg(v.p > STATS_ALPHA, "%d x %d: p = %g at %s", rows, cols, v.p, v.where);
    rmat_destroy(gen);
}
END_TEST

START_TEST(graph500_follows_the_model)
{
    static const int scales[] = {6, 20, 30, 42};
    stat_model m;
    rmat_gen *gen;
    stat_verdict v;

    stat_model_same(&m, scales[_i], (rmat_matrix){0.57, 0.19, 0.19, 0.05});
    gen = stat_create(&m, 1);
    v = stat_judge_levels(&m, gen, 0, stat_size(EDGES, 4), NULL);
    ck_assert_msg(v.p > STATS_ALPHA, "scale %d: p = %g at %s", scales[_i], v.p, v.where);
    rmat_destroy(gen);
}
END_TEST

TEST_CASES(rmat_stat_levels, 60, LOOP(quadrants_follow_the_model, 0, N_CASES),
           LOOP(graph500_follows_the_model, 0, 4))
