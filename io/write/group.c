/* group.c - calls the callbacks of the processes that write one graph together. */
#include "io/private.h"

#include <stdlib.h>
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

void edgefile_group_gather(const edgefile_group *group, uint64_t mine, uint64_t *all)
{
    memset(all, 0, (size_t)group->size * sizeof *all);
    all[group->rank] = mine;
    edgefile_group_sum(group, all, (size_t)group->size);
}

int edgefile_group_share(const edgefile_group *group, const char *name, uint64_t mine,
                         uint64_t *before, uint64_t *all)
{
    uint64_t *shares = calloc((size_t)group->size, sizeof *shares);
    int st = shares == NULL ? edgefile_no_memory(name) : EDGEFILE_OK;

    *before = *all = 0;
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        edgefile_group_gather(group, mine, shares);
        for (int k = 0; k < group->size; k++) {
            *before += k < group->rank ? shares[k] : 0;
            *all += shares[k];
        }
    }
    free(shares);
    return st;
}
