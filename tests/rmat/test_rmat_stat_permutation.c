/*
 * The permutation, statistically: cycles; and the images of hubs, also in graphs with fewer than
 * 2^scale vertices.  With RMAT_TEST_LARGE, also a battery of tests of keyed bijections of
 * [0, 2^bits): the library's and random ones pass it, and bad ones fail it at every size.  Fixed
 * seeds; each chi-squared test rejects one good permutation in 10^6 (STATS_ALPHA).
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

/* Random number i of a stream. */
static uint64_t random_word(uint64_t seed, uint64_t i, uint32_t stream)
{
    const philox_block block = philox_at(seed, i, stream, 77);

    return (uint64_t)block.v[1] << 32 | block.v[0];
}

/* --- Bijections --- */

typedef enum {
    BIJECTION_LIBRARY,    /* the library's permutation */
    BIJECTION_TWO_ROUNDS, /* the library's first two rounds */
    BIJECTION_THREE_ROUNDS,
    BIJECTION_RANDOM, /* Fisher and Yates; up to 24 bits */
    BIJECTION_AFFINE  /* x * odd key + key */
} bijection_family;

typedef struct {
    bijection_family family;
    int bits;
    uint64_t key[2];
    rmat_permutation permutation;
} bijection;

enum { MOST_IMAGES = 1 << 20 };

static uint32_t table[MOST_IMAGES]; /* of the random one made last */

/* As the library makes it of the seed, without the rest of a generator. */
static rmat_permutation permutation_of(int bits, uint64_t seed)
{
    rmat_gen gen = {.config = {.rows_scale = bits, .cols_scale = bits, .seed = seed}};

    rmat_set_transform(&gen);
    return gen.view.permutation[RMAT_ROWS];
}

static bijection bijection_of(bijection_family family, int bits, uint64_t seed)
{
    bijection b = {.family = family, .bits = bits, .permutation = permutation_of(bits, seed)};

    b.key[0] = random_word(seed, 0, UINT32_MAX);
    b.key[1] = random_word(seed, 1, UINT32_MAX);
    for (uint64_t i = 0; family == BIJECTION_RANDOM && i >> bits == 0; i++) {
        const uint64_t other = (random_word(seed, i, UINT32_MAX) >> 32) * (i + 1) >> 32;

        table[i] = table[other];
        table[other] = (uint32_t)i;
    }
    return b;
}

static uint64_t some_rounds(const bijection *b, int rounds, uint64_t x, uint64_t mask)
{
    const rmat_permutation *p = &b->permutation;

    for (int r = 0; r < rounds; r++) {
        x = r == 0 ? x : rmat_permute_reverse(x, b->bits);
        x = (x * (2 * (uint32_t)x + p->b[r]) + p->k[r]) & mask;
    }
    return x;
}

static uint64_t bijection_image(const bijection *b, uint64_t x)
{
    const uint64_t mask = (UINT64_C(1) << b->bits) - 1;

    switch (b->family) {
    case BIJECTION_TWO_ROUNDS:
        return some_rounds(b, 2, x, mask);
    case BIJECTION_THREE_ROUNDS:
        return some_rounds(b, 3, x, mask);
    case BIJECTION_RANDOM:
        return table[x];
    case BIJECTION_AFFINE:
        return (x * (b->key[0] | 1) + b->key[1]) & mask;
    default:
        return rmat_permute_vertex(&b->permutation, x);
    }
}

/* --- The battery ---
 *
 * Each test returns a p-value, corrected for all of its comparisons: a family of random
 * permutations gets less than p with a probability of at most about p.
 */

enum { CELLS = 64 };

static uint64_t random_number(uint64_t stream, uint64_t i, int bits)
{
    return random_word(2026, i, (uint32_t)stream) >> (64 - bits);
}

enum { STEPS = 62 + 4 };

/* The distances of the ids whose images are compared; returns how many. */
static int make_steps(int bits, uint64_t steps[STEPS])
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    int n = 0;

    for (int i = 0; i < bits; i++) {
        steps[n++] = UINT64_C(1) << i;
    }
    steps[n++] = 3;
    steps[n++] = top | top >> 1;
    steps[n++] = top | UINT64_C(1) << bits / 2;
    steps[n++] = top | UINT64_C(1) << (bits / 2 - 1);
    return n;
}

/* Whether a change of bit i of x changes bit j of its image, for all i and j: half of the time. */
static double avalanche(bijection_family family, int bits)
{
    const int seeds = bits < 12 ? 8000 : 1500, ids = bits < 12 ? 1 : 4; /* independent ones */
    const double n = seeds * ids, p = 0.5 / (1 - ldexp(1, -bits));      /* no image is unchanged */
    static uint32_t changed[64][64];
    double chi2 = 0, worst = 0;

    memset(changed, 0, sizeof changed);
    for (int seed = 0; seed < seeds; seed++) {
        const bijection b = bijection_of(family, bits, (uint64_t)seed);

        for (int k = 0; k < ids; k++) {
            const uint64_t x = random_number(1, (uint64_t)(seed * ids + k), bits);
            const uint64_t image = bijection_image(&b, x);

            for (int i = 0; i < bits; i++) {
                const uint64_t other = image ^ bijection_image(&b, x ^ UINT64_C(1) << i);

                for (int j = 0; j < bits; j++) {
                    changed[i][j] += other >> j & 1;
                }
            }
        }
    }
    for (int i = 0; i < bits; i++) {
        for (int j = 0; j < bits; j++) {
            const double z = (changed[i][j] - n * p) / sqrt(n * p * (1 - p));

            chi2 += z * z;
            worst = fmax(worst, fabs(z));
        }
    }
    return 2 * fmin(stats_chi2_tail(chi2, bits * bits), bits * bits * erfc(worst / sqrt(2)));
}

/* Of one bijection and one step: six looks at n random ids and those a step behind. */
static double neighbors_of(const bijection *b, uint64_t step, uint64_t stream, int n)
{
    const uint64_t mask = (UINT64_C(1) << b->bits) - 1;
    const int top = b->bits - 6, octant = b->bits - 3;
    uint64_t seen[6][CELLS] = {{0}};
    double p = 1;

    for (int i = 0; i < n; i++) {
        const uint64_t x = random_number(stream, (uint64_t)i, b->bits);
        const uint64_t image = bijection_image(b, x), other = bijection_image(b, (x + step) & mask);
        const uint64_t difference = (other - image) & mask, changed = other ^ image;

        seen[0][difference >> top]++;
        seen[1][changed >> top]++;
        seen[2][image >> octant << 3 | other >> octant]++;
        seen[3][difference % CELLS]++;
        seen[4][changed % CELLS]++;
        seen[5][image % 8 << 3 | other % 8]++;
    }
    for (int k = 0; k < 6; k++) {
        p = fmin(p, stats_fit(seen[k], NULL, CELLS, (uint64_t)n));
    }
    return 6 * p;
}

/* The images of random x and x + d, for d = 1, 3, all powers of two, 3/4 of 2^bits and two more:
 * their difference, their exclusive or, and the pair of them, in the upper bits and in the lower
 * ones.  12 bits or more. */
static double neighbors(bijection_family family, int bits)
{
    enum { SEEDS = 2 };
    const int n = bits < 20 ? 1 << (bits - 4) : 1 << 15; /* rarely the same pair twice */
    uint64_t steps[STEPS];
    const int count = make_steps(bits, steps);
    double p = 1;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const bijection b = bijection_of(family, bits, seed + 9000);

        for (int i = 0; i < count; i++) {
            p = fmin(p, neighbors_of(&b, steps[i], seed * STEPS + (uint64_t)i + 100, n));
        }
    }
    return p * SEEDS * count;
}

/* The images of 0 and of all powers of two, two at a time, over many keys.  6 bits or more. */
static double battery_hubs(bijection_family family, int bits)
{
    const int seeds = 4000, ids = bits + 1, top = bits - 6, octant = bits - 3;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    static uint64_t seen[3][63 * 63][CELLS];
    double worst = 1;

    memset(seen, 0, sizeof seen);
    for (int seed = 0; seed < seeds; seed++) {
        const bijection b = bijection_of(family, bits, (uint64_t)seed + 4000);
        uint64_t image[63];

        for (int i = 0; i < ids; i++) {
            image[i] = bijection_image(&b, i > 0 ? UINT64_C(1) << (i - 1) : 0);
        }
        for (int i = 0; i < ids; i++) {
            for (int j = 0; j < i; j++) {
                uint64_t(*at)[CELLS] = &seen[0][i * 63 + j];

                at[0][image[i] >> octant << 3 | image[j] >> octant]++;
                at[63 * 63][((image[i] - image[j]) & mask) >> top]++;
                at[2 * 63 * 63][image[i] % 8 << 3 | image[j] % 8]++;
            }
        }
    }
    for (int i = 0; i < ids; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < 3; k++) {
                worst = fmin(worst, stats_fit(seen[k][i * 63 + j], NULL, CELLS, (uint64_t)seeds));
            }
        }
    }
    return worst * 3 * ids * (ids - 1) / 2;
}

/* --- Those that go through all numbers --- */

static uint32_t images[MOST_IMAGES]; /* of every number, by the bijection taken last */

static void take_images(bijection b)
{
    for (uint64_t x = 0; x >> b.bits == 0; x++) {
        images[x] = (uint32_t)bijection_image(&b, x);
    }
}

enum { LOW_TABLES = 3, LOW_CELLS = 64 * 64 };

/* Standard deviations between the chi-squared statistic of a table of two times 64 values and its
 * mean, for n ids whose rows and columns all have the same sums. */
static double table_deviation(const uint32_t *seen, double n)
{
    const double expected = n / LOW_CELLS, freedom = 63 * 63;
    double chi2 = 0;

    for (int i = 0; i < LOW_CELLS; i++) {
        chi2 += (seen[i] - expected) * (seen[i] - expected) / expected;
    }
    return (chi2 * (n - 1) / n - freedom) / sqrt(2 * freedom);
}

/* The lowest 6 bits of the images of all ids, compared with the lowest and the highest 6 bits of
 * the ids, and with the lowest bits of the images a quarter of all ids away; 12 to 22 bits.  Tables
 * of single keys deviate too much in one direction or the other, which a sum of their statistics
 * would hide; so their squared deviations are added. */
static double battery_low_bits(bijection_family family, int bits)
{
    enum { SEEDS = 20 };
    const uint64_t n = UINT64_C(1) << bits, mask = n - 1;
    double squares[LOW_TABLES] = {0}, p = 1;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        static uint32_t seen[LOW_TABLES][LOW_CELLS];

        take_images(bijection_of(family, bits, seed + 3000));
        memset(seen, 0, sizeof seen);
        for (uint64_t x = 0; x < n; x++) {
            const uint32_t low = images[x] % 64;

            seen[0][x % 64 << 6 | low]++;
            seen[1][x >> (bits - 6) << 6 | low]++;
            seen[2][images[(x + n / 4) & mask] % 64 << 6 | low]++;
        }
        for (int k = 0; k < LOW_TABLES; k++) {
            squares[k] += pow(table_deviation(seen[k], (double)n), 2);
        }
    }
    for (int k = 0; k < LOW_TABLES; k++) {
        p = fmin(p, stats_chi2_tail(squares[k], SEEDS));
    }
    return LOW_TABLES * p;
}

/* The number of ids that are their own images, and the number of cycles; up to 16 bits.  A random
 * permutation has one fixed point on average, with variance 1, and H(n) cycles with variance
 * H(n) - pi^2 / 6. */
static double battery_cycles(bijection_family family, int bits)
{
    const int seeds = bits < 11 ? 2000 : 500;
    double fixed = 0, cycles = 0, harmonic = 0, variance = 0;

    for (int seed = 0; seed < seeds; seed++) {
        take_images(bijection_of(family, bits, (uint64_t)seed + 5000));
        for (uint64_t x = 0; x >> bits == 0; x++) {
            fixed += images[x] == x;
        }
        for (uint64_t x = 0; x >> bits == 0; x++) {
            uint64_t y = x;

            cycles += images[x] != UINT32_MAX;
            while (images[y] != UINT32_MAX) {
                const uint64_t next = images[y];

                images[y] = UINT32_MAX;
                y = next;
            }
        }
    }
    for (uint64_t k = 1; k <= UINT64_C(1) << bits; k++) {
        harmonic += 1.0 / (double)k;
        variance += 1.0 / (double)k - 1.0 / (double)k / (double)k;
    }
    return 2 * fmin(erfc(fabs(fixed / seeds - 1) * sqrt(seeds / 2.0)),
                    erfc(fabs(cycles / seeds - harmonic) * sqrt(seeds / 2.0 / variance)));
}

/* The images of every two ids over many keys: every two images equally often.  1 to 5 bits. */
static double pairs(bijection_family family, int bits)
{
    enum { SEEDS = 30000 };
    const uint64_t n = UINT64_C(1) << bits;
    scoped(free) uint64_t *seen = must_alloc(n * n * n * n, sizeof *seen);
    double probability[1 << 10], p = 1;

    for (uint64_t i = 0; i < n * n; i++) {
        probability[i] = i / n == i % n ? 0 : 1.0 / ((double)n * (double)(n - 1));
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        take_images(bijection_of(family, bits, seed + 70000));
        for (uint64_t i = 0; i < n * n; i++) {
            seen[i * n * n + images[i / n] * n + images[i % n]]++;
        }
    }
    for (uint64_t i = 0; i < n * n; i++) {
        if (i / n < i % n) {
            p = fmin(p, stats_fit(seen + i * n * n, probability, n * n, SEEDS));
        }
    }
    return p * (double)(n * (n - 1) / 2);
}

/* The smallest p-value of all tests of one family for these bits, times their number. *worst
 * becomes the name of that test.  A p-value below 10^-30 ends the search. */
static double battery_all(bijection_family family, int bits, const char **worst)
{
    static const struct {
        const char *name;
        double (*test)(bijection_family family, int bits);
        int from, to; /* bits */
    } tests[] = {
        {"pairs", pairs, 1, 5},
        {"avalanche", avalanche, 3, 62},
        {"cycles", battery_cycles, 3, 12},
        {"neighbors", neighbors, 12, 62},
        {"low bits", battery_low_bits, 12, 20},
        {"hubs", battery_hubs, 12, 62},
    };
    double least = 1;
    int n = 0;

    for (size_t i = 0; i < sizeof tests / sizeof tests[0] && least > 1e-30; i++) {
        if (tests[i].from <= bits && bits <= tests[i].to) {
            const double p = tests[i].test(family, bits);

            n++;
            *worst = n == 1 || p < least ? tests[i].name : *worst;
            least = fmin(least, p);
        }
    }
    return least * n;
}

/* --- The tests --- */

/* Fixed points and cycles are as many as random permutations have. */
START_TEST(cycles)
{
    static const int sizes[] = {8, 10, 12};

    ck_assert_double_gt(battery_cycles(BIJECTION_LIBRARY, sizes[_i]), STATS_ALPHA);
}

/* The vertices of highest degree are those with the fewest ones: into which 64th do they go? */
START_TEST(hubs)
{
    enum { SEEDS = 64 };
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
        const rmat_config c = model_of((rmat_config){
            SQUARE(scale), .rows = vertices, .cols = vertices, .permute = 1, .seed = seed + 300});
        scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);

        memcpy(image, hub, n * sizeof *hub);
        ok(rmat_permute(gen, RMAT_ROWS, n, image));
        for (uint64_t k = 0; k < n; k++) {
            all[(int)((double)image[k] / (double)vertices * CELLS)]++;
        }
        total += n;
    }
    p = stats_fit(all, NULL, CELLS, total);
    ck_assert_msg(p > STATS_ALPHA, "scale %d: p = %g", scale, p);
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
    assert_passes(BIJECTION_LIBRARY, sizes[_i]);
}

/* Larger tables would take too long. */
START_TEST(random_ones_pass)
{
    assert_passes(BIJECTION_RANDOM, _i);
}

static const struct {
    const char *name;
    bijection_family family;
} bad[] = {{"affine", BIJECTION_AFFINE}, {"two rounds", BIJECTION_TWO_ROUNDS}};

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
START_TEST(three_rounds_fail)
{
    const double p = battery_low_bits(BIJECTION_THREE_ROUNDS, 12 + _i);

    ck_assert_msg(p < STATS_ALPHA, "%d bits: passes, p = %g", 12 + _i, p);
}

TEST_CASES(rmat_stat_permutation, 60, LOOP(cycles, 0, 3), LOOP(hubs, 0, 6),
           LOOP(battery, 0, SIZES *STAT_LARGE), LOOP(random_ones_pass, 1, 14 * STAT_LARGE),
           LOOP(bad_ones_fail, 0, BAD *BAD_SIZES *STAT_LARGE),
           LOOP(three_rounds_fail, 0, 9 * STAT_LARGE))
