/*
 * All options, against the literal reference on a CPU, and against the CPU on a GPU: models in
 * which any two values of options meet (option_pairs.h), on every instruction set, with both id
 * widths and several numbers of threads, in ranges of odd starts and lengths, across 2^32 and up to
 * the last edge, at any place in memory; models that throw nearly all draws away; and the functions
 * that return parts of a model.
 */
#include "rmat/rmat.h"
#include "tests/support/backend.h"
#include "tests/support/option_pairs.h"
#include "tests/support/reference_of.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = ON_GPU ? 40013 : 1501, ISAS = ON_GPU ? 1 : RMAT_ISA_NEON };

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

static option_case cases[OPTION_PAIRS_MAX];

/* Number i of the models, of those that small runs have. */
static option_case *case_of(int i)
{
    const int n = option_pairs(cases);

    ck_assert_int_gt(n, 0);
    return i < n && i % (small_run() == 2 ? 30 : small_run() ? 5 : 1) == 0 ? &cases[i] : NULL;
}

/* rmat_weights_of() of the edges of range 0. */
static void compare_weights_of(const bench *b)
{
    uint32_t weight[1501], src32[1501], dst32[1501];
    enum { N = sizeof weight / sizeof *weight };

    if (b->config.weights == RMAT_NO_WEIGHTS) {
        gives(RMAT_ERR_WEIGHTS, rmat_weights_of(b->gen, 1, b->src, b->dst, 8, weight));
        return;
    }
    ok(rmat_weights_of(b->gen, N, b->dst, b->src, 8, weight));
    ck_assert_mem_eq(weight, b->weight, sizeof weight);
    for (int i = 0; i < N; i++) {
        src32[i] = (uint32_t)b->src[i];
        dst32[i] = (uint32_t)b->dst[i];
    }
    if (is_narrow(&b->config)) {
        ok(rmat_weights_of(b->gen, N, src32, dst32, 4, weight));
        ck_assert_mem_eq(weight, b->weight, sizeof weight);
    }
}

/* Levels, permutation and its inverse. */
static void compare_parts(const option_case *o, const reference *r)
{
    const rmat_config *c = &o->config;
    const uint64_t last[2] = {c->rows ? c->rows - 1 : (UINT64_C(1) << c->rows_scale) - 1,
                              c->cols ? c->cols - 1 : (UINT64_C(1) << c->cols_scale) - 1};
    rmat_matrix levels[RMAT_MAX_SCALE];
    scoped(rmat_destroy) rmat_gen *gen = NULL;

    ok(rmat_levels(c, levels));
    for (int l = 0; l < c->rows_scale || l < c->cols_scale; l++) {
        ck_assert_mem_eq(&levels[l], reference_level(r, l), sizeof levels[l]);
    }
    ok(rmat_create(&gen, c));
    for (int side = 0; side < 2; side++) {
        for (uint64_t k = 0; k < 300; k++) {
            uint64_t id = k < 100 ? k : k * UINT64_C(0x9E3779B97F4A7C15), image;

            id = id > last[side] ? id % (last[side] + 1) : id;
            image = id;
            must(rmat_permute(gen, (rmat_side)side, 1, &image) == RMAT_OK, "fails");
            must(image == (c->permute ? reference_permute(r, side, id) : id),
                 "%s: side %d, %lu goes to %lu", o->name, side, id, image);
            must(rmat_unpermute(gen, (rmat_side)side, 1, &image) == RMAT_OK && image == id,
                 "%s: side %d, %lu does not come back", o->name, side, id);
        }
    }
}

/* Parts of the expected range, at different places in a cache line. */
static void compare_some(const bench *b, int k, uint64_t skip, uint64_t count)
{
    for (int bytes = is_narrow(&b->config) ? 4 : 8; bytes <= 8; bytes += 4) {
        check_same(b, &(placing){.first = ranges[k].first + skip,
                                 .count = count,
                                 .skip = skip,
                                 .id_bytes = bytes,
                                 .src_at = (int)(skip % 7),
                                 .dst_at = (int)(skip % 5),
                                 .weights = b->config.weights != RMAT_NO_WEIGHTS,
                                 .weight_at = (int)(skip % 3)});
    }
}

static void compare_model(const option_case *o)
{
    scoped(reference_destroy) reference *r = reference_of(&o->config);
    rmat_gen *gens[ISAS] = {NULL};
    scoped(bench_destroy) bench b = bench_create(&o->config, o->name, LONGEST);

    compare_parts(o, r);
    gens[0] = b.gen;
    for (int isa = RMAT_ISA_GENERIC + 1; isa <= ISAS; isa++) {
        rmat_config c = o->config;

        c.isa = (rmat_isa)isa;
        c.threads = 1 + isa % 3;
        gens[isa - RMAT_ISA_GENERIC] = rmat_cpu_has_isa(c.isa) ? create_gen(&c) : NULL;
    }
    for (int k = 0; k < RANGES; k++) {
        if (ON_GPU) {
            bench_expect(&b, ranges[k].first, ranges[k].count);
        } else {
            expect_reference(&b, r, ranges[k].first, ranges[k].count);
        }
        for (int g = 0; g < ISAS; g++) {
            b.gen = gens[g];
            if (b.gen == NULL) {
                continue;
            }
            check_all_ways(&b, ranges[k].first, ranges[k].count);
            for (uint64_t skip = 0; skip < 40 && k == 0; skip += 7) {
                compare_some(&b, k, skip, 1 + 7 * skip % 83);
            }
            for (uint64_t skip = 0; skip < 40 && k == 2; skip += 7) {
                compare_some(&b, k, 500 - skip, 1 + 2 * skip);
            }
            if (k == 0) {
                compare_weights_of(&b);
            }
        }
    }
    for (int g = 1; g < ISAS; g++) {
        rmat_destroy(gens[g]);
    }
    b.gen = gens[0];
}

START_TEST(pairs)
{
    option_case *c = case_of(_i);

    if (c != NULL) {
        c->config.isa = RMAT_ISA_GENERIC;
        compare_model(c);
    }
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
        gen = create_on(TESTED, c);
        ok(rmat_generate(gen, 1000, LONGEST, src[given], dst[given]));
        rmat_destroy(gen);
        ok(rmat_levels(&c, levels));
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
    static const rmat_config rare[] = {
        {.rows_scale = 1, .matrix = {0.98, 0.004, 0.004, 0.012}, .no_self_loops = 1},
        {.rows_scale = 1, .matrix = {0.5, 0.002, 0.002, 0.496}, .no_self_loops = 1},
        {.rows_scale = 1, .no_self_loops = 1},
        {.rows_scale = 2, .rows = 3, .no_self_loops = 1},
        {.rows_scale = 2, .matrix = {0.01, 0.02, 0.03, 0.94}, .rows = 3},
        {.rows_scale = 3, .matrix = {0.02, 0.03, 0.04, 0.91}, .rows = 5, .no_self_loops = 1},
        {.rows_scale = 20, .matrix = {0.01, 0.02, 0.03, 0.94}, .rows = (1 << 19) + 1},
        {.rows_scale = 27,
         .matrix = {0.02, 0.02, 0.03, 0.93},
         .rows = (1 << 26) + 9,
         .no_self_loops = 1},
        {.rows_scale = 36,
         .matrix = {0.02, 0.02, 0.03, 0.93},
         .rows = (UINT64_C(1) << 35) + 12345,
         .no_self_loops = 1},
        {.rows_scale = 62, .matrix = {0.005, 0.005, 0.005, 0.985}, .rows = (UINT64_C(1) << 61) + 1},
        {.rows_scale = 1, .rows = 1},
    };
    option_case c = {.config = model_of(rare[_i]), .name = "rare"};

    c.config.cols_scale = c.config.rows_scale;
    c.config.cols = c.config.rows;
    c.config.isa = RMAT_ISA_GENERIC;
    c.config.permute = 1;
    c.config.symmetrize = _i % 2;
    c.config.weights = RMAT_WEIGHTS_UNIFORM;
    compare_model(&c);
}
END_TEST

TEST_CASES(rmat_options, 120, LOOP(pairs, 0, OPTION_PAIRS_MAX), ONCE(levels_say_all_of_noise),
           LOOP(nearly_all_thrown_away, 0, small_run() > 1 ? 0 : 11))
