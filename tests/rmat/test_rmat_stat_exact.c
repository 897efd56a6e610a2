/*
 * Exactness: the probability that a table of full thresholds gives to each of its 4096 paths, added
 * up in integers, against the product of the path's matrix entries in extended precision.  No
 * number of draws could reveal errors this small.  And the tail probabilities of the statistical
 * tests, against values computed to 30 digits.
 */
#include "rmat/model/generator.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define LIMIT 0x1p-55L /* STREAM.md, "Accuracy" */

typedef unsigned __int128 mass_sum; /* in units of 2^-76 */

static uint32_t row_alias(const rmat_view *v, int g, unsigned row)
{
    return v->fast[g][row] & RMAT_PATH_MASK;
}

static void path_masses(const rmat_view *v, int g, mass_sum mass[RMAT_GROUP_PATHS])
{
    const mass_sum bucket = (mass_sum)1 << 64;

    for (unsigned row = 0; row < RMAT_GROUP_PATHS; row++) {
        mass[row] = 0;
    }
    for (unsigned row = 0; row < RMAT_GROUP_PATHS; row++) {
        uint32_t alias = row_alias(v, g, row);
        mass_sum own = alias == row ? bucket : v->full[g][row];

        mass[row] += own;
        mass[alias] += bucket - own;
    }
}

/* Of the six levels of group g; those beyond the last level repeat it. */
static void exact_products(const stat_model *m, int g, long double exact[RMAT_GROUP_PATHS])
{
    for (unsigned path = 0; path < RMAT_GROUP_PATHS; path++) {
        exact[path] = 1.0L;
        for (int i = 0; i < RMAT_GROUP_LEVELS; i++) {
            int level = 6 * g + i < m->scale ? 6 * g + i : m->scale - 1;
            const rmat_matrix *x = &m->level[level];
            const double quadrant[2][2] = {{x->a, x->b}, {x->c, x->d}};
            long double sum = (long double)x->a + x->b + x->c + x->d;

            exact[path] *= quadrant[path >> (11 - i) & 1][path >> (5 - i) & 1] / sum;
        }
    }
}

/* Error over its limit, at worst. */
static long double worst_error(const stat_model *m, const rmat_view *v)
{
    static long double exact[RMAT_GROUP_PATHS];
    static mass_sum mass[RMAT_GROUP_PATHS];
    long double worst = 0.0L;

    for (int g = 0; g < v->groups; g++) {
        exact_products(m, g, exact);
        path_masses(v, g, mass);
        for (unsigned path = 0; path < RMAT_GROUP_PATHS; path++) {
            long double error = fabsl(ldexpl((long double)mass[path], -76) - exact[path]) / LIMIT;

            worst = error > worst ? error : worst;
            if (exact[path] == 0.0L) {
                ck_assert(mass[path] == 0);
            }
        }
    }
    return worst;
}

/* Entries over power orders of magnitude. */
static rmat_matrix random_matrix(uint64_t *state, double power)
{
    double p[4], sum = 0.0;

    for (int q = 0; q < 4; q++) {
        p[q] = exp(-power * next_unit(state));
        sum += p[q];
    }
    return (rmat_matrix){p[0] / sum, p[1] / sum, p[2] / sum, p[3] / sum};
}

static void assert_exact(stat_model m, const char *name)
{
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 0, 1);
    long double worst = worst_error(&m, &gen->view);

    ck_assert_msg(worst <= 1.0L, "%s: off by %.3Lf times the limit", name, worst);
}

START_TEST(given_matrices)
{
    static const rmat_matrix matrices[] = {
        {0.57, 0.19, 0.19, 0.05},
        {0.25, 0.25, 0.25, 0.25},
        {0.45, 0.22, 0.22, 0.11},
        {0.1, 0.2, 0.3, 0.4},
        {1.0, 0.0, 0.0, 0.0},
        {0.0, 0.5, 0.5, 0.0},
        {0.0, 0.3, 0.0, 0.7},
        {0.9, 0.05, 0.03, 0.02},
        {0.99, 0.005, 0.003, 0.002},
        {0.999999, 2e-7, 3e-7, 5e-7},
        {1e-300, 0.3, 0.7, 1e-300},
        {1e-9, 1e-12, 1e-15, 1.0 - 1e-9},
        {0.57, 0.19, 0.19, 0.05 + 9e-10}, /* as far from 1 as is allowed */
    };

    for (int i = 0; i < COUNT(matrices); i++) {
        char name[128];

        snprintf(name, sizeof name, "%.17g %.17g %.17g %.17g", matrices[i].a, matrices[i].b,
                 matrices[i].c, matrices[i].d);
        assert_exact(stat_model_same(20, matrices[i]), name);
    }
}

START_TEST(random_levels)
{
    uint64_t state = 42;

    for (int i = 0; i < 20; i++) {
        static const double powers[] = {1, 3, 10, 30};
        stat_model m = {SQUARE(62), .scale = 62};
        char name[32];

        for (int level = 0; level < m.scale; level++) {
            m.level[level] = random_matrix(&state, powers[i % 4]);
        }
        snprintf(name, sizeof name, "random model %d", i);
        assert_exact(m, name);
    }
}

/* Another quadrant is impossible at each level. */
START_TEST(impossible_by_level)
{
    stat_model m = stat_model_same(62, (rmat_matrix){0});

    for (int l = 0; l < m.scale; l++) {
        double p[4] = {0.33, 0.33, 0.33, 0.33};

        p[(l * 7 + l / 6) % 4] = 0.0;
        p[(l * 7 + l / 6 + 1) % 4] += 0.01;
        m.level[l] = (rmat_matrix){p[0], p[1], p[2], p[3]};
    }
    assert_exact(m, "impossible by level");
}

/* Groups share a table only if all their matrices are equal. */
START_TEST(groups_that_differ_in_two_entries)
{
    for (int level = 6; level < 12; level++) {
        for (int i = 0; i < 4; i++) {
            for (int j = i + 1; j < 4; j++) {
                double p[4] = {0.4, 0.3, 0.2, 0.1};
                stat_model m = stat_model_same(12, (rmat_matrix){p[0], p[1], p[2], p[3]});

                p[i] += 0.0625;
                p[j] -= 0.0625;
                m.level[level] = (rmat_matrix){p[0], p[1], p[2], p[3]};
                assert_exact(m, "second group");
            }
        }
    }
}

/* What the vector kernels compare with is the top of the full thresholds. */
START_TEST(fast_rows_are_the_top_of_the_full_ones)
{
    stat_model m = stat_model_distinct(62, 62, 0);
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 0, 1);

    for (int g = 0; g < gen->view.groups; g++) {
        for (unsigned row = 0; row < RMAT_GROUP_PATHS; row++) {
            ck_assert_uint_eq(gen->view.fast[g][row] >> 12, gen->view.full[g][row] >> 44);
        }
    }
}

/* Any single threshold off by 2^-10 of its bucket, up or down, is seen. */
START_TEST(one_threshold_off_is_caught)
{
    stat_model m = stat_model_same(6, (rmat_matrix){0.57, 0.19, 0.19, 0.05});
    static long double exact[RMAT_GROUP_PATHS];
    static mass_sum mass[RMAT_GROUP_PATHS];
    scoped(rmat_destroy) rmat_gen *gen = stat_create(&m, 0, 1);

    exact_products(&m, 0, exact);
    for (unsigned row = 0; row < RMAT_GROUP_PATHS; row++) {
        uint64_t *threshold = (uint64_t *)gen->view.full[0] + row, kept = *threshold;
        const uint64_t step = UINT64_C(1) << 54;

        if (row_alias(&gen->view, 0, row) == row) {
            continue;
        }
        *threshold += kept < UINT64_MAX - step ? step : -step;
        path_masses(&gen->view, 0, mass);
        ck_assert(fabsl(ldexpl((long double)mass[row], -76) - exact[row]) > 1e6L * LIMIT);
        *threshold = kept;
    }
}

/* --- The statistics --- */

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

TEST_CASES(rmat_stat_exact, 60, ONCE(given_matrices), ONCE(random_levels),
           ONCE(impossible_by_level), ONCE(groups_that_differ_in_two_entries),
           ONCE(fast_rows_are_the_top_of_the_full_ones), ONCE(one_threshold_off_is_caught),
           ONCE(chi2_tail_values), ONCE(poisson_tail_values), ONCE(fit_sees_each_kind_of_misfit))
