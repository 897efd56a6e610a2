/*
 * Sorted intervals against qsort() of all edges: models in which any two values of options meet
 * (option_pairs.h); all instruction sets and several numbers of threads; intervals that cut rows,
 * of one cell, of none; ranges of the stream added in any order; graphs of one cell; wrong
 * arguments.
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

enum { EDGES = 3001, ROOM = 2 * RMAT_INTERVAL_LEAST_EDGES };

static rmat_gen *gen_of(const rmat_config *config)
{
    rmat_gen *gen;
    int st = rmat_create(&gen, config);

    must(!st, "rmat_create(): %s", rmat_strerror(st));
    return gen;
}

static rmat_interval *interval_of(const rmat_gen *gen, uint64_t edges)
{
    rmat_interval *b;
    int st = rmat_interval_create(&b, gen, interval_bytes(gen, edges));

    must(!st, "rmat_interval_create(): %s", rmat_strerror(st));
    return b;
}

/* The edges [first, first + EDGES) of the interval, which are added in three parts. */
static void compare(const rmat_gen *gen, rmat_interval *b, uint64_t first, const rmat_cell *from,
                    const rmat_cell *end, int unique, const char *name)
{
    const uint64_t cuts[] = {0, 1, 1700, EDGES};
    rmat_cell *cells;
    uint64_t redraws[3], n;

    rmat_redraws(gen, &redraws[0]);
    n = reference_interval(gen, first, EDGES, from, end, unique, &cells);
    rmat_redraws(gen, &redraws[1]);
    must(rmat_interval_begin(b, from, end, unique) == RMAT_OK, "%s: begin", name);
    for (int k = 2; k >= 0; k--) {
        must(!rmat_interval_add(b, first + cuts[k], cuts[k + 1] - cuts[k]), "%s: add", name);
    }
    rmat_redraws(gen, &redraws[2]);
    must(!cell_below(from, end) || redraws[2] - redraws[1] == redraws[1] - redraws[0],
         "%s: %lu redraws, not %lu", name, redraws[2] - redraws[1], redraws[1] - redraws[0]);
    must(rmat_interval_sort(b) == RMAT_OK, "%s: sort", name);
    compare_interval(gen, b, cells, n, name);
    free(cells);
}

/* Intervals of a graph with these edges. */
static void compare_intervals(const rmat_gen *gen, rmat_interval *b, uint64_t first,
                              const char *name)
{
    const rmat_cell begin = {0, 0}, end = {gen->view.rows, 0};
    rmat_cell *cells, from, to;
    uint64_t n = reference_interval(gen, first, EDGES, &begin, &end, 0, &cells);

    must(n == EDGES, "%lu edges", n);
    for (int unique = 0; unique < 2; unique++) {
        compare(gen, b, first, &begin, &end, unique, name);
        compare(gen, b, first, &cells[n / 3], &cells[n / 3 * 2], unique, name);
        to = next_cell(gen, &cells[n / 2], 1);
        compare(gen, b, first, &cells[n / 2], &to, unique, name); /* one cell */
        compare(gen, b, first, &cells[n / 2], &cells[n / 2], unique, name);
        from = next_cell(gen, &cells[n - 1], -2);
        compare(gen, b, first, &from, &end, unique, name);
        from = next_cell(gen, &cells[0], -1);
        to = (rmat_cell){cells[0].src, gen->view.cols - 1};
        if (!cell_below(&to, &from)) {
            compare(gen, b, first, &from, &to, unique, name); /* part of a row */
        }
    }
    free(cells);
}

START_TEST(models)
{
    static option_case cases[OPTION_PAIRS_MAX];
    static const uint64_t firsts[] = {0, (UINT64_C(1) << 32) - 1001, RMAT_MAX_EDGES - EDGES};
    const int n = option_pairs(cases);

    must(n > 0, "no models");
    for (int i = 0, k = 0; i < n; i++) {
        for (int isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++, k++) {
            rmat_gen *gen;
            rmat_interval *b;

            if (!rmat_cpu_has_isa((rmat_isa)isa)) {
                continue;
            }
            cases[i].config.isa = (rmat_isa)isa;
            cases[i].config.threads = 1 + k % 3;
            gen = gen_of(&cases[i].config);
            b = interval_of(gen, ROOM);
            compare_intervals(gen, b, firsts[(i + k) % 3], cases[i].name);
            rmat_interval_destroy(b);
            rmat_destroy(gen);
        }
    }
}
END_TEST

/* Keys that need just 64 bits, or just more. */
START_TEST(key_widths)
{
    static const int scales[][2] = {{32, 32}, {33, 32}, {32, 33}, {2, 62}, {3, 62}, {62, 2},
                                    {62, 62}, {1, 1},   {62, 1},  {1, 62}, {62, 3}};

    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        rmat_config c;
        rmat_gen *gen;
        rmat_interval *b;

        rmat_config_default(&c);
        c.rows_scale = scales[i][0];
        c.cols_scale = scales[i][1];
        c.matrix = (rmat_matrix){0.1, 0.2, 0.3, 0.4}; /* most edges are in the last rows */
        c.threads = 2;
        gen = gen_of(&c);
        b = interval_of(gen, ROOM);
        compare_intervals(gen, b, 12345, "width");
        if (scales[i][0] == 3 && scales[i][1] == 62) { /* from here 64 bits, from row 2 not */
            const rmat_cell from = {2, UINT64_C(3) << 60}, end = {6, UINT64_C(3) << 60};

            compare(gen, b, 7, &from, &end, 0, "just 64 bits");
        }
        rmat_interval_destroy(b);
        rmat_destroy(gen);
    }
}
END_TEST

START_TEST(refusals)
{
    const rmat_cell begin = {0, 0}, end = {1024, 0}, beyond = {1024, 1}, outside = {3, 512};
    const rmat_first_seen new_one = {.cell = {1, 2}};
    uint64_t ids[64], n;
    rmat_arrays to = {ids, ids, NULL, 8};
    rmat_config c;
    rmat_cell m;
    rmat_first_seen *list;
    rmat_gen *gen;
    rmat_interval *b;
    void *spare;

    rmat_config_default(&c);
    c.rows_scale = 10;
    c.cols_scale = 9;
    c.threads = 2;
    gen = gen_of(&c);
    ck_assert_int_eq(rmat_interval_create(NULL, gen, 1 << 20), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_create(&b, NULL, 1 << 20), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_create(&b, gen, 1000), RMAT_ERR_ARG);
    ck_assert_int_eq(
        rmat_interval_create(&b, gen, interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES) - 1),
        RMAT_ERR_ARG);
    ck_assert_ptr_null(b);
    b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
    ck_assert_int_eq(rmat_interval_begin(b, &end, &begin, 0), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_begin(b, &begin, &beyond, 0), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_begin(b, &outside, &end, 0), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_begin(b, NULL, &end, 0), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, 0), RMAT_OK);
    ck_assert_int_eq(rmat_interval_add(b, RMAT_MAX_EDGES, 1), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_interval_lower(b, &n), RMAT_ERR_ARG); /* not sorted */
    ck_assert_int_eq(rmat_interval_read(b, 0, 1, &to), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_trim(b), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_add(b, 0, 100), RMAT_OK);
    ck_assert_int_eq(rmat_interval_sort(b), RMAT_OK);
    ck_assert_int_eq(rmat_interval_sort(b), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_add(b, 0, 100), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_read(b, 90, 11, &to), RMAT_ERR_EDGES);
    ck_assert_int_eq(rmat_interval_read(b, 101, 0, &to), RMAT_ERR_EDGES);
    ck_assert_int_eq(rmat_interval_read(b, 90, 10, &to), RMAT_OK);
    to.weight = ids;
    ck_assert_int_eq(rmat_interval_read(b, 90, 10, &to), RMAT_ERR_WEIGHTS);
    to = (rmat_arrays){ids, ids, NULL, 5};
    ck_assert_int_eq(rmat_interval_read(b, 90, 10, &to), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_pointers(b, 1020, 6, 0, ids), RMAT_ERR_ROWS);
    ck_assert_int_eq(rmat_interval_pointers(b, 1020, 5, 0, ids), RMAT_OK);
    ck_assert_int_eq(rmat_interval_pointers_device(b, 0, 1, 0, ids, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_spare_device(b, &spare, &n), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_before(b, 1, NULL, ids), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_unseen(b, 0, 1, 1, &list, &n), RMAT_ERR_ARG); /* not unique */
    ck_assert_int_eq(rmat_interval_insert(b, 1, &new_one), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_count_cells(gen, 0, 1, 0, &begin, ids), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_count_cells(gen, 0, 1, 2, (rmat_cell[]){end, begin}, ids), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_count_cells(gen, 0, 1, 2, (rmat_cell[]){begin, beyond}, ids),
                     RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_middle(b, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_interval_begin(b, &begin, &(rmat_cell){0, 1}, 1), RMAT_OK);
    ck_assert_int_eq(rmat_interval_middle(b, &m), RMAT_ERR_ARG); /* one cell has no inside */
    ck_assert_int_eq(rmat_interval_sort(b), RMAT_OK);
    ck_assert_int_eq(rmat_interval_insert(b, 1, &new_one), RMAT_ERR_ARG); /* not in the interval */
    ck_assert_int_eq(rmat_interval_trim(b), RMAT_OK);
    ck_assert_int_eq(rmat_interval_before(b, 1, &begin, ids), RMAT_OK);
    ck_assert_int_eq(rmat_interval_insert(b, 0, NULL), RMAT_ERR_ARG); /* trimmed */
    ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, 0), RMAT_ERR_ARG);
    rmat_interval_destroy(b);
    rmat_interval_destroy(NULL);
    rmat_destroy(gen);
}
END_TEST

START_TEST(sizes)
{
    for (int wide = 0; wide < 2; wide++) {
        rmat_config c;
        rmat_gen *gen;
#ifndef __SANITIZE_ADDRESS__
        rmat_interval *b;
#endif

        rmat_config_default(&c);
        c.rows_scale = wide ? 40 : 20;
        c.cols_scale = 44;
        gen = gen_of(&c);
        for (uint64_t edges = 4096; edges < UINT64_C(1) << 50; edges = edges * 3 + 7) {
            const uint64_t bytes = interval_bytes(gen, edges);

            must(bytes >= edges * (wide ? 16 : 8), "%lu edges in %lu bytes", edges, bytes);
            must(interval_capacity(gen, bytes) >= edges, "%lu edges do not fit", edges);
            must(interval_capacity(gen, bytes - 1) < edges, "%lu edges fit", edges);
        }
#ifndef __SANITIZE_ADDRESS__ /* which ends the program */
        ck_assert_int_eq(rmat_interval_create(&b, gen, UINT64_C(1) << 62), RMAT_ERR_NOMEM);
        ck_assert_ptr_null(b);
#endif
        rmat_destroy(gen);
    }
}
END_TEST

TEST_CASES(rmat_interval, 240, ONCE(models), ONCE(key_widths), ONCE(refusals), ONCE(sizes))
