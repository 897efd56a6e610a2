/* watchdog.h - ends the job where a call into MPI does not come back.  Private. */
#ifndef IO_WRITE_WATCHDOG_H
#define IO_WRITE_WATCHDOG_H

#include "io/edgefile.h"

typedef struct edgefile_watchdog edgefile_watchdog;

/* A sleeping thread.  *out stays NULL where the group cannot abandon; the others take that. */
int edgefile_watchdog_start(edgefile_watchdog **out, const edgefile_group *group);
void edgefile_watchdog_stop(edgefile_watchdog *dog);

/* From now on, group->abandon(detail) after so many seconds, rounded up; 0: never.  In place of
 * what was set before. */
void edgefile_watchdog_set(edgefile_watchdog *dog, double seconds, const char *detail);

#endif
