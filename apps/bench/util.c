/* A clock, order statistics, and the description of the machine in a report. */
#include "apps/bench/util.h"
#include "apps/common/cpu.h"
#include "apps/common/json.h"
#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

bench_stats bench_summary(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return (bench_stats){values[0], 0.5 * (values[(count - 1) / 2] + values[count / 2]),
                         values[count - 1]};
}

void bench_machine_json(FILE *out)
{
    struct utsname system = {.release = "unknown"};
    time_t now = time(NULL);
    double load = 0;
    char text[512];
    json_object o;

    uname(&system);
    cpu_model(text, sizeof(text));
    json_begin(&o, out);
    json_string(&o, "cpu", text);
    json_u64(&o, "cores", (uint64_t)cpu_usable());
    json_u64(&o, "memory_bytes",
             (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    json_string(&o, "kernel", system.release);
#ifdef __clang__
    json_string(&o, "compiler", "clang " __clang_version__);
#else
    json_string(&o, "compiler", "gcc " __VERSION__);
#endif
    if (getloadavg(&load, 1) == 1) {
        json_f64(&o, "load", round(100 * load) / 100);
    }
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    json_string(&o, "time", text);
    json_object_end(&o);
}
