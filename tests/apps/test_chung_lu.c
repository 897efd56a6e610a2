/*
 * chung_lu: the degrees are those asked for, the end points of an edge are independent, the edges
 * depend on nothing but the weights, the seed and their number.
 */
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/degrees.h"
#include "rmat/rmat.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 1 << 16, EDGES = (1 << 21) + 12345, BATCH = 1 << 19, CLASSES = 32, GROUPS = 16 };

typedef struct {
    chung_lu_options options;
    chung_lu_stream stream;
    double *weights, sum;
    alias_table *table;
    uint32_t *src, *dst;
} graph;

/* Short batches: several of them, and a last one that is shorter still. */
static void setup(graph *g, double exponent, int threads)
{
    alias_config config = chung_lu_table_config(ALIAS_BACKEND_CPU, -1, threads);

    memset(g, 0, sizeof *g);
    g->options = (chung_lu_options){
        .exponent = exponent, .min_degree = 1, .vertices = VERTICES, .job = {.threads = threads}};
    ck_assert_int_eq(chung_lu_weights(&g->options, &g->weights, &g->sum), 0);
    g->stream = (chung_lu_stream){
        .vertices = VERTICES, .edges = EDGES, .seed = 5, .batch = BATCH, .id_bytes = 4};
    ck_assert_int_eq(alias_create(&g->table, &config, g->weights, VERTICES, NULL), ALIAS_OK);
    g->src = malloc(EDGES * sizeof *g->src);
    g->dst = malloc(EDGES * sizeof *g->dst);
    ck_assert(g->src != NULL && g->dst != NULL);
    ck_assert_int_eq(chung_lu_edges(&(chung_lu_tables){g->table, g->table}, &g->stream, 0, EDGES,
                                    &(rmat_arrays){g->src, g->dst, NULL, 4}),
                     ALIAS_OK);
}

static void teardown(graph *g)
{
    alias_destroy(g->table);
    free(g->weights);
    free(g->src);
    free(g->dst);
}

/* Vertices of one class have nearly the same degree. */
static int class_of(double weight)
{
    return (int)(2 * log2(weight));
}

static double fit_classes(const graph *g, const uint32_t *ends)
{
    double probability[CLASSES] = {0};
    uint64_t seen[CLASSES] = {0};

    for (uint64_t v = 0; v < VERTICES; v++) {
        probability[class_of(g->weights[v])] += g->weights[v] / g->sum;
    }
    for (uint64_t i = 0; i < EDGES; i++) {
        seen[class_of(g->weights[ends[i]])]++;
    }
    return stats_fit(seen, probability, CLASSES, EDGES);
}

static double fit_vertices(const graph *g, const uint32_t *ends)
{
    double *probability = malloc(VERTICES * sizeof *probability), p;
    uint64_t *seen = calloc(VERTICES, sizeof *seen);

    ck_assert(probability != NULL && seen != NULL);
    for (uint64_t v = 0; v < VERTICES; v++) {
        probability[v] = g->weights[v] / g->sum;
    }
    for (uint64_t i = 0; i < EDGES; i++) {
        seen[ends[i]]++;
    }
    p = stats_fit(seen, probability, VERTICES, EDGES);
    free(probability);
    free(seen);
    return p;
}

START_TEST(test_degrees)
{
    static const double exponents[] = {1.5, 2.1, 3};

    for (size_t i = 0; i < 3; i++) {
        graph g;

        setup(&g, exponents[i], 2);
        ck_assert_double_gt(fit_classes(&g, g.src), STATS_ALPHA);
        ck_assert_double_gt(fit_classes(&g, g.dst), STATS_ALPHA);
        ck_assert_double_gt(fit_vertices(&g, g.src), STATS_ALPHA);
        ck_assert_double_gt(fit_vertices(&g, g.dst), STATS_ALPHA);
        teardown(&g);
    }
}
END_TEST

/* Groups of about equal weight, by vertex number: where the table's sections are. */
static void group_vertices(const graph *g, uint8_t group[VERTICES], double share[GROUPS])
{
    double before = 0;

    memset(share, 0, GROUPS * sizeof *share);
    for (uint64_t v = 0; v < VERTICES; v++) {
        int k = (int)(before * GROUPS);

        group[v] = (uint8_t)(k < GROUPS ? k : GROUPS - 1);
        share[group[v]] += g->weights[v] / g->sum;
        before += g->weights[v] / g->sum;
    }
}

/* Edges (u, v) by group of u and group of v, against the products of their shares. */
static double fit_pairs(const graph *g, const uint32_t *src, const uint32_t *dst)
{
    static uint8_t group[VERTICES];
    double share[GROUPS], probability[GROUPS * GROUPS];
    uint64_t seen[GROUPS * GROUPS] = {0};

    group_vertices(g, group, share);
    for (int k = 0; k < GROUPS * GROUPS; k++) {
        probability[k] = share[k / GROUPS] * share[k % GROUPS];
    }
    for (uint64_t i = 0; i < EDGES; i++) {
        seen[group[src[i]] * GROUPS + group[dst[i]]]++;
    }
    return stats_fit(seen, probability, GROUPS * GROUPS, EDGES);
}

static double loop_sigmas(const graph *g, const uint32_t *src, const uint32_t *dst)
{
    double p = 0;
    uint64_t loops = 0;

    for (uint64_t v = 0; v < VERTICES; v++) {
        p += g->weights[v] / g->sum * (g->weights[v] / g->sum);
    }
    for (uint64_t i = 0; i < EDGES; i++) {
        loops += src[i] == dst[i];
    }
    return stats_binomial_sigmas(loops, EDGES, p);
}

/* Within each batch, too: the place of an edge tells its source, and nothing of its destination. */
START_TEST(test_ends_are_independent)
{
    graph g;

    setup(&g, 2.1, 2);
    ck_assert_double_gt(fit_pairs(&g, g.src, g.dst), STATS_ALPHA);
    ck_assert_double_lt(loop_sigmas(&g, g.src, g.dst), 5);
    teardown(&g);
}
END_TEST

/* What apps/chung_lu/graph.h warns of: two sectioned sequences, with different seeds.  Each is
 * right by itself, and the edges are not. */
START_TEST(test_wrong_pairing_is_seen)
{
    graph g;

    setup(&g, 2.1, 2);
    for (uint64_t first = 0; first < EDGES; first += BATCH) {
        ck_assert_int_eq(alias_sample_sections32(g.table, 6, first,
                                                 chung_lu_batch_count(&g.stream, first),
                                                 g.dst + first),
                         ALIAS_OK);
    }
    ck_assert_double_gt(fit_classes(&g, g.dst), STATS_ALPHA);
    ck_assert_double_lt(fit_pairs(&g, g.src, g.dst), 1e-100);
    ck_assert_double_gt(loop_sigmas(&g, g.src, g.dst), 100);
    teardown(&g);
}
END_TEST

/* The definition of apps/chung_lu/graph.h, batch by batch. */
START_TEST(test_definition)
{
    graph g;
    uint32_t *ids = malloc(EDGES * sizeof *ids);

    ck_assert_ptr_nonnull(ids);
    setup(&g, 2.5, 2);
    for (uint64_t first = 0; first < EDGES; first += BATCH) {
        ck_assert_int_eq(alias_sample_sections32(g.table, 5, first,
                                                 chung_lu_batch_count(&g.stream, first),
                                                 ids + first),
                         ALIAS_OK);
    }
    ck_assert_mem_eq(ids, g.src, EDGES * sizeof *ids);
    ck_assert_int_eq(alias_sample32(g.table, ~(uint64_t)5, 0, EDGES, ids), ALIAS_OK);
    ck_assert_mem_eq(ids, g.dst, EDGES * sizeof *ids);
    free(ids);
    teardown(&g);
}
END_TEST

/* Without batches both ends are draws of the baseline sampler, any part of them. */
START_TEST(test_without_batches)
{
    graph g;
    uint32_t *ids = malloc(EDGES * sizeof *ids);

    ck_assert_ptr_nonnull(ids);
    setup(&g, 2.5, 2);
    g.stream.batch = 0;
    for (uint64_t first = 0; first < EDGES; first += EDGES / 3 + 1) {
        const uint64_t left = EDGES - first, n = left < EDGES / 3 + 1 ? left : EDGES / 3 + 1;

        ck_assert_int_eq(chung_lu_edges(&(chung_lu_tables){g.table, g.table}, &g.stream, first, n,
                                        &(rmat_arrays){g.src, g.dst, NULL, 4}),
                         ALIAS_OK);
        ck_assert_int_eq(alias_sample32(g.table, 5, first, n, ids), ALIAS_OK);
        ck_assert_mem_eq(ids, g.src, n * sizeof *ids);
        ck_assert_int_eq(alias_sample32(g.table, ~(uint64_t)5, first, n, ids), ALIAS_OK);
        ck_assert_mem_eq(ids, g.dst, n * sizeof *ids);
    }
    free(ids);
    teardown(&g);
}
END_TEST

/* Any part is the same as cut out of the whole, in both widths. */
START_TEST(test_parts)
{
    static const uint64_t firsts[] = {0, 1, 4093, BATCH - 1, BATCH, 3 * BATCH - 70000, EDGES - 9};
    graph g;

    setup(&g, 2.5, 2);
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        const uint64_t first = firsts[f], most = EDGES - first;
        const uint64_t count = most < 2 * BATCH + 3 ? most : 2 * BATCH + 3;
        uint64_t *src = malloc(2 * count * sizeof *src), *dst = src + count, wrong = 0;

        ck_assert_ptr_nonnull(src);
        for (int width = 4; width <= 8; width += 4) {
            const rmat_arrays to = {src, dst, NULL, width};

            ck_assert_int_eq(
                chung_lu_edges(&(chung_lu_tables){g.table, g.table}, &g.stream, first, count, &to),
                ALIAS_OK);
            for (uint64_t i = 0; i < count; i++) {
                const uint64_t s = width == 4 ? ((uint32_t *)src)[i] : src[i];
                const uint64_t d = width == 4 ? ((uint32_t *)dst)[i] : dst[i];

                wrong += s != g.src[first + i] || d != g.dst[first + i];
            }
        }
        ck_assert_uint_eq(wrong, 0);
        free(src);
    }
    teardown(&g);
}
END_TEST

/* How many have at least d follows the law to one vertex; bits do not depend on threads. */
START_TEST(test_power_law)
{
    static const double exponents[] = {1.01, 1.5, 2, 2.1, 3, 10, 900};

    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        const uint64_t n = 100003;
        const double g = exponents[e] - 1;
        chung_lu_options a = {.exponent = exponents[e], .min_degree = 2, .vertices = n};
        chung_lu_options b;
        double *x, *y, sum, again;
        uint64_t wrong = 0;

        a.job.threads = 1;
        b = a;
        b.job.threads = 3;
        ck_assert_int_eq(chung_lu_weights(&a, &x, &sum), 0);
        ck_assert_int_eq(chung_lu_weights(&b, &y, &again), 0);
        ck_assert_mem_eq(x, y, n * sizeof *x);
        ck_assert_mem_eq(&sum, &again, sizeof sum);
        ck_assert_double_le(a.max_degree, (double)n - 1);
        ck_assert_double_eq_tol(a.max_degree, fmin((double)n - 1, 2 * pow((double)n, 1 / g)),
                                1e-9 * a.max_degree);
        for (uint64_t i = 0; i < n; i++) {
            double tail = (pow(x[i], -g) - pow(a.max_degree, -g)) /
                          (pow(a.min_degree, -g) - pow(a.max_degree, -g));

            wrong += !(x[i] >= a.min_degree * (1 - 1e-12) && x[i] <= a.max_degree * (1 + 1e-12));
            wrong += i > 0 && x[i] > x[i - 1];
            wrong += fabs(tail * (double)n - ((double)i + 0.5)) > 0.01;
        }
        ck_assert_uint_eq(wrong, 0);
        b.dry_run = true;
        free(y);
        ck_assert_int_eq(chung_lu_weights(&b, &y, &again), 0);
        ck_assert_ptr_null(y);
        ck_assert_mem_eq(&sum, &again, sizeof sum);
        free(x);
    }
}
END_TEST

START_TEST(test_all_alike)
{
    chung_lu_options o = {
        .exponent = 3, .min_degree = 16, .max_degree = 16, .vertices = 1000, .job = {.threads = 1}};
    double *w, sum;
    uint64_t wrong = 0;

    ck_assert_int_eq(chung_lu_weights(&o, &w, &sum), 0);
    for (uint64_t i = 0; i < 1000; i++) {
        wrong += w[i] != w[0];
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_double_eq_tol(w[0], 16, 1e-12);
    free(w);
}
END_TEST

START_TEST(test_batch)
{
    ck_assert_uint_eq(chung_lu_batch(1), 1 << 24);
    ck_assert_uint_eq(chung_lu_batch(1 << 24), 1 << 24);
    ck_assert_uint_eq(chung_lu_batch((1 << 24) + 1), 1 << 25);
    ck_assert_uint_eq(chung_lu_batch((uint64_t)1 << 40), 1 << 28);
}
END_TEST

static degrees_status read_text(const char *text, size_t size, double **degrees, uint64_t *count,
                                degrees_error *error)
{
    FILE *file = fmemopen((void *)text, size, "r");
    degrees_status status;

    ck_assert_ptr_nonnull(file);
    status = degrees_read(file, degrees, count, error);
    fclose(file);
    return status;
}

START_TEST(test_degrees_file)
{
    static const char text[] = "# all kinds\n3\n\n 0.5 # half\n\t1e3\r\n-0\n+7\n00012\n1e15";
    static const double expected[] = {3, 0.5, 1000, 0, 7, 12, 1e15};
    double *degrees;
    uint64_t count;
    degrees_error error;

    ck_assert_int_eq(read_text(text, sizeof text - 1, &degrees, &count, &error), DEGREES_OK);
    ck_assert_uint_eq(count, 7);
    for (int i = 0; i < 7; i++) {
        ck_assert_double_eq(degrees[i], expected[i]);
    }
    free(degrees);
}
END_TEST

START_TEST(test_bad_degrees_files)
{
    static const struct {
        const char *text;
        size_t size; /* 0: up to the 0 */
        uint64_t line;
        const char *word, *what;
    } cases[] = {
        {"1\n-2\n", 0, 2, "-2", "is out of range"},
        {"1\nnan\n", 0, 2, "nan", "is not a number"},
        {"inf", 0, 1, "inf", "is not a number"},
        {"0x10", 0, 1, "0x10", "is not a number"},
        {"#\n\n1e400", 0, 3, "1e400", "is out of range"},
        {"1.1e15", 0, 1, "1.1e15", "is out of range"},
        {"1000000000000001", 0, 1, "1000000000000001", "is out of range"},
        {"1 2", 0, 1, "1", "is followed by a second word"},
        {"a\n", 0, 1, "a", "is not a number"},
        {"1\n2\0003\n", 6, 2, "2", "comes before a byte that is 0"},
        {" ", 0, 0, "", "has no degrees"},
        {"# nothing\n", 0, 0, "", "has no degrees"},
        {"0\n0.0\n-0", 0, 0, "", "has no degree above 0"},
    };
    static char line[5000];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double *degrees = NULL;
        uint64_t count;
        degrees_error e;
        size_t size = cases[i].size > 0 ? cases[i].size : strlen(cases[i].text);

        ck_assert_int_eq(read_text(cases[i].text, size, &degrees, &count, &e), DEGREES_MALFORMED);
        ck_assert_ptr_null(degrees);
        ck_assert_uint_eq(e.line, cases[i].line);
        ck_assert_str_eq(e.word, cases[i].word);
        ck_assert_str_eq(e.what, cases[i].what);
    }
    memset(line, '1', sizeof line);
    for (int comment = 0; comment < 2; comment++) {
        double *degrees = NULL;
        uint64_t count;
        degrees_error e;

        memcpy(line, "5\n", 2);
        line[2] = comment ? '#' : '1';
        ck_assert_int_eq(read_text(line, sizeof line, &degrees, &count, &e),
                         comment ? DEGREES_OK : DEGREES_MALFORMED);
        ck_assert_str_eq(comment ? "" : e.what,
                         comment ? "" : "begins a line of more than 1000 characters");
        free(degrees);
    }
}
END_TEST

TEST_MAIN(chung_lu)
{
    Suite *suite = suite_create("chung_lu");
    TCase *cases = tcase_create("all");

    tcase_set_timeout(cases, 200);
    tcase_add_test(cases, test_degrees);
    tcase_add_test(cases, test_ends_are_independent);
    tcase_add_test(cases, test_wrong_pairing_is_seen);
    tcase_add_test(cases, test_definition);
    tcase_add_test(cases, test_parts);
    tcase_add_test(cases, test_power_law);
    tcase_add_test(cases, test_all_alike);
    tcase_add_test(cases, test_batch);
    tcase_add_test(cases, test_without_batches);
    tcase_add_test(cases, test_degrees_file);
    tcase_add_test(cases, test_bad_degrees_files);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
