/* Order statistics, the description of the machine, and the load that other processes put on it,
 * from /proc/stat and this process's own time. */
#include "apps/bench/util.h"
#include "apps/common/clock.h"
#include "apps/common/devices.h"
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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

/* Processor seconds that all processes have used since the system started, without time spent
 * waiting; less than 0 if the system does not say. */
static double busy_seconds(void)
{
    FILE *file = fopen("/proc/stat", "r");
    double user, nice_user, kernel, idle, waiting, irq, softirq, busy = -1;

    if (file == NULL) {
        return -1;
    }
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf", &user, &nice_user, &kernel, &idle, &waiting,
               &irq, &softirq) == 7) {
        busy = (user + nice_user + kernel + irq + softirq) / (double)sysconf(_SC_CLK_TCK);
    }
    fclose(file);
    return busy;
}

static double own_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

void bench_load_begin(bench_load *load)
{
    if (getloadavg(&load->average, 1) != 1) {
        load->average = -1;
    }
    load->seconds = clock_seconds();
    load->busy = busy_seconds();
    load->own = own_seconds();
}

void bench_load_end(const bench_load *load, char text[BENCH_LOAD_TEXT], json_object *json)
{
    double busy = busy_seconds(), others;
    int used = 0;

    text[0] = '\0';
    if (load->average >= 0) {
        used = snprintf(text, BENCH_LOAD_TEXT, "load %.2f at the start", load->average);
        json_f64(json, "load_at_start", load->average);
    }
    if (load->busy >= 0 && busy >= 0) {
        others =
            (busy - load->busy - (own_seconds() - load->own)) / (clock_seconds() - load->seconds);
        others = others > 0 ? others : 0;
        snprintf(text + used, BENCH_LOAD_TEXT - (size_t)used,
                 "%sothers kept %.2f processors busy meanwhile%s", used > 0 ? ", " : "", others,
                 others > 0.2 ? ", which lowers the figures" : "");
        json_f64(json, "others_busy_processors", others);
    }
}
