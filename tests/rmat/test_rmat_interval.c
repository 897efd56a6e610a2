/*
 * Sorted intervals, on a CPU and on a GPU, against qsort() of all edges: models in which any two
 * values of options meet (option_pairs.h); all instruction sets and several numbers of threads;
 * intervals that cut rows, have one cell, or none; ranges of the stream added in any order; graphs
 * of one cell; many edges; many threads that read; wrong arguments.
 */
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

enum { ROOM = 2 * RMAT_INTERVAL_LEAST_EDGES };

static uint64_t edges_of(void)
{
    return ON_GPU && !small_run() ? 20011 : small_run() ? 2003 : 3001;
}

/* Intervals of the graph with these edges: all, a part, one cell, none; parts of rows; the ends. */
static void compare_intervals(const tested_interval *t, uint64_t first)
{
    scoped(free) rmat_cell *cells = NULL;
    const uint64_t n = reference_interval(t->cpu, first, edges_of(), &t->begin, &t->end, 0, &cells);
    const rmat_cell middle = cells[n / 2], row = {cells[0].src + 1, 0};
    const rmat_cell bounds[][2] = {
        {t->begin, t->end},
        {cells[n / 3], cells[n / 3 * 2]},
        {middle, next_cell(t->cpu, &middle, 1)},
        {middle, middle},
        {middle, {middle.src + 1, 0}},
        {{middle.src, 0}, middle},
        {t->begin, middle},
        {next_cell(t->cpu, &cells[n - 1], -2), t->end},
        {next_cell(t->cpu, &cells[0], -1), next_cell(t->cpu, &row, -1)},
    };

    must(n == edges_of(), "%lu edges", n);
    for (int k = 0; k < 2 * (small_run() == 2 ? 4 : COUNT(bounds)); k++) {
        if (!cell_below(&bounds[k / 2][1], &bounds[k / 2][0])) {
            tested_check(t, &bounds[k / 2][0], &bounds[k / 2][1], k % 2, first, edges_of());
        }
    }
}

START_TEST(models)
{
    static option_case cases[OPTION_PAIRS];
    static const uint64_t firsts[] = {0, (UINT64_C(1) << 32) - 1001, RMAT_MAX_EDGES - 20011};
    const int step = small_run() == 2 ? 29 : small_run() ? 9 : 1;
    const int isas = ON_GPU ? RMAT_ISA_GENERIC : RMAT_ISA_NEON;

    option_pairs(cases);
    for (int i = 0, k = 0; i < OPTION_PAIRS; i += step) {
        for (int isa = RMAT_ISA_GENERIC; isa <= isas; isa++, k++) {
            if (!rmat_cpu_has_isa((rmat_isa)isa) || !is_sortable(&cases[i].config)) {
                continue;
            }
            cases[i].config.isa = (rmat_isa)isa;
            cases[i].config.threads = 1 + k % 3;
            scoped(tested_destroy) tested_interval t =
                tested_create(&cases[i].config, cases[i].name, 2 * edges_of() + ROOM);
            compare_intervals(&t, firsts[(i + k) % 3]);
        }
    }
}

/* Keys that need just 64 bits, or just more. */
START_TEST(key_widths)
{
    static const int scales[][2] = {{32, 32}, {33, 32}, {32, 33}, {2, 62}, {3, 62}, {62, 2},
                                    {62, 62}, {1, 1},   {62, 1},  {1, 62}, {62, 3}};

    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const rmat_config c =
            model_of((rmat_config){.rows_scale = scales[i][0],
                                   .cols_scale = scales[i][1],
                                   .matrix = {0.1, 0.2, 0.3, 0.4}, /* most edges in the last rows */
                                   .threads = 2});

        if (!is_sortable(&c)) {
            continue;
        }
        scoped(tested_destroy) tested_interval t =
            tested_create(&c, "width", 2 * edges_of() + ROOM);
        compare_intervals(&t, 12345);
        if (scales[i][0] == 3 && scales[i][1] == 62) { /* from here 64 bits, from row 2 not */
            const rmat_cell from = {2, UINT64_C(3) << 60}, end = {6, UINT64_C(3) << 60};

            tested_check(&t, &from, &end, 0, 7, edges_of());
        }
    }
}

/* On a GPU so much memory that warps take room for many edges at once, in several launches. */
START_TEST(large)
{
    const uint64_t count = ON_GPU ? 3000017 : 200017;
    rmat_config c = square_model(!_i ? 24 : ON_GPU ? 32 : 35);
    const rmat_cell cut = {5, 77};

    c.permute = _i;
    scoped(tested_destroy) tested_interval t =
        tested_create(&c, "large", ON_GPU ? (uint64_t)1 << 26 : 1 << 19);
    for (int unique = 0; unique < 2; unique++) {
        tested_check(&t, &t.begin, &t.end, unique, (UINT64_C(1) << 32) - count / 3, count);
        tested_check(&t, &t.begin, &cut, unique, 0, count);
        tested_check(&t, &cut, &t.end, unique, 0, count);
    }
}

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

START_TEST(many_readers)
{
    enum { THREADS = 4 };
    const uint64_t count = ON_GPU && !small_run() ? 6000000 : 10000, part = count / THREADS;
    const rmat_config c = square_model(22);
    scoped(tested_destroy) tested_interval t = tested_create(&c, "readers", count);
    scoped(free) uint64_t *ids = must_alloc(2 * count, 8);
    scoped(free) rmat_cell *cells = NULL;
    reader readers[THREADS];

    reference_interval(t.cpu, 0, count, &t.begin, &t.end, 0, &cells);
    ok(tested_fill(&t, &t.begin, &t.end, 0, 0, count));
    for (uint64_t k = 0; k < THREADS; k++) {
        readers[k] = (reader){t.interval, k * part, part, ids + 2 * k * part, 1};
    }
    in_threads(THREADS, read_some, readers, sizeof *readers);
    for (uint64_t k = 0; k < THREADS; k++) {
        ck_assert_int_eq(readers[k].st, RMAT_OK);
        for (uint64_t i = 0; i < part; i++) {
            const rmat_cell *wanted = &cells[k * part + i];

            must(readers[k].ids[i] == wanted->src && readers[k].ids[part + i] == wanted->dst,
                 "thread %lu, edge %lu", k, i);
        }
    }
}

START_TEST(refusals)
{
    const rmat_cell begin = {0, 0}, outside = {3, 512};
    rmat_cell end = {1024, 0}, beyond = {1024, 1}, to_begin = begin;
    uint64_t ids[64];
    rmat_arrays to = {ids, ids, NULL, 8};
    const rmat_config c = model_of((rmat_config){.rows_scale = 10, .cols_scale = 9, .threads = 2});
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    rmat_interval *b;

    gives(RMAT_ERR_ARG, rmat_interval_create(NULL, gen, 1 << 20));
    gives(RMAT_ERR_ARG, rmat_interval_create(&b, NULL, 1 << 20));
    gives(RMAT_ERR_ARG, rmat_interval_create(&b, gen, 1000));
    gives(RMAT_ERR_ARG,
          rmat_interval_create(&b, gen, interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES) - 1));
    ck_assert_ptr_null(b);
    b = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
    gives(RMAT_ERR_ARG, rmat_interval_make(b, &end, &to_begin, 1, 0));
    gives(RMAT_ERR_ARG, rmat_interval_make(b, &begin, &beyond, 1, 0));
    gives(RMAT_ERR_ARG, rmat_interval_make(b, &outside, &end, 1, 0));
    gives(RMAT_ERR_ARG, rmat_interval_make(b, NULL, &end, 1, 0));
    gives(RMAT_ERR_RANGE, rmat_interval_make(b, &begin, &end, RMAT_MAX_EDGES + 1, 0));
    gives(RMAT_ERR_ARG, rmat_interval_read(b, 0, 1, &to)); /* there is none yet */
    gives(RMAT_ERR_ARG, rmat_interval_trim(b));
    ok(rmat_interval_make(b, &begin, &end, 100, 0));
    gives(RMAT_ERR_EDGES, rmat_interval_read(b, 90, 11, &to));
    gives(RMAT_ERR_EDGES, rmat_interval_read(b, 101, 0, &to));
    ok(rmat_interval_read(b, 90, 10, &to));
    to.weight = ids;
    gives(RMAT_ERR_WEIGHTS, rmat_interval_read(b, 90, 10, &to));
    to = (rmat_arrays){ids, ids, NULL, 5};
    gives(RMAT_ERR_ARG, rmat_interval_read(b, 90, 10, &to));
    gives(RMAT_ERR_ROWS, rmat_interval_pointers(b, 1020, 6, 0, ids));
    ok(rmat_interval_pointers(b, 1020, 5, 0, ids));
    gives(RMAT_ERR_ARG, rmat_interval_pointers_device(b, 0, 1, 0, ids, NULL));
    gives(RMAT_ERR_ARG, rmat_count_cells(gen, 0, 1, 0, &begin, ids));
    gives(RMAT_ERR_ARG, rmat_count_cells(gen, 0, 1, 2, (rmat_cell[]){end, begin}, ids));
    gives(RMAT_ERR_ARG, rmat_count_cells(gen, 0, 1, 2, (rmat_cell[]){begin, beyond}, ids));
    ok(rmat_interval_trim(b));
    ok(rmat_interval_pointers(b, 1020, 5, 0, ids));
    gives(RMAT_ERR_ARG, rmat_interval_make(b, &begin, &end, 1, 0)); /* trimmed */
    rmat_interval_destroy(b);
    rmat_interval_destroy(NULL);
}

START_TEST(sizes)
{
    for (int wide = 0; wide < 2; wide++) {
        const rmat_config c =
            model_of((rmat_config){.rows_scale = wide ? 40 : 20, .cols_scale = 44});
        scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);

        for (uint64_t edges = 4096; edges < UINT64_C(1) << 50; edges = edges * 3 + 7) {
            const uint64_t bytes = interval_bytes(gen, edges);

            must(bytes >= edges * (wide ? 16 : 8), "%lu edges in %lu bytes", edges, bytes);
            must(interval_capacity(gen, bytes) >= edges, "%lu edges do not fit", edges);
            must(interval_capacity(gen, bytes - 1) < edges, "%lu edges fit", edges);
        }
        if (!SANITIZED) { /* which ends the program */
            rmat_interval *b;

            gives(RMAT_ERR_NOMEM, rmat_interval_create(&b, gen, UINT64_C(1) << 62));
            ck_assert_ptr_null(b);
        }
    }
}

TEST_CASES(rmat_interval, 240, ONCE(models), ONCE(key_widths), LOOP(large, 0, small_run() ? 0 : 2),
           ONCE(many_readers), LOOP(refusals, 0, !ON_GPU), LOOP(sizes, 0, !ON_GPU))
