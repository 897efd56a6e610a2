/*
 * First and second moments that R-MAT has in closed form: fractions of halves and quarters, degrees
 * of given vertices, self loops, isolated vertices; each within five standard deviations.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define EDGES       (UINT64_C(1) << 22)
#define SIGMAS      5.0
#define FIVE_SIGMAS 2.9e-7 /* one tail of the normal distribution */

static const rmat_matrix graph500 = {0.57, 0.19, 0.19, 0.05};

static rmat_gen *create_graph500(int scale, uint64_t seed)
{
    stat_model m;

    stat_model_same(&m, scale, graph500);
    return stat_create(&m, seed);
}

static uint64_t *ids(uint64_t n)
{
    uint64_t *p = malloc(n * sizeof *p);

    ck_assert_ptr_nonnull(p);
    return p;
}

static void assert_share(uint64_t seen, uint64_t n, double p, const char *what, int scale)
{
    ck_assert_msg(stats_binomial_sigmas(seen, n, p) < SIGMAS, "scale %d, %s: %.6f for %.6f", scale,
                  what, (double)seen / (double)n, p);
}

/* Sources and destinations by their two leading bits. */
START_TEST(halves_and_quarters)
{
    static const int scales[] = {2, 20, 23, 24, 25, 28, 30, 31, 32, 33, 47, 48, 49, 62};
    const double p1 = graph500.c + graph500.d; /* = b + d */
    const double quarter[4] = {(1 - p1) * (1 - p1), (1 - p1) * p1, p1 * (1 - p1), p1 * p1};
    uint64_t *src = ids(EDGES), *dst = ids(EDGES);

    for (unsigned k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        int scale = scales[k];
        uint64_t of_src[4] = {0}, of_dst[4] = {0};
        rmat_gen *gen = create_graph500(scale, 7);

        ck_assert_int_eq(rmat_generate(gen, 0, EDGES, src, dst), RMAT_OK);
        for (uint64_t e = 0; e < EDGES; e++) {
            of_src[src[e] >> (scale - 2)]++;
            of_dst[dst[e] >> (scale - 2)]++;
        }
        assert_share(of_src[2] + of_src[3], EDGES, p1, "top source bit", scale);
        assert_share(of_dst[2] + of_dst[3], EDGES, p1, "top destination bit", scale);
        for (int q = 0; q < 4; q++) {
            assert_share(of_src[q], EDGES, quarter[q], "quarter of the sources", scale);
            assert_share(of_dst[q], EDGES, quarter[q], "quarter of the destinations", scale);
        }
        rmat_destroy(gen);
    }
    free(src);
    free(dst);
}
END_TEST

/* m (a + d)^L of m edges. */
START_TEST(self_loops)
{
    static const int scales[] = {1, 6, 10, 16, 20, 25, 30};
    uint64_t *src = ids(EDGES), *dst = ids(EDGES);

    for (unsigned k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        rmat_gen *gen = create_graph500(scales[k], 3);
        uint64_t loops = 0, n = 8 * EDGES;
        double p = pow(graph500.a + graph500.d, scales[k]);

        for (uint64_t first = 0; first < n; first += EDGES) {
            ck_assert_int_eq(rmat_generate(gen, first, EDGES, src, dst), RMAT_OK);
            for (uint64_t e = 0; e < EDGES; e++) {
                loops += src[e] == dst[e];
            }
        }
        if ((double)n * p > 1000) {
            assert_share(loops, n, p, "self loops", scales[k]);
        } else {
            ck_assert_msg(stats_poisson_tail(loops, (double)n * p) > FIVE_SIGMAS,
                          "scale %d: %llu loops for %.2f", scales[k], (unsigned long long)loops,
                          (double)n * p);
        }
        rmat_destroy(gen);
    }
    free(src);
    free(dst);
}
END_TEST

/* Degree of one vertex in a graph of 2^16 edges: its mean and its variance over 1,024 graphs. */
START_TEST(degrees_of_given_vertices)
{
    enum { SCALE = 16, M = 65536, GRAPHS = 1024, VERTICES = 6 };
    static const uint64_t vertices[VERTICES] = {0, 1, 2, 1 << 15, 0x0101, 0x8421};
    static double degree[2][VERTICES][GRAPHS];
    stat_model m;
    rmat_gen *gen;
    uint64_t *src = ids(M), *dst = ids(M);

    if (_i) {
        stat_model_distinct(&m, SCALE, SCALE, 0);
    } else {
        stat_model_same(&m, SCALE, graph500);
    }
    gen = stat_create(&m, 11);
    for (int graph = 0; graph < GRAPHS; graph++) {
        ck_assert_int_eq(rmat_generate(gen, (uint64_t)graph * M, M, src, dst), RMAT_OK);
        for (int v = 0; v < VERTICES; v++) {
            int out = 0, in = 0;

            for (int e = 0; e < M; e++) {
                out += src[e] == vertices[v];
                in += dst[e] == vertices[v];
            }
            degree[0][v][graph] = out;
            degree[1][v][graph] = in;
        }
    }
    for (int side = 0; side < 2; side++) {
        for (int v = 0; v < VERTICES; v++) {
            double p = 1.0, mean = 0.0, variance = 0.0, expected, moment4, sd;

            for (int l = 0; l < SCALE; l++) {
                const rmat_matrix *x = &m.level[l];
                double one = x->d + (side ? x->b : x->c);

                p *= vertices[v] >> (SCALE - 1 - l) & 1 ? one : 1 - one;
            }
            for (int graph = 0; graph < GRAPHS; graph++) {
                mean += degree[side][v][graph] / GRAPHS;
            }
            for (int graph = 0; graph < GRAPHS; graph++) {
                double off = degree[side][v][graph] - mean;

                variance += off * off / (GRAPHS - 1);
            }
            expected = M * p * (1 - p);
            moment4 = expected * (1 + 3 * (M - 2) * p * (1 - p));
            sd = sqrt((moment4 - expected * expected * (GRAPHS - 3) / (GRAPHS - 1)) / GRAPHS);
            ck_assert_msg(fabs(mean - M * p) < SIGMAS * sqrt(expected / GRAPHS),
                          "side %d, vertex %llu: mean degree %g for %g", side,
                          (unsigned long long)vertices[v], mean, M * p);
            ck_assert_msg(fabs(variance - expected) < SIGMAS * sd,
                          "side %d, vertex %llu: variance %g for %g", side,
                          (unsigned long long)vertices[v], variance, expected);
        }
    }
    rmat_destroy(gen);
    free(src);
    free(dst);
}
END_TEST

/*
 * A vertex whose id has k ones is an end of an edge with probability p_out + p_in - p_loop.  The
 * vertices' isolations are negatively correlated if anything, so the sum of their variances bounds
 * that of the count.
 */
START_TEST(isolated_vertices)
{
    static const struct {
        int scale;
        double percent; /* published, exact to two decimals */
    } known[] = {{16, 28.63}, {20, 38.37}};
    const rmat_matrix x = graph500;
    int scale = known[_i].scale;
    uint64_t n = UINT64_C(1) << scale, m = 16 * n, isolated = 0;
    double expected = 0.0, variance = 0.0;
    uint64_t *src = ids(n), *dst = ids(n);
    unsigned char *touched = calloc(n, 1);
    rmat_gen *gen = create_graph500(scale, 1);

    ck_assert_ptr_nonnull(touched);
    for (uint64_t v = 0; v < n; v++) {
        int ones = __builtin_popcountll(v), zeros = scale - ones;
        double p_out = pow(x.a + x.b, zeros) * pow(x.c + x.d, ones);
        double p_in = pow(x.a + x.c, zeros) * pow(x.b + x.d, ones);
        double p_loop = pow(x.a, zeros) * pow(x.d, ones);
        double none = exp((double)m * log1p(-(p_out + p_in - p_loop)));

        expected += none;
        variance += none * (1 - none);
    }
    ck_assert_msg(fabs(100 * expected / (double)n - known[_i].percent) <= 0.005,
                  "scale %d: %.4f %% by the model, published %.2f %%", scale,
                  100 * expected / (double)n, known[_i].percent);

    for (uint64_t first = 0; first < m; first += n) {
        ck_assert_int_eq(rmat_generate(gen, first, n, src, dst), RMAT_OK);
        for (uint64_t e = 0; e < n; e++) {
            touched[src[e]] = touched[dst[e]] = 1;
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        isolated += !touched[v];
    }
    ck_assert_msg(fabs((double)isolated - expected) < SIGMAS * sqrt(variance),
                  "scale %d: %llu isolated for %.1f", scale, (unsigned long long)isolated,
                  expected);
    free(src);
    free(dst);
    free(touched);
    rmat_destroy(gen);
}
END_TEST

TEST_CASES(rmat_stat_moments, 60, ONCE(halves_and_quarters), ONCE(self_loops),
           LOOP(degrees_of_given_vertices, 0, 2), LOOP(isolated_vertices, 0, 2))
