/* group.c - calls the callbacks of the processes that write one graph together. */
#include "io/private.h"

#include <string.h>

int edgefile_group_check(const edgefile_group *group)
{
    if (group == NULL) {
        return EDGEFILE_OK;
    }
    if (group->size < 1 || group->rank < 0 || group->rank >= group->size) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "process %d of a group of %d", group->rank,
                             group->size);
    }
    if (group->broadcast == NULL || group->sum == NULL || group->agree == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the group lacks a callback");
    }
    return EDGEFILE_OK;
}

int edgefile_group_agree(const edgefile_group *group, int status)
{
    char text[1024] = "";

    if (group == NULL) {
        return status;
    }
    if (status != EDGEFILE_OK) {
        strncpy(text, edgefile_detail(), sizeof text - 1);
    }
    status = group->agree(group->state, status, text, sizeof text);
    return status == EDGEFILE_OK ? status : edgefile_fail(status, "%s", text);
}

void edgefile_group_sum(const edgefile_group *group, uint64_t *values, size_t count)
{
    if (group != NULL) {
        group->sum(group->state, values, count);
    }
}

void edgefile_group_broadcast(const edgefile_group *group, void *data, size_t bytes)
{
    if (group != NULL) {
        group->broadcast(group->state, data, bytes);
    }
}
