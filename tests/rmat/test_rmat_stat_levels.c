/*
 * Chi-squared tests of windows of levels (support/stats_rmat.h): the quadrants of every level, of
 * every three consecutive levels (and so across the borders of the groups of six), and of all cells
 * of every window of six levels.  Windows of two runs of levels test independence: of distant
 * groups, especially the fifth draw of a Philox block, which is made of bits of the other four; and
 * of successive edges.
 *
 * Most models have four different probabilities at each level, and all levels differ, so that a
 * swapped level, side or quadrant shows.  Up to scale 6 a window is the whole matrix.  Others have
 * probabilities of 1 and 0, which are exact: an edge that contradicts them makes p 0.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

/* What is drawn: square models of these scales, and others. */
static const int distinct[] = {1,  2,  3,  4,  5,  6,  7,  12, 13, 23, 24, 25,
                               30, 31, 32, 33, 36, 37, 47, 48, 49, 60, 61, 62};
static const int usual[] = {2, 6, 20, 24, 28, 30, 33, 42, 48, 62};

static const struct {
    int rows, cols;
    uint64_t first; /* UINT64_MAX: up to the last edge of all */
    double noise;   /* of the usual matrix, if it is positive */
} others[] = {
    /* The extra levels of the longer side are the most significant and have one bit, by the
       marginal. */
    {20, 7, 0, 0},
    {5, 33, 0, 0},
    {62, 1, 0, 0},
    {1, 62, 0, 0},
    {31, 30, 0, 0},
    {30, 62, 0, 0},
    /* Far into the stream: across 2^32, and up to the last edge. */
    {30, 30, (UINT64_C(1) << 32) - (1 << 19), 0},
    {36, 36, UINT64_MAX, 0},
    {6, 6, 0, 0.1},
    {20, 20, 0, 0.1},
    {20, 20, 0, 0.02},
    {30, 30, 0, 0.1},
    {36, 36, 0, 0.19},
    {25, 14, 0, 0.1},
};
enum { DISTINCT = COUNT(distinct), USUAL = COUNT(usual), OTHERS = COUNT(others) };

static void assert_fits(const stat_model *m, const rmat_gen *gen, uint64_t first, uint64_t edges,
                        stat_window *windows, int n)
{
    stat_verdict v;

    ck_assert_int_le(n, STAT_MAX_WINDOWS);
    stat_count(gen, m, first, edges, NULL, windows, n);
    v = stat_judge(m, windows, n);
    ck_assert_msg(v.p > STATS_ALPHA, "%d x %d: p = %g at %s", m->rows_scale, m->cols_scale, v.p,
                  v.where);
}

static stat_window windows[STAT_MAX_WINDOWS];

/* A generator and its edges against the model. */
static void assert_model_fits(const stat_model *m, rmat_gen *gen, uint64_t first, uint64_t edges)
{
    assert_fits(m, gen, first == UINT64_MAX ? RMAT_MAX_EDGES - edges : first, edges, windows,
                stat_level_windows(windows, m->scale));
    rmat_destroy(gen);
}

enum { MILLION = 1 << 20 };

START_TEST(distinct_levels)
{
    stat_model m;

    stat_model_distinct(&m, distinct[_i], distinct[_i], 0);
    assert_model_fits(&m, stat_create(&m, 1000 + (uint64_t)_i), 0, stat_size(MILLION, 16));
}

START_TEST(usual_matrix)
{
    stat_model m;

    stat_model_same(&m, usual[_i], (rmat_matrix){0.57, 0.19, 0.19, 0.05});
    assert_model_fits(&m, stat_create(&m, 1100 + (uint64_t)_i), 0, stat_size(MILLION, 16));
}

START_TEST(other_models)
{
    const int rows = others[_i].rows, cols = others[_i].cols;
    const double noise = others[_i].noise;
    const uint64_t seed = 1200 + (uint64_t)_i;
    stat_model m;

    stat_model_distinct(&m, rows, cols, 0);
    assert_model_fits(
        &m, noise > 0 ? stat_create_noisy(&m, rows, cols, noise, seed) : stat_create(&m, seed),
        others[_i].first, stat_size(MILLION, noise > 0 ? 8 : 16));
}

/* Windows of the quadrants of three levels and of up to three others, perhaps of a later edge. */
static int add_pair(int n, int level, int other, int scale, int lag)
{
    const int width = scale - other < 3 ? scale - other : 3;

    windows[n] = (stat_window){.level = {level, other}, .width = {3, width}, .lag = lag};
    return n + 1;
}

/* Both halves of the fifth group with both halves of each of the other four. */
static int fifth_draw(int scale)
{
    int n = 0;

    for (int level = 0; level < 24; level += 3) {
        for (int fifth = 24; fifth < scale; fifth += 3) {
            n = add_pair(n, level, fifth, scale, 0);
        }
    }
    return n;
}

/* Every group with every other one, beyond the scales that have a fifth draw as well. */
static int pairs_of_groups(int scale)
{
    int n = 0;

    for (int h = 6; h < scale; h += 6) {
        for (int g = 0; g < h; g += 6) {
            n = add_pair(n, g, h, scale, 0);
        }
    }
    return n;
}

static int neighbouring_edges(int scale)
{
    static const int lags[] = {1, 2, 4, 8, 16, 64, 1024, 65536};
    const int last = scale - 3;
    int n = 0;

    for (int k = 0; k < COUNT(lags); k++) {
        for (int e = 0; e < (last ? 4 : 1); e++) {
            n = add_pair(n, e / 2 * last, e % 2 * last, scale, lags[k]);
        }
    }
    return n;
}

static const struct {
    int (*pairs)(int scale);
    int scale;
    bool even;
} independent[] = {
    {fifth_draw, 25, true},         {fifth_draw, 26, true},         {fifth_draw, 27, true},
    {fifth_draw, 28, true},         {fifth_draw, 29, true},         {fifth_draw, 30, true},
    {fifth_draw, 25, false},        {fifth_draw, 26, false},        {fifth_draw, 27, false},
    {fifth_draw, 28, false},        {fifth_draw, 29, false},        {fifth_draw, 30, false},
    {pairs_of_groups, 24, true},    {pairs_of_groups, 33, true},    {pairs_of_groups, 48, true},
    {pairs_of_groups, 62, true},    {neighbouring_edges, 3, true},  {neighbouring_edges, 20, true},
    {neighbouring_edges, 30, true}, {neighbouring_edges, 33, true}, {neighbouring_edges, 62, true},
};
enum { INDEPENDENT = COUNT(independent) };

START_TEST(independence)
{
    const int scale = independent[_i].scale;
    stat_model m;

    stat_model_distinct(&m, scale, scale, independent[_i].even);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 2000 + (uint64_t)scale);
    assert_fits(&m, gen, 0, stat_size(MILLION, 8), windows, independent[_i].pairs(scale));
}

START_TEST(one_certain_quadrant)
{
    static const int scales[] = {1, 5, 6, 7, 20, 24, 25, 30, 31, 32, 33, 48, 61, 62};
    static const rmat_matrix certain[4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    stat_model m;

    for (int k = 0; k < COUNT(scales); k++) {
        stat_model_same(&m, scales[k], certain[_i]);
        assert_model_fits(&m, stat_create(&m, 1), 0, 1 << 17);
    }
}

/* The same matrix at each level, with one or two quadrants of probability 0. */
START_TEST(impossible_quadrants)
{
    static const int zeros[] = {1, 2, 4, 8, 6, 9};
    double p[4], sum = 0.0;
    stat_model m;

    for (int q = 0; q < 4; q++) {
        p[q] = zeros[_i] >> q & 1 ? 0.0 : 0.1 + 0.17 * q;
        sum += p[q];
    }
    for (int scale = 30; scale <= 62; scale += 32) {
        stat_model_same(&m, scale, (rmat_matrix){p[0] / sum, p[1] / sum, p[2] / sum, p[3] / sum});
        assert_model_fits(&m, stat_create(&m, 1), 0, stat_size(MILLION, 10));
    }
}

/* Another quadrant is impossible at each level. */
START_TEST(impossible_by_level)
{
    static const int scales[] = {6, 24, 25, 30, 33, 48, 62};
    stat_model m;

    stat_model_same(&m, scales[_i], (rmat_matrix){0});
    for (int l = 0; l < m.scale; l++) {
        const int zero = (l * 7 + l / 6) % 4;
        double p[4] = {0.33, 0.33, 0.33, 0.33};

        p[zero] = 0.0;
        p[(zero + 1) % 4] += 0.01;
        m.level[l] = (rmat_matrix){p[0], p[1], p[2], p[3]};
    }
    assert_model_fits(&m, stat_create(&m, 1), 0, stat_size(MILLION, 10));
}

/* Levels that only the longer side has: its bit is certain if both quadrants of the other value are
 * impossible. */
START_TEST(certain_marginal)
{
    stat_model m;

    stat_model_same(&m, 62, (rmat_matrix){0.3, 0.7, 0.0, 0.0}); /* no source has a one */
    m.cols_scale = 7;
    assert_model_fits(&m, stat_create(&m, 1), 0, stat_size(MILLION, 10));
    stat_model_same(&m, 33, (rmat_matrix){0.0, 0.6, 0.0, 0.4}); /* no destination has a zero */
    m.rows_scale = 5;
    assert_model_fits(&m, stat_create(&m, 1), 0, stat_size(MILLION, 10));
}

TEST_CASES(rmat_stat_levels, 60, LOOP(distinct_levels, 0, DISTINCT), LOOP(usual_matrix, 0, USUAL),
           LOOP(other_models, 0, OTHERS), LOOP(independence, 0, INDEPENDENT),
           LOOP(one_certain_quadrant, 0, 4), LOOP(impossible_quadrants, 0, 6),
           LOOP(impossible_by_level, 0, 7), ONCE(certain_marginal))
