/* The shape of graphs against counts made vertex by vertex and edge by edge, from a matrix of all
 * edges; the limits of bins; wrong arguments. */
#include "rmat/rmat_shape.h"
#include "rmat/rmat_source.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100, EDGES = 1500 };

static const struct {
    int scale;
    uint64_t vertices;
    int no_self_loops, permute, symmetrize, unique;
} models[] = {
    {6, 0, 0, 0, 0, 0},  {6, 0, 0, 1, 0, 1},  {6, 43, 1, 1, 0, 0},
    {6, 60, 0, 1, 1, 1}, {7, 99, 1, 0, 1, 0}, {1, 0, 0, 0, 0, 0},
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_gen *gen_of(int i, int threads)
{
    rmat_config c;
    rmat_gen *gen;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = models[i].scale;
    c.rows = c.cols = models[i].vertices;
    c.no_self_loops = models[i].no_self_loops;
    c.permute = models[i].permute;
    c.symmetrize = models[i].symmetrize;
    c.threads = threads;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    return gen;
}

/* The fine bin of a degree, by looking at their limits. */
static int fine_of(uint64_t degree)
{
    int bin = 0;

    while (bin + 1 < RMAT_SHAPE_FINE && rmat_shape_first(bin + 1) <= degree) {
        bin++;
    }
    return bin;
}

static int coarse_of(uint64_t degree)
{
    int bin = 0;

    while (bin + 1 < RMAT_SHAPE_COARSE && rmat_shape_first_coarse(bin + 1) <= degree) {
        bin++;
    }
    return bin;
}

/* How often each edge comes. */
typedef struct {
    uint64_t n, times[MOST][MOST], out[MOST], in[MOST];
} matrix;

static void read(matrix *m, const rmat_gen *gen, uint64_t n, int unique)
{
    uint64_t src[EDGES], dst[EDGES];

    memset(m, 0, sizeof *m);
    m->n = n;
    ck_assert_int_eq(rmat_generate(gen, 0, EDGES, src, dst), RMAT_OK);
    for (int i = 0; i < EDGES; i++) {
        if (!unique || m->times[src[i]][dst[i]] == 0) {
            m->times[src[i]][dst[i]]++;
            m->out[src[i]]++;
            m->in[dst[i]]++;
        }
    }
}

static void count_edges(const matrix *m, rmat_shape *s)
{
    for (uint64_t u = 0; u < m->n; u++) {
        for (uint64_t v = 0; v < m->n; v++) {
            const uint64_t times = m->times[u][v];

            s->edges += times;
            s->loops += u == v ? times : 0;
            s->lower += u > v ? times : 0;
            s->copies += times > 1 ? times - 1 : 0;
            s->ends[coarse_of(m->out[u])][coarse_of(m->in[v])] += times;
            s->probed += u != v && times > 0;
            s->mutual += u != v && times > 0 && m->times[v][u] > 0;
        }
    }
}

static rmat_shape expected_of(const matrix *m)
{
    rmat_shape s;

    memset(&s, 0, sizeof s);
    s.vertices = m->n;
    count_edges(m, &s);
    for (uint64_t v = 0; v < m->n; v++) {
        s.used += m->out[v] + m->in[v] > 0;
        s.out_vertices[fine_of(m->out[v])]++;
        s.out_edges[fine_of(m->out[v])] += m->out[v];
        s.in_vertices[fine_of(m->in[v])]++;
        s.in_edges[fine_of(m->in[v])] += m->in[v];
        s.joint[coarse_of(m->out[v])][coarse_of(m->in[v])]++;
    }
    return s;
}

/* All walks u, v, w of different vertices, an edge of any kind each, and how many are closed: the
 * expected share of what probes find. */
static double closed_share(const matrix *m)
{
    double walks = 0, closed = 0;

    for (uint64_t u = 0; u < m->n; u++) {
        for (uint64_t v = 0; v < m->n; v++) {
            const double edges = u != v ? (double)m->times[u][v] : 0;

            for (uint64_t w = 0; w < m->n && edges > 0; w++) {
                const double next = (double)m->times[v][w] / (double)m->out[v];

                if (w != u && w != v && next > 0) {
                    walks += edges * next;
                    closed += m->times[u][w] > 0 ? edges * next : 0;
                }
            }
        }
    }
    return walks > 0 ? closed / walks : 0;
}

START_TEST(shapes_are_counts)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        rmat_gen *gen = gen_of(_i, threads);
        const uint64_t n =
            models[_i].vertices ? models[_i].vertices : (uint64_t)1 << models[_i].scale;
        rmat_shape shape, expected;
        matrix *m = malloc(sizeof *m);

        read(m, gen, n, models[_i].unique);
        expected = expected_of(m);
        ck_assert_int_eq(rmat_shape_of(gen, EDGES, models[_i].unique, 1, &shape), RMAT_OK);
        if (n > 2) {
            const double share = (double)shape.closed / (double)shape.walks;

            ck_assert_double_eq_tol(share, closed_share(m), 0.05);
        }
        expected.walks = shape.walks;
        expected.closed = shape.closed;
        ck_assert_mem_eq(&shape, &expected, sizeof shape);
        ck_assert_int_eq(rmat_shape_of(gen, EDGES, models[_i].unique, 0, &shape), RMAT_OK);
        expected.probed = expected.mutual = expected.walks = expected.closed = 0;
        ck_assert_mem_eq(&shape, &expected, sizeof shape);
        free(m);
        rmat_destroy(gen);
    }
}
END_TEST

START_TEST(bins_follow_each_other)
{
    for (int i = 1; i < RMAT_SHAPE_FINE; i++) {
        ck_assert_uint_gt(rmat_shape_first(i), rmat_shape_first(i - 1));
    }
    for (int i = 1; i < RMAT_SHAPE_COARSE; i++) {
        ck_assert_uint_gt(rmat_shape_first_coarse(i), rmat_shape_first_coarse(i - 1));
    }
    ck_assert_uint_eq(rmat_shape_first(0), 0);
    ck_assert_uint_eq(rmat_shape_first(16), 16);
    ck_assert_uint_eq(rmat_shape_first(17), 18);
    ck_assert_uint_eq(rmat_shape_first(RMAT_SHAPE_FINE - 1), (1ULL << 34) - (1ULL << 30));
    ck_assert_uint_eq(rmat_shape_first_coarse(4), 4);
    ck_assert_uint_eq(rmat_shape_first_coarse(8), 16);
    ck_assert_uint_eq(rmat_shape_first_coarse(9), 24);
}
END_TEST

START_TEST(no_edges)
{
    rmat_gen *gen = gen_of(0, 1);
    rmat_shape shape;

    ck_assert_int_eq(rmat_shape_of(gen, 0, 0, 1, &shape), RMAT_OK);
    ck_assert_uint_eq(shape.vertices, 64);
    ck_assert_uint_eq(shape.out_vertices[0], 64);
    ck_assert_uint_eq(shape.joint[0][0], 64);
    ck_assert_uint_eq(shape.used + shape.edges + shape.probed, 0);
    rmat_destroy(gen);
}
END_TEST

START_TEST(wrong_arguments)
{
    rmat_gen *gen = gen_of(0, 1), *oblong;
    rmat_shape shape;
    rmat_config c;

    ck_assert_int_eq(rmat_shape_of(NULL, 1, 0, 0, &shape), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_shape_of(gen, 1, 0, 0, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_shape_of(gen, RMAT_SHAPE_MOST_EDGES, 0, 0, &shape), RMAT_ERR_EDGES);
    rmat_destroy(gen);
    rmat_config_default(&c);
    c.rows_scale = 5;
    ck_assert_int_eq(rmat_create(&oblong, &c), RMAT_OK);
    ck_assert_int_eq(rmat_shape_of(oblong, 1, 0, 0, &shape), RMAT_ERR_SQUARE);
    rmat_destroy(oblong);
    c.rows_scale = c.cols_scale = 40;
    ck_assert_int_eq(rmat_create(&oblong, &c), RMAT_OK);
    ck_assert_int_eq(rmat_shape_of(oblong, 1, 0, 0, &shape), RMAT_ERR_ID_WIDTH);
    rmat_destroy(oblong);
}
END_TEST

TEST_MAIN(rmat_shape)
{
    Suite *suite = suite_create("rmat_shape");
    TCase *tcase = tcase_create("shape");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, shapes_are_counts, 0, MODELS);
    tcase_add_test(tcase, bins_follow_each_other);
    tcase_add_test(tcase, no_edges);
    tcase_add_test(tcase, wrong_arguments);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
