/*
 * Sorted intervals on the GPU equal those on the CPU: every function of rmat_interval.h that reads
 * them, for models in which any two values of options meet (option_pairs.h); intervals cut by rows
 * and by destinations, of one cell, of none; into host and device memory, from several streams and
 * threads at once; and the memory that they take.
 */
#include "tests/support/gpu_interval_util.h"
#include "tests/support/interval_bytes.h"
#include "tests/support/option_pairs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void check_count_cells(const both *b, rmat_cell *cells, uint64_t n, uint64_t from,
                              uint64_t count)
{
    uint64_t *counts[BACKENDS] = {must_alloc(n, 8), must_alloc(n, 8)};

    qsort(cells, n, sizeof *cells, compare_cells);
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_count_cells(b->gen[k], from, count, n, cells, counts[k]));
    }
    must(memcmp(counts[CPU], counts[GPU], 8 * (n - 1)) == 0, "%s: cells counted", b->name);
    free(counts[CPU]);
    free(counts[GPU]);
}

static void check_interval(both *b, const rmat_cell *first, const rmat_cell *end, uint64_t from,
                           uint64_t count)
{
    for (int unique = 0; unique < 2; unique++) {
        for (int k = 0; k < BACKENDS; k++) {
            must_ok(fill_interval(b->interval[k], first, end, unique, from, count));
        }
        check_intervals(b);
    }
}

static void check_model(const rmat_config *config, const char *name)
{
    const uint64_t from = (UINT64_C(1) << 33) - 901, count = small_run() ? 2003 : 20011;
    both made = both_create(config, name, 2 * count + RMAT_INTERVAL_LEAST_EDGES), *b = &made;
    rmat_cell cells[CELLS], start, end, c;

    some_cells(b, cells);
    start = cells[0];
    end = cells[1];
    c = cells[7];
    check_interval(b, &start, &end, from, count);
    if (small_run() < 2) {
        const rmat_cell behind = cell_behind(b, c), row = {c.src, 0}, next_row = {c.src + 1, 0};

        check_interval(b, &start, &c, from, count);
        check_interval(b, &c, &end, from, count);
        check_interval(b, &c, &behind, 0, count); /* edge 7 is there */
        check_interval(b, &c, &c, from, count);
        check_interval(b, &c, &next_row, from, count);
        check_interval(b, &row, &c, from, count);
        check_count_cells(b, cells, CELLS, from, count);
        check_count_cells(b, (rmat_cell[]){start, c}, 2, from, count);
        check_count_cells(b, (rmat_cell[]){c, behind}, 2, 0, count);
    }
    both_destroy(b);
}

static option_case cases[OPTION_PAIRS_MAX];
static int n_cases;

START_TEST(models)
{
    for (int i = 0; i < n_cases; i += small_run() == 2 ? 30 : small_run() ? 9 : 1) {
        check_model(&cases[i].config, cases[i].name);
    }
}
END_TEST

/* Idle memory of a sorted interval may be written to; without it, it can still be read, and no more
 * than that. */
static void check_trimmed(rmat_interval *interval, const rmat_cell *first, const rmat_cell *end)
{
    const uint64_t n = rmat_interval_edges(interval);
    const rmat_first_seen other = {.cell = *first};
    uint64_t *ids[2] = {must_alloc(2 * n, 8), must_alloc(2 * n, 8)}, bytes;
    size_t before;
    void *spare;

    ck_assert_int_eq(
        rmat_interval_read(interval, 0, n, &(rmat_arrays){ids[0], ids[0] + n, NULL, 8}), RMAT_OK);
    ck_assert_int_eq(rmat_interval_spare_device(interval, &spare, &bytes), RMAT_OK);
    ck_assert_uint_ge(bytes, 8 * n);
    must_cuda(cudaMemset(spare, 0x5A, bytes));
    must_cuda(cudaDeviceSynchronize());
    before = free_device_memory();
    ck_assert_int_eq(rmat_interval_trim(interval), RMAT_OK);
    ck_assert_uint_ge(free_device_memory() - before, bytes);
    ck_assert_int_eq(rmat_interval_spare_device(interval, &spare, &bytes), RMAT_OK);
    ck_assert(spare == NULL && bytes == 0);
    ck_assert_int_eq(
        rmat_interval_read(interval, 0, n, &(rmat_arrays){ids[1], ids[1] + n, NULL, 8}), RMAT_OK);
    ck_assert(memcmp(ids[0], ids[1], 16 * n) == 0);
    ck_assert_int_eq(rmat_interval_insert(interval, 1, &other), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_begin(interval, first, end, 0), RMAT_ERR_ARG);
    free(ids[0]);
    free(ids[1]);
}

/* So much memory that warps take room for many edges at once, in several launches. */
START_TEST(large)
{
    const rmat_config c = square_graph(_i ? 35 : 24, _i);
    const uint64_t count = 3000017;
    both made = both_create(&c, "large", (uint64_t)1 << 26), *b = &made;
    const rmat_cell start = {0, 0}, end = {UINT64_C(1) << c.rows_scale, 0}, cut = {5, 77};

    check_interval(b, &start, &end, (UINT64_C(1) << 32) - 1000000, count);
    check_interval(b, &start, &cut, 0, count);
    check_interval(b, &cut, &end, 0, count);
    both_destroy(b);
}
END_TEST

typedef struct {
    const rmat_interval *interval;
    uint64_t first, n, *ids;
    int st;
} reader;

static void *read_some(void *argument)
{
    reader *r = argument;

    r->st = rmat_interval_read(r->interval, r->first, r->n,
                               &(rmat_arrays){r->ids, r->ids + r->n, NULL, 8});
    return NULL;
}

START_TEST(many_threads)
{
    enum { THREADS = 4 };
    const uint64_t count = small_run() ? 10000 : 6000000, part = count / THREADS;
    const rmat_config c = square_graph(22, 0);
    both made = both_create(&c, "threads", count), *b = &made;
    const rmat_cell first = {0, 0}, end = {1 << 22, 0};
    uint64_t *ids[BACKENDS] = {must_alloc(2 * count, 8), must_alloc(2 * count, 8)};

    for (int k = 0; k < BACKENDS; k++) {
        pthread_t threads[THREADS];
        reader readers[THREADS];

        must_ok(fill_interval(b->interval[k], &first, &end, 0, 0, count));
        for (uint64_t t = 0; t < THREADS; t++) {
            readers[t] = (reader){b->interval[k], t * part, part, ids[k] + 2 * t * part, 1};
            ck_assert_int_eq(pthread_create(&threads[t], NULL, read_some, &readers[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
            must_ok(readers[t].st);
        }
    }
    ck_assert(memcmp(ids[CPU], ids[GPU], 16 * THREADS * part) == 0);
    free(ids[CPU]);
    free(ids[GPU]);
    both_destroy(b);
}
END_TEST

/* An interval takes the memory that it was given and no more, leaves the current device as it was,
 * and returns everything. */
START_TEST(memory)
{
    const uint64_t bytes = UINT64_C(1) << 30;
    rmat_config c = square_graph(28, 0);
    const rmat_cell first = {0, 0}, end = {1 << 28, 0};
    size_t before, now;
    rmat_interval *interval;
    rmat_gen *gen;

    c.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    for (int turn = 0; turn < 2; turn++) { /* kernels and pools take memory at first */
        before = free_device_memory();
        ck_assert_int_eq(rmat_interval_create(&interval, gen, bytes), RMAT_OK);
        now = free_device_memory();
        ck_assert(now < before);
        ck_assert_uint_le(before - now, bytes + (8 << 20));
        ck_assert_uint_gt(before - now, bytes / 100 * 95);
        ck_assert_int_eq(fill_interval(interval, &first, &end, turn, 0, 1000000), RMAT_OK);
        check_trimmed(interval, &first, &end);
        ck_assert_uint_gt(interval_capacity(gen, bytes), bytes / 16 / 100 * 85);
        ck_assert_uint_le(interval_bytes(gen, interval_capacity(gen, bytes)), bytes);
        rmat_interval_destroy(interval);
    }
    check_no_leak(before);
    ck_assert_int_eq(rmat_interval_create(&interval, gen, UINT64_C(1) << 45), RMAT_ERR_NOMEM);
    ck_assert_ptr_null(interval);
    ck_assert_int_eq(rmat_interval_create(&interval, gen, 30000), RMAT_ERR_ARG);
    rmat_destroy(gen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_interval");
    TCase *tc = tcase_create("rmat_gpu_interval");

    n_cases = option_pairs(cases);
    tcase_add_test(tc, models);
    tcase_add_test(tc, many_threads);
    if (!small_run()) {
        tcase_add_loop_test(tc, large, 0, 2);
        tcase_add_test(tc, memory);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
