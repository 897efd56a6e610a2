/* The number of edges of the stream among which a given number are distinct, against a bitmap of
 * all cells, for one process and several; and how many windows the search needs. */
#include "rmat/rmat.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

SCOPED(rmat_sample_destroy, rmat_sample *)

static uint64_t distinct_after(const new_cells *g, uint64_t draws)
{
    uint64_t n = 0;

    while (n < g->n && g->unseen[n] < draws) {
        n++;
    }
    return n;
}

static rmat_config model_at(int scale, int option)
{
    const uint64_t odd = scale > 1 ? (UINT64_C(3) << scale) / 4 : 0;
    const int less = scale > 2 ? scale - 2 : 1;
    const rmat_config models[] = {
        {SQUARE(scale)},
        {SQUARE(scale), .symmetrize = 1, .permute = 1, .matrix = {0.5, 0.25, 0.15, 0.1}},
        {SQUARE(scale), .no_self_loops = 1, .direction = RMAT_UPPER, .noise = 0.1},
        {SQUARE(scale), .rows = odd, .cols = odd, .permute = 1},
        {.rows_scale = scale, .cols_scale = less, .symmetrize = scale == less}};
    rmat_config c = model_of(models[option]);

    c.threads = 1 + option % 2;
    return c;
}

static uint64_t edges_of(const rmat_config *c, uint64_t edges, uint64_t capacity, int *status)
{
    scoped(rmat_destroy) rmat_gen *gen = create_gen(c);
    uint64_t draws;

    *status = rmat_unique_edges(gen, edges, interval_bytes(gen, capacity), &draws);
    return draws;
}

static void check(const rmat_config *c, uint64_t edges, uint64_t capacity)
{
    scoped(new_cells_free) new_cells g = draw_new_cells(c, edges, 0);
    int status;
    const uint64_t found = edges_of(c, edges, capacity, &status);

    ck_assert_int_eq(status, RMAT_OK);
    ck_assert_msg(found == (g.unseen[edges - 1] + 1) * (c->symmetrize ? 2 : 1),
                  "%lu distinct edges of %d x %d: %lu of the stream", edges, c->rows_scale,
                  c->cols_scale, found);
}

/* 1 %, 50 % and 90 % of the cells of small graphs; of the smallest all. */
START_TEST(shares)
{
    for (int scale = 1; scale <= (_i == 1 ? 8 : 6); scale++) {
        const rmat_config c = model_at(scale, _i);
        uint64_t support;
        int status;

        ok(rmat_support_size(&c, &support));
        check(&c, support / 100 + 1, 1 << 16);
        check(&c, (support + 1) / 2, 1 << 16);
        check(&c, support > 1 ? support * 9 / 10 : 1, 1 << 16);
        if (scale <= 3) {
            check(&c, support, 1 << 16);
        }
        edges_of(&c, support + 1, 1 << 16, &status);
        ck_assert_int_eq(status, RMAT_ERR_DRAWS);
    }
}

START_TEST(many_blocks)
{
    const rmat_config c = model_at(12, _i);

    check(&c, 12000, RMAT_INTERVAL_LEAST_EDGES);
}

/* The window has more first occurrences than a quarter of the memory has room for. */
START_TEST(wide_window)
{
    const rmat_config c = model_at(13, 0);

    check(&c, 500000, 1 << 15);
}

/* The answer is found within a few windows, even if the first one is wrong. */
START_TEST(tries)
{
    const rmat_config c = model_at(8, _i);
    uint64_t support;
    scoped(rmat_sample_destroy) rmat_sample *s = NULL;

    ok(rmat_support_size(&c, &support));
    ok(rmat_sample_create(&s, &c, 5000));
    for (uint64_t edges = 1; edges < support / 2; edges *= 3) {
        for (int wrong = 0; wrong < 4; wrong++) {
            rmat_window w;
            uint64_t low, high;
            scoped(new_cells_free) new_cells g = {NULL, 0};

            ok(rmat_window_first(s, edges, &w));
            g = draw_new_cells(&c, support / 2, 4 * w.high + 1000);
            if (wrong > 0) { /* before, far behind, or just one count */
                w.low = wrong == 1 ? w.low / 4 : wrong == 2 ? 3 * w.high : w.low;
                w.high = wrong == 1 ? w.low : wrong == 2 ? 4 * w.high : w.low;
            }
            low = distinct_after(&g, w.low), high = distinct_after(&g, w.high);
            while (low >= edges || high < edges) {
                ok(rmat_window_next(s, low, high, &w));
                low = distinct_after(&g, w.low), high = distinct_after(&g, w.high);
            }
            ck_assert_msg(w.tries <= 2 + (wrong > 0), "%lu edges: %d tries", edges, w.tries);
        }
    }
}

/* Up to the last cell, which comes when it will: the first window has it all the same. */
START_TEST(last_cells)
{
    for (int scale = 1; scale <= 4; scale++) {
        for (int option = 0; option < 5; option++) {
            const rmat_config c = model_at(scale, option);
            uint64_t support;
            scoped(rmat_sample_destroy) rmat_sample *s = NULL;

            ok(rmat_support_size(&c, &support));
            ok(rmat_sample_create(&s, &c, 0));
            for (uint64_t left = 0; left < support && left < 3; left++) {
                rmat_window w;
                scoped(new_cells_free) new_cells g = {NULL, 0};

                ok(rmat_window_first(s, support - left, &w));
                g = draw_new_cells(&c, 1, w.high);
                ck_assert_msg(distinct_after(&g, w.low) < support - left &&
                                  distinct_after(&g, w.high) >= support - left,
                              "scale %d, option %d, %d left", scale, option, (int)left);
            }
        }
    }
}

START_TEST(refusals)
{
    rmat_config c = model_at(14, 0);
    uint64_t support, edges;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    int status;

    /* the last cells of a large graph are too rare */
    ok(rmat_support_size(&c, &support));
    edges_of(&c, support, 1 << 16, &status);
    ck_assert_int_eq(status, RMAT_ERR_DRAWS);
    ck_assert(edges_of(&c, 0, 1 << 16, &status) == 0);
    ck_assert_int_eq(status, RMAT_OK);

    gives(RMAT_ERR_ARG, rmat_unique_edges(gen, 10, 100, &edges));
    gives(RMAT_ERR_ARG, rmat_unique_edges(NULL, 10, 1 << 20, &edges));
    gives(RMAT_ERR_ARG, rmat_unique_edges(gen, 10, 1 << 20, NULL));
}

/* --- Ranks, each a thread --- */

enum { RANKS = 3, PARTS = 2 }; /* of each rank, at first */

static pthread_barrier_t meeting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sums[16];
static int failure;

/* rmat_search.sum */
static int sum_up(void *state, int status, uint64_t *values, size_t n)
{
    int st;

    (void)state;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n; i++) {
        sums[i] += values[i];
    }
    failure = status != RMAT_OK ? status : failure;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&meeting);
    memcpy(values, sums, n * sizeof *values);
    st = failure;
    if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) {
        memset(sums, 0, sizeof sums);
        failure = RMAT_OK;
    }
    pthread_barrier_wait(&meeting);
    return st;
}

typedef struct {
    rmat_search search;
    rmat_parts parts;
    int status;
} searcher;

static void *search(void *argument)
{
    searcher *s = argument;

    s->status = rmat_search_unique(&s->search);
    return NULL;
}

/* All ranks find the number that one finds, and together they have the edges. */
START_TEST(ranks)
{
    enum { WANTED = 12000 };
    const rmat_config c = model_at(12, _i);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    scoped(rmat_sample_destroy) rmat_sample *sample = NULL;
    scoped(new_cells_free) new_cells g = draw_new_cells(&c, WANTED, 0);
    rmat_cell cells[RANKS * PARTS + 1];
    searcher s[RANKS] = {{.status = 1}};
    uint64_t edges = 0, n;
    rmat_window window;

    ok(rmat_sample_create(&sample, &c, 0));
    ok(rmat_window_first(sample, WANTED, &window));
    ok(rmat_sample_cut(sample, (double)window.high, 1, RANKS * PARTS, cells));
    pthread_barrier_init(&meeting, NULL, RANKS);
    for (int k = 0; k < RANKS; k++) {
        s[k].parts = (rmat_parts){must_alloc(PARTS + 1, sizeof *cells), PARTS};
        memcpy(s[k].parts.cells, cells + k * PARTS, (PARTS + 1) * sizeof *cells);
        s[k].search = (rmat_search){.interval = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES),
                                    .parts = &s[k].parts,
                                    .sample = k == 0 ? sample : NULL,
                                    .window = window,
                                    .most = RMAT_INTERVAL_LEAST_EDGES,
                                    .ranks = RANKS,
                                    .sum = sum_up};
    }
    in_threads(RANKS, search, s, sizeof *s);
    for (int k = 0; k < RANKS; k++) {
        ck_assert_int_eq(s[k].status, RMAT_OK);
        ck_assert_uint_eq(s[k].search.draws, g.unseen[WANTED - 1] + 1);
        edges += s[k].search.edges;
        rmat_interval_destroy(s[k].search.interval);
        free(s[k].parts.cells);
    }
    n = s[0].search.draws << c.symmetrize;
    free(sorted_edges(gen, &n, 1));
    ck_assert_uint_eq(edges, n);
}

/* Asks come as the call lasts; the answer ends it. */
typedef struct {
    int asked, allowed;
} asking;

static int ask(void *state)
{
    asking *a = state;

    return ++a->asked > a->allowed;
}

static asking a;

/* The call is to be stopped when it has asked so many times. */
#define STOPS(times, call)                                                                         \
    do {                                                                                           \
        a = (asking){.allowed = times};                                                            \
        gives(RMAT_ERR_STOPPED, call);                                                             \
        a.allowed = 1 << 30;                                                                       \
    } while (0)

/* rmat_config.stop ends every long call, at once or in the middle, and the next one is as ever. */
START_TEST(stops)
{
    enum { EDGES = 1 << 22 };
    const rmat_cell first = {0, 0}, end = {1 << 16, 0};
    const rmat_csr_spec spec = {.edges = EDGES, .id_bytes = 4};
    scoped(free) uint32_t *ids = malloc(2 * (size_t)EDGES * sizeof *ids);
    uint64_t edges, bytes, counts;
    rmat_first_list list = {.most = EDGES};
    const rmat_config c =
        model_of((rmat_config){SQUARE(16), .threads = 2, .stop = ask, .stop_state = &a});
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    rmat_interval *b;
    rmat_csr csr;

    bytes = interval_bytes(gen, EDGES);
    ok(rmat_interval_create(&b, gen, bytes));
    for (int times = 0; times < 2; times++) {
        STOPS(times,
              rmat_generate_arrays(gen, 0, EDGES, &(rmat_arrays){ids, ids + EDGES, NULL, 4}));
        STOPS(times, rmat_csr_rows(gen, 0, 1 << 16, &spec, &csr));
        STOPS(times, rmat_unique_edges(gen, EDGES, bytes, &edges));
        STOPS(times, rmat_count_cells(gen, 0, EDGES, 2, (rmat_cell[]){{0, 0}, {1, 0}}, &counts));
        ok(rmat_interval_begin(b, &first, &end, 1));
        STOPS(times, rmat_interval_add(b, 0, EDGES));
    }
    ok(rmat_interval_begin(b, &first, &end, 1));
    ok(rmat_interval_add(b, 0, EDGES));
    STOPS(1, rmat_interval_sort(b));
    ok(rmat_interval_begin(b, &first, &end, 1));
    ok(rmat_interval_add(b, 0, EDGES));
    ok(rmat_interval_sort(b));
    STOPS(0, rmat_interval_unseen(b, EDGES, EDGES, &list));
    ok(rmat_csr_rows(gen, 0, 1 << 16, &spec, &csr));
    ck_assert_uint_eq(csr.edges, EDGES);
    rmat_csr_free(&csr);
    rmat_interval_destroy(b);
}

TEST_CASES(rmat_unique, 120, LOOP(shares, 0, 5), LOOP(many_blocks, 0, 2), ONCE(wide_window),
           LOOP(tries, 0, 2), ONCE(last_cells), LOOP(ranks, 0, 5), ONCE(refusals), ONCE(stops))
