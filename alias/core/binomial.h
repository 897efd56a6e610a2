/*
 * alias/core/binomial.h - exact binomial variates as pure functions of their arguments, compiled
 * for host and device alike.  Both give the same bits, since only integers and IEEE + - * / and
 * sqrt are used (compile with -ffp-contract=off or --fmad=false).  Thread-safe.
 *
 * Attempt a at the variate (seed, index, node) uses the Philox block with the counter (index, node,
 * PHILOX_ALIAS_SPLIT | a << 8).  The lowest accepted attempt is the variate, so attempts may be
 * tried in any order and by several threads at once.
 *
 * Variance below 64: inversion, starting at the integer below the mean and moving outwards.
 *
 * Otherwise: rejection from a histogram.  Let s be the standard deviation, k0 the integer below the
 * mean, f the probability function and g(k) = f(k) s sqrt(2 pi).  On both sides of k0 lie bins of w
 * = floor(s / 4) + 1 integers.  The height of a bin is above the supremum of g over all binomial
 * distributions with a variance >= 64 and p <= 1/2. It is a multiple of h = 49/1024 up to the bin
 * where g < h / 2; the i-th bin beyond that one has the height h 2^-(i+1).  The area under the
 * histogram thus consists of 256 rows of the area w h each; two rows are the tails. 8 random bits
 * choose the row, 64 bits the integer k in the bin (exactly, by Lemire's rule; its rejections, less
 * than 2^-34, count as rejected attempts), and 52 bits the height V in the row.  The attempt is
 * accepted if V <= g(k): with probability 0.82 for large s and 0.55 at worst.  Rows that lie below
 * g for every variance >= 4096 need no test; they make 0.78 of the accepted attempts.  Single
 * precision decides almost all others, by the first terms of log g(k) in 1 / s, with t = (k - mean)
 * / s:
 *
 *     -t^2 / 2 + (1 - 2 p) (t^3 - 3 t) / (6 s) +- (t^4 / 8 + t^2 + 1) / s^2,
 *
 * where the error bound is 1.4 times the necessary one for s >= 8 and t^2 < 22.5. Unlike in
 * transformed rejection (Hoermann's BTRS), the proposal's probabilities are exact: no real number
 * is rounded to k.
 *
 * log g(k) is computed from deviations (Loader's saddle-point form).  With the exact integer
 * D = k den - n num, and d = D / den, x = D / (2 n num + D), y = D / (2 n (den - num) - D),
 * A(v) = atanh(v) - v and S(k) = log k! - log(sqrt(2 pi k) (k/e)^k),
 *
 *     log g(k) = S(n) - S(k) - S(n - k) - d (x + y) - (2k + 1) A(x) + (2(n - k) + 1) A(y) - x + y.
 *
 * No term exceeds a few units where g(k) is not tiny, so the error there is about 2^-53 for every
 * n. Its mean over the distribution is below 2^-53 (measured by tests/alias/test_binomial.c).  With
 * the errors of log V and the granularity of V, the whole distribution is within 2^-50 in total
 * variation of the binomial distribution.  Here p = num / den is a fraction, not a double.
 * Inversion, from 63 random bits, is within 2^-51 (also measured).
 *
 * Sources: C. Loader, "Fast and accurate computation of binomial probabilities", 2000; W. Hoermann,
 * "The generation of binomial random variates", 1993; for histograms with bins of about sqrt(n)
 * integers, K. Bringmann et al., "Internal DLA: efficient simulation of a physical growth model",
 * ICALP 2014; D. Lemire, "Fast random integer generation in an interval", 2019.
 */
#ifndef ALIAS_CORE_BINOMIAL_H
#define ALIAS_CORE_BINOMIAL_H

#include "alias/core/draw.h"
#include "alias/core/hd.h"
#include "alias/core/philox.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The specifier of functions that are rarely called.  On a GPU they stay out of line, because
 * instruction cache misses dominate there. */
#ifdef __CUDACC__
#define ALIAS_BINOMIAL_CALL static __host__ __device__ __noinline__ __attribute__((unused))
#else
#define ALIAS_BINOMIAL_CALL static inline
#endif

/* A binomial distribution, prepared for attempts. */
typedef struct {
    uint64_t n, num, den; /* n trials of the probability num / den <= 1/2 */
    bool flip;            /* successes and failures are swapped */
    bool inversion;       /* the variance is below 64 */
    bool narrow;          /* the variance is below 4096 */
    uint64_t center;      /* k0 */
    uint64_t width;       /* w */
    double mean;
    float fraction; /* mean - k0 */
    float scale;    /* 1 / s */
    float skew;     /* (1 - 2 p) / (6 s) */
} alias_binomial_law;

/* atanh(v) - v for |v| <= 0.1716. */
ALIAS_HD double alias_atanh_series(double v)
{
    double z = v * v, sum = 1.0 / 21;

    sum = sum * z + 1.0 / 19;
    sum = sum * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15;
    sum = sum * z + 1.0 / 13;
    sum = sum * z + 1.0 / 11;
    sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7;
    sum = sum * z + 1.0 / 5;
    sum = sum * z + 1.0 / 3;
    return sum * z * v;
}

/* The natural logarithm of x > 0, which is not subnormal. */
ALIAS_BINOMIAL_CALL double alias_log(double x)
{
    const uint64_t sqrt_half = 0x3FE6A09E667F3BCDu;
    uint64_t bits;
    double exponent, v;

    memcpy(&bits, &x, sizeof(bits));
    bits -= sqrt_half;
    exponent = (double)((int64_t)bits >> 52);
    bits = (bits & 0x000FFFFFFFFFFFFFu) + sqrt_half;
    memcpy(&x, &bits, sizeof(x)); /* in [sqrt(1/2), sqrt(2)) */
    v = (x - 1) / (x + 1);
    /* log 2 is split into its first 32 bits and the rest. */
    return exponent * 0x1.62e42feep-1 +
           (2 * v + (2 * alias_atanh_series(v) + exponent * 0x1.a39ef35793c76p-33));
}

/* exp(x) for -20 < x < 1. */
ALIAS_HD double alias_exp(double x)
{
    int64_t exponent = (int64_t)(x * 0x1.71547652b82fep+0 - 0.5);
    double r = (x - (double)exponent * 0x1.62e42feep-1) - (double)exponent * 0x1.a39ef35793c76p-33;
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power, sum = 1.0 / 87178291200;

    memcpy(&power, &bits, sizeof(power));
    sum = sum * r + 1.0 / 6227020800;
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    return power * (1 + (r + r * r * sum));
}

/* atanh(v) - v for |v| < 1. */
ALIAS_BINOMIAL_CALL double alias_atanh_rest(double v)
{
    return v > -0.1715 && v < 0.1715 ? alias_atanh_series(v)
                                     : 0.5 * alias_log((1 + v) / (1 - v)) - v;
}

/* log k! - log(sqrt(2 pi k) (k/e)^k) for k > 0. */
ALIAS_BINOMIAL_CALL double alias_stirling_error(uint64_t k)
{
    static const double small[16] = {
        0,
        0x1.4c071bcda0a5bp-4,
        0x1.52a9b923ea649p-5,
        0x1.c579a268d80b3p-6,
        0x1.54a2662fd78a9p-6,
        0x1.10b4e513fcbedp-6,
        0x1.c6b167bebdf36p-7,
        0x1.85d4d612e4a86p-7,
        0x1.552805e7b3076p-7,
        0x1.2f4871b12ab64p-7,
        0x1.10f9d4c0743a7p-7,
        0x1.f0593088014f8p-8,
        0x1.c7018733aa9c6p-8,
        0x1.a40514700f36cp-8,
        0x1.86076c002d4a7p-8,
        0x1.6c08f6f194a10p-8,
    };
    double r, z;

    if (k < 16) {
        return small[k];
    }
    r = 1 / (double)k;
    z = r * r;
    return r *
           (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188)))));
}

/* log g(k), 0 < k < n. */
ALIAS_BINOMIAL_CALL double alias_binomial_log(uint64_t n, uint64_t num, uint64_t den, uint64_t k)
{
    __extension__ typedef unsigned __int128 u128;
    u128 have = (u128)k * den, want = (u128)n * num;
    u128 size = have < want ? want - have : have - want;
    double D = (double)(uint64_t)(size >> 64) * 0x1p64 + (double)(uint64_t)size;
    double d, x, y;

    D = have < want ? -D : D;
    d = D / (double)den;
    x = D / (2 * ((double)n * (double)num) + D);
    y = D / (2 * ((double)n * (double)(den - num)) - D);
    return alias_stirling_error(n) - alias_stirling_error(k) - alias_stirling_error(n - k) -
           d * (x + y) - (2 * (double)k + 1) * alias_atanh_rest(x) +
           (2 * (double)(n - k) + 1) * alias_atanh_rest(y) - (x - y);
}

/* The law of n trials of the probability num / den; num <= den, den > 0. */
ALIAS_HD alias_binomial_law alias_binomial_law_of(uint64_t n, uint64_t num, uint64_t den)
{
    alias_binomial_law law;
    float variance, s;

    law.flip = num > den - num;
    law.n = n;
    law.num = law.flip ? den - num : num;
    law.den = den;
    law.mean = (double)n * (double)law.num / (double)den;
    law.center = (uint64_t)law.mean;
    variance = (float)law.mean * ((float)(den - law.num) / (float)den);
    law.inversion = variance < 64;
    law.narrow = variance < 4096;
    s = sqrtf(variance);
    law.width = (uint64_t)(s * 0.25f) + 1;
    law.fraction = (float)(law.mean - (double)law.center);
    law.scale = 1 / (law.inversion ? 8 : s);
    law.skew = (float)(den - 2 * law.num) / (float)den * law.scale / 6;
    return law;
}

/* Whether u lies below the probability p, both times 2^63; if not, p is subtracted from u. */
ALIAS_HD bool alias_binomial_below(uint64_t *u, double p)
{
    uint64_t part = (uint64_t)(p * 0x1p63);

    if (*u < part) {
        return true;
    }
    *u -= part;
    return false;
}

/*
 * Inversion: the number whose interval contains u, which is uniform below 2^63.  The probabilities,
 * times 2^63, are laid end to end in the order center = floor(mean), center + 1, center - 1,
 * center + 2, ...  Returns UINT64_MAX if u lies beyond their computed sum.
 */
ALIAS_BINOMIAL_CALL uint64_t alias_binomial_invert(uint64_t n, uint64_t num, uint64_t den,
                                                   double mean, uint64_t u)
{
    const uint64_t center = (uint64_t)mean;
    const double trials = (double)n, odds = (double)num / (double)(den - num);
    double high = (double)center, low = high, above, below;

    if (center == 0) {
        double v = (double)num / (double)(2 * den - num);

        above = alias_exp(-2 * trials * (v + alias_atanh_rest(v)));
    } else {
        above = alias_exp(alias_binomial_log(n, num, den, center)) /
                (0x1.40d931ff62706p+1 * sqrt(mean * ((double)(den - num) / (double)den)));
    }
    if (alias_binomial_below(&u, above)) {
        return center;
    }
    below = above;
    do {
        /* Both ratios from one division. */
        double up = high + 1, down = (trials - low + 1) * odds, r = 1 / (up * down);

        above *= (trials - high) * odds * (down * r);
        below *= low * (up * r);
        high++;
        low--;
        if (alias_binomial_below(&u, above)) {
            return (uint64_t)high;
        }
        if (alias_binomial_below(&u, below)) {
            return (uint64_t)low;
        }
    } while (above + below >= 0x1p-70);
    return UINT64_MAX;
}

/* log x with an error of about 2^-21. */
ALIAS_HD float alias_log_single(float x)
{
    const uint32_t sqrt_half = 0x3F3504F3u;
    uint32_t bits;
    float exponent, v, z;

    memcpy(&bits, &x, sizeof(bits));
    bits -= sqrt_half;
    exponent = (float)((int32_t)bits >> 23);
    bits = (bits & 0x007FFFFFu) + sqrt_half;
    memcpy(&x, &bits, sizeof(x));
    v = (x - 1) / (x + 1);
    z = v * v;
    return exponent * 0.693147181f + 2 * v * (1 + z * (1.0f / 3 + z * (0.2f + z * (1.0f / 7))));
}

/* Whether height <= g(center + offset): 1 yes, -1 no, 0 if single precision cannot tell. */
ALIAS_HD int alias_binomial_squeeze(const alias_binomial_law *law, float offset, float height)
{
    float t = (offset - law->fraction) * law->scale, z = t * t;
    float gap = law->skew * t * (z - 3) - 0.5f * z - alias_log_single(height);
    float bound = (0.125f * z * z + z + 1) * (law->scale * law->scale) + 4e-6f * (1 + z);

    return z >= 22.5f ? 0 : gap > bound ? 1 : gap < -bound ? -1 : 0;
}

/* Row i < 256 of the histogram.  Bits 0-4: bin; 5: left of k0; 6-11: height in units of h; 14:
 * tail; 15: below g for every variance >= 4096. */
ALIAS_HD uint32_t alias_binomial_row(uint32_t i)
{
    static const uint16_t rows[256] = {
        0x8000, 0x8040, 0x8080, 0x80c0, 0x8100, 0x8140, 0x8180, 0x81c0, 0x8200, 0x8240, 0x8280,
        0x82c0, 0x8300, 0x8340, 0x8380, 0x83c0, 0x8400, 0x8440, 0x8480, 0x84c0, 0x0500, 0x8001,
        0x8041, 0x8081, 0x80c1, 0x8101, 0x8141, 0x8181, 0x81c1, 0x8201, 0x8241, 0x8281, 0x82c1,
        0x8301, 0x8341, 0x8381, 0x83c1, 0x8401, 0x8441, 0x0481, 0x04c1, 0x0501, 0x8002, 0x8042,
        0x8082, 0x80c2, 0x8102, 0x8142, 0x8182, 0x81c2, 0x8202, 0x8242, 0x8282, 0x82c2, 0x8302,
        0x8342, 0x8382, 0x03c2, 0x0402, 0x0442, 0x0482, 0x04c2, 0x8003, 0x8043, 0x8083, 0x80c3,
        0x8103, 0x8143, 0x8183, 0x81c3, 0x8203, 0x8243, 0x8283, 0x02c3, 0x0303, 0x0343, 0x0383,
        0x03c3, 0x0403, 0x0443, 0x8004, 0x8044, 0x8084, 0x80c4, 0x8104, 0x8144, 0x8184, 0x81c4,
        0x0204, 0x0244, 0x0284, 0x02c4, 0x0304, 0x0344, 0x0384, 0x8005, 0x8045, 0x8085, 0x80c5,
        0x8105, 0x0145, 0x0185, 0x01c5, 0x0205, 0x0245, 0x0285, 0x02c5, 0x8006, 0x8046, 0x8086,
        0x00c6, 0x0106, 0x0146, 0x0186, 0x01c6, 0x0206, 0x8007, 0x8047, 0x0087, 0x00c7, 0x0107,
        0x0147, 0x8008, 0x0048, 0x0088, 0x00c8, 0x0009, 0x0049, 0x0089, 0x000a, 0x004a, 0x000b,
        0x400c, 0x8020, 0x8060, 0x80a0, 0x80e0, 0x8120, 0x8160, 0x81a0, 0x81e0, 0x8220, 0x8260,
        0x82a0, 0x82e0, 0x8320, 0x8360, 0x83a0, 0x83e0, 0x8420, 0x8460, 0x84a0, 0x04e0, 0x0520,
        0x8021, 0x8061, 0x80a1, 0x80e1, 0x8121, 0x8161, 0x81a1, 0x81e1, 0x8221, 0x8261, 0x82a1,
        0x82e1, 0x8321, 0x8361, 0x83a1, 0x83e1, 0x8421, 0x0461, 0x04a1, 0x04e1, 0x0521, 0x8022,
        0x8062, 0x80a2, 0x80e2, 0x8122, 0x8162, 0x81a2, 0x81e2, 0x8222, 0x8262, 0x82a2, 0x82e2,
        0x8322, 0x8362, 0x03a2, 0x03e2, 0x0422, 0x0462, 0x04a2, 0x8023, 0x8063, 0x80a3, 0x80e3,
        0x8123, 0x8163, 0x81a3, 0x81e3, 0x8223, 0x8263, 0x82a3, 0x02e3, 0x0323, 0x0363, 0x03a3,
        0x03e3, 0x8024, 0x8064, 0x80a4, 0x80e4, 0x8124, 0x8164, 0x81a4, 0x81e4, 0x0224, 0x0264,
        0x02a4, 0x02e4, 0x0324, 0x8025, 0x8065, 0x80a5, 0x80e5, 0x8125, 0x0165, 0x01a5, 0x01e5,
        0x0225, 0x0265, 0x8026, 0x8066, 0x80a6, 0x00e6, 0x0126, 0x0166, 0x01a6, 0x8027, 0x8067,
        0x00a7, 0x00e7, 0x0127, 0x8028, 0x0068, 0x00a8, 0x0029, 0x0069, 0x002a, 0x402b, 0x0540,
        0x0580, 0x05c0, 0x0600,
    };

    return rows[i];
}

/* One attempt: true and the number of successes if it is accepted, else false. */
ALIAS_HD bool alias_binomial_attempt(const alias_binomial_law *law, uint64_t seed, uint64_t index,
                                     uint32_t node, uint32_t attempt, uint64_t *successes)
{
    philox_block b = philox_at(seed, index, node, PHILOX_ALIAS_SPLIT | attempt << 8);
    uint64_t x = b.v[0] | (uint64_t)b.v[1] << 32, y = b.v[2] | (uint64_t)b.v[3] << 32;
    uint64_t k, steps;
    uint32_t row, bin;
    double height;
    int left, verdict;

    if (law->num == 0) {
        *successes = law->flip ? law->n : 0;
        return true;
    }
    if (law->inversion) {
        k = alias_binomial_invert(law->n, law->num, law->den, law->mean, x >> 1);
        *successes = law->flip ? law->n - k : k;
        return k != UINT64_MAX;
    }
    row = alias_binomial_row((uint32_t)(y >> 56));
    bin = row & 31;
    left = row >> 5 & 1;
    height = ((double)(y >> 4 & 0x000FFFFFFFFFFFFFu) + 0.5) * 0x1p-52;
    if (row & 1 << 14) {
        double half = 0.5;

        while (height < half) {
            half *= 0.5;
            bin++;
        }
        height -= half;
    }
    height = (height + (double)(row >> 6 & 63)) * (49.0 / 1024);
    steps = bin * law->width + alias_mul_high(x, law->width);
    if (x * law->width < law->width && x * law->width < (0 - law->width) % law->width) {
        return false; /* Lemire's rule */
    }
    if (steps + left >= (left ? law->center : law->n - law->center)) {
        return false; /* k <= 0 or k >= n, which has a probability below 2^-90 */
    }
    k = left ? law->center - 1 - steps : law->center + steps;
    *successes = law->flip ? law->n - k : k;
    if (row >> 15 && !law->narrow) {
        return true;
    }
    verdict = alias_binomial_squeeze(law, left ? -1 - (float)steps : (float)steps, (float)height);
    return verdict != 0 ? verdict > 0
                        : alias_log(height) <= alias_binomial_log(law->n, law->num, law->den, k);
}

/* Returns the number of successes in n independent trials of the probability num / den; n <= 2^63,
 * num <= den <= 2^40, den > 0.  Variates with different (seed, index, node) are independent.  Use
 * each triple, with node < 2^32 and any index, for one variate only. */
ALIAS_HD uint64_t alias_binomial(uint64_t seed, uint64_t index, uint32_t node, uint64_t n,
                                 uint64_t num, uint64_t den)
{
    alias_binomial_law law = alias_binomial_law_of(n, num, den);
    uint64_t k = 0;
    uint32_t attempt = 0;

    while (!alias_binomial_attempt(&law, seed, index, node, attempt, &k)) {
        attempt++;
    }
    return k;
}

#endif
