/*
 * Extending a sorted interval, on a CPU and on a GPU: the first occurrences, in a window of the
 * stream, of edges that it lacks, listed and inserted, against a simple search; and the
 * counts of edges between cells.  Models in which any two values of options meet.
 */
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

static void compare_windows(const tested_interval *t, uint64_t low, uint64_t high)
{
    scoped(free) rmat_cell *cells = NULL;
    rmat_cell one_more;
    uint64_t n = reference_interval(t->cpu, 0, high, &t->begin, &t->end, 1, &cells);

    compare_unseen(t, low, high, &t->begin, &t->end);
    compare_unseen(t, low, high, &cells[n / 4], &cells[n / 4 * 3]);
    one_more = next_cell(t->cpu, &cells[n / 2], 1);
    compare_unseen(t, low, high, &cells[n / 2], &one_more);
    compare_unseen(t, 1, high, &cells[n / 2], &one_more); /* is not there yet */
    compare_unseen(t, low, low, &t->begin, &t->end);
}

START_TEST(models)
{
    static option_case cases[OPTION_PAIRS];
    const int step = small_run() ? 19 : ON_GPU ? 4 : 1;
    const uint64_t low = ON_GPU && !small_run() ? 50021 : 900, high = low / 2 * 5;

    option_pairs(cases);
    for (int i = 0; i < OPTION_PAIRS; i += step) {
        if (!is_sortable(&cases[i].config)) {
            continue;
        }
        cases[i].config.threads = 1 + i % 3;
        scoped(tested_destroy) tested_interval t =
            tested_create(&cases[i].config, cases[i].name, 2 * high + 20000);
        compare_windows(&t, low, high);
        for (uint64_t cells = 2; cells < 1500; cells = cells * 5 - 3) {
            compare_counts(&t, 100, 2001, cells, i % 2);
        }
    }
}

/* Windows of several slices, in which edges come again and again; keys that leave no room for an
 * index beside them. */
START_TEST(long_windows)
{
    static const int scales[] = {7, 20, 32, 51, 52, 53, 54, 62};
    rmat_config c = square_model(scales[_i]);

    if (!is_sortable(&c)) {
        return;
    }
    c.matrix = (rmat_matrix){0.94, 0.02, 0.02, 0.02};
    c.threads = 1 + _i % 3;
    scoped(tested_destroy) tested_interval t = tested_create(&c, "long window", 60000);
    compare_windows(&t, 7001, 42001);
    compare_counts(&t, 1, 50001, 1000, 0);
}

/* More new edges than a GPU's first list has room for, found again and again. */
START_TEST(many_new)
{
    rmat_config c = square_model(_i ? 32 : 20);

    c.permute = 1;
    scoped(tested_destroy) tested_interval t = tested_create(&c, "many new", 8000000);
    compare_unseen(&t, 1000, 5001000, &t.begin, &t.end);
}

/* No room for the list; an empty interval. */
START_TEST(no_room)
{
    const rmat_cell begin = {0, 0}, end = {1u << 16, 0};
    const rmat_config c = square_model(16);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    scoped(rmat_interval_destroy) rmat_interval *b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
    rmat_first_list list = {NULL, 0, 6000};

    ok(rmat_interval_begin(b, &begin, &end, 1));
    ok(rmat_interval_sort(b));
    ok(rmat_interval_unseen(b, 0, 6000, &list));
    ck_assert_uint_gt(list.n, RMAT_INTERVAL_LEAST_EDGES);
    gives(RMAT_ERR_FULL, rmat_interval_insert(b, RMAT_INTERVAL_LEAST_EDGES + 1, list.edges));
    ck_assert_uint_eq(rmat_interval_edges(b), 0);
    ok(rmat_interval_insert(b, RMAT_INTERVAL_LEAST_EDGES, list.edges));
    ck_assert_uint_eq(rmat_interval_edges(b), RMAT_INTERVAL_LEAST_EDGES);
    gives(RMAT_ERR_FULL, rmat_interval_insert(b, 1, list.edges + RMAT_INTERVAL_LEAST_EDGES));
    free(list.edges);
}

TEST_CASES(rmat_interval_unseen, 240, ONCE(models), LOOP(long_windows, 0, small_run() ? 1 : 8),
           LOOP(many_new, 0, ON_GPU && !small_run() ? 2 : 0), LOOP(no_room, 0, !ON_GPU))
