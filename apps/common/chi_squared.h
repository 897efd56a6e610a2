/* Pearson's chi-squared test: do the numbers of edges in the cells of a partition fit their
 * probabilities? */
#ifndef APPS_COMMON_CHI_SQUARED_H
#define APPS_COMMON_CHI_SQUARED_H

/* Expected edges in a cell from which on chi-squared is close to its distribution. */
#define CHI_LEAST_EXPECTED 1000.0

typedef struct {
    double expected, found; /* numbers; of the whole partition, with the same sum */
} chi_cell;

typedef struct {
    int cells;     /* that were compared, and one more than the degrees of freedom; 0: too few
                      edges for a test */
    double x;      /* chi-squared: the sum of (found - expected)^2 / expected */
    double chance; /* of so large a value or a larger one, if the probabilities are right */
    int merged;    /* cells that can be hit, less those that they were put together to */
} chi_result;

/* Cells of which fewer than `least` are expected are put together, in the caller's array.  If one
 * that cannot be hit was, chi-squared is infinite and the chance 0. */
chi_result chi_squared(chi_cell *cells, int count, double least);

/* The chance that chi-squared with df degrees of freedom, 1 or more, is x or larger. */
double chi_squared_chance(double x, int df);

#endif
