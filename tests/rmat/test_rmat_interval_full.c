/*
 * Intervals that do not fit into their memory: what fits and what does not, to the edge; cutting at
 * the middle until all parts fit gives the whole graph, also if a row or a single cell has more
 * edges than fit; unique edges make room while they are gathered.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_interval.h"
#include "tests/support/interval_bytes.h"
#include "tests/support/interval_reference.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>
#include <string.h>

static rmat_gen *gen_of(int rows_scale, int cols_scale, rmat_matrix matrix, int threads)
{
    rmat_config c;
    rmat_gen *gen;

    rmat_config_default(&c);
    c.rows_scale = rows_scale;
    c.cols_scale = cols_scale;
    c.matrix = matrix;
    c.threads = threads;
    must(rmat_create(&gen, &c) == RMAT_OK, "rmat_create() failed");
    return gen;
}

typedef struct {
    const rmat_gen *gen;
    rmat_interval *b;
    uint64_t edges;
    const rmat_cell *cells; /* of the whole graph, n of them */
    uint64_t n, at;         /* the next one that is expected */
    int unique, cuts;
} filling;

/* The interval's edges, in as many parts as it takes. */
static void fill(filling *f, rmat_cell from, rmat_cell end)
{
    int st = rmat_interval_begin(f->b, &from, &end, f->unique);
    rmat_cell middle;
    uint64_t n = 0;

    must(!st, "begin");
    st = rmat_interval_add(f->b, 0, f->edges / 3);
    if (!st) {
        st = rmat_interval_add(f->b, f->edges / 3, f->edges - f->edges / 3);
    }
    if (!st) {
        st = rmat_interval_sort(f->b);
    }
    if (st == RMAT_ERR_FULL) {
        must(++f->cuts < 100000, "cuts for ever");
        must(rmat_interval_middle(f->b, &middle) == RMAT_OK, "middle");
        must(cell_below(&from, &middle) && cell_below(&middle, &end), "the middle is not inside");
        fill(f, from, middle);
        fill(f, middle, end);
        return;
    }
    must(!st, "%s", rmat_strerror(st));
    while (f->at + n < f->n && cell_below(&f->cells[f->at + n], &end)) {
        n++;
    }
    compare_interval(f->gen, f->b, f->cells + f->at, n, "part");
    f->at += n;
}

static const struct {
    int rows_scale, cols_scale;
    rmat_matrix matrix;
    uint64_t edges;
} graphs[] = {
    {12, 12, {0.57, 0.19, 0.19, 0.05}, 60000},
    {12, 12, {1, 0, 0, 0}, 30000},           /* one cell, the first one */
    {12, 12, {0, 0, 0, 1}, 30000},           /* the last one */
    {12, 12, {0.9, 0.1, 0, 0}, 30000},       /* one row */
    {12, 9, {0.9, 0, 0.1, 0}, 30000},        /* one column */
    {2, 2, {0.57, 0.19, 0.19, 0.05}, 40000}, /* 16 cells, most with more edges than an interval */
    {40, 41, {0.8, 0.1, 0.05, 0.05}, 30000}, /* wide keys */
    {40, 41, {0, 1, 0, 0}, 30000},
};

START_TEST(cut_until_it_fits)
{
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        rmat_gen *gen =
            gen_of(graphs[i].rows_scale, graphs[i].cols_scale, graphs[i].matrix, 1 + (int)i % 3);
        const rmat_cell begin = {0, 0}, end = {gen->view.rows, 0};

        for (int unique = 0; unique < 2; unique++) {
            filling f = {.gen = gen, .edges = graphs[i].edges, .unique = unique};
            rmat_cell *cells;

            f.n = reference_interval(gen, 0, f.edges, &begin, &end, unique, &cells);
            f.cells = cells;
            must(!rmat_interval_create(&f.b, gen, interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES)),
                 "create");
            fill(&f, begin, end);
            ck_assert_uint_eq(f.at, f.n);
            ck_assert(unique || f.cuts > 0);
            ck_assert_int_lt(f.cuts, 100);
            rmat_interval_destroy(f.b);
            free(cells);
        }
        rmat_destroy(gen);
    }
}
END_TEST

/* As many as the capacity fit, one more does not. */
START_TEST(to_the_edge)
{
    for (int threads = 1; threads < 4; threads++) {
        for (uint64_t room = RMAT_INTERVAL_LEAST_EDGES; room < 40000; room = room * 3 + 1) {
            rmat_gen *gen = gen_of(31, 31, (rmat_matrix){0.25, 0.25, 0.25, 0.25}, threads);
            const rmat_cell begin = {0, 0}, end = {gen->view.rows, 0};
            rmat_cell *cells;
            rmat_interval *b;

            must(!rmat_interval_create(&b, gen, interval_bytes(gen, room)), "create");
            for (int unique = 0; unique < 2; unique++) {
                uint64_t n = reference_interval(gen, 5, room, &begin, &end, unique, &cells);

                ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, unique), RMAT_OK);
                ck_assert_int_eq(rmat_interval_add(b, 5, room), RMAT_OK);
                ck_assert_int_eq(rmat_interval_sort(b), RMAT_OK);
                compare_interval(gen, b, cells, n, "full interval");
                ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, unique), RMAT_OK);
                ck_assert_int_eq(rmat_interval_add(b, 5, room + 1), RMAT_ERR_FULL);
                ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, unique), RMAT_OK);
                ck_assert_int_eq(rmat_interval_add(b, 5, room), RMAT_OK);
                ck_assert_int_eq(rmat_interval_add(b, 0, 1), RMAT_ERR_FULL);
                free(cells);
            }
            rmat_interval_destroy(b);
            rmat_destroy(gen);
        }
    }
}
END_TEST

/* Many times the capacity, of which at most 3/4 are distinct, fit an interval of unique edges,
 * however they are added. */
START_TEST(unique_makes_room)
{
    for (int threads = 1; threads < 4; threads++) {
        rmat_gen *gen = gen_of(11, 11, (rmat_matrix){0.88, 0.08, 0.02, 0.02}, threads);
        const uint64_t edges = 400000;
        const rmat_cell begin = {0, 0};
        rmat_cell *cells, end;
        rmat_interval *b;
        uint64_t n;

        n = reference_interval(gen, 0, edges, &begin, &(rmat_cell){2048, 0}, 1, &cells);
        ck_assert_uint_gt(n, RMAT_INTERVAL_LEAST_EDGES);
        end = cells[RMAT_INTERVAL_LEAST_EDGES / 4 * 3]; /* so many lie before it */
        free(cells);
        n = reference_interval(gen, 0, edges, &begin, &end, 0, &cells);
        ck_assert_uint_gt(n, edges / 2);
        free(cells);
        n = reference_interval(gen, 0, edges, &begin, &end, 1, &cells);
        ck_assert_uint_eq(n, RMAT_INTERVAL_LEAST_EDGES / 4 * 3);
        must(!rmat_interval_create(&b, gen, interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES)),
             "create");
        for (uint64_t step = 5000; step <= edges; step *= 9) {
            ck_assert_int_eq(rmat_interval_begin(b, &begin, &end, 1), RMAT_OK);
            for (uint64_t at = 0; at < edges; at += step) {
                ck_assert_int_eq(rmat_interval_add(b, at, edges - at < step ? edges - at : step),
                                 RMAT_OK);
            }
            ck_assert_int_eq(rmat_interval_sort(b), RMAT_OK);
            compare_interval(gen, b, cells, n, "unique");
        }
        free(cells);
        rmat_interval_destroy(b);
        rmat_destroy(gen);
    }
}
END_TEST

TEST_CASES(rmat_interval_full, 240, ONCE(cut_until_it_fits), ONCE(to_the_edge),
           ONCE(unique_makes_room))
