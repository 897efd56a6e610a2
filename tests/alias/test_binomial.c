/*
 * Binomial variates: their distribution from n = 0 to n = 2^63, and the bounds in
 * alias/core/binomial.h that make them exact.
 */
#include "alias/core/binomial.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

enum { DRAWS = SANITIZED ? 40000 : 400000, MOST = 2000 };

typedef struct {
    uint64_t n, num, den;
} law;

__extension__ typedef unsigned __int128 u128;

/* Both sides of the change from inversion to rejection (variance 64) and of the squeeze (4096). */
static const law small[] = {{1, 1, 2},
                            {2, 1, 2},
                            {3, 1, 3},
                            {10, 7, 10},
                            {50, 1, 1000},
                            {200, 1, 2},
                            {255, 1, 2},
                            {256, 1, 2},
                            {257, 1, 2},
                            {258, 129, 2 * 129},
                            {1000, 1, 10},
                            {1000, 9, 10},
                            {400, 1, 4},
                            {1900, 1, 29},
                            {16383, 1, 2},
                            {16384, 1, 2},
                            {20000, 2, 5},
                            {1ull << 40, 70, 1ull << 40},
                            {1ull << 50, 1, 1ull << 40},
                            {1ull << 40, 63, 1ull << 40}};

static const law huge[] = {{1ull << 40, 1, 2},
                           {1ull << 50, 1, 3},
                           {(1ull << 53) + 1, 5, 7},
                           {1ull << 62, (1ull << 39) + 1, 1ull << 40},
                           {1ull << 63, 1, 2},
                           {1ull << 63, 1, 1ull << 40},
                           {(1ull << 63) - 1, (1ull << 40) - 3, 1ull << 40}};

static long double mean_of(law l)
{
    return (long double)l.n * (long double)l.num / (long double)l.den;
}

/* log k! minus the leading terms of Stirling's series. */
static long double stirling(long double k)
{
    long double r = 1 / k, z = r * r;

    if (k < 30) {
        return lgammal(k + 1) -
               ((k + 0.5L) * logl(k) - k + 0.918938533204672741780329736405617639861L);
    }
    return r * (1 / 12.0L - z * (1 / 360.0L - z * (1 / 1260.0L - z * (1 / 1680.0L - z / 1188))));
}

/* (1 + x) log(1 + x) - x */
static long double deviance(long double x)
{
    long double v = x / (2 + x), z = v * v, sum = 0;

    if (fabsl(x) > 0.1L) {
        return (1 + x) * log1pl(x) - x;
    }
    for (int i = 31; i >= 3; i -= 2) {
        sum = sum * z + 1.0L / i;
    }
    return x * v + 2 * (1 + x) * v * z * sum;
}

/* The logarithm of the probability times s sqrt(2 pi), 0 < k < n. */
static long double log_scaled(law l, uint64_t k)
{
    u128 have = (u128)k * l.den, want = (u128)l.n * l.num;
    long double n = (long double)l.n, mean = mean_of(l), rest = n - mean;
    long double d = have < want ? -(long double)(want - have) : (long double)(have - want);

    d /= (long double)l.den;
    return stirling(n) - stirling((long double)k) - stirling((long double)(l.n - k)) -
           mean * deviance(d / mean) - rest * deviance(-d / rest) +
           0.5L * logl(mean / (long double)k * (rest / (long double)(l.n - k)));
}

static long double probability(law l, uint64_t k)
{
    long double p = (long double)l.num / (long double)l.den;

    if (k > l.n) {
        return 0;
    }
    if (k == 0) {
        return expl((long double)l.n * log1pl(-p));
    }
    if (k == l.n) {
        return powl(p, (long double)k);
    }
    return expl(log_scaled(l, k)) / sqrtl(2 * acosl(-1) * mean_of(l) * (1 - p));
}

START_TEST(frequencies)
{
    const law l = small[_i];
    const double mean = (double)mean_of(l);
    uint64_t first = mean > MOST / 2 ? (uint64_t)mean - MOST / 2 : 0, seen[MOST] = {0};
    double p[MOST], fit;

    for (uint64_t k = 0; k < MOST; k++) {
        p[k] = (double)probability(l, first + k);
    }
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t k = alias_binomial(11, i << 20, (uint32_t)_i, l.n, l.num, l.den);

        must(k <= l.n && k - first < MOST, "draw %lu is %lu", i, k);
        seen[k - first]++;
    }
    fit = stats_fit(seen, p, MOST, DRAWS);
    ck_assert_msg(fit > STATS_ALPHA, "fit %g", fit);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Normal to within 1 / s by moments and Kolmogorov-Smirnov, with uniform last bits. */
START_TEST(normal)
{
    const law l = huge[_i];
    const long double mean = mean_of(l);
    const long double s = sqrtl(mean * (1 - mean / (long double)l.n));
    static double z[DRAWS];
    uint64_t bits[64] = {0};
    double sum = 0, squares = 0, distance = 0;

    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t k = alias_binomial(3, i, 1, l.n, l.num, l.den);

        z[i] = (double)(((long double)k - mean) / s);
        bits[k % 64]++;
        sum += z[i];
        squares += z[i] * z[i];
    }
    ck_assert_double_lt(fabs(sum) / sqrt(DRAWS), 5);
    ck_assert_double_lt(fabs(squares - DRAWS) / sqrt(2.0 * DRAWS), 5);
    qsort(z, DRAWS, sizeof(*z), ascending);
    for (int i = 0; i < DRAWS; i++) {
        double cdf = 0.5 * erfc(-z[i] / sqrt(2));

        distance = fmax(distance, fmax(cdf - (double)i / DRAWS, (i + 1.0) / DRAWS - cdf));
    }
    ck_assert_double_lt(distance * sqrt(DRAWS), 2.6);
    ck_assert_double_gt(stats_fit(bits, NULL, 64, DRAWS), STATS_ALPHA);
}

START_TEST(certain)
{
    static const uint64_t ns[] = {0, 1, 1000, 1ull << 63};

    for (int i = 0; i < COUNT(ns); i++) {
        ck_assert_uint_eq(alias_binomial(1, 2, 3, ns[i], 0, 1), 0);
        ck_assert_uint_eq(alias_binomial(1, 2, 3, ns[i], 0, 1ull << 40), 0);
        ck_assert_uint_eq(alias_binomial(1, 2, 3, ns[i], 1, 1), ns[i]);
        ck_assert_uint_eq(alias_binomial(1, 2, 3, ns[i], 1ull << 40, 1ull << 40), ns[i]);
    }
    ck_assert_uint_eq(alias_binomial(1, 2, 3, 0, 1, 2), 0);
}

/* Failures are binomial like successes; equal fractions give equal variates; different counters
 * give different ones. */
START_TEST(arguments)
{
    uint64_t equal = 0;

    for (uint32_t i = 0; i < 20000; i++) {
        philox_block b = philox_at(8, i, 0, 99);
        uint64_t n = ((uint64_t)b.v[0] << 31 | b.v[1]) >> b.v[3] % 63, den = 1 + b.v[2] % 1000;
        uint64_t num = b.v[3] / 64 % (den + 1);
        uint64_t k = alias_binomial(7, i, 5, n, num, den);

        must(k <= n, "draw %u is %lu", i, k);
        must(2 * num == den || k + alias_binomial(7, i, 5, n, den - num, den) == n,
             "draw %u: not as many failures as others successes", i);
        equal += k == alias_binomial(8, i, 5, n, num, den) && num != 0 && num != den && n > 1 << 30;
        equal += k == alias_binomial(7, i, 6, n, num, den) && num != 0 && num != den && n > 1 << 30;
        equal += k == alias_binomial(7, i + (1ull << 32), 5, n, num, den) && num != 0 &&
                 num != den && n > 1 << 30;
    }
    ck_assert_uint_lt(equal, 30);
}

/* The error of log g(k), averaged over draws, is below 2^-53; the errors of log and exp. */
START_TEST(accuracy)
{
    double error = 0, count = 0;

    for (int i = 0; i < COUNT(huge) + COUNT(small); i++) {
        law l = i < COUNT(huge) ? huge[i] : small[i - COUNT(huge)];
        alias_binomial_law a = alias_binomial_law_of(l.n, l.num, l.den);

        if (a.inversion) {
            continue;
        }
        error = 0;
        count = 0;
        l = (law){a.n, a.num, a.den};
        for (uint64_t j = 0; j < 20000; j++) {
            uint64_t k = alias_binomial(5, j, 0, l.n, l.num, l.den);

            error += fabs(
                (double)((long double)alias_binomial_log(a.n, a.num, a.den, k) - log_scaled(l, k)));
            count++;
        }
        ck_assert_msg(error / count < 0x1p-53, "n %g: 2^%g", (double)l.n, log2(error / count));
    }
    for (double x = 0x1p-60; x < 2; x *= 1.01) {
        ck_assert_double_le(fabs((double)(alias_log(x) - logl(x))), 0x1p-51 * fabs(log(x)));
    }
    for (double x = -5; x < 0.5; x += 0.001) {
        ck_assert_double_le(fabs((double)(alias_exp(x) / expl(x) - 1)), 0x1p-51);
    }
}

/* Single precision never decides wrongly for a height close to g(k). */
START_TEST(squeeze)
{
    static const law p[] = {{0, 1, 2},    {0, 9, 20},    {0, 1, 4},         {0, 1, 10},
                            {0, 1, 1000}, {0, 1, 99999}, {0, 1, 1ull << 28}};
    uint64_t open = 0, all = 0;

    for (double variance = 64.001; variance < 0x1p55; variance *= variance < 1e5 ? 1.03 : 1.7) {
        for (int i = 0; i < COUNT(p); i++) {
            const double q = (double)p[i].num / (double)p[i].den, s = sqrt(variance);
            const double trials = variance / (q * (1 - q));
            const law l = {trials < 0x1p63 ? (uint64_t)trials + 1 : 0, p[i].num, p[i].den};
            const alias_binomial_law a = alias_binomial_law_of(l.n, l.num, l.den);

            if (l.n == 0) {
                break;
            }
            for (double t = -7; t < 7; t += 0.0173) {
                double offset = floor(t * s);
                uint64_t k = a.center + (uint64_t)(int64_t)offset;
                double g;

                if ((double)a.center + offset < 1 || k >= l.n) {
                    continue;
                }
                g = (double)expl(log_scaled(l, k));
                if (alias_binomial_squeeze(&a, (float)offset, (float)(g * (1 + 1e-6))) > 0 ||
                    alias_binomial_squeeze(&a, (float)offset, (float)(g * (1 - 1e-6))) < 0) {
                    ck_abort_msg("n %g, p %g, t %g", (double)l.n, q, t);
                }
                if (fabs(t) < 3 && variance > 4096) {
                    open += alias_binomial_squeeze(&a, (float)offset, (float)(0.99 * g)) != 1;
                    open += alias_binomial_squeeze(&a, (float)offset, (float)(1.01 * g)) != -1;
                    all += 2;
                }
            }
        }
    }
    ck_assert_uint_lt(open, all / 100);
}

/* Inversion moves from the center outwards: the lengths of its intervals of u, against the exact
 * probabilities. */
START_TEST(inversion)
{
    const law l = small[_i];
    const alias_binomial_law a = alias_binomial_law_of(l.n, l.num, l.den);
    long double error = 0, sum = 0;
    uint64_t begin = 0;

    if (!a.inversion) {
        return;
    }
    for (uint64_t step = 0; step < 200 && sum < 1 - 0x1p-53L; step++) {
        /* center, + 1, - 1, + 2, - 2, ... */
        uint64_t k = step % 2 == 1 ? a.center + (step + 1) / 2 : a.center - step / 2;
        uint64_t low = 0, high = (uint64_t)1 << 63;
        long double p;

        if ((step % 2 == 0 && step / 2 > a.center) || k > a.n) {
            continue;
        }
        while (low < high) { /* find the first u behind this interval */
            uint64_t middle = low + (high - low) / 2, distance;
            uint64_t got = alias_binomial_invert(a.n, a.num, a.den, a.mean, middle);
            int before = 0;

            if (got != UINT64_MAX) {
                distance = got > a.center ? 2 * (got - a.center) - 1 : 2 * (a.center - got);
                before = distance <= step;
            }
            low = before ? middle + 1 : low;
            high = before ? high : middle;
        }
        p = probability((law){a.n, a.num, a.den}, k);
        error += fabsl((long double)(high - begin) * 0x1p-63L - p) / 2;
        sum += p;
        begin = high;
    }
    ck_assert_msg(error < 0x1p-51L, "total variation 2^%Lg", log2l(error));
}

/* The heights of the bins, and the heights up to which rows need no test, from the table of rows.
 */
typedef struct {
    double height[2][64], sure[2][64];
} histogram;

static histogram read_histogram(void)
{
    histogram h = {{{0}}, {{0}}};

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t row = alias_binomial_row(i), side = row >> 5 & 1, block = row & 31;
        double top = 49.0 / 1024 * ((row >> 6 & 63) + 1);

        if (row & 1 << 14) {
            for (int j = 0; block + (uint32_t)j < 64; j++) {
                h.height[side][block + (uint32_t)j] = ldexp(49.0 / 1024, -1 - j);
            }
        } else {
            h.height[side][block] = fmax(h.height[side][block], top);
        }
        if (row >> 15) {
            h.sure[side][block] = fmax(h.sure[side][block], top);
        }
    }
    return h;
}

static void check_histogram(const histogram *h, law l)
{
    alias_binomial_law a = alias_binomial_law_of(l.n, l.num, l.den);
    uint64_t reach = 60 * a.width, step = a.width / 16 + 1;

    ck_assert(!a.inversion);
    for (uint64_t j = 0; j<reach; j += (j + step) / a.width> j / a.width && j % a.width != 0 &&
                                 (j + 1) % a.width != 0
                             ? a.width - 1 - j % a.width
                         : (j + 1) % a.width == 0 ? 1
                                                  : step) {
        for (int side = 0; side < 2; side++) {
            uint64_t k = side == 0 ? a.center + j : a.center - 1 - j, block = j / a.width;
            double g;

            if ((side == 1 && j + 1 >= a.center) || k >= a.n) {
                continue;
            }
            g = (double)expl(log_scaled((law){a.n, a.num, a.den}, k));
            if (g > h->height[side][block] || (!a.narrow && g < h->sure[side][block])) {
                ck_abort_msg("n %lu, p %g, side %d, block %d: g = %g, height %g, sure %g", l.n,
                             (double)l.num / (double)l.den, side, (int)block, g,
                             h->height[side][block], h->sure[side][block]);
            }
        }
    }
}

START_TEST(dominated)
{
    static const law p[] = {{0, 1, 2},  {0, 499, 1000}, {0, 2, 5},    {0, 1, 4},
                            {0, 1, 10}, {0, 1, 100},    {0, 1, 1000}, {0, 1, 1ull << 30}};
    const histogram h = read_histogram();
    const double q = (double)p[_i].num / (double)p[_i].den;
    double variance;

    /* Variances just beyond each change of the width, and others. */
    for (variance = 64.001; variance < 0x1p61 * q * (1 - q); variance *= variance < 1000  ? 1.01
                                                                         : variance < 1e5 ? 1.1
                                                                                          : 30) {
        law l = {(uint64_t)(variance / (q * (1 - q))) + 1, p[_i].num, p[_i].den};

        check_histogram(&h, l);
    }
    for (int w = 8; w < 300; w += w < 40 ? 1 : 20) {
        variance = 16.0 * w * w;
        for (int off = 0; off < 2; off++) {
            law l = {(uint64_t)(variance / (q * (1 - q))) + (uint64_t)off, p[_i].num, p[_i].den};

            check_histogram(&h, l);
        }
    }
}

TEST_CASES(binomial, 120, LOOP(frequencies, 0, COUNT(small)), LOOP(normal, 0, COUNT(huge)),
           ONCE(certain), ONCE(arguments), ONCE(accuracy), ONCE(squeeze),
           LOOP(inversion, 0, COUNT(small)), LOOP(dominated, 0, 8))
