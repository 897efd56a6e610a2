/*
 * The model of rejection in lockstep (alias/core/rejection.h): the mean number of iterations
 * against exact values, and the best groups.
 */
#include "alias/core/rejection.h"
#include "tests/support/run_suite.h"

static const double rhos[] = {0, 1e-6, 0.01, 0.1288, 0.5, 0.9, 0.99};
static const uint32_t threads[] = {1, 2, 7, 32, 1024};

static double mean(double rho, uint32_t t)
{
    double m = -1;

    ok(alias_rejection_mean(rho, t, &m));
    return m;
}

static void check_near(double got, double want, double relative)
{
    ck_assert_msg(fabs(got - want) <= relative * fabs(want), "%.17g, not %.17g", got, want);
}

/* The mean is the sum over n of the probability of more than n iterations. */
START_TEST(sums)
{
    for (int i = 0; i < COUNT(threads); i++) {
        double sum = 1;

        for (int n = 1; n < 6000; n++) {
            sum -= expm1(threads[i] * log1p(-pow(rhos[_i], n)));
        }
        check_near(mean(rhos[_i], threads[i]), sum, 1e-11);
    }
}

/* The sum over j of (-1)^(j+1) binomial(t, j) / (1 - rho^j), computed with 700 digits. */
START_TEST(means)
{
    static const struct {
        double rho;
        uint32_t threads;
        double mean;
    } known[] = {
        {0.5, 32, 6.3551758451039382},
        {0.25, 2, 1.6},
        {0.99, 32, 404.31687284834123},
        {0.9990234375, 1024, 7686.1406891798168},
        {0.998, 3, 916.24969413843362},
        {0.9995, 2, 2999.7499374847015},
        {0.9995, 5, 4566.0249048378218},
        {0.9999990463256836, 1024, 7873938.1351462835},
        {0.9999990463256836, 2, 1572863.7499998808},
        {0.03125, 1024, 2.664075076121795},
        {0.875, 7, 19.917584820740909},
    };

    for (int i = 0; i < COUNT(known); i++) {
        check_near(mean(known[i].rho, known[i].threads), known[i].mean, 1e-13);
    }
    check_near(mean(0.75, 1), 4, 1e-15);
}

/* The limits of Table 1 agree to the last printed digit. */
START_TEST(best_groups)
{
    static const double limit[] = {12.88, 42.71, 71.70, 88.37, 95.76};
    uint32_t group;

    for (uint32_t i = 0; i < COUNT(limit); i++) {
        ok(alias_rejection_best_group(0.01 * limit[i] - 5e-5, 32, &group, NULL));
        ck_assert_uint_eq(group, 1u << i);
        ok(alias_rejection_best_group(0.01 * limit[i] + 5e-5, 32, &group, NULL));
        ck_assert_uint_eq(group, 2u << i);
    }
}

/* Section 5's example: 32 samples in 404 iterations, or one in 1 / (1 - rho^32) = 3.6. */
START_TEST(rates)
{
    double one, all, speedup;
    uint32_t group;

    ok(alias_rejection_rate(0.99, 32, 1, &one));
    ok(alias_rejection_rate(0.99, 32, 32, &all));
    check_near(one, 32 / mean(0.99, 32), 1e-14);
    check_near(all, 1 - pow(0.99, 32), 1e-13);
    ok(alias_rejection_best_group(0.99, 32, &group, &speedup));
    ck_assert_uint_eq(group, 32);
    check_near(speedup, all / one, 1e-14);
    /* In the limit of rho = 1, a warp that works on one sample wins by the harmonic number. */
    alias_rejection_best_group(1 - 1e-12, 32, &group, &speedup);
    check_near(speedup, 4.0584951954, 1e-9);
    /* A warp of one thread has only one group size. */
    alias_rejection_best_group(0.9, 1, &group, &speedup);
    ck_assert_uint_eq(group, 1);
    ck_assert_double_eq(speedup, 1);
}

START_TEST(errors)
{
    static const double bad[] = {-0.1, 1, 2, NAN};
    double x;
    uint32_t g;

    for (int i = 0; i < 4; i++) {
        gives(ALIAS_ERR_ARG, alias_rejection_mean(bad[i], 32, &x));
        gives(ALIAS_ERR_ARG, alias_rejection_rate(bad[i], 32, 1, &x));
        gives(ALIAS_ERR_ARG, alias_rejection_best_group(bad[i], 32, &g, &x));
    }
    gives(ALIAS_ERR_ARG, alias_rejection_mean(0.5, 0, &x));
    gives(ALIAS_ERR_ARG, alias_rejection_mean(0.5, ALIAS_REJECTION_MAX_THREADS + 1, &x));
    gives(ALIAS_ERR_ARG, alias_rejection_mean(0.5, 1, NULL));
    gives(ALIAS_ERR_ARG, alias_rejection_rate(0.5, 32, 3, &x));
    gives(ALIAS_ERR_ARG, alias_rejection_rate(0.5, 32, 0, &x));
    gives(ALIAS_ERR_ARG, alias_rejection_best_group(0.5, 24, &g, &x));
}

TEST_CASES(rejection, 120, LOOP(sums, 0, COUNT(rhos)), ONCE(means), ONCE(best_groups), ONCE(rates),
           ONCE(errors))
