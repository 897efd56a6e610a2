/*
 * Noise: mu is uniform on [-X, X) and independent between levels; isolated vertices as published.
 * Weights: uniform, independent of those of neighboring cells, different for each seed.  Fixed
 * seeds; a chi-squared test rejects one correct generator or hash in 10^6 (STATS_ALPHA), a bound of
 * five standard deviations one in 10^6.
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

/* --- Weights, of the pairs of a grid, each once: an R-MAT graph repeats its heavy edges --- */

static rmat_gen *create(rmat_weights weights, int32_t min, int32_t max, uint64_t seed)
{
    rmat_config c = square_model(62);

    c.weights = weights;
    c.weight_min = min;
    c.weight_max = max;
    c.seed = seed;
    return create_gen(&c);
}

static void weigh(const rmat_gen *gen, uint64_t n, const uint64_t *from, const uint64_t *to,
                  void *weight)
{
    ok(rmat_weights_of(gen, n, from, to, 8, weight));
}

/* The pairs src <= dst of a grid: ids offset + stride * k, k below SIDE. */
enum { SIDE = 2048, PAIRS = SIDE * (SIDE + 1) / 2 };

static uint64_t src[PAIRS], dst[PAIRS];

static void grid(uint64_t offset, uint64_t stride)
{
    uint64_t n = 0;

    for (uint64_t v = 0; v < SIDE; v++) {
        for (uint64_t u = 0; u <= v; u++) {
            src[n] = offset + stride * u;
            dst[n++] = offset + stride * v;
        }
    }
}

static const struct {
    uint64_t offset, stride;
} grids[] = {{0, 1}, {0, UINT64_C(1) << 24}, {UINT64_C(1) << 61, 1}, {12345, 4097}};
enum { GRIDS = COUNT(grids) };

/* In 256 bins, and the low eight of the 24 bits in others. */
START_TEST(floats)
{
    scoped(free) float *w = must_alloc(PAIRS, sizeof *w);
    scoped(rmat_destroy) rmat_gen *gen = create(RMAT_WEIGHTS_UNIFORM, 0, 0, 5 + (uint64_t)_i);
    uint64_t high[256] = {0}, low[256] = {0};
    double p;

    grid(grids[_i].offset, grids[_i].stride);
    weigh(gen, PAIRS, src, dst, w);
    for (int k = 0; k < PAIRS; k++) {
        uint32_t units = (uint32_t)(w[k] * 0x1p24f);

        must(w[k] >= 0 && w[k] < 1 && (float)units * 0x1p-24f == w[k], "%.9g", (double)w[k]);
        high[units >> 16]++;
        low[units & 255]++;
    }
    p = fmin(stats_fit(high, NULL, 256, PAIRS), stats_fit(low, NULL, 256, PAIRS));
    ck_assert_msg(p > STATS_ALPHA, "grid %d: p = %g", _i, p);
}

/* Every value of the range, or of wide ranges 256 equal parts and the last of them. */
START_TEST(ints)
{
    static const struct {
        int32_t min, max;
    } ranges[] = {{1, 255},   {0, 0},  {-7, -7},       {-1000, 77},           {-3, 0},
                  {0, 65535}, {0, 99}, {0, INT32_MAX}, {INT32_MIN, INT32_MAX}};
    const int64_t min = ranges[_i].min, range = ranges[_i].max - min + 1;
    const size_t cells = range <= 65536 ? (size_t)range : 256;
    scoped(free) uint64_t *seen = must_alloc(cells, 8);
    scoped(free) int32_t *w = must_alloc(PAIRS, sizeof *w);
    scoped(rmat_destroy) rmat_gen *gen =
        create(RMAT_WEIGHTS_INT, ranges[_i].min, ranges[_i].max, 60);
    double p;

    grid(0, 1);
    weigh(gen, PAIRS, src, dst, w);
    for (int k = 0; k < PAIRS; k++) {
        must(w[k] >= ranges[_i].min && w[k] <= ranges[_i].max, "weight %d", w[k]);
        seen[(uint64_t)(w[k] - min) * cells / (uint64_t)range]++;
    }
    p = cells > 1 ? stats_fit(seen, NULL, cells, PAIRS) : 1;
    ck_assert_msg(p > STATS_ALPHA, "%d ... %d: p = %g", ranges[_i].min, ranges[_i].max, p);
}

/* Correlation of the weights of (u, v) with those of (u, v + 1), (u + 1, v), (u + 1, v + 1) and of
 * the same pair with another seed; and the mean weight of each vertex's edges, by chi-squared. */
START_TEST(neighbours)
{
    scoped(free) uint64_t *s = must_alloc(PAIRS, 8), *d = must_alloc(PAIRS, 8);
    scoped(free) float *w = must_alloc(PAIRS, sizeof *w), *other = must_alloc(PAIRS, sizeof *other);
    scoped(rmat_destroy) rmat_gen *gen = create(RMAT_WEIGHTS_UNIFORM, 0, 0, 5);
    scoped(rmat_destroy) rmat_gen *next_seed = create(RMAT_WEIGHTS_UNIFORM, 0, 0, 6);
    scoped(free) double *of_vertex = must_alloc(SIDE, sizeof *of_vertex);
    double chi2 = 0, p;

    grid(grids[_i].offset, grids[_i].stride);
    weigh(gen, PAIRS, src, dst, w);
    for (int k = 0; k < 4; k++) {
        double sum = 0;

        for (int i = 0; i < PAIRS; i++) {
            s[i] = src[i] + (k & 1);
            d[i] = dst[i] + (k >> 1);
        }
        weigh(k ? gen : next_seed, PAIRS, s, d, other);
        for (int i = 0; i < PAIRS; i++) {
            sum += (w[i] - 0.5) * (other[i] - 0.5) * 12;
        }
        ck_assert_msg(fabs(sum / sqrt(PAIRS)) < SIGMAS,
                      "grid %d: neighbours %d correlate, %.1f sigmas", _i, k, sum / sqrt(PAIRS));
    }
    for (int i = 0; i < PAIRS; i++) {
        uint64_t u = (src[i] - grids[_i].offset) / grids[_i].stride;
        uint64_t v = (dst[i] - grids[_i].offset) / grids[_i].stride;

        of_vertex[u] += u == v ? 0 : w[i] - 0.5;
        of_vertex[v] += w[i] - 0.5;
    }
    for (int v = 0; v < SIDE; v++) {
        chi2 += of_vertex[v] * of_vertex[v] * 12 / SIDE;
    }
    p = stats_chi2_tail(chi2, SIDE);
    ck_assert_msg(p > STATS_ALPHA && p < 1 - STATS_ALPHA, "grid %d: means of vertices, p = %g", _i,
                  p);
}

TEST_CASES(rmat_stat_moments, 60, LOOP(mu_is_uniform, 0, 3), LOOP(isolated_on_average, 0, 4),
           LOOP(floats, 0, GRIDS), LOOP(ints, 0, 9), LOOP(neighbours, 0, GRIDS))
