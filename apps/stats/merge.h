/* rmat stats --merge: the sum of what `rmat generate --statistics --json` printed for ranges. */
#ifndef APPS_STATS_MERGE_H
#define APPS_STATS_MERGE_H

#include <stdbool.h>

bool stats_wants_merge(int argc, char **argv);

/* Returns the exit code. */
int stats_merge(int argc, char **argv);

#endif
