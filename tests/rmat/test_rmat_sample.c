/* The estimates of a sample against the graph itself: distinct edges, parts of equal size; and the
 * number of cells that edges can have against the enumeration of all. */
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

SCOPED(rmat_sample_destroy, rmat_sample *)

enum { DRAWS = 60000, PARTS = 16 };

static rmat_sample *create(const rmat_config *c, uint64_t draws)
{
    rmat_sample *s;

    ok(rmat_sample_create(&s, c, draws));
    return s;
}

static const rmat_config models[] = {
    {SQUARE(12)},
    {SQUARE(16)},
    {SQUARE(16), .noise = 0.05, .permute = 1},
    {SQUARE(12), .direction = RMAT_LOWER, .matrix = {0.5, 0.3, 0.1, 0.1}},
    {SQUARE(12), .direction = RMAT_UPPER, .permute = 1, .matrix = {0.5, 0.3, 0.1, 0.1}},
    {SQUARE(12), .symmetrize = 1, .matrix = {0.6, 0.2, 0.05, 0.15}},
    {SQUARE(12), .symmetrize = 1, .permute = 1, .no_self_loops = 1, .noise = 0.04},
    {SQUARE(10), .rows = 1000, .cols = 1000, .no_self_loops = 1},
    {SQUARE(11), .rows = 1025, .cols = 1025, .symmetrize = 1, .permute = 1},
    {SQUARE(6), .rows = 43, .cols = 43, .no_self_loops = 1, .permute = 1},
    {SQUARE(6), .rows = 43, .cols = 43, .symmetrize = 1},
    {.rows_scale = 13, .cols_scale = 9, .permute = 1},
    {.rows_scale = 9, .cols_scale = 14, .cols = 10000},
    {SQUARE(13), .matrix = {0.6, 0, 0.2, 0.2}, .direction = RMAT_LOWER},
    {SQUARE(13), .matrix = {0.6, 0, 0.2, 0.2}, .symmetrize = 1},
    {SQUARE(3), .matrix = {0.97, 0.01, 0.01, 0.01}},
};
enum { MODELS = COUNT(models) };

static rmat_config model_at(int i)
{
    rmat_config c = model_of(models[i]);

    c.threads = 1 + i % 2;
    return c;
}

static int same_cell(const rmat_cell *a, const rmat_cell *b)
{
    return a->src == b->src && a->dst == b->dst;
}

/* Edges, or with symmetrize pairs. */
static uint64_t count_distinct(const rmat_config *c, uint64_t draws)
{
    uint64_t n = c->symmetrize ? 2 * draws : draws, pairs = 0;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(c);
    scoped(free) rmat_cell *list = sorted_edges(gen, &n, 1);

    for (uint64_t i = 0; i < n; i++) {
        pairs += list[i].src >= list[i].dst;
    }
    return c->symmetrize ? pairs : n;
}

/* Several sizes of samples, where small ones must know how little they know. */
START_TEST(distinct)
{
    const uint64_t draws[] = {1, 100, 5000, DRAWS}, sizes[] = {2000, 100000};
    const rmat_config c = model_at(_i);
    double counted[4];

    for (int k = 0; k < 4; k++) {
        counted[k] = (double)count_distinct(&c, draws[k]);
    }
    for (int j = 0; j < 2; j++) {
        scoped(rmat_sample_destroy) rmat_sample *s = create(&c, sizes[j]);

        for (int k = 0; k < 4; k++) {
            double error, expected = rmat_sample_distinct(s, (double)draws[k], &error);

            ck_assert_msg(fabs(expected - counted[k]) <= 4 * error + 1e-6,
                          "%d draws, sample of %d: %.2f +- %.2f for %.0f", (int)draws[k],
                          (int)sizes[j], expected, error, counted[k]);
            ck_assert_msg(error < sqrt(counted[k]) + (j == 0 ? 0.02 : 0.002) * counted[k],
                          "%d draws, sample of %d: an error of %.2f for %.0f", (int)draws[k],
                          (int)sizes[j], error, counted[k]);
        }
    }
}

/* The error is no larger than it need be either: over many seeds it is the deviation. */
START_TEST(honest_errors)
{
    enum { SEEDS = 40, EDGES = 3000 };
    double chi2 = 0;

    for (int seed = 0; seed < SEEDS; seed++) {
        rmat_config c = model_at(4 * _i); /* a few models suffice */
        scoped(rmat_sample_destroy) rmat_sample *s = NULL;
        double error, expected;

        c.seed = (uint64_t)seed;
        s = create(&c, 3000);
        expected = rmat_sample_distinct(s, EDGES, &error);
        expected -= (double)count_distinct(&c, EDGES);
        chi2 += expected * expected / (error * error);
    }
    /* chi-squared with SEEDS degrees of freedom: 5 standard deviations */
    ck_assert_msg(fabs(chi2 - SEEDS) < 5 * sqrt(2 * SEEDS), "chi-squared %.1f of %d", chi2, SEEDS);
}

/* Nearly the same number of edges in each part, with duplicates and without. */
START_TEST(parts)
{
    const rmat_config c = model_at(_i);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    scoped(rmat_sample_destroy) rmat_sample *s = create(&c, 80000);

    for (int unique = 0; unique < 2; unique++) {
        uint64_t n = c.symmetrize ? 2 * DRAWS : DRAWS;
        scoped(free) rmat_cell *list = sorted_edges(gen, &n, unique);
        rmat_cell cuts[PARTS + 1];
        const double share = (double)n / PARTS;

        ok(rmat_sample_cut(s, DRAWS, unique, PARTS, cuts));
        ck_assert(cuts[0].src == 0 && cuts[0].dst == 0);
        ck_assert(cuts[PARTS].src == rows_of(&c) && cuts[PARTS].dst == 0);
        for (uint64_t k = 0, at = 0; k < PARTS; k++) {
            uint64_t edges = 0, heaviest = 0, same = 0;

            ck_assert(!cell_below(&cuts[k + 1], &cuts[k]));
            for (; at < n && cell_below(&list[at], &cuts[k + 1]); at++) {
                same = edges && same_cell(&list[at - 1], &list[at]) ? same + 1 : 1;
                heaviest = same > heaviest ? same : heaviest;
                edges++;
            }
            /* alone, or it shares its part with others that are no more than a part */
            ck_assert_msg((double)edges < 1.1 * share + 100 + (unique ? 0 : (double)heaviest / 2) ||
                              edges == heaviest,
                          "unique %d, part %d: %lu edges of %.0f, %lu of them the same", unique,
                          (int)k, edges, share, heaviest);
        }
    }
}

/* Every number of threads has the same cells, and so has every call. */
START_TEST(reproducible)
{
    for (int i = 0; i < 2; i++) {
        rmat_config c = model_at(2);
        double expected[2], error[2];
        rmat_cell cuts[2][PARTS + 1];

        for (int k = 0; k < 2; k++) {
            scoped(rmat_sample_destroy) rmat_sample *s = NULL;

            c.threads = k + 1;
            s = create(&c, i ? 200000 : 12345);
            expected[k] = rmat_sample_distinct(s, DRAWS, &error[k]);
            ok(rmat_sample_cut(s, DRAWS, 1, PARTS, cuts[k]));
        }
        ck_assert(expected[0] == expected[1] && error[0] == error[1]);
        for (int k = 0; k <= PARTS; k++) {
            ck_assert(same_cell(&cuts[0][k], &cuts[1][k]));
        }
    }
}

static uint64_t enumerate(const rmat_config *c)
{
    static small_model exact;
    rmat_matrix levels[RMAT_MAX_SCALE];
    const int pairs = c->symmetrize || c->direction != RMAT_DIRECTED;
    uint64_t n = 0;

    ok(rmat_levels(c, levels));
    cells_enumerate(c, levels, &exact);
    for (unsigned u = 0; u < 1u << c->rows_scale; u++) {
        for (unsigned v = 0; v < 1u << c->cols_scale; v++) {
            const int there = exact.share[u << c->cols_scale | v] > 0;

            n += pairs ? u <= v && (there || exact.share[v << c->cols_scale | u] > 0) : there;
        }
    }
    return n;
}

/* All scales up to 5 and vertex counts, with matrices that lack something. */
START_TEST(enumeration)
{
    const rmat_matrix matrices[] = {
        {0.57, 0.19, 0.19, 0.05}, {0.5, 0, 0.3, 0.2}, {0, 0.5, 0.3, 0.2},      {0.6, 0.2, 0.2, 0},
        {0.5, 0, 0, 0.5},         {0, 0, 1, 0},       {0.4, 0.3, 0.3, 0x1p-63}};
    uint64_t n;

    for (int m = 0; m < 7; m++) {
        for (int rows_scale = 1; rows_scale <= 5; rows_scale++) {
            for (int cols_scale = 1; cols_scale <= 5; cols_scale++) {
                rmat_matrix levels[RMAT_MAX_SCALE];
                rmat_config c = model_of((rmat_config){
                    .rows_scale = rows_scale, .cols_scale = cols_scale, .matrix = matrices[m]});

                for (int l = 0; l < 5; l++) {
                    levels[l] = matrices[(m + l) % 6];
                }
                c.levels = rows_scale + m > 6 ? levels : NULL;
                for (int shape = 0; shape < 6; shape++) {
                    rmat_matrix exact[5];
                    rmat_config enumerated = c;

                    c.rows = shape & 1 && rows_scale > 1 ? (UINT64_C(3) << rows_scale) / 4 : 0;
                    c.cols = shape & 1 && cols_scale > 1 ? (UINT64_C(3) << cols_scale) / 4 : 0;
                    if (rows_scale == cols_scale) {
                        c.no_self_loops = shape / 2 % 2;
                        c.symmetrize = shape / 4 % 2;
                        c.direction = shape == 3 ? RMAT_UPPER : RMAT_DIRECTED;
                    }
                    enumerated = c;
                    for (int l = 0; l < 5; l++) { /* what is never drawn */
                        exact[l] = c.levels ? levels[l] : c.matrix;
                        exact[l].d = exact[l].d < 0x1p-62 ? 0 : exact[l].d;
                    }
                    enumerated.levels = exact;
                    ok(rmat_support_size(&c, &n));
                    ck_assert_msg(n == enumerate(&enumerated), "matrix %d, %d x %d, shape %d: %lu",
                                  m, rows_scale, cols_scale, shape, n);
                }
            }
        }
    }
}

START_TEST(possible_large)
{
    rmat_config c = square_model(31);
    uint64_t n;

    ok(rmat_support_size(&c, &n));
    ck_assert(n == UINT64_C(1) << 62);
    c.symmetrize = c.no_self_loops = 1;
    ok(rmat_support_size(&c, &n));
    ck_assert(n == (UINT64_C(1) << 30) * ((UINT64_C(1) << 31) - 1));
    c.rows_scale = c.cols_scale = RMAT_MAX_SCALE;
    ok(rmat_support_size(&c, &n));
    ck_assert(n == UINT64_MAX);
    c.matrix = (rmat_matrix){0.5, 0, 0, 0.5};
    c.no_self_loops = 0;
    ok(rmat_support_size(&c, &n));
    ck_assert(n == UINT64_C(1) << 62);
    gives(RMAT_ERR_ARG, rmat_support_size(NULL, &n));
    gives(RMAT_ERR_ARG, rmat_support_size(&c, NULL));
    c.rows_scale = 0;
    gives(RMAT_ERR_SCALE, rmat_support_size(&c, &n));
}

/* The answer is in the first window, of any size of graph, and windows are narrow. */
START_TEST(windows)
{
    const rmat_config c = model_at(_i);
    scoped(rmat_sample_destroy) rmat_sample *s = create(&c, 80000);
    uint64_t support;

    ok(rmat_support_size(&c, &support));
    for (uint64_t edges = 1; edges <= DRAWS && edges <= support / 2; edges *= 15) {
        rmat_window w;

        ok(rmat_window_first(s, edges, &w));
        ck_assert(w.low < w.high && w.tries == 1);
        if (w.high <= 4 * DRAWS) {
            ck_assert(w.low == 0 || count_distinct(&c, w.low) < edges);
            ck_assert(count_distinct(&c, w.high) >= edges);
        }
    }
    /* The last cells are rarer than 1e-15 in large graphs of the first model. */
    if (support < 1 << 16 || models[_i].matrix.a == 0) {
        ck_assert_int_eq(rmat_window_first(s, support, &(rmat_window){0}),
                         support < 1 << 16 ? RMAT_OK : RMAT_ERR_DRAWS);
    }
    if (support < UINT64_MAX) {
        gives(RMAT_ERR_DRAWS, rmat_window_first(s, support + 1, &(rmat_window){0}));
    }
}

START_TEST(wrong_arguments)
{
    rmat_config c = model_at(0);
    rmat_sample *s;
    rmat_cell cuts[2];
    rmat_window w;

    gives(RMAT_ERR_ARG, rmat_sample_create(NULL, &c, 0));
    gives(RMAT_ERR_ARG, rmat_sample_create(&s, NULL, 0));
    gives(RMAT_ERR_ARG, rmat_sample_create(&s, &c, 1));
    gives(RMAT_ERR_ARG, rmat_sample_create(&s, &c, UINT64_MAX));
    c.matrix.a = 2;
    gives(RMAT_ERR_MATRIX, rmat_sample_create(&s, &c, 80000));
    ck_assert_ptr_null(s);
    rmat_sample_destroy(s);
    c.matrix.a = 0.57;
    ok(rmat_sample_create(&s, &c, 100));
    gives(RMAT_ERR_ARG, rmat_sample_cut(s, 0, 1, 1, cuts));
    gives(RMAT_ERR_ARG, rmat_sample_cut(s, 1, 1, 0, cuts));
    ok(rmat_sample_cut(s, 1, 1, 1, cuts));
    gives(RMAT_ERR_ARG, rmat_window_first(s, 0, &w));
    ok(rmat_window_first(s, 100, &w));
    ck_assert(rmat_sample_distinct(s, 0, NULL) == 0);
    rmat_sample_destroy(s);
}

TEST_CASES(rmat_sample, 120, LOOP(distinct, 0, MODELS), LOOP(honest_errors, 0, MODELS / 4),
           LOOP(parts, 0, MODELS), LOOP(windows, 0, MODELS), ONCE(reproducible), ONCE(enumeration),
           ONCE(possible_large), ONCE(wrong_arguments))
