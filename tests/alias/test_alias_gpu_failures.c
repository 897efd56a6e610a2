/*
 * Failures of the GPU: launches, memory, and a kernel that destroys the CUDA context, in a child
 * process (RMAT_TEST_TRAP in its environment) that survives it.  Each gives a status and a message,
 * leaks nothing, and leaves the library usable.
 */
#include "alias/gpu/device.h"
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

#include <sys/wait.h>
#include <unistd.h>

#define TRAPPED "RMAT_TEST_TRAP"

int gpu_trap(void); /* gpu_trap.cu: runs a kernel that traps; nonzero if CUDA reports it */

static int in_parent(void)
{
    return getenv(TRAPPED) == NULL;
}

/* Each launch in turn fails, in every kind of build. */
START_TEST(failing_launches)
{
    const uint64_t n = small_run() ? 10000 : 1000000;
    const alias_config c = variant_config(_i, 8);
    scoped(free) double *w = family_weights(4, n);
    scoped(free_device) double *device = on_device(w, n * sizeof(*w));
    scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, 8);
    scoped(alias_destroy) alias_table *table = NULL;
    size_t before;
    void *scratch;
    int launches[3] = {0};

    ok(alias_prepare(&table, &c, n));
    scratch = on_device(NULL, alias_build_bytes(table));
    ok(create_status(&c, w, n, NULL));
    before = free_device_memory();
    for (int way = 0; way < 3; way++) {
        if (small_run() && way != _i % 3) {
            continue;
        }
        for (;; launches[way]++) {
            alias_table *made = NULL;
            int st;

            alias_gpu_fail_launch(launches[way]);
            st = way == 0   ? alias_create(&made, &c, w, n, NULL)
                 : way == 1 ? alias_create_device(&made, &c, device, n, NULL, NULL)
                            : alias_build_async(table, device, scratch, NULL);
            alias_gpu_fail_launch(-1);
            if (st == ALIAS_OK) {
                if (way < 2) {
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
    if (launches[2] != 0) {
        ok(alias_build_wait(table, NULL));
        check_rows(table, &expected, "after failures");
    }
    /* There are at least three launches: two of the quantisation and one that builds. */
    for (int way = 0; way < 3; way++) {
        ck_assert(launches[way] >= 3 || (small_run() && way != _i % 3));
    }
    check_no_leak(before);
    must_cuda(cudaFree(scratch));
}

/* Many tables are made, drawn from and freed, and many cannot be made: nothing leaks. */
START_TEST(no_leaks)
{
    static uint32_t out[5000];
    const uint64_t n = small_run() ? 5000 : 300000;
    const int rounds = small_run() ? 4 - small_run() : 150;
    scoped(free) double *w = family_weights(4, n);
    size_t before = 0;

    for (int round = 0; round < rounds; round++) {
        const alias_config c = variant_config(round % GPU_VARIANTS, round % 2 != 0 ? 8 : 16);
        scoped(alias_destroy) alias_table *table = NULL;

        if (round == GPU_VARIANTS * 2) { /* all kernels are loaded now */
            before = free_device_memory();
        }
        ok(alias_create(&table, &c, w, n, NULL));
        ok(alias_sample32(table, 1, 0, 5000, out));
        w[n / 2] = NAN;
        gives(ALIAS_ERR_NAN, create_status(&c, w, n, NULL));
        w[n / 2] = 1;
    }
    for (int round = 0; round < 10 * rounds; round++) { /* small leaks show only in large numbers */
        ok(create_status(NULL, w, 1 + (uint64_t)round % 40, NULL));
    }
    check_no_leak(before);
}

typedef struct {
    alias_config config;
    const double *w;
    uint64_t n;
} order;

static int make_table(void *data)
{
    const order *o = data;

    return create_status(&o->config, o->w, o->n, NULL);
}

START_TEST(less_and_less_memory)
{
    const uint64_t n = 1000000;
    scoped(free) double *w = family_weights(4, n);
    order o = {table_config(ALIAS_BACKEND_GPU, (alias_builder)_i, 8), w, n};

    check_scarce_memory((size_t)128 << 20, make_table, &o, ALIAS_ERR_NOMEM);
}

/* In the child process every call returns ALIAS_ERR_CUDA, none crashes, and the CPU still works. */
START_TEST(after_trap)
{
    const double w[3] = {1, 2, 3};
    const alias_config c = table_config(ALIAS_BACKEND_GPU, ALIAS_BUILDER_AUTO, 8);
    const alias_config cpu = table_config(ALIAS_BACKEND_CPU, ALIAS_BUILDER_AUTO, 8);
    scoped(alias_destroy) alias_table *table = NULL, *prepared = NULL;
    scoped(alias_destroy) alias_table *made = NULL;
    void *device = NULL, *scratch = NULL;
    uint32_t out32[10];
    uint64_t out64[10];
    alias_row row;

    ck_assert(cudaMalloc(&device, sizeof(w)) == cudaSuccess);
    ck_assert(cudaMemcpy(device, w, sizeof(w), cudaMemcpyHostToDevice) == cudaSuccess);
    ck_assert(alias_create(&table, &c, w, 3, NULL) == ALIAS_OK);
    ck_assert(alias_prepare(&prepared, &c, 3) == ALIAS_OK);
    ck_assert(cudaMalloc(&scratch, alias_build_bytes(prepared)) == cudaSuccess);
    ck_assert(gpu_trap());
    ck_assert(alias_create(&made, &c, w, 3, NULL) == ALIAS_ERR_CUDA && made == NULL);
    ck_assert(*alias_gpu_error() != '\0');
    ck_assert(alias_create_device(&made, &c, device, 3, NULL, NULL) == ALIAS_ERR_CUDA);
    ck_assert(made == NULL);
    ck_assert(alias_prepare(&made, &c, 3) == ALIAS_ERR_CUDA && made == NULL);
    ck_assert(alias_build_async(prepared, device, scratch, NULL) == ALIAS_ERR_CUDA);
    ck_assert(alias_build_wait(prepared, NULL) == ALIAS_ERR_CUDA);
    ck_assert(alias_get_row(table, 0, &row) == ALIAS_ERR_CUDA);
    ck_assert(alias_sample32(table, 1, 0, 10, out32) == ALIAS_ERR_CUDA);
    ck_assert(alias_sample64(table, 1, 0, 10, out64) == ALIAS_ERR_CUDA);
    ck_assert(alias_create(&made, &cpu, w, 3, NULL) == ALIAS_OK);
    ck_assert(alias_sample32(made, 1, 0, 10, out32) == ALIAS_OK);
}

START_TEST(trap)
{
    int status = -1;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        setenv(TRAPPED, "1", 1);
        execl("/proc/self/exe", "after_trap", "alias_gpu_failures", (char *)NULL);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: status %x", status);
}

/* compute-sanitizer needs memory of its own, and reports every trap. */
TEST_CASES(alias_gpu_failures, 0,
           LOOP(failing_launches, small_run() > 1 ? PSA_VARIANTS - 1 : 0,
                GPU_VARIANTS *in_parent()),
           LOOP(no_leaks, 0, in_parent()),
           LOOP(less_and_less_memory, ALIAS_BUILDER_PSA,
                small_run() || !in_parent() ? 0 : ALIAS_BUILDER_PSA_PLUS + 1),
           LOOP(trap, 0, !small_run() && in_parent()), LOOP(after_trap, 0, !in_parent()))
