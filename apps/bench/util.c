#include "apps/bench/util.h"
#include "apps/common/cpu.h"

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

void bench_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if ((unsigned char)*text < 0x20) {
            fprintf(out, "\\u%04x", (unsigned char)*text);
        } else {
            fputc(*text, out);
        }
    }
    fputc('"', out);
}

void bench_machine_json(FILE *out)
{
    struct utsname system = {.release = "unknown"};
    time_t now = time(NULL);
    double load = 0;
    char text[512];

    uname(&system);
    cpu_model(text, sizeof(text));
    fprintf(out, "{\"cpu\": ");
    bench_json_string(out, text);
    fprintf(out, ", \"cores\": %d", cpu_usable());
    fprintf(out, ", \"memory_bytes\": %.0f",
            (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
    fprintf(out, ", \"kernel\": ");
    bench_json_string(out, system.release);
#ifdef __clang__
    fprintf(out, ", \"compiler\": \"clang %s\"", __clang_version__);
#else
    fprintf(out, ", \"compiler\": \"gcc %s\"", __VERSION__);
#endif
    if (getloadavg(&load, 1) == 1) {
        fprintf(out, ", \"load\": %.2f", load);
    }
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(out, ", \"time\": \"%s\"}", text);
}
