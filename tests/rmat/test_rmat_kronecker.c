/*
 * The stream of initiators of n x n: known edges, which a second implementation in another language
 * has made from STREAM.md alone; an initiator that is a Kronecker power of a matrix of 2 x 2 makes
 * the edges of that matrix; every outcome of tiny graphs and every digit of larger ones is as
 * probable as under the model; parts, widths, options; what is refused.  On the CPU; and, compiled
 * as test_rmat_gpu_kronecker, on a GPU.
 */
#include "rmat/rmat_sample.h"
#include "rmat/rmat_source.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

#include <stdlib.h>
#include <string.h>

#ifndef BACKEND
#define BACKEND RMAT_BACKEND_CPU
#endif

enum { MANY = 200000 };

static const double three[9] = {0.3, 0.12, 0.05, 0.14, 0.08, 0.03, 0.06, 0.02, 0.2};

static rmat_config config_of(int order, const double *initiator, int levels)
{
    rmat_config c;

    rmat_config_default(&c);
    c.stream = RMAT_STREAM_KRONECKER;
    c.order = order;
    c.initiator = initiator;
    c.backend = BACKEND;
    c.rows = 1;
    while (levels-- > 0) {
        c.rows *= (uint64_t)order;
    }
    c.cols = c.rows;
    c.rows_scale = c.cols_scale = rmat_scale_of(c.rows);
    return c;
}

typedef struct {
    uint64_t *src, *dst;
} edges;

/* Edges [first, first + n) of a model. */
static edges make(const rmat_config *c, uint64_t first, uint64_t n)
{
    edges e = {malloc(n * sizeof *e.src), malloc(n * sizeof *e.dst)};
    rmat_gen *gen;

    ck_assert(e.src != NULL && e.dst != NULL);
    ck_assert_int_eq(rmat_create(&gen, c), RMAT_OK);
    ck_assert_int_eq(rmat_generate(gen, first, n, e.src, e.dst), RMAT_OK);
    rmat_destroy(gen);
    return e;
}

static void drop(edges e)
{
    free(e.src);
    free(e.dst);
}

/* kronecker_reference.Graph(THREE, levels, seed, loops).edges(first, first + 3) */
START_TEST(known_edges)
{
    static const struct {
        int levels, loops;
        uint64_t seed, first, edge[3][2];
    } known[] = {
        {1, 1, 1U, 0U, {{0U, 1U}, {0U, 0U}, {0U, 0U}}},
        {2, 0, 5U, 7U, {{6U, 2U}, {8U, 6U}, {4U, 0U}}},
        {3, 1, 2U, 4294967295U, {{9U, 21U}, {1U, 0U}, {4U, 1U}}},
        {7, 1, 18446744073709551615U, 0U, {{420U, 465U}, {1620U, 1377U}, {882U, 234U}}},
        {12, 1, 3U, 1000000000000U, {{18723U, 37701U}, {215847U, 19093U}, {185669U, 9350U}}},
        {13, 0, 9U, 99U, {{334831U, 571026U}, {1521141U, 1448475U}, {1181040U, 649707U}}},
        {20,
         1,
         4U,
         2305843009213693952U,
         {{544825440U, 401257881U}, {904133549U, 2297611278U}, {3226950678U, 2410675281U}}},
        {30,
         1,
         12345U,
         0U,
         {{163282207731162U, 176060617090711U},
          {70391688634701U, 1953111193146U},
          {139029339164956U, 163181524460245U}}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rmat_config c = config_of(3, three, known[i].levels);
        edges e;

        c.seed = known[i].seed;
        c.no_self_loops = !known[i].loops;
        e = make(&c, known[i].first, 3);
        for (int k = 0; k < 3; k++) {
            ck_assert_uint_eq(e.src[k], known[i].edge[k][0]);
            ck_assert_uint_eq(e.dst[k], known[i].edge[k][1]);
        }
        drop(e);
    }
}
END_TEST

/* The power of a matrix: its entry at (u, v) is the product over the bits of u and v. */
static void power_of(const rmat_matrix *m, int bits, double *entries)
{
    const double entry[4] = {m->a, m->b, m->c, m->d};

    for (int u = 0; u < 1 << bits; u++) {
        for (int v = 0; v < 1 << bits; v++) {
            double p = 1;

            for (int b = 0; b < bits; b++) {
                p *= entry[2 * (u >> b & 1) + (v >> b & 1)];
            }
            entries[(u << bits) + v] = p;
        }
    }
}

/* Where groups have the same levels, the tables differ by rounding alone. */
START_TEST(powers_of_a_matrix)
{
    double entries[RMAT_MAX_INITIATOR];
    rmat_config two;

    for (int bits = 2; bits <= 3; bits++) {
        for (int levels = 6 / bits; levels <= 60 / bits; levels += 6 / bits) {
            rmat_config c;
            edges one, other;

            rmat_config_default(&two);
            two.backend = BACKEND;
            two.rows_scale = two.cols_scale = bits * levels;
            two.seed = (uint64_t)levels;
            two.no_self_loops = levels % 2;
            power_of(&two.matrix, bits, entries);
            c = config_of(1 << bits, entries, levels);
            c.seed = two.seed;
            c.no_self_loops = two.no_self_loops;
            one = make(&two, 1000, 5000);
            other = make(&c, 1000, 5000);
            ck_assert_mem_eq(one.src, other.src, 5000 * sizeof *one.src);
            ck_assert_mem_eq(one.dst, other.dst, 5000 * sizeof *one.dst);
            drop(one);
            drop(other);
        }
    }
}
END_TEST

/* All 81 cells of a graph of two levels, with and without loops. */
START_TEST(cells_have_their_probabilities)
{
    for (int loops = 0; loops < 2; loops++) {
        rmat_config c = config_of(3, three, 2);
        uint64_t counts[81] = {0};
        double p[81], all = 0;
        edges e;

        c.no_self_loops = !loops;
        for (int u = 0; u < 9; u++) {
            for (int v = 0; v < 9; v++) {
                p[9 * u + v] =
                    loops || u != v ? three[u / 3 * 3 + v / 3] * three[u % 3 * 3 + v % 3] : 0;
                all += p[9 * u + v];
            }
        }
        e = make(&c, 0, MANY);
        for (int i = 0; i < MANY; i++) {
            ck_assert(e.src[i] < 9 && e.dst[i] < 9);
            counts[9 * e.src[i] + e.dst[i]]++;
        }
        drop(e);
        for (int i = 0; i < 81; i++) {
            p[i] /= all;
        }
        ck_assert_double_gt(stats_fit(counts, p, 81, MANY), 1e-6);
    }
}
END_TEST

/* Digits of each level, for an order of each number of levels in a group, in the widest graphs. */
START_TEST(levels_have_the_initiator)
{
    static const int orders[] = {3, 5, 7, 11, 16};

    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        const int n = orders[k], levels = rmat_most_levels(n);
        double entries[RMAT_MAX_INITIATOR], sum = 0;
        rmat_config c;
        edges e;

        for (int i = 0; i < n * n; i++) {
            entries[i] = i % 7 == 3 ? 0 : 1.0 / (1 + (i * 5) % (n + 3));
            sum += entries[i];
        }
        for (int i = 0; i < n * n; i++) {
            entries[i] /= sum;
        }
        c = config_of(n, entries, levels);
        e = make(&c, 7, MANY);
        for (int level = 0; level < levels; level++) {
            uint64_t counts[RMAT_MAX_INITIATOR] = {0};

            for (int i = 0; i < MANY; i++) {
                counts[(uint64_t)n * (e.src[i] % (uint64_t)n) + e.dst[i] % (uint64_t)n]++;
                e.src[i] /= (uint64_t)n;
                e.dst[i] /= (uint64_t)n;
            }
            ck_assert_double_gt(stats_fit(counts, entries, (size_t)(n * n), MANY), 1e-6);
        }
        drop(e);
    }
}
END_TEST

/* Ids of four bytes, any cut, threads, slices and transformations are those of any source. */
START_TEST(parts_and_options)
{
    rmat_config c = config_of(3, three, 20);
    uint32_t narrow[2][5000];
    edges whole, part;
    rmat_gen *gen;
    uint64_t redraws, some;

    whole = make(&c, 0, MANY);
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_generate32(gen, 999, 5000, narrow[0], narrow[1]), RMAT_OK);
    for (int i = 0; i < 5000; i++) {
        ck_assert_uint_eq(narrow[0][i], whole.src[999 + i]);
        ck_assert_uint_eq(narrow[1][i], whole.dst[999 + i]);
    }
    ck_assert_int_eq(rmat_redraws(gen, &redraws), RMAT_OK);
    ck_assert_uint_eq(redraws, 0);
    rmat_destroy(gen);

    c.first = 1234;
    c.permute = c.symmetrize = 1;
    c.direction = RMAT_LOWER;
    part = make(&c, 11, 3000);
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t base = 1234 + (11 + i) / 2;
        uint64_t ends[2] = {whole.src[base], whole.dst[base]};

        ck_assert_int_eq(rmat_permute(gen, RMAT_ROWS, 2, ends), RMAT_OK);
        some = ends[0] > ends[1] ? ends[0] : ends[1];
        ends[1] = ends[0] ^ ends[1] ^ some;
        ck_assert_uint_eq((11 + i) % 2 ? part.dst[i] : part.src[i], some);
        ck_assert_uint_eq((11 + i) % 2 ? part.src[i] : part.dst[i], ends[1]);
    }
    rmat_destroy(gen);
    drop(whole);
    drop(part);

    /* A tenth of the draws and more are loops here. */
    c = config_of(3, three, 1);
    c.no_self_loops = 1;
    whole = make(&c, 0, MANY);
    for (int i = 0; i < MANY; i++) {
        ck_assert_uint_ne(whole.src[i], whole.dst[i]);
    }
    drop(whole);
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    part = (edges){malloc(MANY * 8), malloc(MANY * 8)};
    ck_assert_int_eq(rmat_generate(gen, 0, MANY, part.src, part.dst), RMAT_OK);
    ck_assert_int_eq(rmat_redraws(gen, &redraws), RMAT_OK);
    ck_assert_double_eq_tol((double)redraws / MANY, 0.58 / 0.42, 0.03);
    drop(part);
    rmat_destroy(gen);
}
END_TEST

static void refused(const rmat_config *c, int status)
{
    rmat_gen *gen;

    ck_assert_int_eq(rmat_create(&gen, c), status);
    ck_assert_ptr_null(gen);
}

START_TEST(what_is_refused)
{
    static const double high[9] = {0.9, 0.1, 0.1}, diagonal[9] = {0.5, 0, 0, 0, 0.5};
    const rmat_matrix level = {0.25, 0.25, 0.25, 0.25};
    const rmat_config good = config_of(3, three, 4);
    rmat_config c = good;
    rmat_expectation expected;
    rmat_gen *gen;
    uint64_t cells, id = 0;
    double equal;

    c.initiator = NULL;
    refused(&c, RMAT_ERR_ARG);
    c = good;
    c.order = 2;
    refused(&c, RMAT_ERR_ARG);
    c.order = 17;
    refused(&c, RMAT_ERR_ARG);
    c = good;
    c.initiator = high;
    refused(&c, RMAT_ERR_MATRIX);
    c.initiator = diagonal;
    c.no_self_loops = 1;
    refused(&c, RMAT_ERR_REDRAW);
    c = good;
    c.rows = 80;
    refused(&c, RMAT_ERR_VERTICES);
    c.cols = 80;
    refused(&c, RMAT_ERR_VERTICES);
    c.rows = c.cols = 0;
    refused(&c, RMAT_ERR_VERTICES);
    c = good;
    c.noise = 0.01;
    refused(&c, RMAT_ERR_STREAM);
    c = good;
    c.levels = &level;
    c.rows_scale = c.cols_scale = 1;
    c.rows = c.cols = 1;
    ck_assert_int_ne(rmat_create(&gen, &c), RMAT_OK);

    /* There are no expectations and no labels. */
    ck_assert_int_eq(rmat_expect(&good, &expected), RMAT_ERR_STREAM);
    ck_assert_int_eq(rmat_support_size(&good, &cells), RMAT_ERR_STREAM);
    ck_assert_int_eq(rmat_expect_labels(&good, 2, &equal), RMAT_ERR_STREAM);
    ck_assert_int_eq(rmat_create(&gen, &good), RMAT_OK);
    ck_assert_int_eq(rmat_labels(gen, 2, 1, &id), RMAT_ERR_STREAM);
    rmat_destroy(gen);
    ck_assert_int_eq(rmat_most_levels(2), 0);
    ck_assert_int_eq(rmat_most_levels(3), 30);
    ck_assert_int_eq(rmat_most_levels(8), 20);
    ck_assert_int_eq(rmat_most_levels(16), 10);
    ck_assert_int_eq(rmat_most_levels(17), 0);
}
END_TEST

TEST_MAIN(rmat_kronecker)
{
    Suite *suite = suite_create("rmat_kronecker");
    TCase *cases = tcase_create("rmat_kronecker");

    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, known_edges);
    tcase_add_test(cases, powers_of_a_matrix);
    tcase_add_test(cases, cells_have_their_probabilities);
    tcase_add_test(cases, levels_have_the_initiator);
    tcase_add_test(cases, parts_and_options);
    tcase_add_test(cases, what_is_refused);
    suite_add_tcase(suite, cases);
#ifdef GPU_SUITE
    return GPU_SUITE(suite);
#else
    return run_suite(suite);
#endif
}
