/*
 * Tables of 10^8 rows built on the GPU have the CPU's rows.  Most of them are compared on the GPU,
 * since copying them would take most of the time.
 */
#include "tests/support/gpu_compare.h"
#include "tests/support/gpu_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Weights that are made quickly, without a library function per item. */
static void fast_weights(int kind, double *w, uint64_t n)
{
    uint64_t i, state = 99, bits;

    for (i = 0; i < n; i++) {
        switch (kind) {
        case 0:
            w[i] = next_unit(&state);
            break;
        case 1: /* power law with exponent 1 in a scattered order */
            w[i] = 1.0 / (double)(1 + i * 61803399 % n);
            break;
        case 2: /* hundreds of orders of magnitude */
            bits = next_random(&state);
            bits = (bits % 1900 + 60) << 52 | bits >> 12;
            memcpy(&w[i], &bits, sizeof(bits));
            break;
        case 3:
            w[i] = (double)(next_random(&state) >> 63);
            break;
        default: /* ascending */
            w[i] = (double)i;
            break;
        }
    }
}

/* check_build() with the expected tables (sweep, PSA+) on the GPU as well. */
static void check_huge(const alias_config *config, const double *device_weights, uint64_t n,
                       alias_table *const expected[2], const char *weights)
{
    const char *what = describe(config, n, weights);
    alias_view got, right;
    alias_table *table;
    uint64_t first;

    ck_assert_msg(alias_create_device(&table, config, device_weights, n, NULL, NULL) == ALIAS_OK,
                  "%s: %s", what, alias_gpu_error());
    ck_assert_int_eq(alias_get_view(table, &got), ALIAS_OK);
    ck_assert_int_eq(
        alias_get_view(expected[alias_used_builder(table) == ALIAS_BUILDER_PSA_PLUS], &right),
        ALIAS_OK);
    ck_assert(got.n == n && right.n == n);
    ck_assert(got.k == right.k && got.row_bytes == right.row_bytes);
    must_cuda(gpu_first_difference(&got, &right, &first));
    ck_assert_msg(first == n, "%s: row %llu", what, (unsigned long long)first);
    alias_destroy(table);
}

START_TEST(hundred_million)
{
    static const char *const what[] = {"uniform", "power 1 scattered", "600 orders", "zero or one",
                                       "ramp"};
    /* Includes more than 24576 sections, which the quantisation adds up in several rounds. */
    const uint64_t n = _i == 4 ? 110000001 : 100000000;
    size_t unused = free_device_memory();
    double pages = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double *w, *device;
    int row_bytes, v;

    if (small_run() || unused < (size_t)14 << 30 || pages < 12e9) {
        printf("tables of 10^8 rows left out: %s\n",
               small_run() ? "RMAT_TEST_SMALL is set" : "not enough memory");
        return;
    }
    w = must_alloc(n, sizeof(*w));
    fast_weights(_i, w, n);
    device = on_device(w, n * sizeof(*w));
    for (row_bytes = 8; row_bytes <= (_i == 1 ? 16 : 8); row_bytes += 8) {
        cpu_tables expected = cpu_tables_create(w, n, row_bytes);
        alias_table *on_gpu[2];

        ck_assert_int_eq(alias_copy_to_device(&on_gpu[0], expected.sweep, -1), ALIAS_OK);
        ck_assert_int_eq(alias_copy_to_device(&on_gpu[1], expected.plus, -1), ALIAS_OK);
        for (v = 0; v < GPU_VARIANTS; v++) {
            alias_config c = gpu_config(gpu_variants[v].builder, row_bytes,
                                        v % 4 == 3 ? ALIAS_ROWS_SOA : ALIAS_ROWS_AOS);

            c.split = gpu_variants[v].split;
            c.pack = gpu_variants[v].pack;
            if (_i == 0 && v >= GPU_VARIANTS - 3) { /* checks the copies as well */
                check_build(&c, device, n, &expected, what[_i]);
            } else {
                check_huge(&c, device, n, on_gpu, what[_i]);
            }
        }
        alias_destroy(on_gpu[0]);
        alias_destroy(on_gpu[1]);
        cpu_tables_destroy(expected);
    }
    must_cuda(cudaFree(device));
    free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alias_gpu_huge");
    TCase *tc = tcase_create("alias_gpu_huge");

    tcase_add_loop_test(tc, hundred_million, 0, 5);
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
