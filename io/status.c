/*
 * status.c - statuses and their messages, and what the processes that write one graph together
 * agree on.
 */
#include "io/hdf5.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static _Thread_local char last_detail[1024];
_Thread_local bool edgefile_is_agreed;

/* Keeps a message on one line, for all texts of HDF5 and file names. */
static char shown(char c)
{
    return (unsigned char)c < ' ' ? ' ' : c;
}

int edgefile_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_detail, sizeof last_detail, format, args);
    va_end(args);
    edgefile_is_agreed = false;
    for (char *c = last_detail; *c != '\0'; c++) {
        *c = shown(*c);
    }
    return status;
}

int edgefile_no_memory(const char *name)
{
    return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s%smemory is exhausted", name != NULL ? name : "",
                         name != NULL ? ": " : "");
}

int edgefile_range_check(const char *name, const char *what, uint64_t first, uint64_t count,
                         uint64_t length)
{
    return first <= length && count <= length - first
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu %s at %llu, the file has %llu", name,
                               (unsigned long long)count, what, (unsigned long long)first,
                               (unsigned long long)length);
}

int edgefile_errno_status(int otherwise)
{
    switch (errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return EDGEFILE_ERR_SPACE;
    case ENOMEM:
        return EDGEFILE_ERR_NOMEM;
    default:
        return otherwise;
    }
}

const char *edgefile_kind(unsigned mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISREG(mode)  ? "a regular file"
                            : "a device";
}

const char *edgefile_detail(void)
{
    return last_detail;
}

const char *edgefile_detail_of(const edgefile_reader *r)
{
    const char *at = last_detail;

    for (const char *c = r->name; *c != '\0'; c++) {
        if (*at++ != shown(*c)) {
            return last_detail;
        }
    }
    return strncmp(at, ": ", 2) == 0 ? at + 2 : last_detail;
}

/* Calls of the callbacks of a group. */

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

    if (group == NULL || (status != EDGEFILE_OK && edgefile_is_agreed)) {
        return status;
    }
    if (status != EDGEFILE_OK) {
        strncpy(text, edgefile_detail(), sizeof text - 1);
    }
    status = group->agree(group->state, status, text, sizeof text);
    if (status != EDGEFILE_OK) {
        edgefile_fail(status, "%s", text);
        edgefile_is_agreed = true;
    }
    return status;
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

int edgefile_group_gather(const edgefile_group *group, const char *name, uint64_t mine,
                          uint64_t **all)
{
    int st;

    *all = calloc((size_t)group->size, sizeof **all);
    st = edgefile_group_agree(group, *all == NULL ? edgefile_no_memory(name) : EDGEFILE_OK);
    if (st != EDGEFILE_OK) {
        free(*all);
        return st;
    }
    (*all)[group->rank] = mine;
    edgefile_group_sum(group, *all, (size_t)group->size);
    return EDGEFILE_OK;
}
