/*
 * The permutation, statistically: avalanche, fixed points, cycles, the images of neighbours and
 * hubs; and no bit of a permuted id reveals the degree.  Fixed seeds; each chi-squared test rejects
 * one good permutation in 10^6 (STATS_ALPHA), each bound in standard deviations one in 10^6.
 */
#include "alias/core/philox.h"
#include "rmat/rmat.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGMAS 5.0

/* vertices 0: 2^scale */
static rmat_gen *create_of(int scale, uint64_t vertices, uint64_t seed)
{
    rmat_config c;
    rmat_gen *gen;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = scale;
    c.rows = c.cols = vertices;
    c.permute = 1;
    c.seed = seed;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    return gen;
}

static rmat_gen *create(int scale, uint64_t seed)
{
    return create_of(scale, 0, seed);
}

static void permute(const rmat_gen *gen, uint64_t n, uint64_t *ids)
{
    ck_assert_int_eq(rmat_permute(gen, RMAT_ROWS, n, ids), RMAT_OK);
}

static void *array(uint64_t n, size_t size)
{
    void *p = calloc(n, size);

    ck_assert_ptr_nonnull(p);
    return p;
}

static uint64_t random_id(uint64_t k, int scale)
{
    philox_block b = philox_at(2026, k, 0, 77);

    return ((uint64_t)b.v[1] << 32 | b.v[0]) >> (64 - scale);
}

/* How far from 1/2 is the probability that bit i of an id changes bit j of its image, at worst?
 * The bounds are a little above what 10^5 keys gave; five sigmas of this smaller sample are added.
 */
START_TEST(avalanche)
{
    enum { SEEDS = 512, IDS = 64, N = SEEDS * IDS };
    static const struct {
        int scale;
        double bound;
    } cases[] = {{10, 0.06}, {12, 0.04}, {14, 0.04}, {16, 0.04}, {19, 0.02}, {20, 0.03}, {26, 0.02},
                 {31, 0.02}, {32, 0.02}, {36, 0.02}, {48, 0.02}, {52, 0.03}, {62, 0.06}};
    const int scale = cases[_i].scale;
    uint64_t *image = array(IDS, 8), *other = array(IDS, 8);
    uint32_t changed[62][62] = {{0}};
    double worst = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rmat_gen *gen = create(scale, seed);

        for (uint64_t k = 0; k < IDS; k++) {
            image[k] = random_id(seed * IDS + k, scale);
        }
        permute(gen, IDS, image);
        for (int i = 0; i < scale; i++) {
            for (uint64_t k = 0; k < IDS; k++) {
                other[k] = random_id(seed * IDS + k, scale) ^ UINT64_C(1) << i;
            }
            permute(gen, IDS, other);
            for (uint64_t k = 0; k < IDS; k++) {
                uint64_t x = image[k] ^ other[k];

                for (int j = 0; j < scale; j++) {
                    changed[i][j] += x >> j & 1;
                }
            }
        }
        rmat_destroy(gen);
    }
    for (int i = 0; i < scale; i++) {
        for (int j = 0; j < scale; j++) {
            worst = fmax(worst, fabs(changed[i][j] / (double)N - 0.5));
        }
    }
    ck_assert_msg(worst < cases[_i].bound + SIGMAS * 0.5 / sqrt(N), "scale %d: %.4f from 1/2",
                  scale, worst);
    free(image);
    free(other);
}
END_TEST

/* A random permutation has one fixed point on average, with variance 1, and H(n) cycles with
 * variance H(n) - pi^2 / 6. */
START_TEST(fixed_points_and_cycles)
{
    enum { SEEDS = 1000 };
    static const int scales[] = {8, 10, 13};
    const int scale = scales[_i];
    const uint64_t n = UINT64_C(1) << scale;
    uint64_t *ids = array(n, 8);
    double fixed = 0, cycles = 0, harmonic = 0, fixed_sigmas, cycle_sigmas;

    for (uint64_t k = 1; k <= n; k++) {
        harmonic += 1.0 / (double)k;
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rmat_gen *gen = create(scale, seed + 5000);

        for (uint64_t x = 0; x < n; x++) {
            ids[x] = x;
        }
        permute(gen, n, ids);
        for (uint64_t x = 0; x < n; x++) {
            fixed += ids[x] == x;
        }
        for (uint64_t x = 0; x < n; x++) {
            uint64_t y = x, next;

            cycles += ids[x] != UINT64_MAX;
            while (ids[y] != UINT64_MAX) {
                next = ids[y];
                ids[y] = UINT64_MAX;
                y = next;
            }
        }
        rmat_destroy(gen);
    }
    fixed_sigmas = (fixed / SEEDS - 1) * sqrt(SEEDS);
    cycle_sigmas = (cycles / SEEDS - harmonic) / sqrt((harmonic - 1.6449340668482264) / SEEDS);
    ck_assert_msg(fabs(fixed_sigmas) < SIGMAS, "scale %d: %.3f fixed points", scale, fixed / SEEDS);
    ck_assert_msg(fabs(cycle_sigmas) < SIGMAS, "scale %d: %.3f cycles for %.3f", scale,
                  cycles / SEEDS, harmonic);
    free(ids);
}
END_TEST

typedef struct {
    double p;        /* of the less likely of the two counts below, corrected for two looks */
    double distance; /* statistical distance of the differences from uniform */
} spread;

/* Random ids and those that lie a step behind: the differences of their images in 64 bins, and the
 * joint octants of their images. */
static spread spread_of(const rmat_gen *gen, int scale, uint64_t step, uint64_t first)
{
    enum { N = 1 << 16, CELLS = 64 };
    const uint64_t mask = (UINT64_C(1) << scale) - 1;
    static uint64_t image[N], other[N];
    uint64_t differences[CELLS] = {0}, octants[CELLS] = {0};
    double even[CELLS];
    spread s = {0};

    for (uint64_t i = 0; i < N; i++) {
        image[i] = random_id(first + i, scale);
        other[i] = (image[i] + step) & mask;
    }
    permute(gen, N, image);
    permute(gen, N, other);
    for (uint64_t i = 0; i < N; i++) {
        differences[((other[i] - image[i]) & mask) >> (scale - 6)]++;
        octants[image[i] >> (scale - 3) << 3 | other[i] >> (scale - 3)]++;
    }
    for (int i = 0; i < CELLS; i++) {
        even[i] = 1.0 / CELLS;
        s.distance += fabs((double)differences[i] / N - even[i]) / 2;
    }
    s.p = fmin(
        1, 2 * fmin(stats_fit(differences, even, CELLS, N), stats_fit(octants, even, CELLS, N)));
    return s;
}

/* From scale 24 on no chi-squared sees a difference; below, and for the two ids that differ in the
 * top bit alone, three rounds leave one, which is bounded.  Evenness itself has a distance of 0.013
 * in samples of this size. */
START_TEST(neighbours)
{
    enum { SEEDS = 8, STEPS = 6 };
    static const int scales[] = {16, 19, 20, 24, 31, 36, 48, 62};
    const int scale = scales[_i];
    const uint64_t steps[STEPS] = {
        1, 2, 3, 64, UINT64_C(1) << (scale / 2), UINT64_C(1) << (scale - 1)};
    double p = 1, distance = 0, top = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rmat_gen *gen = create(scale, seed + 9000);

        for (int k = 0; k < STEPS; k++) {
            spread s = spread_of(gen, scale, steps[k], seed << 16);

            if (k == STEPS - 1) {
                top = fmax(top, s.distance);
            } else {
                distance = fmax(distance, s.distance);
                p = fmin(p, s.p);
            }
        }
        rmat_destroy(gen);
    }
    p = fmin(1, p * SEEDS * (STEPS - 1));
    ck_assert_msg(scale < 24 || p > STATS_ALPHA, "scale %d: p = %g", scale, p);
    ck_assert_msg(distance < (scale < 19 ? 0.06 : 0.03), "scale %d: %.3f from even", scale,
                  distance);
    ck_assert_msg(top < 0.18, "scale %d, top bit: %.3f from even", scale, top);
}
END_TEST

/* The vertices of highest degree are those with the fewest ones: into which 64th do they go? */
START_TEST(hubs)
{
    enum { SEEDS = 64, CELLS = 64 };
    static const struct {
        int scale;
        uint64_t vertices;
    } graphs[] = {{20, 0}, {31, 0}, {42, 0}, {62, 0}, {20, 600000}, {31, 1100000000}};
    const int scale = graphs[_i].scale;
    const uint64_t vertices = graphs[_i].vertices ? graphs[_i].vertices : UINT64_C(1) << scale;
    uint64_t hub[2048], image[2048], all[CELLS] = {0}, n = 0, total = 0;
    double even[CELLS], p;

    for (int i = 0; i < CELLS; i++) {
        even[i] = 1.0 / CELLS;
    }
    hub[n++] = 0;
    for (int i = 0; i < scale; i++) {
        hub[n++] = UINT64_C(1) << i;
        for (int j = 0; j < i; j++) {
            hub[n] = UINT64_C(1) << i | UINT64_C(1) << j;
            n += hub[n] < vertices;
        }
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rmat_gen *gen = create_of(scale, vertices, seed + 300);

        memcpy(image, hub, n * sizeof *hub);
        permute(gen, n, image);
        for (uint64_t k = 0; k < n; k++) {
            all[(int)((double)image[k] / (double)vertices * CELLS)]++;
        }
        total += n;
        rmat_destroy(gen);
    }
    p = stats_fit(all, even, CELLS, total);
    ck_assert_msg(p > STATS_ALPHA, "scale %d: p = %g", scale, p);
}
END_TEST

/*
 * Generated graphs, out- and in-degree added: the correlation of log(1 + degree) with each bit of
 * the id, and with each exclusive or of two bits, is a z score; their squares add up to
 * chi-squared.
 */
START_TEST(bits_do_not_tell_degrees)
{
    enum { SCALE = 13, N = 1 << SCALE, EDGES = 16 * N, SEEDS = 64 };
    uint64_t *src = array(EDGES, 8), *dst = array(EDGES, 8);
    double *value = array(N, sizeof *value), chi2 = 0, worst = 0, p;
    int looks = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rmat_gen *gen = create(SCALE, seed + 100);
        double mean = 0, squares = 0;

        ck_assert_int_eq(rmat_generate(gen, 0, EDGES, src, dst), RMAT_OK);
        memset(value, 0, N * sizeof *value);
        for (int e = 0; e < EDGES; e++) {
            value[src[e]]++;
            value[dst[e]]++;
        }
        for (int v = 0; v < N; v++) {
            value[v] = log1p(value[v]);
            mean += value[v] / N;
        }
        for (int v = 0; v < N; v++) {
            value[v] -= mean;
            squares += value[v] * value[v];
        }
        for (int i = 0; i < SCALE; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = 0, z;

                for (int v = 0; v < N; v++) {
                    int bit = i == j ? v >> i & 1 : (v >> i ^ v >> j) & 1;

                    sum += bit ? value[v] : -value[v];
                }
                z = sum / sqrt(squares * N / (N - 1)); /* drawn without replacement */
                chi2 += z * z;
                worst = fmax(worst, fabs(z));
                looks++;
            }
        }
        rmat_destroy(gen);
    }
    p = stats_chi2_tail(chi2, looks);
    ck_assert_msg(p > STATS_ALPHA && p < 1 - STATS_ALPHA, "chi-squared %.1f for %d", chi2, looks);
    ck_assert_msg(looks * erfc(worst / sqrt(2)) > STATS_ALPHA, "worst z score %.2f", worst);
    free(src);
    free(dst);
    free(value);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rmat_stat_permutation");
    TCase *t = tcase_create("permutation");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, avalanche, 0, 13);
    tcase_add_loop_test(t, fixed_points_and_cycles, 0, 3);
    tcase_add_loop_test(t, neighbours, 0, 8);
    tcase_add_loop_test(t, hubs, 0, 6);
    tcase_add_test(t, bits_do_not_tell_degrees);
    suite_add_tcase(s, t);
    return run_suite(s);
}
