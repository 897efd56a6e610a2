/*
 * The ways to a table on the GPU and back: weights in host or device memory, repeated builds in the
 * same scratch memory on the caller's stream, several threads, views, single rows.
 */
#include "alias/core/table.h"
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

#include <stdatomic.h>
#include <time.h>

START_TEST(defaults)
{
    scoped(free) double *w = family_weights(0, 5000);
    scoped(free_device) double *device = on_device(w, 5000 * sizeof(*w));
    alias_table *tables[2] = {NULL, NULL};
    alias_view view;

    ok(alias_create(&tables[0], NULL, w, 5000, NULL));
    ok(alias_create_device(&tables[1], NULL, device, 5000, NULL, NULL));
    for (int i = 0; i < 2; i++) { /* on the GPU, as there is one */
        ok(alias_get_view(tables[i], &view));
        ck_assert_uint_eq(alias_size(tables[i]), 5000);
        ck_assert_int_eq(alias_row_bytes(tables[i]), 8);
        ck_assert_int_eq(alias_log2_capacity(tables[i]), 32);
        ck_assert_int_ne(alias_used_builder(tables[i]), ALIAS_BUILDER_AUTO);
        alias_destroy(tables[i]);
    }
}

/* Single rows, and the raw rows of the view, in both widths. */
START_TEST(single_rows)
{
    const uint64_t n = 7000;
    const int row_bytes = _i != 0 ? 16 : 8;
    scoped(free) double *w = family_weights(4, n);
    const alias_config c = table_config(ALIAS_BACKEND_GPU, ALIAS_BUILDER_PSA, row_bytes);
    scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, row_bytes);
    const size_t bytes = n * (size_t)row_bytes;
    scoped(free) char *raw = must_alloc(bytes, 1);
    scoped(alias_destroy) alias_table *table = NULL;
    alias_row row, right;
    alias_view view;

    ok(alias_create(&table, &c, w, n, NULL));
    for (uint64_t i = 0; i < n; i += 1 + i / 100) {
        ok(alias_get_row(table, i, &row));
        ok(alias_get_row(expected.sweep, i, &right));
        ck_assert_uint_eq(row.threshold, right.threshold);
        ck_assert_uint_eq(row.alias, right.alias);
    }
    ok(alias_get_view(table, &view));
    ck_assert(view.n == n && view.row_bytes == row_bytes);
    ck_assert_int_eq(view.k, alias_log2_capacity(table));
    copy_to_host(raw, view.rows, bytes);
    ck_assert(memcmp(raw, expected.sweep->rows, bytes) == 0);
}

enum { GUARD = 4096 };

/* One table and one scratch memory of exactly the requested size, with other weights every time. */
START_TEST(repeated)
{
    const uint64_t n = small_run() ? 9001 : 300001;
    const alias_config c = variant_config(_i, 16);
    scoped(free_device) double *device = on_device(NULL, n * sizeof(*device));
    static unsigned char guard[GUARD];
    scoped(alias_destroy) alias_table *table = NULL;
    char *scratch;
    size_t bytes;
    cudaStream_t stream;

    ok(alias_prepare(&table, &c, n));
    ck_assert_int_ne(alias_used_builder(table), ALIAS_BUILDER_AUTO);
    bytes = alias_build_bytes(table);
    ck_assert_uint_gt(bytes, 0);
    ck_assert_uint_eq(alias_build_bytes(table), bytes);
    scratch = on_device(NULL, bytes + GUARD);
    must_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int family = 0; family < FAMILIES; family += small_run() ? 9 : 1) {
        scoped(free) double *w = family_weights(family, n);
        scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, 16);
        uint64_t bad = 77;

        copy_to_device(device, w, n * sizeof(*w));
        /* The previous contents of the scratch memory must not matter. */
        must_cuda(cudaMemset(scratch, family % 2 != 0 ? 0xff : 0xa5, bytes + GUARD));
        must_cuda(cudaMemset(scratch + bytes, 0x5c, GUARD));
        must_cuda(cudaDeviceSynchronize());
        ok(alias_build_async(table, device, scratch, stream));
        ok(alias_build_wait(table, &bad));
        ck_assert_uint_eq(bad, 77);
        check_rows(table, &expected, describe(&c, n, family_name(family)));
        copy_to_host(guard, scratch + bytes, GUARD);
        for (size_t i = 0; i < GUARD; i++) {
            must(guard[i] == 0x5c, "byte %zu behind the scratch is %d", i, guard[i]);
        }
        /* The weights must not be changed. */
        copy_to_host(expected.sweep->rows, device, n * sizeof(*w));
        ck_assert(memcmp(expected.sweep->rows, w, n * sizeof(*w)) == 0);
    }
    must_cuda(cudaStreamDestroy(stream));
    free_device(scratch);
}

typedef struct {
    atomic_int go, late;
} gate;

/* Blocks a stream until it may go on; not forever, or a build that waits for the stream would hang
 * the test. */
static void CUDART_CB wait_for_gate(void *data)
{
    gate *g = data;

    for (int i = 0; i < 60000 && !atomic_load(&g->go); i++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (!atomic_load(&g->go)) {
        atomic_store(&g->late, 1);
    }
}

enum { QUEUED = 6 };

/* Builds that wait in a stream and share weights and scratch memory: nothing runs out of order, on
 * another stream, or in the calling thread. */
START_TEST(on_a_stream)
{
    const uint64_t n = small_run() ? 9001 : 200001;
    const alias_config c = variant_config(_i, 8);
    double *device, *pinned, *w[QUEUED];
    alias_table *table[QUEUED];
    cudaStream_t stream;
    void *scratch;
    gate g = {0, 0};

    must_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must_cuda(cudaMallocHost((void **)&pinned, QUEUED * n * sizeof(*pinned)));
    for (int i = 0; i < QUEUED; i++) {
        w[i] = family_weights(i == QUEUED - 1 ? 16 : i, n);
        memcpy(pinned + (uint64_t)i * n, w[i], n * sizeof(*pinned));
        ok(alias_prepare(&table[i], &c, n));
    }
    pinned[3 * n + n / 2] = -1; /* one of the builds fails */
    scratch = on_device(NULL, alias_build_bytes(table[0]));
    /* Load the kernels first, since loading may have to wait for all streams. */
    device = on_device(w[0], n * sizeof(*pinned));
    ok(alias_build_async(table[0], device, scratch, stream));
    ok(alias_build_wait(table[0], NULL));

    must_cuda(cudaLaunchHostFunc(stream, wait_for_gate, &g));
    for (int i = 0; i < QUEUED; i++) {
        must_cuda(cudaMemcpyAsync(device, pinned + (uint64_t)i * n, n * sizeof(*pinned),
                                  cudaMemcpyHostToDevice, stream));
        ok(alias_build_async(table[i], device, scratch, stream));
    }
    atomic_store(&g.go, 1);
    for (int i = 0; i < QUEUED; i++) {
        uint64_t bad = 0;

        ck_assert_int_eq(alias_build_wait(table[i], &bad), i == 3 ? ALIAS_ERR_NEGATIVE : ALIAS_OK);
        ck_assert_uint_eq(bad, i == 3 ? n / 2 : 0);
    }
    ck_assert_msg(!atomic_load(&g.late), "alias_build_async() waited for the stream");
    for (int i = 0; i < QUEUED; i++) {
        if (i != 3) {
            scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w[i], n, 8);

            check_rows(table[i], &expected, "queued builds");
        }
        alias_destroy(table[i]);
        free(w[i]);
    }
    must_cuda(cudaStreamDestroy(stream));
    free_device(scratch);
    free_device(device);
    must_cuda(cudaFreeHost(pinned));
}

/* A thread with a stream, tables and scratch memory of its own, for the variant with this number.
 */
static void *work(void *variant)
{
    const int v = *(int *)variant;
    const uint64_t n = (small_run() ? 4000 : 60000) + 1234 * (uint64_t)v;
    const alias_config c = variant_config(v, 8);
    scoped(free) double *w = family_weights(2 * v, n);
    scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, 8);
    scoped(alias_destroy) alias_table *table = NULL;
    scoped(free_device) double *device = on_device(w, n * sizeof *w);
    scoped(free_device) void *scratch = NULL;
    cudaStream_t stream;

    must_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(alias_prepare(&table, &c, n));
    scratch = on_device(NULL, alias_build_bytes(table));
    for (int round = 0; round < (small_run() ? 1 : 20); round++) {
        scoped(alias_destroy) alias_table *other = NULL;

        ok(alias_build_async(table, device, scratch, stream));
        ok(alias_create(&other, &c, w, n, NULL));
        ok(alias_build_wait(table, NULL));
        check_rows(table, &expected, "threads");
        check_rows(other, &expected, "threads");
    }
    must_cuda(cudaStreamDestroy(stream));
    return NULL;
}

START_TEST(threads)
{
    int variants[GPU_VARIANTS];

    for (int v = 0; v < GPU_VARIANTS; v++) {
        variants[v] = v;
    }
    in_threads(GPU_VARIANTS, work, variants, sizeof *variants);
}

static void check_and_destroy(alias_table *table, const cpu_tables *expected, int device)
{
    struct cudaPointerAttributes where;
    alias_view view;

    ok(alias_get_view(table, &view));
    must_cuda(cudaPointerGetAttributes(&where, view.rows));
    ck_assert_int_eq(where.device, device);
    check_rows(table, expected, "on a chosen GPU");
    alias_destroy(table);
}

/* The table lies on the requested GPU, and the current GPU of no thread changes. */
START_TEST(devices)
{
    const uint64_t n = 10000;
    const int gpus = alias_gpu_count();
    scoped(free) double *w = family_weights(4, n);
    scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, 8);

    for (int current = 0; current < gpus; current++) {
        for (int device = -1; device < gpus; device++) {
            const int right = device < 0 ? current : device;
            alias_config c = table_config(ALIAS_BACKEND_GPU, ALIAS_BUILDER_AUTO, 8);
            alias_table *table;
            uint32_t out[10];
            void *weights, *scratch;
            int now;

            c.device = device;
            must_cuda(cudaSetDevice(right));
            weights = on_device(w, n * sizeof(*w));
            must_cuda(cudaSetDevice(current));
            ok(alias_create(&table, &c, w, n, NULL));
            ok(alias_sample32(table, 1, 0, 10, out));
            check_and_destroy(table, &expected, right);
            ok(alias_create_device(&table, &c, weights, n, NULL, NULL));
            check_and_destroy(table, &expected, right);
            ok(alias_prepare(&table, &c, n));
            must_cuda(cudaSetDevice(right));
            scratch = on_device(NULL, alias_build_bytes(table));
            must_cuda(cudaSetDevice(current));
            ok(alias_build_async(table, weights, scratch, NULL));
            ok(alias_build_wait(table, NULL));
            check_and_destroy(table, &expected, right);
            free_device(weights);
            free_device(scratch);
            must_cuda(cudaGetDevice(&now));
            ck_assert_int_eq(now, current);
        }
    }
    must_cuda(cudaSetDevice(0));
}

/* racecheck loses track of launches that wait or come from several threads. */
TEST_CASES(alias_gpu_api, 0, ONCE(defaults), LOOP(single_rows, 0, 2),
           LOOP(repeated, small_run() > 1 ? PSA_VARIANTS - 1 : 0, GPU_VARIANTS),
           LOOP(on_a_stream, 0, small_run() > 1 ? 0 : GPU_VARIANTS),
           LOOP(threads, 0, small_run() < 2), ONCE(devices))
