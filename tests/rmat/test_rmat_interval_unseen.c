/*
 * Extending a sorted interval: the first occurrences, in a window of the stream, of edges that it
 * lacks, listed by index and inserted, against a plain search; and the counts of edges between
 * cells. Models in which any two values of options meet.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_interval.h"
#include "tests/support/interval_bytes.h"
#include "tests/support/interval_reference.h"
#include "tests/support/must.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>
#include <string.h>

static int by_cell(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;
    const int below = cell_below(&x->cell, &y->cell), above = cell_below(&y->cell, &x->cell);

    return above != below ? above - below : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* The edges of the interval among [0, high) whose first occurrence is at `low` or after it. */
static uint64_t reference_unseen(const rmat_gen *gen, uint64_t low, uint64_t high,
                                 const rmat_cell *from, const rmat_cell *end,
                                 rmat_first_seen **unseen)
{
    uint64_t *ids = malloc(2 * high * sizeof *ids), n = 0, kept = 0;
    rmat_first_seen *list = malloc(high * sizeof *list), *rest = malloc(high * sizeof *rest);

    must(ids && list && rest && !rmat_generate(gen, 0, high, ids, ids + high), "edges");
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
    qsort(rest, kept, sizeof *rest, by_index);
    *unseen = rest;
    return kept;
}

static void compare_unseen(const rmat_gen *gen, rmat_interval *b, uint64_t low, uint64_t high,
                           const rmat_cell *from, const rmat_cell *end, const char *name)
{
    rmat_first_seen *expected, *list;
    uint64_t wanted = reference_unseen(gen, low, high, from, end, &expected), n, edges;
    rmat_cell *cells;

    must(!rmat_interval_begin(b, from, end, 1) && !rmat_interval_add(b, 0, low) &&
             !rmat_interval_sort(b),
         "%s: interval", name);
    must(!rmat_interval_unseen(b, low, high - low, wanted, &list, &n), "%s: unseen", name);
    must(n == wanted, "%s: %lu unseen, not %lu", name, n, wanted);
    for (uint64_t i = 0; i < n; i++) {
        must(list[i].index == expected[i].index && list[i].cell.src == expected[i].cell.src &&
                 list[i].cell.dst == expected[i].cell.dst,
             "%s: new edge %lu", name, i);
    }
    if (n) {
        rmat_first_seen *none = NULL;

        must(rmat_interval_unseen(b, low, high - low, n - 1, &none, &n) == RMAT_ERR_FULL,
             "%s: one too many", name);
        must(!none, "%s: a list of too many", name);
    }
    /* In two parts, in any order. */
    must(!rmat_interval_insert(b, wanted - wanted / 3, list + wanted / 3), "%s: insert", name);
    must(!rmat_interval_insert(b, wanted / 3, list), "%s: insert", name);
    free(list);
    free(expected);
    edges = reference_interval(gen, 0, high, from, end, 1, &cells);
    compare_interval(gen, b, cells, edges, name);
    free(cells);
    if (edges) {
        must(!rmat_interval_unseen(b, 0, high, 0, &list, &n) && n == 0 && !list, "%s: still new",
             name);
    }
}

static void compare_windows(const rmat_gen *gen, rmat_interval *b, uint64_t low, uint64_t high,
                            const char *name)
{
    const rmat_cell begin = {0, 0}, end = {gen->view.rows, 0};
    rmat_cell *cells, one_more;
    uint64_t n = reference_interval(gen, 0, high, &begin, &end, 1, &cells);

    compare_unseen(gen, b, low, high, &begin, &end, name);
    compare_unseen(gen, b, low, high, &cells[n / 4], &cells[n / 4 * 3], name);
    one_more = next_cell(gen, &cells[n / 2], 1);
    compare_unseen(gen, b, low, high, &cells[n / 2], &one_more, name);
    compare_unseen(gen, b, low, low, &begin, &end, name);
    free(cells);
}

/* How many edges lie between cells that are edges, beside edges, the same again, or anywhere. */
static void compare_counts(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                           int inside, const char *name)
{
    const rmat_cell begin = {0, 0}, end = {gen->view.rows, 0};
    rmat_cell *edges, *cells = malloc(n * sizeof *cells);
    uint64_t all = reference_interval(gen, first, count, &begin, &end, 0, &edges), k = 0;
    uint64_t *counts = malloc(n * sizeof *counts);

    must(cells && counts && all == count, "edges");
    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *e = &edges[(all - 1) * (i + (inside && n < 9)) / (n + 8 * (inside != 0))];

        cells[i] = i % 3 == 2 ? next_cell(gen, e, (int64_t)(i % 5)) : *e;
        if (i && cell_below(&cells[i], &cells[i - 1])) {
            cells[i] = cells[i - 1];
        }
    }
    if (!inside) {
        cells[0] = begin;
        cells[n - 1] = end;
    }
    counts[n - 1] = 77;
    must(!rmat_count_cells(gen, first, count, n, cells, counts), "%s: count", name);
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
    free(counts);
}

START_TEST(models)
{
    static option_case cases[OPTION_PAIRS_MAX];
    const int n = option_pairs(cases);

    must(n > 0, "no models");
    for (int i = 0; i < n; i++) {
        rmat_gen *gen;
        rmat_interval *b;

        cases[i].config.threads = 1 + i % 3;
        must(!rmat_create(&gen, &cases[i].config), "rmat_create()");
        must(!rmat_interval_create(&b, gen, interval_bytes(gen, 20000)), "rmat_interval_create()");
        compare_windows(gen, b, 900, 2300, cases[i].name);
        rmat_interval_destroy(b);
        for (uint64_t cells = 2; cells < 1500; cells = cells * 5 - 3) {
            compare_counts(gen, 100, 2001, cells, i % 2, cases[i].name);
        }
        rmat_destroy(gen);
    }
}
END_TEST

/* Windows of several slices, in which edges come again and again; keys that leave no room for an
 * index beside them. */
START_TEST(long_windows)
{
    static const int scales[] = {7, 20, 32, 51, 52, 53, 54, 62};

    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        rmat_config c;
        rmat_gen *gen;
        rmat_interval *b;

        rmat_config_default(&c);
        c.rows_scale = c.cols_scale = scales[i];
        c.matrix = (rmat_matrix){0.94, 0.02, 0.02, 0.02};
        c.threads = 1 + (int)i % 3;
        must(!rmat_create(&gen, &c), "rmat_create()");
        must(!rmat_interval_create(&b, gen, interval_bytes(gen, 60000)), "rmat_interval_create()");
        compare_windows(gen, b, 7001, 42001, "long window");
        compare_counts(gen, 1, 50001, 1000, 0, "long count");
        rmat_interval_destroy(b);
        rmat_destroy(gen);
    }
}
END_TEST

/* No room for the list; an empty interval. */
START_TEST(no_room)
{
    const rmat_cell begin = {0, 0}, end = {1u << 16, 0};
    rmat_config c;
    rmat_gen *gen;
    rmat_interval *b;
    rmat_first_seen *list;
    uint64_t n;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 16;
    c.threads = 2;
    must(!rmat_create(&gen, &c), "rmat_create()");
    must(!rmat_interval_create(&b, gen, interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES)), "create");
    ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, 1), RMAT_OK);
    ck_assert_int_eq(rmat_interval_sort(b), RMAT_OK);
    ck_assert_int_eq(rmat_interval_unseen(b, 0, 6000, 6000, &list, &n), RMAT_OK);
    ck_assert_uint_gt(n, RMAT_INTERVAL_LEAST_EDGES);
    ck_assert_int_eq(rmat_interval_insert(b, RMAT_INTERVAL_LEAST_EDGES + 1, list), RMAT_ERR_FULL);
    ck_assert_uint_eq(rmat_interval_edges(b), 0);
    ck_assert_int_eq(rmat_interval_insert(b, RMAT_INTERVAL_LEAST_EDGES, list), RMAT_OK);
    ck_assert_uint_eq(rmat_interval_edges(b), RMAT_INTERVAL_LEAST_EDGES);
    ck_assert_int_eq(rmat_interval_insert(b, 1, list + RMAT_INTERVAL_LEAST_EDGES), RMAT_ERR_FULL);
    free(list);
    rmat_interval_destroy(b);
    rmat_destroy(gen);
}
END_TEST

TEST_CASES(rmat_interval_unseen, 240, ONCE(models), ONCE(long_windows), ONCE(no_room))
