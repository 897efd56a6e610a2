/* The processor as Linux describes it: /proc/cpuinfo, /sys/devices/system/cpu, and affinity. */
#include "apps/common/cpu.h"
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first "model name" of /proc/cpuinfo. */
void cpu_model(char *model, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];

    snprintf(model, size, "unknown");
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        char *value = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value[strcspn(value, "\n")] = '\0';
            for (value++; isspace((unsigned char)*value); value++) {
            }
            snprintf(model, size, "%s", value);
            break;
        }
    }
    fclose(file);
}

/* The number of hardware threads that are the first of their core. */
int cpu_cores(void)
{
    long threads = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);
    int cores = 0;

    for (long i = 0; i < threads; i++) {
        char name[96];
        long first;
        FILE *file;

        snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%ld/topology/thread_siblings_list",
                 i);
        file = fopen(name, "r");
        if (file != NULL) {
            cores += fscanf(file, "%ld", &first) == 1 && first == i;
            fclose(file);
        }
    }
    return cores > 0 ? cores : online > 0 ? (int)online : 1;
}

int cpu_usable(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : (int)n;
}
