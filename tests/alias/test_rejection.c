/*
 * The model of rejection in lockstep (alias/core/rejection.h): the mean number of iterations
 * against exact values, and the best groups.  The paper's other formulas
 * (apps/bench_alias/rejection.h): the distribution, and Table 1.
 */
#include "apps/bench_alias/rejection.h"
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

/* Probabilities add up to (1 - rho^n)^t, to 1, and to the mean. */
START_TEST(sums)
{
    for (int i = 0; i < COUNT(threads); i++) {
        double rho = rhos[_i], sum = 0, first = 0;

        ck_assert_double_eq(rejection_probability(rho, threads[i], 0), 0);
        for (uint64_t n = 1; n < 6000; n++) {
            double p = rejection_probability(rho, threads[i], n);

            ck_assert(p >= 0);
            sum += p;
            first += (double)n * p;
            check_near(sum, exp(threads[i] * log1p(-pow(rho, (double)n))), 1e-12);
        }
        check_near(sum, 1, 1e-12);
        check_near(mean(rho, threads[i]), first, 1e-11);
    }
}

/* Small probabilities are accurate: far out they are t rho^(n-1) (1 - rho). */
START_TEST(tail)
{
    check_near(rejection_probability(0.5, 32, 301), 32 * ldexp(1, -301), 1e-14);
    check_near(rejection_probability(0.25, 1, 3), 0.75 / 16, 1e-15);
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

/* The error of Eq. 17 for a full warp: 0.02 % below its seam, 14 % just beyond, 5.5 % from 0.065 on
 * and 2.8 % from 0.5 on (as in Fig. 5). */
START_TEST(approximation)
{
    const double seam = exp2(1.0 / 32) - 1;
    double m;

    for (int i = 1; i < 1000; i++) {
        double rho = 0.001 * i, limit;

        m = rejection_mean_approximate(rho, 32);
        limit = rho < seam ? 0.0003 : rho < 0.065 ? 0.14 : rho < 0.5 ? 0.055 : 0.028;
        ck_assert_msg(fabs(m / mean(rho, 32) - 1) < limit, "rho %g: %g", rho, m);
    }
    m = rejection_mean_approximate(seam + 1e-9, 32);
    ck_assert_double_gt(m / mean(seam + 1e-9, 32), 1.13);
    /* The seam is where one iteration is as likely as two. */
    check_near(rejection_probability(seam, 32, 1), rejection_probability(seam, 32, 2), 1e-12);
    m = rejection_mean_approximate(0.5, 32);
    check_near(m, 1 + log(32 / log(2)) / log(2), 1e-14);
    m = rejection_mean_approximate(0.01, 32);
    check_near(m, 3 - pow(0.99, 32) - pow(0.9999, 32), 1e-14);
}

/*
 * Table 1.  The limits agree to the last printed digit ("1" for 100 % in the last line), and so do
 * the speedups as ratios of average rates, except for the last one: the paper's 2.65 is the average
 * up to about rho = 0.99, where its figure ends, and the value for the whole range is 2.70.
 */
START_TEST(table)
{
    static const double limit[] = {12.88, 42.71, 71.70, 88.37, 95.76, 100};
    static const double speedup[] = {1, 1.01, 1.14, 1.39, 1.84, 2.70};
    rejection_line lines[6];
    double low, high;
    uint32_t group;

    rejection_table(32, lines);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(lines[i].group, 1u << i);
        ck_assert_double_le(fabs(100 * lines[i].max_rho - limit[i]), 0.005);
        ck_assert_double_le(fabs(lines[i].average_speedup - speedup[i]), 0.005);
    }
    for (uint32_t i = 0; i < 5; i++) {
        ok(alias_rejection_rate(lines[i].max_rho, 32, 1u << i, &low));
        ok(alias_rejection_rate(lines[i].max_rho, 32, 2u << i, &high));
        check_near(low, high, 1e-13);
        alias_rejection_best_group(lines[i].max_rho - 1e-9, 32, &group, NULL);
        ck_assert_uint_eq(group, 1u << i);
        alias_rejection_best_group(lines[i].max_rho + 1e-9, 32, &group, NULL);
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

TEST_CASES(rejection, 120, LOOP(sums, 0, COUNT(rhos)), ONCE(tail), ONCE(means), ONCE(approximation),
           ONCE(table), ONCE(rates), ONCE(errors))
