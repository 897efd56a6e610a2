/*
 * Errors of the CPU backend: every status, with the index of the unusable weight; the limits of n;
 * and allocations that fail.
 */
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifndef ASAN
#define ASAN 0
#endif

/* Lets an allocation fail under AddressSanitizer as it would without it. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static alias_config cpu_config(void)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    return config;
}

/* The status of alias_create(); config NULL: the CPU's defaults. */
static int create(const alias_config *config, const double *w, uint64_t n, uint64_t *bad)
{
    const alias_config defaults = cpu_config();
    alias_table *table = (alias_table *)w; /* anything but NULL */
    int st = alias_create(&table, config != NULL ? config : &defaults, w, n, bad);

    ck_assert((st == ALIAS_OK) == (table != NULL));
    alias_destroy(table);
    return st;
}

START_TEST(unusable_weights)
{
    static const struct {
        double value;
        int status;
    } cases[] = {{NAN, ALIAS_ERR_NAN},           {-NAN, ALIAS_ERR_NAN},
                 {INFINITY, ALIAS_ERR_INFINITE}, {-INFINITY, ALIAS_ERR_INFINITE},
                 {-1, ALIAS_ERR_NEGATIVE},       {-4.9e-324, ALIAS_ERR_NEGATIVE}};
    static const uint64_t sizes[] = {1, 31, 32, 33, 4096, 4097, 100000};
    size_t c, s, p;

    for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        uint64_t n = sizes[s], places[] = {0, n / 3, n / 2, n - 1}, bad, i;
        double *w = must_alloc(n, sizeof(*w));

        for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            for (p = 0; p < 4; p++) {
                for (i = 0; i < n; i++) {
                    w[i] = 1;
                }
                w[n - 1] = NAN;
                w[(places[p] + n) / 2] = -1;
                w[places[p]] = cases[c].value;
                bad = 12345678;
                ck_assert_int_eq(create(NULL, w, n, &bad), cases[c].status);
                ck_assert_uint_eq(bad, places[p]);
                ck_assert_int_eq(create(NULL, w, n, NULL), cases[c].status);
                bad = 12345678;
                ck_assert_int_eq(alias_quantize(w, n, 10, (uint64_t *)w, &bad), cases[c].status);
                ck_assert_uint_eq(bad, places[p]);
            }
        }
        free(w);
    }
}
END_TEST

START_TEST(zeros)
{
    static double w[5000];
    uint64_t q[2], i;

    ck_assert_int_eq(create(NULL, w, 1, NULL), ALIAS_ERR_ZERO_SUM);
    ck_assert_int_eq(create(NULL, w, 5000, NULL), ALIAS_ERR_ZERO_SUM);
    for (i = 0; i < 5000; i++) {
        w[i] = -0.0;
    }
    ck_assert_int_eq(create(NULL, w, 5000, NULL), ALIAS_ERR_ZERO_SUM);
    w[1] = 3;
    ck_assert_int_eq(create(NULL, w, 5000, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_quantize(w, 2, 3, q, NULL), ALIAS_OK);
    ck_assert(q[0] == 0 && q[1] == 16);
}
END_TEST

START_TEST(arguments)
{
    double w[3] = {1, 2, 3};
    uint64_t q[3];
    uint32_t out;
    alias_config c;
    alias_table *table;
    alias_row row;

    ck_assert_int_eq(alias_create(NULL, NULL, w, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create(NULL, NULL, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create(NULL, w, 0, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_quantize(NULL, 3, 3, q, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_quantize(w, 3, 3, NULL, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_quantize(w, 0, 3, q, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_quantize(w, 3, -1, q, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_quantize(w, 3, 62, q, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_quantize(w, 3, 64, q, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_quantize(w, 3, 61, q, NULL), ALIAS_OK);

    /* Too many for the row width, which is found before any weight is read. */
    c = cpu_config();
    c.row_bytes = 8;
    ck_assert_int_eq(create(&c, w, ((uint64_t)1 << 31) + 1, NULL), ALIAS_ERR_TOO_MANY);
    c.row_bytes = 16;
    ck_assert_int_eq(create(&c, w, ((uint64_t)1 << 40) + 1, NULL), ALIAS_ERR_TOO_MANY);
    c.row_bytes = 0;
    ck_assert_int_eq(create(&c, w, UINT64_MAX, NULL), ALIAS_ERR_TOO_MANY);

    c.row_bytes = 4;
    ck_assert_int_eq(create(&c, w, 3, NULL), ALIAS_ERR_ARG);
    c = cpu_config();
    c.threads = -1;
    ck_assert_int_eq(create(&c, w, 3, NULL), ALIAS_ERR_ARG);
    c = cpu_config();
    c.backend = (alias_backend)3;
    ck_assert_int_eq(create(&c, w, 3, NULL), ALIAS_ERR_ARG);
    c = cpu_config();
    c.builder = (alias_builder)6;
    ck_assert_int_eq(create(&c, w, 3, NULL), ALIAS_ERR_ARG);
    alias_config_default(NULL);

    c = cpu_config();
    ck_assert_int_eq(alias_create(&table, &c, w, 3, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_get_row(NULL, 0, &row), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_get_row(table, 0, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_get_row(table, 3, &row), ALIAS_ERR_RANGE);
    ck_assert_int_eq(alias_sample32(NULL, 1, 0, 1, &out), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_sample32(table, 1, 0, 1, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_sample64(table, 1, 0, 1, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_sample64(table, 1, 7, 0, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(table, 1, UINT64_MAX, 1, &out), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(table, 1, UINT64_MAX, 2, &out), ALIAS_ERR_RANGE);
    alias_destroy(table);
}
END_TEST

START_TEST(words)
{
    int st;
    const char *unknown = alias_strerror(1);

    for (st = 0; st >= ALIAS_ERR_CUDA; st--) {
        ck_assert_str_ne(alias_strerror(st), unknown);
        ck_assert(st == 0 || strcmp(alias_strerror(st), alias_strerror(st + 1)) != 0);
    }
    ck_assert_str_eq(alias_strerror(-99), unknown);
    ck_assert_str_eq(alias_builder_name(ALIAS_BUILDER_PSA_PLUS), "psa+");
    ck_assert_str_eq(alias_builder_name((alias_builder)99), "unknown");
}
END_TEST

static void limit_address_space(uint64_t extra)
{
    struct rlimit limit;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = (rlim_t)pages * 4096 + extra;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Sizes that overflow or that exceed the memory of any machine; the weights must not be read. */
START_TEST(huge)
{
    double w = 1;
    alias_config c;

    limit_address_space((uint64_t)1 << 28);
    c = cpu_config();
    c.threads = 1;
    ck_assert_int_eq(create(&c, &w, (uint64_t)1 << 40, NULL), ALIAS_ERR_NOMEM);
    ck_assert_int_eq(create(&c, &w, (uint64_t)1 << 31, NULL), ALIAS_ERR_NOMEM);
    c.row_bytes = 16;
    ck_assert_int_eq(create(&c, &w, (uint64_t)1 << 39, NULL), ALIAS_ERR_NOMEM);
}
END_TEST

/* With less and less memory: a table or a clean refusal, whichever allocation fails. */
START_TEST(every_allocation)
{
    uint64_t n = 300000, kib;
    double *w = family_weights(4, n);
    alias_config c;
    int refused = 0, made = 0;

    c = cpu_config();
    c.builder = (alias_builder)_i;
    c.threads = 1;
    ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_OK);
    for (kib = 0; kib < 40000; kib += 500) {
        int st;

        limit_address_space(kib << 10);
        st = create(&c, w, n, NULL);
        ck_assert(st == ALIAS_OK || st == ALIAS_ERR_NOMEM);
        refused += st != ALIAS_OK;
        made += st == ALIAS_OK;
    }
    ck_assert_int_gt(refused, 3);
    ck_assert_int_gt(made, 3);
    free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alias_errors");
    TCase *tc = tcase_create("alias_errors");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, unusable_weights);
    tcase_add_test(tc, zeros);
    tcase_add_test(tc, arguments);
    tcase_add_test(tc, words);
    tcase_add_test(tc, huge);
    if (!ASAN) { /* AddressSanitizer needs address space of its own */
        tcase_add_loop_test(tc, every_allocation, ALIAS_BUILDER_AUTO, alias_builder_count());
    }
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
