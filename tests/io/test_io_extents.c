/* test_io_extents.c - sets of numbers against a plain array of flags. */
#include "tests/support/io_util.h"

#include "io/resume/record.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 200, ROUNDS = 300 };

static void check_set(const edgefile_extents *s, const bool *has)
{
    for (size_t i = 1; i < s->n; i++) {
        ck_assert_uint_gt(s->list[i].first, s->list[i - 1].end);
    }
    for (uint64_t first = 0; first < NUMBERS; first += 7) {
        for (uint64_t end = first; end <= NUMBERS; end += 11) {
            uint64_t within = 0, from = first, count = end - first, at = first, n = 0;

            for (uint64_t k = first; k < end; k++) {
                within += has[k];
            }
            ck_assert_uint_eq(edgefile_extents_within(s, first, end), within);
            while (at < end && has[at]) {
                at++;
            }
            while (at + n < end && !has[at + n]) {
                n++;
            }
            edgefile_extents_missing(s, &from, &count);
            ck_assert_uint_eq(count, n);
            ck_assert_uint_eq(n > 0 ? from : at, at);
        }
    }
}

START_TEST(as_flags)
{
    edgefile_extents s = {0};
    bool has[NUMBERS] = {false};

    srand((unsigned)_i + 1);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t first = (uint64_t)rand() % NUMBERS;
        const uint64_t most = (uint64_t)(round < ROUNDS / 2 ? 4 : 40);
        uint64_t end = first + (uint64_t)rand() % most;

        end = end > NUMBERS ? NUMBERS : end;
        ck_assert_int_eq(edgefile_extents_add(&s, first, end), EDGEFILE_OK);
        memset(has + first, true, end - first);
        if (round % 10 == 0) {
            check_set(&s, has);
        }
    }
    check_set(&s, has);
    edgefile_extents_free(&s);
}
END_TEST

TEST_MAIN(io_extents)
{
    TCase *tc = tcase_create("io_extents");

    tcase_add_loop_test(tc, as_flags, 0, 20);
    return run_tests("io_extents", tc);
}
