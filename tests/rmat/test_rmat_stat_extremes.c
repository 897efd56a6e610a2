/* Probabilities of 1 and 0 are exact: no edge may contradict them. */
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

#define EDGES 10000000
#define CHUNK 262144

static uint64_t src[CHUNK], dst[CHUNK];

static rmat_gen *create(int rows, int cols, rmat_matrix matrix, const rmat_matrix *levels)
{
    const rmat_config c = model_of(
        (rmat_config){.rows_scale = rows, .cols_scale = cols, .matrix = matrix, .levels = levels});

    return create_gen(&c);
}

START_TEST(one_certain_quadrant)
{
    static const int scales[] = {1, 5, 6, 7, 20, 24, 25, 30, 31, 32, 33, 48, 61, 62};
    static const rmat_matrix certain[4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

    for (unsigned k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        uint64_t ones = (UINT64_C(1) << scales[k]) - 1, broken = 0;
        rmat_gen *gen = create(scales[k], scales[k], certain[_i], NULL);

        ck_assert_int_eq(rmat_generate(gen, 0, CHUNK, src, dst), RMAT_OK);
        for (int e = 0; e < CHUNK; e++) {
            broken |= src[e] ^ (_i & 2 ? ones : 0);
            broken |= dst[e] ^ (_i & 1 ? ones : 0);
        }
        ck_assert(!broken);
        rmat_destroy(gen);
    }
}
END_TEST

/* masks[q]: the bits whose level has a 0 for quadrant q. */
static void assert_never(const rmat_gen *gen, const uint64_t masks[4])
{
    uint64_t broken = 0;

    for (uint64_t done = 0; done < EDGES; done += CHUNK) {
        ck_assert_int_eq(rmat_generate(gen, done, CHUNK, src, dst), RMAT_OK);
        for (int e = 0; e < CHUNK; e++) {
            broken |= (~src[e] & ~dst[e] & masks[0]) | (~src[e] & dst[e] & masks[1]) |
                      (src[e] & ~dst[e] & masks[2]) | (src[e] & dst[e] & masks[3]);
        }
    }
    ck_assert_msg(!broken, "levels of bits %#llx", (unsigned long long)broken);
}

/* The same matrix at each level, with one or two quadrants of probability 0. */
START_TEST(impossible_quadrants)
{
    static const int scales[] = {30, 62}, zeros[] = {1, 2, 4, 8, 6, 9};

    for (unsigned k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        uint64_t all = (UINT64_C(1) << scales[k]) - 1, masks[4];
        double p[4], sum = 0.0;
        rmat_gen *gen;

        for (int q = 0; q < 4; q++) {
            p[q] = zeros[_i] >> q & 1 ? 0.0 : 0.1 + 0.17 * q;
            masks[q] = p[q] == 0.0 ? all : 0;
            sum += p[q];
        }
        gen = create(scales[k], scales[k],
                     (rmat_matrix){p[0] / sum, p[1] / sum, p[2] / sum, p[3] / sum}, NULL);
        assert_never(gen, masks);
        rmat_destroy(gen);
    }
}
END_TEST

/* Another quadrant is impossible at each level. */
START_TEST(impossible_by_level)
{
    static const int scales[] = {6, 24, 25, 30, 33, 48, 62};
    int scale = scales[_i];
    uint64_t masks[4] = {0};
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_gen *gen;

    for (int l = 0; l < scale; l++) {
        int zero = (l * 7 + l / 6) % 4;
        double p[4] = {0.33, 0.33, 0.33, 0.33};

        p[zero] = 0.0;
        p[(zero + 1) % 4] += 0.01;
        levels[l] = (rmat_matrix){p[0], p[1], p[2], p[3]};
        masks[zero] |= UINT64_C(1) << (scale - 1 - l);
    }
    gen = create(scale, scale, levels[0], levels);
    assert_never(gen, masks);
    rmat_destroy(gen);
}
END_TEST

/* Levels that only the longer side has: its bit is certain if both quadrants of the other value are
 * impossible. */
START_TEST(rectangular_marginal)
{
    const rmat_matrix no_src_one = {0.3, 0.7, 0.0, 0.0}, no_dst_zero = {0.0, 0.6, 0.0, 0.4};
    const uint64_t src_ones[4] = {0, 0, UINT64_MAX, UINT64_MAX};
    uint64_t dst_zeros[4] = {(UINT64_C(1) << 33) - 1, 0, (UINT64_C(1) << 33) - 1, 0};
    rmat_gen *gen = create(62, 7, no_src_one, NULL);

    assert_never(gen, src_ones);
    rmat_destroy(gen);
    gen = create(5, 33, no_dst_zero, NULL);
    assert_never(gen, dst_zeros);
    rmat_destroy(gen);
}
END_TEST

TEST_CASES(rmat_stat_extremes, 60, LOOP(one_certain_quadrant, 0, 4),
           LOOP(impossible_quadrants, 0, 6), LOOP(impossible_by_level, 0, 7),
           ONCE(rectangular_marginal))
