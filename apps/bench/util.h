/* What the benchmarks share: a clock, order statistics, the machine's description.  For one thread.
 */
#ifndef APPS_BENCH_UTIL_H
#define APPS_BENCH_UTIL_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    double min, median, max;
} bench_stats;

/* Seconds on a monotonic clock. */
double bench_now(void);

/* Minimum, median and maximum of count >= 1 values, which are sorted in place. */
bench_stats bench_summary(double *values, size_t count);

/* Print one JSON object: cpu, cores that this process may use, memory_bytes, kernel, compiler, load
 * (mean number of processes that were running or ready in the last minute), time (UTC). */
void bench_machine_json(FILE *out);

#endif
