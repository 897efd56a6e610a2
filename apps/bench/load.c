/* The load of the machine during a benchmark, from /proc/stat and the process's own time. */
#include "apps/bench/load.h"
#include "apps/common/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Processor seconds of everybody since the start of the system, without waiting; less than 0 where
 * it is not told. */
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
