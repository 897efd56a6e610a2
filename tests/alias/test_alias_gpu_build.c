/* Tables built on the GPU have the CPU's rows, whatever the weight family, size and settings. */
#include "tests/support/gpu_util.h"

#include <stdlib.h>

static const uint64_t sizes[] = {1, 2, 31, 32, 33, 1023, 4095, 4096, 4097, 100000, 1000001};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), LAYOUTS = 2 };

/* A few splits, many, and more than there are items. */
static uint64_t some_splits(uint64_t n, uint64_t i)
{
    const uint64_t splits[] = {0, 1, 2, 3, 31, 100, 4099, n / 5 + 1, n, 2 * n + 1};

    return splits[i % (sizeof(splits) / sizeof(splits[0]))];
}

/* PSA+ also has the right masses, which can be checked without another table. */
static void check_plus_masses(const double *device, const double *w, uint64_t n, int row_bytes)
{
    alias_config c = gpu_config(ALIAS_BUILDER_PSA_PLUS, row_bytes, ALIAS_ROWS_AOS);
    alias_table *table;
    uint64_t *q = must_alloc(n, sizeof(*q));
    alias_row *rows;

    ck_assert_int_eq(alias_create_device(&table, &c, device, n, NULL, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_quantize(w, n, alias_log2_capacity(table), q, NULL), ALIAS_OK);
    rows = table_rows(table);
    check_masses(rows, n, alias_log2_capacity(table), q, "psa+");
    free(rows);
    free(q);
    alias_destroy(table);
}

static void check_size(int family, uint64_t n)
{
    double *w = family_weights(family, n), *device = on_device(w, n * sizeof(*w));
    uint64_t turn = (uint64_t)family;
    int row_bytes, layout, v;

    for (row_bytes = 8; row_bytes <= 16; row_bytes += 8) {
        cpu_tables expected = cpu_tables_create(w, n, row_bytes);

        for (layout = 0; layout < LAYOUTS; layout++) {
            for (v = 0; v < GPU_VARIANTS; v++) {
                alias_config c =
                    gpu_config(gpu_variants[v].builder, row_bytes, (alias_layout)layout);

                c.split = gpu_variants[v].split;
                c.pack = gpu_variants[v].pack;
                c.splits = c.builder == ALIAS_BUILDER_PSA ? some_splits(n, turn++) : 0;
                check_build(&c, device, n, &expected, family_name(family));
            }
        }
        check_plus_masses(device, w, n, row_bytes);
        cpu_tables_destroy(expected);
    }
    must_cuda(cudaFree(device));
    free(w);
}

START_TEST(families)
{
    int s;

    for (s = 0; s < SIZES; s++) {
        if (!small_run() || (_i == 4 && sizes[s] == 4097) ||
            (small_run() == 1 && _i % 12 == 4 && sizes[s] == 33)) {
            check_size(_i, sizes[s]);
        }
    }
}
END_TEST

/* Many numbers of splits, with every way to split and to pack. */
START_TEST(splits)
{
    static const int some_families[] = {0, 4, 10, 15, 16};
    static const uint64_t some_sizes[] = {1, 2, 33, 1000, 4097, 30000, 300000};
    const int family = some_families[_i];
    int s, v;
    uint64_t p;

    for (s = 0; s < 7; s++) {
        const uint64_t n = some_sizes[s];
        const uint64_t parts[] = {0,   1,   2,   3,    7,    31,    32, 33,    64,     99,
                                  100, 255, 256, 1000, 4099, n - 1, n,  n + 1, 10 * n, UINT64_MAX};
        double *w, *device;
        cpu_tables expected;

        if (small_run() && (_i != 1 || small_run() > 1 || (n != 33 && n != 4097))) {
            continue;
        }
        w = family_weights(family, n);
        device = on_device(w, n * sizeof(*w));
        expected = cpu_tables_create(w, n, 8);
        for (v = 0; gpu_variants[v].builder == ALIAS_BUILDER_PSA; v++) {
            for (p = 0; p < sizeof(parts) / sizeof(parts[0]); p += small_run() ? 7 : 1) {
                alias_config c = gpu_config(ALIAS_BUILDER_PSA, 8, ALIAS_ROWS_AOS);

                c.split = gpu_variants[v].split;
                c.pack = gpu_variants[v].pack;
                c.splits = parts[p];
                check_build(&c, device, n, &expected, family_name(family));
            }
        }
        cpu_tables_destroy(expected);
        must_cuda(cudaFree(device));
        free(w);
    }
}
END_TEST

/* The same rows in every run, with other work on the GPU in between. */
START_TEST(again_and_again)
{
    const uint64_t n = small_run() ? 9000 : 700001;
    double *w = family_weights(4, n), *device = on_device(w, n * sizeof(*w));
    cpu_tables expected = cpu_tables_create(w, n, 8);
    int round, v;

    for (round = 0; round < (small_run() ? 2 - small_run() : 12); round++) {
        for (v = 0; v < GPU_VARIANTS; v++) {
            alias_config c = gpu_config(gpu_variants[v].builder, 8, ALIAS_ROWS_AOS);

            c.split = gpu_variants[v].split;
            c.pack = gpu_variants[v].pack;
            check_build(&c, device, n, &expected, family_name(4));
        }
    }
    cpu_tables_destroy(expected);
    must_cuda(cudaFree(device));
    free(w);
}
END_TEST

static void check_variants(const double *w, uint64_t n, const char *what)
{
    double *device = on_device(w, n * sizeof(*w));
    cpu_tables expected = cpu_tables_create(w, n, 8);
    int v;

    for (v = 0; v < GPU_VARIANTS; v++) {
        alias_config c = gpu_config(gpu_variants[v].builder, 8, ALIAS_ROWS_AOS);

        c.split = gpu_variants[v].split;
        c.pack = gpu_variants[v].pack;
        check_build(&c, device, n, &expected, what);
    }
    cpu_tables_destroy(expected);
    must_cuda(cudaFree(device));
}

/* The position of item i of a few: at the beginning, at the end, or spread. */
static uint64_t place(int where, uint64_t i, uint64_t few, uint64_t n)
{
    return where == 0 ? i : where == 1 ? n - 1 - i : i * (n / few) + n / few / 2;
}

/* Long runs: a few heavy items fill all buckets, or a few light ones take from all. */
START_TEST(few_of_a_kind)
{
    static const uint64_t fews[] = {1, 2, 3, 40, 5000};
    const uint64_t n = small_run() ? 20000 : _i == 0 ? 250000 : 3000000; /* 700 sections */
    double *w = must_alloc(n, sizeof(*w));
    uint64_t i, f;
    int where;

    for (f = small_run() > 1 ? 4 : 0; f < sizeof(fews) / sizeof(fews[0]);
         f += small_run() ? 4 : 1) {
        for (where = small_run() > 1 ? 2 : 0; where < 3; where += small_run() ? 2 : 1) {
            for (i = 0; i < n; i++) {
                w[i] = _i == 0 ? 1e-3 * (double)(i % 7) : 1 + 1e-9 * (double)(i * i % 1009);
            }
            for (i = 0; i < fews[f]; i++) {
                w[place(where, i, fews[f], n)] =
                    _i == 0 ? (double)n * (double)(1 + i % 3) : (double)(i % 3) / 4;
            }
            check_variants(w, n, _i == 0 ? "few heavy" : "few light");
        }
    }
    free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alias_gpu_build");
    TCase *tc = tcase_create("alias_gpu_build");

    tcase_add_loop_test(tc, families, 0, FAMILIES);
    tcase_add_loop_test(tc, splits, 0, 5);
    tcase_add_test(tc, again_and_again);
    tcase_add_loop_test(tc, few_of_a_kind, 0, 2);
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
