/* The tail probabilities that the statistical tests use, against values computed to 30 digits. */
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

static void assert_close(double got, double want)
{
    ck_assert_msg(fabs(got - want) <= 1e-8 * want, "%.17g for %.17g", got, want);
}

START_TEST(chi2_tail_values)
{
    static const struct {
        double x, degrees, tail;
    } known[] = {
        {10.827566170662733, 1, 1e-3},         {23.92812697687947, 1, 1.00000000002876e-6},
        {1200, 3, 7.33167159155068e-260},      {18.307038053275146, 10, 0.05},
        {49.58663, 10, 3.17925983911895e-7},   {300, 63, 1.43495029372718e-32},
        {149.44925, 100, 1.00000050814867e-3}, {4000, 4095, 0.85327608540238},
        {4600, 4095, 3.86518489781278e-8},     {5000, 4095, 4.25288411095622e-21},
    };

    for (int i = 0; i < COUNT(known); i++) {
        assert_close(stats_chi2_tail(known[i].x, known[i].degrees), known[i].tail);
    }
    for (double x = 0.25; x < 600.0; x *= 1.5) { /* closed forms */
        assert_close(stats_chi2_tail(x, 1), erfc(sqrt(x / 2)));
        assert_close(stats_chi2_tail(x, 2), exp(-x / 2));
        assert_close(stats_chi2_tail(x, 4), exp(-x / 2) * (1 + x / 2));
    }
    ck_assert(stats_chi2_tail(0.0, 3) == 1.0);
}

START_TEST(poisson_tail_values)
{
    assert_close(stats_poisson_tail(0, 20), 2.06115362243856e-9);
    assert_close(stats_poisson_tail(25, 1.6), 1.7579144569411e-21);
    assert_close(stats_poisson_tail(34, 10), 2.14379951310046e-9);
    assert_close(stats_poisson_tail(3, 40), 4.88886446518105e-14);
    assert_close(stats_poisson_tail(1006000, 1e6), 1.02570886579091e-9);
    assert_close(stats_poisson_tail(999000, 1e6), 0.158776299811726);
}

START_TEST(fit_sees_each_kind_of_misfit)
{
    const double p[4] = {0.5, 0.25, 0.25 - 1e-6, 1e-6};
    const double with_zero[3] = {0.5, 0.5, 0.0};
    const uint64_t fair[4] = {500000, 250000, 249999, 1}, shifted[4] = {503000, 248500, 248499, 1};
    const uint64_t rare[4] = {500000, 250000, 249980, 20}, one_too_many[3] = {500, 499, 1};

    ck_assert(stats_fit(fair, p, 4, 1000000) > 0.5);
    ck_assert(stats_fit(shifted, p, 4, 1000000) < 1e-6);
    ck_assert(stats_fit(rare, p, 4, 1000000) < 1e-15); /* in a cell too rare for chi-squared */
    ck_assert(stats_fit(one_too_many, with_zero, 3, 1000) == 0.0);
}

START_TEST(binomial_sigmas_values)
{
    ck_assert(fabs(stats_binomial_sigmas(550, 1000, 0.5) - 50 / sqrt(250)) < 1e-12);
    ck_assert(stats_binomial_sigmas(1000, 1000, 1.0) == 0.0);
    ck_assert(isinf(stats_binomial_sigmas(999, 1000, 1.0)));
}

TEST_CASES(rmat_stat_tail, 0, ONCE(chi2_tail_values), ONCE(poisson_tail_values),
           ONCE(fit_sees_each_kind_of_misfit), ONCE(binomial_sigmas_values))
