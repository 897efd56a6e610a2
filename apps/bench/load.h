/* What else ran meanwhile. */
#ifndef APPS_BENCH_LOAD_H
#define APPS_BENCH_LOAD_H

#include "apps/common/json.h"

enum { BENCH_LOAD_TEXT = 160 };

typedef struct {
    double average; /* the system's load average, or less than 0 */
    double seconds, busy, own;
} bench_load;

void bench_load_begin(bench_load *load);

/* Says how many processors everybody else kept busy since, and the load average at the start. */
void bench_load_end(const bench_load *load, char text[BENCH_LOAD_TEXT], json_object *json);

#endif
