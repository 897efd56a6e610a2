/* The CSR form of the whole graph and of ranges of rows against the sorted list of its edges; and
 * wrong arguments, with their messages. */
#include "rmat/rmat_csr.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 30000 };

static const struct {
    int rows_scale, cols_scale;
    uint64_t rows, cols;
    int no_self_loops, permute, symmetrize;
    rmat_direction direction;
    rmat_weights weights;
} models[] = {
    {.rows_scale = 10, .cols_scale = 10},
    {.rows_scale = 10, .cols_scale = 10, .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {.rows_scale = 10,
     .cols_scale = 10,
     .rows = 1000,
     .cols = 1000,
     .symmetrize = 1,
     .permute = 1,
     .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 9, .cols_scale = 9, .direction = RMAT_LOWER, .no_self_loops = 1},
    {.rows_scale = 5, .cols_scale = 20, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 14, .cols_scale = 3, .permute = 1},
    {.rows_scale = 6, .cols_scale = 6, .rows = 43, .cols = 43, .symmetrize = 1},
    {.rows_scale = 36, .cols_scale = 36, .weights = RMAT_WEIGHTS_UNIFORM},
    {.rows_scale = 1, .cols_scale = 1, .direction = RMAT_UPPER},
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_config config_of(int i)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = models[i].rows_scale;
    c.cols_scale = models[i].cols_scale;
    c.rows = models[i].rows;
    c.cols = models[i].cols;
    c.no_self_loops = models[i].no_self_loops;
    c.permute = models[i].permute;
    c.symmetrize = models[i].symmetrize;
    c.direction = models[i].direction;
    c.weights = models[i].weights;
    c.weight_min = -5;
    c.weight_max = 1000;
    c.threads = 1 + i % 2;
    return c;
}

typedef struct {
    uint64_t src, dst;
    uint32_t weight; /* its bits */
} edge;

static int compare(const void *a, const void *b)
{
    const edge *x = a, *y = b;

    if (x->src != y->src) {
        return x->src < y->src ? -1 : 1;
    }
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* The first n edges of the stream in order; unique: each once. */
static uint64_t sorted_edges(const rmat_gen *gen, int weights, uint64_t n, int unique, edge *list)
{
    uint64_t *src = malloc((2 * n + 1) * sizeof *src), *dst = src + n, kept = 0;
    uint32_t *weight = calloc(n + 1, sizeof *weight);

    ck_assert_int_eq(
        rmat_generate_arrays(gen, 0, n, &(rmat_arrays){src, dst, weights ? weight : NULL, 8}),
        RMAT_OK);
    for (uint64_t i = 0; i < n; i++) {
        list[i] = (edge){src[i], dst[i], weight[i]};
    }
    qsort(list, n, sizeof *list, compare);
    for (uint64_t i = 0; i < n; i++) {
        if (!unique || i == 0 || compare(&list[kept - 1], &list[i])) {
            list[kept++] = list[i];
        }
    }
    free(src);
    free(weight);
    return kept;
}

/* These rows hold the list's edges from *at on, which is moved behind them. */
static void check_rows(const rmat_csr *csr, const rmat_csr_spec *spec, const edge *list, uint64_t n,
                       uint64_t *at)
{
    int same = 1; /* an assertion for every edge would take most of the time */

    ck_assert_uint_eq(csr->pointers[0], 0);
    ck_assert_uint_eq(csr->pointers[csr->rows], csr->edges);
    for (uint64_t r = 0, i = 0; r < csr->rows; r++) {
        for (; i < csr->pointers[r + 1] && *at < n; i++, ++*at) {
            same &= list[*at].src == csr->first_row + r;
            same &= list[*at].dst == (spec->id_bytes == 4 ? ((uint32_t *)csr->indices)[i]
                                                          : ((uint64_t *)csr->indices)[i]);
            same &= !spec->weights || list[*at].weight == ((uint32_t *)csr->weights)[i];
        }
        same &= i == csr->pointers[r + 1];
        same &= *at == n || list[*at].src > csr->first_row + r;
    }
    ck_assert(same);
    ck_assert(spec->weights || csr->weights == NULL);
}

static void check_model(int model, uint64_t edges, const rmat_csr_spec *spec)
{
    static edge list[EDGES];
    const rmat_config c = config_of(model);
    const uint64_t all = c.rows ? c.rows : UINT64_C(1) << c.rows_scale;
    /* Beyond scale 32 nobody wants all rows. */
    const uint64_t rows = all < 1 << 14 ? all : 1 << 14;
    rmat_gen *gen;
    uint64_t n, begin = 0;

    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    n = sorted_edges(gen, spec->weights, edges, spec->unique, list);
    while (n > 0 && list[n - 1].src >= rows) {
        n--;
    }
    for (uint64_t parts = 1; parts <= 5 && parts <= rows; parts += 4) {
        uint64_t at = 0, sum = 0;

        for (uint64_t k = 0; k < parts; k++) {
            rmat_csr csr;

            ck_assert_int_eq(
                rmat_csr_rows(gen, rows * k / parts, rows * (k + 1) / parts, spec, &csr), RMAT_OK);
            ck_assert(csr.first_row == rows * k / parts &&
                      csr.rows == rows * (k + 1) / parts - csr.first_row);
            check_rows(&csr, spec, list, n, &at);
            sum += csr.edges;
            rmat_csr_free(&csr);
            ck_assert_ptr_null(csr.pointers);
        }
        ck_assert(sum == n && at == n);
    }
    while (begin < n && list[begin].src == list[0].src) {
        begin++;
    }
    for (uint64_t k = 0; n > 0 && k < 2; k++) { /* a single row, and none */
        rmat_csr csr;
        uint64_t at = 0;

        ck_assert_int_eq(rmat_csr_rows(gen, list[0].src, list[0].src + k, spec, &csr), RMAT_OK);
        ck_assert_uint_eq(csr.edges, k ? begin : 0);
        check_rows(&csr, spec, list, begin, &at);
        rmat_csr_free(&csr);
    }
    rmat_destroy(gen);
}

START_TEST(sorted_list)
{
    for (int unique = 0; unique < 2; unique++) {
        for (int k = 0; k < 2; k++) {
            rmat_csr_spec spec = {.unique = unique,
                                  .id_bytes = k || models[_i].cols_scale > 32 ? 8 : 4,
                                  .weights = models[_i].weights != RMAT_NO_WEIGHTS && k};
            const uint64_t edges[] = {0, 77, EDGES};

            for (int e = 0; e < 3; e++) {
                spec.edges = edges[e];
                check_model(_i, spec.edges, &spec);
            }
        }
    }
}
END_TEST

/* The number of edges that rmat_unique_edges() tells has just so many distinct ones. */
START_TEST(distinct)
{
    const rmat_config c = config_of(_i);
    const uint64_t wanted = 9000, rows = c.rows ? c.rows : UINT64_C(1) << c.rows_scale;
    rmat_csr_spec spec = {.unique = 1, .id_bytes = 4};
    uint64_t count = 0;
    rmat_csr csr;
    rmat_gen *gen;

    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_unique_edges(gen, wanted, 1 << 20, &spec.edges), RMAT_OK);
    ck_assert_int_eq(rmat_csr_rows(gen, 0, rows, &spec, &csr), RMAT_OK);
    for (uint64_t r = 0; r < csr.rows; r++) {
        for (uint64_t i = csr.pointers[r]; i < csr.pointers[r + 1]; i++) {
            count += !c.symmetrize || r >= ((uint32_t *)csr.indices)[i];
        }
    }
    ck_assert_uint_eq(count, wanted);
    rmat_csr_free(&csr);
    rmat_destroy(gen);
}
END_TEST

START_TEST(refusals)
{
    rmat_config c = config_of(0);
    rmat_csr_spec spec = {.edges = 100, .id_bytes = 4};
    rmat_csr csr;
    rmat_gen *gen;

    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
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
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_csr_rows(gen, 0, 1, &spec, &csr), RMAT_ERR_ID_WIDTH);
    rmat_destroy(gen);
    rmat_csr_free(NULL);
}
END_TEST

TEST_MAIN(rmat_csr)
{
    Suite *s = suite_create("rmat_csr");
    TCase *t = tcase_create("csr");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, sorted_list, 0, MODELS);
    tcase_add_loop_test(t, distinct, 0, 3);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return run_suite(s);
}
