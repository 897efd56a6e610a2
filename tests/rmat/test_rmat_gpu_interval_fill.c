/*
 * Intervals on the GPU with more edges than fit: cut in two until they fit; streams of unique edges
 * much longer than their memory; edges inserted afterwards.  All as on the CPU.
 */
#include "alias/gpu/device.h"
#include "tests/support/gpu_interval_util.h"
#include "tests/support/interval_bytes.h"
#include "tests/support/option_pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static option_case cases[OPTION_PAIRS_MAX];
static int n_cases;

/* What does not fit is cut in two at the middle, until it does: in order, it is the graph. */
static void fill_parts(both *b, rmat_interval *part, const rmat_cell *first, const rmat_cell *end,
                       int unique, uint64_t count, uint64_t *done)
{
    const uint64_t all = rmat_interval_edges(b->interval[CPU]);
    const int st = fill_interval(part, first, end, unique, 0, count);
    uint64_t n, *ids;

    must(st == RMAT_OK || st == RMAT_ERR_FULL, "%s: %s", b->name, rmat_gpu_error());
    if (st == RMAT_ERR_FULL) {
        rmat_cell m;

        must_ok(rmat_interval_middle(part, &m));
        must(compare_cells(first, &m) < 0 && compare_cells(&m, end) < 0, "%s: middle", b->name);
        fill_parts(b, part, first, &m, unique, count, done);
        fill_parts(b, part, &m, end, unique, count, done);
        return;
    }
    n = rmat_interval_edges(part);
    must(n <= all - *done, "%s: too many edges", b->name);
    ids = must_alloc(4 * n + 1, 8);
    must_ok(rmat_interval_read(b->interval[CPU], *done, n, &(rmat_arrays){ids, ids + n, NULL, 8}));
    must_ok(rmat_interval_read(part, 0, n, &(rmat_arrays){ids + 2 * n, ids + 3 * n, NULL, 8}));
    must(memcmp(ids, ids + 2 * n, 16 * n) == 0, "%s: part from %" PRIu64, b->name, *done);
    *done += n;
    free(ids);
}

START_TEST(too_many)
{
    static const int scales[] = {4, 20, 40, 33};
    const uint64_t count = small_run() ? 9001 : 100003;

    for (int unique = 0; unique < 2; unique++) {
        const rmat_config c = square_graph(scales[_i], _i % 2);
        both made = both_create(&c, "too many", count), *b = &made;
        const rmat_cell first = {0, 0}, end = {UINT64_C(1) << scales[_i], 0};
        rmat_interval *part;
        uint64_t done = 0;

        must_ok(fill_interval(b->interval[CPU], &first, &end, unique, 0, count));
        must_ok(rmat_interval_create(&part, b->gen[GPU],
                                     interval_bytes(b->gen[GPU], RMAT_INTERVAL_LEAST_EDGES)));
        fill_parts(b, part, &first, &end, unique, count, &done);
        ck_assert_uint_eq(done, rmat_interval_edges(b->interval[CPU]));
        rmat_interval_destroy(part);
        both_destroy(b);
    }
}
END_TEST

/* A stream many times as long as the memory, of a graph that fits. */
START_TEST(unique_from_long_streams)
{
    static const struct {
        int rows_scale, cols_scale;
        uint64_t capacity;
    } kinds[] = {{5, 5, RMAT_INTERVAL_LEAST_EDGES},
                 {6, 5, RMAT_INTERVAL_LEAST_EDGES},
                 {9, 9, 300000},
                 {40, 1, 200000},
                 {40, 25, 700000}};
    const uint64_t count = small_run() ? 20000 : 1000003;
    rmat_config c = square_graph(5, 0);
    both made, *b = &made;
    rmat_cell first = {0, 0}, end;

    c.rows_scale = kinds[_i].rows_scale;
    c.cols_scale = kinds[_i].cols_scale;
    c.matrix = (rmat_matrix){0.9, 0.05, 0.04, 0.01};
    end = (rmat_cell){UINT64_C(1) << c.rows_scale, 0};
    made = both_create(&c, "long stream", kinds[_i].capacity);
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(fill_interval(b->interval[k], &first, &end, 1, 12345, count));
    }
    check_intervals(b);
    both_destroy(b);
}
END_TEST

/* The first occurrences in a window, and some of them inserted. */
static void check_insert(both *b, const rmat_cell *first, const rmat_cell *end, uint64_t count,
                         uint64_t window)
{
    rmat_first_seen *unseen[BACKENDS];
    uint64_t n[BACKENDS], most;

    for (int k = 0; k < BACKENDS; k++) {
        must_ok(fill_interval(b->interval[k], first, end, 1, 0, count));
        must_ok(rmat_interval_unseen(b->interval[k], count, window, window, &unseen[k], &n[k]));
    }
    must(n[CPU] == n[GPU], "%s: %" PRIu64 " unseen, not %" PRIu64, b->name, n[GPU], n[CPU]);
    must(n[CPU] == 0 || memcmp(unseen[CPU], unseen[GPU], n[CPU] * sizeof *unseen[CPU]) == 0,
         "%s: unseen", b->name);
    most = n[CPU];
    free(unseen[GPU]);
    if (most) {
        must_be(RMAT_ERR_FULL, rmat_interval_unseen(b->interval[GPU], count, window, most - 1,
                                                    &unseen[GPU], &n[GPU]));
    }
    must_ok(rmat_interval_unseen(b->interval[GPU], count, window, most, &unseen[GPU], &n[GPU]));
    must(n[GPU] == most, "%s: unseen again", b->name);
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_interval_insert(b->interval[k], most - most / 4, unseen[CPU]));
    }
    check_intervals(b);
    free(unseen[CPU]);
    free(unseen[GPU]);
}

START_TEST(inserted)
{
    const uint64_t count = small_run() ? 3001 : 50021;

    for (int i = 0; i < n_cases; i += small_run() ? 20 : 4) {
        both made = both_create(&cases[i].config, cases[i].name, 2 * count), *b = &made;
        rmat_cell cells[CELLS], behind;

        some_cells(b, cells);
        check_insert(b, &cells[0], &cells[1], count, count / 2);
        check_insert(b, &cells[8], &cells[1], count, count / 2);
        behind = cell_behind(b, cells[8]);
        check_insert(b, &cells[8], &behind, count, count / 2);
        check_insert(b, &cells[8], &behind, 1, count / 2); /* is not there yet */
        both_destroy(b);
    }
}
END_TEST

/* More of them than the first list has room for, found again and again. */
START_TEST(many_inserted)
{
    const rmat_config c = square_graph(_i ? 36 : 20, 1);
    both made = both_create(&c, "many inserted", 8000000), *b = &made;
    const rmat_cell first = {0, 0}, end = {UINT64_C(1) << c.rows_scale, 0};

    check_insert(b, &first, &end, 1000, 5000000);
    both_destroy(b);
}
END_TEST

/* Any launch of the library may fail; the interval can be begun again afterwards. */
START_TEST(failures)
{
    const rmat_config c = square_graph(_i ? 40 : 12, 1);
    both made = both_create(&c, "failures", 100000), *b = &made;
    const rmat_cell first = {0, 0}, end = {UINT64_C(1) << c.rows_scale, 0}, cell = {3, 4};
    uint64_t count;
    rmat_first_seen *unseen;
    int failed = 0, st = 1;

    for (int after = 0; st; after++) {
        unseen = NULL;
        alias_gpu_fail_launch(after);
        st = fill_interval(b->interval[GPU], &first, &end, 1, 0, 50000);
        st = st ? st : rmat_interval_before(b->interval[GPU], 1, &cell, &count);
        st = st ? st : rmat_interval_pointers(b->interval[GPU], 0, 9, 0, (uint64_t[9]){0});
        st = st ? st : rmat_interval_lower(b->interval[GPU], &count);
        st = st ? st : rmat_interval_unseen(b->interval[GPU], 50000, 1000, 1000, &unseen, &count);
        st = st ? st : rmat_interval_insert(b->interval[GPU], count, unseen);
        alias_gpu_fail_launch(-1);
        ck_assert(st == RMAT_OK || st == RMAT_ERR_CUDA);
        failed += st != RMAT_OK;
        free(unseen);
    }
    ck_assert_int_gt(failed, 10);
    must_ok(fill_interval(b->interval[CPU], &first, &end, 1, 0, 51000));
    check_intervals(b);
    both_destroy(b);
}
END_TEST

/* A pass makes the stream's edges once: as many draws are thrown away as on the CPU. */
START_TEST(redraws)
{
    const uint64_t n = 30000;
    rmat_config c = square_graph(20, 1);
    uint64_t *ids = must_alloc(2 * n, 8), drawn[BACKENDS];
    both made, *b = &made;
    const rmat_cell first = {70000, 0}, end = {600000, 0};

    c.rows = c.cols = 600000;
    c.no_self_loops = 1;
    made = both_create(&c, "redraws", n);
    must_ok(fill_interval(b->interval[GPU], &first, &end, 0, 0, n));
    must_ok(rmat_generate(b->gen[CPU], 0, n, ids, ids + n));
    for (int k = 0; k < BACKENDS; k++) {
        must_ok(rmat_redraws(b->gen[k], &drawn[k]));
    }
    ck_assert_uint_gt(drawn[CPU], 0);
    ck_assert_uint_eq(drawn[GPU], drawn[CPU]);
    free(ids);
    both_destroy(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_interval_fill");
    TCase *tc = tcase_create("rmat_gpu_interval_fill");
    const int all = small_run() < 2;

    n_cases = option_pairs(cases);
    tcase_add_loop_test(tc, too_many, 0, all ? 4 : 1);
    tcase_add_loop_test(tc, unique_from_long_streams, 0, all ? 5 : 1);
    tcase_add_test(tc, inserted);
    tcase_add_loop_test(tc, failures, 0, 2);
    tcase_add_test(tc, redraws);
    if (!small_run()) {
        tcase_add_loop_test(tc, many_inserted, 0, 2);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
