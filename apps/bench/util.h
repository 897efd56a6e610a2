/* What the benchmarks share: a clock, order statistics, JSON pieces.  For one thread. */
#ifndef APPS_BENCH_UTIL_H
#define APPS_BENCH_UTIL_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    double min, median, max;
} bench_stats;

/* Seconds on a monotonic clock. */
double bench_now(void);

/* Of count >= 1 values; sorts them. */
bench_stats bench_summary(double *values, size_t count);

/* A JSON string with its quotes. */
void bench_json_string(FILE *out, const char *text);

/* One JSON object: cpu, cores this process may use, memory, kernel, compiler, load (processes that
 * ran or wanted to in the last minute), time (UTC). */
void bench_machine_json(FILE *out);

#endif
