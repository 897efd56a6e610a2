/*
 * Extending a sorted interval, on a CPU and on a GPU: the first occurrences, in a window of the
 * stream, of edges that it lacks, listed and inserted, against a simple search; and the
 * counts of edges between cells.  Models in which any two values of options meet.
 */
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

static int by_cell(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;
    const int below = cell_below(&x->cell, &y->cell), above = cell_below(&y->cell, &x->cell);

    return above != below ? above - below : (x->index > y->index) - (x->index < y->index);
}

/* The edges of the interval among [0, high) whose first occurrence is at `low` or after it. */
static uint64_t reference_unseen(const rmat_gen *gen, uint64_t low, uint64_t high,
                                 const rmat_cell *from, const rmat_cell *end,
                                 rmat_first_seen **unseen)
{
    uint64_t *ids = must_alloc(2 * high, sizeof *ids), n = 0, kept = 0;
    rmat_first_seen *list = must_alloc(high, sizeof *list);
    rmat_first_seen *rest = must_alloc(high, sizeof *rest);

    must(!rmat_generate(gen, 0, high, ids, ids + high), "edges");
    for (uint64_t i = 0; i < high; i++) {
        const rmat_cell c = {ids[i], ids[high + i]};

        if (!cell_below(&c, from) && cell_below(&c, end)) {
            list[n++] = (rmat_first_seen){c, i};
        }
    }
    free(ids);
    qsort(list, n, sizeof *list, by_cell);
    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *c = &list[i].cell;

        if ((i == 0 || cell_below(&list[i - 1].cell, c)) && list[i].index >= low) {
            rest[kept++] = list[i];
        }
    }
    free(list);
    *unseen = rest;
    return kept;
}

static void compare_unseen(const tested_interval *t, uint64_t low, uint64_t high,
                           const rmat_cell *from, const rmat_cell *end)
{
    rmat_interval *b = t->interval;
    const char *name = t->name;
    rmat_first_seen *expected;
    uint64_t wanted = reference_unseen(t->cpu, low, high, from, end, &expected), edges;
    rmat_first_list list = {NULL, 0, wanted}, few = {NULL, 0, wanted - 1}, none = {NULL, 0, 0};
    rmat_cell *cells;

    must(!tested_fill(t, from, end, 1, 0, low), "%s: interval", name);
    must(!rmat_interval_unseen(b, low, high - low, &list), "%s: unseen", name);
    must(list.n == wanted, "%s: %lu unseen, not %lu", name, list.n, wanted);
    for (uint64_t i = 0; i < wanted; i++) {
        must(!memcmp(&list.edges[i], &expected[i], sizeof *expected), "%s: new edge %lu", name, i);
    }
    must(!wanted || rmat_interval_unseen(b, low, high - low, &few) == RMAT_ERR_FULL,
         "%s: one too many", name);
    free(few.edges);
    /* In two parts, in any order. */
    must(!rmat_interval_insert(b, wanted - wanted / 3, list.edges + wanted / 3), "%s: insert",
         name);
    must(!rmat_interval_insert(b, wanted / 3, list.edges), "%s: insert", name);
    free(list.edges);
    free(expected);
    edges = reference_interval(t->cpu, 0, high, from, end, 1, &cells);
    compare_interval(t->cpu, b, cells, edges, name);
    free(cells);
    if (edges) {
        must(!rmat_interval_unseen(b, 0, high, &none) && none.n == 0, "%s: still new", name);
        free(none.edges);
    }
}

static void compare_windows(const tested_interval *t, uint64_t low, uint64_t high)
{
    rmat_cell *cells, one_more;
    uint64_t n = reference_interval(t->cpu, 0, high, &t->begin, &t->end, 1, &cells);

    compare_unseen(t, low, high, &t->begin, &t->end);
    compare_unseen(t, low, high, &cells[n / 4], &cells[n / 4 * 3]);
    one_more = next_cell(t->cpu, &cells[n / 2], 1);
    compare_unseen(t, low, high, &cells[n / 2], &one_more);
    compare_unseen(t, 1, high, &cells[n / 2], &one_more); /* is not there yet */
    compare_unseen(t, low, low, &t->begin, &t->end);
    free(cells);
}

/* How many edges lie between cells that are edges, beside edges, the same again, or anywhere. */
static void compare_counts(const tested_interval *t, uint64_t first, uint64_t count, uint64_t n,
                           int inside)
{
    const char *name = t->name;
    rmat_cell *edges, *cells = must_alloc(n, sizeof *cells);
    uint64_t all = reference_interval(t->cpu, first, count, &t->begin, &t->end, 0, &edges), k = 0;
    scoped(free) uint64_t *counts = must_alloc(n, sizeof *counts);

    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *e = &edges[(all - 1) * (i + (inside && n < 9)) / (n + 8 * (inside != 0))];

        cells[i] = i % 3 == 2 ? next_cell(t->cpu, e, (int64_t)(i % 5)) : *e;
        if (i && cell_below(&cells[i], &cells[i - 1])) {
            cells[i] = cells[i - 1];
        }
    }
    if (!inside) {
        cells[0] = t->begin;
        cells[n - 1] = t->end;
    }
    counts[n - 1] = 77;
    must(!rmat_count_cells(t->gen, first, count, n, cells, counts), "%s: count", name);
    must(counts[n - 1] == 77, "%s: counts behind the end", name);
    while (k < all && cell_below(&edges[k], &cells[0])) {
        k++;
    }
    for (uint64_t i = 0; i + 1 < n; i++) {
        uint64_t expected = k;

        while (k < all && cell_below(&edges[k], &cells[i + 1])) {
            k++;
        }
        must(counts[i] == k - expected, "%s: part %lu of %lu: %lu, not %lu", name, i, n, counts[i],
             k - expected);
    }
    free(edges);
    free(cells);
}

START_TEST(models)
{
    static option_case cases[OPTION_PAIRS];
    const int step = small_run() ? 19 : ON_GPU ? 4 : 1;
    const uint64_t low = ON_GPU && !small_run() ? 50021 : 900, high = low / 2 * 5;

    option_pairs(cases);
    for (int i = 0; i < OPTION_PAIRS; i += step) {
        tested_interval t;

        if (!is_sortable(&cases[i].config)) {
            continue;
        }
        cases[i].config.threads = 1 + i % 3;
        t = tested_create(&cases[i].config, cases[i].name, 2 * high + 20000);
        compare_windows(&t, low, high);
        for (uint64_t cells = 2; cells < 1500; cells = cells * 5 - 3) {
            compare_counts(&t, 100, 2001, cells, i % 2);
        }
        tested_destroy(&t);
    }
}

/* Windows of several slices, in which edges come again and again; keys that leave no room for an
 * index beside them. */
START_TEST(long_windows)
{
    static const int scales[] = {7, 20, 32, 51, 52, 53, 54, 62};
    rmat_config c = square_model(scales[_i]);
    tested_interval t;

    if (!is_sortable(&c)) {
        return;
    }
    c.matrix = (rmat_matrix){0.94, 0.02, 0.02, 0.02};
    c.threads = 1 + _i % 3;
    t = tested_create(&c, "long window", 60000);
    compare_windows(&t, 7001, 42001);
    compare_counts(&t, 1, 50001, 1000, 0);
    tested_destroy(&t);
}

/* More new edges than a GPU's first list has room for, found again and again. */
START_TEST(many_new)
{
    rmat_config c = square_model(_i ? 32 : 20);
    tested_interval t;

    c.permute = 1;
    t = tested_create(&c, "many new", 8000000);
    compare_unseen(&t, 1000, 5001000, &t.begin, &t.end);
    tested_destroy(&t);
}

/* No room for the list; an empty interval. */
START_TEST(no_room)
{
    const rmat_cell begin = {0, 0}, end = {1u << 16, 0};
    const rmat_config c = square_model(16);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    rmat_interval *b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
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
    rmat_interval_destroy(b);
}

TEST_CASES(rmat_interval_unseen, 240, ONCE(models), LOOP(long_windows, 0, small_run() ? 1 : 8),
           LOOP(many_new, 0, ON_GPU && !small_run() ? 2 : 0), LOOP(no_room, 0, !ON_GPU))
