/* The processor that this process runs on. */
#ifndef APPS_COMMON_CPU_H
#define APPS_COMMON_CPU_H

#include <stddef.h>

void cpu_model(char *model, size_t size); /* "unknown" where the system does not say */
int cpu_cores(void);                      /* of the machine, at least 1 */
int cpu_usable(void);                     /* hardware threads that this process may use */

#endif
