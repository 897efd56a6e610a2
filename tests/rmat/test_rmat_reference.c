/*
 * The CPU against the literal reference, 3.5 million edges, and a GPU against the CPU: every scale
 * from 1 to 62 with a different matrix for each level, rectangular graphs, ranges around 2^32 and
 * up to 2^62, extreme matrices, and few edges.  On a GPU in every width and layout; on the CPU also
 * with tables made to tie.
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

enum { MAX_SCALE = RMAT_MAX_SCALE, EDGES_PER_SHAPE = ON_GPU ? 60013 : 48000 };

/* Matrices that differ from level to level and have no symmetry. */
static void vary(int seed, rmat_matrix levels[MAX_SCALE])
{
    for (int l = 0; l < MAX_SCALE; l++) {
        philox_block b = philox_at(77, (uint64_t)(seed * 100 + l), 0, 99);
        double x[4], sum = 0;

        for (int k = 0; k < 4; k++) {
            x[k] = 0.05 + b.v[k] / 4294967296.0;
            sum += x[k];
        }
        levels[l] = (rmat_matrix){x[0] / sum, x[1] / sum, x[2] / sum, x[3] / sum};
    }
}

static void expect(bench *b, const reference *r, uint64_t first, uint64_t count)
{
    if (ON_GPU) {
        bench_expect(b, first, count);
    } else {
        expect_reference(b, r, first, count);
    }
}

/* A shape with a matrix for each level or, if that is NULL, with the usual one. */
static void compare_shape(int rows, int cols, const rmat_matrix *levels, rmat_matrix matrix,
                          uint64_t seed, uint64_t edges)
{
    const uint64_t n = small_run() ? 2003 : ON_GPU ? edges : edges / 4;
    const uint64_t starts[] = {0,
                               (UINT64_C(1) << 32) - n / 3,
                               (UINT64_C(1) << 40) + 12345,
                               RMAT_MAX_EDGES - n,
                               (UINT64_C(1) << 31) - n / 2,
                               (UINT64_C(1) << 61) - 1};
    const rmat_config c = model_of((rmat_config){
        .rows_scale = rows, .cols_scale = cols, .levels = levels, .matrix = matrix, .seed = seed});
    scoped(reference_destroy) reference *r = reference_create(&c);
    char name[32];
    scoped(bench_destroy) bench b;

    snprintf(name, sizeof name, "%d x %d", rows, cols);
    b = bench_create(&c, name, n);
    for (int k = 0; k < (small_run() ? 2 : ON_GPU ? 6 : 4); k++) {
        expect(&b, r, starts[k], n);
        if (ON_GPU) {
            check_all_ways(&b, starts[k], n);
        } else {
            check_same(&b, &(placing){.first = starts[k], .count = n, .id_bytes = 8});
        }
    }
}

START_TEST(square)
{
    rmat_matrix levels[MAX_SCALE];

    vary(_i, levels);
    compare_shape(_i, _i, levels, (rmat_matrix){0}, UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)_i,
                  EDGES_PER_SHAPE);
}

static const int shapes[][2] = {{20, 7},  {7, 20},  {1, 62},  {62, 1},  {30, 31}, {33, 5},
                                {48, 49}, {17, 9},  {3, 30},  {32, 25}, {40, 11}, {5, 5},
                                {6, 6},   {24, 24}, {31, 31}, {35, 35}, {42, 42}, {54, 54}};
enum { RECTANGULAR = 11, SHAPES = COUNT(shapes) };

START_TEST(rectangular)
{
    rmat_matrix levels[MAX_SCALE];

    vary(_i + 1000, levels);
    compare_shape(shapes[_i][0], shapes[_i][1], levels, (rmat_matrix){0}, (uint64_t)_i + 1,
                  EDGES_PER_SHAPE);
}

/* All levels share a table. */
START_TEST(one_matrix)
{
    compare_shape(shapes[_i][0], shapes[_i][1], NULL, (rmat_matrix){0},
                  UINT64_C(0xFEDCBA9876543210), ON_GPU ? EDGES_PER_SHAPE : 4000);
}

/* Zeros, ones, and entries so small that masses vanish. */
static const rmat_matrix extremes[] = {
    {1, 0, 0, 0},      {0, 1, 0, 0},       {0, 0, 1, 0},         {0, 0, 0, 1},
    {.5, 0, 0, .5},    {0, .5, .5, 0},     {.25, .25, .25, .25}, {1 - 3e-10, 1e-10, 1e-10, 1e-10},
    {1, 1e-300, 0, 0}, {.999, .001, 0, 0}, {.57, .19, .19, .05},
};

START_TEST(extreme)
{
    static const int scales[] = {3, 20, 30, 36, 62};

    for (int s = 0; s < 5; s++) {
        compare_shape(scales[s], scales[s], NULL, extremes[_i], 1, ON_GPU ? 12000 : 4000);
    }
}

/* Fewer edges than a vector or a warp has, and just more. */
START_TEST(few_edges)
{
    static const int scales[] = {20, 30, 36, 62};
    static const uint64_t counts[] = {1,  2,   3,   4,   5,   31,  32,  63,  64,  65,
                                      95, 127, 128, 129, 131, 255, 256, 257, 1000};
    rmat_matrix levels[MAX_SCALE];
    rmat_config c = square_model(scales[_i]);
    scoped(bench_destroy) bench b;

    vary(_i, levels);
    c.levels = _i == 3 ? levels : NULL;
    scoped(reference_destroy) reference *r = reference_create(&c);
    b = bench_create(&c, "few", 1000);
    for (int k = 0; k < COUNT(counts); k += small_run() ? 5 : 1) {
        const uint64_t firsts[] = {UINT64_C(0x300000000) - counts[k] / 2, 77};

        for (int f = 0; f < 2; f++) {
            expect(&b, r, firsts[f], counts[k]);
            check_all_ways(&b, firsts[f], counts[k]);
        }
    }
}

/* Tables changed so that one edge ties in every group: the threshold of each row that it draws
 * starts with the drawn fraction, and random low bits decide.  By the fast path, for edges at any
 * place of a vector. */
START_TEST(forced_ties)
{
    const int scales[] = {5, 12, 20, 24, 30, 31, 42, 62};
    const int scale = scales[_i];
    const uint64_t seed = 4242, edges = 300;
    rmat_matrix levels[MAX_SCALE];
    rmat_config c = square_model(scale);
    uint64_t own = 0, total = 0;

    vary(_i, levels);
    c.levels = levels;
    c.seed = seed;
    for (uint64_t e = 0; e < edges; e++) {
        scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
        const int groups = gen->view.groups, f = groups == 5 ? 13 : 20;
        uint64_t expected_src = 0, expected_dst = 0, src[64], dst[64], from = e < 20 ? 0 : e - 20;

        for (int g = 0; g < groups; g++) {
            philox_block b = philox_at(seed, e, groups == 5 ? 0 : (uint32_t)(g / 4), 0);
            philox_block tie = philox_at(seed, e, (uint32_t)g, 1),
                         low = philox_at(5, e, (uint32_t)g, 9);
            uint32_t w = groups == 5 && g == 4 ? rmat_fifth_word(b.v[0], b.v[1], b.v[2], b.v[3])
                                               : b.v[g % 4];
            uint32_t row = w % 4096, path;
            uint64_t top = (uint64_t)(w >> (32 - f)) << (64 - f);
            uint64_t threshold = top | (((uint64_t)low.v[1] << 32 | low.v[0]) >> f);
            uint64_t value = top | (((uint64_t)tie.v[1] << 32 | tie.v[0]) >> f);
            int drop = g == groups - 1 ? gen->view.drop : 0;

            ((uint64_t *)gen->view.full[g])[row] = threshold;
            ((uint32_t *)gen->view.fast[g])[row] =
                (uint32_t)(threshold >> 44) << 12 | (row ^ 0x555);
            path = value < threshold ? row : row ^ 0x555;
            own += value < threshold;
            total++;
            expected_src = expected_src << (6 - drop) | path / 64 >> drop;
            expected_dst = expected_dst << (6 - drop) | path % 64 >> drop;
        }
        ok(rmat_generate(gen, from, 64, src, dst));
        ck_assert_uint_eq(src[e - from], expected_src);
        ck_assert_uint_eq(dst[e - from], expected_dst);
    }
    ck_assert_uint_gt(own, total / 3);
    ck_assert_uint_lt(own, total * 2 / 3);
}

TEST_CASES(rmat_reference, 120, LOOP(square, 1, small_run() > 1 ? 1 : MAX_SCALE + 1),
           LOOP(rectangular, 0, RECTANGULAR), LOOP(one_matrix, 0, small_run() > 1 ? 1 : SHAPES),
           LOOP(extreme, 0, small_run() > 1 ? 1 : COUNT(extremes)),
           LOOP(few_edges, 0, small_run() > 1 ? 0 : 4), LOOP(forced_ties, 0, ON_GPU ? 0 : 8))
