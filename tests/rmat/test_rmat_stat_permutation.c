/*
 * The permutation, statistically: cycles; the images of hubs, also in graphs with fewer than
 * 2^scale vertices; and no bit of a permuted id reveals the degree.  With RMAT_TEST_LARGE, also all
 * tests of permutation_battery.h on the library's bijections, and a test of the battery: it passes
 * random permutations, and rejects bad ones at every size.  Fixed seeds; each chi-squared test
 * rejects one good permutation in 10^6 (STATS_ALPHA), each bound in standard deviations one in
 * 10^6.
 */
#include "tests/support/alias_util.h"
#include "tests/support/permutation_battery.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define SIGMAS 5.0

/* vertices 0: 2^scale */
static rmat_gen *create_of(int scale, uint64_t vertices, uint64_t seed)
{
    rmat_config c = square_model(scale);

    c.rows = c.cols = vertices;
    c.permute = 1;
    c.seed = seed;
    return create_gen(&c);
}

static void permute(const rmat_gen *gen, uint64_t n, uint64_t *ids)
{
    ok(rmat_permute(gen, RMAT_ROWS, n, ids));
}

/* The bijections of the battery are the library's permutations. */
START_TEST(same_as_the_library)
{
    const int bits = _i;
    enum { IDS = 8 };
    rmat_config c = square_model(1);
    rmat_gen *gen;

    c.permute = 1;
    for (int side = RMAT_ROWS; side <= RMAT_COLS; side++) {
        c.rows_scale = side == RMAT_ROWS ? bits : 1;
        c.cols_scale = side == RMAT_ROWS ? 1 : bits;
        c.rows = side == RMAT_ROWS ? 0 : 1; /* not as many as columns */
        for (c.seed = 0; c.seed < 4; c.seed++) {
            scoped(bijection_free) bijection b =
                bijection_create(side == RMAT_ROWS ? BIJECTION_ROWS : BIJECTION_COLS, bits, c.seed);
            uint64_t ids[IDS], images[IDS];

            gen = create_gen(&c);
            for (uint64_t i = 0; i < IDS; i++) {
                ids[i] = images[i] = (i * UINT64_C(0x9E3779B97F4A7C15)) % (UINT64_C(1) << bits);
            }
            ok(rmat_permute(gen, (rmat_side)side, IDS, images));
            for (int i = 0; i < IDS; i++) {
                ck_assert_uint_eq(bijection_image(&b, ids[i]), images[i]);
            }
            rmat_destroy(gen);
        }
    }
}

/* Fixed points and cycles are as many as random permutations have. */
START_TEST(cycles)
{
    static const int sizes[] = {8, 10, 12};

    ck_assert_double_gt(battery_cycles(BIJECTION_ROWS, sizes[_i]), STATS_ALPHA);
}

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
    double p;

    hub[n++] = 0;
    for (int i = 0; i < scale; i++) {
        hub[n++] = UINT64_C(1) << i;
        for (int j = 0; j < i; j++) {
            hub[n] = UINT64_C(1) << i | UINT64_C(1) << j;
            n += hub[n] < vertices;
        }
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        scoped(rmat_destroy) rmat_gen *gen = create_of(scale, vertices, seed + 300);

        memcpy(image, hub, n * sizeof *hub);
        permute(gen, n, image);
        for (uint64_t k = 0; k < n; k++) {
            all[(int)((double)image[k] / (double)vertices * CELLS)]++;
        }
        total += n;
    }
    p = stats_fit(all, NULL, CELLS, total);
    ck_assert_msg(p > STATS_ALPHA, "scale %d: p = %g", scale, p);
}

/*
 * Generated graphs, out- and in-degree added: the correlation of log(1 + degree) with each bit of
 * the id, and with each exclusive or of two bits, is a z score; their squares add up to
 * chi-squared.
 */
START_TEST(bits_do_not_tell_degrees)
{
    enum { SCALE = 13, N = 1 << SCALE, EDGES = 16 * N, SEEDS = 64 };
    scoped(free) uint64_t *src = must_alloc(EDGES, 8), *dst = must_alloc(EDGES, 8);
    scoped(free) double *value = must_alloc(N, sizeof *value);
    double chi2 = 0, worst = 0, p;
    int looks = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        scoped(rmat_destroy) rmat_gen *gen = create_of(SCALE, 0, seed + 100);
        double mean = 0, squares = 0;

        ok(rmat_generate(gen, 0, EDGES, src, dst));
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
    }
    p = stats_chi2_tail(chi2, looks);
    ck_assert_msg(p > STATS_ALPHA && p < 1 - STATS_ALPHA, "chi-squared %.1f for %d", chi2, looks);
    ck_assert_msg(looks * erfc(worst / sqrt(2)) > STATS_ALPHA, "worst z score %.2f", worst);
}

/* --- The battery, with RMAT_TEST_LARGE: for 1 to 62 bits --- */

static void assert_passes(bijection_family family, int bits)
{
    const char *worst = "";
    const double p = battery_all(family, bits, &worst);

    ck_assert_msg(p > STATS_ALPHA, "%d bits: %s has p = %g", bits, worst, p);
}

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                            18, 19, 20, 24, 26, 30, 31, 32, 33, 34, 35, 36, 40, 48, 55, 62};

enum { SIZES = COUNT(sizes) };

START_TEST(battery)
{
    assert_passes(BIJECTION_ROWS, sizes[_i]);
}

START_TEST(sides)
{
    const double p = battery_sides(BIJECTION_ROWS, BIJECTION_COLS, sizes[_i]);

    ck_assert_msg(p > STATS_ALPHA, "%d bits: p = %g", sizes[_i], p);
}

/* Larger tables would take too long. */
START_TEST(random_ones_pass)
{
    assert_passes(BIJECTION_RANDOM, _i);
}

static const struct {
    const char *name;
    bijection_family family;
    int from; /* bits; of version 1 and two rounds the pairs of fewer ids are nearly even */
} bad[] = {{"version 1", BIJECTION_VERSION_1, 2},
           {"identity", BIJECTION_IDENTITY, 1},
           {"exclusive or", BIJECTION_XOR, 2},
           {"affine", BIJECTION_AFFINE, 2},
           {"two rounds", BIJECTION_TWO_ROUNDS, 2}};

static const int bad_sizes[] = {3, 4, 5, 6, 8, 10, 12, 14, 18, 20, 24, 31, 32, 33, 36, 48, 62};

enum { BAD = COUNT(bad), BAD_SIZES = COUNT(bad_sizes) };

START_TEST(bad_ones_fail)
{
    const int bits = bad_sizes[_i / BAD];
    const char *worst = "";
    const double p = battery_all(bad[_i % BAD].family, bits, &worst);

    ck_assert_msg(p < STATS_ALPHA, "%s, %d bits: passes, p = %g", bad[_i % BAD].name, bits, p);
}

/* What the fourth round is for. */
START_TEST(version_2_fails)
{
    const double p = battery_low_bits(BIJECTION_VERSION_2, 12 + _i);

    ck_assert_msg(p < STATS_ALPHA, "%d bits: passes, p = %g", 12 + _i, p);
}

/* One family against itself is as good as one key for both sides. */
START_TEST(equal_sides_fail)
{
    ck_assert_double_lt(battery_sides(BIJECTION_ROWS, BIJECTION_ROWS, 20), STATS_ALPHA);
}

TEST_MAIN(rmat_stat_permutation)
{
    const int large = stat_size(1, 2) > 1;
    const test_case cases[] = {LOOP(same_as_the_library, 1, 63),
                               LOOP(cycles, 0, 3),
                               LOOP(hubs, 0, 6),
                               ONCE(bits_do_not_tell_degrees),
                               LOOP(battery, 0, large * SIZES),
                               LOOP(sides, 2, large * SIZES),
                               LOOP(random_ones_pass, 1, large * 14),
                               LOOP(bad_ones_fail, 0, large * BAD * BAD_SIZES),
                               LOOP(version_2_fails, 0, large * 9),
                               LOOP(equal_sides_fail, 0, large)};

    return run_cases("rmat_stat_permutation", 60, cases, COUNT(cases));
}
