/* Tail probabilities by the incomplete gamma function: its series where that converges fast, else
 * its continued fraction (by Lentz), so that small tails keep their relative precision on either
 * side. */
#include "tests/support/stats.h"

#include <math.h>

#define MIN_EXPECTED 20.0

typedef struct {
    double lower, upper;
} tails;

static tails gamma_tails(double a, double x)
{
    double factor;
    tails t = {0.0, 1.0};

    if (x <= 0.0) {
        return t;
    }
    factor = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;

        for (double k = a + 1.0; term > sum * 1e-17; k++) {
            term *= x / k;
            sum += term;
        }
        t.lower = fmin(1.0, factor * sum);
        t.upper = 1.0 - t.lower;
    } else {
        double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d, change = 0.0;

        for (double k = 1.0; fabs(change - 1.0) > 1e-15; k++) {
            double n = -k * (k - a);

            b += 2.0;
            d = 1.0 / (n * d + b);
            c = b + n / c;
            change = c * d;
            h *= change;
        }
        t.upper = fmin(1.0, factor * h);
        t.lower = 1.0 - t.upper;
    }
    return t;
}

double stats_chi2_tail(double x, double degrees)
{
    return gamma_tails(degrees / 2.0, x / 2.0).upper;
}

double stats_poisson_tail(uint64_t seen, double mean)
{
    double at_most = gamma_tails((double)seen + 1.0, mean).upper;
    double at_least = seen ? gamma_tails((double)seen, mean).lower : 1.0;

    return fmin(at_most, at_least);
}

double stats_fit(const uint64_t *seen, const double *probability, size_t cells, uint64_t n)
{
    double chi2 = 0.0, pool_expected = 0.0, pool_seen = 0.0, worst = 1.0, fit = 1.0;
    size_t terms = 0;

    for (size_t i = 0; i < cells; i++) {
        double p = probability ? probability[i] : 1.0 / (double)cells;
        double expected = p * (double)n, off = (double)seen[i] - expected;

        if (p == 0.0 && seen[i]) {
            return 0.0;
        }
        if (expected < MIN_EXPECTED) {
            pool_expected += expected;
            pool_seen += (double)seen[i];
        } else {
            chi2 += off * off / expected;
            terms++;
        }
        if (off * off > 16.0 * expected) {
            worst = fmin(worst, stats_poisson_tail(seen[i], expected));
        }
    }
    if (pool_expected >= MIN_EXPECTED) {
        chi2 += (pool_seen - pool_expected) * (pool_seen - pool_expected) / pool_expected;
        terms++;
    } else if (pool_expected > 0.0) {
        worst = fmin(worst, stats_poisson_tail((uint64_t)pool_seen, pool_expected));
    }
    if (terms > 1) {
        fit = stats_chi2_tail(chi2, (double)(terms - 1));
    }
    return fmin(1.0, 2.0 * fmin(fit, 2.0 * worst * (double)cells));
}
