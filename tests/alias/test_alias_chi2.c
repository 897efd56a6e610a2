/*
 * Draws follow the masses (chi-squared test), and draws of the same or of neighbouring seeds are
 * pairwise independent.  A planted fault shows that the test would notice a small one.
 */
#include "alias/core/draw.h"
#include "alias/core/table.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static const alias_backend backends[] = {ALIAS_BACKEND_CPU, ALIAS_BACKEND_GPU};
static const int widths[] = {8, 16};

enum { CHUNK = 1 << 20 };

/* The scores of a correct sampler are almost standard normal; a score beyond this is a fault. */
static const double limit = 6;

static void count_draws(const alias_table *table, uint64_t seed, uint64_t draws, uint64_t *count)
{
    static uint32_t out[CHUNK];
    uint64_t first, i;

    for (first = 0; first < draws; first += CHUNK) {
        ck_assert_int_eq(alias_sample32(table, seed, first, CHUNK, out), ALIAS_OK);
        for (i = 0; i < CHUNK; i++) {
            count[out[i]]++;
        }
    }
}

static double score(const alias_table *table, const double *w, uint64_t seed, uint64_t draws)
{
    uint64_t n = alias_size(table);
    int k = alias_log2_capacity(table);
    uint64_t *q = must_alloc(n, sizeof(*q)), *count = must_alloc(n, sizeof(*count));
    double z;

    ck_assert_int_eq(alias_quantize(w, n, k, q, NULL), ALIAS_OK);
    count_draws(table, seed, draws, count);
    z = chi_squared_score(count, q, n, ldexp((double)n, k));
    free(q);
    free(count);
    return z;
}

START_TEST(families)
{
    static const uint64_t sizes[] = {5, 1000, 100000};
    int b, s, r;

    for (b = 0; b < 2; b++) {
        for (s = 0; s < 3; s++) {
            for (r = 0; r < 2; r++) {
                double *w = family_weights(_i, sizes[s]), z;
                alias_table *table =
                    must_create(backends[b], ALIAS_BUILDER_AUTO, widths[r], 0, 0, w, sizes[s]);

                if (table != NULL) {
                    z = score(table, w, (uint64_t)(100 * s + r), 2 * CHUNK);
                    ck_assert_msg(fabs(z) < limit, "%s, n %llu: %g", family_name(_i),
                                  (unsigned long long)sizes[s], z);
                    alias_destroy(table);
                }
                free(w);
            }
        }
    }
}
END_TEST

/* Moving one threshold of four by 2^-10 of a bucket is noticed. */
START_TEST(corrupted)
{
    const double w[4] = {1, 2, 3, 4};
    const uint64_t draws = (uint64_t)64 << 20;
    alias_table *table =
        must_create(ALIAS_BACKEND_CPU, ALIAS_BUILDER_SWEEP, widths[_i], 0, 0, w, 4);

    ck_assert_double_lt(fabs(score(table, w, 1, draws)), limit);
    if (widths[_i] == 8) {
        ((alias_row8 *)table->rows)[0].threshold += 1u << 22;
    } else {
        ((alias_row16 *)table->rows)[0].threshold += (uint64_t)1 << (table->k - 10);
    }
    ck_assert_double_gt(score(table, w, 1, draws), limit);
    alias_destroy(table);
}
END_TEST

/* Draws t and t + lag, and draws t of neighbouring seeds, counted in the cells of an 8 x 8 table.
 */
START_TEST(pairs)
{
    const double w[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    static uint32_t out[2][CHUNK];
    static const int lags[] = {1, 2, 3, 0};
    int b, l;

    for (b = 0; b < 2; b++) {
        alias_table *table = must_create(backends[b], ALIAS_BUILDER_AUTO, widths[_i], 0, 0, w, 8);

        for (l = 0; table != NULL && l < 4; l++) {
            uint64_t count[64] = {0}, q[64], round, i;
            double z;

            for (i = 0; i < 64; i++) {
                q[i] = (uint64_t)(w[i / 8] * w[i % 8]);
            }
            for (round = 0; round < 16; round++) {
                alias_sample32(table, 5, round * CHUNK, CHUNK, out[0]);
                alias_sample32(table, lags[l] != 0 ? 5 : 6, round * CHUNK + (uint64_t)lags[l],
                               CHUNK, out[1]);
                for (i = 0; i < CHUNK; i++) {
                    count[8 * out[0][i] + out[1][i]]++;
                }
            }
            z = chi_squared_score(count, q, 64, 400);
            ck_assert_msg(fabs(z) < limit, "lag %d: %g", lags[l], z);
        }
        alias_destroy(table);
    }
}
END_TEST

TEST_MAIN(alias_chi2)
{
    Suite *suite = suite_create("alias_chi2");
    TCase *tc = tcase_create("alias_chi2");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, families, 0, FAMILIES);
    tcase_add_loop_test(tc, corrupted, 0, 2);
    tcase_add_loop_test(tc, pairs, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
