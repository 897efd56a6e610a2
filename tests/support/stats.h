/*
 * stats.h - goodness of fit for the tests: the improbability of counts under given probabilities.
 * Tests use fixed seeds, so a verdict never changes from run to run.
 */
#ifndef TESTS_SUPPORT_STATS_H
#define TESTS_SUPPORT_STATS_H

#include <stddef.h>
#include <stdint.h>

/* A check fails if its p-value, corrected for the number of its comparisons, is below this. */
#define STATS_ALPHA 1e-6

/* P(X >= x) of a chi-squared variable. */
double stats_chi2_tail(double x, double degrees);

/* The smaller of P(X <= seen) and P(X >= seen) of a Poisson variable. */
double stats_poisson_tail(uint64_t seen, double mean);

/*
 * p-value of seen[0..cells), n in all, against probability[0..cells), or NULL if all are equal.  It
 * is twice the smaller of two p-values, at most 1.  One is that of Pearson's chi-squared (cells
 * expected fewer than 20 times are pooled).  The other is that of the least likely cell (Poisson
 * tails, Bonferroni-corrected).  0 if a cell of probability 0 was seen.
 */
double stats_fit(const uint64_t *seen, const double *probability, size_t cells, uint64_t n);

#endif
