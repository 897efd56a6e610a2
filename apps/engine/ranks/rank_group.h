/* The ranks of the job as edgefile.h wants them, and their names in messages. */
#ifndef APPS_ENGINE_RANKS_RANK_GROUP_H
#define APPS_ENGINE_RANKS_RANK_GROUP_H

#include "io/edgefile.h"

/* For edgefile_create(); NULL for a lone process.  Not collective.  command: as in message.h;
 * timeout: as for dist_run(). */
const edgefile_group *rank_group(const char *command, double timeout);

/* A text that says which rank it is about: "rank 2 on host X: ..."; not for a lone process. */
void rank_name(char *text, size_t size);

#endif
