/*
 * What the GPU backend refuses: unusable weights, arguments, devices and sizes.  Each has a status,
 * and the library works as before afterwards.
 */
#include "tests/support/gpu_util.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int create_device(const alias_config *config, const double *w, uint64_t n, uint64_t *bad)
{
    alias_table *table = (alias_table *)config;
    int st = alias_create_device(&table, config, w, n, NULL, bad);

    ck_assert((st == ALIAS_OK) == (table != NULL));
    alias_destroy(table);
    return st;
}

static int prepare(const alias_config *config, uint64_t n)
{
    alias_table *table = (alias_table *)config;
    int st = alias_prepare(&table, config, n);

    ck_assert((st == ALIAS_OK) == (table != NULL));
    alias_destroy(table);
    return st;
}

/* Every kind of unusable weight at every kind of place, with more of them behind it; afterwards,
 * the same table and scratch memory serve a correct build. */
START_TEST(unusable_weights)
{
    static const struct {
        double value;
        int status;
    } cases[] = {{NAN, ALIAS_ERR_NAN},           {-NAN, ALIAS_ERR_NAN},
                 {INFINITY, ALIAS_ERR_INFINITE}, {-INFINITY, ALIAS_ERR_INFINITE},
                 {-1, ALIAS_ERR_NEGATIVE},       {-4.9e-324, ALIAS_ERR_NEGATIVE},
                 {-1.7e308, ALIAS_ERR_NEGATIVE}};
    static const uint64_t sizes[] = {1, 31, 33, 4096, 4097, 100000};
    const alias_config c = gpu_config((alias_builder)_i, 8, ALIAS_ROWS_AOS);
    int s, k, p;

    for (s = small_run() ? 4 : 0; s < (small_run() ? 5 : 6); s++) {
        uint64_t n = sizes[s], places[] = {0, n / 3, n / 2, n - 1}, bad, i;
        double *w = must_alloc(n, sizeof(*w)), *device = on_device(NULL, n * sizeof(*w));
        alias_table *table;
        cpu_tables expected;
        void *scratch;

        ck_assert_int_eq(alias_prepare(&table, &c, n), ALIAS_OK);
        scratch = on_device(NULL, alias_build_bytes(table));
        for (k = 0; k < 7; k += 1 + 2 * small_run()) {
            for (p = 0; p < 4; p += small_run() ? 2 : 1) {
                for (i = 0; i < n; i++) {
                    w[i] = 1;
                }
                w[n - 1] = NAN;
                w[(places[p] + n) / 2] = -1;
                w[places[p]] = cases[k].value;
                must_cuda(cudaMemcpy(device, w, n * sizeof(*w), cudaMemcpyHostToDevice));
                bad = 12345678;
                ck_assert_int_eq(create_status(&c, w, n, &bad), cases[k].status);
                ck_assert_uint_eq(bad, places[p]);
                ck_assert_int_eq(create_status(&c, w, n, NULL), cases[k].status);
                bad = 12345678;
                ck_assert_int_eq(create_device(&c, device, n, &bad), cases[k].status);
                ck_assert_uint_eq(bad, places[p]);
                ck_assert_int_eq(create_device(&c, device, n, NULL), cases[k].status);
                bad = 12345678;
                ck_assert_int_eq(alias_build_async(table, device, scratch, NULL), ALIAS_OK);
                ck_assert_int_eq(alias_build_wait(table, &bad), cases[k].status);
                ck_assert_uint_eq(bad, places[p]);
            }
        }
        for (i = 0; i < n; i++) {
            w[i] = i % 2 != 0 ? -0.0 : 0.0;
        }
        must_cuda(cudaMemcpy(device, w, n * sizeof(*w), cudaMemcpyHostToDevice));
        ck_assert_int_eq(create_status(&c, w, n, NULL), ALIAS_ERR_ZERO_SUM);
        ck_assert_int_eq(create_device(&c, device, n, NULL), ALIAS_ERR_ZERO_SUM);
        ck_assert_int_eq(alias_build_async(table, device, scratch, NULL), ALIAS_OK);
        ck_assert_int_eq(alias_build_wait(table, NULL), ALIAS_ERR_ZERO_SUM);

        w[n / 2] = 7;
        must_cuda(cudaMemcpy(device, w, n * sizeof(*w), cudaMemcpyHostToDevice));
        expected = cpu_tables_create(w, n, 8);
        bad = 12345678;
        ck_assert_int_eq(alias_build_async(table, device, scratch, NULL), ALIAS_OK);
        ck_assert_int_eq(alias_build_wait(table, &bad), ALIAS_OK);
        ck_assert_uint_eq(bad, 12345678);
        check_rows(table, &expected, "after failures");
        cpu_tables_destroy(expected);
        alias_destroy(table);
        must_cuda(cudaFree(scratch));
        must_cuda(cudaFree(device));
        free(w);
    }
}
END_TEST

START_TEST(arguments)
{
    const double w[3] = {1, 2, 3};
    double *device = on_device(w, sizeof(w));
    alias_config c = gpu_config(ALIAS_BUILDER_AUTO, 8, ALIAS_ROWS_AOS), wrong[11];
    alias_table *table, *host, *copy;
    alias_view view;
    alias_row row;
    uint32_t out;
    size_t i;

    ck_assert_int_eq(alias_create(NULL, &c, w, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create_status(&c, NULL, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create_status(&c, w, 0, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_create_masses(&table, &c, NULL, 3), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_create_device(NULL, &c, device, 3, NULL, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create_device(&c, NULL, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create_device(&c, device, 0, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_prepare(NULL, &c, 3), ALIAS_ERR_ARG);
    ck_assert_int_eq(prepare(&c, 0), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_build_wait(NULL, NULL), ALIAS_ERR_ARG);
    ck_assert_uint_eq(alias_build_bytes(NULL), 0);

    /* Too many rows, which is found before any weight is read. */
    ck_assert_int_eq(create_status(&c, w, ((uint64_t)1 << 31) + 1, NULL), ALIAS_ERR_TOO_MANY);
    ck_assert_int_eq(create_device(&c, device, ((uint64_t)1 << 31) + 1, NULL), ALIAS_ERR_TOO_MANY);
    ck_assert_int_eq(prepare(&c, ((uint64_t)1 << 31) + 1), ALIAS_ERR_TOO_MANY);
    c.row_bytes = 16;
    ck_assert_int_eq(prepare(&c, ((uint64_t)1 << 40) + 1), ALIAS_ERR_TOO_MANY);
    c.row_bytes = 0;
    ck_assert_int_eq(prepare(&c, UINT64_MAX), ALIAS_ERR_TOO_MANY);

    for (i = 0; i < 11; i++) {
        wrong[i] = c;
    }
    wrong[0].backend = (alias_backend)3;
    wrong[1].builder = (alias_builder)6;
    wrong[2].row_bytes = 4;
    wrong[3].threads = -1;
    wrong[4].device = -2;
    wrong[5].device = INT_MIN;
    wrong[6].split = (alias_split_method)3;
    wrong[7].pack = (alias_pack_method)4;
    wrong[8].layout = (alias_layout)2;
    wrong[9].split = (alias_split_method)-1;
    wrong[10].layout = (alias_layout)-1;
    for (i = 0; i < 11; i++) {
        ck_assert_int_eq(create_status(&wrong[i], w, 3, NULL), ALIAS_ERR_ARG);
        ck_assert_int_eq(create_device(&wrong[i], device, 3, NULL), ALIAS_ERR_ARG);
        ck_assert_int_eq(prepare(&wrong[i], 3), ALIAS_ERR_ARG);
    }
    /* These builders work on the host only. */
    wrong[0] = wrong[1] = wrong[2] = c;
    wrong[0].backend = ALIAS_BACKEND_CPU;
    wrong[1].builder = ALIAS_BUILDER_VOSE;
    wrong[2].builder = ALIAS_BUILDER_SWEEP;
    for (i = 0; i < 3; i++) {
        ck_assert_int_eq(create_device(&wrong[i], device, 3, NULL), ALIAS_ERR_ARG);
        ck_assert_int_eq(prepare(&wrong[i], 3), ALIAS_ERR_ARG);
    }

    ck_assert_int_eq(alias_create(&table, &c, w, 3, NULL), ALIAS_OK);
    host = must_create(ALIAS_BACKEND_CPU, ALIAS_BUILDER_AUTO, 8, 0, 0, w, 3);
    ck_assert_int_eq(alias_build_async(NULL, device, device, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_build_async(table, NULL, device, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_build_async(table, device, NULL, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_build_async(host, device, device, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_build_wait(host, NULL), ALIAS_ERR_ARG);
    ck_assert_uint_eq(alias_build_bytes(host), 0);
    ck_assert_int_eq(alias_get_view(NULL, &view), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_get_view(table, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_get_view(host, &view), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_copy_to_host(NULL, table), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_copy_to_host(&copy, NULL), ALIAS_ERR_ARG);
    ck_assert_ptr_null(copy);
    copy = host;
    ck_assert_int_eq(alias_copy_to_host(&copy, host), ALIAS_ERR_ARG);
    ck_assert_ptr_null(copy);
    ck_assert_int_eq(alias_copy_to_device(NULL, host, 0), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_copy_to_device(&copy, NULL, 0), ALIAS_ERR_ARG);
    copy = host;
    ck_assert_int_eq(alias_copy_to_device(&copy, table, 0), ALIAS_ERR_ARG);
    ck_assert_ptr_null(copy);
    ck_assert_int_eq(alias_get_row(table, 0, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_get_row(table, 3, &row), ALIAS_ERR_RANGE);
    ck_assert_int_eq(alias_sample32(table, 1, 0, 1, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_sample64(table, 1, 7, 0, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(table, 1, UINT64_MAX, 1, &out), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(table, 1, UINT64_MAX, 2, &out), ALIAS_ERR_RANGE);
    alias_destroy(host);
    alias_destroy(table);
    must_cuda(cudaFree(device));
}
END_TEST

START_TEST(no_such_device)
{
    const int ids[] = {alias_gpu_count(), alias_gpu_count() + 1000, INT_MAX};
    const double w[3] = {1, 2, 3};
    double *device = on_device(w, sizeof(w));
    alias_config c = gpu_config(ALIAS_BUILDER_AUTO, 8, ALIAS_ROWS_AOS);
    alias_table *host = must_create(ALIAS_BACKEND_CPU, ALIAS_BUILDER_AUTO, 8, 0, 0, w, 3);
    alias_table *copy = host;
    int i;

    for (i = 0; i < 3; i++) {
        c.device = ids[i];
        ck_assert_int_eq(create_status(&c, w, 3, NULL), ALIAS_ERR_DEVICE);
        ck_assert_int_eq(create_device(&c, device, 3, NULL), ALIAS_ERR_DEVICE);
        ck_assert_int_eq(prepare(&c, 3), ALIAS_ERR_DEVICE);
        ck_assert_int_eq(alias_copy_to_device(&copy, host, ids[i]), ALIAS_ERR_DEVICE);
        ck_assert_ptr_null(copy);
    }
    c.device = 0;
    ck_assert_int_eq(create_status(&c, w, 3, NULL), ALIAS_OK);
    alias_destroy(host);
    must_cuda(cudaFree(device));
}
END_TEST

/* More memory than any GPU has.  The weights must not be read. */
START_TEST(huge)
{
    const uint64_t n = (uint64_t)1 << 36;
    const size_t before = free_device_memory();
    alias_config c = gpu_config(ALIAS_BUILDER_AUTO, 16, ALIAS_ROWS_AOS);
    void *w = mmap(NULL, n * sizeof(double), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    ck_assert(w != MAP_FAILED);
    ck_assert_int_eq(create_status(&c, w, n, NULL), ALIAS_ERR_NOMEM);
    ck_assert_msg(strstr(alias_gpu_error(), "emory") != NULL, "'%s'", alias_gpu_error());
    ck_assert_int_eq(create_device(&c, w, n, NULL), ALIAS_ERR_NOMEM);
    ck_assert_int_eq(prepare(&c, n), ALIAS_ERR_NOMEM);
    ck_assert_int_eq(prepare(&c, (uint64_t)1 << 40), ALIAS_ERR_NOMEM);
    c.layout = ALIAS_ROWS_SOA;
    ck_assert_int_eq(prepare(&c, n), ALIAS_ERR_NOMEM);
    check_no_leak(before);
    munmap(w, n * sizeof(double));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alias_gpu_errors");
    TCase *tc = tcase_create("alias_gpu_errors");

    tcase_add_loop_test(tc, unusable_weights, ALIAS_BUILDER_PSA,
                        (small_run() > 1 ? ALIAS_BUILDER_PSA : ALIAS_BUILDER_MERGE) + 1);
    tcase_add_test(tc, arguments);
    tcase_add_test(tc, no_such_device);
    tcase_add_test(tc, huge);
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
