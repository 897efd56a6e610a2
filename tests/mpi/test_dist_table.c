/* Rank 0's table of work: the size of spans, and the ranges that they come from. */
#include "mpi/dist_job.h"
#include "tests/support/run_suite.h"
#include <stdint.h>

SCOPED(dist_table_destroy, dist_table *)

static uint64_t first, count; /* the span that a rank got last */

static int take(dist_table *table, int rank, double now)
{
    return dist_table_take(table, rank, now, &first, &count);
}

/* The book of so many ranks. */
static dist_table *begin(int ranks, const uint64_t *starts, uint64_t unit)
{
    dist_table *table = dist_table_create(ranks, starts, unit);

    ck_assert_ptr_nonnull(table);
    return table;
}

START_TEST(test_lead)
{
    const uint64_t starts[] = {0, 1000000, 2000000, 3000000, 4000000};
    scoped(dist_table_destroy) dist_table *table = begin(4, starts, 100);

    for (int i = 0; i < 5; i++) { /* speed unknown: small spans, however often */
        ck_assert_int_eq(take(table, 2, i), 1);
        ck_assert_uint_eq(first, 2000000 + 3200 * (uint64_t)i);
        ck_assert_uint_eq(count, 3200);
    }
    for (int i = 1; i < 4; i++) { /* known: twice the last one */
        dist_table_report(table, 2, 5 * 3200, 5 + i);
        ck_assert_int_eq(take(table, 2, 5 + i), 1);
        ck_assert_uint_le(count, 3200 << i);
    }
    dist_table_destroy(table);
    table = begin(4, (const uint64_t[]){0, 10000, 20000, 30000, 40000}, 100);
    ck_assert_int_eq(take(table, 1, 0), 1);
    ck_assert_uint_eq(count, 300); /* no more than a little of what there is */
}

START_TEST(test_help_from_the_end_of_the_slowest)
{
    const uint64_t starts[] = {0, 100000, 200050, 300000};
    scoped(dist_table_destroy) dist_table *table = begin(3, starts, 100);
    uint64_t done[3] = {0, 0, 0};

    for (int r = 0; r < 3; r++) {
        ck_assert_int_eq(take(table, r, 0), 1);
        done[r] = count;
    }
    dist_table_report(table, 0, done[0], 0.2); /* twice as slow as rank 2, */
    dist_table_report(table, 2, done[2], 0.1);
    dist_table_report(table, 1, done[1], 0.4); /* and rank 1 still slower */
    for (double now = 0.4;; now += 0.01) {
        ck_assert_int_eq(take(table, 2, now), 1);
        done[2] += count;
        dist_table_report(table, 2, done[2], now + 0.01);
        if (first < 200050) {
            break;
        }
    }
    ck_assert_uint_eq(first + count, 200050);
    ck_assert_uint_eq((first - 100000) % 100, 0);
}

/* A slow helper leaves the last unit to an owner who will be done with it before. */
START_TEST(test_no_late_help)
{
    const uint64_t starts[] = {0, 100, 100000};
    scoped(dist_table_destroy) dist_table *table = begin(2, starts, 100);
    uint64_t done = 0;

    ck_assert_int_eq(take(table, 0, 0), 1);
    ck_assert_int_eq(take(table, 1, 0), 1);
    dist_table_report(table, 0, 100, 1000); /* a tenth of an item per second */
    dist_table_report(table, 1, done = count, 1000);
    for (double now = 1000.1; take(table, 1, now) == 1; now += 0.1) {
        dist_table_report(table, 1, done += count, now + 0.1);
        if (first + count > 99000) {
            break;
        }
    }
    ck_assert_int_eq(take(table, 0, 2000), -1);
    while (take(table, 1, 2000) == 1) {
    }
    ck_assert_uint_eq(first + count, 100000);
    ck_assert_int_eq(take(table, 0, 2001), 0);
}

/* Of a rank without a range of its own nothing is known before it has done its first span. */
START_TEST(test_unknown_helper)
{
    const uint64_t starts[] = {0, 100000, 100000};
    scoped(dist_table_destroy) dist_table *table = begin(2, starts, 100);
    uint64_t helped;

    ck_assert_int_eq(take(table, 0, 0), 1);
    dist_table_report(table, 0, count, 1);
    ck_assert_int_eq(take(table, 1, 100), 1);
    ck_assert_uint_eq(helped = count, 1500);
    ck_assert_int_eq(take(table, 1, 100), -1);
    /* The time before its first span does not count: it is as fast as rank 0. */
    dist_table_report(table, 1, helped, 101);
    ck_assert_int_eq(take(table, 1, 101), 1);
    ck_assert_uint_ge(count, 700); /* half a second's worth */
    /* Nor does the time in which it has nothing to do. */
    dist_table_report(table, 1, helped + count, 101.5);
    dist_table_report(table, 1, helped + count, 150);
    ck_assert_int_eq(take(table, 1, 200), 1);
    ck_assert_uint_ge(count, 700);
}

/* Ranks that have not begun will do their part: nobody takes half of all that is left. */
START_TEST(test_unknown_others)
{
    const uint64_t starts[] = {0, 100000, 100000, 100000, 100000, 100000, 100000, 100000, 100000};
    scoped(dist_table_destroy) dist_table *table = begin(8, starts, 1);
    uint64_t done = 0;

    while (take(table, 0, 1e-5 * (double)done) == 1) {
        ck_assert_uint_le(count, (100000 - first) / 8 + 32);
        done += count;
        dist_table_report(table, 0, done, 1e-5 * (double)done);
    }
    ck_assert_uint_eq(done, 100000);
}

/* Rank 0 answers some ten thousand requests per second: spans of two seconds at 20,000 ranks. */
START_TEST(test_many_ranks)
{
    enum { RANKS = 20000 };
    static uint64_t starts[RANKS + 1];
    scoped(dist_table_destroy) dist_table *table = NULL;
    uint64_t done = 0, most = 0;

    for (uint64_t r = 0; r <= RANKS; r++) {
        starts[r] = r * (UINT64_C(6700) << 18);
    }
    table = begin(RANKS, starts, 1 << 18);
    for (int i = 0; i < 12; i++) { /* a unit per millisecond */
        double seconds = 1e-3 * (double)(done >> 18);

        dist_table_report(table, 7, done, seconds);
        ck_assert_int_eq(take(table, 7, seconds), 1);
        ck_assert_uint_eq(first, starts[7] + done);
        if (first + count == starts[8]) {
            break;
        }
        done += count;
        most = count > most ? count : most;
    }
    ck_assert_uint_ge(most >> 18, 1900);
    ck_assert_uint_le(most >> 18, 2000);
}

TEST_CASES(dist_table, 120, ONCE(test_lead), ONCE(test_help_from_the_end_of_the_slowest),
           ONCE(test_no_late_help), ONCE(test_unknown_helper), ONCE(test_unknown_others),
           ONCE(test_many_ranks))
