/*
 * Weights: uniform, independent of those of neighboring cells, equal for copies and reverses of an
 * edge, different for each seed.  They are tested on the pairs of a grid, each once, because an
 * R-MAT graph repeats its heavy edges and so their weights.  Fixed seeds; a chi-squared test
 * rejects one good hash in 10^6 (STATS_ALPHA), a bound of five standard deviations one in 10^6.
 */
#include "alias/core/philox.h"
#include "tests/support/models.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

#define SIGMAS 5.0

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
START_TEST(neighbors)
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
                      "grid %d: neighbors %d correlate, %.1f sigmas", _i, k, sum / sqrt(PAIRS));
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

static uint64_t random_id(uint64_t k, uint32_t which, int bits)
{
    philox_block b = philox_at(2027, k, which, 77);

    return ((uint64_t)b.v[1] << 32 | b.v[0]) >> (64 - bits);
}

/* Each bit of either end decides each of the 32 bits of a full-range int with probability 1/2. */
START_TEST(avalanche)
{
    enum { N = 1 << 14 };
    static const int widths[] = {12, 31, 62};
    const int bits = widths[_i];
    scoped(free) uint32_t *w = must_alloc(N, 4), *other = must_alloc(N, 4);
    scoped(rmat_destroy) rmat_gen *gen = create(RMAT_WEIGHTS_INT, INT32_MIN, INT32_MAX, 9);
    double worst = 0;

    for (uint64_t k = 0; k < N; k++) {
        src[k] = random_id(k, 0, bits);
        dst[k] = random_id(k, 1, bits);
    }
    weigh(gen, N, src, dst, w);
    for (int bit = 0; bit < 2 * bits; bit++) {
        uint64_t *ids = bit < bits ? src : dst, flip = UINT64_C(1) << bit % bits;
        int changed[32] = {0};

        for (int k = 0; k < N; k++) {
            ids[k] ^= flip;
        }
        weigh(gen, N, src, dst, other);
        for (int k = 0; k < N; k++) {
            ids[k] ^= flip;
            for (int j = 0; j < 32; j++) {
                changed[j] += (w[k] ^ other[k]) >> j & 1;
            }
        }
        for (int j = 0; j < 32; j++) {
            const double off = fabs(changed[j] / (double)N - 0.5);

            worst = off > worst ? off : worst; /* gcc 12 for Arm crashes over fmax() here */
        }
    }
    ck_assert_msg(worst < 0.01 + SIGMAS * 0.5 / sqrt(N), "%d bits: %.4f from 1/2", bits, worst);
}

typedef struct {
    uint64_t lo, hi;
    uint32_t weight;
} weighted;

static int by_ends(const void *a, const void *b)
{
    const weighted *x = a, *y = b;

    return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->hi > y->hi) - (x->hi < y->hi);
}

/* In a generated graph full of copies and reverses; another pair has another weight, mostly. */
START_TEST(copies_agree)
{
    enum { EDGES = 1 << 17 };
    uint64_t same = 0, groups = 0, equal = 0;
    scoped(free) weighted *edge = must_alloc(EDGES, sizeof *edge);
    scoped(free) uint32_t *w = must_alloc(EDGES, 4);
    rmat_config c = square_model(10);

    c.permute = _i > 0;
    c.symmetrize = _i > 1;
    c.weights = _i % 2 ? RMAT_WEIGHTS_UNIFORM : RMAT_WEIGHTS_INT;
    c.weight_min = INT32_MIN;
    c.weight_max = INT32_MAX;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    ok(rmat_generate_arrays(gen, 0, EDGES, &(rmat_arrays){src, dst, w, 8}));
    for (int e = 0; e < EDGES; e++) {
        must(!c.symmetrize || e % 2 == 0 ||
                 (src[e] == dst[e - 1] && dst[e] == src[e - 1] && w[e] == w[e - 1]),
             "edge %d is not the reverse of the one before", e);
        edge[e] =
            (weighted){src[e] < dst[e] ? src[e] : dst[e], src[e] < dst[e] ? dst[e] : src[e], w[e]};
    }
    qsort(edge, EDGES, sizeof *edge, by_ends);
    for (int e = 1; e < EDGES; e++) {
        if (by_ends(&edge[e], &edge[e - 1]) == 0) {
            must(edge[e].weight == edge[e - 1].weight, "two copies differ");
            same++;
        } else {
            groups++;
            equal += edge[e].weight == edge[e - 1].weight;
        }
    }
    ck_assert_uint_gt(same, EDGES / 4);
    ck_assert_uint_gt(groups, EDGES / 8);
    ck_assert_uint_lt(equal, 5);
}

TEST_CASES(rmat_stat_weights, 60, LOOP(floats, 0, GRIDS), LOOP(ints, 0, 9),
           LOOP(neighbors, 0, GRIDS), LOOP(avalanche, 0, 3), LOOP(copies_agree, 0, 3))
