/* group.c - calls the callbacks of the processes that write one graph together. */
#include "io/group.h"
#include "io/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

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

/* Checks that the other processes see the file that process 0 made.  A folder of the same name on
 * another host may be another folder.  A network file system may show a new file late, so the
 * others try for a while. */

enum { TRIES = 100, PAUSE_MS = 50 };

int edgefile_token_write(const char *path, edgefile_token *token)
{
    const ssize_t bytes = sizeof token->bytes;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), st = EDGEFILE_OK;

    if (fd < 0 || getrandom(token->bytes, sizeof token->bytes, 0) != bytes ||
        pwrite(fd, token->bytes, sizeof token->bytes, 0) != bytes || fsync(fd) != 0) {
        st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", path);
    }
    if (fd >= 0) {
        close(fd);
    }
    return st;
}

/* 1: the token is there; 0: not (yet); -1: it cannot be read, and errno says why. */
static int look_for_token(const char *path, const edgefile_token *token)
{
    edgefile_token seen;
    int fd = open(path, O_RDWR | O_CLOEXEC), error;
    uint64_t n;

    if (fd < 0) {
        return errno == ENOENT || errno == ESTALE ? 0 : -1;
    }
    n = edgefile_get(fd, 0, sizeof seen, &seen);
    error = errno;
    close(fd);
    errno = error;
    return error != 0 ? -1 : n == sizeof seen && memcmp(&seen, token, sizeof seen) == 0;
}

int edgefile_token_check(int rank, const char *path, const edgefile_token *token)
{
    for (int i = 0; i < TRIES; i++) {
        const int rc = look_for_token(path, token);

        if (rc > 0) {
            return EDGEFILE_OK;
        }
        if (rc < 0) {
            return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
        }
        nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
    }
    return edgefile_fail(
        EDGEFILE_ERR_OPEN,
        "%s: process %d does not see the file that process 0 created: is the folder shared by all "
        "hosts?",
        path, rank);
}
