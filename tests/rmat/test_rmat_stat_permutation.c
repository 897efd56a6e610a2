/*
 * The permutation, statistically, through the library's interface: fixed points, cycles, and the
 * images of hubs, also of graphs with fewer than 2^scale vertices; and no bit of a permuted id
 * reveals the degree.  test_rmat_stat_permutation_battery.c has stricter tests for 2^scale
 * vertices.  Fixed seeds; each chi-squared test rejects one good permutation in 10^6 (STATS_ALPHA),
 * each bound in standard deviations one in 10^6.
 */
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

TEST_CASES(rmat_stat_permutation, 60, LOOP(fixed_points_and_cycles, 0, 3), LOOP(hubs, 0, 6),
           ONCE(bits_do_not_tell_degrees))
