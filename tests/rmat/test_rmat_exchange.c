/* Ranks that exchange edges: their CSR together is that of one process, whatever the graph, the
 * number of ranks and the buffers; one that fails or is full. */
#include "rmat/rmat_exchange.h"
#include "tests/support/rank_csr.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>
#include <string.h>

static const rmat_config models[] = {
    {.rows_scale = 12, .cols_scale = 12},
    {.rows_scale = 12, .cols_scale = 12, .permute = 1, .weights = RMAT_WEIGHTS_UNIFORM},
    {.rows_scale = 11, .cols_scale = 11, .symmetrize = 1, .permute = 1, .no_self_loops = 1},
    {.rows_scale = 11, .cols_scale = 11, .direction = RMAT_LOWER, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 10, .cols_scale = 50}, /* keys of 64 bits with a hub row */
    {.rows_scale = 14, .cols_scale = 56}, /* of 128 */
    {.rows_scale = 11, .cols_scale = 11, .stream = RMAT_STREAM_GRAPH500},
    {.rows_scale = 11,
     .cols_scale = 11,
     .stream = RMAT_STREAM_GRAPH500,
     .weights = RMAT_WEIGHTS_UNIFORM,
     .no_self_loops = 1},
    {.rows_scale = 12,
     .cols_scale = 12,
     .stream = RMAT_STREAM_ROWS}, /* in order: nothing is sent */
};
enum { MODELS = sizeof models / sizeof models[0], EDGES = 60000 };

static rmat_config config_of(int i)
{
    rmat_config c, given = models[i];

    rmat_config_default(&c);
    c.rows_scale = given.rows_scale;
    c.cols_scale = given.cols_scale;
    c.permute = given.permute;
    c.symmetrize = given.symmetrize;
    c.no_self_loops = given.no_self_loops;
    c.direction = given.direction;
    c.weights = given.weights;
    c.weight_max = given.weights == RMAT_WEIGHTS_INT ? 99 : 1;
    c.stream = given.stream;
    c.edges = EDGES; /* of a stream that ends */
    c.threads = 1 + i % 2;
    return c;
}

START_TEST(same_csr)
{
    const rmat_config config = config_of(_i);
    const int sizes[] = {1, 2, 3, 7};

    for (int n = 0; n < 4; n++) {
        for (rmat_exchange_way how = RMAT_EXCHANGE_AUTO; how <= RMAT_EXCHANGE_ALL; how++) {
            rank_csr r = {.config = &config, .how = how};

            r.spec = (rmat_csr_spec){.edges = EDGES,
                                     .unique = (n + (int)how) % 2,
                                     .id_bytes = config.cols_scale > 32 || n == 1 ? 8 : 4,
                                     .weights = config.weights != RMAT_NO_WEIGHTS};
            check_rank_csr(&r, sizes[n]);
        }
    }
}
END_TEST

/* Of graphs by rows, edges and two for each row are shared out equally, as far as rows are whole.
 */
START_TEST(shares_of_rows)
{
    const rmat_config config = config_of(MODELS - 1);

    for (int ranks = 2; ranks <= 7; ranks++) {
        rank_csr r = {
            .config = &config, .how = RMAT_EXCHANGE_NONE, .spec = {.edges = EDGES, .id_bytes = 4}};
        uint64_t all = 0, most = 0, largest = 0;

        run_ranks(ranks, make_rank_csr, &r);
        for (int k = 0; k < ranks; k++) {
            rmat_csr *p = &r.parts[k];
            const uint64_t share = p->edges + 2 * p->rows;

            ck_assert_int_eq(r.statuses[k], RMAT_OK);
            for (uint64_t i = 0; i < p->rows; i++) {
                const uint64_t row = p->pointers[i + 1] - p->pointers[i];

                largest = row > largest ? row : largest;
            }
            all += share;
            most = share > most ? share : most;
            rmat_csr_free(p);
        }
        ck_assert_uint_le(most, all / (uint64_t)ranks + largest + 2);
    }
}
END_TEST

/* Intervals by hand: rank k of 3 has rows [1024 k, 1024 k + 700), and other rows nobody. */
typedef struct {
    rmat_gen *gen;
    uint64_t capacity[3];
    int failed[3], none[3], statuses[3], again[3];
    uint64_t edges[3];
} by_hand;

enum { RANKS = 3, SPAN = 1024, OWN = 700 };

static void exchange_by_hand(const rmat_ranks *ranks, void *state)
{
    by_hand *h = state;
    const int k = ranks->rank;
    const rmat_cell first = {(uint64_t)k * SPAN, 5}, end = {(uint64_t)k * SPAN + OWN, 0};
    rmat_interval *b;
    rmat_exchange *x;
    uint64_t bytes;

    must(rmat_interval_bytes(h->gen, h->capacity[k], &bytes) == RMAT_OK &&
             rmat_interval_create(&b, h->gen, bytes) == RMAT_OK &&
             rmat_exchange_create(&x, h->gen, ranks, rmat_exchange_least(h->gen, RANKS)) == RMAT_OK,
         "rank %d has no memory", k);
    must(rmat_interval_begin(b, &first, &end, 0) == RMAT_OK, "rank %d cannot begin", k);
    h->statuses[k] = rmat_exchange_add(x, h->none[k] ? NULL : b, EDGES, h->failed[k]);
    if (h->statuses[k] == RMAT_OK && !h->none[k]) {
        must(rmat_interval_sort(b) == RMAT_OK, "rank %d cannot sort", k);
        h->edges[k] = rmat_interval_edges(b);
    }
    /* Whatever became of that, the next one goes well. */
    must(rmat_interval_begin(b, &first, &first, 0) == RMAT_OK, "rank %d cannot begin", k);
    h->again[k] = rmat_exchange_add(x, b, EDGES, 0);
    rmat_exchange_destroy(x);
    rmat_interval_destroy(b);
}

static by_hand begin_by_hand(rmat_gen *gen)
{
    return (by_hand){.gen = gen, .capacity = {EDGES, EDGES, EDGES}};
}

START_TEST(outcomes)
{
    const rmat_config config = config_of(0);
    uint64_t expected[RANKS];
    rmat_gen *gen;
    by_hand h;

    ck_assert_int_eq(rmat_create(&gen, &config), RMAT_OK);
    for (uint64_t k = 0; k < RANKS; k++) {
        const rmat_cell cells[] = {{k * SPAN, 5}, {k * SPAN + OWN, 0}};

        expected[k] = 0;
        ck_assert_int_eq(rmat_count_cells(gen, 0, EDGES, 2, cells, &expected[k]), RMAT_OK);
        ck_assert_uint_gt(expected[k], 0);
    }
    for (int what = 0; what < 4;
         what++) { /* well; full; without an interval; failed, all on rank 0 */
        h = begin_by_hand(gen);
        h.capacity[0] = what == 1 ? RMAT_INTERVAL_LEAST_EDGES : EDGES;
        h.none[0] = what == 2;
        h.failed[0] = what == 3;
        run_ranks(RANKS, exchange_by_hand, &h);
        for (int k = 0; k < RANKS; k++) {
            const int status = what == 3             ? RMAT_ERR_RANKS
                               : what == 1 && k == 0 ? RMAT_ERR_FULL
                                                     : RMAT_OK;

            ck_assert_int_eq(h.statuses[k], status);
            ck_assert_int_eq(h.again[k], RMAT_OK);
            if (status == RMAT_OK && !h.none[k]) {
                ck_assert_uint_eq(h.edges[k], expected[k]);
            }
        }
    }
    rmat_destroy(gen);
}
END_TEST

/* One rank is asked to stop in the midst of its share: all end. */
typedef struct {
    int asked, after, statuses[RANKS];
} stopping;

static int stop_late(void *state)
{
    stopping *s = state;

    return s->after > 0 && ++s->asked > s->after;
}

static void stop_by_hand(const rmat_ranks *ranks, void *state)
{
    stopping *all = state, mine = {.after = ranks->rank == 1 ? 3 : 0};
    const rmat_cell first = {0, 0}, end = {ranks->rank == 0 ? 1 << 12 : 0, 0};
    rmat_config config = config_of(0);
    rmat_interval *b;
    rmat_exchange *x;
    rmat_gen *gen;

    config.stop = stop_late;
    config.stop_state = &mine;
    must(rmat_create(&gen, &config) == RMAT_OK &&
             rmat_interval_create(&b, gen, 64 << 20) == RMAT_OK &&
             rmat_exchange_create(&x, gen, ranks, rmat_exchange_least(gen, RANKS)) == RMAT_OK,
         "no memory");
    must(rmat_interval_begin(b, &first, &end, 0) == RMAT_OK, "cannot begin");
    all->statuses[ranks->rank] = rmat_exchange_add(x, b, 1 << 21, 0);
    rmat_exchange_destroy(x);
    rmat_interval_destroy(b);
    rmat_destroy(gen);
}

START_TEST(stopped)
{
    stopping s = {0};

    run_ranks(RANKS, stop_by_hand, &s);
    for (int k = 0; k < RANKS; k++) {
        ck_assert_int_eq(s.statuses[k], k == 1 ? RMAT_ERR_STOPPED : RMAT_ERR_RANKS);
    }
}
END_TEST

START_TEST(refusals)
{
    rmat_config config = config_of(0);
    const rmat_ranks none = {.size = 1};
    rmat_exchange *x;
    rmat_csr csr;
    rmat_gen *gen;

    ck_assert_int_eq(rmat_create(&gen, &config), RMAT_OK);
    ck_assert_int_eq(rmat_exchange_create(&x, gen, &none, 1 << 20), RMAT_ERR_ARG);
    ck_assert_ptr_null(x);
    ck_assert_int_eq(rmat_exchange_create(NULL, gen, &none, 1 << 20), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_exchange_add(NULL, NULL, 0, 0), RMAT_ERR_ARG);
    ck_assert_int_eq(
        rmat_csr_rank(gen, NULL, &(rmat_csr_spec){.id_bytes = 4}, RMAT_EXCHANGE_ALL, &csr),
        RMAT_ERR_ARG);
    rmat_exchange_destroy(NULL);
    rmat_destroy(gen);
}
END_TEST

TEST_MAIN(rmat_exchange)
{
    Suite *s = suite_create("rmat_exchange");
    TCase *t = tcase_create("exchange");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, same_csr, 0, MODELS);
    tcase_add_test(t, shares_of_rows);
    tcase_add_test(t, outcomes);
    tcase_add_test(t, stopped);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return run_suite(s);
}
