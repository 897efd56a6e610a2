/*
 * The GPU turns weights into the masses that alias_quantize() gives, as seen from the rows, which
 * are the CPU's only if the masses are.  Covers the corner cases of the rule in
 * alias/core/quantize.h: rescaled sums, remainders that are given or taken back in several rounds,
 * sections with hardly a positive weight, subnormal weights, signed zeros.
 */
#include "alias/cpu/cpu.h"
#include "tests/support/gpu_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of every builder in both widths. */
static void check_weights(const double *w, uint64_t n, const char *what)
{
    double *device = on_device(w, n * sizeof(*w));
    int row_bytes, v;

    for (row_bytes = 8; row_bytes <= 16; row_bytes += 8) {
        cpu_tables expected = cpu_tables_create(w, n, row_bytes);

        for (v = GPU_VARIANTS - 4; v < GPU_VARIANTS; v++) {
            alias_config c = gpu_config(gpu_variants[v].builder, row_bytes, ALIAS_ROWS_AOS);

            check_build(&c, device, n, &expected, what);
        }
        cpu_tables_destroy(expected);
    }
    must_cuda(cudaFree(device));
}

/* Random choices from values[from..from + count), with the first of these at both ends. */
START_TEST(extreme_sums)
{
    static const double values[] = {
        1.7976931348623157e308, 1e300, 4.9e-324, 1e-310, 2e-272, 0.0, -0.0};
    const uint64_t sizes[] = {1, 40, 4097, small_run() ? 9000 : 1100000};
    uint64_t state = 5, i;
    int from, count, s;

    for (s = small_run() ? 3 : 0; s < 4; s++) {
        uint64_t n = sizes[s];
        double *w = must_alloc(n, sizeof(*w));

        for (from = 0; from < (small_run() > 1 ? 1 : 5); from++) {
            for (count = small_run() ? 7 - from : 1; count <= 7 - from; count++) {
                for (i = 0; i < n; i++) {
                    w[i] = values[from + (int)(next_random(&state) % (uint64_t)count)];
                }
                w[0] = w[n - 1] = values[from];
                check_weights(w, n, "extreme sums");
            }
        }
        free(w);
    }
}
END_TEST

/* The sum leaves the range of double in one section, in one segment, or only over all items. */
START_TEST(where_it_overflows)
{
    static const uint64_t places[] = {0, 1, 31, 4095, 4096, 5000, 8191, 9998};
    const uint64_t n = 10000;
    double *w = must_alloc(n, sizeof(*w));
    uint64_t a, b, i;

    for (a = 0; a < 8 && small_run() < 2; a += small_run() ? 5 : 1) {
        for (b = a + 1; b < 8; b += small_run() ? 5 : 1) {
            for (i = 0; i < n; i++) {
                w[i] = (double)(i % 3);
            }
            w[places[a]] = w[places[b]] = 1.5e308;
            check_weights(w, n, "overflow of two");
            memset(w, 0, n * sizeof(*w));
            w[places[a]] = 0x1p-901;
            w[places[b]] = 0x1p-1000;
            check_weights(w, n, "underflow of two");
            w[places[b]] = 0x1p-901; /* the sum is 2^-900, the least that is not rescaled */
            check_weights(w, n, "no underflow of two");
        }
    }
    free(w);
}
END_TEST

/* The number of rounds that the rule needs in section b of n items; *negative: the remainder's
 * sign. */
static int rounds_of(const double *w, uint64_t n, const alias_mass_plan *plan, uint64_t b,
                     int *negative)
{
    const uint64_t first = b * ALIAS_SECTION_ITEMS,
                   end = n - first < ALIAS_SECTION_ITEMS ? n : first + ALIAS_SECTION_ITEMS;
    static uint64_t t[ALIAS_SECTION_ITEMS];
    int64_t r = (int64_t)(plan->start[b + 1] - plan->start[b]);
    int rounds = 0;
    uint64_t i;

    for (i = first; i < end; i++) {
        t[i - first] = (uint64_t)(w[i] * plan->scale * plan->factor);
        r -= (int64_t)t[i - first];
    }
    *negative = r < 0;
    for (; r != 0; rounds++) {
        uint64_t eligible = 0, left = (uint64_t)llabs(r), share;

        for (i = first; i < end; i++) {
            eligible += r > 0 ? w[i] > 0 : t[i - first] > 0;
        }
        share = left / eligible > 1 ? left / eligible : 1;
        for (i = first; i < end && left != 0; i++) {
            uint64_t *ti = &t[i - first], part = share < left ? share : left;

            if (!*negative && w[i] > 0) {
                *ti += part;
                left -= part;
            } else if (*negative && *ti > 0) {
                part = part < *ti ? part : *ti;
                *ti -= part;
                left -= part;
            }
        }
        r = *negative ? -(int64_t)left : (int64_t)left;
    }
    return rounds;
}

/*
 * Sections with one heavy item and some items whose mass is hardly one.  With 16-byte rows, the
 * masses of the sections, computed in double arithmetic, are off by hundreds, so that the heavy
 * item and the tiny ones must give back shares that are larger than the tiny ones' masses.
 */
START_TEST(remainders)
{
    static const char *const what[] = {"one heavy item per section", "with tiny items",
                                       "with tiny items and zeros", "alternating sections"};
    const uint64_t n = small_run() ? 20000 : 400000, blocks = n / ALIAS_SECTION_ITEMS + 1;
    double *w = must_alloc(n, sizeof(*w));
    uint64_t i, b, state = 3, negatives = 0, several = 0, several_negative = 0;
    alias_mass_plan plan;
    int k = 62, round;

    while ((uint64_t)1 << (62 - k) < n) {
        k--;
    }
    for (round = 0; round < (small_run() ? 2 : 8); round++) {
        for (i = 0; i < n; i++) {
            int tiny = _i > 0 && i % ALIAS_SECTION_ITEMS % 60 == (uint64_t)round &&
                       (_i != 3 || i / ALIAS_SECTION_ITEMS % 2 == 0);

            w[i] = !tiny ? 0 : (1 + next_unit(&state)) * 2e-20 * (double)blocks;
            if (_i == 3 && i / ALIAS_SECTION_ITEMS % 3 == 1) {
                w[i] = -0.0;
            }
            if (_i == 1 && i % 5 == 0 && w[i] == 0) {
                w[i] = 1e-25;
            }
        }
        for (b = 0; b < blocks; b++) {
            i = b * ALIAS_SECTION_ITEMS + next_random(&state) % ALIAS_SECTION_ITEMS;
            w[i < n ? i : n - 1] = (_i == 3 && b % 3 == 1 ? 0.0 : next_unit(&state) + 0.1) / 10;
        }
        ck_assert_int_eq(alias_mass_plan_create(&plan, w, n, k, 0, NULL), ALIAS_OK);
        for (b = 0; b < plan.sections; b++) {
            int negative, rounds = rounds_of(w, n, &plan, b, &negative);

            negatives += negative != 0;
            several += rounds > 1;
            several_negative += negative && rounds > 1;
        }
        alias_mass_plan_free(&plan);
        check_weights(w, n, what[_i]);
    }
    /* The corner cases that this test is for do occur. */
    ck_assert(negatives > 0 || small_run());
    ck_assert_msg(_i != 1 || several > 0, "no section needs a second round");
    ck_assert_msg(_i != 1 || several_negative > 0, "no section takes back in two rounds");
    free(w);
}
END_TEST

/* A few ones among zeros of both signs, in sections that are otherwise empty. */
START_TEST(many_zeros)
{
    static const uint64_t distances[] = {2, 3, 31, 32, 64, 1000, 4096, 4097, 9001};
    const uint64_t n = small_run() ? 20000 : 300000;
    double *w = must_alloc(n, sizeof(*w));
    uint64_t i, d;

    for (d = small_run() > 1 ? 6 : 0; d < sizeof(distances) / sizeof(distances[0]);
         d += small_run() ? 6 : 1) {
        for (i = 0; i < n; i++) {
            w[i] = i % distances[d] == distances[d] / 2 ? 1.0 / (double)(3 + i % 5)
                   : i % 2 != 0                         ? 0.0
                                                        : -0.0;
        }
        check_weights(w, n, "many zeros");
    }
    memset(w, 0, n * sizeof(*w));
    w[n - 1] = 4.9e-324; /* one item has all the mass */
    check_weights(w, n, "last item only");
    w[0] = 4.9e-324;
    w[n - 1] = 0;
    check_weights(w, n, "first item only");
    free(w);
}
END_TEST

/* Given masses make the same table as the weights that they come from. */
START_TEST(masses)
{
    /* The last size has more than 1024 sections, which are added up in several rounds. */
    static const uint64_t sizes[] = {1, 2, 33, 4096, 4097, 20000, 300000, 5000000};
    int s, row_bytes, v;

    for (s = 0; s < (_i % 6 == 0 ? 8 : 7); s++) {
        const uint64_t n = sizes[s];
        double *w;
        uint64_t *q;

        if (small_run() && (_i != 6 || n != 4097)) {
            continue;
        }
        w = family_weights(_i, n);
        q = must_alloc(n, sizeof(*q));
        for (row_bytes = 8; row_bytes <= 16; row_bytes += 8) {
            cpu_tables expected = cpu_tables_create(w, n, row_bytes);

            ck_assert_int_eq(alias_quantize(w, n, alias_log2_capacity(expected.sweep), q, NULL),
                             ALIAS_OK);
            for (v = 0; v < GPU_VARIANTS; v++) {
                alias_config c = gpu_config(gpu_variants[v].builder, row_bytes, ALIAS_ROWS_SOA);
                alias_table *table = NULL;
                int st;

                c.split = gpu_variants[v].split;
                c.pack = gpu_variants[v].pack;
                st = alias_create_masses(&table, &c, q, n);
                ck_assert_msg(st == ALIAS_OK, "%s: %s", describe(&c, n, family_name(_i)),
                              alias_strerror(st));
                check_rows(table, &expected, describe(&c, n, family_name(_i)));
                alias_destroy(table);
            }
            cpu_tables_destroy(expected);
        }
        free(q);
        free(w);
    }
}
END_TEST

static int status_of_masses(const uint64_t *q, uint64_t n, int row_bytes, alias_builder builder)
{
    alias_config c = gpu_config(builder, row_bytes, ALIAS_ROWS_AOS);
    alias_table *table = (alias_table *)&c; /* anything but NULL */
    int st = alias_create_masses(&table, &c, q, n);

    ck_assert((st == ALIAS_OK) == (table != NULL));
    alias_destroy(table);
    return st;
}

/* Sums that are wrong by one, and sums that are right only modulo 2^64: where they overflow in one
 * item, inside a section, and over sections. */
START_TEST(wrong_masses)
{
    const uint64_t n = 50000, c = (uint64_t)1 << 32, half = (uint64_t)1 << 63;
    uint64_t *q = must_alloc(n, sizeof(*q)), i;
    static const uint64_t places[] = {0, 1, 31, 32, 4095, 4096, 30000, 49999};
    alias_builder builder;
    int a, b;

    for (i = 0; i < n; i++) {
        q[i] = c;
    }
    for (builder = ALIAS_BUILDER_PSA; builder <= ALIAS_BUILDER_MERGE;
         builder += small_run() ? 2 : 1) {
        ck_assert_int_eq(status_of_masses(q, n, 8, builder), ALIAS_OK);
        for (a = 0; a < 8; a += small_run() ? 5 : 1) {
            q[places[a]]++;
            ck_assert_int_eq(status_of_masses(q, n, 8, builder), ALIAS_ERR_SUM);
            q[places[a]] -= 2;
            ck_assert_int_eq(status_of_masses(q, n, 8, builder), ALIAS_ERR_SUM);
            q[places[a]]++;
            for (b = a + 1; b < 8; b++) {
                q[places[a]] += half;
                q[places[b]] += half;
                ck_assert_int_eq(status_of_masses(q, n, 8, builder), ALIAS_ERR_SUM);
                q[places[a]] -= half;
                q[places[b]] -= half;
            }
        }
    }
    memset(q, 0, n * sizeof(*q));
    ck_assert_int_eq(status_of_masses(q, n, 8, ALIAS_BUILDER_AUTO), ALIAS_ERR_SUM);
    q[49999] = n << 32;
    ck_assert_int_eq(status_of_masses(q, n, 8, ALIAS_BUILDER_AUTO), ALIAS_OK);
    for (i = 0; i < n; i++) {
        q[i] = n << 32;
    }
    ck_assert_int_eq(status_of_masses(q, n, 8, ALIAS_BUILDER_AUTO), ALIAS_ERR_SUM);
    for (i = 0; i < n; i++) { /* 16-byte rows: k = 46 */
        q[i] = (uint64_t)1 << (i % 3 == 0 ? 61 : 46);
    }
    ck_assert_int_eq(status_of_masses(q, n, 16, ALIAS_BUILDER_AUTO), ALIAS_ERR_SUM);
    for (i = 0; i < n; i++) {
        q[i] = (uint64_t)1 << 46;
    }
    ck_assert_int_eq(status_of_masses(q, n, 16, ALIAS_BUILDER_AUTO), ALIAS_OK);
    /* Eight times 2^61 too much: right modulo 2^64, and no single item has too much. */
    for (a = 0; a < 8; a++) {
        q[places[a]] += (uint64_t)1 << 61;
    }
    ck_assert_int_eq(status_of_masses(q, n, 16, ALIAS_BUILDER_AUTO), ALIAS_ERR_SUM);
    free(q);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alias_gpu_quantize");
    TCase *tc = tcase_create("alias_gpu_quantize");

    tcase_add_test(tc, extreme_sums);
    tcase_add_test(tc, where_it_overflows);
    tcase_add_loop_test(tc, remainders, 0, 4);
    tcase_add_test(tc, many_zeros);
    tcase_add_loop_test(tc, masses, 0, FAMILIES);
    tcase_add_test(tc, wrong_masses);
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
