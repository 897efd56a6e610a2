/*
 * The library against the literal reference, 10^7 edges: every scale from 1 to 62 with a matrix of
 * its own for each level, rectangular graphs, ranges around 2^32 and up to 2^62, extreme matrices,
 * and tables made to tie.
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"
#include "rmat/rmat.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>

enum { EDGES_PER_SHAPE = 145000, MAX_SCALE = 62 };

/* Matrices that differ from level to level and have no symmetry. */
static void vary(int seed, double m[MAX_SCALE][4])
{
    for (int l = 0; l < MAX_SCALE; l++) {
        philox_block b = philox_at(77, (uint64_t)(seed * 100 + l), 0, 99);
        double x[4], sum = 0;

        for (int k = 0; k < 4; k++) {
            x[k] = 0.05 + b.v[k] / 4294967296.0;
            sum += x[k];
        }
        for (int k = 0; k < 4; k++) {
            m[l][k] = x[k] / sum;
        }
    }
}

static rmat_gen *create(int rows, int cols, double m[MAX_SCALE][4], uint64_t seed)
{
    rmat_matrix levels[MAX_SCALE];
    rmat_config config;
    rmat_gen *gen;

    for (int l = 0; l < MAX_SCALE; l++) {
        levels[l] = (rmat_matrix){m[l][0], m[l][1], m[l][2], m[l][3]};
    }
    rmat_config_default(&config);
    config.rows_scale = rows;
    config.cols_scale = cols;
    config.levels = levels;
    config.seed = seed;
    ck_assert_int_eq(rmat_create(&gen, &config), RMAT_OK);
    return gen;
}

static void compare(const rmat_gen *gen, const reference *r, uint64_t first, uint64_t count)
{
    uint64_t *src = malloc(count * 8), *dst = malloc(count * 8);

    ck_assert(src && dst);
    ck_assert_int_eq(rmat_generate(gen, first, count, src, dst), RMAT_OK);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t s, d;

        reference_edge(r, first + i, &s, &d);
        if (s != src[i] || d != dst[i]) {
            ck_abort_msg("edge %llu is (%llu, %llu), the reference says (%llu, %llu)",
                         (unsigned long long)(first + i), (unsigned long long)src[i],
                         (unsigned long long)dst[i], (unsigned long long)s, (unsigned long long)d);
        }
    }
    free(src);
    free(dst);
}

static void compare_shape(int rows, int cols, double m[MAX_SCALE][4], uint64_t seed, uint64_t edges)
{
    const uint64_t starts[] = {0, (UINT64_C(1) << 32) - edges / 9, (UINT64_C(1) << 40) + 12345,
                               RMAT_MAX_EDGES - edges / 4};
    rmat_gen *gen = create(rows, cols, m, seed);
    reference *r = reference_create(&(reference_config){
        .rows_scale = rows, .cols_scale = cols, .matrices = (const double(*)[4])m, .seed = seed});

    for (int k = 0; k < 4; k++) {
        compare(gen, r, starts[k], edges / 4);
    }
    reference_destroy(r);
    rmat_destroy(gen);
}

START_TEST(square)
{
    double m[MAX_SCALE][4];

    vary(_i, m);
    compare_shape(_i, _i, m, UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)_i, EDGES_PER_SHAPE);
}
END_TEST

START_TEST(rectangular)
{
    static const int shapes[][2] = {{20, 7},  {7, 20}, {1, 62}, {62, 1},
                                    {30, 31}, {33, 5}, {48, 49}};
    double m[MAX_SCALE][4];

    vary(_i + 1000, m);
    compare_shape(shapes[_i][0], shapes[_i][1], m, (uint64_t)_i, EDGES_PER_SHAPE);
}
END_TEST

/* Zeros, ones, and entries so small that masses vanish. */
static const double extremes[][4] = {
    {1, 0, 0, 0},      {0, 1, 0, 0},       {0, 0, 1, 0},         {0, 0, 0, 1},
    {.5, 0, 0, .5},    {0, .5, .5, 0},     {.25, .25, .25, .25}, {1 - 3e-10, 1e-10, 1e-10, 1e-10},
    {1, 1e-300, 0, 0}, {.999, .001, 0, 0},
};

START_TEST(extreme)
{
    const int scales[] = {3, 20, 30, 36, 62};
    double m[MAX_SCALE][4];

    for (int l = 0; l < MAX_SCALE; l++) {
        for (int k = 0; k < 4; k++) {
            m[l][k] = extremes[_i][k];
        }
    }
    for (int s = 0; s < 5; s++) {
        compare_shape(scales[s], scales[s], m, 1, 4000);
    }
}
END_TEST

/* Tables changed so that one edge ties in every group: the threshold of each row that it draws
 * starts with the drawn fraction, and random low bits decide.  By the fast path, for edges at any
 * place of a vector. */
START_TEST(forced_ties)
{
    const int scales[] = {5, 12, 20, 24, 30, 31, 42, 62};
    const int scale = scales[_i];
    const uint64_t seed = 4242, edges = 300;
    double m[MAX_SCALE][4];
    uint64_t own = 0, total = 0;

    vary(_i, m);
    for (uint64_t e = 0; e < edges; e++) {
        rmat_gen *gen = create(scale, scale, m, seed);
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
        ck_assert_int_eq(rmat_generate(gen, from, 64, src, dst), RMAT_OK);
        ck_assert_uint_eq(src[e - from], expected_src);
        ck_assert_uint_eq(dst[e - from], expected_dst);
        rmat_destroy(gen);
    }
    ck_assert_uint_gt(own, total / 3);
    ck_assert_uint_lt(own, total * 2 / 3);
}
END_TEST

TEST_CASES(rmat_reference, 120, LOOP(square, 1, MAX_SCALE + 1), LOOP(rectangular, 0, 7),
           LOOP(extreme, 0, sizeof extremes / sizeof extremes[0]), LOOP(forced_ties, 0, 8))
