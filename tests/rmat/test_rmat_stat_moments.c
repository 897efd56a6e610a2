/*
 * Moments of R-MAT in closed form, with noise and without: mu is uniform on [-X, X) and independent
 * between levels; isolated vertices as published.  Fixed seeds; a chi-squared test rejects one
 * correct generator in 10^6 (STATS_ALPHA), a bound of five standard deviations one in 10^6.
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

/* mu of all levels and seeds in 64 bins; of neighbouring levels, and of the same level with
 * neighbouring seeds, in 8 x 8 bins; and the mean of each level. */
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

/* The expected number of isolated vertices of 16 * 2^scale edges, from the drawn matrices. */
static double expected_isolated(const rmat_config *c)
{
    const uint64_t n = UINT64_C(1) << c->rows_scale;
    const double edges = 16.0 * (double)n;
    rmat_matrix x[RMAT_MAX_SCALE];
    /* the probabilities that a vertex is source, destination, both: known for the first levels */
    scoped(free) double *out = must_alloc(n, sizeof *out), *in = must_alloc(n, sizeof *in),
                        *loop = must_alloc(n, sizeof *loop);
    double sum = 0;

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
        sum += exp(edges * log1p(-(out[v] + in[v] - loop[v])));
    }
    return sum;
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
        double percent = 100 * expected_isolated(&c) / ldexp(1, known[_i].scale);

        sum += percent;
        squares += percent * percent;
    }
    mean = sum / seeds;
    error = seeds > 1 ? sqrt((squares / seeds - mean * mean) / (seeds - 1)) : 0;
    ck_assert_msg(fabs(mean - known[_i].percent) < SIGMAS * error + (seeds > 1 ? 0.05 : 0.005),
                  "scale %d, noise %g: %.3f %%, published %.2f %%", known[_i].scale,
                  known[_i].noise, mean, known[_i].percent);
}

TEST_CASES(rmat_stat_moments, 60, LOOP(mu_is_uniform, 0, 3), LOOP(isolated_on_average, 0, 4))
