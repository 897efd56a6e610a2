/*
 * Intervals on the GPU gathered with and without the sieve equal those on the CPU: of few rows and
 * of many, and within a row; with some or all edges treated as ties.  And which intervals are
 * sieved.
 */
#include "rmat/model/generator.h"
#include "rmat/sorted/gpu/interval.h"
#include "tests/support/gpu_util.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>

/* Graphs that may be sieved; of scale 25, noise gives each group of levels a table of its own. */
static const struct {
    int scale;
    double noise;
} plain[] = {{14, 0}, {36, 0.1},  {12, 0}, {12, 0.1}, {25, 0.1},
             {30, 0}, {31, 0.05}, {36, 0}, {62, 0}};
enum { PLAIN = sizeof plain / sizeof plain[0] };

static rmat_config plain_graph(int i)
{
    rmat_config c = square_model(plain[i].scale);

    c.noise = plain[i].noise;
    return c;
}

/* The sieve forced on and off; some or all edges treated as ties, in lists with and without room
 * for them. */
static void check_sieved(const tested_interval *t, const rmat_cell *first, const rmat_cell *end,
                         uint64_t from, uint64_t count)
{
    static const struct {
        uint32_t room, limit;
    } ties[] = {{0, 0}, {100000, 1u << 28}, {3, 1u << 28}, {100000, UINT32_MAX}, {3, UINT32_MAX}};
    rmat_cell *cells;
    const uint64_t n = reference_interval(t->cpu, from, count, first, end, 0, &cells);

    for (int share = 0; share < 2; share++) {
        rmat_gpu_set_sieve(share ? 2 : -1);
        for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++) {
            rmat_gpu_set_ties(t->gen, ties[i].room, ties[i].limit);
            ck_assert_int_eq(tested_fill(t, first, end, 0, from, count), RMAT_OK);
            compare_interval(t->cpu, t->interval, cells, n, t->name);
        }
    }
    rmat_gpu_set_sieve(RMAT_GPU_SIEVED_SHARE);
    rmat_gpu_set_ties(t->gen, 0, 0);
    free(cells);
}

START_TEST(sieved)
{
    const rmat_config c = plain_graph(_i);
    const uint64_t rows = UINT64_C(1) << c.rows_scale, part = rows >> 12; /* equal leading bits */
    const uint64_t count = small_run() ? 5003 : 60013, from = (UINT64_C(1) << 32) - count / 2;
    tested_interval t = tested_create(&c, "sieved", count);
    const rmat_cell cells[][2] = {
        {{0, 0}, {part, 0}},                              /* the likeliest rows */
        {{part + part / 2, 3}, {4 * part - part / 2, 7}}, /* parts of parts */
        {{rows / 4 - 1, rows - 1}, {rows / 2 + 1, 5}},    /* the middle */
        {{0, 5}, {0, rows / 2}},                          /* within a row */
        {{rows - part - 1, 1}, {rows, 0}},                /* the end, */
        {{rows - 1, 7}, {rows - 1, rows - 1}},            /* and hardly any edge */
        {{0, 0}, {rows, 0}},                              /* all */
    };

    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        check_sieved(&t, &cells[i][0], &cells[i][1], from, count);
    }
    tested_destroy(&t);
}
END_TEST

/* So many edges that every thread has several units. */
START_TEST(many_sieved)
{
    const rmat_config c = square_model(_i ? 34 : 25);
    const uint64_t count = 8000003, part = UINT64_C(1) << (c.rows_scale - 12);
    tested_interval t = tested_create(&c, "many sieved", count / 4);

    check_sieved(&t, &(rmat_cell){part / 2, 0}, &(rmat_cell){9 * part + 1, 9}, 12345, count);
    tested_destroy(&t);
}
END_TEST

static int is_sieved(const rmat_gen *gen, const rmat_cell *first, const rmat_cell *end,
                     gpu_interval_gather *to)
{
    const int scale = gen->config.cols_scale;

    to->low = rmat_code_of(first, scale);
    to->last = rmat_code_of(end, scale) - to->low - 1;
    rmat_gpu_sieve(gen, to);
    return to->sieved;
}

/* The sieve is used up to the share of edges that pass it, which is that of a sample. */
START_TEST(sieved_share)
{
    enum { EDGES = 200000 };
    static uint64_t src[EDGES], dst[EDGES];
    const rmat_config c = plain_graph(_i);
    const uint64_t rows = UINT64_C(1) << c.rows_scale, part = rows >> 12;
    const rmat_cell cells[][2] = {{{0, 1}, {0, 2}},
                                  {{part - 1, 0}, {77 * part + 1, 0}},
                                  {{1000 * part, 0}, {3333 * part, 1}},
                                  {{part, 0}, {rows, 0}},
                                  {{0, 0}, {rows, 0}}};
    rmat_gen *gen = create_gen(&c);

    ck_assert_int_eq(rmat_generate(gen, 0, EDGES, src, dst), RMAT_OK);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const rmat_cell *first = &cells[i][0], *end = &cells[i][1];
        gpu_interval_gather to = {0};
        uint64_t passed = 0;
        double share;

        rmat_gpu_set_sieve(2);
        ck_assert(is_sieved(gen, first, end, &to));
        for (int e = 0; e < EDGES; e++) {
            const uint32_t leading = (uint32_t)(src[e] / part) << 20;
            const rmat_cell cell = {src[e], dst[e]};
            const int passes = leading - to.sieve_low <= to.sieve_last;

            ck_assert(passes || cell_below(&cell, first) || !cell_below(&cell, end));
            passed += (uint64_t)passes;
        }
        share = (double)passed / EDGES; /* standard deviation below 0.0012 */
        rmat_gpu_set_sieve(share + 0.006);
        ck_assert(is_sieved(gen, first, end, &to));
        rmat_gpu_set_sieve(share - 0.006);
        ck_assert(!is_sieved(gen, first, end, &to));
    }
    rmat_gpu_set_sieve(RMAT_GPU_SIEVED_SHARE);
    rmat_destroy(gen);
}
END_TEST

/* Graphs whose draws do not decide the rows of their edges, or too few levels at once. */
START_TEST(not_sieved)
{
    const rmat_cell first = {0, 1}, end = {0, 2};

    for (int i = 0; i < 5; i++) {
        rmat_config c = square_model(i == 0 ? 11 : 20);
        gpu_interval_gather to = {0};
        rmat_gen *gen;

        c.permute = i == 1;
        c.symmetrize = i == 2;
        c.rows = i == 3 ? 1000000 : 0;
        c.cols_scale -= i == 4;
        gen = create_gen(&c);
        ck_assert(!is_sieved(gen, &first, &end, &to));
        rmat_destroy(gen);
    }
}
END_TEST

TEST_CASES(rmat_gpu_sieve, 0, LOOP(sieved, 0, small_run() ? 2 : PLAIN),
           LOOP(sieved_share, 0, PLAIN), ONCE(not_sieved),
           LOOP(many_sieved, 0, small_run() ? 0 : 2))
