/*
 * Moments of R-MAT in closed form, with noise and without: mu is uniform on [-X, X) and independent
 * between levels; degrees of given vertices; isolated vertices.  Fixed seeds; a chi-squared test
 * rejects one correct generator in 10^6 (STATS_ALPHA), a bound of five standard deviations one in
 * 10^6.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define SIGMAS 5.0

static rmat_config model_at(int rows_scale, int cols_scale, double noise, uint64_t seed)
{
    rmat_config c = model_of((rmat_config){.rows_scale = rows_scale, .cols_scale = cols_scale});

    c.noise = noise;
    c.seed = seed;
    return c;
}

/* In [0, 1), from what b gained; the other entries must have moved along. */
static double position(const rmat_config *c, const rmat_matrix *x)
{
    const rmat_matrix *m = &c->matrix;
    double mu = x->b - m->b, t = 2 * mu / (m->a + m->d);

    ck_assert(mu >= -c->noise - 1e-15 && mu < c->noise + 1e-15);
    ck_assert(fabs(x->c - m->c - mu) < 1e-15 && fabs(x->a - m->a * (1 - t)) < 1e-15 &&
              fabs(x->d - m->d * (1 - t)) < 1e-15);
    return fmin(fmax((mu / c->noise + 1) / 2, 0), 1 - 1e-12);
}

/* mu of all levels and seeds in 64 bins; of neighboring levels, and of the same level with
 * neighboring seeds, in 8 x 8 bins; and the mean of each level. */
START_TEST(mu_is_uniform)
{
    enum { SEEDS = 4000, SCALE = 30, BINS = 64 };
    static const double noises[] = {0.19, 0.1, 0.001};
    uint64_t one[BINS] = {0}, levels[BINS] = {0}, seeds[BINS] = {0};
    double sum[SCALE] = {0}, before[SCALE] = {0};

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rmat_config c = model_at(SCALE, 7, noises[_i], seed);
        rmat_matrix x[RMAT_MAX_SCALE];
        double u[SCALE];

        ok(rmat_levels(&c, x));
        for (int l = 0; l < SCALE; l++) {
            u[l] = position(&c, &x[l]);
            sum[l] += u[l];
            one[(int)(u[l] * BINS)]++;
            if (l % 2) {
                levels[(int)(u[l - 1] * 8) * 8 + (int)(u[l] * 8)]++;
            }
            if (seed % 2) {
                seeds[(int)(before[l] * 8) * 8 + (int)(u[l] * 8)]++;
            }
            before[l] = u[l];
        }
    }
    ck_assert(stats_fit(one, NULL, BINS, SEEDS * SCALE) > STATS_ALPHA);
    ck_assert(stats_fit(levels, NULL, BINS, SEEDS * SCALE / 2) > STATS_ALPHA);
    ck_assert(stats_fit(seeds, NULL, BINS, SEEDS / 2 * SCALE) > STATS_ALPHA);
    for (int l = 0; l < SCALE; l++) {
        ck_assert(fabs(sum[l] / SEEDS - 0.5) < SIGMAS * sqrt(1 / 12. / SEEDS));
    }
}

typedef struct {
    double mean, variance;
} isolation;

/* Of 16 * 2^scale edges, from the drawn matrices; the variance is an upper bound, as isolations
 * are negatively correlated if anything. */
static isolation expected_isolated(const rmat_config *c)
{
    const uint64_t n = UINT64_C(1) << c->rows_scale;
    const double edges = 16.0 * (double)n;
    rmat_matrix x[RMAT_MAX_SCALE];
    /* the probabilities that a vertex is source, destination, both: known for the first levels */
    double *out = must_alloc(n, sizeof *out), *in = must_alloc(n, sizeof *in),
           *loop = must_alloc(n, sizeof *loop);
    isolation sum = {0, 0};

    ok(rmat_levels(c, x));
    out[0] = in[0] = loop[0] = 1;
    for (int l = 0; l < c->rows_scale; l++) {
        for (uint64_t v = UINT64_C(1) << l; v-- > 0;) {
            out[2 * v + 1] = out[v] * (x[l].c + x[l].d);
            in[2 * v + 1] = in[v] * (x[l].b + x[l].d);
            loop[2 * v + 1] = loop[v] * x[l].d;
            out[2 * v] = out[v] * (x[l].a + x[l].b);
            in[2 * v] = in[v] * (x[l].a + x[l].c);
            loop[2 * v] = loop[v] * x[l].a;
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        double none = exp(edges * log1p(-(out[v] + in[v] - loop[v])));

        sum.mean += none;
        sum.variance += none * (1 - none);
    }
    free(out);
    free(in);
    free(loop);
    return sum;
}

/* A graph against its own drawn matrices. */
START_TEST(isolated_vertices)
{
    static const struct {
        int scale;
        double noise;
    } graphs[] = {{16, 0}, {16, 0.05}, {16, 0.1}, {16, 0.19}, {20, 0}, {20, 0.05}, {20, 0.1}};
    const int scale = graphs[_i].scale;
    const uint64_t n = UINT64_C(1) << scale;
    rmat_config c = model_at(scale, scale, graphs[_i].noise, 21 + (uint64_t)_i);
    isolation expected = expected_isolated(&c);
    scoped(free) unsigned char *touched = must_alloc(n, 1);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    scoped(free) uint64_t *src = must_alloc(n, 8), *dst = must_alloc(n, 8);
    uint64_t isolated = 0;

    for (uint64_t first = 0; first < 16 * n; first += n) {
        ok(rmat_generate(gen, first, n, src, dst));
        for (uint64_t e = 0; e < n; e++) {
            touched[src[e]] = touched[dst[e]] = 1;
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        isolated += !touched[v];
    }
    ck_assert_msg(fabs((double)isolated - expected.mean) < SIGMAS * sqrt(expected.variance),
                  "scale %d, noise %g: %lu isolated for %.1f", scale, c.noise, isolated,
                  expected.mean);
}

/* The mean over drawn matrices, as published to within 0.05 % (no noise: exactly). */
START_TEST(isolated_on_average)
{
    static const struct {
        int scale, seeds;
        double noise, percent;
    } known[] = {{16, 1, 0, 28.63}, {16, 250, 0.05, 29.4}, {16, 250, 0.1, 31.6}, {20, 1, 0, 38.37}};
    double sum = 0, squares = 0, mean, error;
    int seeds = known[_i].seeds;

    for (int seed = 0; seed < seeds; seed++) {
        rmat_config c =
            model_at(known[_i].scale, known[_i].scale, known[_i].noise, 1000 + (uint64_t)seed);
        double percent = 100 * expected_isolated(&c).mean / ldexp(1, known[_i].scale);

        sum += percent;
        squares += percent * percent;
    }
    mean = sum / seeds;
    error = seeds > 1 ? sqrt((squares / seeds - mean * mean) / (seeds - 1)) : 0;
    ck_assert_msg(fabs(mean - known[_i].percent) < SIGMAS * error + (seeds > 1 ? 0.05 : 0.005),
                  "scale %d, noise %g: %.3f %%, published %.2f %%", known[_i].scale,
                  known[_i].noise, mean, known[_i].percent);
}

/* Degree of one vertex in a graph of 2^16 edges: its mean and its variance over 256 graphs. */
START_TEST(degrees_of_given_vertices)
{
    enum { SCALE = 16, M = 65536, GRAPHS = 256, VERTICES = 6 };
    static const uint64_t vertices[VERTICES] = {0, 1, 2, 1 << 15, 0x0101, 0x8421};
    static double degree[2][VERTICES][GRAPHS];
    stat_model m;
    scoped(free) uint64_t *src = must_alloc(M, 8), *dst = must_alloc(M, 8);

    if (_i) {
        stat_model_distinct(&m, SCALE, SCALE, 0);
    } else {
        stat_model_same(&m, SCALE, (rmat_matrix){0.57, 0.19, 0.19, 0.05});
    }
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 11);
    for (int graph = 0; graph < GRAPHS; graph++) {
        ok(rmat_generate(gen, (uint64_t)graph * M, M, src, dst));
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
                          "side %d, vertex %lu: mean degree %g for %g", side, vertices[v], mean,
                          M * p);
            ck_assert_msg(fabs(variance - expected) < SIGMAS * sd,
                          "side %d, vertex %lu: variance %g for %g", side, vertices[v], variance,
                          expected);
        }
    }
}

/* The largest graphs are for RMAT_TEST_LARGE. */
TEST_CASES(rmat_stat_moments, 60, LOOP(mu_is_uniform, 0, 3),
           LOOP(isolated_vertices, 0, STAT_LARGE ? 7 : 5), LOOP(isolated_on_average, 0, 4),
           LOOP(degrees_of_given_vertices, 0, 2))
