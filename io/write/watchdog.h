/* watchdog.h - ends the job if a call into MPI does not return in time.  Private. */
#ifndef IO_WRITE_WATCHDOG_H
#define IO_WRITE_WATCHDOG_H

#include "io/edgefile.h"

typedef struct edgefile_watchdog edgefile_watchdog;

/* Starts a thread that sleeps.  *out is NULL if the group has no abandon(); stop and set accept
 * that.
 */
int edgefile_watchdog_start(edgefile_watchdog **out, const edgefile_group *group);
void edgefile_watchdog_stop(edgefile_watchdog *dog);

/* Replaces the deadline: group->abandon(detail) is called in so many seconds, rounded up; 0: never.
 */
void edgefile_watchdog_set(edgefile_watchdog *dog, double seconds, const char *detail);

#endif
