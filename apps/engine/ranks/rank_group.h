/* The ranks of the job as edgefile.h wants them, and their names in messages. */
#ifndef APPS_ENGINE_RANKS_RANK_GROUP_H
#define APPS_ENGINE_RANKS_RANK_GROUP_H

#include "io/edgefile.h"

/* For graphfile_create(); NULL for a lone process.  Not collective.  tell, or NULL, is called
 * before this process ends because another rank is gone.  timeout: as for dist_run(). */
const edgefile_group *rank_group(void (*tell)(const char *text), double timeout);

/* A text that says which rank it is about: "rank 2 on host X: ..."; not for a lone process. */
void rank_name(char *text, size_t size);

#endif
