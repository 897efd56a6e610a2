/*
 * The rows that rmat_csr_rank() gives to each of several ranks, on a CPU and on a GPU.  Together
 * they are the whole graph, the cuts do not depend on the backend, and no rank has much more than
 * its share.
 */
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

enum { MOST_RANKS = 7 };

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
enum {
    MODELS = sizeof models / sizeof models[0],
    IN_ORDER = MODELS - 1,
    FEW_ROWS = 8,
    OWN_WEIGHTS = 10 /* of the stream, which a GPU cannot sort */
};

static uint64_t edges_of(void)
{
    return ON_GPU && !small_run() ? 1000000 : 20000;
}

static rmat_config model_at(int i)
{
    rmat_config c = model_of(models[i]);

    c.threads = 1;
    c.edges = edges_of(); /* of a stream that ends */
    return c;
}

static rmat_csr_spec spec_of(const rmat_config *c, bool unique)
{
    return (rmat_csr_spec){.edges = edges_of(),
                           .unique = unique,
                           .id_bytes = c->cols_scale > 32 || unique ? 8 : 4,
                           .weights = c->weights != RMAT_NO_WEIGHTS};
}

/* Part of `all`, whose rows from *row on and edges from *edge on are to be those of the part.
 * Moves both behind them. */
static void check_part(const rmat_csr *all, const rmat_csr *part, const rmat_csr_spec *spec,
                       uint64_t *row, uint64_t *edge)
{
    const size_t id = (size_t)spec->id_bytes;

    must(part->first_row == *row && part->rows <= all->rows - *row, "other rows");
    must(part->edges == all->pointers[*row + part->rows] - *edge, "other numbers of edges");
    for (uint64_t i = 0; i <= part->rows; i++) {
        must(part->pointers[i] + *edge == all->pointers[*row + i], "pointer %d differs", (int)i);
    }
    must(memcmp(part->indices, (char *)all->indices + *edge * id, part->edges * id) == 0,
         "other edges");
    must(spec->weights
             ? memcmp(part->weights, (char *)all->weights + *edge * 4, part->edges * 4) == 0
             : part->weights == NULL,
         "other weights");
    *row += part->rows;
    *edge += part->edges;
}

/* The rows of all ranks, in either memory of a GPU, are those of `all`.  Sets first_rows[k] to the
 * first row of rank k, and first_rows[ranks] to the number of rows. */
static void check_ranks(const rmat_gen *gen, int ranks, const rmat_csr_spec *spec,
                        const rmat_csr *all, uint64_t *first_rows)
{
    const int memories = rmat_used_backend(gen) == RMAT_BACKEND_GPU ? 2 : 1;

    for (int on_device = 0; on_device < memories; on_device++) {
        uint64_t row = 0, edge = 0;

        for (int k = 0; k < ranks; k++) {
            rmat_csr part;
            const int st =
                (on_device ? rmat_csr_rank_device : rmat_csr_rank)(gen, k, ranks, spec, &part);

            must(st == RMAT_OK, "rank %d of %d: %s", k, ranks, rmat_strerror(st));
            if (on_device) {
                move_csr_to_host(gen, spec, &part);
            }
            must(!on_device || first_rows[k] == row, "rank %d of %d: other cuts", k, ranks);
            first_rows[k] = row;
            check_part(all, &part, spec, &row, &edge);
            rmat_csr_free(&part);
        }
        first_rows[ranks] = row;
        must(row == all->rows && edge == all->edges, "rows are missing");
    }
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

/* Of the rows of all ranks together; they are cut alike by another generator, of other threads, of
 * another instruction set or on a GPU; and no rank has more than its share, a longest row, and an
 * eighth of its share for the sample.  The sample counts copies: on a GPU, where the graphs are
 * dense, distinct edges are not shared out as evenly. */
START_TEST(same_csr)
{
    static const int sizes[] = {1, 2, 3, MOST_RANKS};
    rmat_config config = model_at(_i), other = config;
    rmat_gen *gen = create_gen(&config), *again;

    other.threads = 3;
    other.isa = RMAT_ISA_GENERIC;
    again = create_on(TESTED, other);
    for (int unique = 0; unique < 2; unique++) {
        const rmat_csr_spec spec = spec_of(&config, unique);
        uint64_t most;
        rmat_csr all;

        if (ON_GPU && _i == OWN_WEIGHTS) {
            ck_assert_int_eq(rmat_csr_rank(again, 0, 1, &spec, &all), RMAT_ERR_WEIGHTS);
            continue;
        }
        if (ON_GPU && config.cols_scale > 32) {
            ck_assert_int_eq(rmat_csr_rank(again, 0, 1, &spec, &all), RMAT_ERR_GPU_SCALE);
            continue;
        }

        ck_assert_int_eq(rmat_csr_rows(gen, 0, (uint64_t)1 << config.rows_scale, &spec, &all),
                         RMAT_OK);
        most = longest(&all);
        for (int n = small_run() ? 2 : 0; n < (small_run() ? 3 : 4); n++) {
            const uint64_t share = all.edges / (uint64_t)sizes[n];
            uint64_t first_rows[MOST_RANKS + 1], others[MOST_RANKS + 1];

            check_ranks(gen, sizes[n], &spec, &all, first_rows);
            if (ON_GPU || sizes[n] == MOST_RANKS) {
                check_ranks(again, sizes[n], &spec, &all, others);
                ck_assert_mem_eq(first_rows, others, ((size_t)sizes[n] + 1) * sizeof *others);
            }
            for (int k = 0; k < sizes[n] && _i != IN_ORDER && !(ON_GPU && unique); k++) {
                ck_assert_uint_le(all.pointers[first_rows[k + 1]] - all.pointers[first_rows[k]],
                                  share + share / 8 + most);
            }
        }
        rmat_csr_free(&all);
    }
    rmat_destroy(gen);
    rmat_destroy(again);
}

/* With more ranks than rows some have none. */
START_TEST(empty_ranges)
{
    const rmat_config config = model_at(FEW_ROWS);
    const rmat_csr_spec spec = spec_of(&config, false);
    rmat_gen *gen = create_on(TESTED, config);
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

/* Of a stream in order the cuts are exact: edges, and two for each row, in equal parts, as far as
 * rows are whole. */
START_TEST(shares_of_rows)
{
    const rmat_config config = model_at(IN_ORDER);
    const rmat_csr_spec spec = spec_of(&config, false);
    rmat_gen *gen = create_on(TESTED, config);
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

START_TEST(refusals)
{
    const rmat_config config = model_at(0), rows = model_at(IN_ORDER);
    rmat_csr_spec spec = spec_of(&config, false);
    rmat_gen *gen = create_on(TESTED, config), *in_order = create_on(TESTED, rows);
    rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, config);
    rmat_csr csr;

    for (int on_device = 0; on_device <= ON_GPU; on_device++) {
        int (*rank)(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                    rmat_csr *out) = on_device ? rmat_csr_rank_device : rmat_csr_rank;

        ck_assert_int_eq(rank(NULL, 0, 1, &spec, &csr), RMAT_ERR_ARG);
        ck_assert_int_eq(rank(gen, 0, 2, NULL, &csr), RMAT_ERR_ARG);
        ck_assert_int_eq(rank(gen, 0, 2, &spec, NULL), RMAT_ERR_ARG);
        ck_assert_int_eq(rank(gen, -1, 2, &spec, &csr), RMAT_ERR_ARG);
        ck_assert_int_eq(rank(gen, 2, 2, &spec, &csr), RMAT_ERR_ARG);
        ck_assert_int_eq(rank(gen, 0, 0, &spec, &csr), RMAT_ERR_ARG);
        ck_assert_int_eq(rank(gen, -2, -1, &spec, &csr), RMAT_ERR_ARG);
    }
    ck_assert_int_eq(rmat_csr_rank_device(cpu, 0, 1, &spec, &csr), RMAT_ERR_ARG);
    spec.weights = 1;
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 2, &spec, &csr), RMAT_ERR_WEIGHTS);
    spec = (rmat_csr_spec){.edges = RMAT_MAX_EDGES + 1, .id_bytes = 4};
    ck_assert_int_eq(rmat_csr_rank(gen, 0, 2, &spec, &csr), RMAT_ERR_RANGE);
    spec = (rmat_csr_spec){.edges = edges_of() + 1, .id_bytes = 4};
    ck_assert_int_eq(rmat_csr_rank(in_order, 0, 2, &spec, &csr), RMAT_ERR_RANGE);
    rmat_destroy(gen);
    rmat_destroy(in_order);
    rmat_destroy(cpu);
}

TEST_CASES(rmat_csr_rank, 120, LOOP(same_csr, 0, small_run() > 1 ? 2 : MODELS), ONCE(empty_ranges),
           ONCE(shares_of_rows), ONCE(refusals))
