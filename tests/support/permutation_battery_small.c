/* The tests of permutation_battery.h that go through all numbers. */
#include "tests/support/must.h"
#include "tests/support/permutation_battery.h"
#include "tests/support/permutation_battery_impl.h"
#include "tests/support/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void *array(uint64_t n, size_t size)
{
    void *p = calloc(n, size);

    must(p != NULL, "no memory");
    return p;
}

static uint32_t *images_of(const bijection *b)
{
    uint32_t *image = array(UINT64_C(1) << b->bits, sizeof *image);

    for (uint64_t x = 0; x >> b->bits == 0; x++) {
        image[x] = (uint32_t)b->image(b, x);
    }
    return image;
}

/* Of one bijection and one step.  In a random permutation the number of ids with a given difference
 * is nearly Poisson, and so is the number of pairs of ids that share one.  `changed` asks for
 * exclusive ors of the images of x and x ^ step instead. */
static double shared(const uint32_t *image, int bits, uint64_t step, bool changed, uint32_t *seen)
{
    const uint64_t n = UINT64_C(1) << bits, mask = n - 1;
    uint64_t ids = 0, pairs = 0;
    uint32_t most = 0;
    double expected;

    memset(seen, 0, n * sizeof *seen);
    for (uint64_t x = 0; x < n; x++) {
        const uint64_t other = changed ? x ^ step : (x + step) & mask;

        if ((!changed && step != n / 2) || x < other) { /* else x is the other one's other */
            const uint64_t at =
                changed ? image[x] ^ image[other] : (image[other] - image[x]) & mask;

            pairs += seen[at]++;
            most = seen[at] > most ? seen[at] : most;
            ids++;
        }
    }
    expected = (double)ids * (double)(ids - 1) / 2 / (double)(n - 1);
    return 3 * fmin(stats_poisson_tail(most, (double)ids / (double)(n - 1)) * (double)n,
                    2 * stats_poisson_tail(pairs, expected));
}

double battery_differences(bijection_family family, int bits)
{
    enum { SEEDS = 2 };
    uint64_t steps[BATTERY_STEPS];
    const int count = battery_steps(bits, steps);
    uint32_t *seen = array(UINT64_C(1) << bits, sizeof *seen);
    int looks = 0;
    double p = 1;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bijection b = family(bits, seed + 50);
        uint32_t *image = images_of(&b);

        for (int i = 0; i < count; i++) {
            /* of the powers of two the lowest, one in the middle and the highest ones will do */
            if (i == 0 || i == bits / 3 || i == bits / 2 || i >= bits - 3) {
                p = fmin(p, shared(image, bits, steps[i], false, seen));
                p = fmin(p, shared(image, bits, steps[i], true, seen));
                looks += 2;
            }
        }
        free(image);
        bijection_free(&b);
    }
    free(seen);
    return p * looks;
}

/* With all margins fixed, the sum of (seen - expected)^2 / expected has 49 * n / (n - 1) as its
 * mean. */
double battery_parts(bijection_family family, int bits)
{
    const int seeds = bits < 12 ? 1000 : 100;
    const double n = ldexp(1, bits), expected = n / 64;
    double chi2[2] = {0}, p = 1;

    for (int seed = 0; seed < seeds; seed++) {
        bijection b = family(bits, (uint64_t)seed + 600);
        uint32_t seen[2][64] = {{0}};

        for (uint64_t x = 0; x >> bits == 0; x++) {
            const uint64_t from = x >> (bits - 3) << 3, image = b.image(&b, x);

            seen[0][from | image >> (bits - 3)]++;
            seen[1][from | image % 8]++;
        }
        for (int i = 0; i < 2 * 64; i++) {
            const double off = seen[i / 64][i % 64] - expected;

            chi2[i / 64] += off * off / expected * (n - 1) / n;
        }
        bijection_free(&b);
    }
    for (int k = 0; k < 2; k++) {
        const double tail = stats_chi2_tail(chi2[k], 49.0 * seeds);

        p = fmin(p, fmin(tail, 1 - tail));
    }
    return 4 * p;
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

/* Tables of single keys deviate too much in one direction or the other, which a sum of their
 * statistics would hide; so their squared deviations are added. */
double battery_low_bits(bijection_family family, int bits)
{
    enum { SEEDS = 20 };
    const uint64_t n = UINT64_C(1) << bits, mask = n - 1;
    double squares[LOW_TABLES] = {0}, p = 1;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        static uint32_t seen[LOW_TABLES][LOW_CELLS];
        bijection b = family(bits, seed + 3000);
        uint32_t *image = images_of(&b);

        memset(seen, 0, sizeof seen);
        for (uint64_t x = 0; x < n; x++) {
            const uint32_t low = image[x] % 64;

            seen[0][x % 64 << 6 | low]++;
            seen[1][x >> (bits - 6) << 6 | low]++;
            seen[2][image[(x + n / 4) & mask] % 64 << 6 | low]++;
        }
        for (int k = 0; k < LOW_TABLES; k++) {
            squares[k] += pow(table_deviation(seen[k], (double)n), 2);
        }
        free(image);
        bijection_free(&b);
    }
    for (int k = 0; k < LOW_TABLES; k++) {
        p = fmin(p, stats_chi2_tail(squares[k], SEEDS));
    }
    return LOW_TABLES * p;
}

/* A random permutation has one fixed point on average, with variance 1, and H(n) cycles with
 * variance H(n) - pi^2 / 6. */
double battery_cycles(bijection_family family, int bits)
{
    const int seeds = bits < 11 ? 2000 : 500;
    double fixed = 0, cycles = 0, harmonic = 0, variance = 0;

    for (int seed = 0; seed < seeds; seed++) {
        bijection b = family(bits, (uint64_t)seed + 5000);
        uint32_t *image = images_of(&b);

        for (uint64_t x = 0; x >> bits == 0; x++) {
            fixed += image[x] == x;
        }
        for (uint64_t x = 0; x >> bits == 0; x++) {
            uint64_t y = x;

            cycles += image[x] != UINT32_MAX;
            while (image[y] != UINT32_MAX) {
                const uint64_t next = image[y];

                image[y] = UINT32_MAX;
                y = next;
            }
        }
        free(image);
        bijection_free(&b);
    }
    for (uint64_t k = 1; k <= UINT64_C(1) << bits; k++) {
        harmonic += 1.0 / (double)k;
        variance += 1.0 / (double)k - 1.0 / (double)k / (double)k;
    }
    return 2 * fmin(erfc(fabs(fixed / seeds - 1) * sqrt(seeds / 2.0)),
                    erfc(fabs(cycles / seeds - harmonic) * sqrt(seeds / 2.0 / variance)));
}

double battery_pairs(bijection_family family, int bits)
{
    enum { SEEDS = 30000 };
    const uint64_t n = UINT64_C(1) << bits;
    uint64_t *seen = array(n * n * n * n, sizeof *seen);
    double probability[1 << 10], p = 1;

    for (uint64_t i = 0; i < n * n; i++) {
        probability[i] = i / n == i % n ? 0 : 1.0 / ((double)n * (double)(n - 1));
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bijection b = family(bits, seed + 70000);
        uint32_t *image = images_of(&b);

        for (uint64_t i = 0; i < n * n; i++) {
            seen[i * n * n + image[i / n] * n + image[i % n]]++;
        }
        free(image);
        bijection_free(&b);
    }
    for (uint64_t i = 0; i < n * n; i++) {
        if (i / n < i % n) {
            p = fmin(p, stats_fit(seen + i * n * n, probability, n * n, SEEDS));
        }
    }
    free(seen);
    return p * (double)(n * (n - 1) / 2);
}
