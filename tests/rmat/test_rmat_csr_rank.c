/* The rows that rmat_csr_rank() gives to each of several ranks: together they are the whole graph,
 * they are cut alike whatever the generator runs on, and no rank has much more than its share. */
#include "tests/support/rank_csr.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdbool.h>

enum { EDGES = 20000, MOST_RANKS = 7 };

static const rmat_config models[] = {
    {.rows_scale = 12, .cols_scale = 12},
    {.rows_scale = 12, .cols_scale = 12, .noise = 0.1},
    {.rows_scale = 12, .cols_scale = 12, .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {.rows_scale = 11, .cols_scale = 11, .symmetrize = 1, .permute = 1, .no_self_loops = 1},
    {.rows_scale = 11, .cols_scale = 11, .direction = RMAT_LOWER, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 11, .cols_scale = 11, .direction = RMAT_UPPER, .permute = 1},
    {.rows_scale = 10, .cols_scale = 50}, /* keys of 64 bits with a hub row */
    {.rows_scale = 14, .cols_scale = 56}, /* of 128 */
    {.rows_scale = 1, .cols_scale = 12},  /* fewer rows than ranks */
    {.rows_scale = 11, .cols_scale = 11, .stream = RMAT_STREAM_GRAPH500},
    {.rows_scale = 11,
     .cols_scale = 11,
     .stream = RMAT_STREAM_GRAPH500,
     .weights = RMAT_WEIGHTS_UNIFORM,
     .no_self_loops = 1},
    {.rows_scale = 11, .cols_scale = 11, .stream = RMAT_STREAM_GAPBS, .symmetrize = 1},
    {.rows_scale = 12, .cols_scale = 12, .stream = RMAT_STREAM_ROWS, .permute = 1},
    {.rows_scale = 12, .cols_scale = 12, .stream = RMAT_STREAM_ROWS},
};
enum { MODELS = sizeof models / sizeof models[0], IN_ORDER = MODELS - 1, FEW_ROWS = 8 };

static rmat_config config_of(int i)
{
    rmat_config c = rank_config(models[i], EDGES);

    c.threads = 1;
    return c;
}

static rmat_csr_spec spec_of(const rmat_config *c, bool unique)
{
    return (rmat_csr_spec){.edges = EDGES,
                           .unique = unique,
                           .id_bytes = c->cols_scale > 32 || unique ? 8 : 4,
                           .weights = c->weights != RMAT_NO_WEIGHTS};
}

static rmat_gen *create(const rmat_config *c)
{
    rmat_gen *gen;

    ck_assert_int_eq(rmat_create(&gen, c), RMAT_OK);
    return gen;
}

/* The edges of the longest row. */
static uint64_t longest(const rmat_csr *all)
{
    uint64_t most = 0;

    for (uint64_t row = 0; row < all->rows; row++) {
        const uint64_t edges = all->pointers[row + 1] - all->pointers[row];

        most = edges > most ? edges : most;
    }
    return most;
}

/* Of the rows of all ranks together; and no rank has more than its share, a longest row, and an
 * eighth of its share for the sample. */
START_TEST(same_csr)
{
    const rmat_config config = config_of(_i);
    const int sizes[] = {1, 2, 3, MOST_RANKS};
    rmat_gen *gen = create(&config);

    for (int unique = 0; unique < 2; unique++) {
        const rmat_csr_spec spec = spec_of(&config, unique);
        uint64_t most;
        rmat_csr all;

        ck_assert_int_eq(rmat_csr_rows(gen, 0, (uint64_t)1 << config.rows_scale, &spec, &all),
                         RMAT_OK);
        most = longest(&all);
        for (int n = 0; n < 4; n++) {
            const uint64_t share = all.edges / (uint64_t)sizes[n];
            uint64_t first_rows[MOST_RANKS + 1];

            check_ranks(gen, sizes[n], &spec, &all, first_rows);
            for (int k = 0; k < sizes[n] && _i != IN_ORDER; k++) {
                ck_assert_uint_le(all.pointers[first_rows[k + 1]] - all.pointers[first_rows[k]],
                                  share + share / 8 + most);
            }
        }
        rmat_csr_free(&all);
    }
    rmat_destroy(gen);
}
END_TEST

/* With more ranks than rows some have none. */
START_TEST(empty_ranges)
{
    const rmat_config config = config_of(FEW_ROWS);
    const rmat_csr_spec spec = spec_of(&config, false);
    rmat_gen *gen = create(&config);
    int empty = 0;

    for (int k = 0; k < MOST_RANKS; k++) {
        rmat_csr part;

        ck_assert_int_eq(rmat_csr_rank(gen, k, MOST_RANKS, &spec, &part), RMAT_OK);
        empty += part.rows == 0;
        ck_assert(part.rows > 0 || part.edges == 0);
        ck_assert_uint_eq(part.pointers[0], 0);
        rmat_csr_free(&part);
    }
    ck_assert_int_ge(empty, MOST_RANKS - 2);
    rmat_destroy(gen);
}
END_TEST

/* The cuts do not depend on threads or the instruction set. */
START_TEST(same_cuts)
{
    rmat_config config = config_of(_i), other = config;
    const rmat_csr_spec spec = spec_of(&config, true);
    rmat_gen *a, *b;

    other.threads = 3;
    other.isa = RMAT_ISA_GENERIC;
    a = create(&config);
    b = create(&other);
    for (int k = 0; k < MOST_RANKS; k++) {
        rmat_csr x, y;

        ck_assert_int_eq(rmat_csr_rank(a, k, MOST_RANKS, &spec, &x), RMAT_OK);
        ck_assert_int_eq(rmat_csr_rank(b, k, MOST_RANKS, &spec, &y), RMAT_OK);
        ck_assert(x.first_row == y.first_row && x.rows == y.rows && x.edges == y.edges);
        rmat_csr_free(&x);
        rmat_csr_free(&y);
    }
    rmat_destroy(a);
    rmat_destroy(b);
}
END_TEST

/* Of a stream in order the cuts are exact: edges, and two for each row, in equal parts, as far as
 * rows are whole. */
START_TEST(shares_of_rows)
{
    const rmat_config config = config_of(IN_ORDER);
    const rmat_csr_spec spec = spec_of(&config, false);
    rmat_gen *gen = create(&config);
    rmat_csr all;

    ck_assert_int_eq(rmat_csr_rows(gen, 0, (uint64_t)1 << config.rows_scale, &spec, &all), RMAT_OK);
    for (int ranks = 2; ranks <= MOST_RANKS; ranks++) {
        uint64_t first_rows[MOST_RANKS + 1];

        check_ranks(gen, ranks, &spec, &all, first_rows);
        for (int k = 0; k < ranks; k++) {
            const uint64_t begin = first_rows[k], end = first_rows[k + 1];

            ck_assert_uint_le(all.pointers[end] - all.pointers[begin] + 2 * (end - begin),
                              (all.edges + 2 * all.rows) / (uint64_t)ranks + longest(&all) + 2);
        }
    }
    rmat_csr_free(&all);
    rmat_destroy(gen);
}
END_TEST

START_TEST(refusals)
{
    const rmat_config config = config_of(0), rows = config_of(IN_ORDER);
    rmat_csr_spec spec = {.edges = EDGES, .id_bytes = 4};
    rmat_gen *gen = create(&config), *in_order = create(&rows);
    rmat_csr csr;

    ck_assert_int_eq(rmat_csr_rank(NULL, 0, 1, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 2, NULL, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 2, &spec, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank(gen, -1, 2, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank(gen, 2, 2, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 0, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank(gen, -2, -1, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank_device(gen, 0, 1, &spec, &csr), RMAT_ERR_ARG);
    spec.weights = 1;
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 2, &spec, &csr), RMAT_ERR_WEIGHTS);
    spec = (rmat_csr_spec){.edges = RMAT_MAX_EDGES + 1, .id_bytes = 4};
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 2, &spec, &csr), RMAT_ERR_RANGE);
    spec = (rmat_csr_spec){.edges = EDGES + 1, .id_bytes = 4};
    ck_assert_int_eq(rmat_csr_rank(in_order, 0, 2, &spec, &csr), RMAT_ERR_RANGE);
    rmat_destroy(gen);
    rmat_destroy(in_order);
}
END_TEST

TEST_MAIN(rmat_csr_rank)
{
    Suite *s = suite_create("rmat_csr_rank");
    TCase *t = tcase_create("ranks");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, same_csr, 0, MODELS);
    tcase_add_test(t, empty_ranges);
    tcase_add_loop_test(t, same_cuts, 0, MODELS);
    tcase_add_test(t, shares_of_rows);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return run_suite(s);
}
