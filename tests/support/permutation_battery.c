/* The tests of permutation_battery.h for numbers of any size. */
#include "tests/support/permutation_battery.h"
#include "tests/support/permutation_battery_impl.h"
#include "tests/support/stats.h"

#include <math.h>
#include <string.h>

enum { CELLS = 64 };

uint64_t battery_random(uint64_t stream, uint64_t i, int bits)
{
    const philox_block block = philox_at(2026, i, (uint32_t)stream, 77);

    return ((uint64_t)block.v[1] << 32 | block.v[0]) >> (64 - bits);
}

int battery_steps(int bits, uint64_t steps[BATTERY_STEPS])
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

/* p-value of counts that should be even. */
static double even(const uint64_t *seen, uint64_t n)
{
    double probability[CELLS];

    for (int i = 0; i < CELLS; i++) {
        probability[i] = 1.0 / CELLS;
    }
    return stats_fit(seen, probability, CELLS, n);
}

double battery_avalanche(bijection_family family, int bits)
{
    const int seeds = bits < 12 ? 8000 : 1500, ids = bits < 12 ? 1 : 4; /* independent ones */
    const double n = seeds * ids, p = 0.5 / (1 - ldexp(1, -bits));      /* no image is unchanged */
    static uint32_t changed[64][64];
    double chi2 = 0, worst = 0;

    memset(changed, 0, sizeof changed);
    for (int seed = 0; seed < seeds; seed++) {
        bijection b = family(bits, (uint64_t)seed);

        for (int k = 0; k < ids; k++) {
            const uint64_t x = battery_random(1, (uint64_t)(seed * ids + k), bits);
            const uint64_t image = b.image(&b, x);

            for (int i = 0; i < bits; i++) {
                const uint64_t other = image ^ b.image(&b, x ^ UINT64_C(1) << i);

                for (int j = 0; j < bits; j++) {
                    changed[i][j] += other >> j & 1;
                }
            }
        }
        bijection_free(&b);
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
static double neighbours_of(const bijection *b, uint64_t step, uint64_t stream, int n)
{
    const uint64_t mask = (UINT64_C(1) << b->bits) - 1;
    const int top = b->bits - 6, octant = b->bits - 3;
    uint64_t seen[6][CELLS] = {{0}};
    double p = 1;

    for (int i = 0; i < n; i++) {
        const uint64_t x = battery_random(stream, (uint64_t)i, b->bits);
        const uint64_t image = b->image(b, x), other = b->image(b, (x + step) & mask);
        const uint64_t difference = (other - image) & mask, changed = other ^ image;

        seen[0][difference >> top]++;
        seen[1][changed >> top]++;
        seen[2][image >> octant << 3 | other >> octant]++;
        seen[3][difference % CELLS]++;
        seen[4][changed % CELLS]++;
        seen[5][image % 8 << 3 | other % 8]++;
    }
    for (int k = 0; k < 6; k++) {
        p = fmin(p, even(seen[k], (uint64_t)n));
    }
    return 6 * p;
}

double battery_neighbours(bijection_family family, int bits)
{
    enum { SEEDS = 2 };
    const int n = bits < 20 ? 1 << (bits - 4) : 1 << 15; /* rarely the same pair twice */
    uint64_t steps[BATTERY_STEPS];
    const int count = battery_steps(bits, steps);
    double p = 1;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bijection b = family(bits, seed + 9000);

        for (int i = 0; i < count; i++) {
            p = fmin(p, neighbours_of(&b, steps[i], seed * BATTERY_STEPS + (uint64_t)i + 100, n));
        }
        bijection_free(&b);
    }
    return p * SEEDS * count;
}

double battery_hubs(bijection_family family, int bits)
{
    const int seeds = 4000, hubs = bits + 1, top = bits - 6, octant = bits - 3;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    static uint64_t seen[3][63 * 63][CELLS];
    double worst = 1;

    memset(seen, 0, sizeof seen);
    for (int seed = 0; seed < seeds; seed++) {
        bijection b = family(bits, (uint64_t)seed + 4000);
        uint64_t image[63];

        for (int i = 0; i < hubs; i++) {
            image[i] = b.image(&b, i > 0 ? UINT64_C(1) << (i - 1) : 0);
        }
        for (int i = 0; i < hubs; i++) {
            for (int j = 0; j < i; j++) {
                uint64_t(*at)[CELLS] = &seen[0][i * 63 + j];

                at[0][image[i] >> octant << 3 | image[j] >> octant]++;
                at[63 * 63][((image[i] - image[j]) & mask) >> top]++;
                at[2 * 63 * 63][image[i] % 8 << 3 | image[j] % 8]++;
            }
        }
        bijection_free(&b);
    }
    for (int i = 0; i < hubs; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < 3; k++) {
                worst = fmin(worst, even(seen[k][i * 63 + j], (uint64_t)seeds));
            }
        }
    }
    return worst * 3 * hubs * (hubs - 1) / 2;
}

double battery_sides(bijection_family rows, bijection_family cols, int bits)
{
    const int seeds = bits < 12 ? 400 : 20, ids = bits < 12 ? 1 : 256;
    uint64_t seen[CELLS] = {0};

    for (int seed = 0; seed < seeds; seed++) {
        bijection a = rows(bits, (uint64_t)seed + 800), b = cols(bits, (uint64_t)seed + 800);

        for (int i = 0; i < ids; i++) {
            const uint64_t x = battery_random(2, (uint64_t)(seed * ids + i), bits);

            seen[a.image(&a, x) >> (bits - 3) << 3 | b.image(&b, x) >> (bits - 3)]++;
        }
        bijection_free(&a);
        bijection_free(&b);
    }
    return even(seen, (uint64_t)(seeds * ids));
}

double battery_all(bijection_family family, int bits, const char **worst)
{
    static const struct {
        const char *name;
        double (*test)(bijection_family family, int bits);
        int from, to; /* bits */
    } tests[] = {
        {"pairs", battery_pairs, 1, 5},
        {"avalanche", battery_avalanche, 3, 62},
        {"cycles", battery_cycles, 3, 12},
        {"parts", battery_parts, 6, 16},
        {"neighbours", battery_neighbours, 12, 62},
        {"differences", battery_differences, 10, 20},
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
