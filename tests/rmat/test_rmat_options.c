/*
 * All options: models in which any two values of options meet (option_pairs.h), every scale from 1
 * to 62 with a different matrix for each level, rectangular graphs, and extreme matrices; on every
 * instruction set, with both id widths, several numbers of threads, and any place in memory.
 *
 * Ranges with odd starts and lengths, across 2^32 and up to the last edge, and models that discard
 * almost all draws, are compared with the literal reference on a CPU, and with the CPU on a GPU. On
 * a CPU rmat_edge_at() makes all of these edges as well, and tables are made to tie.
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"
#include "tests/support/option_pairs.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

enum {
    ISAS = ON_GPU ? 1 : RMAT_ISA_NEON,
    LONGEST = ON_GPU ? 40013 : 1501 /* range */
};

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
enum { RANGES = COUNT(ranges) };

/* Fewer edges than a vector or a warp has, and just more. */
static const uint64_t few[] = {1,  2,   3,   4,   5,   31,  32,  63,  64,  65,
                               95, 127, 128, 129, 131, 255, 256, 257, 1000};

/* A bench with a generator of each instruction set; bench.gen is one of them. */
typedef struct {
    bench bench;
    rmat_gen *gens[ISAS]; /* NULL: this processor has no such instructions */
} benches;

static benches benches_create(const option_case *o)
{
    rmat_config c = o->config;
    benches b = {.gens = {NULL}};

    for (int i = ISAS; i-- > 0;) {
        c.isa = (rmat_isa)(RMAT_ISA_GENERIC + i);
        c.threads = i ? 1 + (i + 1) % 3 : o->config.threads;
        b.gens[i] = i && rmat_cpu_has_isa(c.isa) ? create_gen(&c) : NULL;
    }
    b.bench = bench_create(&c, o->name, LONGEST);
    b.gens[0] = b.bench.gen;
    return b;
}

static void benches_destroy(benches b)
{
    for (int i = 1; i < ISAS; i++) {
        rmat_destroy(b.gens[i]);
    }
    b.bench.gen = b.gens[0];
    bench_destroy(b.bench);
}
SCOPED(benches_destroy, benches)

/* rmat_weights_of() of the edges of range 0. */
static void compare_weights_of(const bench *b)
{
    enum { N = 1501 };
    uint32_t weight[N], src32[N], dst32[N];

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
static void compare_parts(const rmat_gen *gen, const option_case *o, const reference *r)
{
    enum { IDS = 300 };
    const rmat_config *c = &o->config;
    const uint64_t vertices[2] = {rows_of(c), cols_of(c)};
    uint64_t ids[IDS], images[IDS];
    rmat_matrix levels[RMAT_MAX_SCALE];

    ok(rmat_levels(c, levels));
    for (int l = 0; l < c->rows_scale || l < c->cols_scale; l++) {
        const rmat_matrix right = reference_level(r, l);

        ck_assert_mem_eq(&levels[l], &right, sizeof right);
    }
    for (int side = 0; side < 2; side++) {
        for (uint64_t k = 0; k < IDS; k++) {
            ids[k] = (k < 100 ? vertices[side] - 1 + k : k * UINT64_C(0x9E3779B97F4A7C15)) %
                     vertices[side];
            images[k] = ids[k];
        }
        ok(rmat_permute(gen, (rmat_side)side, IDS, images));
        for (int k = 0; k < IDS; k++) {
            must(images[k] == (c->permute ? reference_permute(r, (rmat_side)side, ids[k]) : ids[k]),
                 "%s: side %d, %lu goes to %lu", o->name, side, ids[k], images[k]);
        }
        ok(rmat_unpermute(gen, (rmat_side)side, IDS, images));
        for (int k = 0; k < IDS; k++) {
            must(images[k] == ids[k], "%s: side %d, %lu does not come back", o->name, side, ids[k]);
        }
    }
}

/* Part of range k, which is expected, at some place in a cache line. */
static void compare_some(const bench *b, int k, uint64_t skip, uint64_t count)
{
    for (int bytes = is_narrow(&b->config) ? 4 : 8; bytes <= 8; bytes += 4) {
        check_same(b, &(placing){.first = ranges[k].first + skip,
                                 .count = count,
                                 .skip = skip,
                                 .id_bytes = bytes,
                                 .src_at = (int)(skip % 16),
                                 .dst_at = (int)(skip % 13),
                                 .weights = b->config.weights != RMAT_NO_WEIGHTS,
                                 .weight_at = (int)(skip % 3)});
    }
}

/* Expects edges [first, first + count). */
static void expect(bench *b, const reference *r, uint64_t first, uint64_t count)
{
    if (ON_GPU) {
        bench_expect(b, first, count);
        return;
    }
    expect_reference(b, r, first, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t src, dst;

        rmat_edge_at(&b->cpu->view, first + i, &src, &dst);
        must(src == b->src[i] && dst == b->dst[i], "%s: rmat_edge_at(), edge %lu", b->name,
             first + i);
    }
}

/* once: a CPU makes each range at one place alone. */
static void compare_model(const option_case *o, bool once)
{
    scoped(reference_destroy) reference *r = reference_create(&o->config);
    scoped(benches_destroy) benches all = benches_create(o);
    bench *b = &all.bench;

    compare_parts(b->cpu, o, r);
    for (int k = 0; k < RANGES; k++) {
        const uint64_t count = ranges[k].count;

        expect(b, r, ranges[k].first, count);
        for (int i = 0; i < ISAS; i++) {
            b->gen = all.gens[i];
            if (b->gen == NULL) {
                continue;
            }
            if (once && !ON_GPU) {
                compare_some(b, k, 0, count);
                continue;
            }
            check_all_ways(b, ranges[k].first, count);
            for (uint64_t at = 0; at < COUNT(few) && k == 0; at++) {
                compare_some(b, k, 7 * at % 41, few[at]);
            }
            for (uint64_t skip = 0; skip < 40 && k == 2; skip += 7) {
                compare_some(b, k, 500 - skip, 1 + 2 * skip);
            }
            if (k == 0) {
                compare_weights_of(b);
            }
        }
    }
}

START_TEST(pairs)
{
    static option_case cases[OPTION_PAIRS];

    if (_i % (small_run() == 2 ? 29 : small_run() ? 13 : 1) == 0) {
        option_pairs(cases);
        compare_model(&cases[_i], false);
    }
}

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
    option_case o = {.config = model_of(rare[_i]), .name = "rare"};

    if (SANITIZED && _i % 3 != 0) {
        return;
    }
    o.config.cols_scale = o.config.rows_scale;
    o.config.cols = o.config.rows;
    o.config.permute = 1;
    o.config.symmetrize = _i % 2;
    o.config.weights = RMAT_WEIGHTS_UNIFORM;
    compare_model(&o, true);
}

/* Matrices that differ from level to level and have no symmetry. */
static void vary(int seed, rmat_matrix levels[RMAT_MAX_SCALE])
{
    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        philox_block b = philox_at(77, (uint64_t)(seed * 100 + l), 0, 99);
        double x[4], sum = 0;

        for (int k = 0; k < 4; k++) {
            x[k] = 0.05 + b.v[k] / 4294967296.0;
            sum += x[k];
        }
        levels[l] = (rmat_matrix){x[0] / sum, x[1] / sum, x[2] / sum, x[3] / sum};
    }
}

static const int shapes[][2] = {{20, 7},  {7, 20}, {1, 62}, {62, 1},  {30, 31}, {33, 5},
                                {48, 49}, {17, 9}, {3, 30}, {32, 25}, {40, 11}};

/* Square graphs of every scale, and others. */
START_TEST(matrices_by_level)
{
    const int other = _i - RMAT_MAX_SCALE - 1;
    option_case o = {.config = square_model(other < 0 ? _i : shapes[other][0]), .name = "by level"};

    if (SANITIZED && _i % 7 != 0) {
        return; /* a sanitizer sees as much in some */
    }
    vary(_i, o.levels);
    o.config.levels = o.levels;
    o.config.cols_scale = other < 0 ? _i : shapes[other][1];
    o.config.seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)_i;
    compare_model(&o, true);
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

    for (int k = 0; k < 5; k += SANITIZED ? 3 : 1) {
        option_case o = {.config = square_model(scales[k]), .name = "extreme"};

        o.config.matrix = extremes[_i];
        compare_model(&o, true);
    }
}

/* Tables changed so that one edge ties in every group: the threshold of each row that it draws
 * starts with the drawn fraction, and random low bits decide.  By the fast path, for edges at any
 * place of a vector. */
START_TEST(forced_ties)
{
    const int scales[] = {5, 12, 20, 24, 30, 31, 42, 62};
    const int scale = scales[_i];
    const uint64_t seed = 4242, edges = SANITIZED ? 60 : 300;
    rmat_matrix levels[RMAT_MAX_SCALE];
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

TEST_CASES(rmat_options, 120, LOOP(pairs, 0, OPTION_PAIRS),
           LOOP(matrices_by_level, 1, small_run() > 1 ? 1 : RMAT_MAX_SCALE + 1 + COUNT(shapes)),
           LOOP(extreme, 0, small_run() > 1 ? 1 : COUNT(extremes)),
           LOOP(forced_ties, 0, ON_GPU ? 0 : 8),
           LOOP(nearly_all_thrown_away, 0, small_run() > 1 ? 0 : 11))
