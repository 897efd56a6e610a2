/*
 * folder.c - the folder BASE.shards, and the files in it.
 *
 * Only files that are named like shards are ever removed.  A folder that holds anything else is
 * taken to be somebody's own, and left alone.
 */
#include "io/edgefile_shards.h"
#include "io/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

char *edgefile_shard_folder(const char *base)
{
    char *path;
    return asprintf(&path, "%s.shards", base) < 0 ? NULL : path;
}

char *edgefile_shard_path(const char *base, int shard)
{
    char *path;
    return asprintf(&path, "%s.shards/%05d.h5", base, shard) < 0 ? NULL : path;
}

/* Is this the name of a shard, with five digits or more, or of the token (write/group.c)? */
static bool is_ours(const char *name)
{
    size_t digits = 0;

    while (isdigit((unsigned char)name[digits])) {
        digits++;
    }
    return strcmp(name, EDGEFILE_TOKEN_NAME) == 0 ||
           (digits >= 5 && strcmp(name + digits, ".h5") == 0);
}

/* One of the names that the kernel gives.  A foreign file is not EDGEFILE_ERR_EXISTS: permission to
 * replace the graph would not help. */
static int visit(const char *path, int folder, const char *name,
                 int (*each)(int folder, const char *name))
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return EDGEFILE_OK;
    }
    if (!is_ours(name)) {
        return edgefile_fail(EDGEFILE_ERR_OPEN,
                             "%s: the folder holds files that are not shards, such as '%s', and is "
                             "not replaced",
                             path, name);
    }
    if (each(folder, name) != 0 && errno != ENOENT) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s/%s: %m", path, name);
    }
    return EDGEFILE_OK;
}

/* Calls each(folder, name) for every file until a call fails.  Asks the kernel itself, since
 * opendir() takes memory, and shards are also removed where there is none left; by number, since
 * glibc has had a function only from 2.30 on. */
static int walk(const char *path, int (*each)(int folder, const char *name))
{
    _Alignas(struct dirent64) char buffer[4096];
    int st = EDGEFILE_OK, fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t bytes;

    if (fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
    }
    while (st == EDGEFILE_OK && (bytes = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) != 0) {
        if (bytes < 0) {
            st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
        }
        for (ssize_t at = 0; at < bytes && st == EDGEFILE_OK;) {
            const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);

            st = visit(path, fd, entry->d_name, each);
            at += entry->d_reclen;
        }
    }
    close(fd);
    return st;
}

static int look_at_name(int folder, const char *name)
{
    (void)folder, (void)name;
    return 0;
}

static int remove_one(int folder, const char *name)
{
    return unlinkat(folder, name, 0);
}

static int folder_exists(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0) {
        return errno == ENOENT ? 0 : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
    }
    if (!S_ISDIR(st.st_mode)) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is %s, expected a folder of shards or none",
                             path, edgefile_kind(st.st_mode));
    }
    EDGEFILE_TRY(walk(path, look_at_name));
    return 1;
}

int edgefile_shard_path_remove(const char *path)
{
    int rc = folder_exists(path);

    if (rc <= 0) {
        return rc;
    }
    EDGEFILE_TRY(walk(path, remove_one));
    return rmdir(path) == 0 ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
}

/* Calls it with the path of the folder. */
static int with_path(const char *base, int (*call)(const char *path))
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s.shards", base) >= (int)sizeof path) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %s", base, strerror(ENAMETOOLONG));
    }
    return call(path);
}

int edgefile_shard_folder_exists(const char *base)
{
    return with_path(base, folder_exists);
}

int edgefile_shard_folder_remove(const char *base)
{
    return with_path(base, edgefile_shard_path_remove);
}

int edgefile_folder_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), st = EDGEFILE_OK;

    /* EINVAL: this file system cannot sync folders. */
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL)) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: sync of the folder: %m", path);
    }
    if (fd >= 0) {
        close(fd);
    }
    return st;
}

int edgefile_shard_name(char **path, const char *name, int shard)
{
    *path = edgefile_shard_path(name, shard);
    return *path != NULL ? EDGEFILE_OK : edgefile_no_memory(name);
}

int edgefile_shard_folder_make(const char *name, bool *made)
{
    char *folder = edgefile_shard_folder(name);
    struct stat st;
    int status = EDGEFILE_OK;

    *made = false;
    if (folder == NULL) {
        return edgefile_no_memory(name);
    }
    if (lstat(name, &st) == 0) {
        status =
            edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: already exists and uses these shards", name);
    } else if (mkdir(folder, 0777) == 0) {
        *made = true;
        status = edgefile_sync_folder_of(folder);
    } else if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        status = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", folder);
    }
    free(folder);
    return status;
}
