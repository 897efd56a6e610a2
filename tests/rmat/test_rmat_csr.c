/*
 * The CSR form of the whole graph and of ranges of rows, on a CPU and on a GPU, in its memory or
 * copied back, against the sorted list of the edges; the number of edges among which a given number
 * are distinct; and wrong arguments, with their messages.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_csr.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

static const rmat_config models[] = {
    {.rows_scale = 10, .cols_scale = 10},
    {.rows_scale = 10, .cols_scale = 10, .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {.rows_scale = 10,
     .cols_scale = 10,
     .rows = 1000,
     .cols = 1000,
     .symmetrize = 1,
     .permute = 1,
     .weights = RMAT_WEIGHTS_INT,
     .weight_min = -5},
    {.rows_scale = 9, .cols_scale = 9, .direction = RMAT_LOWER, .no_self_loops = 1},
    {.rows_scale = 5, .cols_scale = 20, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 14, .cols_scale = 3, .permute = 1},
    {.rows_scale = 6, .cols_scale = 6, .rows = 43, .cols = 43, .symmetrize = 1},
    {.rows_scale = 36, .cols_scale = 36, .weights = RMAT_WEIGHTS_UNIFORM}, /* wide */
    {.rows_scale = 1, .cols_scale = 1, .direction = RMAT_UPPER},
    /* For a GPU alone: with few copies, and more of those above. */
    {.rows_scale = 24, .cols_scale = 24},
    {.rows_scale = 14, .cols_scale = 14, .rows = 10000, .cols = 10000, .symmetrize = 1},
    {.rows_scale = 36, .cols_scale = 36, .symmetrize = 1, .weights = RMAT_WEIGHTS_INT},
};
enum { ALL = sizeof models / sizeof models[0], MODELS = ON_GPU ? ALL : ALL - 3 };

static rmat_config model_at(int i)
{
    rmat_config c = model_of(models[i]);

    c.threads = 1 + i % 2;
    return c;
}

/* The first *n edges of the stream in order; unique: each once, *n is how many. */
static rmat_cell *sorted_edges(const rmat_gen *cpu, uint64_t *n, int unique)
{
    const rmat_cell begin = {0, 0}, end = {rows_of(&cpu->config), 0};
    rmat_cell *list;

    *n = reference_interval(cpu, 0, *n, &begin, &end, unique, &list);
    return list;
}

/* Their weights. */
static uint32_t *weights_of(const rmat_gen *cpu, const rmat_cell *list, uint64_t n)
{
    uint32_t *weights = must_alloc(n + 1, sizeof *weights);

    for (uint64_t i = 0; i < n; i++) {
        must(!rmat_weights_of(cpu, 1, &list[i].src, &list[i].dst, 8, &weights[i]), "weight");
    }
    return weights;
}

/* Rows [first, last) hold the list's edges from *at on, which is moved behind them; on a GPU in
 * either memory. */
static void check_csr(const rmat_gen *gen, uint64_t first, uint64_t last, const rmat_csr_spec *spec,
                      const rmat_cell *list, const uint32_t *weights, uint64_t n, uint64_t *at)
{
    const uint64_t begin = *at;

    for (int on_device = 0; on_device <= ON_GPU; on_device++) {
        int same = 1; /* an assertion for every edge would take most of the time */
        rmat_csr csr;
        const int st =
            (on_device ? rmat_csr_rows_device : rmat_csr_rows)(gen, first, last, spec, &csr);

        must(st == RMAT_OK, "rows from %lu, on the GPU %d: %s", first, on_device,
             rmat_strerror(st));
        if (on_device) {
            move_csr_to_host(gen, spec, &csr);
        }
        *at = begin;
        ck_assert(csr.first_row == first && csr.rows == last - first);
        ck_assert_uint_eq(csr.pointers[0], 0);
        ck_assert_uint_eq(csr.pointers[csr.rows], csr.edges);
        for (uint64_t r = 0, i = 0; r < csr.rows; r++) {
            for (; i < csr.pointers[r + 1] && *at < n; i++, ++*at) {
                same &= list[*at].src == first + r;
                same &= list[*at].dst == (spec->id_bytes == 4 ? ((uint32_t *)csr.indices)[i]
                                                              : ((uint64_t *)csr.indices)[i]);
                same &= !spec->weights || weights[*at] == ((uint32_t *)csr.weights)[i];
            }
            same &= i == csr.pointers[r + 1];
            same &= *at == n || list[*at].src > first + r;
        }
        must(same, "rows from %lu, on the GPU %d: other edges", first, on_device);
        ck_assert(spec->weights || csr.weights == NULL);
        ck_assert_uint_eq(csr.edges, *at - begin);
        rmat_csr_free(&csr);
        ck_assert_ptr_null(csr.pointers);
    }
}

/* All rows, in one part and in five; a single row, and none. */
static void check_model(const rmat_gen *cpu, const rmat_gen *gen, const rmat_config *c,
                        const rmat_csr_spec *spec)
{
    /* Beyond scale 32 nobody wants all rows. */
    const uint64_t rows = rows_of(c) < 1 << 14 ? rows_of(c) : 1 << 14;
    uint64_t n = spec->edges, end = 0, at;
    uint32_t *weights;
    rmat_cell *list;
    rmat_csr none;

    if (!is_sortable(c)) {
        ck_assert_int_eq(rmat_csr_rows_device(gen, 0, 1, spec, &none), RMAT_ERR_GPU_SCALE);
        return;
    }
    list = sorted_edges(cpu, &n, spec->unique);
    weights = spec->weights ? weights_of(cpu, list, n) : NULL;
    while (n > 0 && list[n - 1].src >= rows) {
        n--;
    }
    for (uint64_t parts = 1; parts <= 5 && parts <= rows; parts += 4) {
        at = 0;
        for (uint64_t k = 0; k < parts; k++) {
            check_csr(gen, rows * k / parts, rows * (k + 1) / parts, spec, list, weights, n, &at);
        }
        ck_assert_uint_eq(at, n);
    }
    while (end < n && list[end].src == list[0].src) {
        end++;
    }
    for (uint64_t k = 0; n > 0 && k < 2; k++) {
        at = 0;
        check_csr(gen, list[0].src, list[0].src + k, spec, list, weights, end, &at);
        ck_assert_uint_eq(at, k ? end : 0);
    }
    free(list);
    free(weights);
}

START_TEST(sorted_list)
{
    const uint64_t edges[] = {ON_GPU && !small_run() ? 300000 : small_run() ? 3000 : 30000, 77, 0};
    const rmat_config c = model_at(_i);
    rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, c), *gen = create_on(TESTED, c);
    size_t before = 0;

    for (int e = 0; e < 3; e++) {
        for (int unique = 0; unique < 2; unique++) {
            for (int k = 0; k < 2; k++) {
                const rmat_csr_spec spec = {.edges = edges[e],
                                            .unique = unique,
                                            .id_bytes = k || c.cols_scale > 32 ? 8 : 4,
                                            .weights = c.weights != RMAT_NO_WEIGHTS && k};

                check_model(cpu, gen, &c, &spec);
            }
        }
        before = e == 0 ? free_device_memory() : before; /* what was first of all has its memory */
    }
    check_no_leak(before);
    rmat_destroy(cpu);
    rmat_destroy(gen);
}

/* The number of edges that rmat_unique_edges() tells has just so many distinct ones, the last of
 * which is new. */
START_TEST(distinct)
{
    static const int large_enough[] = {0, 1, 2, 7, 9, 10, 11};
    const rmat_config c = model_at(large_enough[_i]);
    const uint64_t wanted = ON_GPU && !small_run() && _i > 2 ? 200000 : small_run() ? 2000 : 9000;
    rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, c), *gen = create_on(TESTED, c);
    uint64_t edges;

    ck_assert_int_eq(rmat_unique_edges(gen, wanted, ON_GPU ? 64 << 20 : 1 << 20, &edges),
                     is_sortable(&c) ? RMAT_OK : RMAT_ERR_GPU_SCALE);
    for (uint64_t less = 0; less < 2 && is_sortable(&c); less++) {
        uint64_t n = edges - less * (c.symmetrize ? 2 : 1), count = 0;
        rmat_cell *list = sorted_edges(cpu, &n, 1);

        for (uint64_t i = 0; i < n; i++) {
            count += !c.symmetrize || list[i].src >= list[i].dst;
        }
        ck_assert_uint_eq(count, wanted - less);
        free(list);
    }
    rmat_destroy(cpu);
    rmat_destroy(gen);
}

START_TEST(refusals)
{
    rmat_config c = model_at(0);
    rmat_csr_spec spec = {.edges = 100, .id_bytes = 4};
    rmat_csr csr;
    rmat_gen *gen = create_gen(&c);

    ck_assert_int_eq(rmat_csr_rows(NULL, 0, 1, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, NULL, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, &spec, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rows(gen, 2, 1, &spec, &csr), RMAT_ERR_ROWS);
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1025, &spec, &csr), RMAT_ERR_ROWS);
    ck_assert_int_eq(rmat_csr_rows(gen, 1025, 1026, &spec, &csr), RMAT_ERR_ROWS);
    ck_assert_str_eq(rmat_strerror(RMAT_ERR_ROWS), "the graph does not have these rows");
    ck_assert_int_eq(rmat_csr_rows_device(gen, 0, 1, &spec, &csr), RMAT_ERR_ARG);
    spec.weights = 1;
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, &spec, &csr), RMAT_ERR_WEIGHTS);
    spec.weights = 0;
    spec.id_bytes = 3;
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, &spec, &csr), RMAT_ERR_ARG);
    spec = (rmat_csr_spec){.edges = RMAT_MAX_EDGES + 1, .id_bytes = 8};
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, &spec, &csr), RMAT_ERR_RANGE);
    rmat_destroy(gen);

    c.cols_scale = 33;
    spec = (rmat_csr_spec){.edges = 100, .id_bytes = 4};
    gen = create_gen(&c);
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, &spec, &csr), RMAT_ERR_ID_WIDTH);
    rmat_destroy(gen);
    rmat_csr_free(NULL);
}

TEST_CASES(rmat_csr, 120, LOOP(sorted_list, 0, MODELS), LOOP(distinct, 0, ON_GPU ? 7 : 3),
           ONCE(refusals))
