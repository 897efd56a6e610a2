/* The processor that this process runs on. */
#ifndef APPS_COMMON_CPU_H
#define APPS_COMMON_CPU_H

#include <stddef.h>

/* Its name as the manufacturer writes it; "unknown" if the system does not say. */
void cpu_model(char *model, size_t size);

/* The number of physical cores of the machine; at least 1. */
int cpu_cores(void);

/* The number of hardware threads that this process may use; at least 1. */
int cpu_usable(void);

#endif
