/*
 * Tables built on the GPU have the CPU's rows for all weight families, sizes and settings,
 * from weights in host and device memory, and from masses.
 */
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

#include <unistd.h>

/* A few splits, many, and more than there are items. */
static uint64_t some_splits(uint64_t n, uint64_t i)
{
    const uint64_t splits[] = {0,   1,   2,   3,    7,    31,    32, 33,    64,     99,
                               100, 255, 256, 1000, 4099, n - 1, n,  n + 1, 10 * n, UINT64_MAX};

    return splits[i % (uint64_t)COUNT(splits)];
}

/* From weights, or else from masses, in host memory. */
static void check_host_build(const alias_config *c, const double *w, const uint64_t *q, uint64_t n,
                             const cpu_tables *expected, const char *weights)
{
    const char *what = describe(c, n, weights);
    scoped(alias_destroy) alias_table *table = NULL;

    ok(w != NULL ? alias_create(&table, c, w, n, NULL) : alias_create_masses(&table, c, q, n));
    ck_assert(c->builder == ALIAS_BUILDER_AUTO || alias_used_builder(table) == c->builder);
    ck_assert_int_ne(alias_used_builder(table), ALIAS_BUILDER_AUTO);
    check_rows(table, expected, what);
}

enum { DEVICE_MOST = 1000001, HOST_MOST = 100001 }; /* items whose weights are there */

/* From weights in device memory; from those in host memory by every builder (SWEEP runs on the
 * host); and from the masses that the weights are scaled to, on the host too. */
static void check_builders(int family, uint64_t n, int row_bytes, const double *w,
                           const double *device, uint64_t turn)
{
    const char *name = family_name(family);
    scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, row_bytes);
    scoped(free) uint64_t *q = must_alloc(n, sizeof(*q));

    ok(alias_quantize(w, n, alias_log2_capacity(expected.sweep), q, NULL));
    for (int v = 0; v < GPU_VARIANTS + 1; v++) {
        const int on_host = v >= GPU_VARIANTS;
        alias_config c = on_host ? table_config(ALIAS_BACKEND_GPU, ALIAS_BUILDER_SWEEP, row_bytes)
                                 : variant_config(v, row_bytes);

        c.splits = c.builder == ALIAS_BUILDER_PSA ? some_splits(n, turn++) : 0;
        if (n <= DEVICE_MOST && !on_host) {
            check_build(&c, device, n, &expected, name);
        }
        if (n <= HOST_MOST) {
            check_host_build(&c, w, NULL, n, &expected, name);
        }
        if (!on_host && v >= PSA_VARIANTS - 1) {
            check_host_build(&c, NULL, q, n, &expected, name);
        }
    }
}

START_TEST(families)
{
    static const uint64_t sizes[] = {1,    2,    31,    32,     33,     1023,       4095,
                                     4096, 4097, 20000, 100001, 300000, DEVICE_MOST};

    for (int s = 0; s < COUNT(sizes); s++) {
        const uint64_t n = sizes[s];

        if ((small_run() && !(_i == 4 && n == 4097) &&
             !(small_run() == 1 && _i % 12 == 4 && n == 33))) {
            continue;
        }
        scoped(free) double *w = family_weights(_i, n);
        scoped(free_device) double *device = on_device(w, n * sizeof(*w));
        for (int row_bytes = 8; row_bytes <= 16; row_bytes += 8) {
            check_builders(_i, n, row_bytes, w, device, (uint64_t)(_i + s + row_bytes));
        }
    }
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
    scoped(free) double *w = must_alloc(n, sizeof(*w));

    for (int f = small_run() > 1 ? 4 : 0; f < COUNT(fews); f += small_run() ? 4 : 1) {
        for (int where = small_run() > 1 ? 2 : 0; where < 3; where += small_run() ? 2 : 1) {
            for (uint64_t i = 0; i < n; i++) {
                w[i] = _i == 0 ? 1e-3 * (double)(i % 7) : 1 + 1e-9 * (double)(i * i % 1009);
            }
            for (uint64_t i = 0; i < fews[f]; i++) {
                w[place(where, i, fews[f], n)] =
                    _i == 0 ? (double)n * (double)(1 + i % 3) : (double)(i % 3) / 4;
            }
            check_variants(w, n, 8, 0, _i == 0 ? "few heavy" : "few light");
        }
    }
}

/* --- 10^8 rows --- */

/* Uniform, a power law, zero or one, ascending. */
static const int some[] = {0, 4, 16, 12};

START_TEST(hundred_million)
{
    /* Includes more than 24576 sections, which the quantisation adds up in several rounds. */
    const uint64_t n = _i == 3 ? 110000001 : 100000000;
    size_t unused = free_device_memory();
    double pages = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    if (small_run() || unused < (size_t)14 << 30 || pages < 12e9) {
        printf("tables of 10^8 rows left out: %s\n",
               small_run() ? "RMAT_TEST_SMALL is set" : "not enough memory");
        return;
    }
    scoped(free) double *w = family_weights(some[_i], n);
    scoped(free_device) double *device = on_device(w, n * sizeof(*w));
    for (int row_bytes = 8; row_bytes <= (_i == 1 ? 16 : 8); row_bytes += 8) {
        scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, row_bytes);

        for (int v = 0; v < GPU_VARIANTS; v++) {
            const alias_config c = variant_config(v, row_bytes);

            check_build(&c, device, n, &expected, family_name(some[_i]));
        }
    }
}

TEST_CASES(alias_gpu_build, 0, LOOP(families, 0, FAMILIES), LOOP(few_of_a_kind, 0, 2),
           LOOP(hundred_million, 0, COUNT(some)))
