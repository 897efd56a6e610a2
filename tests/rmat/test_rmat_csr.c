/*
 * The CSR form of the whole graph, of ranges of rows and of the rows of each of several ranks, on a
 * CPU and on a GPU, in its memory or copied back, against the sorted list of the edges.  The cuts
 * between ranks do not depend on the backend, and no rank has much more than its share.  Also the
 * number of edges among which a given number are distinct; and wrong arguments, with their
 * messages.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_csr.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

static const rmat_config models[] = {
    {SQUARE(10)},
    {SQUARE(10), .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {SQUARE(10), .rows = 1000, .cols = 1000, .symmetrize = 1, .permute = 1,
     .weights = RMAT_WEIGHTS_INT, .weight_min = -5},
    {SQUARE(9), .direction = RMAT_LOWER, .no_self_loops = 1},
    {.rows_scale = 5, .cols_scale = 20, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 14, .cols_scale = 3, .permute = 1},
    {SQUARE(6), .rows = 43, .cols = 43, .symmetrize = 1},
    {SQUARE(36), .weights = RMAT_WEIGHTS_UNIFORM}, /* wide */
    {SQUARE(1), .direction = RMAT_UPPER},
    /* For a GPU alone: with few copies, and more of those above. */
    {SQUARE(24)},
    {SQUARE(14), .rows = 10000, .cols = 10000, .symmetrize = 1},
    {SQUARE(36), .symmetrize = 1, .weights = RMAT_WEIGHTS_INT},
};
enum { ALL = COUNT(models), MODELS = ON_GPU ? ALL : ALL - 3 };

static rmat_config model_at(int i)
{
    rmat_config c = model_of(models[i]);

    c.threads = 1 + i % 2;
    return c;
}

/* The first rows of the graph, made of that list; for rmat_csr_free(). */
static rmat_csr reference_csr(const rmat_gen *cpu, const rmat_csr_spec *spec, uint64_t rows)
{
    const uint64_t id = (uint64_t)spec->id_bytes;
    uint64_t n = spec->edges;
    scoped(free) rmat_cell *list = sorted_edges(cpu, &n, spec->unique);
    uint32_t *weights = spec->weights ? must_alloc(n + 1, sizeof *weights) : NULL;
    rmat_csr all = {.rows = rows,
                    .pointers = must_alloc(rows + 1, 8),
                    .indices = must_alloc(n + 1, id),
                    .weights = weights};

    for (; all.edges < n && list[all.edges].src < rows; all.edges++) {
        const rmat_cell *c = &list[all.edges];

        all.pointers[c->src + 1]++;
        memcpy((char *)all.indices + all.edges * id, &c->dst, id); /* little-endian */
        if (spec->weights) {
            ok(rmat_weights_of(cpu, 1, &c->src, &c->dst, 8, &weights[all.edges]));
        }
    }
    for (uint64_t row = 0; row < rows; row++) {
        all.pointers[row + 1] += all.pointers[row];
    }
    return all;
}

/* Rows [first, end), or those of one of several ranks. */
typedef struct {
    uint64_t first, end;
    int rank, ranks; /* 0: no ranks */
} part;

static int make(const rmat_gen *gen, const part *p, const rmat_csr_spec *spec, bool on_device,
                rmat_csr *csr)
{
    if (p->ranks > 0) {
        return (on_device ? rmat_csr_rank_device : rmat_csr_rank)(gen, p->rank, p->ranks, spec,
                                                                  csr);
    }
    return (on_device ? rmat_csr_rows_device : rmat_csr_rows)(gen, p->first, p->end, spec, csr);
}

/* In the host's memory and in that of a generator on a GPU, the part's rows begin at *row, and are
 * those of `all`.  Moves *row behind them. */
static void check_part(const rmat_gen *gen, const part *p, const rmat_csr_spec *spec,
                       const rmat_csr *all, uint64_t *row)
{
    const uint64_t begin = all->pointers[*row], id = (uint64_t)spec->id_bytes;
    const int memories = rmat_used_backend(gen) == RMAT_BACKEND_GPU ? 2 : 1;
    uint64_t rows = 0;

    for (int on_device = 0; on_device < memories; on_device++) {
        rmat_csr csr;
        const int st = make(gen, p, spec, on_device, &csr);

        must(st == RMAT_OK, "rows from %lu, in a GPU's memory %d: %s", *row, on_device,
             rmat_strerror(st));
        if (on_device) {
            move_csr_to_host(gen, spec, &csr);
        }
        must(csr.first_row == *row && csr.rows <= all->rows - *row, "other rows");
        must(!on_device || csr.rows == rows, "other cuts");
        rows = csr.rows;
        must(csr.edges == all->pointers[*row + rows] - begin, "other numbers of edges");
        for (uint64_t i = 0; i <= rows; i++) {
            must(csr.pointers[i] + begin == all->pointers[*row + i], "pointer %lu differs", i);
        }
        must(memcmp(csr.indices, (char *)all->indices + begin * id, csr.edges * id) == 0,
             "other edges");
        must(spec->weights
                 ? memcmp(csr.weights, (char *)all->weights + begin * 4, csr.edges * 4) == 0
                 : csr.weights == NULL,
             "other weights");
        rmat_csr_free(&csr);
        ck_assert_ptr_null(csr.pointers);
    }
    *row += rows;
}

/* --- Ranges of rows --- */

/* All rows, in one part and in five; a single row, and none. */
static void check_model(const rmat_gen *cpu, const rmat_gen *gen, const rmat_config *c,
                        const rmat_csr_spec *spec)
{
    /* Beyond scale 32 nobody wants all rows. */
    const uint64_t rows = rows_of(c) < 1 << 14 ? rows_of(c) : 1 << 14;
    uint64_t row, first = 0;
    rmat_csr all, none;

    if (!is_sortable(c)) {
        gives(RMAT_ERR_GPU_SCALE, rmat_csr_rows_device(gen, 0, 1, spec, &none));
        return;
    }
    all = reference_csr(cpu, spec, rows);
    for (uint64_t parts = 1; parts <= 5 && parts <= rows; parts += 4) {
        row = 0;
        for (uint64_t k = 0; k < parts; k++) {
            check_part(gen, &(part){.first = row, .end = rows * (k + 1) / parts}, spec, &all, &row);
        }
        ck_assert_uint_eq(row, rows);
    }
    while (first + 1 < rows && all.pointers[first + 1] == 0) {
        first++;
    }
    for (uint64_t k = 0; k < 2; k++) {
        row = first;
        check_part(gen, &(part){.first = first, .end = first + k}, spec, &all, &row);
        ck_assert_uint_eq(row, first + k);
    }
    rmat_csr_free(&all);
}

START_TEST(sorted_list)
{
    const uint64_t edges[] = {ON_GPU && !small_run() ? 300000 : small_run() ? 3000 : 30000, 77, 0};
    const rmat_config c = model_at(_i);
    scoped(rmat_destroy) rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, c),
                                  *gen = create_on(TESTED, c);
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
}

/* The number of edges that rmat_unique_edges() returns has just so many distinct ones, the last of
 * which is new. */
START_TEST(distinct)
{
    static const int large_enough[] = {0, 1, 2, 7, 9, 10, 11};
    const rmat_config c = model_at(large_enough[_i]);
    const uint64_t wanted = ON_GPU && !small_run() && _i > 2 ? 200000 : small_run() ? 2000 : 9000;
    scoped(rmat_destroy) rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, c),
                                  *gen = create_on(TESTED, c);
    uint64_t edges;

    ck_assert_int_eq(rmat_unique_edges(gen, wanted, ON_GPU ? 64 << 20 : 1 << 20, &edges),
                     is_sortable(&c) ? RMAT_OK : RMAT_ERR_GPU_SCALE);
    for (uint64_t less = 0; less < 2 && is_sortable(&c); less++) {
        uint64_t n = edges - less * (c.symmetrize ? 2 : 1), count = 0;
        scoped(free) rmat_cell *list = sorted_edges(cpu, &n, 1);

        for (uint64_t i = 0; i < n; i++) {
            count += !c.symmetrize || list[i].src >= list[i].dst;
        }
        ck_assert_uint_eq(count, wanted - less);
    }
}

/* --- Ranks --- */

enum { MOST_RANKS = 7 };

static const rmat_config rank_models[] = {
    {SQUARE(12)},
    {SQUARE(12), .noise = 0.1},
    {SQUARE(12), .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {SQUARE(11), .symmetrize = 1, .permute = 1, .no_self_loops = 1},
    {SQUARE(11), .direction = RMAT_LOWER, .weights = RMAT_WEIGHTS_INT},
    {SQUARE(11), .direction = RMAT_UPPER, .permute = 1},
    {.rows_scale = 10, .cols_scale = 50}, /* keys of 64 bits with a hub row */
    {.rows_scale = 14, .cols_scale = 56}, /* of 128 */
    {.rows_scale = 1, .cols_scale = 12},  /* fewer rows than ranks: some have none */
    {SQUARE(11), .stream = RMAT_STREAM_GRAPH500},
    {SQUARE(11), .stream = RMAT_STREAM_GRAPH500, .weights = RMAT_WEIGHTS_UNIFORM,
     .no_self_loops = 1},
    {SQUARE(11), .stream = RMAT_STREAM_GAPBS, .symmetrize = 1},
    {SQUARE(12), .stream = RMAT_STREAM_ROWS, .permute = 1},
    {SQUARE(12), .stream = RMAT_STREAM_ROWS},
};
enum {
    RANK_MODELS = COUNT(rank_models),
    IN_ORDER = RANK_MODELS - 1,
    OWN_WEIGHTS = 10 /* of the stream, which a GPU cannot sort */
};

static uint64_t edges_of(void)
{
    return ON_GPU && !small_run() ? 1000000 : 20000;
}

static rmat_config rank_model(int i)
{
    rmat_config c = model_of(rank_models[i]);

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

/* The rows of all ranks are those of `all`.  Sets first_rows[k] to the first row of rank k, and
 * first_rows[ranks] to the number of rows. */
static void check_ranks(const rmat_gen *gen, int ranks, const rmat_csr_spec *spec,
                        const rmat_csr *all, uint64_t *first_rows)
{
    first_rows[0] = 0;
    for (int k = 0; k < ranks; k++) {
        first_rows[k + 1] = first_rows[k];
        check_part(gen, &(part){.rank = k, .ranks = ranks}, spec, all, &first_rows[k + 1]);
    }
    must(first_rows[ranks] == all->rows, "rows are missing");
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
    rmat_config config = rank_model(_i), other = config;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&config), *again = NULL;

    other.threads = 3;
    other.isa = RMAT_ISA_GENERIC;
    again = create_on(TESTED, other);
    for (int unique = 0; unique < 2; unique++) {
        const rmat_csr_spec spec = spec_of(&config, unique);
        uint64_t most;
        rmat_csr all;

        if (ON_GPU && _i == OWN_WEIGHTS) {
            gives(RMAT_ERR_WEIGHTS, rmat_csr_rank(again, 0, 1, &spec, &all));
            continue;
        }
        if (ON_GPU && config.cols_scale > 32) {
            gives(RMAT_ERR_GPU_SCALE, rmat_csr_rank(again, 0, 1, &spec, &all));
            continue;
        }

        ok(rmat_csr_rows(gen, 0, (uint64_t)1 << config.rows_scale, &spec, &all));
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
}

/* Of a stream in order the cuts are exact: edges, and two for each row, in equal parts, as far as
 * rows are whole. */
START_TEST(shares_of_rows)
{
    const rmat_config config = rank_model(IN_ORDER);
    const rmat_csr_spec spec = spec_of(&config, false);
    scoped(rmat_destroy) rmat_gen *gen = create_on(TESTED, config);
    rmat_csr all;

    ok(rmat_csr_rows(gen, 0, (uint64_t)1 << config.rows_scale, &spec, &all));
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
}

/* Of rows, and of ranks in either memory of a GPU. */
START_TEST(refusals)
{
    const rmat_config config = model_at(0), rows = rank_model(IN_ORDER);
    const rmat_csr_spec usual = {.edges = 100, .id_bytes = 4};
    rmat_config wide = config;
    rmat_csr_spec wrong[] = {usual, usual, usual};
    const int statuses[] = {RMAT_ERR_WEIGHTS, RMAT_ERR_ARG, RMAT_ERR_RANGE};
    scoped(rmat_destroy) rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, config),
                                  *gen = create_on(TESTED, config),
                                  *in_order = create_on(TESTED, rows), *wide_gen = NULL;
    rmat_csr csr;

    wide.cols_scale = 33;
    wide_gen = create_gen(&wide);
    wrong[0].weights = 1;
    wrong[1].id_bytes = 3;
    wrong[2].edges = RMAT_MAX_EDGES + 1;
    gives(RMAT_ERR_ARG, rmat_csr_rows(NULL, 0, 1, &usual, &csr));
    gives(RMAT_ERR_ARG, rmat_csr_rows(cpu, 0, 1, NULL, &csr));
    gives(RMAT_ERR_ARG, rmat_csr_rows(cpu, 0, 1, &usual, NULL));
    gives(RMAT_ERR_ROWS, rmat_csr_rows(cpu, 2, 1, &usual, &csr));
    gives(RMAT_ERR_ROWS, rmat_csr_rows(cpu, 0, 1025, &usual, &csr));
    gives(RMAT_ERR_ROWS, rmat_csr_rows(cpu, 1025, 1026, &usual, &csr));
    ck_assert_str_eq(rmat_strerror(RMAT_ERR_ROWS), "the graph does not have these rows");
    gives(RMAT_ERR_ARG, rmat_csr_rows_device(cpu, 0, 1, &usual, &csr));
    gives(RMAT_ERR_ARG, rmat_csr_rank_device(cpu, 0, 1, &usual, &csr));
    gives(RMAT_ERR_ID_WIDTH, rmat_csr_rows(wide_gen, 0, 1, &usual, &csr));
    for (int i = 0; i < COUNT(wrong); i++) {
        gives(statuses[i], rmat_csr_rows(cpu, 0, 1, &wrong[i], &csr));
        gives(statuses[i], rmat_csr_rank(gen, 0, 2, &wrong[i], &csr));
    }
    for (int on_device = 0; on_device <= ON_GPU; on_device++) {
        static const int ranks[][2] = {{-1, 2}, {2, 2}, {0, 0}, {-2, -1}};
        int (*rank)(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                    rmat_csr *out) = on_device ? rmat_csr_rank_device : rmat_csr_rank;

        gives(RMAT_ERR_ARG, rank(NULL, 0, 1, &usual, &csr));
        gives(RMAT_ERR_ARG, rank(gen, 0, 2, NULL, &csr));
        gives(RMAT_ERR_ARG, rank(gen, 0, 2, &usual, NULL));
        for (int i = 0; i < COUNT(ranks); i++) {
            gives(RMAT_ERR_ARG, rank(gen, ranks[i][0], ranks[i][1], &usual, &csr));
        }
    }
    wrong[0] = (rmat_csr_spec){.edges = edges_of() + 1, .id_bytes = 4};
    gives(RMAT_ERR_RANGE, rmat_csr_rank(in_order, 0, 2, &wrong[0], &csr));
    rmat_csr_free(NULL);
}

TEST_CASES(rmat_csr, 120, LOOP(sorted_list, 0, MODELS), LOOP(distinct, 0, ON_GPU ? 7 : 3),
           LOOP(same_csr, 0, small_run() > 1 ? 2 : RANK_MODELS), ONCE(shares_of_rows),
           ONCE(refusals))
