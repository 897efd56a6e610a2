/*
 * Tables from integer masses equal those from the weights that the masses were scaled from, for
 * every builder and row width.  Masses with another sum are refused.
 */
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t sizes[] = {1, 2, 33, 4096, 4097, 20000};

static alias_table *create_masses(alias_builder builder, int row_bytes, const uint64_t *q,
                                  uint64_t n)
{
    alias_config config;
    alias_table *table;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.builder = builder;
    config.row_bytes = row_bytes;
    ck_assert_int_eq(alias_create_masses(&table, &config, q, n), ALIAS_OK);
    return table;
}

START_TEST(same_as_from_weights)
{
    const uint64_t n = sizes[_i];
    uint64_t *q = must_alloc(n, sizeof *q);

    for (int family = 0; family < FAMILIES; family++) {
        double *weights = family_weights(family, n);

        for (int row_bytes = 8; row_bytes <= 16; row_bytes += 8) {
            for (int i = ALIAS_BUILDER_AUTO; i < alias_builder_count(); i++) {
                const alias_builder b = (alias_builder)i;
                alias_table *expected =
                    must_create(ALIAS_BACKEND_CPU, b, row_bytes, 0, 0, weights, n);
                int k = alias_log2_capacity(expected);
                alias_table *table;
                alias_row *rows, *expected_rows = table_rows(expected);

                ck_assert_int_eq(alias_quantize(weights, n, k, q, NULL), ALIAS_OK);
                table = create_masses(b, row_bytes, q, n);
                rows = table_rows(table);
                check_equal(rows, expected_rows, n, family_name(family));
                check_masses(rows, n, k, q, family_name(family));
                free(rows);
                free(expected_rows);
                alias_destroy(table);
                alias_destroy(expected);
            }
        }
        free(weights);
    }
    free(q);
}
END_TEST

START_TEST(wrong_sums)
{
    const uint64_t c = UINT64_C(1) << 32;
    const uint64_t wrong[][4] = {
        {c, c, c, c - 1},          {c, c, c, c + 1},          {0, 0, 0, 0},
        {UINT64_MAX, c, c, c},     {4 * c, 0, 0, 1},          {UINT64_MAX, 4 * c + 1, 0, 0},
        {1, UINT64_MAX, 4 * c, 0}, {4 * c, 0, -4 * c, 4 * c},
    };
    alias_config config;
    alias_table *table;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.row_bytes = 8;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(alias_create_masses(&table, &config, wrong[i], 4), ALIAS_ERR_SUM);
        ck_assert_ptr_null(table);
    }
    ck_assert_int_eq(alias_create_masses(&table, &config, NULL, 4), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_create_masses(&table, &config, wrong[0], 0), ALIAS_ERR_EMPTY);
}
END_TEST

TEST_MAIN(alias_masses)
{
    Suite *s = suite_create("alias_masses");
    TCase *t = tcase_create("masses");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, same_as_from_weights, 0, sizeof sizes / sizeof sizes[0]);
    tcase_add_test(t, wrong_sums);
    suite_add_tcase(s, t);
    return run_suite(s);
}
