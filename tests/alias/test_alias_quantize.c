/*
 * Integer masses: a literal implementation of the rule in alias/core/quantize.h, the promised
 * distance from the true probabilities, and equal results of all instruction sets.
 */
#include "alias/cpu/kernels.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t sizes[] = {1, 2, 3, 31, 33, 1000, 4095, 4096, 4097, 5000, 100000, 1100000};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), BLOCK = 4096 };

static double literal_section_sum(const double *w, uint64_t count)
{
    double lane[32] = {0};
    uint64_t i;
    int h, l;

    for (i = 0; i < count; i++) {
        lane[i % 32] += w[i];
    }
    for (h = 16; h >= 1; h /= 2) {
        for (l = 0; l < h; l++) {
            lane[l] += lane[l + h];
        }
    }
    return lane[0];
}

static double literal_prefix(const double *w, uint64_t n, double *f)
{
    uint64_t blocks = (n + BLOCK - 1) / BLOCK, b;
    double g = 0, p = 0;

    f[0] = 0;
    for (b = 0; b < blocks; b++) {
        double s =
            literal_section_sum(w + b * BLOCK, n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK);

        if (b % 256 == 0) {
            g = f[b];
            p = s;
        } else {
            p += s;
        }
        f[b + 1] = g + p;
    }
    return f[blocks];
}

static void literal_quantize(const double *weights, uint64_t n, int k, uint64_t *q)
{
    uint64_t blocks = (n + BLOCK - 1) / BLOCK, b, i;
    double *w = must_alloc(n, sizeof(*w)), *f = must_alloc(blocks + 1, sizeof(*f));
    double mass = ldexp((double)n, k), s;

    memcpy(w, weights, n * sizeof(*w));
    s = literal_prefix(w, n, f);
    if (isinf(s) || s < ldexp(1, -900)) {
        for (i = 0; i < n; i++) {
            w[i] *= isinf(s) ? ldexp(1, -64) : ldexp(1, 500);
        }
        s = literal_prefix(w, n, f);
    }
    for (b = 0; b < blocks; b++) {
        uint64_t begin = b * BLOCK, end = n - begin < BLOCK ? n : begin + BLOCK;
        int64_t r = (int64_t)((uint64_t)(f[b + 1] / s * mass) - (uint64_t)(f[b] / s * mass));

        for (i = begin; i < end; i++) {
            q[i] = (uint64_t)(w[i] * (mass / s));
            r -= (int64_t)q[i];
        }
        while (r != 0) {
            int64_t eligible = 0, share;

            for (i = begin; i < end; i++) {
                eligible += r > 0 ? w[i] > 0 : q[i] > 0;
            }
            ck_assert_int_gt(eligible, 0);
            share = llabs(r) / eligible > 1 ? llabs(r) / eligible : 1;
            for (i = begin; i < end && r != 0; i++) {
                if (r > 0 && w[i] > 0) {
                    int64_t part = share < r ? share : r;

                    q[i] += (uint64_t)part;
                    r -= part;
                } else if (r < 0 && q[i] > 0) {
                    int64_t part = share < -r ? share : -r;

                    part = (uint64_t)part < q[i] ? part : (int64_t)q[i];
                    q[i] -= (uint64_t)part;
                    r += part;
                }
            }
        }
    }
    free(w);
    free(f);
}

static int ceil_log2(uint64_t n)
{
    int bits = 0;

    while ((uint64_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

static void compare(const double *w, uint64_t n, int k)
{
    uint64_t *q = must_alloc(n, sizeof(*q)), *expected = must_alloc(n, sizeof(*expected));
    uint64_t sum = 0, i;

    ck_assert_int_eq(alias_quantize(w, n, k, q, NULL), ALIAS_OK);
    literal_quantize(w, n, k, expected);
    for (i = 0; i < n; i++) {
        if (q[i] != expected[i] || (w[i] == 0 && q[i] != 0)) {
            ck_abort_msg("n %llu, k %d: q[%llu] is %llu, not %llu", (unsigned long long)n, k,
                         (unsigned long long)i, (unsigned long long)q[i],
                         (unsigned long long)expected[i]);
        }
        sum += q[i];
    }
    ck_assert_uint_eq(sum, n << k);
    free(q);
    free(expected);
}

START_TEST(rule)
{
    size_t s;

    for (s = 0; s < SIZES; s++) {
        double *w = family_weights(_i, sizes[s]);

        compare(w, sizes[s], 32);
        compare(w, sizes[s], 62 - ceil_log2(sizes[s]));
        compare(w, sizes[s], 0);
        compare(w, sizes[s], 5);
        free(w);
    }
}
END_TEST

/* Sums that overflow or almost vanish, and weights that vanish beside others. */
START_TEST(extreme_sums)
{
    static const double values[] = {
        1.7976931348623157e308, 1e300, 4.9e-324, 1e-310, 2e-272, 0.0, -0.0};
    uint64_t n = 9000, i, state = 5;
    double *w = must_alloc(n, sizeof(*w));
    int from, count;

    for (from = 0; from < 5; from++) {
        for (count = 1; count <= 7 - from; count++) {
            for (i = 0; i < n; i++) {
                w[i] = values[from + (int)(next_random(&state) % (uint64_t)count)];
            }
            w[0] = w[n - 1] = values[from];
            compare(w, n, 32);
            compare(w, n, 48);
            compare(w, 1, 62);
        }
    }
    compare(w + n - 1, 1, 63);
    free(w);
}
END_TEST

/* The bound that alias.h promises, against long double with compensated summation. */
START_TEST(distance)
{
    size_t s;

    for (s = 0; s < SIZES; s++) {
        uint64_t n = sizes[s], i;
        double *w = family_weights(_i, n);
        uint64_t *q = must_alloc(n, sizeof(*q));
        int k = 62 - ceil_log2(n), round;
        long double sum = 0, rest = 0;

        for (i = 0; i < n; i++) {
            long double t = sum + w[i];

            rest += sum >= w[i] ? (sum - t) + w[i] : (w[i] - t) + sum;
            sum = t;
        }
        sum += rest;
        for (round = 0; round < 2; round++, k = 32) {
            long double mass = ldexpl((long double)n, k);
            long double bound = 2 / mass + ldexpl(400 + (long double)n / 1048576, -51);

            ck_assert_int_eq(alias_quantize(w, n, k, q, NULL), ALIAS_OK);
            for (i = 0; i < n; i++) {
                long double error = fabsl((long double)q[i] / mass - w[i] / sum);

                /* These families stay far below the worst case. */
                if (error > bound || error > 2 / mass + 0x1p-49L) {
                    ck_abort_msg("%s, n %llu, k %d, item %llu: off by %Lg", family_name(_i),
                                 (unsigned long long)n, k, (unsigned long long)i, error);
                }
            }
        }
        free(w);
        free(q);
    }
}
END_TEST

START_TEST(instruction_sets)
{
    int sets, s;
    const alias_kernels *const *kernels = alias_cpu_kernel_sets(&sets);
    static uint64_t q[2][BLOCK];
    static alias_split split[2];
    static alias_row8 rows[2][BLOCK];
    static uint64_t even[2][500], odd[2][500];
    static const uint32_t counts[] = {1, 7, 8, 9, 31, 32, 33, 63, 1000, 4095, 4096};
    uint32_t c, i;

    ck_assert_str_eq(kernels[sets - 1]->name, "generic");
    for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        uint32_t n = counts[c];
        double *w = family_weights(_i, n), sum[2];

        for (s = 0; s < sets; s++) {
            int at = s > 0;
            bool suspect = false;
            uint64_t capacity = (uint64_t)1 << 32, base = 40960;
            uint32_t lights;

            sum[at] = kernels[s]->section_sum(w, n, 1.0, &suspect);
            ck_assert_int_eq(suspect, isinf(sum[at]) != 0);
            if (isinf(sum[at])) {
                sum[at] = kernels[s]->section_sum(w, n, 0x1p-64, &suspect);
            }
            kernels[s]->quantize(w, n, 1.0, capacity * n / sum[at], capacity * n, q[at]);
            lights = kernels[s]->split(q[at], n, base, capacity, &split[at]);
            kernels[s]->fill8(q[at], n, base, 12345, rows[at]);
            kernels[s]->draw_bits(77, 0xfffffff0u, c * 49, even[at], odd[at]);
            if (at == 0) {
                continue;
            }
            ck_assert(memcmp(&sum[0], &sum[1], sizeof(sum[0])) == 0);
            ck_assert(memcmp(q[0], q[1], n * sizeof(q[0][0])) == 0);
            ck_assert(memcmp(rows[0], rows[1], n * sizeof(rows[0][0])) == 0);
            for (i = 0; i < lights; i++) {
                ck_assert_int_eq(split[0].light[i], split[1].light[i]);
                ck_assert_int_eq(split[0].light[ALIAS_SPLIT + i], split[1].light[ALIAS_SPLIT + i]);
            }
            for (i = 0; i < n - lights; i++) {
                ck_assert_int_eq(split[0].heavy[i], split[1].heavy[i]);
                ck_assert_int_eq(split[0].heavy[ALIAS_SPLIT + i], split[1].heavy[ALIAS_SPLIT + i]);
            }
            ck_assert(memcmp(even[0], even[1], c * 49 * sizeof(even[0][0])) == 0);
            ck_assert(memcmp(odd[0], odd[1], c * 49 * sizeof(odd[0][0])) == 0);
        }
        free(w);
    }
}
END_TEST

TEST_MAIN(alias_quantize)
{
    Suite *suite = suite_create("alias_quantize");
    TCase *tc = tcase_create("alias_quantize");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, rule, 0, FAMILIES);
    tcase_add_test(tc, extreme_sums);
    tcase_add_loop_test(tc, distance, 0, FAMILIES);
    tcase_add_loop_test(tc, instruction_sets, 0, FAMILIES);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
