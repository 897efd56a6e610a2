/*
 * folder.c - the folder BASE.shards and the files in it.
 *
 * Only files that are named like shards are ever removed.  A folder that holds anything else is
 * taken to be somebody's own, and left alone.
 */
#include "io/private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Is this the name of a shard, with five digits or more, or of the token (write/token.c)? */
static bool is_ours(const char *name)
{
    size_t digits = 0;

    while (isdigit((unsigned char)name[digits])) {
        digits++;
    }
    return strcmp(name, EDGEFILE_TOKEN_NAME) == 0 ||
           (digits >= 5 && strcmp(name + digits, ".h5") == 0);
}

/* Calls each(folder, name) for every file until a call fails.  A foreign file is not
 * EDGEFILE_ERR_EXISTS: permission to replace the graph would not help. */
static int walk(const char *path, int (*each)(int folder, const char *name))
{
    DIR *folder;
    struct dirent *entry;
    int st = EDGEFILE_OK;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    folder = fd < 0 ? NULL : fdopendir(fd);
    if (folder == NULL) {
        st = edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
        if (fd >= 0) {
            close(fd);
        }
        return st;
    }
    while (st == EDGEFILE_OK && (errno = 0, entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (!is_ours(entry->d_name)) {
            st = edgefile_fail(EDGEFILE_ERR_OPEN,
                               "%s: the folder holds files that are not shards, such as '%s', and "
                               "is not replaced",
                               path, entry->d_name);
        } else if (each(fd, entry->d_name) != 0 && errno != ENOENT) {
            st = edgefile_fail(EDGEFILE_ERR_IO, "%s/%s: %m", path, entry->d_name);
        }
    }
    if (st == EDGEFILE_OK && errno != 0) { /* the end is no error */
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
    }
    closedir(folder);
    return st;
}

static int look(int folder, const char *name)
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
    EDGEFILE_TRY(walk(path, look));
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
    char *path = edgefile_shard_folder(base);
    int rc = path == NULL ? edgefile_no_memory(base) : call(path);

    free(path);
    return rc;
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
