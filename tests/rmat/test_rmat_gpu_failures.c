/* Failures of the GPU's generators and intervals: each has its status, leaks no memory, and leaves
 * the library usable; and the memory that intervals take. */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "tests/support/device.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

/* One launch after the other fails; then the same generator makes the right edges. */
START_TEST(failing_launches)
{
    enum { COUNT = 10001 };
    static uint64_t src[COUNT], dst[COUNT], s[COUNT], d[COUNT];
    const uint64_t first = (UINT64_C(1) << 32) - COUNT / 2; /* two pieces */
    const rmat_config config = square_model(20);
    scoped(free_device) uint64_t *device = on_device(NULL, 2 * sizeof src);
    scoped(rmat_destroy) rmat_gen *gpu = create_on(RMAT_BACKEND_GPU, config),
                                  *cpu = create_on(RMAT_BACKEND_CPU, config);
    size_t before;
    int launches[2] = {0};

    ok(rmat_generate(cpu, first, COUNT, src, dst));
    ok(rmat_generate(gpu, first, COUNT, s, d));
    before = free_device_memory();
    for (int way = 0; way < 2; way++) {
        for (;; launches[way]++) {
            int st;

            alias_gpu_fail_launch(launches[way]);
            st = way ? rmat_generate(gpu, first, COUNT, s, d)
                     : rmat_generate_arrays_device(gpu, first, COUNT,
                                                   &(rmat_arrays){device, device + COUNT, NULL, 8},
                                                   NULL);
            alias_gpu_fail_launch(-1);
            if (st == RMAT_OK) {
                break;
            }
            ck_assert_int_eq(st, RMAT_ERR_CUDA);
            ck_assert_str_ne(rmat_gpu_error(), "");
            ck_assert_int_lt(launches[way], 100);
        }
        ck_assert_int_eq(launches[way], 4); /* two kernels for each piece */
        if (!way) {
            must_cuda(cudaMemcpy(s, device, sizeof s, cudaMemcpyDeviceToHost));
            must_cuda(cudaMemcpy(d, device + COUNT, sizeof d, cudaMemcpyDeviceToHost));
        }
        ck_assert(memcmp(s, src, sizeof s) == 0 && memcmp(d, dst, sizeof d) == 0);
    }
    check_no_leak(before);
}

/* Whichever allocation it is that fails. */
static int make_edges(void *data)
{
    static uint64_t src[3 << 20], dst[3 << 20];
    const rmat_config *config = data;
    scoped(rmat_destroy) rmat_gen *gen = NULL;
    int st = rmat_create(&gen, config);

    if (st == RMAT_OK) {
        st = rmat_generate(gen, 0, 3 << 20, src, dst);
    }
    return st;
}

START_TEST(less_and_less_memory)
{
    rmat_config config = square_model(20);

    config.backend = RMAT_BACKEND_GPU;
    check_scarce_memory((size_t)192 << 20, make_edges, &config, RMAT_ERR_NOMEM);
}

START_TEST(no_leaks)
{
    static uint64_t src[5000], dst[5000];
    const int rounds = small_run() ? 3 : 60;
    size_t before = 0;

    for (int round = 0; round < rounds; round++) {
        rmat_gen *gen;

        if (round == 31) { /* all kernels are loaded now */
            before = free_device_memory();
        }
        gen = create_on(RMAT_BACKEND_GPU, square_model(1 + 2 * round % 62));
        ok(rmat_generate(gen, 0, 5000, src, dst));
        rmat_destroy(gen);
    }
    check_no_leak(before);
}

/* A sorted interval without its idle memory can be read, and no more than that. */
static void check_trimmed(rmat_interval *interval, const rmat_cell *first, rmat_cell *end)
{
    const uint64_t n = rmat_interval_edges(interval);
    uint64_t *ids[2] = {must_alloc(2 * n, 8), must_alloc(2 * n, 8)};
    size_t before;

    ok(rmat_interval_read(interval, 0, n, &(rmat_arrays){ids[0], ids[0] + n, NULL, 8}));
    before = free_device_memory();
    ok(rmat_interval_trim(interval));
    ck_assert_uint_ge(free_device_memory() - before, 8 * n);
    ok(rmat_interval_read(interval, 0, n, &(rmat_arrays){ids[1], ids[1] + n, NULL, 8}));
    ck_assert(memcmp(ids[0], ids[1], 16 * n) == 0);
    gives(RMAT_ERR_ARG, rmat_interval_make(interval, first, end, 1, 0));
    free(ids[0]);
    free(ids[1]);
}

/* An interval takes the memory that it was given and no more, and returns everything. */
START_TEST(interval_memory)
{
    const uint64_t bytes = UINT64_C(1) << 30;
    const rmat_config c = square_model(28);
    const rmat_cell first = {0, 0};
    rmat_cell end = {1 << 28, 0};
    size_t before, now;
    scoped(rmat_destroy) rmat_gen *gen = create_on(RMAT_BACKEND_GPU, c);
    rmat_interval *interval;

    for (int turn = 0; turn < 2; turn++) { /* kernels and pools take memory at first */
        before = free_device_memory();
        ok(rmat_interval_create(&interval, gen, bytes));
        now = free_device_memory();
        ck_assert(now < before);
        ck_assert_uint_le(before - now, bytes + (8 << 20));
        ck_assert_uint_gt(before - now, bytes / 100 * 95);
        ok(rmat_interval_begin(interval, &first, &end, turn));
        ok(rmat_interval_add(interval, 0, 1000000));
        ok(rmat_interval_sort(interval));
        check_trimmed(interval, &first, &end);
        ck_assert_uint_gt(interval_capacity(gen, bytes), bytes / 16 / 100 * 85);
        ck_assert_uint_le(interval_bytes(gen, interval_capacity(gen, bytes)), bytes);
        rmat_interval_destroy(interval);
    }
    check_no_leak(before);
    gives(RMAT_ERR_NOMEM, rmat_interval_create(&interval, gen, UINT64_C(1) << 45));
    ck_assert_ptr_null(interval);
    gives(RMAT_ERR_ARG, rmat_interval_create(&interval, gen, 30000));
}

/* The memory that building rows takes stays with the generator, until something else needs it. */
START_TEST(memory_for_rows)
{
    const rmat_csr_spec spec = {.edges = UINT64_C(1) << 26, .id_bytes = 4};
    scoped(rmat_destroy) rmat_gen *gen = create_on(RMAT_BACKEND_GPU, square_model(22));
    rmat_interval *interval;
    uint64_t bytes;
    rmat_csr csr;

    for (int turn = 0; turn < 2; turn++) {
        ok(rmat_csr_rows_device(gen, 0, 1 << 22, &spec, &csr));
        ck_assert_uint_eq(csr.edges, spec.edges);
        rmat_csr_free_device(gen, &csr);
    }
    bytes = free_device_memory() + (UINT64_C(1) << 28); /* of 1 GiB that the generator keeps */
    ok(rmat_interval_create(&interval, gen, bytes));
    rmat_interval_destroy(interval);
}

/* Graphs of more than 2^32 rows or columns are not sorted on a GPU. */
START_TEST(scales)
{
    static const int too_large[][2] = {{33, 33}, {33, 1}, {1, 33}};
    const rmat_cell cells[] = {{0, 0}, {1, 0}};
    const rmat_csr_spec spec = {.edges = 100, .id_bytes = 8};

    for (int i = 0; i < COUNT(too_large); i++) {
        const rmat_config c =
            model_of((rmat_config){.rows_scale = too_large[i][0], .cols_scale = too_large[i][1]});
        scoped(rmat_destroy) rmat_gen *gen = create_on(RMAT_BACKEND_GPU, c);
        rmat_interval *interval;
        uint64_t n;
        rmat_csr csr;

        gives(RMAT_ERR_GPU_SCALE, rmat_interval_bytes(gen, 10000, &n));
        gives(RMAT_ERR_GPU_SCALE, rmat_interval_capacity(gen, 1 << 20, &n));
        gives(RMAT_ERR_GPU_SCALE, rmat_interval_create(&interval, gen, 1 << 20));
        ck_assert_ptr_null(interval);
        gives(RMAT_ERR_GPU_SCALE, rmat_count_cells(gen, 0, 100, 2, cells, &n));
        gives(RMAT_ERR_GPU_SCALE, rmat_csr_rows(gen, 0, 1, &spec, &csr));
        gives(RMAT_ERR_GPU_SCALE, rmat_csr_rows_device(gen, 0, 1, &spec, &csr));
    }
}

/* Any launch of the library may fail; the interval can be begun again afterwards. */
START_TEST(interval_failures)
{
    rmat_config c = square_model(_i ? 32 : 12);
    rmat_cell *cells;
    uint64_t count, n;
    rmat_first_list unseen;
    int failed = 0, st = 1;

    c.permute = 1;
    scoped(tested_destroy) tested_interval t = tested_create(&c, "failures", 100000);
    for (int after = 0; st; after++) {
        unseen = (rmat_first_list){NULL, 0, 1000};
        alias_gpu_fail_launch(after);
        st = tested_fill(&t, &t.begin, &t.end, 1, 0, 50000);
        st = st ? st : rmat_interval_pointers(t.interval, 0, 9, 0, (uint64_t[9]){0});
        st = st ? st : t.interval->ops->lower(t.interval, &count);
        st = st ? st : rmat_interval_unseen(t.interval, 50000, 1000, &unseen);
        st = st ? st : rmat_interval_insert(t.interval, unseen.n, unseen.edges);
        alias_gpu_fail_launch(-1);
        ck_assert(st == RMAT_OK || st == RMAT_ERR_CUDA);
        failed += st != RMAT_OK;
        free(unseen.edges);
    }
    ck_assert_int_gt(failed, 8);
    n = reference_interval(t.cpu, 0, 51000, &t.begin, &t.end, 1, &cells);
    compare_interval(t.cpu, t.interval, cells, n, "after failures");
    free(cells);
}

/* compute-sanitizer needs memory of its own. */
TEST_CASES(rmat_gpu_failures, 0, ONCE(failing_launches), ONCE(no_leaks), ONCE(scales),
           LOOP(less_and_less_memory, 0, !small_run()), LOOP(interval_memory, 0, !small_run()),
           LOOP(memory_for_rows, 0, !small_run()), LOOP(interval_failures, 0, 2))
