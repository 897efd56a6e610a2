/* group.h - collective calls of the processes that write one file together.  Private.
 *
 * A caller does not hold the lock of edgefile_hdf5_begin(). Without a group (NULL) agree returns
 * its status, broadcast and sum do nothing, and the others may not be called. */
#ifndef IO_GROUP_H
#define IO_GROUP_H

#include "io/status.h"

#include <stdbool.h>

int edgefile_group_check(const edgefile_group *group);

/* Returns 0 if all processes pass 0, else the status of one that failed, with its message.  A
 * failure that all processes have agreed on before is returned as it is. */
int edgefile_group_agree(const edgefile_group *group, int status);

void edgefile_group_sum(const edgefile_group *group, uint64_t *values, size_t count);
void edgefile_group_broadcast(const edgefile_group *group, void *data, size_t bytes);

/* Sends `mine` of each process to all[group->size], in the order of ranks. */
void edgefile_group_gather(const edgefile_group *group, uint64_t mine, uint64_t *all);

/* Adds up `mine` over the lower ranks, and over all ranks.  EDGEFILE_ERR_NOMEM on all processes:
 * the message begins with the name. */
int edgefile_group_share(const edgefile_group *group, const char *name, uint64_t mine,
                         uint64_t *before, uint64_t *all);

/* Whether this is process 0, or the only one. */
static inline bool edgefile_group_leads(const edgefile_group *group)
{
    return group == NULL || group->rank == 0;
}

/* Checks that the other processes see the file that process 0 made.  It writes a token of random
 * bytes at the beginning of the file and sends it to the others, which look for it there. */
typedef struct {
    char bytes[16];
} edgefile_token;
int edgefile_token_write(const char *path, edgefile_token *token);
int edgefile_token_check(int rank, const char *path, const edgefile_token *token);

#endif
