/*
 * Intervals that do not fit into their memory, on a CPU and on a GPU.  The tests find the exact
 * limit.  Cuts at the middle until all parts fit give the whole graph, even if a row has more edges
 * than fit; copies of a single cell that do not fit are an error.  Unique edges make room while
 * they are gathered, from streams many times as long as the memory.
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

typedef struct {
    tested_interval t;
    uint64_t edges;
    const rmat_cell *cells; /* of the whole graph, n of them */
    uint64_t n, at;         /* the next one that is expected */
    int unique, cuts;
} filling;

/* The interval's edges, in as many parts as it takes. */
static void fill(filling *f, rmat_cell from, rmat_cell end)
{
    const int st = tested_fill(&f->t, &from, &end, f->unique, 0, f->edges);
    rmat_cell middle;
    uint64_t n = 0;

    if (st == RMAT_ERR_FULL) {
        must(++f->cuts < 100000, "cuts for ever");
        must(rmat_interval_middle(f->t.interval, &middle) == RMAT_OK, "middle");
        must(cell_below(&from, &middle) && cell_below(&middle, &end), "the middle is not inside");
        fill(f, from, middle);
        fill(f, middle, end);
        return;
    }
    must(!st, "%s", rmat_strerror(st));
    while (f->at + n < f->n && cell_below(&f->cells[f->at + n], &end)) {
        n++;
    }
    compare_interval(f->t.cpu, f->t.interval, f->cells + f->at, n, "part");
    f->at += n;
}

static const struct {
    rmat_config model;
    uint64_t edges;
} graphs[] = {
    {{SQUARE(12)}, 60000},
    /* One row; one column. */
    {{SQUARE(12), .matrix = {0.7, 0.3, 0, 0}}, 30000},
    {{.rows_scale = 12, .cols_scale = 9, .matrix = {0.7, 0, 0.3, 0}}, 30000},
    /* 16 cells, most of which nearly fill an interval; more cells than fit. */
    {{SQUARE(2), .matrix = {0.25, 0.25, 0.25, 0.25}}, 50000},
    {{.rows_scale = 7, .cols_scale = 8, .matrix = {0.25, 0.25, 0.25, 0.25}}, 100003},
    /* Wide keys. */
    {{.rows_scale = 40, .cols_scale = 41, .matrix = {0.8, 0.1, 0.05, 0.05}}, 30000},
    {{SQUARE(33), .permute = 1}, 100003},
};
enum { GRAPHS = sizeof graphs / sizeof graphs[0] };

START_TEST(cut_until_it_fits)
{
    rmat_config c = model_of(graphs[_i].model);

    if (!is_sortable(&c)) {
        return;
    }
    c.threads = 1 + _i % 3;
    for (int unique = 0; unique < 2; unique++) {
        filling f = {.t = tested_create(&c, "full", RMAT_INTERVAL_LEAST_EDGES),
                     .edges = small_run() ? 9001 : graphs[_i].edges,
                     .unique = unique};
        rmat_cell *cells;

        f.n = reference_interval(f.t.cpu, 0, f.edges, &f.t.begin, &f.t.end, unique, &cells);
        f.cells = cells;
        fill(&f, f.t.begin, f.t.end);
        ck_assert_uint_eq(f.at, f.n);
        ck_assert(unique || f.cuts > 0);
        ck_assert_int_lt(f.cuts, 200);
        tested_destroy(&f.t);
        free(cells);
    }
}

/* The copies of one cell. */
START_TEST(one_cell)
{
    rmat_gen *gen = gen_of(12, 12, (rmat_matrix){0, 0, 0, 1}, 2);
    rmat_interval *b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
    const rmat_cell begin = {4095, 4095};
    rmat_cell end = {4096, 0};

    gives(RMAT_ERR_NOMEM, rmat_interval_make(b, &begin, &end, 30000, 0));
    end = (rmat_cell){4096, 0};
    ok(rmat_interval_make(b, &begin, &end, 30000, 1));
    ck_assert(end.src == 4096 && rmat_interval_edges(b) == 1);
    end = (rmat_cell){4096, 0};
    ok(rmat_interval_make(b, &begin, &end, 3000, 0));
    ck_assert_uint_eq(rmat_interval_edges(b), 3000);
    rmat_interval_destroy(b);
    rmat_destroy(gen);
}

/* Parts that do not fit become two, as often as it takes. */
START_TEST(parts_in_two)
{
    enum { EDGES = 30000 };
    const rmat_cell begin = {0, 0}, end = {4096, 0};
    rmat_gen *gen = gen_of(12, 12, (rmat_matrix){0.57, 0.19, 0.19, 0.05}, 2);
    rmat_interval *b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);

    for (int unique = 0; unique < 2; unique++) {
        rmat_parts parts = {must_alloc(2, sizeof *parts.cells), 1};
        rmat_cell *cells;
        const uint64_t n = reference_interval(gen, 0, EDGES, &begin, &end, unique, &cells);
        uint64_t at = 0;

        parts.cells[0] = begin;
        parts.cells[1] = end;
        for (uint64_t i = 0; i < parts.n; i++) {
            uint64_t edges;

            ok(rmat_interval_make_part(b, &parts, i, EDGES, unique));
            edges = rmat_interval_edges(b);
            compare_interval(gen, b, cells + at, edges, "part");
            at += edges;
            ck_assert(at == n ? i + 1 == parts.n : !cell_below(&cells[at], &parts.cells[i + 1]));
        }
        ck_assert_uint_eq(at, n);
        ck_assert_uint_gt(parts.n, n / RMAT_INTERVAL_LEAST_EDGES);
        gives(RMAT_ERR_ARG, rmat_interval_make_part(b, &parts, parts.n, EDGES, unique));
        free(parts.cells);
        free(cells);
    }
    rmat_interval_destroy(b);
    rmat_destroy(gen);
}

/* As many as the capacity fit, one more does not. */
START_TEST(to_the_edge)
{
    for (int threads = 1; threads < 4; threads++) {
        for (uint64_t room = RMAT_INTERVAL_LEAST_EDGES; room < 40000; room = room * 3 + 1) {
            rmat_gen *gen = gen_of(31, 31, (rmat_matrix){0.25, 0.25, 0.25, 0.25}, threads);
            rmat_interval *b = interval_of(gen, room);
            const rmat_cell begin = {0, 0}, end = {UINT64_C(1) << 31, 0};
            rmat_cell *cells;

            for (int unique = 0; unique < 2; unique++) {
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
                free(cells);
            }
            rmat_interval_destroy(b);
            rmat_destroy(gen);
        }
    }
}

/* Many times the capacity, of which at most 3/4 are distinct, fit an interval of unique edges,
 * however they are added. */
START_TEST(unique_makes_room)
{
    for (int threads = 1; threads < 4; threads++) {
        rmat_gen *gen = gen_of(11, 11, (rmat_matrix){0.88, 0.08, 0.02, 0.02}, threads);
        const uint64_t edges = 400000;
        const rmat_cell begin = {0, 0};
        rmat_cell *cells, end;
        rmat_interval *b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
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
        rmat_interval_destroy(b);
        rmat_destroy(gen);
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
    tested_interval t;

    if (!is_sortable(&c)) {
        return;
    }
    t = tested_create(&c, "long stream", kinds[_i].capacity);
    tested_check(&t, &t.begin, &t.end, 1, 12345, small_run() ? 20000 : ON_GPU ? 1000003 : 300000);
    tested_destroy(&t);
}

TEST_CASES(rmat_interval_full, 240, LOOP(cut_until_it_fits, 0, small_run() > 1 ? 1 : GRAPHS),
           ONCE(one_cell), ONCE(parts_in_two), LOOP(to_the_edge, 0, !ON_GPU),
           LOOP(unique_makes_room, 0, !ON_GPU),
           LOOP(unique_from_long_streams, 0, small_run() > 1 ? 1 : 5))
