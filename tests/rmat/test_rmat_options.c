/*
 * All options: models in which any two values of options meet (option_pairs.h), on every
 * instruction set, with both id widths, several numbers of threads, and any place in memory.
 *
 * Short ranges with odd starts and lengths, across 2^32 and up to the last edge, longer ones of
 * several batches, and models that discard almost all draws, are compared with the literal
 * reference on a CPU, and with the CPU on a GPU.  On a CPU rmat_edge_at() makes all of these edges
 * as well.
 */
#include "rmat/model/generator.h"
#include "tests/support/option_pairs.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

enum {
    ISAS = ON_GPU ? 1 : RMAT_ISA_NEON,
    LONGEST = ON_GPU ? 40013 : 1501, /* range */
    MANY = 9500,                     /* edges that are made in calls of random lengths */
    MOST = LONGEST > MANY ? LONGEST : MANY
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

/* Number i of the models, of those that small runs have; else NULL. */
static const option_case *case_of(int i)
{
    static option_case cases[OPTION_PAIRS_MAX];
    const int n = option_pairs(cases);

    ck_assert_int_gt(n, 0);
    return i < n && i % (small_run() == 2 ? 30 : small_run() ? 5 : 1) == 0 ? &cases[i] : NULL;
}

/* A bench with a generator of each instruction set, of which bench.gen is one. */
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
    b.bench = bench_create(&c, o->name, MOST);
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
    const rmat_config *c = &o->config;
    const uint64_t vertices[2] = {rows_of(c), cols_of(c)};
    rmat_matrix levels[RMAT_MAX_SCALE];

    ok(rmat_levels(c, levels));
    for (int l = 0; l < c->rows_scale || l < c->cols_scale; l++) {
        const rmat_matrix right = reference_level(r, l);

        ck_assert_mem_eq(&levels[l], &right, sizeof right);
    }
    for (int side = 0; side < 2; side++) {
        for (uint64_t k = 0; k < 300; k++) {
            const uint64_t id = (k < 100 ? k : k * UINT64_C(0x9E3779B97F4A7C15)) % vertices[side];
            uint64_t image = id;

            ok(rmat_permute(gen, (rmat_side)side, 1, &image));
            must(image == (c->permute ? reference_permute(r, (rmat_side)side, id) : id),
                 "%s: side %d, %lu goes to %lu", o->name, side, id, image);
            ok(rmat_unpermute(gen, (rmat_side)side, 1, &image));
            must(image == id, "%s: side %d, %lu does not come back", o->name, side, id);
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
                                 .src_at = (int)(skip % 7),
                                 .dst_at = (int)(skip % 5),
                                 .weights = b->config.weights != RMAT_NO_WEIGHTS,
                                 .weight_at = (int)(skip % 3)});
    }
}

/* Expects edges [first, first + count). */
static void expect(bench *b, const reference *r, uint64_t first, uint64_t count)
{
    uint64_t redraws = 0;

    if (ON_GPU) {
        bench_expect(b, first, count);
        return;
    }
    expect_reference(b, r, first, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t src, dst;
        const uint64_t more = rmat_edge_at(&b->cpu->view, first + i, &src, &dst);

        must(src == b->src[i] && dst == b->dst[i], "%s: rmat_edge_at(), edge %lu", b->name,
             first + i);
        redraws += b->config.symmetrize && (first + i) % 2 ? 0 : more;
    }
    must(redraws == b->redraws, "%s: other redraws of rmat_edge_at()", b->name);
}

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return next_random(&state) % n;
}

/* All of MANY expected edges in a few calls, into arrays that begin anywhere in a cache line. */
static void compare_calls(const bench *b, uint64_t first, int id_bytes)
{
    const uint64_t before = redraws_of(b->gen), ids = 64 / (uint64_t)id_bytes;

    for (uint64_t at = 0, count; at < MANY; at += count) {
        count = below(3) ? MANY - at : 1 + below(MANY - at);
        check_same(b, &(placing){.first = first + at,
                                 .count = count,
                                 .skip = at,
                                 .id_bytes = id_bytes,
                                 .src_at = (int)below(ids),
                                 .dst_at = (int)below(ids),
                                 .weights = b->config.weights != RMAT_NO_WEIGHTS});
    }
    must(redraws_of(b->gen) - before == b->redraws, "%s: other redraws", b->name);
}

/* Model number i.  rare: draws take so long that a CPU makes each range at one place alone. */
static void compare_model(const option_case *o, int number, bool rare)
{
    scoped(reference_destroy) reference *r = reference_create(&o->config);
    scoped(benches_destroy) benches all = benches_create(o);
    bench *b = &all.bench;
    uint64_t first;

    compare_parts(b->cpu, o, r);
    for (int k = 0; k < RANGES; k++) {
        const uint64_t count = ranges[k].count;

        first = ranges[k].first;
        expect(b, r, first, count);
        for (int i = 0; i < ISAS; i++) {
            b->gen = all.gens[i];
            if (b->gen == NULL) {
                continue;
            }
            if (rare && !ON_GPU) {
                const uint64_t before = redraws_of(b->gen);

                compare_some(b, k, 0, count);
                must(redraws_of(b->gen) - before == (is_narrow(&o->config) ? 2 : 1) * b->redraws,
                     "%s: other redraws", o->name);
                continue;
            }
            check_all_ways(b, first, count);
            for (uint64_t skip = 0; skip < 40 && k == 0; skip += 7) {
                compare_some(b, k, skip, 1 + 7 * skip % 83);
            }
            for (uint64_t skip = 0; skip < 40 && k == 2; skip += 7) {
                compare_some(b, k, 500 - skip, 1 + 2 * skip);
            }
            if (k == 0) {
                compare_weights_of(b);
            }
        }
    }
    state = (uint64_t)number;
    first = number % 4 == 0   ? below(1000)
            : number % 4 == 3 ? below(RMAT_MAX_EDGES - MANY)
                              : ((uint64_t)(number % 4) << 32) - below(MANY);
    if (!rare) {
        expect(b, r, first, MANY);
    }
    for (int i = 0; i < ISAS && !rare; i++) {
        b->gen = all.gens[i];
        for (int bytes = is_narrow(&o->config) ? 4 : 8; bytes <= 8 && b->gen; bytes += 4) {
            compare_calls(b, first, bytes);
        }
    }
}

START_TEST(pairs)
{
    const option_case *o = case_of(_i);

    if (o != NULL) {
        compare_model(o, _i, false);
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

    o.config.cols_scale = o.config.rows_scale;
    o.config.cols = o.config.rows;
    o.config.permute = 1;
    o.config.symmetrize = _i % 2;
    o.config.weights = RMAT_WEIGHTS_UNIFORM;
    compare_model(&o, _i, true);
}

/* The same edges from the matrices that a noisy model drew, given as levels. */
START_TEST(levels_say_all_of_noise)
{
    static uint64_t src[2][LONGEST], dst[2][LONGEST];
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c = model_of((rmat_config){.rows_scale = 33, .cols_scale = 30, .noise = 0.17});

    for (int given = 0; given < 2; given++) {
        scoped(rmat_destroy) rmat_gen *gen = create_on(TESTED, c);

        ok(rmat_generate(gen, 1000, LONGEST, src[given], dst[given]));
        ok(rmat_levels(&c, levels));
        c.levels = levels;
        c.noise = 0;
    }
    ck_assert_mem_eq(src[0], src[1], sizeof src[0]);
    ck_assert_mem_eq(dst[0], dst[1], sizeof dst[0]);
}

TEST_CASES(rmat_options, 120, LOOP(pairs, 0, OPTION_PAIRS_MAX), ONCE(levels_say_all_of_noise),
           LOOP(nearly_all_thrown_away, 0, small_run() > 1 ? 0 : 11))
