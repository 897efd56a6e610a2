/*
 * Intervals that do not fit into their memory, on a CPU and on a GPU.  The tests find the exact
 * limit.  Parts that rmat_interval_make_part() cuts until all fit give the whole graph, even if a
 * row or a single cell has more edges than fit.  Unique edges make room while they are gathered,
 * from streams many times as long as the memory.
 */
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

static rmat_gen *gen_of(int rows_scale, int cols_scale, rmat_matrix matrix, int threads)
{
    const rmat_config c = model_of((rmat_config){
        .rows_scale = rows_scale, .cols_scale = cols_scale, .matrix = matrix, .threads = threads});

    return create_gen(&c);
}

static const struct {
    rmat_config model;
    uint64_t edges;
} graphs[] = {
    {{SQUARE(12)}, 60000},
    /* One cell, the first one; the last one; one row; one column. */
    {{SQUARE(12), .matrix = {1, 0, 0, 0}}, 30000},
    {{SQUARE(12), .matrix = {0, 0, 0, 1}}, 30000},
    {{SQUARE(12), .matrix = {0.9, 0.1, 0, 0}}, 30000},
    {{.rows_scale = 12, .cols_scale = 9, .matrix = {0.9, 0, 0.1, 0}}, 30000},
    /* 16 cells, and 256, most with more edges than an interval. */
    {{SQUARE(2)}, 40000},
    {{SQUARE(4), .permute = 1}, 100003},
    /* A bit map of cells, which are more than fit. */
    {{.rows_scale = 7, .cols_scale = 8, .matrix = {0.25, 0.25, 0.25, 0.25}}, 100003},
    /* Wide keys. */
    {{.rows_scale = 40, .cols_scale = 41, .matrix = {0.8, 0.1, 0.05, 0.05}}, 30000},
    {{.rows_scale = 40, .cols_scale = 41, .matrix = {0, 1, 0, 0}}, 30000},
    {{SQUARE(33), .permute = 1}, 100003},
};
enum { GRAPHS = COUNT(graphs) };

/* What does not fit is cut, and the parts are the graph. */
START_TEST(cut_until_it_fits)
{
    rmat_config c = model_of(graphs[_i].model);

    if (!is_sortable(&c)) {
        return;
    }
    c.threads = 1 + _i % 3;
    for (int unique = 0; unique < 2; unique++) {
        const uint64_t edges = small_run() ? 9001 : graphs[_i].edges;
        scoped(tested_destroy) tested_interval t =
            tested_create(&c, "full", RMAT_INTERVAL_LEAST_EDGES);
        rmat_parts parts = {must_alloc(2, sizeof *parts.cells), 1};
        scoped(free) rmat_cell *cells = NULL;
        const uint64_t n = reference_interval(t.cpu, 0, edges, &t.begin, &t.end, unique, &cells);
        uint64_t at = 0;

        parts.cells[0] = t.begin;
        parts.cells[1] = t.end;
        for (uint64_t i = 0, held; i < parts.n; i++, at += held) {
            ok(rmat_interval_make_part(t.interval, &parts, i, edges, unique));
            must(parts.n < 200 && cell_below(&parts.cells[i], &parts.cells[i + 1]), "part %lu", i);
            for (held = 0; at + held < n; held++) {
                if (!cell_below(&cells[at + held], &parts.cells[i + 1])) {
                    break;
                }
            }
            compare_interval(t.cpu, t.interval, cells + at, held, "part");
        }
        ck_assert_uint_eq(at, n);
        ck_assert_mem_eq(&parts.cells[parts.n], &t.end, sizeof t.end);
        ck_assert(unique || parts.n > 1);
        ck_assert_uint_ge(rmat_interval_work_of(t.interval).intervals, parts.n);
        gives(RMAT_ERR_ARG, rmat_interval_make_part(t.interval, &parts, parts.n, edges, unique));
        gives(RMAT_ERR_ARG, rmat_interval_make_part(t.interval, NULL, 0, edges, unique));
        gives(RMAT_ERR_ARG, rmat_interval_make(NULL, &t.begin, &parts.cells[1], edges, unique));
        free(parts.cells);
    }
}

/* As many as the capacity fit, one more does not. */
START_TEST(to_the_edge)
{
    for (int threads = 1; threads < 4; threads++) {
        for (uint64_t room = RMAT_INTERVAL_LEAST_EDGES; room < 40000; room = room * 3 + 1) {
            scoped(rmat_destroy) rmat_gen *gen =
                gen_of(31, 31, (rmat_matrix){0.25, 0.25, 0.25, 0.25}, threads);
            scoped(rmat_interval_destroy) rmat_interval *b = interval_of(gen, room);
            const rmat_cell begin = {0, 0}, end = {UINT64_C(1) << 31, 0};

            for (int unique = 0; unique < 2; unique++) {
                scoped(free) rmat_cell *cells = NULL;
                uint64_t n = reference_interval(gen, 5, room, &begin, &end, unique, &cells);

                ok(rmat_interval_begin(b, &begin, &end, unique));
                ok(rmat_interval_add(b, 5, room));
                ok(rmat_interval_sort(b));
                compare_interval(gen, b, cells, n, "full interval");
                ok(rmat_interval_begin(b, &begin, &end, unique));
                gives(RMAT_ERR_FULL, rmat_interval_add(b, 5, room + 1));
                ok(rmat_interval_begin(b, &begin, &end, unique));
                ok(rmat_interval_add(b, 5, room));
                gives(RMAT_ERR_FULL, rmat_interval_add(b, 0, 1));
            }
        }
    }
}

/* An interval of unique edges holds a stream of many times its capacity, however it is added, if
 * the distinct edges fill at most 3/4 of it. */
START_TEST(unique_makes_room)
{
    for (int threads = 1; threads < 4; threads++) {
        scoped(rmat_destroy) rmat_gen *gen =
            gen_of(11, 11, (rmat_matrix){0.88, 0.08, 0.02, 0.02}, threads);
        const uint64_t edges = 400000;
        const rmat_cell begin = {0, 0};
        rmat_cell *cells, end;
        scoped(rmat_interval_destroy) rmat_interval *b =
            interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
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
        for (uint64_t step = 5000; step <= edges; step *= 9) {
            ok(rmat_interval_begin(b, &begin, &end, 1));
            for (uint64_t at = 0; at < edges; at += step) {
                ok(rmat_interval_add(b, at, edges - at < step ? edges - at : step));
            }
            ok(rmat_interval_sort(b));
            compare_interval(gen, b, cells, n, "unique");
        }
        free(cells);
    }
}

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
    const rmat_config c = model_of((rmat_config){.rows_scale = kinds[_i].rows_scale,
                                                 .cols_scale = kinds[_i].cols_scale,
                                                 .matrix = {0.9, 0.05, 0.04, 0.01},
                                                 .threads = 2});

    if (!is_sortable(&c)) {
        return;
    }
    scoped(tested_destroy) tested_interval t = tested_create(&c, "long stream", kinds[_i].capacity);
    tested_check(&t, &t.begin, &t.end, 1, 12345, small_run() ? 20000 : ON_GPU ? 1000003 : 300000);
}

TEST_CASES(rmat_interval_full, 240, LOOP(cut_until_it_fits, 0, small_run() > 1 ? 1 : GRAPHS),
           LOOP(to_the_edge, 0, !ON_GPU), LOOP(unique_makes_room, 0, !ON_GPU),
           LOOP(unique_from_long_streams, 0, small_run() > 1 ? 1 : 5))
