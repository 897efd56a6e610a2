/* Order statistics of a few measurements. */
#ifndef APPS_BENCH_SUMMARY_H
#define APPS_BENCH_SUMMARY_H

#include <stdlib.h>

typedef struct {
    double min, median, max;
} bench_stats;

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Minimum, median and maximum of count >= 1 values, which are sorted in place. */
static inline bench_stats bench_summary(double *values, size_t count)
{
    qsort(values, count, sizeof *values, bench_compare);
    return (bench_stats){values[0], 0.5 * (values[(count - 1) / 2] + values[count / 2]),
                         values[count - 1]};
}

#endif
