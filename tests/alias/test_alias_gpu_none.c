/*
 * Without a visible GPU, or without CUDA in the build: every function of alias_gpu.h exists and
 * says so, and what does not need a GPU runs on the CPU.
 */
#include "alias/alias_gpu.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>

static const double weights[3] = {1, 2, 3};

static alias_table *cpu_table(void)
{
    return must_create(ALIAS_BACKEND_CPU, ALIAS_BUILDER_AUTO, 8, 1, 0, weights, 3);
}

START_TEST(says_so)
{
    alias_table *host = cpu_table(), *out = host;
    alias_view view;
    alias_config c;

    ck_assert_int_eq(alias_gpu_count(), 0);
    ck_assert_ptr_nonnull(alias_gpu_error());
    alias_config_default(&c);
    c.backend = ALIAS_BACKEND_GPU;
    ck_assert_int_eq(alias_create(&out, &c, weights, 3, NULL), ALIAS_ERR_NO_BACKEND);
    ck_assert_ptr_null(out);
    out = host;
    ck_assert_int_eq(alias_create_device(&out, &c, weights, 3, NULL, NULL), ALIAS_ERR_NO_BACKEND);
    ck_assert_ptr_null(out);
    out = host;
    ck_assert_int_eq(alias_prepare(&out, &c, 3), ALIAS_ERR_NO_BACKEND);
    ck_assert_ptr_null(out);
    out = host;
    ck_assert_int_eq(alias_copy_to_device(&out, host, 0), ALIAS_ERR_NO_BACKEND);
    ck_assert_ptr_null(out);

    /* A CPU table, the only kind here, is no valid argument of these. */
    ck_assert_uint_eq(alias_build_bytes(host), 0);
    ck_assert_int_ne(alias_build_async(host, weights, &c, NULL), ALIAS_OK);
    ck_assert_int_ne(alias_build_wait(host, NULL), ALIAS_OK);
    ck_assert_int_ne(alias_get_view(host, &view), ALIAS_OK);
    out = host;
    ck_assert_int_ne(alias_copy_to_host(&out, host), ALIAS_OK);
    ck_assert_ptr_null(out);
    alias_destroy(host);
}
END_TEST

START_TEST(cpu_instead)
{
    alias_table *host = cpu_table(), *table;
    uint32_t expected[100], out[100];
    int i;

    ck_assert_int_eq(alias_create(&table, NULL, weights, 3, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(table, 5, 7, 100, out), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(host, 5, 7, 100, expected), ALIAS_OK);
    for (i = 0; i < 100; i++) {
        ck_assert_uint_eq(out[i], expected[i]);
    }
    alias_destroy(table);
    alias_destroy(host);
}
END_TEST

TEST_MAIN(alias_gpu_none)
{
    Suite *suite = suite_create("alias_gpu_none");
    TCase *tc = tcase_create("alias_gpu_none");

    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* before the first call of CUDA */
    tcase_add_test(tc, says_so);
    tcase_add_test(tc, cpu_instead);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
