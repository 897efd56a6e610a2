/* What the benchmarks share: order statistics, and what a report says about the machine. */
#ifndef APPS_BENCH_UTIL_H
#define APPS_BENCH_UTIL_H

#include "apps/common/json.h"
#include <stddef.h>

typedef struct {
    double min, median, max;
} bench_stats;

/* Minimum, median and maximum of count >= 1 values, which are sorted in place. */
bench_stats bench_summary(double *values, size_t count);

/* Print one JSON object: cpu, cores that this process may use, memory_bytes, kernel, compiler, load
 * (mean number of processes that were running or ready in the last minute), time (UTC). */
void bench_machine_json(FILE *out);

/* The load that other processes put on the machine during a benchmark. */
typedef struct {
    double average; /* the system's load average, or less than 0 */
    double seconds, busy, own;
} bench_load;

enum { BENCH_LOAD_TEXT = 160 };

void bench_load_begin(bench_load *load);

/* Describe, as text and in the JSON object, how many processors other processes kept busy since
 * bench_load_begin(), and the load average at that time. */
void bench_load_end(const bench_load *load, char text[BENCH_LOAD_TEXT], json_object *json);

#endif
