/*
 * The other statistical tests can fail: each defect here, planted in the generator, in its edges or
 * in the model, must be caught by the same verdicts that pass the correct generator.
 */
#include "rmat/model/generator.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define EDGES      (UINT64_C(1) << 23)
#define MANY_EDGES (UINT64_C(1) << 24) /* for defects of 2^-10 */

static stat_window windows[STAT_MAX_WINDOWS];

static void assert_caught(const stat_model *m, int n, const char *what, int k)
{
    const stat_verdict v = stat_judge(m, windows, n);

    ck_assert_msg(v.p < STATS_ALPHA, "%s (%d) not caught: p = %g at %s", what, k, v.p, v.where);
}

static void assert_sound(const stat_model *m, int n)
{
    const stat_verdict v = stat_judge(m, windows, n);

    ck_assert_msg(v.p > STATS_ALPHA, "the sound one fails: p = %g at %s", v.p, v.where);
}

/* Windows of every level, counted over edges that are tampered with or not. */
static int count(const stat_model *m, const rmat_gen *gen, uint64_t edges, stat_tamper *tamper)
{
    const int n = stat_level_windows(windows, m->scale);

    stat_count(gen, m, 0, edges, tamper, windows, n);
    return n;
}

/* --- Defects of the model, by which sound edges are judged --- */

static void swap_levels(stat_model *m, int i, int j)
{
    rmat_matrix kept = m->level[i];

    m->level[i] = m->level[j];
    m->level[j] = kept;
}

/* Neighbours, levels at the same place of different groups, and all; and one level with b for c,
 * which only its own matrix can show. */
START_TEST(swapped_levels_and_quadrants)
{
    static const int levels[] = {0, 5, 6, 24, 32};
    const int scale = 33;
    stat_model m;
    int n;

    stat_model_distinct(&m, scale, scale, 0);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 1);
    n = count(&m, gen, EDGES, NULL);
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

/* The matrices of another seed, of no noise, and of two levels swapped. */
START_TEST(wrong_noise)
{
    static const struct {
        int rows, cols;
        double noise;
    } cases[] = {{6, 6, 0.1},   {20, 20, 0.1},  {20, 20, 0.02},
                 {30, 30, 0.1}, {36, 36, 0.19}, {25, 14, 0.1}};
    const int rows = cases[_i].rows, cols = cases[_i].cols;
    stat_model m, wrong;
    scoped(rmat_destroy) rmat_gen *gen =
        stat_create_noisy(&m, rows, cols, cases[_i].noise, 70 + (uint64_t)_i);
    const int n = count(&m, gen, 1 << 21, NULL);

    assert_sound(&m, n);
    rmat_destroy(stat_create_noisy(&wrong, rows, cols, cases[_i].noise, 71 + (uint64_t)_i));
    assert_caught(&wrong, n, "another seed", _i);
    rmat_destroy(stat_create_noisy(&wrong, rows, cols, 0, 1));
    assert_caught(&wrong, n, "no noise", _i);
    swap_levels(&m, 1, 2);
    assert_caught(&m, n, "swapped levels", _i);
}

/* 2^-10 from one entry of one level to another. */
START_TEST(entry_off_by_1024th)
{
    static const int levels[] = {0, 5, 6, 13, 26, 32};
    stat_model m, off;
    rmat_gen *gen;

    stat_model_distinct(&m, 33, 33, 0);
    off = m;
    off.level[levels[_i]].a += 0x1p-10;
    *(_i % 2 ? &off.level[levels[_i]].b : &off.level[levels[_i]].d) -= 0x1p-10;
    gen = stat_create(&off, 1);
    assert_caught(&m, count(&m, gen, MANY_EDGES, NULL), "entry off", levels[_i]);
    rmat_destroy(gen);
    gen = stat_create(&m, 1);
    assert_sound(&m, count(&m, gen, MANY_EDGES, NULL));
    rmat_destroy(gen);
}

/* --- Defects of the edges --- */

static void swap_ends(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                      uint64_t *dst)
{
    (void)gen, (void)first;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t kept = src[i];

        src[i] = dst[i];
        dst[i] = kept;
    }
}

/* Both ends in one word whose lower part is a bit too narrow from scale 25 on. */
static void spill_dst(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                      uint64_t *dst)
{
    (void)gen, (void)first;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t packed = src[i] << 24 | dst[i];

        src[i] = packed >> 24;
        dst[i] = packed & 0xFFFFFF;
    }
}

/* The size of that defect as measured in a peer at scale 25: the top source bit is 1 in 0.213 of
 * the edges, not in 0.240, so it is lost from one in nine. */
static void lose_top_bit(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst)
{
    uint64_t top = UINT64_C(1) << (gen->config.rows_scale - 1);

    (void)dst;
    for (uint64_t i = 0; i < count; i++) {
        if ((first + i) % 9 == 0) {
            src[i] &= ~top;
        }
    }
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

/* Windows that see a defect: of every level, of the fifth draw beside the first two, and of
 * successive edges. */
enum { LEVELS, FIFTH, LAG };

static int windows_of(int kind, int scale)
{
    if (kind == LAG) {
        windows[0] = (stat_window){.width = {3, 3}, .lag = 1};
        return 1;
    }
    for (int g = 0; g < 2 && kind == FIFTH; g++) {
        windows[g] = (stat_window){.level = {6 * g, 24}, .width = {3, 1}};
    }
    return kind == FIFTH ? 2 : stat_level_windows(windows, scale);
}

static const struct {
    stat_tamper *tamper;
    const char *what;
    int rows, cols, kind;
} defects[] = {
    {swap_ends, "src and dst swapped", 1, 1, LEVELS},
    {swap_ends, "src and dst swapped", 62, 62, LEVELS},
    {swap_ends, "src and dst swapped", 20, 20, LEVELS},
    {swap_ends, "src and dst swapped", 31, 30, LEVELS},
    {spill_dst, "dst spills into src", 25, 25, LEVELS},
    {spill_dst, "dst spills into src", 30, 30, LEVELS},
    {lose_top_bit, "top source bit lost", 25, 25, LEVELS},
    {lose_top_bit, "top source bit lost", 30, 30, LEVELS},
    {reuse_bits, "dependent fifth draw", 25, 25, FIFTH},
    {reuse_bits, "dependent fifth draw", 26, 26, FIFTH},
    {reuse_bits, "dependent fifth draw", 27, 27, FIFTH},
    {reuse_bits, "dependent fifth draw", 28, 28, FIFTH},
    {reuse_bits, "dependent fifth draw", 29, 29, FIFTH},
    {reuse_bits, "dependent fifth draw", 30, 30, FIFTH},
    {repeat_source, "dependent edges", 20, 20, LAG},
};
enum { DEFECTS = COUNT(defects) };

START_TEST(tampered_edges)
{
    const int kind = defects[_i].kind;
    stat_model m;

    stat_model_distinct(&m, defects[_i].rows, defects[_i].cols, kind == FIFTH);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 1);
    for (int bad = 0; bad < 2; bad++) {
        const int n = windows_of(kind, m.scale);

        stat_count(gen, &m, 0, kind == FIFTH ? EDGES / 4 : EDGES, bad ? defects[_i].tamper : NULL,
                   windows, n);
        if (bad) {
            assert_caught(&m, n, defects[_i].what, m.scale);
        } else {
            assert_sound(&m, n);
        }
    }
}

/* --- Defects of the tables --- */

static void raise_threshold(rmat_gen *gen, int g, unsigned row)
{
    uint64_t *full = (uint64_t *)gen->view.full[g] + row;
    uint32_t *fast = (uint32_t *)gen->view.fast[g] + row;

    if ((*fast & RMAT_PATH_MASK) != row && *full < UINT64_MAX - (UINT64_C(1) << 54)) {
        *full += UINT64_C(1) << 54; /* 2^-10 of the bucket */
        *fast = (uint32_t)(*full >> 44) << 12 | (*fast & RMAT_PATH_MASK);
    }
}

/* Every threshold of the table that all groups share off by 2^-10; and a single one: 2^-22 of all
 * edges, seen in cells that hardly occur.  (test_rmat_stat_exact.c sees it in any row.) */
START_TEST(thresholds_off_by_1024th)
{
    static const struct {
        int scale;
        unsigned first, end; /* rows */
    } off[] = {{6, 0, RMAT_GROUP_PATHS},       {24, 0, RMAT_GROUP_PATHS}, {30, 0, RMAT_GROUP_PATHS},
               {36, 0, RMAT_GROUP_PATHS},      {6, 4095, 4096},           {6, 4094, 4095},
               {6, 64 * 31 + 63, 64 * 31 + 64}};
    const uint64_t edges = off[_i].end - off[_i].first > 1 ? MANY_EDGES : 8 * MANY_EDGES;
    stat_model m;

    stat_model_same(&m, off[_i].scale, (rmat_matrix){0.57, 0.19, 0.19, 0.05});
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 1);
    assert_sound(&m, count(&m, gen, edges, NULL));
    for (unsigned row = off[_i].first; row < off[_i].end; row++) {
        raise_threshold(gen, 0, row);
    }
    assert_caught(&m, count(&m, gen, edges, NULL), "thresholds off", _i);
}

START_TEST(swapped_tables)
{
    stat_model m;
    const uint32_t *fast;

    stat_model_distinct(&m, 62, 62, 0);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 1);
    fast = gen->view.fast[3 + _i];
    gen->view.fast[3 + _i] = gen->view.fast[4 + _i];
    gen->view.fast[4 + _i] = fast;
    assert_caught(&m, count(&m, gen, EDGES, NULL), "swapped tables", 3 + _i);
}

TEST_CASES(rmat_stat_teeth, 100, ONCE(swapped_levels_and_quadrants), LOOP(wrong_noise, 0, 6),
           LOOP(entry_off_by_1024th, 0, 6), LOOP(tampered_edges, 0, DEFECTS),
           LOOP(thresholds_off_by_1024th, 0, 7), LOOP(swapped_tables, 0, 2))
