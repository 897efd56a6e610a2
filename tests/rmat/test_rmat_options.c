/*
 * All options against the literal reference: models in which any two values of options meet
 * (option_pairs.h), on every instruction set, with both id widths and several numbers of threads,
 * in ranges of odd starts and lengths, across 2^32 and up to the last edge; models that throw
 * nearly all draws away; and the functions that return parts of a model.
 */
#include "rmat/rmat.h"
#include "tests/support/must.h"
#include "tests/support/option_pairs.h"
#include "tests/support/reference_of.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1501, GUARD = 64 };

static const struct {
    uint64_t first, count;
} ranges[] = {
    {0, LONGEST},
    {(UINT64_C(1) << 32) - 401, 803}, /* the base edge crosses 2^31 or the edge 2^32 */
    {(UINT64_C(1) << 33) - 500, 999}, /* with reverse edges the base edge crosses 2^32 */
    {(UINT64_C(1) << 40) + 12345, 1},
    {(UINT64_C(1) << 45) + 77, 130},
    {RMAT_MAX_EDGES - 257, 257},
};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

typedef struct {
    uint64_t src[RANGES][LONGEST], dst[RANGES][LONGEST], redraws;
    uint32_t weight[RANGES][LONGEST];
} answers;

static option_case cases[OPTION_PAIRS_MAX];
static int n_cases;
static answers expected;

static void expect(const reference *r, const rmat_config *c)
{
    expected.redraws = 0;
    for (int k = 0; k < RANGES; k++) {
        for (uint64_t i = 0; i < ranges[k].count; i++) {
            uint64_t e = ranges[k].first + i, src, dst;
            uint64_t redraws = reference_edge(r, e, &src, &dst);

            expected.redraws += c->symmetrize && e % 2 ? 0 : redraws;
            expected.src[k][i] = src;
            expected.dst[k][i] = dst;
            expected.weight[k][i] = c->weights ? reference_weight(r, src, dst) : 0;
        }
    }
}

typedef struct {
    unsigned char src[8 * (LONGEST + GUARD)], dst[8 * (LONGEST + GUARD)];
    unsigned char weight[4 * (LONGEST + GUARD)];
} output;

static uint64_t id_at(const unsigned char *ids, uint64_t i, int id_bytes)
{
    uint64_t x = 0;

    memcpy(&x, ids + i * (uint64_t)id_bytes, (size_t)id_bytes); /* little-endian */
    return x;
}

/* Edges ranges[k].first + skip and so on, count of them, at different places in a cache line; and
 * nothing before or behind. */
static void compare(const rmat_gen *gen, const option_case *c, int k, uint64_t skip, uint64_t count,
                    int id_bytes)
{
    static _Alignas(64) output o, wanted;
    const uint64_t first = ranges[k].first + skip;
    const int weights = c->config.weights != RMAT_NO_WEIGHTS;
    const size_t s_at = skip % 7 * (size_t)id_bytes, d_at = skip % 5 * (size_t)id_bytes;
    const size_t w_at = skip % 3 * 4;
    const char *isa = rmat_isa_name(rmat_used_isa(gen));
    rmat_arrays to = {o.src + s_at, o.dst + d_at, weights ? o.weight + w_at : NULL, id_bytes};

    memset(&wanted, 0xA5, sizeof wanted);
    o = wanted;
    must(rmat_generate_arrays(gen, first, count, &to) == RMAT_OK, "%s: fails", c->name);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t src = id_at(to.src, i, id_bytes), dst = id_at(to.dst, i, id_bytes);
        uint64_t s = expected.src[k][skip + i], d = expected.dst[k][skip + i];

        must(src == s && dst == d,
             "%s, %s, %d bytes: edge %llu is (%llu, %llu), the reference says (%llu, %llu)",
             c->name, isa, id_bytes, (unsigned long long)(first + i), (unsigned long long)src,
             (unsigned long long)dst, (unsigned long long)s, (unsigned long long)d);
        memcpy(wanted.src + s_at + i * (uint64_t)id_bytes, &s, (size_t)id_bytes);
        memcpy(wanted.dst + d_at + i * (uint64_t)id_bytes, &d, (size_t)id_bytes);
    }
    if (weights) {
        memcpy(wanted.weight + w_at, &expected.weight[k][skip], 4 * count);
    }
    must(!memcmp(o.weight, wanted.weight, sizeof o.weight), "%s, %s, %d bytes: other weights",
         c->name, isa, id_bytes);
    must(!memcmp(&o, &wanted, sizeof o), "%s, %s, %d bytes: written elsewhere", c->name, isa,
         id_bytes);
}

/* rmat_weights_of() of the edges that the reference made. */
static void compare_weights_of(const rmat_gen *gen, const option_case *c)
{
    static uint32_t weight[LONGEST], src32[LONGEST], dst32[LONGEST];
    const int narrow = c->config.rows_scale <= 32 && c->config.cols_scale <= 32;

    if (c->config.weights == RMAT_NO_WEIGHTS) {
        ck_assert_int_eq(rmat_weights_of(gen, 1, expected.src[0], expected.dst[0], 8, weight),
                         RMAT_ERR_WEIGHTS);
        return;
    }
    ck_assert_int_eq(rmat_weights_of(gen, LONGEST, expected.dst[0], expected.src[0], 8, weight),
                     RMAT_OK);
    ck_assert_mem_eq(weight, expected.weight[0], sizeof weight);
    for (int i = 0; i < LONGEST; i++) {
        src32[i] = (uint32_t)expected.src[0][i];
        dst32[i] = (uint32_t)expected.dst[0][i];
    }
    if (narrow) {
        ck_assert_int_eq(rmat_weights_of(gen, LONGEST, src32, dst32, 4, weight), RMAT_OK);
        ck_assert_mem_eq(weight, expected.weight[0], sizeof weight);
    }
}

/* Levels, permutation and its inverse. */
static void compare_parts(const option_case *o, const reference *r)
{
    const rmat_config *c = &o->config;
    const uint64_t last[2] = {c->rows ? c->rows - 1 : (UINT64_C(1) << c->rows_scale) - 1,
                              c->cols ? c->cols - 1 : (UINT64_C(1) << c->cols_scale) - 1};
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_gen *gen;

    ck_assert_int_eq(rmat_levels(c, levels), RMAT_OK);
    for (int l = 0; l < c->rows_scale || l < c->cols_scale; l++) {
        ck_assert_mem_eq(&levels[l], reference_level(r, l), sizeof levels[l]);
    }
    ck_assert_int_eq(rmat_create(&gen, c), RMAT_OK);
    for (int side = 0; side < 2; side++) {
        for (uint64_t k = 0; k < 300; k++) {
            uint64_t id = k < 100 ? k : k * UINT64_C(0x9E3779B97F4A7C15), image;

            id = id > last[side] ? id % (last[side] + 1) : id;
            image = id;
            must(rmat_permute(gen, (rmat_side)side, 1, &image) == RMAT_OK, "fails");
            must(image == (c->permute ? reference_permute(r, side, id) : id),
                 "%s: side %d, %llu goes to %llu", o->name, side, (unsigned long long)id,
                 (unsigned long long)image);
            must(!c->permute || reference_unpermute(r, side, image) == id,
                 "%s: the reference does not come back", o->name);
            must(rmat_unpermute(gen, (rmat_side)side, 1, &image) == RMAT_OK && image == id,
                 "%s: side %d, %llu does not come back", o->name, side, (unsigned long long)id);
        }
    }
    rmat_destroy(gen);
}

static void compare_model(option_case *c)
{
    const int narrow = c->config.rows_scale <= 32 && c->config.cols_scale <= 32;
    reference *r = reference_of(&c->config);

    expect(r, &c->config);
    for (rmat_isa isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        rmat_gen *gen;

        if (!rmat_cpu_has_isa(isa)) {
            continue;
        }
        for (int id_bytes = narrow ? 4 : 8; id_bytes <= 8; id_bytes += 4) {
            uint64_t redraws;

            c->config.isa = isa;
            c->config.threads = 1 + ((int)isa + id_bytes / 4) % 3;
            must(rmat_create(&gen, &c->config) == RMAT_OK, "%s: refused", c->name);
            for (int k = 0; k < RANGES; k++) {
                compare(gen, c, k, 0, ranges[k].count, id_bytes);
            }
            ck_assert_int_eq(rmat_redraws(gen, &redraws), RMAT_OK);
            must(redraws == expected.redraws, "%s, %s: %llu redraws, the reference has %llu",
                 c->name, rmat_isa_name(isa), (unsigned long long)redraws,
                 (unsigned long long)expected.redraws);
            for (uint64_t skip = 0; skip < 40; skip += 7) {
                compare(gen, c, 0, skip, 1 + 7 * skip % 83, id_bytes);
                compare(gen, c, 2, 500 - skip, 1 + 2 * skip, id_bytes);
            }
            compare_weights_of(gen, c);
            rmat_destroy(gen);
        }
    }
    compare_parts(c, r);
    reference_destroy(r);
}

START_TEST(pairs)
{
    ck_assert_int_gt(n_cases, 0);
    if (_i < n_cases) {
        compare_model(&cases[_i]);
    }
}
END_TEST

/* A range that several threads share, in many blocks, against small calls without vectors: of those
 * the other tests know that they are right. */
START_TEST(threads)
{
    enum { MANY = 3 * 65536 + 777 };
    const uint64_t first = UINT64_C(0xFFFF0001);
    uint64_t *ids = malloc(4 * MANY * sizeof *ids), redraws[2];
    uint32_t *weights = malloc(2 * MANY * sizeof *weights);
    rmat_config c = cases[_i].config;
    rmat_gen *gen;

    ck_assert(_i < n_cases && ids && weights);
    for (int run = 0; run < 2; run++) {
        uint64_t *src = ids + 2 * run * MANY, *dst = src + MANY, step;
        uint32_t *weight = weights + run * MANY;

        c.isa = run ? RMAT_ISA_AUTO : RMAT_ISA_GENERIC;
        c.threads = run ? 3 : 1;
        ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
        for (uint64_t done = 0; done < MANY; done += step) {
            rmat_arrays to = {src + done, dst + done, c.weights ? weight + done : NULL, 8};

            step = run ? MANY : 1 + done * 37 % 1500;
            step = step < MANY - done ? step : MANY - done;
            must(rmat_generate_arrays(gen, first + done, step, &to) == RMAT_OK, "fails");
        }
        ck_assert_int_eq(rmat_redraws(gen, &redraws[run]), RMAT_OK);
        rmat_destroy(gen);
    }
    ck_assert_mem_eq(ids, ids + 2 * MANY, 2 * MANY * sizeof *ids);
    if (c.weights) {
        ck_assert_mem_eq(weights, weights + MANY, MANY * sizeof *weights);
    }
    ck_assert_uint_eq(redraws[0], redraws[1]);
    free(ids);
    free(weights);
}
END_TEST

/* The same edges from the matrices that a noisy model drew, given as levels. */
START_TEST(levels_say_all_of_noise)
{
    static uint64_t src[2][LONGEST], dst[2][LONGEST];
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c;
    rmat_gen *gen;

    rmat_config_default(&c);
    c.rows_scale = 33;
    c.cols_scale = 30;
    c.noise = 0.17;
    for (int given = 0; given < 2; given++) {
        ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
        ck_assert_int_eq(rmat_generate(gen, 1000, LONGEST, src[given], dst[given]), RMAT_OK);
        rmat_destroy(gen);
        ck_assert_int_eq(rmat_levels(&c, levels), RMAT_OK);
        c.levels = levels;
        c.noise = 0;
    }
    ck_assert_mem_eq(src[0], src[1], sizeof src[0]);
    ck_assert_mem_eq(dst[0], dst[1], sizeof dst[0]);
}
END_TEST

/* Of a thousand draws few are kept: nearly all lie on the diagonal, or beyond the vertices. */
START_TEST(nearly_all_thrown_away)
{
    static const struct {
        rmat_matrix matrix;
        int scale;
        uint64_t vertices;
        int no_self_loops;
    } rare[] = {
        {{0.98, 0.004, 0.004, 0.012}, 1, 0, 1},
        {{0.5, 0.002, 0.002, 0.496}, 1, 0, 1},
        {{0.57, 0.19, 0.19, 0.05}, 1, 0, 1},
        {{0.57, 0.19, 0.19, 0.05}, 2, 3, 1},
        {{0.01, 0.02, 0.03, 0.94}, 2, 3, 0},
        {{0.02, 0.03, 0.04, 0.91}, 3, 5, 1},
        {{0.01, 0.02, 0.03, 0.94}, 20, (1 << 19) + 1, 0},
        {{0.02, 0.02, 0.03, 0.93}, 27, (1 << 26) + 9, 1},
        {{0.02, 0.02, 0.03, 0.93}, 36, (UINT64_C(1) << 35) + 12345, 1},
        {{0.005, 0.005, 0.005, 0.985}, 62, (UINT64_C(1) << 61) + 1, 0},
        {{0.57, 0.19, 0.19, 0.05}, 1, 1, 0},
    };
    option_case c = {.name = "rare"};

    rmat_config_default(&c.config);
    c.config.rows_scale = c.config.cols_scale = rare[_i].scale;
    c.config.rows = c.config.cols = rare[_i].vertices;
    c.config.matrix = rare[_i].matrix;
    c.config.no_self_loops = rare[_i].no_self_loops;
    c.config.permute = 1;
    c.config.symmetrize = _i % 2;
    c.config.weights = RMAT_WEIGHTS_UNIFORM;
    compare_model(&c);
}
END_TEST

TEST_MAIN(rmat_options)
{
    Suite *s = suite_create("rmat_options");
    TCase *t = tcase_create("options");

    n_cases = option_pairs(cases);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, pairs, 0, OPTION_PAIRS_MAX);
    tcase_add_loop_test(t, threads, 0, 12);
    tcase_add_test(t, levels_say_all_of_noise);
    tcase_add_loop_test(t, nearly_all_thrown_away, 0, 11);
    suite_add_tcase(s, t);
    return run_suite(s);
}
