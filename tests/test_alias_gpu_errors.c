/*
 * Failures of the GPU backend: each has a status and a message, leaves no memory behind, and the
 * library usable.  Run with the argument "trap" it is the child that lives on after a kernel has
 * destroyed its CUDA context.
 */
#include "alias/gpu_impl.h"
#include "tests/gpu_util.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int gpu_trap(void); /* gpu_trap.cu: runs a kernel that traps; nonzero if that was noticed */

static int create(const alias_config *config, const double *w, uint64_t n, uint64_t *bad)
{
    alias_table *table = (alias_table *)w; /* anything but NULL */
    int st = alias_create(&table, config, w, n, bad);

    ck_assert((st == ALIAS_OK) == (table != NULL));
    alias_destroy(table);
    return st;
}

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

/* Every kind of unusable weight, at every kind of place, with worse ones behind; and that the same
 * table and scratch then make a right table. */
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
                ck_assert_int_eq(create(&c, w, n, &bad), cases[k].status);
                ck_assert_uint_eq(bad, places[p]);
                ck_assert_int_eq(create(&c, w, n, NULL), cases[k].status);
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
        ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_ERR_ZERO_SUM);
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
    ck_assert_int_eq(create(&c, NULL, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create(&c, w, 0, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_create_masses(&table, &c, NULL, 3), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_create_device(NULL, &c, device, 3, NULL, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create_device(&c, NULL, 3, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(create_device(&c, device, 0, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_prepare(NULL, &c, 3), ALIAS_ERR_ARG);
    ck_assert_int_eq(prepare(&c, 0), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_build_wait(NULL, NULL), ALIAS_ERR_ARG);
    ck_assert_uint_eq(alias_build_bytes(NULL), 0);

    /* Too many rows: found before a weight is looked at. */
    ck_assert_int_eq(create(&c, w, ((uint64_t)1 << 31) + 1, NULL), ALIAS_ERR_TOO_MANY);
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
        ck_assert_int_eq(create(&wrong[i], w, 3, NULL), ALIAS_ERR_ARG);
        ck_assert_int_eq(create_device(&wrong[i], device, 3, NULL), ALIAS_ERR_ARG);
        ck_assert_int_eq(prepare(&wrong[i], 3), ALIAS_ERR_ARG);
    }
    /* These work on the host alone. */
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
        ck_assert_int_eq(create(&c, w, 3, NULL), ALIAS_ERR_DEVICE);
        ck_assert_int_eq(create_device(&c, device, 3, NULL), ALIAS_ERR_DEVICE);
        ck_assert_int_eq(prepare(&c, 3), ALIAS_ERR_DEVICE);
        ck_assert_int_eq(alias_copy_to_device(&copy, host, ids[i]), ALIAS_ERR_DEVICE);
        ck_assert_ptr_null(copy);
    }
    c.device = 0;
    ck_assert_int_eq(create(&c, w, 3, NULL), ALIAS_OK);
    alias_destroy(host);
    must_cuda(cudaFree(device));
}
END_TEST

/* More than any GPU has.  The weights, which nobody could have either, must not be touched. */
START_TEST(huge)
{
    const uint64_t n = (uint64_t)1 << 36;
    const size_t before = free_device_memory();
    alias_config c = gpu_config(ALIAS_BUILDER_AUTO, 16, ALIAS_ROWS_AOS);
    void *w = mmap(NULL, n * sizeof(double), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    ck_assert(w != MAP_FAILED);
    ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_ERR_NOMEM);
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

enum { PIECES = 256, PIECE = 2 << 20 };

/* Less and less GPU memory: a table or a clean refusal, whichever allocation it is that fails. */
START_TEST(less_and_less_memory)
{
    const uint64_t n = 1000000;
    double *w = family_weights(4, n);
    alias_config c = gpu_config((alias_builder)_i, 8, ALIAS_ROWS_SOA);
    size_t before;
    void *rest, *piece[PIECES];
    int pieces = 0, made = 0, refused = 0;

    ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_OK);
    before = free_device_memory();
    rest = on_device(NULL, before - ((size_t)128 << 20));
    while (pieces < PIECES && cudaMalloc(&piece[pieces], PIECE) == cudaSuccess) {
        int st = create(&c, w, n, NULL);

        ck_assert_msg(st == ALIAS_OK || st == ALIAS_ERR_NOMEM, "%d pieces taken: %s: %s", pieces,
                      alias_strerror(st), alias_gpu_error());
        made += st == ALIAS_OK;
        refused += st == ALIAS_ERR_NOMEM;
        pieces++;
    }
    (void)cudaGetLastError();
    while (pieces-- > 0) {
        must_cuda(cudaFree(piece[pieces]));
    }
    must_cuda(cudaFree(rest));
    ck_assert_int_gt(made, 3);
    ck_assert_int_gt(refused, 3);
    ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_OK);
    check_no_leak(before);
    free(w);
}
END_TEST

/* One launch after the other fails, in every build. */
START_TEST(failing_launches)
{
    const uint64_t n = small_run() ? 10000 : 1000000;
    const gpu_variant *v = &gpu_variants[_i];
    alias_config c = gpu_config(v->builder, 8, ALIAS_ROWS_AOS);
    double *w = family_weights(4, n), *device = on_device(w, n * sizeof(*w));
    uint64_t *q = must_alloc(n, sizeof(*q));
    cpu_tables expected = cpu_tables_create(w, n, 8);
    alias_table *table;
    size_t before;
    void *scratch;
    int launches[4] = {0}, way;

    c.split = v->split;
    c.pack = v->pack;
    ck_assert_int_eq(alias_quantize(w, n, 32, q, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_prepare(&table, &c, n), ALIAS_OK);
    scratch = on_device(NULL, alias_build_bytes(table));
    ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_OK);
    before = free_device_memory();
    for (way = 0; way < 4; way++) {
        if (small_run() && way != _i % 4) {
            continue;
        }
        for (;; launches[way]++) {
            alias_table *made = NULL;
            int st;

            alias_gpu_fail_launch(launches[way]);
            st = way == 0   ? alias_create(&made, &c, w, n, NULL)
                 : way == 1 ? alias_create_device(&made, &c, device, n, NULL, NULL)
                 : way == 2 ? alias_create_masses(&made, &c, q, n)
                            : alias_build_async(table, device, scratch, NULL);
            alias_gpu_fail_launch(-1);
            if (st == ALIAS_OK) {
                if (way < 3) {
                    check_rows(made, &expected, "after failures");
                    alias_destroy(made);
                }
                break;
            }
            ck_assert_ptr_null(made);
            ck_assert_int_eq(st, ALIAS_ERR_CUDA);
            ck_assert_str_ne(alias_gpu_error(), "");
            ck_assert_int_lt(launches[way], 100);
        }
    }
    if (launches[3] != 0) {
        ck_assert_int_eq(alias_build_wait(table, NULL), ALIAS_OK);
        check_rows(table, &expected, "after failures");
    }
    /* There were launches to fail: two of the quantisation and one at least that builds. */
    for (way = 0; way < 4; way++) {
        ck_assert(launches[way] >= 3 || (small_run() && way != _i % 4));
    }
    check_no_leak(before);
    alias_destroy(table);
    must_cuda(cudaFree(scratch));
    must_cuda(cudaFree(device));
    cpu_tables_destroy(expected);
    free(q);
    free(w);
}
END_TEST

START_TEST(failing_draws)
{
    enum { DRAWS = 1000 };
    static uint32_t out[DRAWS], again[DRAWS];
    static uint64_t wide[DRAWS];
    double *w = family_weights(4, 5000);
    alias_config c = gpu_config(ALIAS_BUILDER_AUTO, 8, ALIAS_ROWS_AOS);
    alias_table *table;

    ck_assert_int_eq(alias_create(&table, &c, w, 5000, NULL), ALIAS_OK);
    ck_assert_int_eq(alias_sample32(table, 1, 0, DRAWS, out), ALIAS_OK);
    alias_gpu_fail_launch(0);
    ck_assert_int_eq(alias_sample32(table, 1, 0, DRAWS, again), ALIAS_ERR_CUDA);
    ck_assert_str_ne(alias_gpu_error(), "");
    alias_gpu_fail_launch(0);
    ck_assert_int_eq(alias_sample64(table, 1, 0, DRAWS, wide), ALIAS_ERR_CUDA);
    alias_gpu_fail_launch(-1);
    ck_assert_int_eq(alias_sample32(table, 1, 0, DRAWS, again), ALIAS_OK);
    ck_assert(memcmp(out, again, sizeof(out)) == 0);
    alias_destroy(table);
    free(w);
}
END_TEST

/* Many tables made, drawn from, copied and freed; and many that could not be made. */
START_TEST(no_leaks)
{
    static uint32_t out[5000];
    const uint64_t n = small_run() ? 5000 : 300000;
    const int rounds = small_run() ? 4 - small_run() : 150;
    double *w = family_weights(4, n);
    size_t before = 0;
    int round;

    for (round = 0; round < rounds; round++) {
        alias_config c = gpu_config(gpu_variants[round % GPU_VARIANTS].builder,
                                    round % 2 != 0 ? 8 : 16, (alias_layout)(round / 2 % 2));
        alias_table *table, *host, *back;

        if (round == GPU_VARIANTS * 2) { /* all kernels are loaded now */
            before = free_device_memory();
        }
        ck_assert_int_eq(alias_create(&table, &c, w, n, NULL), ALIAS_OK);
        ck_assert_int_eq(alias_sample32(table, 1, 0, 5000, out), ALIAS_OK);
        ck_assert_int_eq(alias_copy_to_host(&host, table), ALIAS_OK);
        ck_assert_int_eq(alias_copy_to_device(&back, host, -1), ALIAS_OK);
        alias_destroy(back);
        alias_destroy(host);
        alias_destroy(table);
        w[n / 2] = NAN;
        ck_assert_int_eq(create(&c, w, n, NULL), ALIAS_ERR_NAN);
        w[n / 2] = 1;
    }
    for (round = 0; round < 10 * rounds; round++) { /* what is small shows only in large numbers */
        ck_assert_int_eq(create(NULL, w, 1 + (uint64_t)round % 40, NULL), ALIAS_OK);
    }
    check_no_leak(before);
    free(w);
}
END_TEST

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("after the trap, line %d: not so: %s (%s)\n", __LINE__, #condition,             \
                   alias_gpu_error());                                                             \
            failed++;                                                                              \
        }                                                                                          \
    } while (0)

/* The child: every call says ALIAS_ERR_CUDA, none crashes, and the CPU still works. */
static int after_trap(void)
{
    const double w[3] = {1, 2, 3};
    alias_config c = gpu_config(ALIAS_BUILDER_AUTO, 8, ALIAS_ROWS_AOS), cpu = c;
    alias_table *table = NULL, *prepared = NULL, *made = NULL, *host = NULL;
    void *device = NULL, *scratch = NULL;
    uint32_t out32[10];
    uint64_t out64[10];
    alias_row row;
    int failed = 0;

    cpu.backend = ALIAS_BACKEND_CPU;
    EXPECT(cudaMalloc(&device, sizeof(w)) == cudaSuccess);
    EXPECT(cudaMemcpy(device, w, sizeof(w), cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(alias_create(&table, &c, w, 3, NULL) == ALIAS_OK);
    EXPECT(alias_prepare(&prepared, &c, 3) == ALIAS_OK);
    EXPECT(cudaMalloc(&scratch, alias_build_bytes(prepared)) == cudaSuccess);
    EXPECT(alias_create(&host, &cpu, w, 3, NULL) == ALIAS_OK);
    EXPECT(gpu_trap());
    if (failed != 0) {
        return 1;
    }
    EXPECT(alias_create(&made, &c, w, 3, NULL) == ALIAS_ERR_CUDA && made == NULL);
    EXPECT(*alias_gpu_error() != '\0');
    EXPECT(alias_create_device(&made, &c, device, 3, NULL, NULL) == ALIAS_ERR_CUDA);
    EXPECT(made == NULL);
    EXPECT(alias_prepare(&made, &c, 3) == ALIAS_ERR_CUDA && made == NULL);
    EXPECT(alias_build_async(prepared, device, scratch, NULL) == ALIAS_ERR_CUDA);
    EXPECT(alias_build_wait(prepared, NULL) == ALIAS_ERR_CUDA);
    EXPECT(alias_get_row(table, 0, &row) == ALIAS_ERR_CUDA);
    EXPECT(alias_sample32(table, 1, 0, 10, out32) == ALIAS_ERR_CUDA);
    EXPECT(alias_sample64(table, 1, 0, 10, out64) == ALIAS_ERR_CUDA);
    EXPECT(alias_copy_to_host(&made, table) == ALIAS_ERR_CUDA && made == NULL);
    EXPECT(alias_copy_to_device(&made, host, 0) == ALIAS_ERR_CUDA && made == NULL);
    alias_destroy(table);
    alias_destroy(prepared);
    alias_destroy(host);
    EXPECT(alias_create(&made, &cpu, w, 3, NULL) == ALIAS_OK);
    EXPECT(alias_sample32(made, 1, 0, 10, out32) == ALIAS_OK);
    alias_destroy(made);
    return failed != 0;
}

START_TEST(trap)
{
    int status = -1;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        execl("/proc/self/exe", "after_trap", "trap", (char *)NULL);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: status %x", status);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite;
    TCase *tc;

    if (argc == 2 && strcmp(argv[1], "trap") == 0) {
        return after_trap();
    }
    suite = suite_create("alias_gpu_errors");
    tc = tcase_create("alias_gpu_errors");
    tcase_add_loop_test(tc, unusable_weights, ALIAS_BUILDER_PSA,
                        (small_run() > 1 ? ALIAS_BUILDER_PSA : ALIAS_BUILDER_MERGE) + 1);
    tcase_add_test(tc, arguments);
    tcase_add_test(tc, no_such_device);
    tcase_add_test(tc, huge);
    tcase_add_loop_test(tc, failing_launches, small_run() > 1 ? GPU_VARIANTS - 4 : 0, GPU_VARIANTS);
    tcase_add_test(tc, failing_draws);
    tcase_add_test(tc, no_leaks);
    if (!small_run()) { /* compute-sanitizer needs memory of its own, and reports every trap */
        tcase_add_loop_test(tc, less_and_less_memory, ALIAS_BUILDER_PSA, ALIAS_BUILDER_MERGE + 1);
        tcase_add_test(tc, trap);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
