/*
 * Chi-squared tests of windows of levels (support/stats_rmat.h): the quadrants of every level, of
 * every three consecutive levels (and so across the borders of the groups of six), and of all cells
 * of every window of six levels.  Windows of two runs of levels test independence: of distant
 * groups, especially the fifth draw of a Philox block, which is made of bits of the other four; and
 * of successive edges.
 *
 * Most models have four different probabilities at each level, and all levels differ, so that a
 * swapped level, side or quadrant shows.  Up to scale 6 a window is the whole matrix.
 * (test_rmat_stat_exact.c shows that probabilities of 1 and 0 are exact.)
 */
#include "rmat/model/generator.h"
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

static stat_window windows[STAT_MAX_WINDOWS];

/* What was counted fits the model. */
static void assert_sound(const stat_model *m, int n)
{
    const stat_verdict v = stat_judge(m, windows, n);

    ck_assert_int_le(n, STAT_MAX_WINDOWS);
    ck_assert_msg(v.p > STATS_ALPHA, "%d x %d: p = %g at %s", m->rows_scale, m->cols_scale, v.p,
                  v.where);
}

/* Counts edges in windows of every level. */
static int count(const stat_model *m, const rmat_gen *gen, uint64_t first, uint64_t edges)
{
    const int n = stat_level_windows(windows, m->scale);

    stat_count(gen, m, first, edges, NULL, windows, n);
    return n;
}

enum { QUARTER = 1 << 18 }; /* of a million */

/* Edges of a generator fit its model. */
static void check(stat_model m, double noise, uint64_t seed, uint64_t first)
{
    const uint64_t edges = stat_size(QUARTER, noise > 0 ? 32 : 64);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, noise, seed);

    assert_sound(&m, count(&m, gen, first == UINT64_MAX ? RMAT_MAX_EDGES - edges : first, edges));
}

START_TEST(distinct_levels)
{
    check(stat_model_distinct(distinct[_i], distinct[_i], 0), 0, 1000 + (uint64_t)_i, 0);
}

START_TEST(usual_matrix)
{
    check(stat_model_same(usual[_i], (rmat_matrix){0.57, 0.19, 0.19, 0.05}), 0, 1100 + (uint64_t)_i,
          0);
}

START_TEST(other_models)
{
    check(stat_model_distinct(others[_i].rows, others[_i].cols, 0), others[_i].noise,
          1200 + (uint64_t)_i, others[_i].first);
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

static int neighboring_edges(int scale)
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
    {fifth_draw, 25, true},        {fifth_draw, 26, true},        {fifth_draw, 27, true},
    {fifth_draw, 28, true},        {fifth_draw, 29, true},        {fifth_draw, 30, true},
    {fifth_draw, 25, false},       {fifth_draw, 26, false},       {fifth_draw, 27, false},
    {fifth_draw, 28, false},       {fifth_draw, 29, false},       {fifth_draw, 30, false},
    {pairs_of_groups, 24, true},   {pairs_of_groups, 33, true},   {pairs_of_groups, 48, true},
    {pairs_of_groups, 62, true},   {neighboring_edges, 3, true},  {neighboring_edges, 20, true},
    {neighboring_edges, 30, true}, {neighboring_edges, 33, true}, {neighboring_edges, 62, true},
};
enum { INDEPENDENT = COUNT(independent) };

START_TEST(independence)
{
    const int scale = independent[_i].scale, n = independent[_i].pairs(scale);
    stat_model m = stat_model_distinct(scale, scale, independent[_i].even);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 0, 2000 + (uint64_t)scale);

    stat_count(gen, &m, 0, stat_size(QUARTER, 32), NULL, windows, n);
    assert_sound(&m, n);
}

/*
 * The tests above can fail: each defect here, planted in the model or in the edges, must be caught
 * by the same verdicts that pass the correct generator.  What they find is another thing only where
 * the stream is, which rmat_golden shows at once: they run at large sizes alone.
 */
#define EDGES (UINT64_C(1) << 23)

static void assert_caught(const stat_model *m, int n, const char *what, int k)
{
    const stat_verdict v = stat_judge(m, windows, n);

    ck_assert_msg(v.p < STATS_ALPHA, "%s (%d) not caught: p = %g at %s", what, k, v.p, v.where);
}

static void swap_levels(stat_model *m, int i, int j)
{
    rmat_matrix kept = m->level[i];

    m->level[i] = m->level[j];
    m->level[j] = kept;
}

/* Neighbors, levels at the same place of different groups, and all; and one level with b for c,
 * which only its own matrix can show. */
START_TEST(swapped_levels_and_quadrants)
{
    static const int levels[] = {0, 5, 6, 24, 32};
    const int scale = 33;
    stat_model m = stat_model_distinct(scale, scale, 0);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 0, 1);
    const int n = count(&m, gen, 0, EDGES);

    assert_sound(&m, n);
    for (int i = 0; i < scale; i++) {
        for (int j = i + 1; j < scale; j++) {
            if (j == i + 1 || (j - i) % 6 == 0) {
                swap_levels(&m, i, j);
                assert_caught(&m, n, "swapped levels", 100 * i + j);
                swap_levels(&m, i, j);
            }
        }
    }
    for (int k = 0; k < 5; k++) {
        rmat_matrix *x = &m.level[levels[k]], kept = *x;

        *x = (rmat_matrix){kept.a, kept.c, kept.b, kept.d};
        assert_caught(&m, n, "b and c swapped", levels[k]);
        *x = kept;
    }
    for (int i = 0; i < scale / 2; i++) {
        swap_levels(&m, i, scale - 1 - i);
    }
    assert_caught(&m, n, "reversed levels", 0);
}

/* 2^-10 from one entry of one level to another. */
START_TEST(entry_off_by_1024th)
{
    static const int levels[] = {0, 5, 6, 13, 26, 32};
    stat_model m = stat_model_distinct(33, 33, 0), off = m;
    scoped(rmat_destroy) rmat_gen *sound = stat_create(&m, 0, 1), *gen = NULL;

    off.level[levels[_i]].a += 0x1p-10;
    *(_i % 2 ? &off.level[levels[_i]].b : &off.level[levels[_i]].d) -= 0x1p-10;
    gen = stat_create(&off, 0, 1);
    assert_caught(&m, count(&m, gen, 0, 2 * EDGES), "entry off", levels[_i]);
    assert_sound(&m, count(&m, sound, 0, 2 * EDGES));
}

/* Edges again whose fifth draw shares bits with the rows of the first two. */
static void reuse_bits(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                       uint64_t *dst)
{
    const rmat_view *v = &gen->view;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t *w = philox_at(v->seed, first + i, 0, PHILOX_EDGE).v;
        uint32_t bad = rmat_fifth_word(w[0] << 1, w[1] << 1, w[2], w[3]);
        uint32_t path = rmat_draw_path(v, first + i, 0, 4, bad) >> v->drop;

        src[i] = (src[i] & ~(uint64_t)(63u >> v->drop)) | path >> 6;
        dst[i] = (dst[i] & ~(uint64_t)(63u >> v->drop)) | (path & (63u >> v->drop));
    }
}

/* One edge in 16 has the leading bits of the source of the one before. */
static void repeat_source(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                          uint64_t *dst)
{
    (void)gen, (void)first, (void)dst;
    for (uint64_t i = 1; i < count; i += 16) {
        src[i] = src[i - 1];
    }
}

/* Windows that see a defect: of the fifth draw beside the first two, or of successive edges. */
static int windows_of(bool of_fifth)
{
    windows[0] = (stat_window){.width = {3, 3}, .lag = 1};
    for (int g = 0; g < 2 && of_fifth; g++) {
        windows[g] = (stat_window){.level = {6 * g, 24}, .width = {3, 1}};
    }
    return of_fifth ? 2 : 1;
}

static const struct {
    stat_tamper *tamper;
    const char *what;
    int scale;
    bool of_fifth;
} defects[] = {
    {reuse_bits, "dependent fifth draw", 25, true},
    {reuse_bits, "dependent fifth draw", 30, true},
    {repeat_source, "dependent edges", 20, false},
};
enum { DEFECTS = COUNT(defects) };

START_TEST(tampered_edges)
{
    const bool of_fifth = defects[_i].of_fifth;
    const int scale = defects[_i].scale, n = windows_of(of_fifth);
    stat_model m = stat_model_distinct(scale, scale, of_fifth);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 0, 1);

    stat_count(gen, &m, 0, of_fifth ? EDGES / 4 : EDGES, NULL, windows, n);
    assert_sound(&m, n);
    windows_of(of_fifth);
    stat_count(gen, &m, 0, of_fifth ? EDGES / 4 : EDGES, defects[_i].tamper, windows, n);
    assert_caught(&m, n, defects[_i].what, scale);
}

TEST_CASES(rmat_stat_levels, 100, LOOP(distinct_levels, 0, DISTINCT), LOOP(usual_matrix, 0, USUAL),
           LOOP(other_models, 0, OTHERS), LOOP(independence, 0, INDEPENDENT),
           LOOP(swapped_levels_and_quadrants, 0, STAT_LARGE),
           LOOP(entry_off_by_1024th, 0, 6 * STAT_LARGE),
           LOOP(tampered_edges, 0, DEFECTS *STAT_LARGE))
