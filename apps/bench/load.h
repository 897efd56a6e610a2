/* The load that other processes put on the machine during a benchmark. */
#ifndef APPS_BENCH_LOAD_H
#define APPS_BENCH_LOAD_H

#include "apps/common/json.h"

enum { BENCH_LOAD_TEXT = 160 };

typedef struct {
    double average; /* the system's load average, or less than 0 */
    double seconds, busy, own;
} bench_load;

void bench_load_begin(bench_load *load);

/* Describe, as text and in the JSON object, how many processors other processes kept busy since
 * bench_load_begin(), and the load average at that time. */
void bench_load_end(const bench_load *load, char text[BENCH_LOAD_TEXT], json_object *json);

#endif
